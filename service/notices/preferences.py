"""A person's wishes for notices: kinds, channels, language, and quiet hours."""

from datetime import datetime, time, timedelta
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec
import sqlalchemy as sa
from msgspec.structs import replace
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.drivers import Driver
from service.base.languages import Language
from service.notices.kinds import Kind
from service.notices.outbox import Channel
from service.people.schema import notice_settings

_READ: Final = """
    SELECT language, zone, quiet_from, quiet_until, mail_off, push_off FROM notice_settings
     WHERE account = $1
"""
_HOUR: Final = 60


class Preferences(msgspec.Struct, frozen=True, kw_only=True):
    """A person's choices. The default is every kind at any hour, in English."""

    language: Language = "en"
    zone: str = "UTC"
    quiet_from: int | None = None
    """The start of the quiet hours, in minutes since midnight in the person's zone."""

    quiet_until: int | None = None
    mail_off: tuple[Kind, ...] = ()
    push_off: tuple[Kind, ...] = ()

    def wants(self, kind: Kind, channel: Channel) -> bool:
        """Return whether the person wants notices of this kind by this channel."""
        return kind not in (self.mail_off if channel == "mail" else self.push_off)

    def quiet_until_after(self, now: datetime) -> datetime | None:
        """Return the end of the quiet hours if it is quiet at *now*."""
        if self.quiet_from is None or self.quiet_until is None:
            return None
        local = now.astimezone(ZoneInfo(self.zone))
        minute = local.hour * _HOUR + local.minute
        since = (minute - self.quiet_from) % (24 * _HOUR)
        if since >= (self.quiet_until - self.quiet_from) % (24 * _HOUR):
            return None
        days = timedelta(days=1) if minute >= self.quiet_until else timedelta()
        clock = time(self.quiet_until // _HOUR, self.quiet_until % _HOUR)
        end = datetime.combine(local.date() + days, clock, local.tzinfo)
        # An hour that autumn repeats has each end twice, and the first may be past.
        ends = (end.replace(fold=fold).astimezone(now.tzinfo) for fold in (0, 1))
        return next((each for each in ends if each > now), None)


def preferences_in(row: object) -> Preferences:
    """Return the choices that a row holds. Members that no longer exist are refused."""
    return msgspec.convert(row, Preferences, strict=False)


async def of_account(connection: Driver, person: UUID) -> Preferences:
    """Return a person's choices, or the defaults."""
    row = await connection.fetchrow(_READ, person)
    return Preferences() if row is None else preferences_in(dict(row))


async def read(connection: AsyncConnection, person: UUID) -> Preferences:
    """Return a person's choices, or the defaults."""
    columns = (each for each in notice_settings.c if each.name != "account")
    found = await connection.execute(
        sa.select(*columns).where(notice_settings.c.account == person).with_for_update()
    )
    row = found.mappings().first()
    if row is None:
        return Preferences()
    return preferences_in({str(name): each for name, each in row.items()})


async def begin(connection: AsyncConnection, person: UUID, first: Preferences) -> None:
    """Store *first* for a person who has made no choice yet."""
    usual = insert(notice_settings).values(_values(person, first))
    await connection.execute(usual.on_conflict_do_nothing())


async def keep(connection: AsyncConnection, person: UUID, chosen: Preferences) -> None:
    """Store a person's choices."""
    values = _values(person, chosen)
    await connection.execute(
        insert(notice_settings)
        .values(values)
        .on_conflict_do_update(index_elements=["account"], set_=values)
    )


def _values(person: UUID, chosen: Preferences) -> dict[str, object]:
    """Return a person's choices as a row."""
    off = {"mail_off": list(chosen.mail_off), "push_off": list(chosen.push_off)}
    return msgspec.structs.asdict(chosen) | off | {"account": person}


async def turn_off(connection: AsyncConnection, person: UUID, kind: Kind, channel: Channel) -> None:
    """Turn off one kind of notices by one channel."""
    await begin(connection, person, Preferences())  # a missing row cannot be locked
    before = await read(connection, person)
    if not before.wants(kind, channel):
        return
    if channel == "mail":
        after = replace(before, mail_off=(*before.mail_off, kind))
    else:
        after = replace(before, push_off=(*before.push_off, kind))
    await keep(connection, person, after)
