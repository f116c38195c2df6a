"""The events of a table in words: one phrase for each type of event."""

from collections.abc import Callable, Iterable, Sequence

from engine.table.read.replay import HIDDEN
from service.base.documents import Document

Data = Document
"""The members of an event as plain JSON. The type of the event determines the members."""

FACE_DOWN = "??"


def cards(found: str | Sequence[str]) -> str:
    """
    Return cards as words. Cards that the viewer may not see are :data:`FACE_DOWN`.

    >>> cards(["C+01", "hidden"]), cards([]), cards("hidden")
    ('C+01 ??', 'none', '??')
    """
    listed = [found] if isinstance(found, str) else found
    return " ".join(FACE_DOWN if each == HIDDEN else each for each in listed) or "none"


def seats(numbers: Iterable[int]) -> str:
    """
    Return seats as words.

    >>> seats([1, 2]), seats([4])
    ('seats 1, 2', 'seat 4')
    """
    listed = [str(each) for each in numbers]
    return f"seat{'s' if len(listed) > 1 else ''} {', '.join(listed)}"


def _each(parts: Iterable[Data], say: Callable[[Data], str]) -> str:
    return "; ".join(f"seat {part['seat']}: {say(part)}" for part in parts) or "nobody"


def _opened(data: Data) -> str:
    sitting = _each(
        data["seats"], lambda it: f"{it['stack']}{'' if it['dealt'] else ' (not dealt in)'}"
    )
    level = data["level"]
    amounts = level["amounts"]
    bets = f"{amounts['small']}/{amounts['big']}, ante {amounts['ante']}"
    last = ", the last hand" if data["last"] else ""
    return (
        f"opens deal {data['deal']}{last}: button in seat {data['button']}, level "
        f"{level['number']} ({bets}), carry {data['carry']}; {sitting}"
    )


def _posted(data: Data) -> str:
    def post(part: Data) -> str:
        short = f" of {part['owed']}" if part["chips"] < part["owed"] else ""
        return f"{part['kind'].replace('_', ' ')} {part['chips']}{short}"

    return "forced bets: " + _each(data["posts"], post)


def _acted(data: Data) -> str:
    asked = "" if data["amount"] is None else f" {data['amount']}"
    paid = f", pays {data['paid']}" if data["paid"] else ""
    all_in = ", all-in" if data["all_in"] else ""
    return f"{data['verb'].replace('_', ' ')}{asked}{paid}{all_in}"


def _turn(data: Data) -> str:
    said = [data["verb"]]
    for member, words in (("given", "gives up"), ("shown", "lays open")):
        if data[member] is not None:
            said.append(f"{words} {cards(data[member])}")
    for member, words in (("drawn", "draws"), ("taken", "takes")):
        if data[member] is not None:
            source = "" if data["source"] is None else f" from {data['source']}"
            said.append(f"{words} {cards(data[member])}{source}")
    if data["fee"]:
        said.append(f"pays {data['fee']}")
    return ", ".join(said)


def _dealt(data: Data) -> str:
    return "deals: " + _each(data["dealt"], lambda it: cards(it["cards"]))


def _counts(words: str) -> Callable[[Data], str]:
    return lambda data: f"{words}: " + _each(data["counts"], lambda it: f"{it['cards']}")


def _shown(hand: Data) -> str:
    name = f", {hand['name'].replace('_', ' ')}" if "name" in hand else ""
    return f"{cards(hand['cards'])} (total {hand['total']}{name})"


def _pots(data: Data) -> str:
    listed = enumerate(data["pots"], start=1)
    return "pots: " + "; ".join(
        f"pot {number} {pot['chips']} for {seats(pot['eligible'])}" for number, pot in listed
    )


def _awarded(data: Data) -> str:
    stays = f"; {data['remainder']} stays on the table" if data["remainder"] else ""
    shares = _each(data["shares"], lambda it: f"{it['chips']}")
    return f"pot {data['pot']} of {data['chips']}: {shares}{stays}"


def _settled(data: Data) -> str:
    busts = f"; out: {seats(each['seat'] for each in data['busts'])}" if data["busts"] else ""
    won = f"won by {seats(data['winners'])}" if data["winners"] else "won by nobody"
    return f"hand over by {data['ending']}, {won}{busts}; carry {data['carry']}"


def _voided(data: Data) -> str:
    returned = _each(data["returned"], lambda it: f"{it['chips']}")
    return (
        f"deal {data['deal']} is void ({data['cause'].replace('_', ' ')}), chips go back: "
        f"{returned}; its cards were {cards(data['cards'])}"
    )


def _decision(data: Data) -> str:
    return f"asks {seats(data['seats'])}: {data['phase']}, street {data['street']}"


PHRASES: dict[str, Callable[[Data], str]] = {
    "hand_opened": _opened,
    "table_beacon_awaited": lambda it: (
        f"deal {it['deal']} waits for pulse {it['round']} of the beacon"
    ),
    "table_beacon_mixed": lambda it: f"pulse {it['pulse']['round']} of the beacon is mixed in",
    "forced_bets_posted": _posted,
    "dice_rolled": lambda it: f"dice: target {it['target']:+d}, {it['suit']}",
    "cards_dealt": _dealt,
    "hand_killed": lambda it: f"the hand of seat {it['seat']} is killed ({it['cause']})",
    "decision_opened": _decision,
    "selection_committed": lambda it: f"selects {cards(it['cards'])}",
    "improvement_committed": lambda it: f"adds {cards(it['cards'])}",
    "selections_closed": _counts("selected"),
    "improvements_closed": _counts("hold"),
    "cards_discarded": _counts("discarded"),
    "replacements_dealt": _dealt,
    "shift_dealt": _dealt,
    "pile_committed": lambda it: f"new pile {it['pile']} of {it['size']} cards",
    "seat_acted": _acted,
    "street_closed": lambda it: f"street {it['street']} ends, {it['chips']} wagered",
    "card_turn_taken": _turn,
    "cards_fielded": lambda it: f"fields {cards(it['cards'])}",
    "hand_called": lambda it: f"hand called in card round {it['round']}",
    "discard_flipped": lambda it: f"opens the discards with {it['card']}",
    "market_card_laid": lambda it: f"lays {it['card']} as pilot",
    "shift_rolled": lambda it: f"shift dice: {it['dice'][0]} and {it['dice'][1]}",
    "hands_taken_up": _counts("takes up"),
    "card_round_closed": lambda it: f"card round {it['round']} ends",
    "totals_announced": lambda it: (
        "announced: " + _each(it["totals"], lambda each: f"{each['total']}")
    ),
    "hands_revealed": lambda it: "reveals: " + _each(it["hands"], _shown),
    "hands_ranked": lambda it: "reveals: " + _each(it["hands"], _shown),
    "penalty_paid": lambda it: f"seat {it['seat']} pays {it['paid']} into the Sabacc pot",
    "unmatched_returned": lambda it: (
        f"uncalled bet of {it['chips']} goes back to seat {it['seat']}"
    ),
    "pots_formed": _pots,
    "draw_off_dealt": lambda it: (
        f"draw-off for pot {it['pot']}: " + _each(it["cards"], lambda each: each["card"])
    ),
    "cube_rolled": lambda it: f"chance cube for pot {it['pot']}: seat {it['winner']}",
    "demise_dealt": lambda it: (
        f"Sudden Demise for pot {it['pot']}: "
        + _each(it["dealt"], lambda each: f"{each['card']} (total {each['total']})")
    ),
    "pot_awarded": _awarded,
    "sabacc_pot_awarded": lambda it: f"Sabacc pot: seat {it['seat']} {it['chips']}",
    "hand_settled": _settled,
    "hand_shown": lambda it: f"shows {cards(it['cards'])}",
    "hand_quit": lambda _: "leaves the table and folds",
    "deal_voided": _voided,
}
"""By tag. :func:`phrase` shows any other event by its tag alone."""


def phrase(event: str, data: Data) -> str:
    """Return the event in words, without its actor."""
    say = PHRASES.get(event)
    return event.replace("_", " ") if say is None else say(data)
