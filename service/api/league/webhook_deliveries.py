"""The log of a webhook's deliveries, trials, and deliveries sent again."""

from typing import Annotated

import msgspec
from litestar import Response
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.values import identifier
from service.api.http.declaring.by import By
from service.api.http.declaring.nothing import Nothing
from service.api.http.operations import operation
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.shell import Asked, Shell, shell_of
from service.api.http.wire.limiting import demand_room
from service.api.http.writing.submitting import encoded
from service.api.league.webhook_shapes import (
    AttemptShown,
    DeliveryListed,
    DeliveryShown,
    listed_delivery,
)
from service.api.league.webhooks import Reached, demand_open, number_in, reach, unknown
from service.base.errors import Forbidden
from service.log.keys import LeagueKeys
from service.webhooks import deliveries, subscriptions
from service.webhooks.kinds import TRIED
from service.webhooks.messages import trial_of
from service.webhooks.subscriptions import Webhook


@operation(
    "POST", "/v1/webhooks/{webhook_id:str}/try", "try_webhook",
    "Send a message of the kind `webhook.tried` to a webhook.",
    needs="manage_league", scope="webhooks:manage", body=Nothing, answer=DeliveryListed,
    status=202, problems=("forbidden", "quota_exhausted"),
)  # fmt: skip
async def try_webhook(reached: Reached, shell: Shell) -> Response[bytes]:
    """Queue a message without facts. The answer names its delivery."""
    webhook, keys = reached
    number, now = shell.runtime.entropy.uuid(), shell.now()
    body = trial_of(webhook.league, webhook.id, now)
    async with shell.engine.begin() as connection:
        await demand_open(connection, webhook)
        await _demand_enabled(connection, keys, webhook)
        held = await deliveries.waiting(connection, webhook.id, TRIED)
        demand_room("waiting trials", held, deliveries.TRIALS_MAX)
        await deliveries.add(connection, number, webhook.id, TRIED, body, now)
        made = await deliveries.delivery_of(connection, number)
    return encoded(listed_delivery(_known(made)), 202)


@operation(
    "GET", "/v1/webhooks/{webhook_id:str}/deliveries", "list_webhook_deliveries",
    "List the deliveries to a webhook of the last 30 days, the newest first.",
    needs="manage_league", scope="webhooks:manage", answer=Page[DeliveryListed],
    problems=("forbidden", "invalid_cursor"),
)  # fmt: skip
async def list_webhook_deliveries(
    webhook_id: str, reached: Reached, shell: Shell, pages: Pages
) -> Response[bytes]:
    """List deliveries of every state."""
    webhook, _ = reached
    league = identifier("lge", webhook.league)
    paged = pages.listing(f"deliveries {webhook_id}", int, league=league)
    before = None if paged.after is None else int(paged.after[0])
    async with shell.engine.connect() as connection:
        found = await deliveries.deliveries_of(connection, webhook.id, paged.limit + 1, before)
    page = paged.page(found, lambda each: (each.number,))
    items = [listed_delivery(each) for each in page.items]
    return pages.answer(Page(items=items, next_cursor=page.next_cursor))


async def _reach_delivery(
    request: Asked, delivery_id: str
) -> tuple[deliveries.Delivery, Webhook, LeagueKeys]:
    """Return a delivery, its webhook, and the keys of the league, which the caller owns."""
    number = number_in(delivery_id, "dlv")
    async with shell_of(request).engine.connect() as connection:
        delivery = _known(await deliveries.delivery_of(connection, number))
    webhook, keys = await reach(request, identifier("whk", delivery.webhook))
    return delivery, webhook, keys


ReachedDelivery = Annotated[tuple[deliveries.Delivery, Webhook, LeagueKeys], By(_reach_delivery)]
"""Annotation of a handler's parameter: the delivery that the path names, and its webhook."""


@operation(
    "GET", "/v1/webhook-deliveries/{delivery_id:str}", "read_webhook_delivery",
    "Read a delivery with its message and its attempts.",
    needs="manage_league", scope="webhooks:manage", answer=DeliveryShown, problems=("forbidden",),
)  # fmt: skip
async def read_webhook_delivery(reached: ReachedDelivery, shell: Shell) -> Response[bytes]:
    """Show the message as it is sent, and the result of each attempt."""
    delivery, _, _ = reached
    async with shell.engine.connect() as connection:
        made = await deliveries.attempts_of(connection, delivery.id)
    members = msgspec.structs.asdict(listed_delivery(delivery))
    log = tuple(
        AttemptShown(at=each.at, milliseconds=each.millis, status=each.status, error=each.error)
        for each in made
    )
    return encoded(DeliveryShown(**members, body=delivery.body, log=log))


@operation(
    "POST", "/v1/webhook-deliveries/{delivery_id:str}/redeliver", "redeliver",
    "Send a message again, with the same identifier.",
    needs="manage_league", scope="webhooks:manage", body=Nothing, answer=DeliveryListed,
    status=202, problems=("forbidden",),
)  # fmt: skip
async def redeliver(reached: ReachedDelivery, shell: Shell) -> Response[bytes]:
    """Have a delivery attempted at once, with the whole series of retries."""
    delivery, webhook, keys = reached
    async with shell.engine.begin() as connection:
        await demand_open(connection, webhook)
        await _demand_enabled(connection, keys, webhook)
        await deliveries.repeat(connection, delivery.id, shell.now())
        again = await deliveries.delivery_of(connection, delivery.id)
    return encoded(listed_delivery(_known(again)), 202)


async def _demand_enabled(connection: AsyncConnection, keys: LeagueKeys, webhook: Webhook) -> None:
    """Check that the webhook is enabled, and that it stays so until the transaction ends."""
    held = await subscriptions.webhook_of(connection, keys, webhook.id, for_update=True)
    if held is None:
        raise unknown()
    if held.disabled_at is not None:
        raise Forbidden("the webhook is disabled; enable it first")


def _known(delivery: deliveries.Delivery | None) -> deliveries.Delivery:
    if delivery is None:
        raise unknown()
    return delivery
