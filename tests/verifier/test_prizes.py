"""The verifier recomputes prizes that were handed over, and what came back after a correction."""

import asyncio
import json
from collections.abc import Callable
from functools import cache

import pytest

from engine.tournament.model.commands.correcting import CorrectResult
from engine.tournament.model.commands.money import HandOverPrize, ReturnPrize, ReversePrize
from engine.tournament.model.state import Finished
from service.base.documents import Document
from service.bundles.log import HeldLog
from service.bundles.writing import Wanted, bundle_of
from service.sandbox.generating import seasons
from service.sandbox.generating.chance import Dice
from service.sandbox.generating.night import Night
from service.sandbox.generating.world import VirtualLoop, open_world
from tests.verifier.forging import PUBLIC, Forgery
from tests.verifier.loading import verifier

SEED = "prizes"
HANDED, RETURNED, REVERSED = "prize_handed_over", "prize_returned", "prize_reversed"


@cache
def season() -> seasons.Season:
    """Return a season in which the first two change places after both have got their prizes."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(_made())


def bundle() -> bytes:
    return b"".join(season().lines)


async def _made() -> seasons.Season:
    async with open_world(SEED) as runtime:
        made_up = seasons.MadeUp(runtime, Dice(SEED, 0), 4)
        await made_up.open()
        night = await made_up.announced(1, made_up.dice)
        await made_up.played(night)
        await _handed_over(made_up, night)
        await made_up.close()
        return await seasons._kept(runtime, SEED, made_up.league, made_up.season)


async def _handed_over(made_up: seasons.MadeUp, night: Night) -> None:
    """Hand the prizes over, exchange the first two, and set their prizes right."""
    state = await night.state()
    assert isinstance(state, Finished) and len(state.payouts) > 1
    for payout in state.payouts:
        given = HandOverPrize(entrant=payout.entrant, by=made_up.owner, now=night.now)
        assert await night.ask(given)
    order = [(each.entrant,) for each in sorted(state.placings, key=lambda each: each.place)]
    order[:2] = reversed(order[:2])
    why = {"reason": night.reason(), "by": made_up.owner, "now": night.now}
    assert await night.ask(CorrectResult(order=tuple(order), **why))
    (first,), (second,) = order[:2]
    assert await night.ask(ReturnPrize(entrant=second, by=made_up.owner, now=night.now))
    assert await night.ask(HandOverPrize(entrant=first, by=made_up.owner, now=night.now))
    for _ in range(5):  # somebody is not sure
        assert await night.ask(ReversePrize(entrant=first, **why))
        assert await night.ask(HandOverPrize(entrant=first, by=made_up.owner, now=night.now))
    assert await night.ask(ReversePrize(entrant=first, amount=1, **why))
    assert await night.ask(HandOverPrize(entrant=first, by=made_up.owner, now=night.now))


def returned(forged: Forgery) -> Document:
    data: Document = forged.data(RETURNED)
    return data


def too_much_came_back(forged: Forgery) -> str:
    returned(forged)["amount"] += 1
    return "prizes.returned"


def the_winner_gave_back(forged: Forgery) -> str:
    returned(forged)["entrant"] = forged.events(HANDED)[-1]["data"]["entrant"]
    return "prizes.returned"


def somebody_without_a_prize_gave_nothing_back(forged: Forgery) -> str:
    """A player without any prize has got 0 too much."""
    paid = {each["data"]["entrant"] for each in forged.events(HANDED)}
    names = (each["data"]["entrant"] for each in forged.events("entrant_registered"))
    returned(forged).update(entrant=next(each for each in names if each not in paid), amount=0)
    return "prizes.returned"


def it_came_back_in_another_currency(forged: Forgery) -> str:
    returned(forged)["currency"] = "XTS"
    return "prizes.returned"


def what_came_back_was_handed_over_less_than_nothing(forged: Forgery) -> str:
    """The amount is the payout less the money handed over."""
    event = forged.events(RETURNED)[0]
    event["type"] = HANDED
    event["data"] |= {
        "type": HANDED,
        "amount": -event["data"]["amount"],
        "rule": "prizes.handed_over",
    }
    return "prizes.handed_over"


def what_was_handed_over_came_back_less_than_nothing(forged: Forgery) -> str:
    """The entrant had got nothing before."""
    event = forged.events(HANDED)[0]
    event["type"] = RETURNED
    event["data"] |= {
        "type": RETURNED,
        "amount": -event["data"]["amount"],
        "rule": "prizes.returned",
    }
    return "prizes.returned"


def it_came_back_though_it_was_never_handed_over(forged: Forgery) -> str:
    giver = returned(forged)["entrant"]
    event = forged.events(HANDED, lambda data: data["entrant"] == giver)[0]
    event["type"], event["data"] = "tournament_resumed", {"type": "tournament_resumed"}
    return "prizes.returned"


def more_was_reversed_than_was_handed_over(forged: Forgery) -> str:
    forged.data(REVERSED)["amount"] += 1
    return "prizes.reversed"


def a_record_was_reversed_that_was_never_made(forged: Forgery) -> str:
    """A player without any prize."""
    paid = {each["data"]["entrant"] for each in forged.events(HANDED)}
    names = (each["data"]["entrant"] for each in forged.events("entrant_registered"))
    forged.data(REVERSED)["entrant"] = next(each for each in names if each not in paid)
    return "prizes.reversed"


def the_rest_was_handed_over_while_the_result_was_frozen(forged: Forgery) -> str:
    event = forged.events(RETURNED)[0]
    event["type"] = "result_frozen"
    event["data"] = {
        "type": "result_frozen",
        "dispute": "dsp_" + "0" * 32,
        "rule": "disputes.freeze",
    }
    return "disputes.freeze"


def test_prizes_that_were_handed_over_and_given_back_are_passed() -> None:
    report = verifier.verify(Forgery(bundle()).write(), [PUBLIC])
    assert report.differences == []
    assert report.authentic


def test_prizes_may_be_taken_back_and_handed_over_again_in_a_public_bundle() -> None:
    """Strangers see that something is withheld there, more often than anybody was paid."""
    it = season()
    signed = "\n".join(json.loads(it.lines[1])["note"]), len(it.rows)
    wanted = Wanted(kind="season", subject=it.subject, viewer="public")

    async def written() -> bytes:
        return b"".join(
            [each async for each in await bundle_of(HeldLog(it.rows), it.keys, wanted, signed)]
        )

    forged = Forgery(asyncio.run(written()))
    (result, corrected) = forged.events("tournament_finished") + forged.events("result_corrected")
    kept = [each for each in forged.lines if each["line"] == "withheld"]
    assert len(kept) > 2 * len(result["data"]["payouts"])
    assert corrected["data"]["payouts"]
    report = verifier.verify(forged.write(), [PUBLIC])
    assert report.authentic
    assert report.differences == []


@pytest.mark.parametrize(
    "change",
    [
        too_much_came_back,
        the_winner_gave_back,
        somebody_without_a_prize_gave_nothing_back,
        it_came_back_in_another_currency,
        more_was_reversed_than_was_handed_over,
        a_record_was_reversed_that_was_never_made,
        what_came_back_was_handed_over_less_than_nothing,
        what_was_handed_over_came_back_less_than_nothing,
        it_came_back_though_it_was_never_handed_over,
        the_rest_was_handed_over_while_the_result_was_frozen,
    ],
)
def test_a_false_prize_is_found(change: Callable[[Forgery], str]) -> None:
    forged = Forgery(bundle())
    rule = change(forged)
    report = verifier.verify(forged.write(), [PUBLIC])
    assert report.authentic
    assert rule in {found for _, found, _ in report.differences}
