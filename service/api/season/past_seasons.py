"""Results of past seasons, imported from a list."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Annotated

import msgspec
from litestar import Response
from msgspec import Meta

from engine import season as seasons
from engine.coordination import policies
from engine.league.state import Created
from engine.season.commands import (
    Command,
    ImportResults,
    OpenSeason,
    StatedResult,
    StatedTournament,
)
from engine.season.events import Event
from engine.season.state import Opened
from engine.season.state import State as Season
from engine.values import HexDigest, LeagueId, PlayerId, SeasonId, identifier, number_of
from service.announcing.inputs import Name
from service.api.http.access.rights import LeaguePlace
from service.api.http.declaring.queries import DRY_RUN, Query
from service.api.http.operations import operation
from service.api.http.shell import Asked, Shell, principal_of, shell_of
from service.api.http.writing.preconditions import compare
from service.api.http.writing.submitting import NAMESPACE, answer, encoded, order_of
from service.api.league.players import csv_of, dry_run_of
from service.base.errors import BadRequest, StreamNotFound
from service.base.uuids import uuid5
from service.director.counting import count_aside
from service.log.streams import season_stream
from service.log.writer import States, StreamEvents
from service.people import entered_players
from service.people.accounts import names
from service.people.csv_lists import Fault
from service.people.names import folded, named
from service.people.result_lists import BYTES_MAX, ResultRow, Results, read_results

NAME = Query(
    "name", Name,
    "The season's name. A new season is opened, or the one that an earlier list of this name "
    "opened gets the new list. Send either this or `season`.",
)  # fmt: skip
SEASON = Query(
    "season", Annotated[str, Meta(pattern="^ssn_[0-9a-f]{32}$")],
    "An open season of the league, whose terms stay as they are. Send either this or `name`.",
)  # fmt: skip


class ResultShown(msgspec.Struct, kw_only=True):
    """The outcome of a row: ``counted``, or the code of its fault."""

    line: int
    """The line on which the row begins. The header is line 1."""

    outcome: str
    """`counted`, or the code of the row's fault."""

    player: str | None = None
    """The player that the row is about, or null if it has a fault."""

    detail: str | None = None
    """A sentence about the fault, or null without one."""


class PastRank(msgspec.Struct, kw_only=True):
    """A player's rank by the list."""

    rank: int
    """The rank, from 1. Players who share one have the same."""

    player: str
    name: str | None
    """The player's name now."""

    points: str
    """The points, a decimal number at the season's scale."""

    played: int
    """The number of results."""


class PastSeason(msgspec.Struct, kw_only=True):
    """The outcome of an import or of its dry run."""

    league: str
    season: str
    """The season, `ssn_…`. In a dry run it may not exist yet."""

    dry_run: bool
    """True if the list was only checked."""

    rows: tuple[ResultShown, ...] = ()
    """One entry for each row."""

    standings: tuple[PastRank, ...] = ()
    """The season's standings after the import. Empty if a row has a fault."""

    position: str | None = None


@operation(
    "POST", "/v1/leagues/{league_id:str}/past-seasons", "import_past_season",
    "Import the results of tournaments that were not played here. If a row is invalid, nothing is "
    "imported.",
    needs="manage_league", scope="leagues:manage", body=str, takes="text/csv",
    body_max=BYTES_MAX, answer=PastSeason, query=(NAME, SEASON, DRY_RUN),
    problems=(
        "bad_request", "not_found", "invalid_csv", "import_refused", "import_invalid",
        "own_points", "season_closed", "frozen",
    ),
    key_required=True,
    about="The season stays open. It may count tournaments of this server too, and it is closed "
    "like any other. Ratings and records do not change, because they follow from games that were "
    "played here.",
)  # fmt: skip
async def import_past_season(request: Asked, place: LeaguePlace, shell: Shell) -> Response[bytes]:
    """Open the season if need be, and state the results in it. A later list replaces the list."""
    raw = await csv_of(request)
    wanted = await _wanted(request, place, raw)
    made = PastSeason(league=place.id, season=wanted.season, dry_run=dry_run_of(request))
    stream = season_stream(wanted.season)
    if made.dry_run:
        compare(request, place)
        found = wanted.found_in(place.state)
        made.rows = found.rows()
        if not found.faults:
            before = (await shell.runtime.writer.load(place.id, stream)).state
            made.standings = await _ranks(shell, wanted.carried_out(before, found)[1])
        return encoded(made)
    order = order_of(request, msgspec.json.encode([wanted.season, wanted.name]) + raw)

    async def decide(states: States) -> Sequence[StreamEvents]:
        # Somebody may be merged or removed between the request and its turn.
        found = wanted.found_in((await states.load(place.stream)).state)
        if found.faults:
            raise BadRequest("import_refused", "nothing was imported", rows=found.told())
        events, state = wanted.carried_out((await states.load(stream)).state, found)
        return [StreamEvents(stream, events, state), StreamEvents(place.stream)]

    receipt = await shell.runtime.writer.submit(place.league, order, decide)
    house = (await shell.runtime.writer.load(place.id, place.stream, fresh=False)).state
    made.rows = wanted.found_in(house).rows()
    after = (await shell.runtime.writer.load(place.id, stream)).state
    made.standings = await _ranks(shell, after)
    return answer(receipt, msgspec.structs.asdict(made), 200)


@dataclass(frozen=True, slots=True)
class _Found:
    """The player of each row that has one, and the faults of the other rows."""

    players: Mapping[int, PlayerId]
    """By the line of the row."""

    faults: tuple[Fault, ...]

    def rows(self) -> tuple[ResultShown, ...]:
        """Return the outcome of each row, in order of lines."""
        faulty = {each.line for each in self.faults}
        good = [
            ResultShown(line=line, outcome="counted", player=player)
            for line, player in self.players.items()
            if line not in faulty
        ]
        return tuple(sorted((*good, *self.told()), key=lambda each: each.line))

    def told(self) -> list[ResultShown]:
        """Return the faults, in order of lines."""
        return [
            ResultShown(line=each.line, outcome=each.code, detail=each.detail)
            for each in self.faults
        ]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A list that was read, and the season that it is for."""

    season: SeasonId
    opening: OpenSeason | None
    """The opening that the list may bring, or None for a season that must be open."""

    results: Results
    candidates: Mapping[int, frozenset[PlayerId]]
    """The players whom each row may mean, by its line."""

    digest: HexDigest
    author: PlayerId
    now: datetime

    @property
    def name(self) -> str | None:
        """The name of the season that the list may open."""
        return None if self.opening is None else self.opening.name

    def found_in(self, league: Created) -> _Found:
        """Return the member of *league* that each row is about."""
        members = {each.player for each in league.members}
        players: dict[int, PlayerId] = {}
        faults: list[Fault] = []
        for row in self.results.rows:
            ones = {league.one(each) for each in self.candidates[row.line]} & members
            if len(ones) == 1:
                players[row.line] = ones.pop()
            elif ones:
                detail = "several members have this name; give the player's identifier in `player`"
                faults.append(Fault(row.line, "ambiguous_player", detail))
            else:
                detail = "nobody in the league is known as this; enter or invite the player first"
                faults.append(Fault(row.line, "unknown_player", detail))
        return _Found(players, tuple(sorted((*self.results.faults, *faults))))

    def carried_out(self, state: Season, found: _Found) -> tuple[tuple[Event, ...], Season]:
        """
        Return the events of the import, and the season's state after them.

        Raises:
            StreamNotFound: If the season must be open and is not a season of this league.
            CommandRejected: If the season refuses the list.
        """
        importing = ImportResults(
            tournaments=_stated(self.results.rows, found.players),
            digest=self.digest,
            author=self.author,
            now=self.now,
        )
        commands: list[Command] = [importing]
        if not isinstance(state, Opened):
            if self.opening is None:
                raise StreamNotFound("it does not exist, or you may not see it")
            commands.insert(0, self.opening)
        return policies.decide_in_turn(seasons.decider, state, commands)


async def _wanted(request: Asked, place: LeaguePlace, raw: bytes) -> _Wanted:
    """
    Read the list and the season that it is for.

    Raises:
        BadRequest: If the request names no season or two, or the list is no CSV.
    """
    shell = shell_of(request)
    name, asked = _name_in(request), SEASON.of(request.query_params)
    if (name is None) == (asked is None):
        raise BadRequest("bad_request", "send either `name` or `season`, and not both")
    results = read_results(raw)
    return _Wanted(
        season=SeasonId(str(asked)) if name is None else _season_of(place.id, name),
        opening=None if name is None else _opening(shell, place, name, results.scale),
        results=results,
        candidates=await _candidates(shell, place.state, results.rows),
        digest=HexDigest(sha256(raw).hexdigest()),
        author=PlayerId(principal_of(request).account.player),
        now=shell.now(),
    )


def _name_in(request: Asked) -> str | None:
    """
    Return the season's name in its stored form, or None without one.

    Raises:
        BadRequest: ``validation_failed`` if it is no name.
    """
    name = NAME.of(request.query_params)
    try:
        return None if name is None else named(str(name))
    except ValueError as error:
        raise NAME.refused(str(error)) from error


def _opening(shell: Shell, place: LeaguePlace, name: str, scale: int) -> OpenSeason:
    return OpenSeason(
        season=_season_of(place.id, name),
        league=LeagueId(place.id),
        name=name,
        scale=scale,
        master=shell.runtime.entropy.token(),
        salt=shell.runtime.entropy.token(),
        now=shell.now(),
    )


def _season_of(league: str, name: str) -> SeasonId:
    """Return the season that lists of this name are for, so that a name opens only one season."""
    return SeasonId(identifier("ssn", uuid5(NAMESPACE, f"past season {league} {folded(name)}")))


def _stated(
    rows: Iterable[ResultRow], players: Mapping[int, PlayerId]
) -> tuple[StatedTournament, ...]:
    """Return the tournaments of a list in the order in which they first appear."""
    held: dict[str, list[ResultRow]] = {}
    for row in rows:
        if row.line in players:
            held.setdefault(row.tournament, []).append(row)
    return tuple(
        StatedTournament(
            name=name,
            played_on=its[0].played_on,
            results=tuple(
                StatedResult(player=players[each.line], place=each.place, points=each.points)
                for each in its
            ),
        )
        for name, its in held.items()
    )


async def _candidates(
    shell: Shell, league: Created, rows: Sequence[ResultRow]
) -> dict[int, frozenset[PlayerId]]:
    """Return the players whom each row may mean, by its line: identifiers, and people's names."""
    identities = [each.identity for each in rows if each.identity is not None]
    known = await entered_players.known(shell.engine, league.league, identities)
    members = [number_of(each.player) for each in league.members]
    called: dict[str, set[PlayerId]] = defaultdict(set)
    for player, name in (await names(shell.engine, members)).items():
        called[folded(name)].add(PlayerId(player))
    return {each.line: _candidates_of(each, known, called) for each in rows}


def _candidates_of(
    row: ResultRow, known: Mapping[str, PlayerId], called: Mapping[str, set[PlayerId]]
) -> frozenset[PlayerId]:
    if row.player is not None:
        return frozenset({PlayerId(row.player)})
    listed = {player for identity, player in known.items() if identity == row.identity}
    by_name = set() if row.exact else called.get(folded(row.name or ""), set())
    return frozenset(listed | by_name)


async def _ranks(shell: Shell, state: Season) -> tuple[PastRank, ...]:
    found = await count_aside(state, None, state.standings) if isinstance(state, Opened) else ()
    called = await names(shell.engine, [number_of(each.player) for each in found])
    return tuple(
        PastRank(
            rank=each.rank,
            player=each.player,
            name=called.get(each.player),
            points=each.points,
            played=each.played,
        )
        for each in found
    )
