"""Dispute freezes hold back payments, results and the next round, but not play."""

from typing import Any

import pytest

from engine.kit.freezes import Frozen
from engine.tournament.model.commands import Cancel, Withdraw
from engine.tournament.model.commands.correcting import CorrectResult, Forfeit, Reaward
from engine.tournament.model.commands.freezing import FreezeResult, ReleaseResult
from engine.tournament.model.commands.money import AcceptDeal, ProposeDeal
from engine.tournament.model.commands.rounds import SeatRound
from engine.values import DisputeId, PlayerId
from tests.engine.tournament.floor import NOON, entrant
from tests.engine.tournament.rulings import RULED
from tests.engine.tournament.test_cut import rounds
from tests.engine.tournament.test_money import entered, ledger, paid

DISPUTE, OTHER = DisputeId("dsp_" + "1" * 32), DisputeId("dsp_" + "2" * 32)
HOLD, RELEASE = (asked(dispute=DISPUTE, now=NOON) for asked in (FreezeResult, ReleaseResult))
BY: dict[str, Any] = {"by": PlayerId("plr_lando"), "reason": RULED["reason"], "now": NOON}


@pytest.mark.parametrize(
    "command",
    [
        CorrectResult(order=(), **BY),
        Forfeit(entrant=entrant(1), **BY),
        Reaward(awards=(), **BY),
        ProposeDeal(by=None, method="equal", now=NOON),
        AcceptDeal(entrant=entrant(1), offer=1, now=NOON),
        SeatRound(table_ids=(), now=NOON),
        Cancel(reason="storm", now=NOON),
    ],
    ids=lambda each: type(each).__name__,
)
def test_what_waits_is_refused_with_the_disputes_name_whatever_else_is_wrong(command: Any) -> None:
    entered(1, 2).asked(HOLD).when(command).then_rejected(Frozen, dispute=DISPUTE)


def test_money_comes_and_does_not_go_until_the_last_dispute_lets_it() -> None:
    given = entered(1, 2, payment="recorded").asked(paid(2, "buy_in", 300), HOLD)
    given.asked(FreezeResult(dispute=OTHER, now=NOON), paid(1, "fee", 100))
    given.asked(Withdraw(entrant=entrant(2), now=NOON))
    given.when(paid(2, "refund", 300)).then_rejected(Frozen, dispute=DISPUTE)
    given.asked(RELEASE)
    given.when(paid(2, "refund", 300)).then_rejected(Frozen, dispute=OTHER)
    given.asked(ReleaseResult(dispute=OTHER, now=NOON), paid(2, "refund", 300))
    assert ledger(given).refunds == 300


def test_the_next_round_is_seated_when_nothing_holds_it() -> None:
    evening = rounds()
    evening.ask(HOLD)
    evening.play_round()
    with pytest.raises(Frozen) as refused:
        evening.seat_round()
    assert refused.value.facts == {"dispute": DISPUTE}
    evening.ask(RELEASE)
    assert evening.seat_round()
