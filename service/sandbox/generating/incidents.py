"""What happens on an evening besides play: rulings, breaks, deals, people who come and go."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from engine.errors import CommandRejected
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
from engine.tournament.model.correcting_commands import CorrectResult, Forfeit, Reaward
from engine.tournament.model.floor_commands import (
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
from engine.tournament.model.money_commands import AcceptDeal, ProposeDeal, RecordPayment, TakeAddOn
from engine.tournament.model.rounds_commands import EndRoundEarly
from engine.tournament.model.state import Finished, Running
from engine.tournament.model.terms_announced import Terms
from engine.tournament.model.values import Award
from service.director import whole_table
from service.sandbox.generating.chance import Dice

if TYPE_CHECKING:
    from service.sandbox.generating.night import Night

_CASINO_MAX = 60
"""After so many answers a casino closes."""

Incident = Callable[["Night", Running], Awaitable[None]]


def terms_of(announced: Announce) -> Terms:
    """Return the same terms, as a draft has them."""
    return Terms(**{name: getattr(announced, name) for name in Terms.__struct_fields__})


async def happen(night: "Night") -> None:
    """Let one thing happen; often nothing comes of it."""
    state = await night.state()
    if isinstance(state, Running):
        await night.dice.one(_INCIDENTS)(night, state)


async def in_casino(night: "Night", state: Running) -> None:
    """Let people come, come again, bring more and leave, and the house close in the end."""
    deserted = len(state.remaining()) <= 1 and night.dice.happens(0.1)
    if night.actions > _CASINO_MAX or deserted:
        await night.ask(CloseEarly(now=night.now))
    elif night.dice.happens(0.1):
        await night.dice.one((_leave, _add_on, _sit_down, _all_come_back))(night, state)


async def come_back(night: "Night", state: Running) -> None:
    """Let who has lost the last chip buy or stake, or leave it."""
    for window in state.windows:
        if not night.dice.happens(0.5):
            continue
        if window.buys:
            await night.ask(DeclareRebuy(entrant=window.entrant, now=night.now))
            continue
        known = [each for each in state.items if each.owner == window.entrant and not each.staked]
        item = known[0].name if known else f"ring of {window.entrant[-4:]}"
        values = getattr(state.terms.ruleset, "item_values", (1,))
        value = known[0].value if known else night.dice.one(values)
        asked = StakeItem(entrant=window.entrant, item=item, value=value, now=night.now)
        await night.ask(asked)


async def return_to(night: "Night", table: str) -> None:
    """Let somebody come back to a table that waits because everybody is away."""
    here = await night.state(table)
    if not isinstance(here, Table) or here.wait is None or not here.places:
        return
    if here.wait.reason == "players_away":
        entrant = night.dice.one(here.places).entrant
        await night.at_table(table, ComeBack(entrant=entrant))


async def in_break(night: "Night", state: Running) -> None:
    """Let some take add-ons while play stands."""
    for entrant in state.remaining():
        if night.dice.happens(0.5):
            await night.ask(TakeAddOn(entrant=entrant, now=night.now))


async def correct(night: "Night") -> bool:
    """Change a result that stands, in one of three ways."""
    state = await night.state()
    if not isinstance(state, Finished):
        return False
    asked = correction(night.dice, state, _ruling(night))
    return asked is not None and await night.ask(asked)


def correction(
    dice: Dice, state: Finished, ruling: dict[str, Any]
) -> CorrectResult | Forfeit | Reaward | None:
    """Return what changes a result in one of three ways; None if there is nothing to change."""
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


def _seated(night: "Night", state: Running) -> Any:
    seats = [each for table in state.tables for each in table.seats]
    return night.dice.one(seats).entrant if seats else None


def _ruling(night: "Night") -> dict[str, Any]:
    return {"by": night.director, "reason": night.reason(), "now": night.now}


async def _step_away(night: "Night", state: Running) -> None:
    seating = night.dice.one(state.tables) if state.tables else None
    if seating is None or not seating.seats:
        return
    entrant = night.dice.one(seating.seats).entrant
    table = await night.state(seating.table)
    away = any(each.entrant == entrant and each.away for each in table.places)
    await night.at_table(
        seating.table, ComeBack(entrant=entrant) if away else StepAway(entrant=entrant)
    )


async def _all_come_back(night: "Night", state: Running) -> None:
    for seating in state.tables:
        for each in seating.seats:
            await night.at_table(seating.table, ComeBack(entrant=each.entrant))


async def _void(night: "Night", state: Running) -> None:
    if state.tables:
        void = VoidDeal(cause="mis_deal", reason="card_shown", now=night.now)
        await night.at_table(night.dice.one(state.tables).table, void)


async def _show(night: "Night", state: Running) -> None:
    for seating in state.tables:
        table = await night.state(seating.table)
        if isinstance(table, Table) and table.last_hand is not None and table.last_hand.winners:
            seat = table.last_hand.winners[0]
            for place in table.places:
                if place.seat == seat:
                    show = ShowHand(entrant=place.entrant, hand=table.last_hand.hand, now=night.now)
                    await night.at_table(seating.table, show)


async def _warn(night: "Night", state: Running) -> None:
    if (entrant := _seated(night, state)) is not None:
        await night.ask(Warn(entrant=entrant, **_ruling(night)))


async def _penalise(night: "Night", state: Running) -> None:
    if (entrant := _seated(night, state)) is None:
        return
    if night.dice.happens(0.5):
        await night.ask(Penalise(entrant=entrant, hands=1, **_ruling(night)))
    else:
        await night.ask(Penalise(entrant=entrant, rounds=1, **_ruling(night)))


async def _disqualify(night: "Night", state: Running) -> None:
    entrant = _seated(night, state)
    if entrant is not None and len(state.remaining()) > 3:
        await night.ask(Disqualify(entrant=entrant, **_ruling(night)))


async def _move(night: "Night", state: Running) -> None:
    entrant = _seated(night, state)
    if entrant is not None and len(state.tables) > 1:
        target = night.dice.one(state.tables).table
        await night.ask(OrderMove(entrant=entrant, to_table=target, **_ruling(night)))


async def _breaking_order(night: "Night", state: Running) -> None:
    order = tuple(night.dice.shuffled(sorted(each.number for each in state.tables)))
    await night.ask(ChangeBreakingOrder(order=order, **_ruling(night)))


async def _hold(night: "Night", state: Running) -> None:
    if not state.tables:
        return
    table = night.dice.one(state.tables).table
    if await night.ask(HoldOneTable(table=table, **_ruling(night))):
        await night.pass_time(5)
        await night.ask(ReleaseTable(table=table, **_ruling(night)))


async def _break(night: "Night", state: Running) -> None:
    await night.ask(AnnounceBreak(seconds=60, **_ruling(night)))


async def _pause(night: "Night", state: Running) -> None:
    if await night.ask(Pause(reason="fire_alarm", now=night.now)):
        await night.pass_time(30)
        await in_break(night, state)
        await night.ask(Resume(now=night.now))


async def _hand_for_hand(night: "Night", state: Running) -> None:
    if state.floor.hand_for_hand is None:
        await night.ask(StartHandForHand(**_ruling(night)))
    else:
        await night.ask(EndHandForHand(**_ruling(night)))


async def _declare(night: "Night", state: Running) -> None:
    if (entrant := _seated(night, state)) is not None:
        await night.ask(DeclareRebuy(entrant=entrant, now=night.now))


async def _buy_back(night: "Night", state: Running) -> None:
    for item in state.items:
        await night.ask(BuyBackItem(entrant=item.owner, now=night.now))


async def _add_on(night: "Night", state: Running) -> None:
    if (entrant := _seated(night, state)) is not None:
        await night.ask(AddOn(entrant=entrant, chips=10, now=night.now))


async def _leave(night: "Night", state: Running) -> None:
    if (entrant := _seated(night, state)) is not None:
        await night.ask(Leave(entrant=entrant, now=night.now))


async def _sit_down(night: "Night", state: Running) -> None:
    """Let somebody come again, as another entrant; who still sits there is refused."""
    await night.register(night.dice.one(state.entrants).player)


async def _end_round(night: "Night", state: Running) -> None:
    if state.in_round:
        await night.ask(EndRoundEarly(**_ruling(night)))


async def _pay(night: "Night", state: Running) -> None:
    fees = state.terms.fees
    for each in state.entrants:
        if fees.buy_in and night.dice.happens(0.7):
            await night.ask(
                RecordPayment(
                    entrant=each.entrant,
                    kind="buy_in",
                    amount=fees.buy_in,
                    by=night.director,
                    now=night.now,
                )
            )


async def _deal(night: "Night", state: Running) -> None:
    if len(state.remaining()) > 4:
        return
    method = night.dice.one(("by_chips", "equal"))
    asked = ProposeDeal(
        by=None,
        method=method,
        play_for=night.dice.one((0, 100)),
        ends=night.dice.happens(0.5),
        now=night.now,
    )
    order = night.order(night.director)
    with suppress(CommandRejected):
        await whole_table.with_stacks(night.runtime, night.league, night.tournament, asked, order)
        offer = (await night.state()).books.offer
        for share in offer.shares if offer is not None else ():
            if night.dice.happens(0.9):
                yes = AcceptDeal(entrant=share.entrant, offer=offer.number, now=night.now)
                await night.ask(yes)


async def _cancel(night: "Night", state: Running) -> None:
    if not night.dice.odd(0.1):
        return
    order = night.order(night.director)
    with suppress(CommandRejected):
        asked = Cancel(reason="flood", now=night.now)
        await whole_table.with_stacks(night.runtime, night.league, night.tournament, asked, order)


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
