"""
Who has lost the last chip and may come back: rebuys, and things that are staked.

A bust opens a window if its entrant may still buy or stake; the window closes when
the table's next hand is opened, and only then is it an elimination.
"""

from engine.rulesets import CoruscantShift
from engine.tournament.model.commands import BuyBackItem, DeclareRebuy, StakeItem
from engine.tournament.model.errors import (
    EntrantUnknown,
    ItemNotOwned,
    ItemNotStaked,
    ItemValueUnknown,
    RebuyNotAllowed,
    TournamentNotRunning,
)
from engine.tournament.model.events import (
    ItemPassed,
    ItemReturned,
    ItemStaked,
    RebuyDeclared,
    RebuyTaken,
    RebuyWindowOpened,
)
from engine.tournament.model.state import Running, State, phase_of
from engine.tournament.model.values import Busted
from engine.values import EntrantId, Seat, TableId


def may_rebuy(state: Running, entrant: EntrantId, level: int) -> bool:
    """Return whether *entrant* may buy a stack after a bust in *level* (rulebook ``rebuy``)."""
    rules = state.terms.ruleset.rebuy
    if rules.until_level is not None and level > rules.until_level:
        return False
    return rules.max is None or state.rebuys.count(entrant) < rules.max


def may_stake(state: Running, entrant: EntrantId) -> bool:
    """Return whether *entrant* has a thing to stake, or may still bring one."""
    ruleset = state.terms.ruleset
    if not isinstance(ruleset, CoruscantShift) or not ruleset.special_item:
        return False
    if any(item.owner == entrant and not item.staked for item in state.items):
        return True
    return not any(item.brought_by == entrant for item in state.items)


def after_bust(
    state: Running, bust: Busted, *, table: TableId, hand: int, level: int
) -> RebuyTaken | RebuyWindowOpened | None:
    """Return how *bust* is kept from being an elimination; none if it is one."""
    buys = may_rebuy(state, bust.entrant, level)
    if buys and bust.entrant in state.declared:
        return _taken(state, bust.entrant, table, bust.seat, rule="rebuy.declared")
    # A thing already staked and lost with this hand is passed before this is asked.
    if not buys and not may_stake(state, bust.entrant):
        return None
    return RebuyWindowOpened(
        entrant=bust.entrant,
        table=table,
        seat=bust.seat,
        hand=hand,
        stack_at_start=bust.stack_at_start,
        buys=buys,
        rule="rebuy.window",
    )


def items_lost(
    state: Running, busts: tuple[Busted, ...], winner: EntrantId | None
) -> tuple[ItemPassed, ...]:
    """Return what passes to the winner of the main pot from those who are broke again."""
    out = {bust.entrant for bust in busts}
    if winner is None:
        return ()
    return tuple(
        ItemPassed(
            item=item.name, value=item.value, giver=item.owner, taker=winner, rule="items.passed"
        )
        for item in state.items
        if item.staked and item.owner in out
    )


def declare(state: State, command: DeclareRebuy) -> tuple[RebuyDeclared | RebuyTaken, ...]:
    """
    Owe a rebuy: at once where the last chip is gone, else at the next bust.

    Raises:
        RebuyNotAllowed: If there is none left, or the next hand has been opened.
    """
    running = _running(state)
    if running.rounds is not None and running.rounds.stage != "final":
        raise RebuyNotAllowed(reason="scheduled_round")
    window = running.window(command.entrant)
    if window is not None:
        if not window.buys:
            raise RebuyNotAllowed(reason="no_rebuy_left")
        return (_taken(running, command.entrant, window.table, window.seat, rule="rebuy.window"),)
    if command.entrant not in running.remaining():
        raise RebuyNotAllowed(reason="out")
    if command.entrant in running.declared:
        return ()
    if not may_rebuy(running, command.entrant, level=1):
        raise RebuyNotAllowed(reason="no_rebuy_left")
    if not may_rebuy(running, command.entrant, command.level):
        raise RebuyNotAllowed(reason="level_over")
    return (RebuyDeclared(entrant=command.entrant, rule="rebuy.declared"),)


def _taken(
    state: Running, entrant: EntrantId, table: TableId, seat: Seat, *, rule: str
) -> RebuyTaken:
    return RebuyTaken(
        entrant=entrant,
        table=table,
        seat=seat,
        chips=state.terms.starting_stack,
        number=state.rebuys.count(entrant) + 1,
        rule=rule,
    )


def stake(state: State, command: StakeItem) -> tuple[ItemStaked, ...]:
    """
    Stake a thing of an agreed value in place of chips, before the next hand.

    Raises:
        RebuyNotAllowed: If the entrant is not broke, or has nothing to stake.
        ItemNotOwned: If the thing is somebody else's.
        ItemValueUnknown: If things of this value are not agreed on.
    """
    running = _running(state)
    ruleset = running.terms.ruleset
    window = running.window(command.entrant)
    if window is None or not isinstance(ruleset, CoruscantShift):
        raise RebuyNotAllowed(reason="not_broke")
    known = next((item for item in running.items if item.name == command.item), None)
    if known is not None and (known.owner != command.entrant or known.staked):
        raise ItemNotOwned(item=command.item)
    value = command.value if known is None else known.value
    if known is None and not ruleset.special_item:
        raise RebuyNotAllowed(reason="no_items")
    if known is None and any(item.brought_by == command.entrant for item in running.items):
        raise RebuyNotAllowed(reason="no_item_left")
    if value not in ruleset.item_values:
        raise ItemValueUnknown(value=value, known=", ".join(map(str, ruleset.item_values)))
    return (
        ItemStaked(
            entrant=command.entrant,
            table=window.table,
            seat=window.seat,
            item=command.item,
            value=value,
            rule="items.stake",
        ),
    )


def buy_back(state: State, command: BuyBackItem) -> tuple[ItemReturned, ...]:
    """
    Give an entrant the staked thing back, for its value in chips.

    Raises:
        ItemNotStaked: If none of the entrant's is in escrow.
    """
    running = _running(state)
    staked = next(
        (item for item in running.items if item.owner == command.entrant and item.staked), None
    )
    if staked is None:
        raise ItemNotStaked
    table = next(
        (each.table for each in running.tables if each.seat_of(command.entrant) is not None), None
    )
    if table is None:
        raise EntrantUnknown
    return (
        ItemReturned(
            entrant=command.entrant,
            table=table,
            item=staked.name,
            value=staked.value,
            rule="items.buy_back",
        ),
    )


def _running(state: State) -> Running:
    if not isinstance(state, Running):
        raise TournamentNotRunning(phase=phase_of(state))
    return state
