"""Webhooks of a league: subscriptions, their secrets, and the log of deliveries."""

from datetime import timedelta
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Response
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.values import identifier, number_of
from service.api.http.access.rights import LeaguePlace, belong, demand_form
from service.api.http.declaring.by import By
from service.api.http.operations import operation
from service.api.http.reading.bodies import invalid
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.shell import Asked, Shell, shell_of
from service.api.http.wire.limiting import demand_room
from service.api.http.writing.submitting import Order, encoded
from service.api.league.webhook_shapes import (
    Rotation,
    WebhookChange,
    WebhookMade,
    WebhookShown,
    WebhookWanted,
    shown,
)
from service.api.me.signing_in import REPLAYED
from service.base.errors import Forbidden, StreamNotFound
from service.base.outside import UrlRefused, demand_url
from service.log.keys import LeagueKeys
from service.people import operator_log, suspending
from service.people.idempotency import RecordedRequest
from service.people.rechecking import demand_alive
from service.people.tokens import Principal
from service.webhooks import deliveries, subscriptions
from service.webhooks.subscriptions import Webhook

_SECRET_BYTES = 32


@operation(
    "POST", "/v1/leagues/{league_id:str}/webhooks", "make_webhook",
    "Make a webhook for messages about a league's public events.",
    needs="manage_league", scope="webhooks:manage", answer=WebhookMade, status=201,
    problems=("forbidden", "quota_exhausted"), key_required=True,
)  # fmt: skip
async def make_webhook(
    body: WebhookWanted, place: LeaguePlace, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Store the address and the secret, sealed. A retry gets the same webhook without it."""
    me, now, league = principal.account.number, shell.now(), number_of(place.id)
    _demand_url(shell, body.url)
    secret = subscriptions.new_secret(body.form, shell.runtime.entropy.bytes(_SECRET_BYTES))
    number = shell.runtime.entropy.uuid()
    keys = await shell.runtime.writer.store.keys(league)
    said = RecordedRequest(order.command_id, order.request, me, number)
    async with shell.engine.begin() as connection:
        before = await shell.requests.before(connection, said, now)
        if before is not None and before.made is not None:
            return _made(await _reread(connection, keys, before.made), None, again=True)
        await demand_alive(connection, principal, now)
        await suspending.demand_open(connection, place.id)
        held = await subscriptions.lock(connection, league)
        demand_room("webhooks", held, shell.limits.settings.league_webhooks)
        webhook = Webhook(
            id=number, league=league, name=body.name, kinds=body.kinds, form=body.form,
            url=body.url, public_key=None, created_by=me, created_at=now, failing_since=None,
            disabled_at=None, disabled_why=None,
        )  # fmt: skip
        await subscriptions.add(connection, keys, webhook, body.url, secret)
        await _record(connection, webhook, principal, "webhook_made")
        webhook = await _reread(connection, keys, number)
    return _made(webhook, secret)


@operation(
    "GET", "/v1/leagues/{league_id:str}/webhooks", "list_webhooks",
    "List the webhooks of a league, the newest first.",
    needs="manage_league", scope="webhooks:manage", answer=Page[WebhookShown],
    problems=("forbidden", "invalid_cursor"),
)  # fmt: skip
async def list_webhooks(place: LeaguePlace, shell: Shell, pages: Pages) -> Response[bytes]:
    """List all webhooks, disabled ones included."""
    league = number_of(place.id)
    keys = await shell.runtime.writer.store.keys(league)
    async with shell.engine.connect() as connection:
        found = await subscriptions.webhooks_of(connection, keys, league)
    items = [shown(each) for each in found]
    paged = pages.listing(f"webhooks {place.id}", str, str, league=place.id)
    return pages.answer(paged.newest(items))


async def reach(request: Asked, webhook_id: str) -> tuple[Webhook, LeagueKeys]:
    """Return a webhook of a league that the caller owns."""
    shell, number = shell_of(request), number_in(webhook_id, "whk")
    async with shell.engine.connect() as connection:
        league = await subscriptions.league_of(connection, number)
    if league is None:
        raise unknown()
    await belong(request, identifier("lge", league))
    keys = await shell.runtime.writer.store.keys(league)
    async with shell.engine.connect() as connection:
        return await _reread(connection, keys, number), keys


Reached = Annotated[tuple[Webhook, LeagueKeys], By(reach)]
"""Annotation of a handler's parameter: the webhook that the path names, and its league's keys."""


@operation(
    "GET", "/v1/webhooks/{webhook_id:str}", "read_webhook", "Read a webhook.",
    needs="manage_league", scope="webhooks:manage", answer=WebhookShown, problems=("forbidden",),
)  # fmt: skip
async def read_webhook(reached: Reached) -> Response[bytes]:
    """Show a webhook without its secret."""
    webhook, _ = reached
    return encoded(shown(webhook))


@operation(
    "PUT", "/v1/webhooks/{webhook_id:str}", "change_webhook",
    "Change a webhook's name, kinds and address, disable it, or enable it again.",
    needs="manage_league", scope="webhooks:manage", answer=WebhookShown, problems=("forbidden",),
)  # fmt: skip
async def change_webhook(
    body: WebhookChange,
    order: Order,
    reached: Reached,
    shell: Shell,
    principal: Principal,
) -> Response[bytes]:
    """Replace all but the form and the secrets. Disabling ends waiting deliveries."""
    webhook, keys = reached
    if body.url is not None:
        _demand_url(shell, body.url)
    said = RecordedRequest(order.command_id, order.request, principal.account.number, webhook.id)
    async with shell.engine.begin() as connection:
        if await shell.requests.before(connection, said, shell.now()) is not None:
            return encoded(shown(webhook), headers=dict(REPLAYED))
        await demand_alive(connection, principal, shell.now())
        await demand_open(connection, webhook)
        # Somebody else may have changed the address since it was read.
        kept = await subscriptions.webhook_of(connection, keys, webhook.id, for_update=True)
        if kept is None:
            raise unknown()
        changed = kept._replace(name=body.name, kinds=body.kinds, url=body.url or kept.url)
        await subscriptions.change(connection, keys, kept, changed, enabled=body.enabled)
        if not body.enabled:
            await deliveries.give_up(connection, webhook.id)
        await _record(connection, webhook, principal, "webhook_changed")
        answered = shown(await _reread(connection, keys, webhook.id))
    return encoded(answered)


@operation(
    "DELETE", "/v1/webhooks/{webhook_id:str}", "remove_webhook",
    "Remove a webhook with its deliveries.",
    needs="manage_league", scope="webhooks:manage", status=204, problems=("forbidden",),
)  # fmt: skip
async def remove_webhook(reached: Reached, shell: Shell, principal: Principal) -> None:
    """Remove a webhook. Nothing more is sent to its address."""
    webhook, _ = reached
    async with shell.engine.begin() as connection:
        await demand_open(connection, webhook)
        await subscriptions.remove(connection, webhook.id)
        await _record(connection, webhook, principal, "webhook_removed")


@operation(
    "POST", "/v1/webhooks/{webhook_id:str}/rotate", "rotate_webhook_secret",
    "Give a webhook another secret. For a time, messages carry both signatures.",
    needs="manage_league", scope="webhooks:manage", answer=WebhookMade,
    problems=("forbidden",), key_required=True,
)  # fmt: skip
async def rotate_webhook_secret(
    body: Rotation,
    order: Order,
    reached: Reached,
    shell: Shell,
    principal: Principal,
) -> Response[bytes]:
    """Keep the old secret for the overlap. A retry changes nothing and shows no secret."""
    webhook, keys = reached
    secret = subscriptions.new_secret(webhook.form, shell.runtime.entropy.bytes(_SECRET_BYTES))
    if secret is None:
        raise Forbidden("messages of the form `discord` are not signed; change the address instead")
    now = shell.now()
    said = RecordedRequest(order.command_id, order.request, principal.account.number, webhook.id)
    async with shell.engine.begin() as connection:
        if await shell.requests.before(connection, said, now) is not None:
            return _made(webhook, None, again=True, status=200)
        await demand_alive(connection, principal, now)
        await demand_open(connection, webhook)
        overlap = timedelta(hours=body.overlap_hours)
        await subscriptions.rotate(connection, keys, webhook, secret, now, overlap)
        await _record(connection, webhook, principal, "webhook_secret_rotated")
        rotated = await _reread(connection, keys, webhook.id)
    return _made(rotated, secret, status=200)


async def _reread(connection: AsyncConnection, keys: LeagueKeys, number: UUID) -> Webhook:
    found = await subscriptions.webhook_of(connection, keys, number)
    if found is None:
        raise unknown()
    return found


async def demand_open(connection: AsyncConnection, webhook: Webhook) -> None:
    """Check that the webhook's league takes commands, in the transaction that acts."""
    await suspending.demand_open(connection, identifier("lge", webhook.league))


async def _record(
    connection: AsyncConnection, webhook: Webhook, principal: Principal, kind: operator_log.Kind
) -> None:
    """Record an action in the league's staff log."""
    name = identifier("whk", webhook.id)
    await operator_log.add(connection, [webhook.league], principal.account.player, kind, name)


def _demand_url(shell: Shell, url: str) -> None:
    try:
        demand_url(url, shell.settings.webhook_allowed())
    except UrlRefused as refused:
        raise invalid(f"The address is not allowed: {refused} - at `$.url`") from refused


def unknown() -> StreamNotFound:
    """Return the refusal for something that does not exist, or that the caller may not see."""
    return StreamNotFound("it does not exist, or you may not see it")


def number_in(name: str, prefix: str) -> UUID:
    """Return the number in an identifier, or refuse it as unknown."""
    demand_form(name, prefix)
    return number_of(name)


def _made(
    webhook: Webhook, secret: str | None, *, again: bool = False, status: int = 201
) -> Response[bytes]:
    members = msgspec.structs.asdict(shown(webhook))
    return encoded(
        WebhookMade(**members, secret=secret if webhook.form == "v1" else None),
        status,
        dict(REPLAYED) if again else {},
    )
