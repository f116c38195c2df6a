"""
The commands of a tournament.

Identifiers, instants and seeds arrive in commands: the engine makes none itself.
Only ``engine.coordination.policies`` sends results of tables (busts, moves, broken tables).
"""

from datetime import datetime

import msgspec

from engine.kit.beacon import Chain, Pulse
from engine.rulesets import Ruleset
from engine.tournament.model.commands import correcting, entering, fairness, freezing, heads, rounds
from engine.tournament.model.commands import floor as floor_commands
from engine.tournament.model.commands import money as of_money
from engine.tournament.model.terms import EntryTerms, FeeTerms, FloorTerms, FormatTerms, Freezeout
from engine.tournament.model.values import (
    BotRule,
    Busted,
    Candidate,
    Draw,
    FinishRule,
    Masters,
    Move,
    Outage,
    Standing,
)
from engine.values import (
    Chips,
    EntrantId,
    HexDigest,
    LeagueId,
    PlayerId,
    SeasonId,
    TableId,
    TextRef,
    TournamentId,
    Visibility,
)


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Announce(_Command, frozen=True, kw_only=True, tag="announce"):
    """Publish the terms of a tournament. They never change afterwards."""

    tournament: TournamentId
    league: LeagueId
    season: SeasonId | None = None
    name: str
    ruleset: Ruleset
    """The resolved ruleset, in full."""
    ruleset_name: str
    ruleset_hash: HexDigest
    table_seats: int
    starting_stack: Chips
    entrants_min: int = 2
    entrants_max: int
    starts_at: datetime
    registration_opens_at: datetime | None = None
    decision_seconds: int
    grace_seconds: int = 1
    bots: BotRule = "allowed"
    payouts: tuple[int, ...] = ()
    """Shares of the prize pool by place, first place first. Only their ratio counts."""
    prize_pool: int = 0
    """Minor units of ``currency``."""
    currency: str | None = None
    hands_between_seconds: int = 0
    hands_max: int | None = None
    """The most hands that each table plays. None means until the last chip."""
    entry: EntryTerms = EntryTerms()
    fees: FeeTerms = FeeTerms()
    format: FormatTerms = Freezeout()
    floor: FloorTerms = FloorTerms()
    staff_may_play: bool = False
    place: str | None = None
    length_seconds: int | None = None
    visibility: Visibility = "members"
    beacon: Chain | None = None
    """A public beacon that is mixed into seats and decks, if any."""


class OpenRegistration(_Command, frozen=True, kw_only=True, tag="open_registration"):
    """Open registration, and commit to the masters of all later seeds."""

    masters: Masters
    salts: tuple[HexDigest, HexDigest]
    """Salts of the sealed masters, of ``cards`` first and then of ``open``."""
    now: datetime


class Register(_Command, frozen=True, kw_only=True, tag="register"):
    entrant: EntrantId
    player: PlayerId
    bot: bool = False
    table_ids: tuple[TableId, ...] = ()
    """Identifiers for a table that may have to be added. They are needed once play has begun."""
    by: PlayerId | None = None
    """The member of staff who acts for the player, if any."""
    now: datetime


class Withdraw(_Command, frozen=True, kw_only=True, tag="withdraw"):
    """
    Give up an entry before play starts. After the start, the table plays for an absent entrant.
    """

    entrant: EntrantId
    by: PlayerId | None = None
    """The member of staff who acts for the player, if any."""
    now: datetime


class StartPlay(_Command, frozen=True, kw_only=True, tag="start_play"):
    """
    Close registration, draw the seats and start.

    With too few entrants the clock cancels or postpones, and everybody else is refused.
    """

    table_ids: tuple[TableId, ...]
    """At least as many as tables are needed. The first ones are used, in order."""
    scheduled: bool = False
    """True if the clock sends this. Then nothing happens before the announced time."""
    pulse: Pulse | None = None
    """The pulse that the seats wait for, if a beacon is mixed in."""
    now: datetime


class RecordBusts(_Command, frozen=True, kw_only=True, tag="record_busts"):
    """Record the entrants who lost their last chip in one hand at one table."""

    table: TableId
    hand_number: int
    round: int = 1
    busts: tuple[Busted, ...]
    level: int = 1
    """The level of that hand."""
    main_winner: EntrantId | None = None
    """The winner of that hand's main pot, or the first winner in seat order."""
    last: bool = False
    """True if that hand was opened as the table's last."""

    to_deal: tuple[EntrantId, ...] = ()
    """
    The entrants of the table's first hand who have not dealt yet. Those with too few chips to be
    dealt in are left out, except those who busted in that hand.
    """

    now: datetime


class DeclareRebuy(_Command, frozen=True, kw_only=True, tag="declare_rebuy"):
    """Commit to a rebuy: at once after a bust, or else for the next bust."""

    entrant: EntrantId
    level: int = 1
    """The level of the hand in play at the entrant's table, or else of its next hand."""

    number: int | None = None
    """The number of the rebuy among the entrant's, from 1. None means the next one."""

    by: PlayerId | None = None
    """The member of staff who acts for the player, if any."""
    now: datetime


class StakeItem(_Command, frozen=True, kw_only=True, tag="stake_item"):
    """Stake an item of agreed value instead of chips, after a bust."""

    entrant: EntrantId
    item: str
    value: Chips
    now: datetime


class BuyBackItem(_Command, frozen=True, kw_only=True, tag="buy_back_item"):
    entrant: EntrantId
    now: datetime


class CloseWindows(_Command, frozen=True, kw_only=True, tag="close_windows"):
    """Close the rebuy windows before the table's next hand. Entrants who did not rebuy are out."""

    table: TableId
    now: datetime


class AddOn(_Command, frozen=True, kw_only=True, tag="add_on"):
    """Bring more chips to the entrant's own seat, in a casino, between hands."""

    entrant: EntrantId
    chips: Chips
    now: datetime


class Leave(_Command, frozen=True, kw_only=True, tag="leave"):
    """Leave a casino, at once between hands or else when the hand is over."""

    entrant: EntrantId
    now: datetime


class RecordBrought(_Command, frozen=True, kw_only=True, tag="record_brought"):
    """Record that all promised chips have come to the table."""

    table: TableId
    now: datetime


class RecordLeaves(_Command, frozen=True, kw_only=True, tag="record_leaves"):
    """Record the chips that departing entrants cash out."""

    table: TableId
    stacks: tuple[Standing, ...]
    now: datetime


class CloseEarly(_Command, frozen=True, kw_only=True, tag="close_early"):
    """Make the hands in play the last ones."""

    now: datetime


class RecordMoves(_Command, frozen=True, kw_only=True, tag="record_moves"):
    """Record that entrants of a table between hands take seats at other tables."""

    table: TableId
    hand_number: int
    moves: tuple[Move, ...]
    rule: str
    candidates: tuple[Candidate, ...]
    draw: Draw | None = None
    now: datetime


class RecordBreak(_Command, frozen=True, kw_only=True, tag="record_break"):
    """Record that a table between hands is emptied and closed."""

    table: TableId
    hand_number: int
    moves: tuple[Move, ...]
    carry_to: TableId
    rule: str
    candidates: tuple[Candidate, ...]
    draw: Draw | None = None
    final: bool = False
    """True if only one table is left."""
    now: datetime


class Pause(_Command, frozen=True, kw_only=True, tag="pause"):
    reason: str
    """A slug, or the id of a stored text, never prose."""
    words: TextRef | None = None
    now: datetime


class Resume(_Command, frozen=True, kw_only=True, tag="resume"):
    now: datetime


class RaiseLevels(_Command, frozen=True, kw_only=True, tag="raise_levels"):
    """
    Take outages from the level clock, then raise every level that is due, in order.

    While the clock stands, nothing is due and nothing happens.
    """

    outages: tuple[Outage, ...] = ()
    """Oldest first. Outages before the last start of the clock do not count."""

    now: datetime


class Cancel(_Command, frozen=True, kw_only=True, tag="cancel"):
    reason: str
    """A slug, or the id of a stored text, never prose."""
    words: TextRef | None = None
    """The stored text, if ``reason`` is its id."""
    stacks: tuple[Standing, ...] = ()
    """
    The stacks of everyone still in, once play has begun. Bets of a hand in play count as returned.
    """
    now: datetime


class Finish(_Command, frozen=True, kw_only=True, tag="finish"):
    """End the tournament with several entrants left, after every table's last hand."""

    rule: FinishRule
    stacks: tuple[Standing, ...]
    """The stacks of everyone still in, in any order."""
    now: datetime


Command = (
    Announce
    | OpenRegistration
    | Register
    | Withdraw
    | StartPlay
    | RecordBusts
    | DeclareRebuy
    | StakeItem
    | BuyBackItem
    | CloseWindows
    | AddOn
    | Leave
    | RecordBrought
    | RecordLeaves
    | CloseEarly
    | RecordMoves
    | RecordBreak
    | Pause
    | Resume
    | RaiseLevels
    | Cancel
    | Finish
    | correcting.Command
    | heads.Command
    | freezing.Command
    | rounds.Command
    | fairness.Command
    | of_money.Command
    | floor_commands.Command
    | entering.Command
)
