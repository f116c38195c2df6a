"""All tables of a tournament have the same forced bets, unless the announcement differs."""

from datetime import UTC, datetime
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from engine.errors import CommandRejected
from engine.rulesets import PRESETS, Ruleset, resolve
from engine.rulesets.model import CoruscantShift
from engine.rulesets.validation import contradiction
from engine.tournament import decider
from engine.tournament.model.terms import FormatTerms, Freezeout, Rounds, SingleTable
from engine.tournament.seating.draw import tables_for
from engine.values import LeagueId, TournamentId
from service.announcing.terms import TournamentWanted, announcement
from tests.service.api.season.test_templates import announced, house, put

NOW = datetime(2098, 12, 1, 19, tzinfo=UTC)
ORBIT = {"kind": "double_per_orbit"}


class NoPulses:
    """A service without a beacon."""

    def named(self, chain: str | None) -> None:
        """Return None: no beacon is configured."""


def asked(**terms: Any) -> Any:
    """Return the command that announces *terms*."""
    body = msgspec.convert({"name": "Night", "ruleset": "better"} | terms, TournamentWanted)
    trial, league = TournamentId("trn_1"), LeagueId("lge_1")
    return announcement(body, trial, league, NOW, NoPulses())  # type: ignore[arg-type]


def kind_of(ruleset: Ruleset) -> str:
    """Return the kind of escalation, or the unit that a list of levels counts."""
    escalation: Any = msgspec.to_builtins(ruleset.escalation)
    return str(escalation.get("by", escalation["kind"]))


FORMATS = some.sampled_from(
    [{"kind": "freezeout"}, {"kind": "single_table"}, {"kind": "rounds", "rounds": 3}]
)
TERMS = some.fixed_dictionaries(
    {"ruleset": some.sampled_from(sorted(PRESETS))},
    optional={
        "table_seats": some.integers(2, 12),
        "entrants_max": some.integers(2, 100_000),
        "starting_stack": some.integers(1, 2**30).map(lambda units: 5 * units),
        "format": FORMATS,
        "floor": some.fixed_dictionaries({"final_table_size": some.integers(2, 8)}),
        "time_scale": some.integers(1, 1000),
        "overrides": some.fixed_dictionaries(
            {},
            optional={
                "odd_chip": some.sampled_from(["carry", "seat_order"]),
                "forced": some.fixed_dictionaries(
                    {"kind": some.just("blinds"), "small": some.just(10), "big": some.just(15)},
                    optional={
                        "table_ante": some.sampled_from([0, 5, 50]),
                        "player_ante": some.sampled_from([0, 5, 5000]),
                    },
                ),
            },
        ),
    },
)


@settings(max_examples=150, deadline=None)
@given(terms=TERMS)
def test_no_tournament_with_room_for_several_tables_raises_bets_at_each_unless_it_says_so(
    terms: dict[str, Any],
) -> None:
    try:
        command = asked(**terms)
        decider.decide(decider.initial, command)
    except CommandRejected:
        return
    own = resolve(terms["ruleset"], terms.get("overrides", {}))
    one_table = tables_for(command, command.entrants_max) == 1 or own.score == "cash_out"
    if one_table or kind_of(own) == "none":
        assert command.ruleset == own
        return
    rounds = isinstance(command.format, Rounds)
    assert kind_of(command.ruleset) == ("none" if rounds else "clock")
    assert contradiction(command.ruleset) is None
    assert command.ruleset.base_amounts() == own.base_amounts()
    assert msgspec.structs.replace(command.ruleset, escalation=own.escalation) == own  # type: ignore[type-var]


@pytest.mark.parametrize("stack", [5, 100, 450, 10_000, 2**40 - 1])
@pytest.mark.parametrize("ruleset", ["better_simple", "cantina"])
@pytest.mark.parametrize("most", [7, 100_000])
def test_forced_bets_rise_by_the_clock_from_any_stack(stack: int, ruleset: str, most: int) -> None:
    escalation = asked(ruleset=ruleset, starting_stack=stack, entrants_max=most).ruleset.escalation
    bets = [step.big or step.ante for step in escalation.levels]
    assert len(bets) > 8
    assert bets[0] == 2
    assert bets == sorted(set(bets))


@pytest.mark.parametrize("escalation", [ORBIT, {"kind": "none"}])
def test_an_escalation_that_is_named_is_kept(escalation: dict[str, str]) -> None:
    command = asked(overrides={"escalation": escalation})
    assert command.ruleset == resolve("better", {"escalation": escalation})


@pytest.mark.parametrize(
    ("seconds", "level"),
    [
        (None, 600),
        (10_800, 900),
        (60, 5),
        (2_400, 200),
        (2_700, 240),
        (3_240, 240),  # of two whole minutes that are equally near, the even one
        (3_960, 360),
        (7_230, 600),
        (90_000, 8_160),
        (31 * 86_400, 243_480),
    ],
)
def test_levels_are_made_for_the_length_that_is_planned(seconds: int | None, level: int) -> None:
    command = asked(length_seconds=seconds)
    decider.decide(decider.initial, command)
    steps = command.ruleset.escalation.levels
    assert {step.length for step in steps[:-1]} == {level}


@pytest.mark.parametrize("ruleset", ["better", "better_simple"])
@pytest.mark.parametrize("most", [7, 12, 24])
def test_levels_last_equally_long_where_small_chips_leave_some_out(ruleset: str, most: int) -> None:
    asked_for = asked(ruleset=ruleset, entrants_max=most, length_seconds=10_800)
    steps = asked_for.ruleset.escalation.levels
    assert len(steps) < 20, "some have the same bets"
    [length] = {step.length for step in steps[:-1]}
    assert length % 60 == 0
    in_time = round(10_800 / length)
    assert 8 <= in_time < 12
    assert abs(in_time * length - 10_800) <= 30 * in_time, "to half a minute each"


FINAL_TABLES = [
    (6, {"floor": {"final_table_size": 4}}, True),
    (6, {"floor": {"final_table_size": 6}}, False),
    (4, {"floor": {"final_table_size": 4}}, False),
    (5, {"floor": {"final_table_size": 4}}, True),
    (7, {"floor": {"final_table_size": 7}}, False),
    (8, {"floor": {"final_table_size": 7}}, True),
    # Late registration can fill the other tables, or make a second table.
    (7, {"floor": {"final_table_size": 7}, "entry": {"late_registration_seconds": 600}}, True),
]


@pytest.mark.parametrize(("most", "terms", "several"), FINAL_TABLES)
def test_room_for_several_tables_is_counted_by_the_size_of_the_final_table(
    most: int, terms: dict[str, Any], several: bool
) -> None:
    command = asked(entrants_max=most, **terms)
    decider.decide(decider.initial, command)
    assert kind_of(command.ruleset) == ("clock" if several else "double_per_orbit")
    assert command.floor.redraw_at == ((1,) if several else ())


@pytest.mark.parametrize(
    ("cut", "most", "several"), [(5, 6, True), (4, 6, False), (None, 6, False), (4, 7, True)]
)
def test_rounds_count_their_tables_by_seats_and_their_final_by_its_table(
    cut: int | None, most: int, several: bool
) -> None:
    floor = {} if cut is None else {"final_table_size": 4}
    rounds = {"kind": "rounds", "rounds": 2, "cut": cut, "hands_per_round": 3}
    command = asked(entrants_max=most, floor=floor, format=rounds)
    decider.decide(decider.initial, command)
    assert kind_of(command.ruleset) == ("none" if several else "double_per_orbit")


def test_a_redraw_may_be_named_for_two_tables_that_a_small_final_table_asks_for() -> None:
    floor = {"final_table_size": 4, "redraw_at": [2]}
    command = asked(entrants_max=6, floor=floor)
    decider.decide(decider.initial, command)
    assert command.floor.redraw_at == (2,)


def test_levels_of_a_sandbox_are_scaled_like_any() -> None:
    lengths = [step.length for step in asked(time_scale=60).ruleset.escalation.levels]
    assert (lengths[0], lengths[-1]) == (10, None)


def test_each_format_was_thought_of() -> None:
    assert set(get_args(FormatTerms)) == {Freezeout, SingleTable, Rounds}
    raising = {name for name in PRESETS if kind_of(resolve(name, {})) != "none"}
    assert raising == {"better", "better_simple", "cantina"}
    assert all(isinstance(resolve(name, {}), CoruscantShift) for name in raising)


@pytest.mark.parametrize(
    ("terms", "redraws"),
    [
        ({}, (1,)),
        ({"floor": {"redraw_at": []}}, ()),
        ({"floor": {"redraw_at": [2]}}, (2,)),
        ({"entrants_max": 6}, ()),
        ({"format": {"kind": "single_table"}}, ()),
        ({"format": {"kind": "rounds", "rounds": 2, "cut": 4}}, ()),
        ({"ruleset": "casino"}, ()),
    ],
)
def test_seats_are_drawn_again_at_a_final_table_unless_the_terms_say_otherwise(
    terms: dict[str, Any], redraws: tuple[int, ...]
) -> None:
    command = asked(**terms)
    decider.decide(decider.initial, command)
    assert command.floor.redraw_at == redraws


@pytest.mark.anyio
async def test_every_way_to_announce_gives_all_tables_the_same_forced_bets(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        drafted = await announced(owner, league, ruleset="better", draft=True, entrants_max=6)
        shown = [await announced(owner, league, ruleset=each) for each in ("better", "cantina")]
        path = f"/v1/tournaments/{drafted['id']}"
        before = (await owner.get(path)).json()["ruleset"]["escalation"]
        await put(owner, f"{path}/terms", {"name": "Night", "ruleset": "better"})
        assert (await owner.post(f"{path}/announce")).status_code == 200
        shown.append((await owner.get(path)).json())
        await house(owner, league, ruleset="better", overrides={"odd_chip": "seat_order"})
        shown.append(await announced(owner, league))
        await house(owner, league, ruleset="better", overrides={"escalation": ORBIT})
        said = await announced(owner, league)
    assert before == said["ruleset"]["escalation"] == ORBIT
    assert [each["ruleset"]["escalation"]["by"] for each in shown] == ["clock"] * 4
