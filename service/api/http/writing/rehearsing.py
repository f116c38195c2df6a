"""
Dry runs (``?dry_run=true``): the answer lists the changes, and the log stays as it is.

A dry run is decided on public facts (``service.log.rehearsal``) and leaves a line in the staff log.
Nobody who is entered in a tournament may make a dry run that reaches its tables.
"""

from datetime import datetime
from hashlib import sha256
from typing import Literal, Protocol, TypeVar

import msgspec
from litestar import Response

from engine.coordination import consequences, policies
from engine.coordination.aggregates import DECIDERS
from engine.coordination.consequences import StandingChange, TableChange, TournamentChange
from engine.coordination.withholding import withheld
from engine.season.closing import awaits_lots
from engine.season.events import SeasonClosed
from engine.season.state import Opened, opened_of
from engine.season.state import State as Season
from engine.season.values import Fate
from engine.table.model.state import Table
from engine.tournament.entering.staff import counts_as_entered
from engine.tournament.model import state as tournament
from engine.tournament.model.state import Unannounced
from engine.values import SeasonId, Stream, aggregate_of, number_of, stream_of
from service.api.http.access.phases import Tournament
from service.api.http.reading.called import names_at, names_of
from service.api.http.shell import Asked, Shell, operation_of, principal_of, shell_of
from service.base.errors import Forbidden
from service.director.counting import count_aside
from service.log.codec import category_of
from service.log.rehearsal import Rehearsed
from service.people import operator_log

_canonical = msgspec.json.Encoder(order="sorted")

_ON_HAND = "depends on the hand in play: its end, its winners, and the consequences"
_ON_HIDDEN = "depends on a hidden value, such as a card or a draw: nothing after it is certain"


_ON_LOTS = "depends on lots: closing the season draws lots between players who share a rank"


class Undecided(msgspec.Struct, kw_only=True):
    """A consequence that a dry run cannot predict."""

    on: Literal["hand_in_play", "hidden_value"]
    """
    `hand_in_play` depends on a hand that is not over, `hidden_value` on a card, a draw or a lot.
    """

    table: str | None = None
    """The table of the hand, or null."""

    hand: str | None = None
    """The hand in play, or null."""

    detail: str
    """A sentence that says what the outcome depends on."""


class WouldChange(msgspec.Struct, kw_only=True):
    """The changes that the command would cause outside a dry run."""

    dry_run: bool
    """Always true."""

    done: bool = False
    """
    True if the same command was carried out already under its `Idempotency-Key`. It would then
    change nothing more, and sending it again repeats the first answer. Another body under a used
    key is refused (`422 idempotency_key_reused`), as outside a dry run.
    """

    events: tuple[str, ...]
    """The types of the events that are certain, in order."""

    tournaments: dict[str, TournamentChange]
    """Changes by ``trn_…``. Only tournaments that would change are listed."""

    tables: dict[str, TableChange] = {}
    """Changes by ``tbl_…``. Only tables with changes to chips or penalties are listed."""

    seasons: dict[str, tuple[StandingChange, ...]]
    """Changes by ``ssn_…``. Only seasons with changes to ranks or points are listed."""

    depends_on: tuple[Undecided, ...] = ()
    """The points at which the dry run stopped, because a hidden value decides the rest."""

    fates: tuple[Fate, ...] = ()
    """If a season would close: the fate of each tournament announced for it."""

    digest: str = ""
    """SHA-256 of this request and this answer without names, in hexadecimal."""

    names: dict[str, str] = {}
    """The names of the players now, by the players and entrants of this answer."""


State = TypeVar("State", bound=msgspec.Struct)


class Load(Protocol):
    """Loads the state of another stream of a league."""

    async def __call__(self, league: str, stream: Stream[State], /) -> State: ...


async def tried(request: Asked, found: Rehearsed) -> Response[bytes]:
    """Answer a rehearsed command with its changes, and record the dry run in the staff log."""
    shell = shell_of(request)
    writer = shell.runtime.writer
    await _demand_not_entered(request, found)

    async def load(league: str, stream: Stream[State]) -> State:
        return (await writer.load(league, stream)).state

    client = str(principal_of(request).account.number)
    content = await would_change(found, load, shell.now(), client)
    content.names = await _called(shell, found, content)
    await _trace(request, found)
    return Response(msgspec.json.encode(content), status_code=200, media_type="application/json")


async def would_change(
    found: Rehearsed, load: Load, now: datetime, client: str | None = None
) -> WouldChange:
    """
    Return the changes that *found* would cause in tournaments, tables and seasons.

    Args:
        load: Loads the state of another stream of the league, such as the season that counts a
            tournament.
        client: The account that asks, or None for the house.

    Raises:
        Overloaded: If too many standings are waiting to be counted.
    """
    tournaments: dict[str, TournamentChange] = {}
    tables: dict[str, TableChange] = {}
    seasons: dict[str, tuple[StandingChange, ...]] = {}
    for stream, after in found.after.items():
        before = found.before[stream]
        category, about = category_of(stream), aggregate_of(stream)
        if after is before:
            continue
        if category == "tournament":
            tournaments[about] = consequences.of_tournament(before, after)
        elif category == "table" and isinstance(before, Table):
            tables[about] = consequences.of_table(before, after)
        elif category == "season" and isinstance(before, Opened):
            seasons[about] = await _moved(before, after, client)
    seasons |= await _counted(found, load, now, client)
    content = WouldChange(
        dry_run=True,
        done=found.done,
        events=tuple(str(each.__struct_config__.tag) for each in found.events),
        tournaments=tournaments,
        tables={key: change for key, change in tables.items() if change},
        seasons={key: changes for key, changes in seasons.items() if changes},
        depends_on=_undecided(found),
        fates=tuple(
            fate
            for event in found.events
            if isinstance(event, SeasonClosed)
            for fate in event.fates or ()
        ),
    )
    content.digest = sha256(found.asked + _canonical.encode(content)).hexdigest()
    return content


async def _called(shell: Shell, found: Rehearsed, content: WouldChange) -> dict[str, str]:
    """Return the names of everybody whose place, money, seat, chips or points would change."""
    called: dict[str, str] = {}
    for name, change in content.tournaments.items():
        entrants = {
            *(each.entrant for each in change.placings),
            *(each.entrant for each in change.payouts),
            *(each.entrant for each in change.seats),
        }
        called |= await names_at(shell, found.before[stream_of(name)], entrants)
    for name, changed in content.tables.items():
        above = stream_of(found.after[stream_of(name)].tournament)
        state = (await shell.runtime.writer.load(found.league, above)).state
        sitting = {each.entrant for each in changed.penalties}
        sitting |= {each.entrant for each in changed.stacks}
        called |= await names_at(shell, state, sitting)
    players = {each.player for changes in content.seasons.values() for each in changes}
    return called | await names_of(shell, players)


def season_of(state: tournament.State) -> SeasonId | None:
    """Return the season that counts a tournament, or None if no season does."""
    season: SeasonId | None = None if isinstance(state, Unannounced) else state.terms.season
    return season


def league_of_terms(state: Tournament) -> str:
    """Return the league named in a tournament's terms."""
    return str(state.terms.league)


def _undecided(found: Rehearsed) -> tuple[Undecided, ...]:
    """Return the points at which the rehearsal stopped."""
    if found.stopped:
        return (Undecided(on="hidden_value", detail=_ON_HIDDEN),)
    if any(isinstance(each, Opened) and awaits_lots(each) for each in found.after.values()):
        return (Undecided(on="hidden_value", detail=_ON_LOTS),)
    tables = (each for each in found.after.values() if isinstance(each, Table))
    return tuple(
        Undecided(on="hand_in_play", table=each.table, hand=each.hand.hand, detail=_ON_HAND)
        for each in tables
        if each.hand is not None and each.hand.decision is None
    )


async def _counted(
    found: Rehearsed, load: Load, now: datetime, client: str | None
) -> dict[str, tuple[StandingChange, ...]]:
    """Return the standings that change in seasons that count the tournaments of *found*."""
    seasons: dict[str, tuple[StandingChange, ...]] = {}
    for stream, after in found.after.items():
        before = found.before[stream]
        season_id = season_of(before) if stream.startswith("tournament-") else None
        if season_id is None or after is before:
            continue
        there = stream_of(season_id)
        told_before: Season
        if there in found.before:
            told_before = found.before[there]
        else:
            told_before = withheld(await load(league_of_terms(before), there))
        season: Season = found.after.get(there, told_before)
        told = policies.season_told(season, after, now=now)
        if not isinstance(season, Opened) or season.closed or told is None:
            continue  # a closed season does not change
        _, counted = DECIDERS["season"].carry_out(season, told)
        seasons[season_id] = await _moved(opened_of(told_before), counted, client)
    return seasons


async def _moved(before: Opened, after: Opened, client: str | None) -> tuple[StandingChange, ...]:
    return await count_aside(after, client, consequences.of_season, before, after)


async def _demand_not_entered(request: Asked, found: Rehearsed) -> None:
    """
    Check that the caller plays in no tournament with tables that *found* reaches.

    Raises:
        Forbidden: If the caller is entered in such a tournament.
    """
    writer, player = shell_of(request).runtime.writer, principal_of(request).account.player
    tables = [each for each in found.after.values() if isinstance(each, Table)]
    for above in {each.tournament for each in tables}:
        state = (await writer.load(found.league, stream_of(above))).state
        if counts_as_entered(state, player):
            raise Forbidden(
                "entrants may not make a dry run that reaches a table of the tournament",
                capability=operation_of(request).capability,
            )


async def _trace(request: Asked, found: Rehearsed) -> None:
    """Record the dry run in the staff log, since it appends no events."""
    actor = principal_of(request).account.player
    subject = next(iter(request.path_params.values()), "")
    about = f"{operation_of(request).name} {subject}"
    async with shell_of(request).engine.begin() as connection:
        await operator_log.add(
            connection, [number_of(found.league)], actor, "command_rehearsed", about
        )
