"""
Rebuys, and items that are staked, after a bust.

A bust opens a window if its entrant may still rebuy or stake an item. The window closes when the
table's next hand is opened. Only then is the bust an elimination.
"""

from msgspec.structs import replace

from engine.rulesets import CoruscantShift
from engine.tournament.model.acting import acting_for
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
    """Return whether *entrant* may rebuy after a bust in *level* (rulebook ``rebuy``)."""
    rules = state.terms.ruleset.rebuy
    if rules.until_level is not None and level > rules.until_level:
        return False
    return rules.max is None or state.rebuys.count(entrant) < rules.max


def may_declare(state: Running, entrant: EntrantId, level: int) -> bool:
    """Return whether *entrant*, who has chips, may declare a rebuy now."""
    if entrant in state.declared or state.window(entrant) is not None:
        return False
    return _no_declaration(state, entrant, level) is None


def _no_declaration(state: Running, entrant: EntrantId, level: int) -> str | None:
    """Return why *entrant*, whose window is not open, may declare no rebuy, or None."""
    if not _in_the_final(state):
        return "scheduled_round"
    if state.no_hand_follows:
        return "no_hand_left"
    if entrant not in state.remaining():
        return "out"
    if not may_rebuy(state, entrant, level=1):
        return "no_rebuy_left"
    return None if may_rebuy(state, entrant, level) else "level_over"


def _in_the_final(state: Running) -> bool:
    return state.rounds is None or state.rounds.stage == "final"


def may_stake(state: Running, entrant: EntrantId) -> bool:
    """Return whether *entrant* has an item to stake, or may still bring one."""
    if not _has_items(state):
        return False
    if any(item.owner == entrant and not item.staked for item in state.items):
        return True
    return may_bring(state, entrant)


def may_bring(state: Running, entrant: EntrantId) -> bool:
    """Return whether *entrant* may still bring an item of their own."""
    return _has_items(state) and all(item.brought_by != entrant for item in state.items)


def _has_items(state: Running) -> bool:
    ruleset = state.terms.ruleset
    return isinstance(ruleset, CoruscantShift) and ruleset.special_item


def window_seconds(state: Running) -> int:
    """Return how long an open window is waited for: not at all once nothing is sold in it."""
    return 0 if state.no_hand_follows else state.terms.ruleset.rebuy.seconds


def after_bust(
    state: Running, bust: Busted, *, table: TableId, hand: int, level: int
) -> RebuyTaken | RebuyWindowOpened | None:
    """Return the event that keeps a busted entrant in, or None if the bust is an elimination."""
    buys = may_rebuy(state, bust.entrant, level)
    if buys and bust.entrant in state.declared:
        return _taken(state, bust.entrant, table, bust.seat, rule="rebuy.declared")
    # An item that was staked, and lost in this hand, has passed to its winner before.
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
    """Return the items that pass from busted entrants to the winner of the main pot."""
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
    Commit to a rebuy: at once after a bust, or else for the next bust.

    Raises:
        RebuyNotAllowed: If no rebuy is left, the level is over, no further hand opens, or the
            number is not that of the next rebuy.
    """
    running = _running(state)
    if not _in_the_final(running):
        raise RebuyNotAllowed(reason="scheduled_round")
    if command.number not in (None, running.next_rebuy(command.entrant)):
        raise RebuyNotAllowed(reason="not_the_next")
    _demand_a_hand(running)
    window = running.window(command.entrant)
    if window is not None:
        if not window.buys:
            raise RebuyNotAllowed(reason="no_rebuy_left")
        taken = _taken(running, command.entrant, window.table, window.seat, rule="rebuy.window")
        return (replace(taken, by=acting_for(running, command)),)
    if command.entrant in running.declared and command.entrant in running.remaining():
        return ()
    reason = _no_declaration(running, command.entrant, command.level)
    if reason is not None:
        raise RebuyNotAllowed(reason=reason)
    by = acting_for(running, command)
    return (RebuyDeclared(entrant=command.entrant, by=by, rule="rebuy.declared"),)


def _demand_a_hand(state: Running) -> None:
    """
    Check that chips which come later can still be played.

    Raises:
        RebuyNotAllowed: If no further hand opens.

    Source: rulebook ``rebuy.last_hand``.
    """
    if state.no_hand_follows:
        raise RebuyNotAllowed(reason="no_hand_left")


def _taken(
    state: Running, entrant: EntrantId, table: TableId, seat: Seat, *, rule: str
) -> RebuyTaken:
    return RebuyTaken(
        entrant=entrant,
        table=table,
        seat=seat,
        chips=state.terms.starting_stack,
        number=state.rebuys.count(entrant) + 1,
        by=None,
        rule=rule,
    )


def stake(state: State, command: StakeItem) -> tuple[ItemStaked, ...]:
    """
    Stake an item of agreed value instead of chips, before the next hand.

    Raises:
        RebuyNotAllowed: If the entrant is not broke, or has nothing to stake.
        ItemNotOwned: If the item belongs to somebody else.
        ItemValueUnknown: If the ruleset has no items of this value.
    """
    running = _running(state)
    ruleset = running.terms.ruleset
    window = running.window(command.entrant)
    if window is None or not isinstance(ruleset, CoruscantShift):
        raise RebuyNotAllowed(reason="not_broke")
    _demand_a_hand(running)
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
    Return a staked item to its owner, for its value in chips.

    Raises:
        ItemNotStaked: If the entrant has no item in escrow.
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
