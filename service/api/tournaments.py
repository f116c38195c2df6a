"""Tournaments: announced by directors, read by members."""

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from litestar import Response
from litestar.params import FromPath
from msgspec import Meta

from engine.rulesets import Amounts, Ruleset, preset, resolve, ruleset_hash, scaled
from engine.tournament.commands import (
    Announce,
    Cancel,
    OpenRegistration,
    Pause,
    Resume,
)
from engine.tournament.levels import following
from engine.tournament.state import Finished, Running, phase_of
from engine.tournament.values import Masters
from engine.values import LeagueId, SeasonId, TournamentId, stream_of
from service.accounts import names
from service.api.access import Place, demand, entrant_of, reach
from service.api.bodies import Instant, Name, in_utc, read_body
from service.api.leagues import Nothing
from service.api.operations import operation
from service.api.paging import Page, limit_of, parts_of, token
from service.api.shell import Asked, principal_of, shell_of
from service.api.submitting import answer, decide_one, encoded, order_of
from service.directing import start_tournament
from service.errors import BadRequest
from service.projections import queries

STARTS_IN = timedelta(seconds=60)
HANDS_BETWEEN_SECONDS = 3
STACK = 1000
"""Where neither the ruleset nor the director says anything."""

Small = Annotated[int, Meta(ge=0, le=86_400)]


class TournamentWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The terms; nothing in them changes afterwards."""

    name: Name
    ruleset: str
    overrides: dict[str, Any] = {}
    season: str | None = None
    table_seats: Annotated[int, Meta(ge=2, le=12)] = 6
    starting_stack: Annotated[int, Meta(ge=0, le=2**40)] | None = None
    """Null for what the ruleset says."""

    entrants_min: Annotated[int, Meta(ge=2, le=100_000)] = 2
    entrants_max: Annotated[int, Meta(ge=2, le=100_000)] = 64
    starts_at: Instant | None = None
    registration_opens_at: Instant | None = None
    decision_seconds: Annotated[int, Meta(ge=1, le=604_800)] = 30
    grace_seconds: Annotated[int, Meta(ge=0, le=3600)] = 2
    bots: Literal["allowed", "forbidden", "only"] = "allowed"
    payouts: tuple[Annotated[int, Meta(ge=1, le=1_000_000)], ...] = (1,)
    prize_pool: Annotated[int, Meta(ge=0, le=2**50)] = 0
    currency: Annotated[str, Meta(pattern="^[A-Z]{3}$")] | None = None
    hands_between_seconds: Small | None = None
    """How long a hand may be looked at; by default 3 where people play, 0 among bots."""

    hands_max: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    time_scale: Annotated[int, Meta(ge=1, le=10_000)] = 1
    """For a sandbox only: levels by the clock are so many times shorter, a second at least."""

    masters: Masters | None = None
    """For a sandbox only: fixed masters, so that the same night can be dealt again."""

    def __post_init__(self) -> None:
        """Put instants into UTC, as the log has them."""
        self.starts_at = None if self.starts_at is None else in_utc(self.starts_at)
        if self.registration_opens_at is not None:
            self.registration_opens_at = in_utc(self.registration_opens_at)


class Changed(msgspec.Struct, kw_only=True):
    """A tournament after a command."""

    tournament: str
    state: str
    position: str | None


class EntrantShown(msgspec.Struct, kw_only=True):
    """One entry; ``placing`` once it is out."""

    id: str
    player: str
    name: str | None
    bot: bool
    status: str
    table: str | None
    seat: int | None
    placing: int | None
    payout: int | None


class MyEntry(msgspec.Struct, kw_only=True):
    """The caller's own entry."""

    entrant: str
    table: str | None
    seat: int | None


class TableShown(msgspec.Struct, kw_only=True):
    """One open table."""

    id: str
    number: int


class ClockShown(msgspec.Struct, kw_only=True):
    """The level for the hands opened now, and the next one, where levels go by the clock."""

    level: int
    amounts: Amounts
    next_amounts: Amounts | None
    due: datetime | None
    """When the next level comes, while the clock runs."""

    left_seconds: int | None
    """What is left of the level, while the clock stands."""


class TournamentShown(msgspec.Struct, kw_only=True):
    """A tournament as a member sees it."""

    id: str
    league: str
    season: str | None
    name: str
    state: str
    starts_at: datetime
    registration_opens_at: datetime | None
    ruleset: Any
    ruleset_name: str
    ruleset_hash: str
    table_seats: int
    starting_stack: int
    entrants_min: int
    entrants_max: int
    decision_seconds: int
    grace_seconds: int
    bots: str
    payouts: tuple[int, ...]
    prize_pool: int
    currency: str | None
    hands_between_seconds: int
    hands_max: int | None
    entrants: tuple[EntrantShown, ...]
    tables: tuple[TableShown, ...]
    my: MyEntry | None
    clock: ClockShown | None


@operation(
    "POST", "/v1/leagues/{league_id:str}/tournaments", "announce_tournament",
    "Announce a tournament; registration opens at once unless a later instant is given.",
    scope="tournaments:manage", body=TournamentWanted, answer=TournamentShown, status=201,
    problems=("forbidden", "terms_invalid", "unknown_ruleset", "invalid_ruleset"),
)  # fmt: skip
async def announce_tournament(request: Asked, league_id: FromPath[str]) -> Response[bytes]:
    """Announce and, usually, open registration in the same append."""
    shell = shell_of(request)
    body, raw = await read_body(request, TournamentWanted)
    place = await reach(request, league_id, "lge")
    demand(place, "manage_tournaments")
    if body.masters is not None and not place.state.sandbox:
        raise BadRequest("not_a_sandbox", "only a sandbox league may fix its masters")
    if body.time_scale != 1 and not place.state.sandbox:
        raise BadRequest("not_a_sandbox", "only a sandbox league may scale durations")
    if body.season is not None:
        season = await reach(request, body.season, "ssn")
        if season.league != league_id:
            raise BadRequest("bad_request", "this season is of another league")
    order, now = order_of(request, raw), shell.now()
    tournament = TournamentId(f"trn_{order.new_id(0).hex}")
    announce = _announcement(body, tournament, LeagueId(league_id), now)
    commands: list[Any] = [announce]
    if body.registration_opens_at is None or body.registration_opens_at <= now:
        draw = shell.desk.entropy.token
        masters = body.masters or Masters(cards=draw(), open=draw())
        commands.append(OpenRegistration(masters=masters, salts=(draw(), draw()), now=now))
    receipt = await decide_one(shell, league_id, tournament, order, commands)
    opened = any(each.type == "registration_opened" for each in receipt.recorded)
    content = {
        "id": tournament,
        "league": league_id,
        "name": body.name,
        "state": "registering" if opened else "announced",
        "starts_at": receipt.recorded[0].event.starts_at,
    }
    return answer(receipt, content, version_of=stream_of(tournament))


@operation(
    "GET", "/v1/leagues/{league_id:str}/tournaments", "list_tournaments",
    "A league's tournaments, newest first.",
    scope="leagues:read", answer=Page, query=("limit", "cursor"), problems=("invalid_cursor",),
)  # fmt: skip
async def list_tournaments(request: Asked, league_id: FromPath[str]) -> Response[bytes]:
    """List from the read models."""
    await reach(request, league_id, "lge")
    limit, cursor = limit_of(request), request.query_params.get("cursor")
    before = None if cursor is None else int(parts_of(cursor, str, int)[1])
    async with shell_of(request).engine.connect() as connection:
        rows = await queries.tournaments(connection, league_id, limit=limit, before=before)
    items = [{"id": each.tournament, **msgspec.to_builtins(each)} for each in rows]
    follows = token("trn", rows[-1].announced_position) if len(rows) == limit else None
    return encoded(Page(items=items, next_cursor=follows))


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}", "read_tournament", "One tournament.",
    scope="leagues:read", answer=TournamentShown,
)  # fmt: skip
async def read_tournament(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Read from the aggregate; ``ETag`` is its version."""
    place = await reach(request, tournament_id, "trn")
    headers = {"ETag": f'"{place.loaded.version}"'}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(b"", status_code=304, headers=headers)
    entrants = await shown_entrants(request, place)
    player = principal_of(request).account.player
    mine = entrant_of(place.state, player)
    my = next((each for each in entrants if each.id == mine), None)
    terms = place.state.terms
    found = TournamentShown(
        id=tournament_id,
        state=phase_of(place.state),
        entrants=tuple(entrants),
        tables=tuple(
            TableShown(id=each.table, number=each.number)
            for each in getattr(place.state, "tables", ())
        ),
        my=None if my is None else MyEntry(entrant=my.id, table=my.table, seat=my.seat),
        clock=_clock(place.state),
        **{
            name: getattr(terms, name)
            for name in TournamentShown.__struct_fields__
            if name not in ("id", "state", "entrants", "tables", "my", "clock")
        },
    )
    return encoded(found, headers=headers)


def _clock(state: Any) -> ClockShown | None:
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


async def shown_entrants(request: Asked, place: Place) -> list[EntrantShown]:
    """Return a tournament's entries with where they sit or how they ended."""
    state = place.state
    entries = getattr(state, "entrants", ())
    called = await names(shell_of(request).engine, [UUID(hex=each.player[4:]) for each in entries])
    seats = {
        seated.entrant: (table.table, seated.seat)
        for table in getattr(state, "tables", ())
        for seated in table.seats
    }
    placings = {each.entrant: each.place for each in getattr(state, "placings", ())}
    payouts = {each.entrant: each.amount for each in getattr(state, "payouts", ())}
    return [
        EntrantShown(
            id=each.entrant,
            player=each.player,
            name=called.get(each.player),
            bot=each.bot,
            status=_status(state, each.entrant, seats, placings),
            table=seats.get(each.entrant, (None, None))[0],
            seat=seats.get(each.entrant, (None, None))[1],
            placing=placings.get(each.entrant),
            payout=payouts.get(each.entrant),
        )
        for each in entries
    ]


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/start", "start_tournament",
    "Start play now: close registration, draw the seats, open the tables.",
    scope="tournaments:manage", body=Nothing, answer=Changed, status=202,
    problems=("forbidden", "tournament_not_running", "registration_not_open"),
)  # fmt: skip
async def start_now(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Do what the start job would do at its time."""
    shell = shell_of(request)
    _, raw = await read_body(request, Nothing)
    place = await reach(request, tournament_id, "trn")
    demand(place, "manage_tournaments")
    order = order_of(request, raw)
    await start_tournament(shell.desk, place.league, tournament_id, shell.now(), order.command)
    after = await shell.desk.writer.load(place.league, place.stream)
    changed = Changed(tournament=tournament_id, state=phase_of(after.state), position=None)
    return encoded(changed, 202)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/pause", "pause_tournament",
    "Open no further hands.", scope="tournaments:manage", body=Nothing, answer=Changed,
    problems=("forbidden", "tournament_not_running"),
)  # fmt: skip
async def pause(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Pause; hands in play go on to their end."""
    return await _direct(request, tournament_id, "pause")


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/resume", "resume_tournament",
    "Open hands again.", scope="tournaments:manage", body=Nothing, answer=Changed,
    problems=("forbidden", "tournament_not_running"),
)  # fmt: skip
async def resume(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Resume; the sweep opens the next hands."""
    return await _direct(request, tournament_id, "resume")


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/cancel", "cancel_tournament",
    "End a tournament without a result.", scope="tournaments:manage", body=Nothing,
    answer=Changed, problems=("forbidden", "tournament_over"),
)  # fmt: skip
async def cancel(request: Asked, tournament_id: FromPath[str]) -> Response[bytes]:
    """Cancel."""
    return await _direct(request, tournament_id, "cancel")


async def _direct(
    request: Asked, tournament_id: str, what: Literal["pause", "resume", "cancel"]
) -> Response[bytes]:
    shell = shell_of(request)
    _, raw = await read_body(request, Nothing)
    place = await reach(request, tournament_id, "trn")
    entered = entrant_of(place.state, principal_of(request).account.player) is not None
    demand(place, "manage_tournaments" if what == "cancel" else "direct_play", entered=entered)
    order, now = order_of(request, raw), shell.now()
    commands = {
        "pause": Pause(reason="director", now=now),
        "resume": Resume(now=now),
        "cancel": Cancel(reason="director", now=now),
    }
    receipt = await decide_one(shell, place.league, tournament_id, order, [commands[what]])
    states = {"pause": "paused", "resume": "running", "cancel": "cancelled"}
    content = {"tournament": tournament_id, "state": states[what]}
    return answer(receipt, content, 200, version_of=place.stream)


def _announcement(
    body: TournamentWanted, tournament: TournamentId, league: LeagueId, now: datetime
) -> Announce:
    ruleset = resolve(body.ruleset, body.overrides) if body.overrides else preset(body.ruleset)
    ruleset = scaled(ruleset, body.time_scale)
    return Announce(
        tournament=tournament,
        league=league,
        season=None if body.season is None else SeasonId(body.season),
        name=body.name,
        ruleset=ruleset,
        ruleset_name=body.ruleset,
        ruleset_hash=ruleset_hash(ruleset),
        table_seats=body.table_seats,
        starting_stack=_stack(ruleset) if body.starting_stack is None else body.starting_stack,
        entrants_min=body.entrants_min,
        entrants_max=body.entrants_max,
        starts_at=body.starts_at or now + STARTS_IN,
        registration_opens_at=body.registration_opens_at,
        decision_seconds=body.decision_seconds,
        grace_seconds=body.grace_seconds,
        bots=body.bots,
        payouts=body.payouts,
        prize_pool=body.prize_pool,
        currency=body.currency,
        hands_between_seconds=_pause(body),
        hands_max=body.hands_max,
    )


def _pause(body: TournamentWanted) -> int:
    if body.hands_between_seconds is not None:
        return body.hands_between_seconds
    return 0 if body.bots == "only" else HANDS_BETWEEN_SECONDS


def _stack(ruleset: Ruleset) -> int:
    """Return the stack that a ruleset gives; none where hands are counted instead of chips."""
    return 0 if ruleset.moneyless else ruleset.starting_stack or STACK


def _status(state: Any, entrant: Any, seats: Any, placings: Any) -> str:
    if isinstance(state, Finished):
        return "finished"
    if entrant in placings:
        return "eliminated"
    if entrant in {each.entrant for each in getattr(state, "left", ())}:
        return "cashed_out"
    return "playing" if entrant in seats else "registered"
