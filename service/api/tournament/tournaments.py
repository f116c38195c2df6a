"""Announcing tournaments, and reading them."""

from datetime import datetime
from typing import Annotated

import msgspec
from litestar import Response

from engine.league.roles import STAFF
from engine.league.state import Created
from engine.rulesets import PRESETS, Amounts, Ruleset, preset
from engine.rulesets.differences import Difference, differences
from engine.season.errors import SeasonClosedAlready
from engine.tournament.levels import following
from engine.tournament.model.state import Phase, Running, phase_of
from engine.tournament.model.terms import EntryTerms, FeeTerms, FormatTerms
from engine.tournament.model.terms.announced import Terms
from engine.tournament.model.terms.floor import FloorTerms
from engine.tournament.model.values import BotRule
from engine.values import LeagueId, TournamentId, Visibility, stream_of
from service.announcing.terms import announcing, demand_sandbox
from service.api.http.access.phases import Tournament, entering_of, tables_of
from service.api.http.access.rights import AS_KNOWN, SEASON, LeaguePlace, TournamentPlace, find
from service.api.http.access.viewers import entrant_of
from service.api.http.declaring.queries import Query
from service.api.http.operations import operation
from service.api.http.problems.asking import TournamentAsked, filled
from service.api.http.reading.etags import Tags
from service.api.http.reading.moments import AS_OF_PROBLEMS, Moment, Then, place_then
from service.api.http.reading.paging import Page
from service.api.http.reading.positions import ReadPages
from service.api.http.shell import Asked, Shell
from service.api.http.writing.submitting import Order, answer, decide_one, encoded
from service.api.tournament.cancellations import CancellationShown, cancellation_shown
from service.api.tournament.entrants import EntrantShown, shown_entrants
from service.api.tournament.entry_times import (
    late_registration_ends_at,
    started_at,
    with_entry_times,
)
from service.api.tournament.money import MoneyShown, money_shown
from service.api.tournament.my_entries import MyEntry, my_entry
from service.api.tournament.rounds_shown import RoundNow, round_now
from service.base.errors import BadRequest
from service.people.tokens import Principal
from service.projections.reads import queries
from service.projections.reads.rows import TournamentRow
from service.schedule.listing import expected_end

SEASON_ASKED = Query("season", str, "List only the tournaments of this season.")
STATE = Query("state", str, "List only the tournaments in this state.")


class TournamentListed(TournamentRow, frozen=True, kw_only=True):
    """A tournament in a list, as of the read models."""

    id: str


class TableShown(msgspec.Struct, kw_only=True):
    """The id and the number of an open table."""

    id: str
    """The table, `tbl_…`."""

    number: int
    """The table's number in the tournament."""


class ClockShown(msgspec.Struct, kw_only=True):
    """The level of hands that open now, and the next level, in games with a level clock."""

    level: int
    """The number of the level, from 1."""

    amounts: Amounts
    """The forced bets of hands that open now."""

    next_amounts: Amounts | None
    """The forced bets of the next level, or null at the last level."""

    due: datetime | None
    """The start of the next level, or null while the clock stands."""

    left_seconds: int | None
    """The time left of the level, or null while the clock runs."""


class TournamentMade(msgspec.Struct, kw_only=True):
    """A new tournament, announced or drafted."""

    id: str
    """The tournament, `trn_…`."""

    league: str
    name: str
    """As shown to everybody."""

    state: Phase
    """`draft`, `announced`, or `registering` if registration is already open."""

    starts_at: datetime
    """The planned start."""

    position: str | None = None


class TournamentShown(msgspec.Struct, kw_only=True):
    """A tournament as one of its league's members sees it."""

    id: str
    """The tournament, `trn_…`."""

    league: str
    season: str | None
    """The season that counts the tournament, or null."""

    name: str
    """As shown to everybody."""

    state: Phase
    """The phase of the tournament."""

    starts_at: datetime
    """The planned start. A postponed start replaces it."""

    started_at: datetime | None
    """The time at which play started, or null before, and until the read models know it."""

    postponements: int
    """The number of times that too few were there and the start was postponed."""

    registration_opens_at: datetime | None
    """The instant at which registration opens, or null if the announcement opens it."""

    ruleset: Ruleset
    """All parameters of the game, as they were announced."""

    ruleset_name: str
    """The preset that the announcement named."""

    ruleset_hash: str
    """SHA-256 over all parameters, in hexadecimal. Equal hashes mean equal games."""

    ruleset_overrides: tuple[Difference, ...]
    """Differences between the named preset (``one``) and the ruleset (``other``)."""

    table_seats: int
    """The most players at a table."""

    starting_stack: int
    """Chips of every entrant at the start, or 0 for a game without chips."""

    entrants_min: int
    """With fewer entrants the tournament does not start."""

    entrants_max: int
    """The number of places for entrants."""

    decision_seconds: int
    """The time that a table gives for a decision."""

    grace_seconds: int
    """The time after a deadline in which an answer still counts."""

    bots: BotRule
    """The rule for bots: they may enter, must not, or are the only entrants."""

    payouts: tuple[int, ...]
    """The share of each paid place, first place first. Terms in `fees` may replace them."""

    prize_pool: int
    """Money that the house adds to the pool, in minor units of the currency."""

    currency: str | None
    """The currency (ISO 4217), or null if no money is played for."""

    fees: FeeTerms
    """The price of an entry, and the payouts."""

    format: FormatTerms
    """The course of the tournament: a freezeout, a single table or rounds."""

    money: MoneyShown
    """The prizes as they stand."""

    hands_between_seconds: int
    """The pause after each hand."""

    hands_max: int | None
    """The number of hands that each table plays before stacks decide, or null for no limit."""

    entry: EntryTerms
    """The rules of entry, and what happens to no-shows."""

    floor: FloorTerms
    """The rules for balancing tables, for breaks, and for the end of play."""

    staff_may_play: bool
    """If true, staff who are entered may still run the clock and the seating."""

    place: str | None
    """The venue, as free text."""

    length_seconds: int | None
    """The planned length of the tournament."""

    ends_at: datetime | None
    """
    The expected end: the start and the planned length, or else the league's usual length. Null if
    neither is known.
    """

    visibility: Visibility
    """The people who may read the tournament."""

    late_registration: bool
    """If true, late registration is open."""

    late_registration_until: datetime | None
    """The end of late registration, or null if it ends with a level."""

    late_registration_ends_at: datetime | None
    """
    The likely end of late registration: by the plan before play, and then by the clock. Null
    without late registration, once it is over, and while the clock stands.
    """

    entrants: tuple[EntrantShown, ...]
    """
    All entries in order of registration, then the waitlist, then the applications that the caller
    may see.
    """

    tables: tuple[TableShown, ...]
    """The open tables, by number."""

    my: MyEntry | None
    """The caller's latest entry, or null without one."""

    clock: ClockShown | None
    """The level clock, or null outside play and for a game without one."""

    round: RoundNow | None
    """Null if there are no scheduled rounds."""

    cancellation: CancellationShown | None
    """The reason of a cancelled tournament, and null for any other."""


@operation(
    "POST", "/v1/leagues/{league_id:str}/tournaments", "announce_tournament",
    "Announce a tournament. Registration opens at once, unless the terms give a later time.",
    needs="manage_tournaments",
    scope="tournaments:manage", body=TournamentAsked, answer=TournamentMade, status=201,
    problems=(
        "bad_request", "not_a_sandbox", "beacon_unknown",
        "forbidden", "terms_invalid", "terms_contradict", "unknown_ruleset", "invalid_ruleset",
        "template_unknown", "season_closed", "own_points",
    ),
    key_required=True,
)  # fmt: skip
async def announce_tournament(
    request: Asked, place: LeaguePlace, order: Order, now: datetime, shell: Shell
) -> Response[bytes]:
    """Announce the tournament. Unless registration opens later, open it in the same append."""
    body = filled(place.state, msgspec.json.decode(order.request))
    demand_sandbox(body, place.state.sandbox)
    if body.season is not None:
        season = await find(request, body.season, SEASON)
        if season.league != place.id:
            raise BadRequest("bad_request", "this season belongs to another league")
        if season.state.closed:
            raise SeasonClosedAlready
    tournament = TournamentId(f"trn_{order.new_id(0).hex}")
    runtime = shell.runtime
    commands = announcing(
        body,
        tournament,
        LeagueId(place.id),
        now,
        runtime.entropy.token,
        runtime.pulses,
        place.state.publicity.visibility,
    )
    receipt = await decide_one(shell, place.id, tournament, order, commands)
    opened = any(each.type == "registration_opened" for each in receipt.recorded)
    content = {
        "id": tournament,
        "league": place.id,
        "name": receipt.recorded[0].event.name,
        "state": "draft" if body.draft else "registering" if opened else "announced",
        "starts_at": receipt.recorded[0].event.starts_at,
    }
    return answer(receipt, content, version_of=stream_of(tournament))


@operation(
    "GET", "/v1/leagues/{league_id:str}/tournaments", "list_tournaments",
    "List a league's tournaments, newest first. Only staff see drafts.",
    needs="read_league", scope="leagues:read", answer=Page[TournamentListed],
    problems=("invalid_cursor", "not_caught_up"),
)  # fmt: skip
async def list_tournaments(
    place: Annotated[LeaguePlace, AS_KNOWN],
    shell: Shell,
    season: Annotated[str | None, SEASON_ASKED],
    state: Annotated[str | None, STATE],
    pages: ReadPages,
) -> Response[bytes]:
    """List the tournaments from the read model, the latest announcement first."""
    name = f"tournaments {place.id} {season} {state}"
    paged = await pages.read(place.league, name, int, projection="tournaments")
    async with shell.engine.connect() as connection:
        rows = await queries.tournaments(
            connection,
            place.id,
            season=season,
            state=state,
            limit=paged.limit + 1,
            before=None if paged.after is None else paged.after[0],
            drafts=place.role in STAFF,
        )
    items = [TournamentListed(id=each.tournament, **msgspec.structs.asdict(each)) for each in rows]
    return pages.answer(paged.page(items, lambda each: (each.announced_position,)))


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}", "read_tournament", "Read one tournament.",
    needs="read_league", scope="leagues:read",
    answer=TournamentShown, problems=AS_OF_PROBLEMS,
)  # fmt: skip
async def read_tournament(
    place: TournamentPlace, shell: Shell, principal: Principal, then: Then, tags: Tags
) -> Response[bytes]:
    """Read the tournament from the aggregate. The ``ETag`` begins with its version."""
    moment = await then.moment(place.league)
    if moment is not None:
        there = await place_then(place, moment)
        return encoded(await _shown(shell, principal, there, moment), headers=moment.headers)
    shown = await _shown(shell, principal, await with_entry_times(shell, place), None)
    return tags.answer(shown, place.loaded.version, whole=True)


async def _shown(
    shell: Shell, principal: Principal, place: TournamentPlace, moment: Moment | None
) -> TournamentShown:
    entrants = await shown_entrants(shell, principal, place)
    mine = entrant_of(place.state, principal.account.player)
    my = next((each for each in entrants if each.id == mine), None)
    terms = place.state.terms
    known = entering_of(place.state)
    house = (await shell.runtime.writer.load(place.league, stream_of(place.league))).state
    usual = house.face.length_seconds if isinstance(house, Created) else None
    return TournamentShown(
        id=terms.tournament,
        state=phase_of(place.state),
        entrants=tuple(entrants),
        tables=tuple(
            TableShown(id=each.table, number=each.number) for each in tables_of(place.state)
        ),
        my=None if my is None else await my_entry(shell, place, my, moment),
        clock=_clock(place.state),
        round=round_now(place.state),
        cancellation=await cancellation_shown(shell.engine, place.state),
        money=money_shown(place.state),
        ruleset_overrides=_overrides(terms),
        ends_at=expected_end(terms.starts_at, terms.length_seconds, usual),
        late_registration=known.late,
        late_registration_until=known.late_until,
        late_registration_ends_at=late_registration_ends_at(place.state),
        started_at=await started_at(shell, place.state),
        postponements=known.postponements,
        **{
            name: value
            for name, value in msgspec.structs.asdict(terms).items()
            if name in TournamentShown.__struct_fields__
        },
    )


def _overrides(terms: Terms) -> tuple[Difference, ...]:
    if terms.ruleset_name not in PRESETS:
        return ()
    return differences(preset(terms.ruleset_name), terms.ruleset)


def _clock(state: Tournament) -> ClockShown | None:
    if not isinstance(state, Running) or state.clock is None:
        return None
    clock = state.clock
    left = clock.left_microseconds
    return ClockShown(
        level=clock.level,
        amounts=clock.amounts,
        next_amounts=following(state),
        due=clock.due,
        left_seconds=None if left is None else left // 1_000_000,
    )
