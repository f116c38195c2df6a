"""The stacks of everyone, with those who have no seat."""

from collections.abc import Sequence

from engine.tournament.model.state import Running
from engine.tournament.model.terms import Rounds
from engine.tournament.model.values import Standing


def of_everyone(state: Running, seated: Sequence[Standing]) -> tuple[Standing, ...]:
    """
    Return *seated*, and the stacks of entrants who are in but have no seat.

    A late entrant has the stack that comes before the next hand. Between rounds, entrants have the
    starting stack or, with carried stacks, their stack at the end of the last round. Within a round
    they have busted and have nothing.

    Source: rulebook ``cancellation.stacks``.
    """
    late = (each for each in state.promised if each.newcomer)
    coming = (Standing(entrant=each.entrant, stack=each.chips) for each in late)
    seated = (*seated, *coming)
    rounds, plan = state.rounds, state.terms.format
    if rounds is None or not isinstance(plan, Rounds) or rounds.stage == "final":
        return seated
    known = {each.entrant for each in seated}
    away = {each: state.terms.starting_stack for each in rounds.playing if each not in known}
    if rounds.stage == "playing":
        away = dict.fromkeys(away, 0)
    elif plan.stacks == "carried":
        away = {each: rounds.stack_of(each) for each in away}
    return (*seated, *(Standing(entrant=each, stack=stack) for each, stack in away.items()))
