"""The caller's choices of notices: kinds, channels, language, zone and quiet hours."""

from datetime import time
from typing import Annotated

import msgspec
from litestar import Response
from msgspec import Meta
from sqlalchemy.ext.asyncio import AsyncConnection

from service.api.http.operations import operation
from service.api.http.shell import Shell
from service.api.http.writing.submitting import encoded
from service.api.me.first_choices import Zone, demand_zone
from service.api.me.push_subscriptions import Subscribed, subscribed
from service.base.languages import Language
from service.notices import browsers, preferences
from service.notices.kinds import KINDS, Kind
from service.notices.outbox import Channel
from service.notices.preferences import Preferences
from service.notices.push import public_key
from service.people import emails
from service.people.sealed_addresses import AddressKeys
from service.people.tokens import MANAGE, Principal

_HOUR = 60
Clock = Annotated[str, Meta(pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$")]
"""A time of day."""


class Channels(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The channels by which a kind of notices comes."""

    mail: bool = True
    """True to get a mail, if there is a confirmed address."""

    push: bool = True
    """True to get a push message in each subscribed browser."""


class NoticeKinds(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The channels of each kind of notices."""

    check_in_open: Channels = msgspec.field(default_factory=Channels)
    """Check-in has opened for a tournament that the caller has entered."""

    start_changed: Channels = msgspec.field(default_factory=Channels)
    """
    A tournament that the caller has entered begins later because too few were there, or is
    cancelled.
    """

    seat_drawn: Channels = msgspec.field(default_factory=Channels)
    """The caller's seat was drawn."""

    place_offered: Channels = msgspec.field(default_factory=Channels)
    """A place is free, and was offered to the caller."""

    your_turn: Channels = msgspec.field(default_factory=Channels)
    """A table waits for the caller, and gives at least ten minutes."""

    result: Channels = msgspec.field(default_factory=Channels)
    """A tournament of the caller has finished, or its result was corrected."""

    dispute: Channels = msgspec.field(default_factory=Channels)
    """A claim or a ruling concerns the caller."""

    audit_failed: Channels = msgspec.field(default_factory=Channels)
    """An audit of a league that the caller owns has failed."""


class QuietHours(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The hours of a day in which no notice comes. It comes afterwards if it is still useful."""

    begin: Clock
    """The beginning, as a time of day in the person's zone, such as `22:00`."""

    end: Clock
    """The end. It lies on the next day if it is earlier than the beginning."""


class NotificationsWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """All choices of a person. They replace those made before."""

    language: Language = "en"
    """The language of notices."""

    zone: Zone = "UTC"
    """The zone of the person, as in the time zone database, such as `Europe/Berlin`."""

    quiet_hours: QuietHours | None = None
    """The quiet hours, or null for none."""

    kinds: NoticeKinds = msgspec.field(default_factory=NoticeKinds)
    """The channels of each kind."""


class NotificationsShown(msgspec.Struct, kw_only=True):
    """The choices of a person, and the channels that there are."""

    language: Language
    """The language of notices."""

    zone: str
    """The zone of the person."""

    quiet_hours: QuietHours | None
    """The quiet hours, or null."""

    kinds: NoticeKinds
    """The channels of each kind."""

    email: str | None
    """The confirmed address that gets mail, or null if there is none."""

    mail_available: bool
    """True if this installation sends mail."""

    push_key: str | None
    """The key for `PushManager.subscribe` (`applicationServerKey`), or null without push."""

    browsers: tuple[Subscribed, ...]
    """The browsers that get push messages, the oldest first."""


@operation(
    "GET", "/v1/me/notifications", "read_my_notifications",
    "Read the caller's choice of notices and channels.",
    needs="account", scope=MANAGE, answer=NotificationsShown,
)  # fmt: skip
async def read_my_notifications(shell: Shell, principal: Principal) -> Response[bytes]:
    """Show the choices, with defaults for those that were never made."""
    async with shell.engine.begin() as connection:
        chosen = await preferences.read(connection, principal.account.number)
        return encoded(await _shown(connection, shell, principal, chosen))


@operation(
    "PUT", "/v1/me/notifications", "choose_my_notifications",
    "Choose the caller's notices, their channels, and quiet hours.",
    needs="account", scope=MANAGE, answer=NotificationsShown,
)  # fmt: skip
async def choose_my_notifications(
    body: NotificationsWanted, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Store all choices. They count for notices that still wait, too."""
    demand_zone(body.zone)
    quiet = body.quiet_hours
    chosen = Preferences(
        language=body.language,
        zone=body.zone,
        quiet_from=None if quiet is None else _minutes(quiet.begin),
        quiet_until=None if quiet is None else _minutes(quiet.end),
        mail_off=_off(body.kinds, "mail"),
        push_off=_off(body.kinds, "push"),
    )
    async with shell.engine.begin() as connection:
        await preferences.keep(connection, principal.account.number, chosen)
        return encoded(await _shown(connection, shell, principal, chosen))


async def _shown(
    connection: AsyncConnection, shell: Shell, principal: Principal, chosen: Preferences
) -> NotificationsShown:
    me, settings = principal.account.number, shell.settings
    keys = AddressKeys(*settings.secret_keys)
    quiet = None
    if chosen.quiet_from is not None and chosen.quiet_until is not None:
        quiet = QuietHours(begin=_clock(chosen.quiet_from), end=_clock(chosen.quiet_until))
    return NotificationsShown(
        language=chosen.language,
        zone=chosen.zone,
        quiet_hours=quiet,
        kinds=_kinds(chosen),
        email=(await emails.email_of(connection, keys, me)).address,
        mail_available=settings.smtp_url is not None,
        push_key=None if settings.push_key is None else public_key(settings.push_key),
        browsers=tuple(map(subscribed, await browsers.held(connection, me, shell.now()))),
    )


def _by_kind(kinds: NoticeKinds) -> dict[Kind, Channels]:
    return {
        "check_in_open": kinds.check_in_open,
        "start_changed": kinds.start_changed,
        "seat_drawn": kinds.seat_drawn,
        "place_offered": kinds.place_offered,
        "your_turn": kinds.your_turn,
        "result": kinds.result,
        "dispute": kinds.dispute,
        "audit_failed": kinds.audit_failed,
    }


def _off(kinds: NoticeKinds, channel: Channel) -> tuple[Kind, ...]:
    """Return the kinds that the person does not want by *channel*."""
    return tuple(
        kind
        for kind, wanted in _by_kind(kinds).items()
        if not (wanted.mail if channel == "mail" else wanted.push)
    )


def _kinds(chosen: Preferences) -> NoticeKinds:
    found = {
        kind: Channels(mail=chosen.wants(kind, "mail"), push=chosen.wants(kind, "push"))
        for kind in KINDS
    }
    return msgspec.convert(found, NoticeKinds)


def _minutes(clock: str) -> int:
    read = time.fromisoformat(clock)
    return read.hour * _HOUR + read.minute


def _clock(minutes: int) -> str:
    return f"{minutes // _HOUR:02}:{minutes % _HOUR:02}"
