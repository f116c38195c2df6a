"""The terms of a tournament: as a director writes them, and as the log holds them."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from engine.kit.structs import copied
from engine.rulesets import NoEscalation, Ruleset, resolve, ruleset_hash, scaled
from engine.rulesets.structure import EVENING_SECONDS, by_the_clock, counts_per_table
from engine.tournament.entering.announcing import LENGTH_MAX, LENGTH_MIN
from engine.tournament.model.commands import Announce, OpenRegistration
from engine.tournament.model.commands import Command as TournamentCommand
from engine.tournament.model.commands.entering import Draft
from engine.tournament.model.terms import (
    EntryTerms,
    FeeTerms,
    FloorTerms,
    FormatTerms,
    Freezeout,
    Rounds,
    SingleTable,
    one_table,
)
from engine.tournament.model.terms.announced import Terms
from engine.tournament.model.values import Masters
from engine.tournament.seating.draw import tables_needed, tables_with_final
from engine.values import HexDigest, LeagueId, SeasonId, TournamentId, Visibility
from service.announcing.floor_terms import FloorWanted, floor_terms
from service.announcing.inputs import Instant, Name, in_utc
from service.base.documents import Document
from service.base.errors import BadRequest
from service.director.beacon import Pulses
from service.people.names import named

STARTS_IN = timedelta(seconds=60)
HANDS_BETWEEN_SECONDS = 3
ENTRANTS = 64
STACK = 1000
"""The default, if neither the ruleset nor the director sets a stack."""

Overrides = Annotated[
    Document,
    Meta(
        description=(
            "Parameters laid over the preset. If `escalation` is missing and there may be several "
            "tables, forced bets that each table would raise for itself rise by the level clock "
            "instead, in levels made for the ruleset. In rounds they stay as they are."
        ),
        extra_json_schema={"$ref": "#/components/schemas/RulesetOverrides"},
    ),
]
Small = Annotated[int, Meta(ge=0, le=86_400)]


class TournamentWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The terms. `POST /v1/tournaments/{id}/terms-changes` may change some of them later."""

    name: Name
    """As shown to everybody, 1 to 120 characters."""

    ruleset: str
    """The name of a preset from `GET /v1/rulesets`."""

    overrides: Overrides = {}
    season: str | None = None
    """The open season of the same league that counts the tournament, or null."""

    table_seats: Annotated[int, Meta(ge=2, le=12)] = 6
    """The most players at a table."""

    starting_stack: Annotated[int, Meta(ge=0, le=2**40)] | None = None
    """Null means the ruleset's stack."""

    entrants_min: Annotated[int, Meta(ge=2, le=100_000)] = 2
    """With fewer entrants the tournament does not start."""

    entrants_max: Annotated[int, Meta(ge=2, le=100_000)] | None = None
    """Null means 64, or the seats of a single table."""

    starts_at: Instant | None = None
    """The planned start. The default is a minute after the announcement."""

    registration_opens_at: Instant | None = None
    """The instant at which registration opens. Null opens it at once."""

    decision_seconds: Annotated[int, Meta(ge=1, le=604_800)] = 30
    """The time that a table gives for a decision."""

    grace_seconds: Annotated[int, Meta(ge=0, le=3600)] = 2
    """The time after a deadline in which an answer still counts."""

    bots: Literal["allowed", "forbidden", "only"] = "allowed"
    """The rule for bots: they may enter, must not, or are the only entrants."""

    payouts: tuple[Annotated[int, Meta(ge=1, le=1_000_000)], ...] = (1,)
    """The share of each paid place, first place first, relative to each other."""

    prize_pool: Annotated[int, Meta(ge=0, le=2**50)] = 0
    """Money that the house adds to the pool, in minor units of the currency."""

    currency: Annotated[str, Meta(pattern="^[A-Z]{3}$")] | None = None
    """The currency (ISO 4217). Null means that no money is played for."""

    fees: FeeTerms = FeeTerms()
    """The price of an entry, and the payouts."""

    format: FormatTerms = Freezeout()
    """The course of the tournament: a freezeout, a single table or rounds."""

    hands_between_seconds: Small | None = None
    """The pause after each hand. The default is 3 if people play, and 0 among bots."""

    hands_max: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    """The number of hands that each table plays before stacks decide. Null means no limit."""

    floor: FloorWanted = msgspec.field(default_factory=FloorWanted)
    """The rules for balancing tables, for breaks, and for the end of play."""

    draft: bool = False
    """True if only the staff sees the tournament until it is announced."""

    entry: EntryTerms = EntryTerms()
    """The rules of entry, and what happens to no-shows."""

    staff_may_play: bool = False
    """True if staff who are entered may run the clock and the seating, but nothing else."""

    place: Name | None = None
    """The place of the tournament, for people to read."""

    length_seconds: Annotated[int, Meta(ge=LENGTH_MIN, le=LENGTH_MAX)] | None = None
    """The planned length. Levels that are made for several tables are based on it."""

    time_scale: Annotated[int, Meta(ge=1, le=10_000)] = 1
    """
    For a sandbox only: the factor by which clock levels are shorter, with at least a second each.
    """

    beacon: HexDigest | None = None
    """The chain hash of the public beacon for the seat draw and the decks. Null means no beacon."""

    masters: Masters | None = None
    """For a sandbox only: fixed masters, so that the same night can be dealt again."""

    def __post_init__(self) -> None:
        """Convert instants to UTC, as the log holds them."""
        self.place = None if self.place is None else named(self.place)
        self.starts_at = None if self.starts_at is None else in_utc(self.starts_at)
        if self.registration_opens_at is not None:
            self.registration_opens_at = in_utc(self.registration_opens_at)
        if isinstance(self.format, Rounds):
            starts_at = tuple(in_utc(each) for each in self.format.starts_at)
            self.format = msgspec.structs.replace(self.format, starts_at=starts_at)


def announcement(
    body: TournamentWanted,
    tournament: TournamentId,
    league: LeagueId,
    now: datetime,
    pulses: Pulses,
) -> Announce:
    """
    Return the command that announces *body* at *now*.

    Raises:
      RulesetUnknown: If no preset has this name.
      RulesetInvalid: If the overrides do not make a playable game of it.
      BadRequest: ``beacon_unknown``, if the service does not use such a beacon.
    """
    ruleset = resolve(body.ruleset, body.overrides)
    several = _several_tables(body, ruleset)
    ruleset = _played(body, ruleset, several=several)
    starts_at = body.starts_at or now + STARTS_IN
    return Announce(
        tournament=tournament,
        league=league,
        season=None if body.season is None else SeasonId(body.season),
        name=body.name,
        ruleset=ruleset,
        ruleset_name=body.ruleset,
        ruleset_hash=ruleset_hash(ruleset),
        table_seats=body.table_seats,
        starting_stack=_stack(body, ruleset),
        entrants_min=body.entrants_min,
        entrants_max=_most(body),
        starts_at=starts_at,
        registration_opens_at=body.registration_opens_at,
        decision_seconds=body.decision_seconds,
        grace_seconds=body.grace_seconds,
        bots=body.bots,
        payouts=body.payouts,
        prize_pool=body.prize_pool,
        currency=body.currency,
        fees=body.fees,
        format=body.format,
        hands_between_seconds=_pause(body),
        hands_max=body.hands_max,
        floor=_floor(body, starts_at, several=several),
        entry=body.entry,
        beacon=pulses.named(body.beacon),
        staff_may_play=body.staff_may_play,
        place=body.place,
        length_seconds=body.length_seconds,
    )


def announcing(
    body: TournamentWanted,
    tournament: TournamentId,
    league: LeagueId,
    now: datetime,
    draw: Callable[[], str],
    pulses: Pulses,
    visibility: Visibility,
) -> list[TournamentCommand]:
    """
    Return the commands that announce *body* and, unless it is to open later, open registration.

    Args:
      draw: Returns 32 unpredictable bytes in hexadecimal.
      pulses: The pulses of the beacon that *body* may name.
      visibility: The league's, which the tournament takes over and keeps.

    Raises:
      RulesetUnknown: If no preset has this name.
      RulesetInvalid: If the overrides do not make a playable game of it.
    """
    if body.draft:
        return [drafting(body, tournament, league, now, pulses, visibility)]
    asked = announcement(body, tournament, league, now, pulses)
    commands: list[TournamentCommand] = [replace(asked, visibility=visibility)]
    if body.registration_opens_at is None or body.registration_opens_at <= now:
        commands.append(opening(body.masters, now, draw))
    return commands


def drafting(
    body: TournamentWanted,
    tournament: TournamentId,
    league: LeagueId,
    now: datetime,
    pulses: Pulses,
    visibility: Visibility,
) -> Draft:
    """Return the command that drafts the tournament in *body*, for the staff only."""
    asked = replace(announcement(body, tournament, league, now, pulses), visibility=visibility)
    return Draft(terms=copied(Terms, asked), beacon=asked.beacon, now=now)


def opening(masters: Masters | None, now: datetime, draw: Callable[[], str]) -> OpenRegistration:
    """Return the command that opens registration, with new masters if none are given."""
    masters = masters or Masters(cards=draw(), open=draw())
    return OpenRegistration(masters=masters, salts=(draw(), draw()), now=now)


def demand_sandbox(body: TournamentWanted, sandbox: bool) -> None:
    """
    Refuse members that are only for a sandbox league.

    Raises:
      BadRequest: ``not_a_sandbox``.
    """
    if body.masters is not None and not sandbox:
        raise BadRequest("not_a_sandbox", "only a sandbox league may fix `masters`; leave them out")
    if body.time_scale != 1 and not sandbox:
        raise BadRequest(
            "not_a_sandbox", "only a sandbox league may set `time_scale`; leave it out"
        )


def _several_tables(body: TournamentWanted, ruleset: Ruleset) -> bool:
    """
    Return whether the tournament may need more than one table.

    Only a freezeout and a final use the size of the final table to count tables. Rounds and late
    seats do not.
    """
    seats, final, most = body.table_seats, body.floor.final_table_size, _most(body)
    if one_table(body.format, ruleset):
        return False
    finalists, others = most, most if body.entry.late else 0
    if isinstance(body.format, Rounds):
        finalists, others = min(most, body.format.cut or 0), most
    return (
        tables_with_final(finalists, table_seats=seats, final_table_size=final) > 1
        or tables_needed(others, table_seats=seats) > 1
    )


def _played(body: TournamentWanted, ruleset: Ruleset, *, several: bool) -> Ruleset:
    """
    Return *ruleset* with the same forced bets at all tables, unless *body* sets an escalation.

    Source: rulebook ``escalation.several_tables``.
    """
    said = "escalation" in body.overrides
    if several and not said and counts_per_table(ruleset):
        if isinstance(body.format, Rounds):
            # The clock would run on from round to round, but stacks begin again in each round.
            ruleset = replace(ruleset, escalation=NoEscalation())
        else:
            seconds = EVENING_SECONDS if body.length_seconds is None else body.length_seconds
            stack = _stack(body, ruleset)
            ruleset = by_the_clock(ruleset, players=_most(body), stack=stack, seconds=seconds)
    return scaled(ruleset, body.time_scale)


def _floor(body: TournamentWanted, starts_at: datetime, *, several: bool) -> FloorTerms:
    return floor_terms(
        body.floor,
        starts_at=starts_at,
        time_scale=body.time_scale,
        final_table=several and isinstance(body.format, Freezeout),
    )


def _most(body: TournamentWanted) -> int:
    if body.entrants_max is not None:
        return body.entrants_max
    return body.table_seats if isinstance(body.format, SingleTable) else ENTRANTS


def _pause(body: TournamentWanted) -> int:
    if body.hands_between_seconds is not None:
        return body.hands_between_seconds
    return 0 if body.bots == "only" else HANDS_BETWEEN_SECONDS


def _stack(body: TournamentWanted, ruleset: Ruleset) -> int:
    """Return the starting stack. The default is the ruleset's, or 0 for a game without chips."""
    if body.starting_stack is not None:
        return body.starting_stack
    return 0 if ruleset.moneyless else ruleset.starting_stack or STACK
