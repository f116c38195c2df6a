"""Directors' orders on the pace of play: the clock, breaks, hand-for-hand play and last hands."""

from typing import Annotated

from litestar import Response
from msgspec import Meta

from engine.tournament.model.commands import floor as floor_commands
from service.api.http.access.rights import TournamentPlace
from service.api.http.operations import operation
from service.api.http.shell import Shell
from service.api.http.writing.submitting import Order
from service.api.tournament.rulings import ReasonGiven, Ruled, ruled, signed


class BreakWanted(ReasonGiven, forbid_unknown_fields=True, kw_only=True):
    """The length of a break, and the level after which it comes."""

    seconds: Annotated[int, Meta(ge=0, le=86_400)]
    """With ``after_level``, 0 cancels the break that is planned there."""

    after_level: Annotated[int, Meta(ge=1)] | None = None
    """Null begins the break at once. Hands in play go on to their end, and their time counts."""


class ClockWanted(ReasonGiven, forbid_unknown_fields=True, kw_only=True):
    """The level to go to, and the time to add or take."""

    level: Annotated[int, Meta(ge=1, le=1000)] | None = None
    """The level to go to. It begins with its whole length. Null keeps the level in force."""

    seconds: Annotated[int, Meta(ge=-86_400, le=86_400)] = 0
    """Seconds to add to the time left in the level. A negative number takes time."""


_PROBLEMS = ("forbidden", "tournament_not_running", "ruling_not_possible", "text_forged")


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/clock", "set_clock",
    "Go to a level of the clock, or add or take time.",
    scope="tournaments:manage", needs="run_floor", answer=Ruled,
    key_required=True, problems=(*_PROBLEMS, "own_clock"),
)  # fmt: skip
async def set_clock(
    shell: Shell, body: ClockWanted, place: TournamentPlace, order: Order
) -> Response[bytes]:
    """Set the clock. A hand in play keeps its forced bets."""
    command = floor_commands.SetClock(
        level=body.level,
        seconds=body.seconds,
        **await signed(shell, place, order, body.reason),
    )
    return await ruled(shell, place, place.id, order, command, status=200)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/breaks", "announce_break",
    "Begin a break after the hands in play, or plan one for the end of a level.",
    scope="tournaments:manage", needs="run_floor", answer=Ruled, status=201,
    key_required=True, problems=_PROBLEMS, dry_run=True,
)  # fmt: skip
async def announce_break(
    shell: Shell, body: BreakWanted, place: TournamentPlace, order: Order
) -> Response[bytes]:
    """Order the break of the request, or cancel a planned one."""
    command = floor_commands.AnnounceBreak(
        seconds=body.seconds,
        after_level=body.after_level,
        **await signed(shell, place, order, body.reason),
    )
    return await ruled(shell, place, place.id, order, command)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/breaks/end", "end_break",
    "End the current break early.", scope="tournaments:manage", needs="run_floor",
    answer=Ruled, key_required=True, problems=_PROBLEMS, dry_run=True,
)  # fmt: skip
async def end_break(
    shell: Shell, body: ReasonGiven, place: TournamentPlace, order: Order
) -> Response[bytes]:
    """End the break. Play resumes at every table."""
    return await _simply(shell, body, place, order, floor_commands.EndBreak)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/last_hands", "call_last_hands",
    "Call the last hands: the hands in play, or a drawn number more if the terms say so.",
    scope="tournaments:manage", needs="direct_play", answer=Ruled,
    key_required=True, problems=_PROBLEMS, dry_run=True,
)  # fmt: skip
async def call_last_hands(
    shell: Shell, body: ReasonGiven, place: TournamentPlace, order: Order
) -> Response[bytes]:
    """Call the last hands, only once in a tournament."""
    return await _simply(shell, body, place, order, floor_commands.CallLastHands)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/hand_for_hand", "start_hand_for_hand",
    "Start hand-for-hand play, beginning with the hands in play.",
    scope="tournaments:manage", needs="run_floor", answer=Ruled,
    key_required=True, problems=_PROBLEMS, dry_run=True,
)  # fmt: skip
async def start_hand_for_hand(
    shell: Shell, body: ReasonGiven, place: TournamentPlace, order: Order
) -> Response[bytes]:
    """Start hand-for-hand play. Every table waits for all others after each hand."""
    return await _simply(shell, body, place, order, floor_commands.StartHandForHand)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/hand_for_hand/end", "end_hand_for_hand",
    "End hand-for-hand play.",
    scope="tournaments:manage", needs="run_floor", answer=Ruled,
    key_required=True, problems=_PROBLEMS, dry_run=True,
)  # fmt: skip
async def end_hand_for_hand(
    shell: Shell, body: ReasonGiven, place: TournamentPlace, order: Order
) -> Response[bytes]:
    """End hand-for-hand play. Tables no longer wait for each other."""
    return await _simply(shell, body, place, order, floor_commands.EndHandForHand)


Simple = (
    type[floor_commands.EndBreak]
    | type[floor_commands.CallLastHands]
    | type[floor_commands.StartHandForHand]
    | type[floor_commands.EndHandForHand]
)


async def _simply(
    shell: Shell, body: ReasonGiven, place: TournamentPlace, order: Order, wanted: Simple
) -> Response[bytes]:
    command = wanted(**await signed(shell, place, order, body.reason))
    return await ruled(shell, place, place.state.terms.tournament, order, command, status=200)
