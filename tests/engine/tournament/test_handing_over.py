"""Prizes that staff hand over after the end."""

import pytest
from msgspec.structs import replace

from engine.kit.freezes import Frozen
from engine.tournament.model.commands.correcting import CorrectResult
from engine.tournament.model.commands.freezing import FreezeResult
from engine.tournament.model.commands.money import HandOverPrize, ReturnPrize, ReversePrize
from engine.tournament.model.errors.correcting import TournamentNotFinished
from engine.tournament.model.errors.money import PrizeNotDue, PrizeNotHandedOver, PrizeNotOwedBack
from engine.tournament.model.events.money import PrizeHandedOver, PrizeReturned, PrizeReversed
from engine.values import DisputeId
from service.audit.event.corrections import prize_due
from tests.engine.tournament.floor import NOON, entrant, player
from tests.engine.tournament.test_correcting import SIGNED, finished
from tests.engine.tournament.test_late_entry import playing


def handing(number: int) -> HandOverPrize:
    return HandOverPrize(entrant=entrant(number), by=player(9), now=NOON)


def given(number: int, amount: int) -> PrizeHandedOver:
    return PrizeHandedOver(
        entrant=entrant(number), amount=amount, currency="EUR", by=player(9),
        rule="prizes.handed_over",
    )  # fmt: skip


def test_a_prize_is_handed_over_once_and_a_correction_adds_the_rest() -> None:
    scenario = finished(1_500, 1_200, 800, 500)
    scenario.when(handing(2)).then(given(2, 300))
    scenario.when(handing(2)).then_rejected(PrizeNotDue)
    order = ((entrant(2),), (entrant(1),), (entrant(3),), (entrant(4),))
    scenario.asked(CorrectResult(order=order, **SIGNED))
    assert prize_due(scenario.state, entrant(2)) == 200
    scenario.when(handing(2)).then(given(2, 200))
    scenario.when(handing(2)).then_rejected(PrizeNotDue)


def test_what_a_correction_took_from_a_prize_is_given_back_once() -> None:
    scenario = finished(1_500, 1_200, 800, 500)
    back = ReturnPrize(entrant=entrant(1), by=player(9), now=NOON)
    scenario.when(back).then_rejected(PrizeNotOwedBack)
    scenario.asked(handing(1)).when(back).then_rejected(PrizeNotOwedBack)
    order = ((entrant(2),), (entrant(1),), (entrant(3),), (entrant(4),))
    scenario.asked(CorrectResult(order=order, **SIGNED))
    returned = PrizeReturned(
        entrant=entrant(1), amount=200, currency="EUR", by=player(9), rule="prizes.returned"
    )
    scenario.when(back).then(returned).when(back).then_rejected(PrizeNotOwedBack)
    scenario.when(handing(1)).then_rejected(PrizeNotDue)
    playing(3).when(back).then_rejected(TournamentNotFinished, phase="running")


def test_a_prize_recorded_by_mistake_is_taken_back_with_a_reason_and_handed_over_again() -> None:
    scenario = finished(1_500, 1_200, 800, 500)
    never = ReversePrize(entrant=entrant(1), **SIGNED)
    scenario.when(never).then_rejected(PrizeNotHandedOver, recorded=0)
    taken_back = PrizeReversed(
        entrant=entrant(1), amount=500, currency="EUR", by=SIGNED["by"], reason=SIGNED["reason"],
        rule="prizes.reversed",
    )  # fmt: skip
    scenario.asked(handing(1)).when(never).then(taken_back)
    scenario.when(never).then_rejected(PrizeNotHandedOver, recorded=0)
    scenario.when(handing(1)).then(given(1, 500))
    playing(3).when(never).then_rejected(TournamentNotFinished, phase="running")


def test_a_part_of_a_prize_that_was_not_handed_over_is_taken_back() -> None:
    scenario = finished(1_500, 1_200, 800, 500).asked(handing(1))
    part = ReversePrize(entrant=entrant(1), amount=100, **SIGNED)
    scenario.asked(part)
    assert prize_due(scenario.state, entrant(1)) == 100
    for amount in (0, -1, 401):
        too_much = ReversePrize(entrant=entrant(1), amount=amount, **SIGNED)
        scenario.when(too_much).then_rejected(PrizeNotHandedOver, recorded=400)
    scenario.when(handing(1)).then(given(1, 100))


def test_a_part_that_two_people_take_back_is_taken_back_once() -> None:
    scenario = finished(1_500, 1_200, 800, 500).asked(handing(1))
    part = ReversePrize(entrant=entrant(1), amount=100, recorded=500, **SIGNED)
    scenario.asked(part).when(part).then_rejected(PrizeNotHandedOver, recorded=400)
    scenario.asked(replace(part, recorded=400))
    assert prize_due(scenario.state, entrant(1)) == 200


def test_a_record_is_taken_back_while_the_prize_waits_for_a_dispute() -> None:
    scenario = finished(1_500, 1_200, 800, 500).asked(handing(2))
    scenario.asked(FreezeResult(dispute=DisputeId("dsp_" + "0" * 32), now=NOON))
    scenario.asked(ReversePrize(entrant=entrant(2), **SIGNED))
    assert prize_due(scenario.state, entrant(2)) == 300


@pytest.mark.parametrize("number", [4, 9])
def test_no_prize_is_handed_over_without_one(number: int) -> None:
    finished(1_500, 1_200, 800, 500).when(handing(number)).then_rejected(PrizeNotDue)


def test_no_prize_is_handed_over_before_the_end_or_while_it_waits_for_a_dispute() -> None:
    playing(3).when(handing(1)).then_rejected(TournamentNotFinished, phase="running")
    scenario = finished(1_500, 1_200, 800, 500)
    dispute = DisputeId("dsp_" + "0" * 32)
    scenario.asked(FreezeResult(dispute=dispute, now=NOON))
    scenario.when(handing(1)).then_rejected(Frozen, dispute=dispute)
