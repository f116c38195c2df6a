"""Incidents of an evening besides play: rulings, breaks, payout deals, arrivals, departures."""

from collections.abc import Awaitable, Callable
from contextlib import suppress

from engine.errors import CommandRejected
from engine.kit.structs import copied
from engine.rulesets import CoruscantShift
from engine.table.model.commands import ComeBack, ShowHand, StepAway, VoidDeal
from engine.table.model.state import Table
from engine.tournament.model.commands import (
    AddOn,
    Announce,
    BuyBackItem,
    Cancel,
    CloseEarly,
    DeclareRebuy,
    Leave,
    Pause,
    Resume,
    StakeItem,
)
from engine.tournament.model.commands.correcting import CorrectResult, Forfeit, Reaward
from engine.tournament.model.commands.floor import (
    AnnounceBreak,
    ChangeBreakingOrder,
    Disqualify,
    EndHandForHand,
    HoldOneTable,
    OrderMove,
    Penalise,
    ReleaseTable,
    StartHandForHand,
    Warn,
)
from engine.tournament.model.commands.money import AcceptDeal, ProposeDeal, RecordPayment, TakeAddOn
from engine.tournament.model.commands.rounds import EndRoundEarly
from engine.tournament.model.state import Finished, Running
from engine.tournament.model.terms.announced import Terms
from engine.tournament.model.values import Award
from engine.tournament.model.values.money import DealMethod
from engine.values import EntrantId
from service.base.documents import Document
from service.director import whole_table
from service.sandbox.generating.chance import Dice
from service.sandbox.generating.evening import Evening

_CASINO_MAX = 60
"""The number of answers after which a casino closes."""

Incident = Callable[[Evening, Running], Awaitable[None]]


def terms_of(announced: Announce) -> Terms:
    """Return the announced terms in the form of a draft."""
    return copied(Terms, announced)


async def happen(evening: Evening) -> None:
    """Try one random incident. The tournament often refuses it."""
    state = await evening.state()
    if isinstance(state, Running):
        await evening.dice.one(_INCIDENTS)(evening, state)


async def in_casino(evening: Evening, state: Running) -> None:
    """Let players of a casino arrive, return, add chips or leave. In the end, close it."""
    deserted = len(state.remaining()) <= 1 and evening.dice.happens(0.1)
    if evening.actions > _CASINO_MAX or deserted:
        await evening.ask(CloseEarly(now=evening.now))
    elif evening.dice.happens(0.1):
        await evening.dice.one((_leave, _add_on, _sit_down, _all_come_back))(evening, state)


async def come_back(evening: Evening, state: Running) -> None:
    """Let each busted player rebuy or stake an item, with a chance of one half."""
    for window in state.windows:
        if not evening.dice.happens(0.5):
            continue
        if window.buys:
            await evening.ask(DeclareRebuy(entrant=window.entrant, now=evening.now))
            continue
        known = [each for each in state.items if each.owner == window.entrant and not each.staked]
        item = known[0].name if known else f"ring of {window.entrant[-4:]}"
        ruleset = state.terms.ruleset
        values = ruleset.item_values if isinstance(ruleset, CoruscantShift) else (1,)
        value = known[0].value if known else evening.dice.one(values)
        asked = StakeItem(entrant=window.entrant, item=item, value=value, now=evening.now)
        await evening.ask(asked)


async def return_to(evening: Evening, table: str) -> None:
    """Bring one player back to a table that waits because all its players are away."""
    here = await evening.state(table)
    if not isinstance(here, Table) or here.wait is None or not here.places:
        return
    if here.wait.reason == "players_away":
        entrant = evening.dice.one(here.places).entrant
        await evening.at_table(table, ComeBack(entrant=entrant))


async def in_break(evening: Evening, state: Running) -> None:
    """Let some entrants take add-ons while play is stopped."""
    for entrant in state.remaining():
        if evening.dice.happens(0.5):
            await evening.ask(TakeAddOn(entrant=entrant, now=evening.now))


async def correct(evening: Evening) -> bool:
    """Try to correct a result in one of three ways. Return whether it was corrected."""
    state = await evening.state()
    if not isinstance(state, Finished):
        return False
    asked = correction(evening.dice, state, _ruling(evening))
    return asked is not None and await evening.ask(asked)


def correction(
    dice: Dice, state: Finished, ruling: Document
) -> CorrectResult | Forfeit | Reaward | None:
    """Return one of three corrections of a result, or None if it leaves nothing to correct."""
    placed = sorted(state.placings, key=lambda each: each.place)
    if len(placed) < 2:
        return None
    match dice.below(3):
        case 0:
            order = [(each.entrant,) for each in placed]
            at = dice.below(len(order) - 1)
            order[at], order[at + 1] = order[at + 1], order[at]
            return CorrectResult(order=tuple(order), **ruling)
        case 1:
            return Forfeit(entrant=dice.one(placed).entrant, **ruling)
        case _:
            money = sum(each.amount for each in state.payouts)
            if money < 2:
                return None
            shares = (money - money // 3, money // 3)
            awards = zip(placed, shares, strict=False)
            given = tuple(Award(entrant=who.entrant, amount=share) for who, share in awards)
            return Reaward(awards=given, **ruling)


def _seated(evening: Evening, state: Running) -> EntrantId | None:
    seats = [each for table in state.tables for each in table.seats]
    return evening.dice.one(seats).entrant if seats else None


def _ruling(evening: Evening) -> Document:
    return {"by": evening.director, "reason": evening.reason(), "now": evening.now}


async def _step_away(evening: Evening, state: Running) -> None:
    seating = evening.dice.one(state.tables) if state.tables else None
    if seating is None or not seating.seats:
        return
    entrant = evening.dice.one(seating.seats).entrant
    table = await evening.state(seating.table)
    away = any(each.entrant == entrant and each.away for each in table.places)
    await evening.at_table(
        seating.table, ComeBack(entrant=entrant) if away else StepAway(entrant=entrant)
    )


async def _all_come_back(evening: Evening, state: Running) -> None:
    for seating in state.tables:
        for each in seating.seats:
            await evening.at_table(seating.table, ComeBack(entrant=each.entrant))


async def _void(evening: Evening, state: Running) -> None:
    if state.tables:
        void = VoidDeal(cause="mis_deal", reason="card_shown", now=evening.now)
        await evening.at_table(evening.dice.one(state.tables).table, void)


async def _show(evening: Evening, state: Running) -> None:
    for seating in state.tables:
        table = await evening.state(seating.table)
        if isinstance(table, Table) and table.last_hand is not None and table.last_hand.winners:
            seat = table.last_hand.winners[0]
            for place in table.places:
                if place.seat == seat:
                    show = ShowHand(
                        entrant=place.entrant, hand=table.last_hand.hand, now=evening.now
                    )
                    await evening.at_table(seating.table, show)


async def _warn(evening: Evening, state: Running) -> None:
    if (entrant := _seated(evening, state)) is not None:
        await evening.ask(Warn(entrant=entrant, **_ruling(evening)))


async def _penalise(evening: Evening, state: Running) -> None:
    if (entrant := _seated(evening, state)) is None:
        return
    if evening.dice.happens(0.5):
        await evening.ask(Penalise(entrant=entrant, hands=1, **_ruling(evening)))
    else:
        await evening.ask(Penalise(entrant=entrant, rounds=1, **_ruling(evening)))


async def _disqualify(evening: Evening, state: Running) -> None:
    entrant = _seated(evening, state)
    if entrant is not None and len(state.remaining()) > 3:
        await evening.ask(Disqualify(entrant=entrant, **_ruling(evening)))


async def _move(evening: Evening, state: Running) -> None:
    entrant = _seated(evening, state)
    if entrant is not None and len(state.tables) > 1:
        target = evening.dice.one(state.tables).table
        await evening.ask(OrderMove(entrant=entrant, to_table=target, **_ruling(evening)))


async def _breaking_order(evening: Evening, state: Running) -> None:
    order = tuple(evening.dice.shuffled(sorted(each.number for each in state.tables)))
    await evening.ask(ChangeBreakingOrder(order=order, **_ruling(evening)))


async def _hold(evening: Evening, state: Running) -> None:
    if not state.tables:
        return
    table = evening.dice.one(state.tables).table
    if await evening.ask(HoldOneTable(table=table, **_ruling(evening))):
        await evening.pass_time(5)
        await evening.ask(ReleaseTable(table=table, **_ruling(evening)))


async def _break(evening: Evening, state: Running) -> None:
    await evening.ask(AnnounceBreak(seconds=60, **_ruling(evening)))


async def _pause(evening: Evening, state: Running) -> None:
    if await evening.ask(Pause(reason="fire_alarm", now=evening.now)):
        await evening.pass_time(30)
        await in_break(evening, state)
        await evening.ask(Resume(now=evening.now))


async def _hand_for_hand(evening: Evening, state: Running) -> None:
    if state.floor.hand_for_hand is None:
        await evening.ask(StartHandForHand(**_ruling(evening)))
    else:
        await evening.ask(EndHandForHand(**_ruling(evening)))


async def _declare(evening: Evening, state: Running) -> None:
    if (entrant := _seated(evening, state)) is not None:
        await evening.ask(DeclareRebuy(entrant=entrant, now=evening.now))


async def _buy_back(evening: Evening, state: Running) -> None:
    for item in state.items:
        await evening.ask(BuyBackItem(entrant=item.owner, now=evening.now))


async def _add_on(evening: Evening, state: Running) -> None:
    if (entrant := _seated(evening, state)) is not None:
        await evening.ask(AddOn(entrant=entrant, chips=10, now=evening.now))


async def _leave(evening: Evening, state: Running) -> None:
    if (entrant := _seated(evening, state)) is not None:
        await evening.ask(Leave(entrant=entrant, now=evening.now))


async def _sit_down(evening: Evening, state: Running) -> None:
    """Let a random player enter again as a new entrant. A player still seated is refused."""
    await evening.register(evening.dice.one(state.entrants).player)


async def _end_round(evening: Evening, state: Running) -> None:
    if state.in_round:
        await evening.ask(EndRoundEarly(**_ruling(evening)))


async def _pay(evening: Evening, state: Running) -> None:
    fees = state.terms.fees
    for each in state.entrants:
        if fees.buy_in and evening.dice.happens(0.7):
            await evening.ask(
                RecordPayment(
                    entrant=each.entrant,
                    kind="buy_in",
                    amount=fees.buy_in,
                    by=evening.director,
                    now=evening.now,
                )
            )


async def _deal(evening: Evening, state: Running) -> None:
    if len(state.remaining()) > 4:
        return
    methods: tuple[DealMethod, ...] = ("by_chips", "equal")
    asked = ProposeDeal(
        by=None,
        method=evening.dice.one(methods),
        play_for=evening.dice.one((0, 100)),
        ends=evening.dice.happens(0.5),
        now=evening.now,
    )
    order = evening.order(evening.director)
    with suppress(CommandRejected):
        await whole_table.with_stacks(
            evening.runtime, evening.league, evening.tournament, asked, order
        )
        offer = (await evening.state()).books.offer
        for share in offer.shares if offer is not None else ():
            if evening.dice.happens(0.9):
                yes = AcceptDeal(entrant=share.entrant, offer=offer.number, now=evening.now)
                await evening.ask(yes)


async def _cancel(evening: Evening, state: Running) -> None:
    if not evening.dice.odd(0.1):
        return
    order = evening.order(evening.director)
    with suppress(CommandRejected):
        asked = Cancel(reason="flood", now=evening.now)
        await whole_table.with_stacks(
            evening.runtime, evening.league, evening.tournament, asked, order
        )


_INCIDENTS: tuple[Incident, ...] = (
    _step_away,
    _all_come_back,
    _all_come_back,
    _void,
    _show,
    _warn,
    _penalise,
    _disqualify,
    _move,
    _breaking_order,
    _hold,
    _break,
    _pause,
    _hand_for_hand,
    _declare,
    _declare,
    _buy_back,
    _add_on,
    _leave,
    _end_round,
    _pay,
    _deal,
    _deal,
    _cancel,
)
