"""
Screen keys: the clock of one tournament on a television, without an account.

The holder of a key reads the room's clock, which people in the room see anyway. It shows no card,
no stack, and no seat that has not just changed. The key names its tournament, so it opens nothing
else.
"""

import asyncio
from datetime import datetime, timedelta
from typing import Annotated, Final

import msgspec
from litestar import Response

from engine.coordination.views import BreakView, FloorLevel, FloorTable, floor_of
from engine.kit.denominations import Denomination
from engine.league.roles import may
from engine.league.state import Created
from engine.rulesets import Amounts, Ruleset
from engine.table.read.view_parts import NextLevelView
from engine.tournament.model.events import TournamentCancelled, TournamentFinished
from engine.tournament.model.state import Cancelled, Drafted, Finished, Phase, phase_of
from engine.values import Stream, identifier, number_of, stream_of
from service.api.http.access.phases import Tournament, entering_of, placings_of
from service.api.http.access.rights import TOURNAMENT, TournamentPlace, demand_form
from service.api.http.declaring.nothing import Nothing
from service.api.http.declaring.queries import Query
from service.api.http.operations import operation
from service.api.http.reading.called import names_of
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.reading.public import HIDDEN
from service.api.http.shell import Shell
from service.api.http.wire.limiting import demand_room
from service.api.http.writing.submitting import Order, encoded
from service.api.me.signing_in import REPLAYED
from service.api.tournament.changes import KnockedOut, SeatChanged, knocked_out, seat_changes
from service.api.tournament.entering import AnnouncementListed
from service.api.tournament.floors import State, read_tables
from service.api.tournament.money import money_shown
from service.base.errors import StreamNotFound
from service.director.in_play import roles_since
from service.log.catalogue import tag_of
from service.log.read import read_last_of_types
from service.log.writer import Loaded
from service.people import accounts, operator_log, screen_keys
from service.people.idempotency import Said
from service.people.screen_keys import ScreenKey
from service.people.texts import words
from service.people.tokens import Principal

KEYS_MAX = 20
"""The most keys of one tournament that have not ended."""

OPEN_AFTER = timedelta(hours=12)
"""The time for which a key shows the result after the evening's end."""

NOTICES_FOR = timedelta(minutes=15)
"""The time for which a notice to the players is shown."""

_NEEDS: Final = "run_floor"
_PREFIX = "scr"
_ENDS = [tag_of(each) for each in (TournamentFinished, TournamentCancelled)]
_FRESH = {"Cache-Control": "private, no-store"}

KEY = Query("key", str, "A screen key.", "")


_OF_FLOOR = (
    "entrants", "entrants_left", "average_stack", "level", "next_level", "break_ends",
    "next_break", "hand_for_hand", "last_hands", "denominations",
)  # fmt: skip


class ScreenKeyMade(msgspec.Struct, kw_only=True):
    """A screen key, shown only once."""

    id: str
    """The identifier with which the key can be revoked. It is no secret."""

    key: str | None
    """Null in the answer to a retry, which carries `Idempotent-Replayed: true`."""


class ScreenKeyListed(msgspec.Struct, kw_only=True):
    """A screen key, without its secret."""

    id: str
    """The identifier with which the key can be revoked."""

    made_by: str
    """The member of staff who made it, `plr_…`. It ends for good when they lose that office."""

    name: str | None
    """The name of that member of staff now."""

    created_at: datetime
    """The time at which the key was made."""

    revoked_at: datetime | None
    """The time at which the key was revoked, or null."""


class ScreenTable(msgspec.Struct, kw_only=True):
    """The level of an open table."""

    id: str
    """The table, `tbl_…`."""

    level: int
    """The level of the hand in play or next, from 1."""

    amounts: Amounts
    """The forced bets of that level."""

    next_level: NextLevelView | None
    """The next level, or null if none follows."""


class ScreenPlace(msgspec.Struct, kw_only=True):
    """An entrant with the place."""

    name: str | None
    """The player's name now."""

    placing: int
    """The place, from 1."""


class ScreenShown(msgspec.Struct, kw_only=True):
    """The room's clock."""

    tournament: str
    """The tournament, `trn_…`."""

    name: str
    """The tournament's name."""

    state: Phase
    """The phase of the tournament."""

    starts_at: datetime
    """The planned start."""

    place: str | None
    """The venue, as free text, or null."""

    suspended: bool
    """True while the operator has suspended the league."""

    ruleset: Ruleset
    """Every parameter of the game, with its levels."""

    currency: str | None
    """The currency (ISO 4217), or null if no money is played for."""

    prizes: tuple[int, ...]
    """The prize of each place as it stands, in minor units of `currency`."""

    entrants: int
    """The number of entries, with the eliminated ones."""

    entrants_left: int
    """The number of players who are still in, or 0 once the tournament is over."""

    average_stack: int
    """Chips in play for each seated entrant, rounded down, or 0 if nobody sits."""

    level: FloorLevel | None
    """The level of the hands opened now, or null if each table counts its own levels."""

    next_level: NextLevelView | None
    """The next level of the clock, or null without a clock or at the last level."""

    break_ends: datetime | None
    """The end of the present break, or null without a break."""

    next_break: BreakView | None
    """The next break after a level, or null if none is planned."""

    hand_for_hand: int | None
    """The number of the present hand in hand-for-hand play, or null."""

    last_hands: int | None
    """The hands that each table plays after last hands were called, or null before."""

    denominations: tuple[Denomination, ...]
    """The chips of the game by name and value."""

    tables: tuple[ScreenTable, ...]
    """The levels of the open tables."""

    seat_changes: tuple[SeatChanged, ...]
    """The changes of seats in the last ten minutes, newest first, at most 50."""

    knocked_out: tuple[KnockedOut, ...]
    """The entrants who were eliminated last, newest first, at most 5."""

    placed: tuple[ScreenPlace, ...]
    """The places that are known, best first."""

    announcements: tuple[AnnouncementListed, ...]
    """The notices to the players of the last 15 minutes, oldest first."""

    now: datetime
    """The server's time, by which levels and breaks are counted."""


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/screen-keys", "make_screen_key",
    "Make a key that opens only the clock of this tournament, for a television.",
    needs=_NEEDS, scope="tournaments:manage", body=Nothing, answer=ScreenKeyMade, status=201,
    problems=("forbidden", "quota_exhausted"), key_required=True,
)  # fmt: skip
async def make_screen_key(
    place: TournamentPlace, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Store the key's hash. A retry gets the same key, without its secret."""
    now, number = shell.now(), shell.runtime.entropy.uuid()
    me, tournament = principal.account.number, number_of(place.id)
    made = ScreenKey(number, number_of(place.league), tournament, me, now, None)
    key = screen_keys.key_text(shell.runtime.entropy.bytes(32))
    said = Said(order.command_id, order.request, me, number)
    async with shell.engine.begin() as connection:
        before = await shell.requests.before(connection, said, now)
        if before is not None and before.made is not None:
            again = ScreenKeyMade(id=identifier(_PREFIX, before.made), key=None)
            return encoded(again, 201, dict(REPLAYED))
        held = await screen_keys.number_held(connection, tournament)
        demand_room("screen_keys", held, KEYS_MAX)
        await screen_keys.keep(connection, made, key)
        await operator_log.add(
            connection, [made.league], principal.account.player, "screen_key_made", place.id
        )
    return encoded(ScreenKeyMade(id=identifier(_PREFIX, number), key=key), 201)


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/screen-keys", "list_screen_keys",
    "List the screen keys of a tournament, newest first.",
    needs=_NEEDS, scope="tournaments:manage", answer=Page[ScreenKeyListed],
    problems=("forbidden", "invalid_cursor"),
)  # fmt: skip
async def list_screen_keys(place: TournamentPlace, shell: Shell, pages: Pages) -> Response[bytes]:
    """List all keys, revoked ones included."""
    async with shell.engine.connect() as connection:
        found = await screen_keys.keys_of(connection, number_of(place.id))
    makers = {each.number: identifier("plr", each.made_by) for each in found}
    called = await names_of(shell, makers.values())
    items = [
        ScreenKeyListed(
            id=identifier(_PREFIX, each.number),
            made_by=makers[each.number],
            name=called.get(makers[each.number]),
            created_at=each.created_at,
            revoked_at=each.revoked_at,
        )
        for each in found
    ]
    order = {each.id: number for number, each in enumerate(reversed(items))}
    paged = pages.listing(f"screen keys {place.id}", int, league=place.league)
    return pages.answer(paged.cut(items, lambda each: (order[each.id],), descending=True))


@operation(
    "DELETE", "/v1/tournaments/{tournament_id:str}/screen-keys/{screen_key_id:str}",
    "revoke_screen_key", "End a screen key. The television goes dark at its next change.",
    needs=_NEEDS, scope="tournaments:manage", status=204, problems=("forbidden",),
)  # fmt: skip
async def revoke_screen_key(
    screen_key_id: str, place: TournamentPlace, shell: Shell, principal: Principal
) -> None:
    """End a key in all processes at once."""
    demand_form(screen_key_id, _PREFIX)
    tournament, number = number_of(place.id), number_of(screen_key_id)
    async with shell.engine.begin() as connection:
        if not await screen_keys.revoke(connection, tournament, number, shell.now()):
            raise StreamNotFound(HIDDEN)
        await operator_log.add(
            connection, [number_of(place.league)], principal.account.player,
            "screen_key_revoked", place.id,
        )  # fmt: skip


@operation(
    "GET", "/v1/screen", "read_screen", "Read the clock of the tournament that a screen key opens.",
    needs="anyone", answer=ScreenShown, problems=("not_found",),
    about="The key opens nothing else. It ends when staff revoke it, when its maker loses the "
    "office, and 12 hours after the evening.",
)  # fmt: skip
async def read_screen(key: Annotated[str, KEY], shell: Shell) -> Response[bytes]:
    """Show the clock as of one moment."""
    league, tournament = await _opened(shell, key)

    async def load(stream: Stream[State]) -> Loaded[State]:
        return await shell.runtime.writer.load(league, stream)

    loaded, tables = await read_tables(load, stream_of(tournament))
    state, now = loaded.state, shell.now()
    if not isinstance(state, TOURNAMENT.states) or isinstance(state, Drafted):
        raise StreamNotFound(HIDDEN)
    await _demand_not_long_over(shell, league, state, now)
    floor = floor_of(state, tables)
    if floor is None:
        raise StreamNotFound(HIDDEN)
    changes, out, placed, notices = await asyncio.gather(
        seat_changes(shell, league, load, loaded, now),
        knocked_out(shell, state),
        _placed(shell, state),
        _notices(shell, state, now),
    )
    terms = state.terms
    shown = ScreenShown(
        tournament=tournament,
        name=terms.name,
        state=phase_of(state),
        starts_at=terms.starts_at,
        place=terms.place,
        ruleset=terms.ruleset,
        currency=terms.currency,
        prizes=money_shown(state).prizes,
        suspended=league in shell.doors.suspended,
        **{name: getattr(floor, name) for name in _OF_FLOOR},
        tables=tuple(_table(each) for each in floor.tables),
        seat_changes=changes,
        knocked_out=out,
        placed=placed,
        announcements=notices,
        now=now,
    )
    return encoded(shown, headers=_FRESH)


async def _opened(shell: Shell, text: str) -> tuple[str, str]:
    """
    Return the league and the tournament that a key opens.

    Raises:
        StreamNotFound: If the key is unknown or revoked, or its maker is suspended, may not
            make one now, or could not at any moment since.
    """
    async with shell.engine.connect() as connection:
        key = await screen_keys.opened_by(connection, text)
        if key is None or await accounts.any_suspended(
            connection, [identifier("plr", key.made_by)]
        ):
            raise StreamNotFound(HIDDEN)
    league = identifier("lge", key.league)
    house = (await shell.runtime.writer.load(league, stream_of(league))).state
    members = house.members if isinstance(house, Created) else ()
    maker = identifier("plr", key.made_by)
    held = next((each.role for each in members if each.player == maker), None)
    since = await roles_since(shell.pool, league, maker, key.created_at)
    if not all(may(role, _NEEDS) for role in (held, *since)):
        raise StreamNotFound(HIDDEN)
    return league, identifier("trn", key.tournament)


async def _demand_not_long_over(
    shell: Shell, league: str, state: Tournament, now: datetime
) -> None:
    """
    Check that the evening did not end longer than :data:`OPEN_AFTER` ago.

    A later correction of the result does not open the key again.
    """
    if not isinstance(state, Finished | Cancelled):
        return
    stream = stream_of(state.terms.tournament)
    rows = await read_last_of_types(shell.pool, league, stream, _ENDS, 0, 1)
    if not rows or now - rows[0].at > OPEN_AFTER:
        raise StreamNotFound(HIDDEN)


async def _placed(shell: Shell, state: Tournament) -> tuple[ScreenPlace, ...]:
    found = sorted(placings_of(state), key=lambda each: each.place)
    called = await names_of(shell, (each.player for each in found))
    return tuple(ScreenPlace(name=called.get(each.player), placing=each.place) for each in found)


async def _notices(
    shell: Shell, state: Tournament, now: datetime
) -> tuple[AnnouncementListed, ...]:
    """Return the latest notices, with their numbers in the list of all of them."""
    listed = enumerate(entering_of(state).notices)
    recent = [(number, each) for number, each in listed if now - each.at <= NOTICES_FOR]
    said = await words(shell.engine, [each.text for _, each in recent])
    return tuple(
        AnnouncementListed(
            number=number, id=each.text.text, text=said.get(each.text.text), at=each.at
        )
        for number, each in recent
    )


def _table(table: FloorTable) -> ScreenTable:
    return ScreenTable(
        id=table.table, level=table.level, amounts=table.amounts, next_level=table.next_level
    )
