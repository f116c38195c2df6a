"""
Corrections of a result.

Source: rulebook ``corrections.result``, ``corrections.forfeit`` and ``corrections.reaward``.
"""

from collections.abc import Callable, Sequence
from typing import Never, TypeVar

from engine.decider import Cases
from engine.errors import Wording
from engine.tournament.model.commands.correcting import CorrectResult, Forfeit, Reaward
from engine.tournament.model.errors.correcting import CorrectionInvalid, TournamentNotFinished
from engine.tournament.model.events import Event
from engine.tournament.model.events.correcting import ResultCorrected
from engine.tournament.model.state import Finished, State, phase_of
from engine.tournament.model.values import Payout, Placing
from engine.tournament.money.pool import amounts_of
from engine.tournament.money.prizes import payouts_of, shared_out
from engine.values import EntrantId


def _correct_order(state: Finished, command: CorrectResult) -> ResultCorrected:
    placings = _placings(state, _in_order(state, command.order))
    return _corrected(state, command, placings, _forfeited(state))


def _number(state: Finished) -> int:
    return len(state.corrections) + 1


def _forfeited(state: Finished) -> tuple[EntrantId, ...]:
    return state.corrections[-1].forfeited if state.corrections else ()


def _in_order(
    state: Finished, order: Sequence[Sequence[EntrantId]]
) -> tuple[tuple[EntrantId, ...], ...]:
    named = [entrant for group in order for entrant in group]
    if len(named) != len(set(named)):
        raise CorrectionInvalid(problem=Wording("an entrant has two places"))
    if set(named) != {each.entrant for each in state.placings} - set(_forfeited(state)):
        raise CorrectionInvalid(
            problem=Wording("the order must name every entrant with a place, and nobody else")
        )
    return tuple(tuple(group) for group in order if group)


def _placings(
    state: Finished,
    order: Sequence[Sequence[EntrantId]],
    forfeited: Sequence[EntrantId] | None = None,
) -> tuple[Placing, ...]:
    """Return the places of *order*. Entrants who forfeited share the last ones."""
    entries = {each.entrant: each for each in state.entrants}
    last = tuple(_forfeited(state) if forfeited is None else forfeited)
    placings: list[Placing] = []
    for group in (*order, last):
        place = len(placings) + 1
        placings.extend(
            Placing(
                entrant=entrant,
                player=entries[entrant].player,
                place=place,
                shared=len(group),
            )
            for entrant in sorted(group, key=lambda each: entries[each].number)
        )
    return tuple(placings)


def _corrected(
    state: Finished,
    command: CorrectResult | Forfeit,
    placings: tuple[Placing, ...],
    forfeited: tuple[EntrantId, ...],
) -> ResultCorrected:
    # Prizes go by the places of entrants who keep their results, so a forfeit pays nobody less.
    paid = tuple(each for each in placings if each.entrant not in forfeited)
    forfeit = isinstance(command, Forfeit)
    return ResultCorrected(
        number=_number(state),
        kind="forfeit" if forfeit else "correction",
        placings=placings,
        payouts=_payouts(state, paid),
        forfeited=forfeited,
        by=command.by,
        reason=command.reason,
        rule="corrections.forfeit" if forfeit else "corrections.result",
    )


def _payouts(state: Finished, paid: tuple[Placing, ...]) -> tuple[Payout, ...]:
    deal = state.books.deal
    parties = [] if deal is None else [share.entrant for share in deal.shares]
    places = [each.place for each in paid if each.entrant in parties]
    if max(places, default=0) > len(places):
        raise CorrectionInvalid(
            problem=Wording("entrants of a payout deal stay above the rest; award the prizes again")
        )
    amounts = amounts_of(state, places=len(paid))
    if deal is not None and sum(amounts[: len(places)]) < shared_out(deal, paid):
        raise CorrectionInvalid(
            problem=Wording("a payout deal gives more than the places; award the prizes again")
        )
    entries = {each.entrant: each for each in state.entrants}
    return payouts_of(paid, amounts, deal, entries=entries)


def _forfeit(state: Finished, command: Forfeit) -> ResultCorrected:
    if all(each.entrant != command.entrant for each in state.placings):
        raise CorrectionInvalid(problem=Wording("the entrant has no place"))
    forfeited = tuple(dict.fromkeys((*_forfeited(state), command.entrant)))
    if len(forfeited) == len(state.placings):
        raise CorrectionInvalid(problem=Wording("at least one entrant must keep a result"))
    groups: dict[int, list[EntrantId]] = {}
    for each in sorted(state.placings, key=lambda each: each.place):
        if each.entrant not in forfeited:
            groups.setdefault(each.place, []).append(each.entrant)
    placings = _placings(state, tuple(groups.values()), forfeited)
    return _corrected(state, command, placings, forfeited)


def _reaward(state: Finished, command: Reaward) -> ResultCorrected:
    places = {each.entrant: each for each in state.placings}
    named = [each.entrant for each in command.awards]
    if len(named) != len(set(named)) or not set(named) <= set(places):
        raise CorrectionInvalid(
            problem=Wording("each award must go to a different entrant with a place")
        )
    if any(each.amount <= 0 for each in command.awards):
        raise CorrectionInvalid(problem=Wording("an award must be positive"))
    if set(named) & set(_forfeited(state)):
        raise CorrectionInvalid(
            problem=Wording("an entrant whose result was forfeited gets no prize")
        )
    paid_out = sum(each.amount for each in state.payouts)
    given = sum(each.amount for each in command.awards)
    if given != paid_out:
        raise CorrectionInvalid(
            problem=Wording(f"the awards come to {given}, not to the {paid_out} paid out")
        )
    amounts = {each.entrant: each.amount for each in command.awards}
    return ResultCorrected(
        number=_number(state),
        kind="reaward",
        placings=state.placings,
        payouts=tuple(
            Payout(
                entrant=each.entrant,
                player=each.player,
                place=each.place,
                amount=amounts[each.entrant],
            )
            for each in state.placings
            if each.entrant in amounts
        ),
        forfeited=_forfeited(state),
        by=command.by,
        reason=command.reason,
        rule="corrections.reaward",
    )


Asked = TypeVar("Asked")


def _if_new(
    correct: Callable[[Finished, Asked], ResultCorrected],
) -> Callable[[State, Asked], tuple[Event, ...]]:
    """
    Return *correct* for any state. It refuses without a result, and no change causes no event.
    """

    def decided(state: State, command: Asked) -> tuple[Event, ...]:
        if not isinstance(state, Finished):
            raise TournamentNotFinished(phase=phase_of(state))
        corrected = correct(state, command)
        same = (corrected.placings, corrected.payouts) == (state.placings, state.payouts)
        return () if same else (corrected,)

    return decided


DECIDED = (
    Cases[State, Never, tuple[Event, ...]]()
    .on(CorrectResult, _if_new(_correct_order))
    .on(Forfeit, _if_new(_forfeit))
    .on(Reaward, _if_new(_reaward))
)
