"""
The end at a given time: the hands in play are the last, or a drawn number of hands follows.

Source: WSOP rule 125, rulebook ``finish.last_hands``.
"""

from engine.kit.hidden import unsealed
from engine.kit.rng import RandomWords, derive_seed
from engine.tournament.fairness.digests import of_draws
from engine.tournament.model.commands.floor import CallLastHands, CountLastHands
from engine.tournament.model.events import Event
from engine.tournament.model.events.floor import LastHandsCalled, LastHandsCounted, LotDrawn
from engine.tournament.model.state import Running
from engine.tournament.seating.draw import DRAW_TABLE


def call(state: Running, command: CallLastHands) -> tuple[Event, ...]:
    """Return the event that calls the last hands. They are called only once."""
    if state.floor.last_hands is not None or state.closing:
        return ()
    draw = _drawn(state)
    return (
        LastHandsCalled(
            hands=0 if draw is None else draw.drawn,
            draw=draw,
            at=command.now,
            by=command.by,
            reason=command.reason,
            rule="finish.last_hands",
        ),
    )


def count(state: Running, command: CountLastHands) -> tuple[Event, ...]:
    """Return the number of a table's last hand, counted when the table is first between hands."""
    last, here = state.floor.last_hands, state.seating(command.table)
    if last is None or here is None or state.floor.last_hand_of(command.table) is not None:
        return ()
    return (
        LastHandsCounted(
            table=command.table,
            hand=command.hand_number,
            last_hand=command.hand_number + last.hands,
            rule="finish.last_hands",
        ),
    )


def _drawn(state: Running) -> LotDrawn | None:
    between = state.terms.floor.last_hands
    if between is None:
        return None
    number = state.draws + 1
    seed = derive_seed(unsealed(state.masters.open), "draws", DRAW_TABLE, number, 1)
    below = RandomWords(seed, "lot", 1, of_draws(state)).below(between.high - between.low + 1)
    return LotDrawn(number=number, low=between.low, high=between.high, drawn=between.low + below)
