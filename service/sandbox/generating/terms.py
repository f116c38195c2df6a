"""Random terms for tournaments and seasons."""

from datetime import datetime, timedelta
from typing import NamedTuple, get_args

from msgspec.structs import replace

from engine.errors import CommandRejected
from engine.rulesets import Levels, Ruleset, resolve, ruleset_hash
from engine.rulesets.errors import RulesetInvalid
from engine.season.presets import PRESETS as POINTS
from engine.season.tiebreaks import TIE_BREAKS
from engine.season.values import Aggregation, Bonus, Mode
from engine.tournament.entering.announcing import check_terms
from engine.tournament.model.commands import Announce
from engine.tournament.model.terms import (
    EntryTerms,
    FeeTerms,
    FloorTerms,
    Freezeout,
    Rounds,
    SingleTable,
)
from engine.tournament.model.terms.fees import AddOnTerms, PayoutRow, Price
from engine.tournament.model.terms.floor import BreakAfter, HandForHandTerms, HandsDrawn
from engine.values import LeagueId, SeasonId, TournamentId
from service.base.documents import Document
from service.sandbox.generating.chance import Dice

_TRIES = 1_000
"""The limit of draws. Valid terms always take fewer."""


class Game(NamedTuple):
    """A preset, its overrides, and starting stacks that end the game soon."""

    preset: str
    overrides: Document
    stacks: tuple[int, ...]


def _levels(by: str, *lengths: int, antes: tuple[int, int, int, int] = (0, 0, 0, 0)) -> Document:
    blinds = ((1, 2), (2, 4), (4, 8), (10, 20))
    levels = [
        {"small": small, "big": big, "ante": ante, "length": length}
        for (small, big), ante, length in zip(blinds, antes, (*lengths, None), strict=True)
    ]
    return {"escalation": {"kind": "levels", "by": by, "levels": levels}}


PLAIN = (
    Game("better_simple", {}, (20, 30, 40)),
    Game("better", {}, (100, 200)),
    Game("cantina", {}, (20, 30)),
    Game("halcyon_10", {}, (10,)),
    Game("halcyon_100", {}, (40, 100)),
    Game("holo", {}, (10,)),
    Game("better_simple", _levels("hands", 3, 3, 3), (30, 40)),
)
"""Common games of Coruscant Shift."""

ODD = (
    Game("official", {}, (0,)),
    Game(
        "better_simple",
        {
            "button": "dead",
            "headsup": "dealer_small_blind",
            "forced": {"kind": "blinds", "small": 1, "big": 2, "table_ante": 2},
            "betting": {"min_raise": "last_raise"},
            "short_blind": "as_posted",
        },
        (20, 40),
    ),
    Game(
        "better_simple",
        {
            "button": "dead",
            "tie": {"kind": "draw_off", "prefer_cube": True},
            "odd_chip": "seat_order",
        },
        (20, 40),
    ),
    Game(
        "better_simple",
        {
            "button": "dead",
            "forced": {"kind": "blinds", "small": 2, "big": 4, "player_ante": 1},
            "betting": {"min_raise": "last_raise"},
        },
        (20, 40),
    ),
    Game(
        "better_simple",
        _levels("hands", 2, 3, 3, antes=(0, 1, 2, 3))
        | {
            "forced": {"kind": "blinds", "small": 1, "big": 2, "player_ante": 1},
            "short_blind": "as_posted",
            "odd_chip": "seat_order",
        },
        (25, 40),
    ),
    Game("better_simple", _levels("clock", 60, 90, 120), (30, 40)),
    Game("better_simple", _levels("clock", 60, 90, 120) | {"rebuy": {"max": 1}}, (20, 30)),
    Game("better_simple", {"first_selection_min": 1, "tie": {"kind": "draw_off"}}, (20,)),
    Game(
        "cantina",
        {"betting": {"min_open": "half_ante", "min_raise": "min_bet"}, "odd_chip": "carry"},
        (20, 30),
    ),
    Game("cantina", {"end": {"kind": "hands_or_last", "hands": 7}}, (40,)),
    Game(
        "halcyon_10",
        {"betting": {"kind": "poker_nl", "min_open": 1}, "tie": {"kind": "chance_cube"}},
        (10,),
    ),
    Game("better_simple", {"rebuy": {"max": 1, "seconds": 5}}, (20,)),
    Game("better_simple", {"rebuy": {"max": None, "until_level": 2, "seconds": 0}}, (20,)),
    Game("cantina", {"special_item": True, "item_values": [20, 50]}, (20,)),
    Game("casino", {"chip_unit": 1, "denominations": []}, (40,)),
)
"""Games of Coruscant Shift with rare options."""

OTHER = (
    Game("traditional", {}, (20,)),
    Game("spike", {}, (20,)),
)
"""Other games, which are drawn rarely and only with chaos."""

_OLDER_EACH = 3
"""Tournaments with a number divisible by this use the first revision of the rules."""


def _ruleset(dice: Dice) -> tuple[str, Ruleset, int]:
    if dice.odd(0.05):
        game = dice.one(OTHER)
    elif dice.odd(0.6):
        game = dice.one(ODD)
    else:
        game = dice.one(PLAIN)
    return game.preset, resolve(game.preset, game.overrides), dice.one(game.stacks)


def announcement(
    dice: Dice,
    players: int,
    *,
    tournament: TournamentId,
    league: LeagueId,
    season: SeasonId,
    number: int,
    now: datetime,
    final_table: bool = False,
) -> Announce:
    """
    Return the announcement of a tournament with random, valid terms.

    Args:
        final_table: True if the terms name the size of the final table.
    """
    for _ in range(_TRIES):
        try:
            name, ruleset, stack = _ruleset(dice)
            if number % _OLDER_EACH == 0:
                ruleset = replace(ruleset, revision=1)
            asked = Announce(
                tournament=tournament,
                league=league,
                season=season,
                name=f"Night {number}",
                ruleset=ruleset,
                ruleset_name=name,
                ruleset_hash=ruleset_hash(ruleset),
                starting_stack=stack,
                starts_at=now + timedelta(seconds=3600),
                **_sizes(dice, players, ruleset),
                **_money(dice, ruleset),
                **_organised(dice, ruleset, now),
            )
            if final_table:
                asked = _with_final_table(dice, asked)
            check_terms(asked)
        except (CommandRejected, RulesetInvalid):
            continue
        return asked
    raise RuntimeError("no terms that hold together were found")


def _sizes(dice: Dice, players: int, ruleset: Ruleset) -> Document:
    casino = ruleset.score == "cash_out"
    seats = 6 if casino else dice.between(3, 6)
    return {
        "table_seats": min(seats, ruleset.max_players),
        # A player who returns to a casino is another entrant.
        "entrants_max": 3 * players if casino else max(2, players - dice.odd(0.3)),
        "decision_seconds": dice.one((20, 30, 60)),
        "grace_seconds": dice.below(3),
        "hands_between_seconds": dice.one((0, 0, 3)),
        "hands_max": dice.between(3, 12) if dice.odd(0.15) else None,
    }


def _money(dice: Dice, ruleset: Ruleset) -> Document:
    if ruleset.score == "cash_out" or dice.happens(0.2):
        return {}
    shares = dice.one(((1,), (60, 40), (50, 30, 20), (7, 3, 1)))
    if not dice.odd(0.8):
        return {"payouts": shares, "prize_pool": dice.one((1_000, 10_003)), "currency": "EUR"}
    rows = (
        PayoutRow(entrants_from=2, shares=(1,)),
        PayoutRow(entrants_from=5, shares=(65, 35)),
        PayoutRow(entrants_from=9, shares=(50, 30, 20)),
    )
    form = dice.below(4)
    return {
        "currency": dice.one(("EUR", "JPY", "USD")),
        "prize_pool": 0,
        "payouts": shares if form != 2 else (),
        "fees": FeeTerms(
            buy_in=dice.one((0, 500, 999)),
            fee=dice.one((0, 100)),
            bounty=dice.one((0, 0, 250, 101)),
            rebuy=Price(price=300, fee=20) if dice.odd(0.5) else None,
            add_on=_add_on(ruleset) if dice.odd(0.4) else None,
            guaranteed=dice.one((0, 0, 5_000)),
            table=rows if form == 2 else (),
            amounts=(3_000, 1_001) if form == 3 else (),
            paid_percent=dice.one((None, 30, 60)),
            unit=dice.one((1, 10, 100)),
            payment=dice.one(("on_trust", "recorded")),
            cancellation=dice.one(("refund_all", "roll_forward")),
        ),
    }


def _add_on(ruleset: Ruleset) -> AddOnTerms | None:
    if ruleset.moneyless:
        return None
    return AddOnTerms(price=200, fee=10, chips=20 * ruleset.chip_unit, max=1)


def _organised(dice: Dice, ruleset: Ruleset, now: datetime) -> Document:
    """Return format, floor and entry terms. A casino gets only a format with one table."""
    if ruleset.score == "cash_out":
        return {"format": SingleTable() if dice.happens(0.5) else Freezeout()}
    return {
        "format": _format(dice, ruleset),
        "floor": _floor(dice, ruleset, now),
        "entry": _entry(dice, ruleset),
    }


def _format(dice: Dice, ruleset: Ruleset) -> Freezeout | SingleTable | Rounds:
    if not dice.odd(0.5):
        return Freezeout()
    if dice.happens(0.25):
        return SingleTable()
    cut = dice.one((None, None, 2, 3))
    return Rounds(
        rounds=dice.between(1, 3),
        seating=dice.one(("heats", "swiss", "round_robin")),
        hands_per_round=dice.one((None, 2, 3)),
        stacks=dice.one(("fresh", "carried")) if not ruleset.moneyless else "fresh",
        points=dice.one(("places", "chips")) if not ruleset.moneyless else "places",
        place_points=(),
        between_seconds=dice.one((0, 60)),
        cut=cut,
        final_stack=20 * ruleset.chip_unit
        if cut and dice.odd(0.3) and not ruleset.moneyless
        else None,
    )


def _floor(dice: Dice, ruleset: Ruleset, now: datetime) -> FloorTerms:
    clock = isinstance(ruleset.escalation, Levels) and ruleset.escalation.by == "clock"
    last = dice.odd(0.1)
    return FloorTerms(
        size_tolerance=dice.one((1, 2)) if dice.odd(0.3) else 1,
        redraw_at=dice.one(((), (1,), (2, 1))) if dice.odd(0.4) else (),
        halt_when_short=3 if dice.odd(0.3) else None,
        breaks=(BreakAfter(level=1, seconds=120),) if clock and dice.happens(0.5) else (),
        last_hands_at=now + timedelta(seconds=4_000) if last else None,
        last_hands=HandsDrawn(low=1, high=3) if last and dice.happens(0.7) else None,
        hand_for_hand=HandForHandTerms(
            at_bubble=dice.odd(0.3),
            at_left=3 if dice.odd(0.2) else None,
            ties=dice.one(("shared", "stack_at_start")),
        ),
    )


def _with_final_table(dice: Dice, asked: Announce) -> Announce:
    """Return *asked* with a size of the final table, within 2 seats of the other tables'."""
    seats, most = asked.table_seats, asked.ruleset.max_players
    size = dice.between(max(2, seats - 2), min(seats + 2, most))
    return replace(asked, floor=replace(asked.floor, final_table_size=size))


def _entry(dice: Dice, ruleset: Ruleset) -> EntryTerms:
    check_in = dice.odd(0.6)
    late = dice.odd(0.4)
    absent = check_in and dice.happens(0.4)
    return EntryTerms(
        approval=dice.odd(0.2),
        waitlist=dice.odd(0.4),
        check_in_opens_before_seconds=1_800 if check_in else None,
        no_show="seat_absent" if absent else "release",
        late_registration_seconds=600 if late else None,
        re_entries_max=dice.between(0, 2) if late else 0,
    )


def season_terms(dice: Dice) -> Document:
    """Return random season terms: points, bonuses, aggregation and tie-breaks."""
    preset = POINTS[dice.one(sorted(POINTS))] if dice.happens(0.7) else POINTS["places_from_end"]
    modes: tuple[Mode, ...] = ("sum", *get_args(Mode))
    mode = dice.one(modes)
    results = None if mode in ("sum", "average") else dice.between(1, 2)
    ties = dice.shuffled(TIE_BREAKS[:-1])[: dice.between(1, 4)]
    bonuses = preset.bonuses
    if not bonuses and dice.odd(0.5):
        bonuses = (Bonus(kind="knockouts", points="0.5"), Bonus(kind="attendance", points="1"))
    plain = not dice.odd(0.7)
    return {
        "points": preset.points,
        "scale": preset.scale,
        "overall": preset.overall,
        "bonuses": bonuses,
        "aggregation": Aggregation() if plain else Aggregation(mode=mode, results=results),
        "minimum_games": 2 if dice.odd(0.3) else 0,
        "tie_breaks": TIE_BREAKS if plain else (*ties, TIE_BREAKS[-1]),
    }
