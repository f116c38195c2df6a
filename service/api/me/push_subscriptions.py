"""The browsers in which the caller gets push messages."""

from datetime import datetime
from typing import Annotated
from urllib.parse import urlsplit

import msgspec
from litestar import Response
from msgspec import Meta

from engine.values import identifier, number_of
from service.api.http.access.rights import demand_form
from service.api.http.operations import operation
from service.api.http.reading.bodies import invalid
from service.api.http.reading.clients import MailLanguage
from service.api.http.shell import Shell
from service.api.http.wire.limiting import demand_room
from service.api.http.writing.submitting import encoded
from service.api.me.first_choices import Zone, first_choice
from service.base.errors import BadRequest, StreamNotFound
from service.base.outside import URL_MAX, UrlRefused, demand_url
from service.notices import browsers
from service.notices.browsers import Browser, Target
from service.notices.preferences import begin
from service.notices.push import demand_keys
from service.people.rechecking import demand_alive
from service.people.sealed_addresses import AddressKeys
from service.people.tokens import MANAGE, Principal

_Key = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{16,100}=*$")]


class PushKeys(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The keys of a browser, in base64url."""

    p256dh: _Key
    """The browser's public key on the curve P-256."""

    auth: _Key
    """The secret of 16 bytes that the browser made."""


class PushWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A subscription, as `PushSubscription.toJSON()` gives it in a browser."""

    endpoint: Annotated[str, Meta(min_length=1, max_length=URL_MAX)]
    """The address at the service of the browser's maker."""

    keys: PushKeys
    """The keys for which messages are encrypted."""

    expiration: float | None = msgspec.field(name="expirationTime", default=None)
    """Ignored. A subscription ends when its service says so."""

    zone: Zone | None = None
    """The zone in which messages give times, if the person has chosen none yet."""


class Subscribed(msgspec.Struct, kw_only=True):
    """A browser that gets push messages."""

    id: str
    """The subscription, `psh_…`."""

    host: str
    """The host of the service that carries the messages."""

    created_at: datetime
    """The time at which it was made."""


@operation(
    "POST", "/v1/me/push-subscriptions", "add_push_subscription",
    "Have push messages sent to a browser.",
    needs="account", scope=MANAGE, answer=Subscribed, status=201,
    problems=("push_unavailable", "quota_exhausted"),
)  # fmt: skip
async def add_push_subscription(
    body: PushWanted, language: MailLanguage, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Store a subscription. It replaces an earlier one of the same browser, for any account."""
    if shell.settings.push_key is None:
        raise BadRequest("push_unavailable", "this installation sends no push messages")
    target = Target(body.endpoint, body.keys.p256dh, body.keys.auth)
    _demand(shell, target)
    me, keys = principal.account.number, AddressKeys(*shell.settings.secret_keys)
    made = Browser(
        id=shell.runtime.entropy.uuid(),
        host=urlsplit(target.endpoint).netloc,
        created_at=shell.now(),
    )
    async with shell.engine.begin() as connection:
        await demand_alive(connection, principal, made.created_at)
        await begin(connection, me, first_choice(language, body.zone))
        await browsers.forget(connection, keys, target.endpoint)
        held = len(await browsers.held(connection, me, made.created_at))
        demand_room("browsers", held, shell.limits.settings.account_browsers)
        while not await browsers.add(connection, keys, me, made, target, principal.token):
            # Another request has subscribed the same browser meanwhile. The later one counts.
            await browsers.forget(connection, keys, target.endpoint)
    return encoded(subscribed(made), 201)


@operation(
    "DELETE", "/v1/me/push-subscriptions/{subscription_id:str}", "remove_push_subscription",
    "Send no more push messages to a browser.",
    needs="account", scope=MANAGE, status=204,
)  # fmt: skip
async def remove_push_subscription(
    subscription_id: str, shell: Shell, principal: Principal
) -> None:
    """Remove one of the caller's subscriptions."""
    demand_form(subscription_id, "psh")
    async with shell.engine.begin() as connection:
        number = number_of(subscription_id)
        if not await browsers.remove(connection, principal.account.number, number):
            raise StreamNotFound("it does not exist, or you may not see it")


def subscribed(browser: Browser) -> Subscribed:
    """Return a subscription as its owner sees it."""
    return Subscribed(
        id=identifier("psh", browser.id), host=browser.host, created_at=browser.created_at
    )


def _demand(shell: Shell, target: Target) -> None:
    """
    Check the address and the keys of a browser.

    Raises:
        BadRequest: ``validation_failed``, at the member that is wrong.
    """
    try:
        demand_url(target.endpoint, shell.settings.webhook_allowed())
    except UrlRefused as refused:
        raise invalid(f"{refused} - at `$.endpoint`") from refused
    try:
        demand_keys(target)
    except ValueError as error:
        raise invalid("Expected the keys of a browser - at `$.keys`") from error
