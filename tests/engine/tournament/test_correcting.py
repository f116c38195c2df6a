"""Corrections of a result: places, prizes, forfeits and awards."""

import pytest
from msgspec.structs import replace

from engine.tournament import decider
from engine.tournament.model.commands import Finish
from engine.tournament.model.commands.correcting import CorrectResult, Forfeit, Reaward
from engine.tournament.model.errors.correcting import CorrectionInvalid, TournamentNotFinished
from engine.tournament.model.events.correcting import ResultCorrected
from engine.tournament.model.values import Award, Standing
from engine.values import EntrantId, TextId, TextRef
from service.audit.event.corrections import faults_of
from tests.engine.scenario import Scenario
from tests.engine.tournament.floor import NOON, entrant, player, to_start

BECAUSE = TextRef(text=TextId("txt_" + "0" * 32), digest="ab" * 32)
SIGNED = {"by": player(9), "reason": BECAUSE, "now": NOON}


def finished(*stacks: int, payouts: tuple[int, ...] = (50, 30, 20)) -> Scenario:
    """Return a tournament that entrants 1, 2 and so on have ended with *stacks*."""
    given = Scenario(decider).asked(
        *to_start(len(stacks), payouts=payouts, prize_pool=1_000, currency="EUR")
    )
    standings = tuple(
        Standing(entrant=entrant(number), stack=stack) for number, stack in enumerate(stacks, 1)
    )
    return given.asked(Finish(rule="finish.hands_max", stacks=standings, now=NOON))


def result(given: Scenario) -> tuple[dict[EntrantId, int], dict[EntrantId, int]]:
    """Return places and payouts by entrant."""
    state = given.state
    return (
        {each.entrant: each.place for each in state.placings},
        {each.entrant: each.amount for each in state.payouts},
    )


def test_prizes_follow_the_corrected_places() -> None:
    given = finished(1_500, 1_200, 800, 500)
    order = ((entrant(2),), (entrant(1),), (entrant(4), entrant(3)))

    given = given.asked(CorrectResult(order=order, **SIGNED))

    places, paid = result(given)
    assert places == {entrant(2): 1, entrant(1): 2, entrant(3): 3, entrant(4): 3}
    assert paid == {entrant(2): 500, entrant(1): 300, entrant(3): 100, entrant(4): 100}
    (correction,) = given.state.corrections
    assert (correction.number, correction.kind, correction.rule) == (
        1,
        "correction",
        "corrections.result",
    )


def test_a_forfeit_moves_everybody_below_up_and_pays_the_forfeiter_nothing() -> None:
    given = finished(1_500, 1_200, 800, 500).asked(Forfeit(entrant=entrant(1), **SIGNED))

    places, paid = result(given)
    assert places == {entrant(2): 1, entrant(3): 2, entrant(4): 3, entrant(1): 4}
    assert paid == {entrant(2): 500, entrant(3): 300, entrant(4): 200}


def test_a_forfeiter_in_a_paid_last_place_is_paid_nothing_and_the_pool_is_paid_whole() -> None:
    given = finished(2_000, 1_000, 0).asked(Forfeit(entrant=entrant(3), **SIGNED))

    _, paid = result(given)
    assert entrant(3) not in paid
    assert sum(paid.values()) == 1_000


def test_a_second_forfeit_shares_the_last_places_and_a_later_correction_keeps_both_out() -> None:
    given = finished(1_500, 1_200, 800, 500).asked(
        Forfeit(entrant=entrant(1), **SIGNED),
        Forfeit(entrant=entrant(4), **SIGNED),
        CorrectResult(order=((entrant(3),), (entrant(2),)), **SIGNED),
    )

    places, paid = result(given)
    assert places == {entrant(3): 1, entrant(2): 2, entrant(1): 3, entrant(4): 3}
    assert set(paid) == {entrant(3), entrant(2)}
    assert [each.number for each in given.state.corrections] == [1, 2, 3]


def test_an_award_pays_the_same_money_in_another_way() -> None:
    given = finished(1_500, 1_200, 800, 500)
    awards = (Award(entrant=entrant(4), amount=400), Award(entrant=entrant(1), amount=600))

    given = given.asked(Reaward(awards=awards, **SIGNED))

    places, paid = result(given)
    assert places[entrant(1)] == 1
    assert paid == {entrant(1): 600, entrant(4): 400}


def test_a_later_forfeit_pays_by_the_places_again() -> None:
    awards = (Award(entrant=entrant(4), amount=400), Award(entrant=entrant(1), amount=600))
    given = finished(1_500, 1_200, 800, 500).asked(Reaward(awards=awards, **SIGNED))

    _, paid = result(given.asked(Forfeit(entrant=entrant(1), **SIGNED)))

    assert paid == {entrant(2): 500, entrant(3): 300, entrant(4): 200}


def test_who_has_forfeited_is_paid_by_no_later_award() -> None:
    given = finished(1_500, 1_200, 800, 500).asked(Forfeit(entrant=entrant(1), **SIGNED))
    awards = (Award(entrant=entrant(1), amount=400), Award(entrant=entrant(2), amount=600))

    given.when(Reaward(awards=awards, **SIGNED)).then_rejected(CorrectionInvalid)


def test_the_same_correction_again_changes_nothing() -> None:
    given = finished(1_500, 1_200).asked(Forfeit(entrant=entrant(1), **SIGNED))

    given.when(Forfeit(entrant=entrant(1), **SIGNED)).then_nothing()
    order = ((entrant(2),),)
    given.when(CorrectResult(order=order, **SIGNED)).then_nothing()


@pytest.mark.parametrize(
    "asked",
    [
        CorrectResult(order=((entrant(1),),), **SIGNED),
        CorrectResult(order=((entrant(1), entrant(1)), (entrant(2),)), **SIGNED),
        CorrectResult(order=((entrant(1),), (entrant(2),), (entrant(7),)), **SIGNED),
        Forfeit(entrant=entrant(7), **SIGNED),
        Reaward(awards=(Award(entrant=entrant(1), amount=999),), **SIGNED),
        Reaward(awards=(Award(entrant=entrant(7), amount=1_000),), **SIGNED),
        Reaward(
            awards=(
                Award(entrant=entrant(1), amount=1_100),
                Award(entrant=entrant(2), amount=-100),
            ),
            **SIGNED,
        ),
    ],
    ids=[
        "somebody_left_out",
        "somebody_twice",
        "a_stranger",
        "a_stranger_forfeits",
        "money_lost",
        "money_to_a_stranger",
        "a_debt",
    ],
)
def test_what_cannot_be_a_result_is_refused(asked: object) -> None:
    finished(1_500, 1_200).when(asked).then_rejected(CorrectionInvalid)


def test_not_everybody_can_forfeit() -> None:
    given = finished(1_500, 1_200).asked(Forfeit(entrant=entrant(1), **SIGNED))
    given.when(Forfeit(entrant=entrant(2), **SIGNED)).then_rejected(CorrectionInvalid)


def test_a_tournament_in_play_has_no_result_to_correct() -> None:
    given = Scenario(decider).asked(*to_start(4))
    given.when(Forfeit(entrant=entrant(1), **SIGNED)).then_rejected(
        TournamentNotFinished, phase="running"
    )


def test_the_audit_finds_a_corrected_result_that_cannot_be() -> None:
    before = finished(1_500, 1_200, 800).state
    (event,) = decider.decide(before, Forfeit(entrant=entrant(1), **SIGNED))
    assert isinstance(event, ResultCorrected)
    assert faults_of(event, before) == []

    forged = {
        "money": replace(event, payouts=event.payouts[1:]),
        "places": replace(
            event, placings=(replace(event.placings[0], place=2), *event.placings[1:])
        ),
        "people": replace(event, placings=event.placings[1:]),
        "number": replace(event, number=2),
        "forfeit": replace(event, forfeited=(event.payouts[0].entrant,)),
    }
    assert {name: bool(faults_of(each, before)) for name, each in forged.items()} == (
        dict.fromkeys(forged, True)
    )
