"""A table of a public tournament while it is played, as a spectator in the room sees it."""

from datetime import datetime

import msgspec
from litestar import Response

from engine.rulesets import Amounts
from engine.table.model.state import Table
from engine.table.read.view_parts import (
    DecisionView,
    LastHandView,
    NextLevelView,
    PotView,
    RevealedView,
    RoundView,
    SeatView,
)
from engine.values import stream_of
from service.api.http.access.rights import TOURNAMENT, demand_form, league_of
from service.api.http.operations import operation
from service.api.http.reading.called import names_at
from service.api.http.reading.etags import Tags
from service.api.http.reading.public import HIDDEN, Kept, Link, reach_public
from service.api.http.shell import Shell
from service.api.table.views import seen_with_clock
from service.base.errors import StreamNotFound


class PublicPlayer(msgspec.Struct, kw_only=True):
    """An occupied seat with its open cards. Cards in a hand never appear here."""

    seat: int
    """The number of the seat, from 1."""

    entrant: str
    """The entrant, `ent_…`."""

    name: str | None
    """The player's name now."""

    stack: int
    """The chips in front of the seat, without its wager."""

    wager: int
    """The chips that the seat has put into the hand."""

    dealt: bool
    """True if the seat was dealt into the hand."""

    live: bool
    """True if the seat can still win the hand."""

    all_in: bool
    """True if the seat is in the hand and has no chips left to bet."""

    away: bool
    """True if the player is away. The seat is dealt in, and its hand is killed."""

    answered: bool
    """True if the seat has committed its cards in the open select or improve phase."""

    kept: int | None
    """The number of cards in the selection, or null until everybody has committed."""

    card_count: int | None
    """The number of cards in the hand, in a game of card turns."""

    field: tuple[str, ...]
    """The cards in the static field, which lie open."""

    announced: int | None
    """The total of the first cards, if the ruleset announces totals."""

    revealed: RevealedView | None
    """The hand that the seat has turned over, or null."""


class PublicDecision(msgspec.Struct, kw_only=True):
    """The decision that the table waits for."""

    phase: str
    """`select`, `improve`, `card` or `bet`."""

    seats: tuple[int, ...]
    """The seats that have not answered yet, in the order in which they act."""

    deadline: datetime
    """The instant until which the action must arrive."""


class PublicTableSeen(msgspec.Struct, kw_only=True):
    """A table as a spectator in the room sees it: chips, turns and open cards."""

    id: str
    """The table, `tbl_…`."""

    tournament: str
    """The tournament, `trn_…`."""

    tournament_name: str
    """The tournament's name."""

    number: int
    """The table's number in the tournament."""

    seat_count: int
    """The number of seats, occupied or not."""

    closed: bool
    """True if the table is closed. Nobody sits there any more."""

    hand: str | None
    """The hand in play, or null between hands. Its replay is public once it is over."""

    hand_number: int
    """The number of the hand opened last, or 0 before the first."""

    target: int | None
    """The target of the hand, or null if it is not known or the game has none."""

    suit: str | None
    """The suit that counts, or null if it is not known or the game has none."""

    button: int
    """The seat of the button, or 0 before the first hand."""

    current_bet: int
    """The bet of the street that a seat has to match."""

    carry: int
    """The chips that go on to the next hand's main pot."""

    sabacc_pot: int
    """The chips in the Sabacc pot, or 0 in a game without one."""

    level: int
    """The number of the level in force, from 1."""

    amounts: Amounts
    """The forced bets in force."""

    next_level: NextLevelView | None
    """The next level, or null if none is known."""

    pots: tuple[PotView, ...]
    """The pots as they would be if the hand ended now."""

    rounds: RoundView | None
    """The card rounds of the hand in play, in a game of card turns."""

    decision: PublicDecision | None
    """The decision that the table waits for, or null."""

    seats: tuple[PublicPlayer, ...]
    """The occupied seats, in order."""

    last_hand: LastHandView | None
    """The end of the previous hand, until the next one opens."""


@operation(
    "GET", "/v1/public/tables/{table_id:str}", "read_public_table",
    "Read a table of a public tournament: chips, turns and the cards that lie open.",
    needs="anyone", answer=PublicTableSeen, public=True,
)  # fmt: skip
async def read_public_table(
    table_id: str, link: Link, shell: Shell, tags: Tags, caching: Kept
) -> Response[bytes]:
    """Show what a spectator sees, without decision tokens and the words of the staff."""
    demand_form(table_id, "tbl")
    stream = stream_of(table_id)
    league = await league_of(shell, stream)
    table = (await shell.runtime.writer.load(league, stream)).state
    if not isinstance(table, Table):
        raise StreamNotFound(HIDDEN)
    place = await reach_public(shell, table.tournament, TOURNAMENT, link)
    seen = seen_with_clock(table, None, place.state)
    called = await names_at(shell, place.state, (each.entrant for each in seen.seats))
    shown = PublicTableSeen(
        id=table_id,
        tournament_name=place.state.terms.name,
        decision=_decision(seen.decision),
        seats=tuple(_seat(each, called.get(each.entrant)) for each in seen.seats),
        **{each: getattr(seen, each) for each in _PLAIN},
    )
    return caching.answer(tags, shown)


_PLAIN = (
    "tournament", "number", "seat_count", "closed", "hand", "hand_number", "target", "suit",
    "button", "current_bet", "carry", "sabacc_pot", "level", "amounts", "next_level", "pots",
    "rounds", "last_hand",
)  # fmt: skip
"""The members of the spectator's view that strangers see unchanged."""


def _decision(seen: DecisionView | None) -> PublicDecision | None:
    if seen is None:
        return None
    return PublicDecision(phase=seen.phase, seats=seen.seats, deadline=seen.deadline)


def _seat(seen: SeatView, name: str | None) -> PublicPlayer:
    plain = (each for each in PublicPlayer.__struct_fields__ if each != "name")
    return PublicPlayer(name=name, **{each: getattr(seen, each) for each in plain})
