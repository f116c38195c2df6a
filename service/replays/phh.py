"""
A replay in a form modelled on PHH, the poker hand history: TOML with one action a line.

PHH does not know Sabacc, so no program that plays PHH can play this file. Any TOML reader
can read it. Names that PHH lacks begin with an underscore. See ``docs/guides/replay.md``.
"""

import json
from collections.abc import Callable, Iterable, Sequence

from engine.table.read.replay import HIDDEN, Replay, Step
from service.replays.phrases import Data

MEDIA = "text/x-phh"

_Value = int | str | list[int] | list[str]


def document(replay: Replay) -> str:
    """Return the last deal of the hand as a document. Voided deals are only counted."""
    deal = replay.steps[-1].deal
    steps = [step for step in replay.steps if step.deal == deal]
    opened = steps[0].data
    players = _players(opened)
    fields: dict[str, _Value] = {
        "variant": f"_{replay.game}",
        **_posted(steps, players),
        "min_bet": opened["level"]["amounts"]["big"],
        "starting_stacks": [_books(opened, seat)["stack"] for seat in players],
        "hand": replay.number,
        "level": opened["level"]["number"],
        "seats": list(players),
        "players": [_books(opened, seat)["entrant"] for seat in players],
        "year": steps[0].at.year,
        "month": steps[0].at.month,
        "day": steps[0].at.day,
        "time_zone": "UTC",
        **_finished(steps, players),
        "_hand": replay.hand,
        "_table": replay.table,
        "_tournament": replay.tournament,
        "_perspective": replay.perspective,
        "_voided_deals": deal - 1,
        "_carry": opened["carry"],
        "_sabacc_pot": opened["sabacc_pot"],
    }
    written = [f"{name} = {_toml(value)}" for name, value in fields.items()]
    time = steps[0].at.strftime("%H:%M:%S")
    actions = [f"  {json.dumps(each)}," for step in steps for each in _actions(step, players)]
    return "\n".join([*written, f"time = {time}", "actions = [", *actions, "]", ""])


def _toml(value: _Value) -> str:
    """Return a value as TOML. The values are ASCII, so their JSON form is valid TOML."""
    return json.dumps(value)


def _books(opened: Data, seat: int) -> Data:
    return next(each for each in opened["seats"] if each["seat"] == seat)


def _players(opened: Data) -> dict[int, str]:
    """Return ``p1`` and so on by seat: clockwise with the button last, as in PHH."""
    dealt = sorted(each["seat"] for each in opened["seats"] if each["dealt"])
    button = opened["button"]
    order = [seat for seat in dealt if seat > button] + [seat for seat in dealt if seat <= button]
    return {seat: f"p{number}" for number, seat in enumerate(order, start=1)}


def _posted(steps: list[Step], players: dict[int, str]) -> dict[str, _Value]:
    posts = [
        post for step in steps if step.event == "forced_bets_posted" for post in step.data["posts"]
    ]

    def paid(*kinds: str) -> list[int]:
        return [
            sum(post["chips"] for post in posts if post["seat"] == seat and post["kind"] in kinds)
            for seat in players
        ]

    return {
        "antes": paid("ante"),
        "blinds_or_straddles": paid("small_blind", "big_blind"),
        "_table_antes": paid("table_ante"),
        "_sabacc_antes": paid("sabacc_ante"),
    }


def _finished(steps: list[Step], players: dict[int, str]) -> dict[str, _Value]:
    """Return the stacks after the hand, once it is settled."""
    for step in steps:
        if step.event == "hand_settled":
            stacks = {each["seat"]: each["stack"] for each in step.data["stacks"]}
            return {"finishing_stacks": [stacks[seat] for seat in players]}
    return {}


def _faces(found: str | Sequence[str]) -> str:
    """Return cards separated by commas. A card that the viewer may not see is ``??``, as in PHH."""
    listed = [found] if isinstance(found, str) else found
    return ",".join("??" if each == HIDDEN else each for each in listed) or "-"


def _acted(who: str, data: Data) -> str:
    match data["verb"]:
        case "fold":
            return f"{who} f"
        case "raise_to":
            return f"{who} cbr {data['amount']}"
        case _:
            return f"{who} cc"


def _turn(who: str, data: Data) -> str:
    parts = [f"{who} _{data['verb']}"]
    for sign, members in (("-", ("given", "shown")), ("+", ("drawn", "taken"))):
        parts += [f"{sign} {_faces(data[name])}" for name in members if data[name] is not None]
    return " ".join(parts)


_OF_ONE: dict[str, Callable[[str, Data], str]] = {
    "seat_acted": _acted,
    "hand_quit": lambda who, _: f"{who} f",
    "hand_killed": lambda who, data: f"{who} f # {data['cause']}",
    "selection_committed": lambda who, data: f"{who} _select {_faces(data['cards'])}",
    "improvement_committed": lambda who, data: f"{who} _improve {_faces(data['cards'])}",
    "card_turn_taken": _turn,
    "cards_fielded": lambda who, data: f"{who} _field {_faces(data['cards'])}",
    "hand_called": lambda who, _: f"{who} _call",
    "hand_shown": lambda who, data: f"{who} sm {_faces(data['cards'])}",
    "penalty_paid": lambda who, data: f"{who} _penalty {data['paid']}",
    "unmatched_returned": lambda who, data: f"{who} _returned {data['chips']}",
    "sabacc_pot_awarded": lambda who, data: f"{who} _sabacc_pot {data['chips']}",
}
"""The line of an event about one player."""

_OF_TABLE: dict[str, Callable[[Data], str]] = {
    "dice_rolled": lambda data: f"d _dice {data['target']:+d} {data['suit']}",
    "shift_rolled": lambda data: f"d _shift {data['dice'][0]} {data['dice'][1]}",
    "hand_called": lambda _: "d _call",
    "discard_flipped": lambda data: f"d _discard {data['card']}",
    "market_card_laid": lambda data: f"d _market {data['card']}",
    "pile_committed": lambda data: f"d _pile {data['pile']} {data['size']}",
}
"""The line of an event about the whole table."""

_OF_EACH: dict[str, tuple[str, Callable[[str, Data], str]]] = {
    "cards_dealt": ("dealt", lambda who, part: f"d dh {who} {_faces(part['cards'])}"),
    "replacements_dealt": ("dealt", lambda who, part: f"d _new {who} {_faces(part['cards'])}"),
    "shift_dealt": ("dealt", lambda who, part: f"d _new {who} {_faces(part['cards'])}"),
    "hands_taken_up": ("counts", lambda who, part: f"d _take_up {who} {part['cards']}"),
    "hands_revealed": ("hands", lambda who, part: f"{who} sm {_faces(part['cards'])}"),
    "hands_ranked": ("hands", lambda who, part: f"{who} sm {_faces(part['cards'])}"),
    "totals_announced": ("totals", lambda who, part: f"{who} _total {part['total']}"),
    "draw_off_dealt": ("cards", lambda who, part: f"d _draw_off {who} {part['card']}"),
    "demise_dealt": ("dealt", lambda who, part: f"d _demise {who} {part['card']}"),
    "pot_awarded": ("shares", lambda who, part: f"{who} _wins {part['chips']}"),
}
"""The lines of an event about several players: the member that lists them, and each line."""


def _actions(step: Step, players: dict[int, str]) -> Iterable[str]:
    data, event = step.data, step.event
    clock = " # clock" if step.actor.kind == "clock" else ""
    seat = data.get("seat")
    if event == "cube_rolled":
        yield f"d _cube {players[data['winner']]}"
    elif event in _OF_EACH:
        member, write = _OF_EACH[event]
        for part in data[member]:
            yield write(players[part["seat"]], part)
    elif event in _OF_ONE and seat in players:
        yield _OF_ONE[event](players[seat], data) + clock
    elif event in _OF_TABLE:
        yield _OF_TABLE[event](data)
