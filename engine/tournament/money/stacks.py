"""What everyone has while scheduled rounds are played, who sits at no table too."""

from collections.abc import Sequence

from engine.tournament.model.state import Running
from engine.tournament.model.terms import Rounds
from engine.tournament.model.values import Standing


def of_everyone(state: Running, seated: Sequence[Standing]) -> tuple[Standing, ...]:
    """
    Return *seated*, and what those have who are in and sit nowhere: they wait for a round.

    With carried stacks that is what they had at the end of the last one, else the starting
    stack; within a round it is nothing, for they have lost it there.

    Source: rulebook ``cancellation.stacks``.
    """
    rounds, plan = state.rounds, state.terms.format
    if rounds is None or not isinstance(plan, Rounds) or rounds.stage == "final":
        return tuple(seated)
    known = {each.entrant for each in seated}
    away = {each: state.terms.starting_stack for each in rounds.playing if each not in known}
    if rounds.stage == "playing":
        away = dict.fromkeys(away, 0)
    elif plan.stacks == "carried":
        away = {each: rounds.stack_of(each) for each in away}
    return (*seated, *(Standing(entrant=each, stack=stack) for each, stack in away.items()))
