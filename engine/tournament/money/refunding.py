"""
The refunds of a cancelled tournament, by the policy in its terms.

Before play everyone gets back their payments. In play the policy depends on whether the tournament
is in the money, which means that everyone still in would be paid.

Source: rulebook ``cancellation``.
"""

from collections.abc import Sequence

from engine.errors import Wording
from engine.rulesets import OpenEnd
from engine.tournament.model.errors import DirectiveStale
from engine.tournament.model.events.money import RefundPolicy, RefundsAwarded
from engine.tournament.model.state import Announced, Registering, Running
from engine.tournament.model.values import Standing
from engine.tournament.model.values.money import Refund
from engine.tournament.money.pool import (
    amounts_of,
    charged_to,
    entrants_of,
    not_placed,
    paid_by,
    paid_places,
    pool_of,
)
from engine.tournament.money.prizes import payouts
from engine.tournament.money.sharing import alike, by_weight
from engine.tournament.money.stacks import of_everyone
from engine.values import EntrantId

Parts = dict[EntrantId, dict[str, int]]
"""The refund of each entrant, part by part."""

_RULES: dict[RefundPolicy, str] = {
    "before_play": "cancellation.before_play",
    "refund_all": "cancellation.refund_all",
    "roll_forward": "cancellation.roll_forward",
    "lowest_unpaid_then_chips": "cancellation.lowest_unpaid",
    "by_chips": "cancellation.by_chips",
}


def refunded(
    state: Announced | Registering | Running, stacks: Sequence[Standing]
) -> tuple[RefundsAwarded, ...]:
    """
    Return the refunds that are owed if *state* is cancelled now, or nothing if none are owed.

    Args:
        stacks: The stacks of everyone still in, between two hands, once play has begun.

    Raises:
        DirectiveStale: If the policy needs the stacks, and they are not those of everyone still in.
    """
    if isinstance(state, Announced):
        return ()
    if isinstance(state, Registering):
        return _awarded(state, "before_play", _before_play(state), pool=0)
    if isinstance(state.terms.ruleset.end, OpenEnd):
        return ()  # the chips are everyone's own
    left, stacks = not_placed(state), of_everyone(state, stacks)
    parts: Parts = {
        entrant: {"bounty": state.terms.fees.bounty} if entrant in left else {}
        for entrant in entrants_of(state)
    }
    amounts = amounts_of(state)
    fees = state.terms.fees
    policy: RefundPolicy = fees.cancellation
    if state.books.deal is not None or len(left) <= paid_places(state):
        policy = fees.cancellation_in_money
        _in_the_money(state, parts, amounts, _chips(state, left, stacks), policy)
    elif policy == "roll_forward":
        _roll_forward(state, parts, _chips(state, left, stacks))
    else:
        _refund_all(state, parts)
    pool = pool_of(state.terms, state.books, entrants_of(state))
    told = tuple(each for each in stacks if each.entrant in left)
    return _awarded(state, policy, parts, pool=pool, stacks=told)


def _before_play(state: Registering) -> Parts:
    entrants = entrants_of(state)
    if state.terms.fees.payment == "on_trust":
        charged = charged_to(state.terms, state.books, entrants)
        return {
            entrant: {"paid_in": each.pooled, "fee": each.fee, "bounty": each.bounty}
            for entrant, each in charged.items()
        }
    return {entrant: {"paid_in": paid_by(state.books, entrant)} for entrant in entrants}


def _chips(
    state: Running, left: tuple[EntrantId, ...], stacks: Sequence[Standing]
) -> dict[EntrantId, int]:
    """Return the stacks of those *left*, without chips of disqualified entrants."""
    known = {each.entrant: each.stack for each in stacks}
    if not set(state.remaining()) <= set(known):
        raise DirectiveStale(problem=Wording("the stacks do not cover everyone still in"))
    # A broke entrant who is not placed yet has no seat and no stack.
    return {entrant: known.get(entrant, 0) for entrant in left}


def _refund_all(state: Running, parts: Parts) -> None:
    unclaimed = set(state.books.unclaimed)
    bounty = state.terms.fees.bounty
    for entrant, each in charged_to(state.terms, state.books, tuple(parts)).items():
        # An unclaimed bounty joined the pool, and this entrant had paid it.
        more = bounty if entrant in unclaimed else 0
        parts[entrant] |= {"paid_in": each.pooled + more, "fee": each.fee}


def _roll_forward(state: Running, parts: Parts, chips: dict[EntrantId, int]) -> None:
    pool = pool_of(state.terms, state.books, tuple(parts))
    half = pool // 2
    charged = charged_to(state.terms, state.books, tuple(chips))
    equal = alike(half, len(chips))
    stacked = by_weight(pool - half, tuple(chips.values()))
    for index, entrant in enumerate(chips):
        parts[entrant] |= {
            "fee": charged[entrant].fee,
            "equal": equal[index],
            "chips": stacked[index],
        }


def _in_the_money(
    state: Running,
    parts: Parts,
    amounts: tuple[int, ...],
    chips: dict[EntrantId, int],
    policy: RefundPolicy,
) -> None:
    entries = {entry.entrant: entry for entry in state.entrants}
    deal = state.books.deal
    agreed = {} if deal is None else {each.entrant: each.amount for each in deal.shares}
    placed = [each for each in state.placings if each.entrant not in agreed]
    for payout in payouts(placed, amounts, entries=entries):
        parts[payout.entrant]["prize"] = payout.amount
    for entrant, amount in agreed.items():
        parts[entrant]["prize"] = amount
    open_places = amounts[: len(agreed) or len(chips)]
    rest = sum(open_places) - sum(agreed.values())
    if not agreed and policy == "lowest_unpaid_then_chips":
        lowest = open_places[-1]
        rest -= lowest * len(chips)
        for entrant in chips:
            parts[entrant]["prize"] = lowest
    for entrant, amount in zip(chips, by_weight(rest, tuple(chips.values())), strict=True):
        parts[entrant]["chips"] = amount


def _awarded(
    state: Registering | Running,
    policy: RefundPolicy,
    parts: Parts,
    *,
    pool: int,
    stacks: tuple[Standing, ...] = (),
) -> tuple[RefundsAwarded, ...]:
    refunds = (
        Refund(entrant=each.entrant, player=each.player, **parts[each.entrant])
        for each in state.entrants
    )
    owed = tuple(refund for refund in refunds if refund.amount)
    if not owed or state.terms.currency is None:
        return ()
    return (
        RefundsAwarded(
            policy=policy,
            pool=pool,
            stacks=stacks,
            refunds=owed,
            currency=state.terms.currency,
            rule=_RULES[policy],
        ),
    )
