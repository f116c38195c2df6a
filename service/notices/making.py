"""Notices, made from the occasions that the ticker has found in the log."""

from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

import asyncpg
import msgspec
import structlog

from engine.values import identifier, number_of
from service.announcing.sandbox_leagues import is_sandbox
from service.base.documents import Document
from service.base.drivers import Driver
from service.base.errors import StoreUnavailable
from service.base.uuids import uuid5
from service.director.runtime import GONE, Runtime
from service.notices import outbox
from service.notices.about import About
from service.notices.addressing import Told, addressed
from service.notices.browsers import SIGNED_IN
from service.notices.kinds import Kind
from service.notices.occasions import Occasion
from service.notices.outbox import Channel
from service.notices.preferences import preferences_in
from service.people.relocations import STAYS

_AT_ONCE: Final = 50

_OURS: Final = STAYS.format(league="notice_occasion.league")
_FIND = f"""
    SELECT event, league, facts, ends_at FROM notice_occasion
     WHERE {_OURS} AND event <> ALL ($2::uuid[])
     ORDER BY ends_at LIMIT $1
"""  # noqa: S608
_END = f"DELETE FROM notice_occasion WHERE ends_at <= $1 AND {_OURS}"  # noqa: S608
_TAKE = f"DELETE FROM notice_occasion WHERE event = $1 AND {_OURS} RETURNING event"  # noqa: S608
_REACHED = f"""
    SELECT account.id, language, zone, quiet_from, quiet_until,
           coalesce(mail_off, '{{}}') AS mail_off, coalesce(push_off, '{{}}') AS push_off,
           address IS NOT NULL AS mail,
           ARRAY(SELECT push_subscription.id FROM push_subscription
                  WHERE push_subscription.account = account.id AND {SIGNED_IN}) AS browsers
      FROM account
      LEFT JOIN account_email ON account_email.account = account.id
      LEFT JOIN notice_settings ON notice_settings.account = account.id
     WHERE account.id = ANY ($1) AND login IS NOT NULL AND suspended_at IS NULL
"""  # noqa: S608
_CHOICES = ("mail_off", "push_off")

_log = structlog.get_logger(__name__)


class _Reached(NamedTuple):
    """A person whom a notice can reach, by some channel."""

    account: UUID
    channel: Channel
    browser: UUID | None


async def make_notices(runtime: Runtime) -> None:
    """Make the notices of all waiting occasions, and end those that are no longer news."""
    await runtime.pool.execute(_END, runtime.clock.now())
    left: list[UUID] = []
    while rows := await runtime.pool.fetch(_FIND, _AT_ONCE, left):
        for row in rows:
            try:
                occasion = msgspec.json.decode(row["facts"], type=Occasion)
            except msgspec.MsgspecError:
                # It may be a newer version's. It must not hold back the others.
                _log.exception("an occasion of notices cannot be read", occasion=str(row["event"]))
                left.append(row["event"])
            else:
                await _make(runtime, row, occasion)


async def _make(runtime: Runtime, row: asyncpg.Record, occasion: Occasion) -> None:
    """Make the notices of one occasion, and end the occasion, in one transaction."""
    league = identifier("lge", row["league"])
    try:
        # Programs play in the sandbox league, a game a minute. Nobody wants mail about that.
        told = {} if is_sandbox(league) else await addressed(runtime, league, occasion)
    except (StoreUnavailable, *GONE):
        raise
    except Exception:  # noqa: BLE001
        # A league whose log cannot be read must not hold back the notices of others.
        _log.exception("no notices are sent about an event", league=league, kind=occasion.kind)
        told = {}
    now = runtime.clock.now()
    async with runtime.pool.acquire() as connection, connection.transaction():
        if await connection.fetchval(_TAKE, row["event"]) is None or row["ends_at"] <= now:
            return
        made = await _notices(runtime, connection, row, occasion.kind, told, now)
        for each in made:
            await outbox.add(connection, each, now)


async def _notices(
    runtime: Runtime,
    connection: Driver,
    row: asyncpg.Record,
    kind: Kind,
    told: Told,
    now: datetime,
) -> list[outbox.New]:
    """Return a notice for each person and channel, and one for the operator if it concerns them."""
    event, league, ends_at = row["event"], row["league"], row["ends_at"]

    def new(reached: _Reached | None, about: About) -> outbox.New:
        name = "operator" if reached is None else "/".join(map(str, reached))
        facts: Document = msgspec.to_builtins(about)
        return outbox.New(
            id=uuid5(event, f"{kind}/{name}"),
            account=None if reached is None else reached.account,
            channel="mail" if reached is None else reached.channel,
            target=None if reached is None else reached.browser,
            kind=kind,
            occasion=event,
            league=league,
            facts=facts,
            ends_at=ends_at,
        )

    numbers = {number_of(player): about for player, about in told.items()}
    made = [
        new(each, numbers[each.account])
        for person in await connection.fetch(_REACHED, list(numbers), now)
        for each in _channels(runtime, person, kind)
    ]
    operator, named = runtime.settings.operator_email, identifier("lge", league)
    if kind == "audit_failed" and operator is not None and not is_sandbox(named):
        made.append(new(None, next(iter(told.values()), About(league=named, league_name=named))))
    return made


def _channels(runtime: Runtime, person: asyncpg.Record, kind: Kind) -> list[_Reached]:
    """Return the channels that the person wants and this installation has."""
    chosen = preferences_in({name: person[name] for name in _CHOICES})
    found: list[_Reached] = []
    if person["mail"] and runtime.settings.smtp_url is not None and chosen.wants(kind, "mail"):
        found.append(_Reached(person["id"], "mail", None))
    if runtime.settings.push_key is not None and chosen.wants(kind, "push"):
        found += (_Reached(person["id"], "push", each) for each in person["browsers"])
    return found
