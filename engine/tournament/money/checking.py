"""The check of the terms about money before a tournament is announced."""

from collections.abc import Iterable

from engine.errors import Wording
from engine.rulesets import OpenEnd
from engine.tournament.model.commands import Announce
from engine.tournament.model.terms.announced import Terms
from engine.tournament.model.terms.fees import FeeTerms
from engine.values import CHIPS_MAX

AMOUNT_MAX = 2**40
"""The limit of each price. Payments of a hundred thousand entries still fit a read-model column."""

SHARE_MAX = 1_000_000
ROWS_MAX = 1_000
_WHOLE = 100

Checked = tuple[str, bool, Wording]
"""A field of the terms, whether it is sound, and the demand on it."""


def checked(command: Announce | Terms) -> Iterable[Checked]:
    """Return each demand on the terms about money: the field, whether it is met, and the text."""
    fees = command.fees
    flat = all(each == 0 for each in _amounts(fees)) and not fees.amounts
    money = not flat or command.prize_pool > 0
    shares = bool(command.payouts or fees.table or fees.amounts)
    return (
        *_sound(fees, command.ruleset.chip_unit),
        (
            "payouts",
            all(share > 0 for share in command.payouts),
            Wording("shares must be positive"),
        ),
        ("prize_pool", command.prize_pool >= 0, Wording("must not be negative")),
        ("payouts", shares or not money, Wording("must say who gets the prize pool")),
        (
            "payouts",
            bool(command.payouts) or not fees.table or _covers(fees, command.entrants_min),
            Wording("must say what the smallest fields get"),
        ),
        (
            "currency",
            bool(command.currency) or not money,
            Wording("must be set if there is money to pay"),
        ),
        (
            "fees.add_on",
            fees.add_on is None or not command.ruleset.moneyless,
            Wording("must be null: this game has no chips"),
        ),
        (
            "fees",
            flat or not isinstance(command.ruleset.end, OpenEnd),
            Wording("must all be 0 in a casino, where chips belong to the players"),
        ),
    )


def _sound(fees: FeeTerms, unit: int) -> Iterable[Checked]:
    add_on, rows = fees.add_on, fees.table
    amounts = all(0 <= each <= AMOUNT_MAX for each in _amounts(fees))
    shares = all(row.shares and all(0 < share <= SHARE_MAX for share in row.shares) for row in rows)
    sizes = [row.entrants_from for row in rows]
    percent = fees.paid_percent
    falling = list(fees.amounts) == sorted(fees.amounts, reverse=True)
    return (
        ("fees", amounts, Wording(f"amounts must be between 0 and {AMOUNT_MAX}")),
        (
            "fees.add_on",
            add_on is None
            or (0 < add_on.chips <= CHIPS_MAX and not add_on.chips % unit and add_on.max > 0),
            Wording(f"must bring whole units of {unit} chips, with a max of at least 1"),
        ),
        ("fees.table", shares, Wording(f"every row must have shares, each 1 to {SHARE_MAX}")),
        ("fees.table", len(rows) <= ROWS_MAX, Wording(f"must have {ROWS_MAX} rows at most")),
        (
            "fees.table",
            len(set(sizes)) == len(sizes),
            Wording("must have one row for each size of field"),
        ),
        (
            "fees.amounts",
            falling and all(0 < each <= AMOUNT_MAX for each in fees.amounts),
            Wording("must be positive, the first place's the largest"),
        ),
        (
            "fees.paid_percent",
            percent is None or 0 < percent <= _WHOLE,
            Wording("must be between 1 and 100"),
        ),
        ("fees.unit", 0 < fees.unit <= AMOUNT_MAX, Wording("must be positive")),
    )


def _amounts(fees: FeeTerms) -> tuple[int, ...]:
    rebuy, add_on = fees.rebuy, fees.add_on
    return (
        fees.buy_in,
        fees.fee,
        fees.bounty,
        fees.guaranteed,
        *(() if rebuy is None else (rebuy.price, rebuy.fee)),
        *(() if add_on is None else (add_on.price, add_on.fee)),
    )


def _covers(fees: FeeTerms, entrants: int) -> bool:
    return any(row.entrants_from <= entrants for row in fees.table)
