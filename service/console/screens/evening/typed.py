"""The fields of a proposal that an organiser has set. All other fields are computed."""

from collections.abc import Mapping, Sequence

import msgspec

from engine.rulesets import UNLIMITED
from engine.rulesets.parts import LevelStep
from service.base.documents import Document
from service.console.numbers import written as written_amount

Values = Mapping[str, tuple[str, ...]]

LEVELS = "levels"
COLUMNS = ("level_small[]", "level_big[]", "level_ante[]", "level_minutes[]")
_WAS = "was."
"""The names of the hidden fields that hold the proposed values."""

_NONE = ("rebuys", "last_hands", "price")
"""Fields that are empty if an announcement does not have them. They would be computed otherwise."""

ANY_REBUYS = "rebuys_any"
"""The box for rebuys without a limit, which the number beside it then does not set."""

_TICKS = (ANY_REBUYS, "waitlist", "check_in", "postpone", "staff_may_play")
TICKED: Mapping[str, tuple[str, ...]] = dict.fromkeys(
    ("waitlist", "postpone", "staff_may_play"), ("yes",)
)
"""The boxes that a new proposal ticks."""

CHECK_IN_SECONDS = 1800
POSTPONE_MINUTES, POSTPONEMENTS = 15, 2
"""The time that a proposed start waits for more players, and how often."""


def kept(values: Values) -> dict[str, tuple[str, ...]]:
    """
    Return the fields that the organiser has set.

    A field that still holds the proposed value is left out, so the next proposal may change it.
    """
    found: dict[str, tuple[str, ...]] = {}
    levels_stay = values.get(f"{_WAS}{LEVELS}") != (written(rows_of(values)),)
    for name, each in values.items():
        if name.startswith(_WAS) or (name in COLUMNS and not levels_stay):
            continue
        if values.get(f"{_WAS}{name}") != each:
            found[name] = each
    return found


def rows_of(values: Values) -> list[tuple[str, ...]]:
    """Return the rows of the levels as they were typed, without rows that have no bets."""
    columns = [values.get(each, ()) for each in COLUMNS]
    rows = [tuple(each.strip() or "0" for each in row) for row in zip(*columns, strict=False)]
    return [row for row in rows if any(each != "0" for each in row[:3])]


def levels_of(rows: Sequence[tuple[str, ...]]) -> tuple[LevelStep, ...]:
    """Return the levels in *rows*, of which the last never ends. Without numbers there are none."""
    if not all(each.isdecimal() and len(each) < 10 for row in rows for each in row):
        return ()
    steps = [
        LevelStep(small=small, big=big, ante=ante, length=minutes * 60)
        for small, big, ante, minutes in (map(int, row) for row in rows)
    ]
    return (*steps[:-1], *(msgspec.structs.replace(each, length=None) for each in steps[-1:]))


def rows_for(levels: Sequence[LevelStep]) -> tuple[tuple[str, ...], ...]:
    """Return the rows of *levels* as they stand in the form."""
    return tuple(
        (str(each.small), str(each.big), str(each.ante), str((each.length or 0) // 60))
        for each in levels
    )


def written(rows: Sequence[tuple[str, ...]]) -> str:
    """Return the rows of the levels as one text. Comparing these texts shows a change."""
    return " ".join("/".join(row) for row in rows)


def number(values: Values, name: str) -> int | None:
    """Return a whole number above 0 that was typed, or None."""
    text = values.get(name, ("",))[-1].strip()
    return int(text) if text.isdecimal() and len(text) < 10 and int(text) else None


def rebuys_of(values: Values) -> dict[str, int | None] | None:
    """Return the rebuys that the form sells, as in a ruleset, or None without any."""
    unlimited, most = bool(values.get(ANY_REBUYS)), number(values, "rebuys")
    if most is None and not unlimited:
        return None
    return {"max": None if unlimited else most, "until_level": number(values, "rebuys_level")}


def entry_terms_of(values: Values) -> dict[str, object]:
    """Return the terms of check-in and of a start with too few players, as they were typed."""
    entry: dict[str, object] = {}
    if values.get("check_in"):
        entry["check_in_opens_before_seconds"] = CHECK_IN_SECONDS
    if values.get("postpone"):
        minutes = number(values, "postpone_minutes") or POSTPONE_MINUTES
        entry["too_few"], entry["postpone_seconds"] = "postpone", 60 * minutes
        entry["postponements_max"] = number(values, "postponements_max") or POSTPONEMENTS
    return entry


def gives_up(content: Document) -> bool:
    """Return whether an announcement cancels its evening at once if too few players come."""
    return _part(content, "entry").get("too_few") != "postpone"


def filled(content: Document) -> dict[str, tuple[str, ...]]:
    """
    Return the fields of a form for an announcement, such as that of an earlier evening.

    The start of a new evening waits for players, even if that of the earlier one did not.
    A template may leave members out. These are proposed as for a new evening.
    """
    found: dict[str, tuple[str, ...]] = {}
    entry, floor = _part(content, "entry"), _part(content, "floor")
    breaks = floor.get("breaks") or ()
    rebuy = _part(_part(content, "overrides"), "rebuy")
    most = rebuy.get("max")
    postpones = not gives_up(content)
    single = {
        "name": content.get("name"),
        "place": content.get("place"),
        "minutes": _minutes(content.get("length_seconds")),
        "rebuys": None if most == UNLIMITED else most or None,
        ANY_REBUYS: most == UNLIMITED,
        "rebuys_level": (rebuy.get("until_level") or "") if most else None,
        "rebuys_seconds": rebuy.get("seconds"),
        "last_hands": floor.get("last_hands_after_minutes"),
        "breaks": ", ".join(str(each["level"]) for each in breaks) if "breaks" in floor else None,
        "break_minutes": _minutes(breaks[0]["seconds"]) if breaks else None,
        **_prices(content),
        "waitlist": entry.get("waitlist", True),
        "check_in": entry.get("check_in_opens_before_seconds") is not None,
        "postpone": True,
        "postpone_minutes": _minutes(entry.get("postpone_seconds")) if postpones else None,
        "postponements_max": entry.get("postponements_max") if postpones else None,
        "staff_may_play": content.get("staff_may_play", True),
        **{name: content.get(name) for name in NUMBERS},
    }
    for name, value in single.items():
        if name in _TICKS:
            found |= {name: ("yes",)} if value else {}
        elif value is not None or name in _NONE:
            found[name] = ("" if value is None else str(value),)
    if "late_registration_level" in entry:
        found["late"] = (str(entry["late_registration_level"] or ""),)
    escalation = _part(_part(content, "overrides"), "escalation")
    if escalation.get("kind") == LEVELS and escalation.get("by") == "clock":
        rows = rows_for(msgspec.convert(escalation["levels"], tuple[LevelStep, ...]))
        found |= dict(zip(COLUMNS, zip(*rows, strict=True), strict=True))
    return found


def _prices(content: Document) -> Document:
    """Return the fields of prices and prizes."""
    fees, currency = _part(content, "fees"), content.get("currency")
    add_on = _part(fees, "add_on")
    shares = ", ".join(map(str, content.get("payouts") or ()))
    return {
        "price": _price(fees.get("buy_in") or None, currency),
        "rebuy_price": _price(_part(fees, "rebuy").get("price"), currency),
        "add_on_chips": add_on.get("chips"),
        "add_on_price": _price(add_on.get("price"), currency),
        "add_on_max": add_on.get("max"),
        "payouts": shares if shares and currency else None,
        "payment": fees.get("payment") if currency else None,
    }


NUMBERS = ("table_seats", "starting_stack", "entrants_min", "entrants_max", "decision_seconds")
"""The members of an announcement that are single numbers, and fields of the same name."""


def laid_over(content: Document, terms: Document) -> Document:
    """
    Return *terms* over an earlier announcement, member by member.

    Members that the form does not show, such as bounties, stay as they were. The others are taken
    from the form. Where it empties the price of an entry, the fee and the bounty go with it.
    """
    gone = {"name", "place", "length_seconds", "staff_may_play"}
    if content.get("ruleset") != terms.get("ruleset"):
        gone |= {"overrides"}  # these were meant for another game
    emptied = _part(content, "fees").get("buy_in") and not _part(terms, "fees").get("buy_in")
    if "currency" not in terms and emptied:
        gone |= {"fees", "payouts", "currency", "prize_pool"}
    found = {name: each for name, each in content.items() if name not in gone}
    if emptied and "fees" in found:
        kept_fees = _part(found, "fees").items()
        found["fees"] = {k: v for k, v in kept_fees if k not in ("fee", "bounty")}
    below = {name: _part(found, name) for name in _SHOWN_WITHIN}
    for name, value in terms.items():
        hidden = _SHOWN_WITHIN.get(name, ())
        stay = {k: each for k, each in _part(found, name).items() if k not in hidden}
        found[name] = stay | value if isinstance(value, dict) else value
    for name in ("rebuy", "add_on"):
        for above in ("overrides", "fees"):
            if isinstance(value := _part(found, above).get(name), dict):
                # The form shows a part of it. The fee of the house, for example, stays.
                _part(found, above)[name] = _part(below[above], name) | value
    if "fees" in found and "fees" not in terms:
        found["fees"] = {k: v for k, v in below["fees"].items() if k not in _SHOWN_WITHIN["fees"]}
    return found


def prizes_set(content: Document) -> bool:
    """Return whether an announcement has prizes that the shares of the places do not tell."""
    fees = _part(content, "fees")
    names = ("amounts", "table", "paid_percent", "guaranteed")
    return any(fees.get(each) for each in names) or bool(content.get("prize_pool"))


_SHOWN_WITHIN = {
    "entry": (
        "waitlist", "late_registration_level", "check_in_opens_before_seconds",
        "too_few", "postpone_seconds", "postponements_max",
    ),
    "floor": ("breaks", "last_hands_after_minutes"),
    "fees": ("buy_in", "payment", "rebuy", "add_on"),
    "overrides": ("escalation", "rebuy"),
}  # fmt: skip
"""The members of nested objects that the form shows. Only the form sets them."""


def _part(content: Document, name: str) -> Document:
    found = content.get(name)
    return found if isinstance(found, dict) else {}


def _minutes(seconds: int | None) -> int | None:
    return None if not seconds else max(1, round(seconds / 60))


def _price(minor: int | None, currency: str | None) -> str | None:
    return None if minor is None or currency is None else written_amount(minor, currency)
