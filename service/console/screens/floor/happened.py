"""The latest events on a floor, in a director's words, newest first."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Literal

import msgspec

from service.api.tournament.changes import SeatChanged
from service.api.tournament.happenings import Happening
from service.base.languages import N_
from service.console.languages import Spoken
from service.console.words import lasting

Kind = Literal["", "big", "bad"]


class Told(msgspec.Struct, kw_only=True):
    """One line of the list."""

    at: datetime
    title: str
    text: str
    """The staff member who ordered it and further facts, or nothing."""

    kind: Kind = ""
    """The mark of the line: `big` for a turning point of the evening, `bad` for a penalty."""


_BIG = frozenset({"play_started", "level_raised", "break_started", "tournament_finished"})
_BAD = frozenset(
    {"entrant_warned", "penalty_given", "entrant_disqualified", "tournament_cancelled"}
)

_Says = Callable[[Happening, Spoken], str]


def told(items: Iterable[Happening], language: Spoken) -> tuple[Told, ...]:
    """Return the lines of the latest events. Types without words here are left out."""
    return tuple(
        Told(
            at=each.at,
            title=SAYS[each.type](each, language),
            text=_by(each, language),
            kind="bad" if each.type in _BAD else "big" if each.type in _BIG else "",
        )
        for each in items
        if each.type in SAYS
    )


def moved(changes: Iterable[SeatChanged], language: Spoken) -> tuple[Told, ...]:
    """Return the lines of changed seats. Strangers see nothing else."""
    return tuple(
        Told(
            at=each.at,
            title=_moved_to(each.name, each.to.number, each.to.seat, language),
            text="",
        )
        for each in changes
    )


def _by(each: Happening, language: Spoken) -> str:
    return "" if each.by is None else language.gettext("by %(name)s") % {"name": each.by}


def _name(each: Happening, language: Spoken) -> str:
    return each.name or language.gettext("somebody who has left")


def _moved_to(name: str | None, table: int | None, seat: int | None, language: Spoken) -> str:
    told = {
        "name": name or language.gettext("somebody who has left"),
        "table": table if table is not None else "–",
        "seat": seat,
    }
    if seat is None:
        return language.gettext("%(name)s to table %(table)s") % told
    return language.gettext("%(name)s to table %(table)s, seat %(seat)s") % told


def _plain(text: str) -> _Says:
    """Return a function that gives a text that names nobody."""
    return lambda each, language: language.gettext(text)


def _of_table(text: str) -> _Says:
    return lambda each, language: language.gettext(text) % {"number": each.table or "–"}


def _of_player(text: str) -> _Says:
    return lambda each, language: language.gettext(text) % {"name": _name(each, language)}


def _level(each: Happening, language: Spoken) -> str:
    return language.gettext("Level %(level)s begins") % {"level": each.level}


def _clock(each: Happening, language: Spoken) -> str:
    lasts = lasting(abs(each.seconds or 0), language)
    said = {"level": each.level, "length": lasts}
    if not each.seconds:
        return language.gettext("Level %(level)s begins") % said
    if each.seconds > 0:
        return language.gettext("%(length)s added to level %(level)s") % said
    return language.gettext("%(length)s taken from level %(level)s") % said


def _break(each: Happening, language: Spoken) -> str:
    said = {"level": each.level, "length": lasting(each.seconds or 0, language)}
    if each.level is None:
        return language.gettext("Break of %(length)s called") % said
    if not each.seconds:
        return language.gettext("No break after level %(level)s") % said
    return language.gettext("Break of %(length)s planned after level %(level)s") % said


def _break_began(each: Happening, language: Spoken) -> str:
    lasts = lasting(each.seconds or 0, language)
    return language.gettext("Break of %(length)s") % {"length": lasts}


def _out(each: Happening, language: Spoken) -> str:
    said = {"name": _name(each, language), "place": each.place}
    return language.gettext("%(name)s is out, place %(place)s") % said


def _broken(each: Happening, language: Spoken) -> str:
    text = language.ngettext(
        "Table %(number)s is broken, one player moves",
        "Table %(number)s is broken, %(num)d players move",
        each.players or 0,
    )
    return text % {"number": each.table or "–", "num": each.players or 0}


def _penalty(each: Happening, language: Spoken) -> str:
    text = language.ngettext(
        "Penalty for %(name)s: one hand", "Penalty for %(name)s: %(num)d hands", each.hands or 0
    )
    return text % {"name": _name(each, language), "num": each.hands or 0}


def _last_hands(each: Happening, language: Spoken) -> str:
    if not each.hands:
        return language.gettext("The hands in play are the last")
    text = language.ngettext(
        "Last hands: one more at each table", "Last hands: %(num)d more at each table", each.hands
    )
    return text % {"num": each.hands}


def _voided(each: Happening, language: Spoken) -> str:
    said = {"number": each.hand_number, "table": each.table or "–"}
    return language.gettext("Hand %(number)s at table %(table)s is dealt again") % said


def _seated(each: Happening, language: Spoken) -> str:
    return _moved_to(each.name, each.to_table, each.seat, language)


def _ordered(each: Happening, language: Spoken) -> str:
    where = _moved_to(each.name, each.to_table, each.seat, language)
    return language.gettext("Ordered: %(move)s") % {"move": where}


SAYS: dict[str, _Says] = {
    "play_started": _plain(N_("Play begins")),
    "tournament_paused": _plain(N_("Paused")),
    "tournament_resumed": _plain(N_("Play goes on")),
    "tournament_finished": _plain(N_("The evening is over")),
    "tournament_cancelled": _plain(N_("The evening is cancelled")),
    "announcement_posted": _plain(N_("An announcement to the players")),
    "play_closing": _plain(N_("No further hand")),
    "level_raised": _level,
    "clock_set": _clock,
    "break_announced": _break,
    "break_started": _break_began,
    "break_ended": _plain(N_("The break is over")),
    "hand_for_hand_started": _plain(N_("Hand for hand")),
    "hand_for_hand_ended": _plain(N_("Hand-for-hand play is over")),
    "last_hands_called": _last_hands,
    "entrant_eliminated": _out,
    "no_show_released": _of_player(N_("%(name)s was not here and loses the place")),
    "no_show_purged": _of_player(N_("%(name)s never came and leaves the table")),
    "rebuy_declared": _of_player(N_("%(name)s takes a rebuy once the last chip is lost")),
    "rebuy_taken": _of_player(N_("A rebuy for %(name)s")),
    "add_on_taken": _of_player(N_("An add-on for %(name)s")),
    "entrant_cashed_out": _of_player(N_("%(name)s leaves with the chips")),
    "entrants_moved": _seated,
    "late_seat_drawn": _seated,
    "move_ordered": _ordered,
    "table_broken": _broken,
    "deal_voided": _voided,
    "seats_redrawn": _plain(N_("All seats are drawn again")),
    "table_added": _of_table(N_("Table %(number)s is added")),
    "table_hold_ordered": _of_table(N_("Table %(number)s is held")),
    "table_released": _of_table(N_("Table %(number)s plays on")),
    "breaking_order_changed": _plain(N_("The order in which tables break is changed")),
    "entrant_warned": _of_player(N_("%(name)s is warned")),
    "penalty_given": _penalty,
    "entrant_disqualified": _of_player(N_("%(name)s is disqualified")),
}
"""The words for each type that the API lists."""
