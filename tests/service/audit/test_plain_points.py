"""The audit's own count of points and ranks agrees with the engine's in any season."""

from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from msgspec.structs import replace

from engine.errors import CommandRejected
from engine.kit.house_bots import house_bot
from engine.season import decider
from engine.season.commands import (
    AwardPoints,
    ImportResults,
    ReviseAward,
    RevokeAward,
    StatedResult,
    StatedTournament,
    VoidAdjustment,
)
from engine.season.events import LotsDrawn, SeasonClosed, TournamentAdded
from engine.season.expression import FormulaInvalid, NoValue, evaluate, parse
from engine.season.points import place_points
from engine.season.presets import PRESETS
from engine.season.standings import aggregated
from engine.season.tiebreaks import TIE_BREAKS
from engine.season.values import Aggregation, Bonus, PointsFormula, PointsTable
from engine.values import AdjustmentId, identifier
from service.audit.report import Findings
from service.audit.season import points as plain
from service.audit.season.ranking import PlainStandings
from service.audit.season.seasons import SeasonAudit
from service.projections.applying.projection import Happened
from service.projections.models.ledgers import Ledger, shown_terms, standings_terms
from tests.engine.season.seasons import (
    DIRECTOR,
    REASON,
    adjustment,
    award,
    closing,
    field_of,
    opening,
    tournament,
)
from tests.engine.season.test_points_language import NAMES, VALUES, expressions
from tests.engine.tournament.floor import LEAGUE, NOON, SEASON, player

SIGNED: dict[str, Any] = {"reason": REASON, "author": DIRECTOR, "now": NOON}


@given(text=expressions)
def test_a_formula_read_twice_comes_to_one_number(text: str) -> None:
    """Recursive descent and a shunting yard agree, also if there is no value."""
    try:
        expected = evaluate(parse(text, NAMES), VALUES)
    except NoValue:
        expected = None
    except FormulaInvalid:
        return

    assert plain.worth(text, VALUES) == expected


@pytest.mark.parametrize("preset", PRESETS.values(), ids=lambda preset: preset.name)
def test_a_preset_counted_twice_comes_to_one_number(preset: Any) -> None:
    """The counts agree for every place in every field with up to 40 entrants."""
    for entrants in range(1, 41):
        field = field_of(entrants, buy_in=2_000, pool=2_000 * entrants)
        asked = {name: getattr(field, name) for name in field.__struct_fields__}
        for place in range(1, entrants + 1):
            own = {"spent": 4_000, "knockouts": 2}
            expected = place_points(preset.points, place=place, field=field, **own)
            assert plain.place_worth(preset.points, place, asked, own) == expected


@given(
    points=some.lists(some.integers(-5, 30), max_size=8),
    missed=some.integers(0, 4),
    mode=some.sampled_from(("sum", "average", "best", "best_average", "drop_worst", "best_series")),
    results=some.integers(1, 9),
)
def test_totals_counted_twice_are_one(
    points: list[int], missed: int, mode: Any, results: int
) -> None:
    asked = None if mode in ("sum", "average") else results
    tournaments = len(points) + missed
    total, _ = aggregated(
        Aggregation(mode=mode, results=asked), [Decimal(each) for each in points], tournaments
    )

    again = plain.total(mode, results, [Fraction(each) for each in points], tournaments)

    assert abs(Fraction(total) - again) < Fraction(1, 10**20)


PLAYERS = range(1, 7)
orders = some.lists(some.sampled_from(PLAYERS), min_size=1, max_size=6, unique=True)
steps = some.lists(
    some.one_of(
        some.tuples(some.just("award"), some.integers(1, 4), orders, some.booleans()),
        some.tuples(some.just("revise"), some.integers(1, 4), orders, some.booleans()),
        some.tuples(some.just("revoke"), some.integers(1, 4)),
        some.tuples(some.just("adjust"), some.integers(1, 4), some.sampled_from(PLAYERS)),
        some.tuples(some.just("void"), some.integers(1, 4)),
    ),
    min_size=2,
    max_size=14,
)
terms = some.fixed_dictionaries(
    {
        "points": some.sampled_from(
            (PointsTable(points=("3", "3", "1")), PointsFormula(text="floor(10 / k)"))
        ),
        "scale": some.integers(0, 2),
        "aggregation": some.sampled_from(
            (
                Aggregation(),
                Aggregation(mode="average"),
                Aggregation(mode="best", results=2),
                Aggregation(mode="drop_worst", results=1),
                Aggregation(mode="best_series", results=2),
            )
        ),
        "minimum_games": some.integers(0, 2),
        "bonuses": some.sampled_from(((), (Bonus(kind="attendance", points="1"),))),
        "tie_breaks": some.permutations(TIE_BREAKS[:-1]).map(lambda it: (*it, TIE_BREAKS[-1])),
    }
)


def result(number: int, order: list[int], tied: bool) -> AwardPoints:
    """Return a result in which the first two share the first place, if they are *tied*."""
    top = 2 if tied and len(order) > 1 else 1
    places = [
        (who, 1 if at < top else at + 1, top if at < top else 1) for at, who in enumerate(order)
    ]
    return award(number, *places)


def asked(step: Any) -> Any:
    match step:
        case ("award", number, order, tied):
            return result(number, order, tied)
        case ("revise", number, order, tied):
            return ReviseAward(award=result(number, order, tied), **SIGNED)
        case ("revoke", number):
            return RevokeAward(tournament=tournament(number), **SIGNED)
        case ("adjust", number, who):
            return adjustment(number, who, str(number - 2 or 5))
        case _:
            name = AdjustmentId(identifier("adj", UUID(int=step[1])))
            return VoidAdjustment(adjustment=name, **SIGNED)


@settings(max_examples=300, deadline=None)
@given(terms=terms, steps=steps)
def test_a_season_counted_three_times_has_one_table(
    terms: dict[str, Any], steps: list[Any]
) -> None:
    """
    The aggregate, the audit and the ledger agree after every step and at the close.

    At the close nobody is level any more, and the entries add up to the awards.
    """
    (opened,) = decider.decide(decider.initial, opening(**terms))
    state = decider.evolve(decider.initial, opened)
    table = PlainStandings(opened)
    ledger = Ledger(LEAGUE, standings_terms(shown_terms(opened)))
    rows: list[Any] = []
    for position, step in enumerate([*map(asked, steps), None]):
        try:
            events = decider.decide(state, step or closing(state))
        except CommandRejected:
            continue
        for event in events:
            state = decider.evolve(state, event)
            table.take(event)
            rows += entered(ledger, event, position)
        expected = state.standings()  # type: ignore[union-attr]
        assert [(each.rank, each.player, each.points) for each in expected] == table.rows()
        assert sorted(ledger.standings(), key=by_rank) == sorted(expected, key=by_rank)
    assert not any(each.shared for each in expected)
    if terms["aggregation"].mode == "sum":
        for each in expected:
            own = [row["points"] for row in rows if row["player"] == each.player]
            assert sum(own) == Decimal(each.points)


def by_rank(standing: Any) -> Any:
    return standing.rank, standing.player


def entered(ledger: Ledger, event: Any, position: int) -> list[Any]:
    """Enter *event* into the ledger as the projection does, and return the new entries."""
    if isinstance(event, SeasonClosed):
        return []
    if isinstance(event, LotsDrawn):
        ledger.lots.append(msgspec.to_builtins(event.draw))
        return []
    happened = Happened(LEAGUE, position, f"season-{SEASON[4:]}", position + 1, NOON, event)
    rows = list(ledger.entries(SEASON, happened))
    for row in rows:
        ledger.take(row)
    return rows


def faults_in(events: list[Any]) -> dict[str, list[str]]:
    """Return the faults that the audit of a season without tournaments finds, by check."""
    findings, state = Findings(), decider.initial
    audit = SeasonAudit(f"season-{SEASON[4:]}", findings, lambda _: None, lambda _: {})
    for position, event in enumerate(events):
        before, state = state, decider.evolve(state, event)
        audit.see(event, position, before)
    audit.end(state)
    return {
        name: [fault.what for fault in check.faults]
        for name, check in findings.checks.items()
        if check.faults
    }


def test_an_audit_finds_lots_masters_and_ranks_that_are_not_as_committed() -> None:
    """Four players have five points each. Their lots are drawn, and then forged."""
    state = decider.initial
    events: list[Any] = []
    for step in (opening(), *(adjustment(who, who, "5") for who in range(1, 5))):
        events += decider.decide(state, step)
        state = decider.replay(events)
    lots, closed = decider.decide(state, closing(state))
    turned = replace(lots, draw=replace(lots.draw, order=lots.draw.order[::-1]))
    fewer = replace(lots, draw=replace(lots.draw, candidates=lots.draw.candidates[1:]))

    assert faults_in([*events, lots, closed]) == {}
    assert "the lot gives another order" in faults_in([*events, turned, closed])["seeds"]
    assert faults_in([*events, fewer, closed])["points"][0].startswith("lots were drawn among")
    hidden = replace(closed, master="00" * 32)
    assert faults_in([*events, lots, hidden]) == {"seeds": ["a different master was published"]}
    first, second, *others = closed.standings
    swapped = (replace(second, rank=1), replace(first, rank=2), *others)
    found = faults_in([*events, lots, replace(closed, standings=swapped)])
    assert found == {"points": ["the final standings differ from those counted again"]}


def test_an_audit_finds_results_that_an_owner_states_alone() -> None:
    """A season of this server's tournaments has no own statement of an owner."""
    results = (
        StatedResult(player=player(1), place=1, points="9"),
        StatedResult(player=player(2), place=2, points="4"),
    )
    listed = StatedTournament(name="A", played_on=None, results=results)
    asked = ImportResults(tournaments=(listed,), digest="44" * 32, author=player(7), now=NOON)
    opened = decider.decide(decider.initial, opening())
    state = decider.replay(opened)
    (made,) = decider.decide(state, asked)
    added = TournamentAdded(tournament=tournament(1))
    own = replace(made, author=player(2))
    (first,) = made.tournaments
    richer = replace(first, results=(*first.results[:1], replace(first.results[1], points="5.00")))
    bots = replace(first.results[1], player=house_bot(LEAGUE, "calm", 1))

    assert faults_in([*opened, made, added]) == {}
    assert faults_in([*opened, own]) == {}
    assert faults_in([*opened, own, added])["points"] == [
        "a tournament joined a season with results that an owner states alone"
    ]
    assert faults_in([*opened, made, added, replace(own, tournaments=(richer,))])["points"] == [
        "an owner's list changed the owner's own results"
    ]
    named = replace(made, tournaments=(replace(first, results=(first.results[0], bots)),))
    assert faults_in([*opened, named])["points"] == ["an imported tournament contradicts itself"]
