"""The changes of a dry run, as tables with columns before and after."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import msgspec

from service.api.http.writing.rehearsing import WouldChange
from service.console.languages import Spoken
from service.console.words import Words, lasting


class Place(Protocol):
    """A seat at a table."""

    @property
    def table(self) -> str: ...
    @property
    def seat(self) -> int | None: ...


class Planned(Protocol):
    """A break after a level."""

    @property
    def after_level(self) -> int: ...
    @property
    def seconds(self) -> int: ...


class Pace(Protocol):
    """The orders of staff about the pace of play."""

    @property
    def on_break(self) -> bool: ...
    @property
    def breaks(self) -> Sequence[Planned]: ...
    @property
    def hand_for_hand(self) -> bool: ...
    @property
    def last_hands(self) -> int | None: ...
    @property
    def held(self) -> Sequence[int]: ...


class Row(msgspec.Struct, kw_only=True):
    """One thing that would change."""

    what: str
    before: str
    after: str
    same: bool = False


class ChangeList(msgspec.Struct, kw_only=True):
    """The changes of one kind."""

    caption: str
    about: str
    """The heading of the first column."""

    rows: list[Row]


def tables_of(
    changes: WouldChange, names: Mapping[str, str], currency: str | None, language: Spoken
) -> list[ChangeList]:
    """
    Return the changes as tables, without those that would be empty.

    Args:
        names: The names of players and entrants, by identifier, and those of tables.
        currency: The currency of prizes, or None for chips.
    """
    _ = language.gettext
    player, found = _("Player"), []
    kinds = (
        (_("State"), _("Tournament"), _states(changes, names, language)),
        (_("Play"), _("What changes"), _paces(changes, language)),
        (_("Places"), player, _places(changes, names)),
        (_("Prizes"), player, _prizes(changes, names, currency, language)),
        (_("Seats"), player, _seats(changes, names, language)),
        (_("Stacks"), player, _stacks(changes, names, language)),
        (_("Penalty hands"), player, _penalties(changes, names)),
        (_("Standings"), player, _standings(changes, names, language)),
    )
    for caption, about, rows in kinds:
        listed = list(rows)
        if listed:
            found.append(ChangeList(caption=caption, about=about, rows=listed))
    return found


def _states(changes: WouldChange, names: Mapping[str, str], language: Spoken) -> Iterator[Row]:
    words = Words(language)
    for tournament, each in changes.tournaments.items():
        if each.state_before != each.state_after:
            yield Row(
                what=names.get(tournament, language.gettext("This evening")),
                before=words.phase(each.state_before),
                after=words.phase(each.state_after),
            )


def _paces(changes: WouldChange, language: Spoken) -> Iterator[Row]:
    """Yield the changes in breaks, holds and hand-for-hand play."""
    for tournament in changes.tournaments.values():
        pace = tournament.pace
        if pace is None:
            continue
        before, after = _pace(pace.before, language), _pace(pace.after, language)
        for what in dict.fromkeys((*before, *after)):
            was, now = before.get(what, "–"), after.get(what, "–")
            if was != now:
                yield Row(what=what, before=was, after=now)


def _pace(pace: Pace, language: Spoken) -> dict[str, str]:
    """Return the words for each part of the pace. A table that is not held has none."""
    _ = language.gettext
    yes, no = _("yes"), _("no")
    planned = {
        _("Break after level %(number)s") % {"number": each.after_level}: (
            lasting(each.seconds, language) if each.seconds else no
        )
        for each in pace.breaks
    }
    return {
        _("Break"): yes if pace.on_break else no,
        **planned,
        _("Hand for hand"): yes if pace.hand_for_hand else no,
        _("Last hands"): no if pace.last_hands is None else _last(pace.last_hands, language),
        **{_("Table %(number)s") % {"number": each}: _("held") for each in pace.held},
    }


def _last(hands: int, language: Spoken) -> str:
    """Return the hands that are still dealt after those in play."""
    if not hands:
        return language.gettext("the hands in play")
    return language.ngettext("%(num)d more hand", "%(num)d more hands", hands) % {"num": hands}


def _places(changes: WouldChange, names: Mapping[str, str]) -> Iterator[Row]:
    for tournament in changes.tournaments.values():
        for each in tournament.placings:
            yield Row(what=_named(names, each.entrant, each.player),
                      before=_or(each.before), after=_or(each.after))  # fmt: skip


def _prizes(
    changes: WouldChange, names: Mapping[str, str], currency: str | None, language: Spoken
) -> Iterator[Row]:
    words = Words(language)
    for tournament in changes.tournaments.values():
        for each in tournament.payouts:
            yield Row(
                what=_named(names, each.entrant, each.player),
                before=words.money(each.before, currency),
                after=words.money(each.after, currency),
            )


def _seats(changes: WouldChange, names: Mapping[str, str], language: Spoken) -> Iterator[Row]:
    def shown(place: Place | None) -> str:
        if place is None:
            return "–"
        where = {"table": names.get(place.table, ""), "seat": place.seat}
        if place.seat is None:
            return language.gettext("table %(table)s, a seat that is drawn then") % where
        return language.gettext("table %(table)s, seat %(seat)s") % where

    for tournament in changes.tournaments.values():
        for each in tournament.seats:
            yield Row(
                what=_named(names, each.entrant),
                before=shown(each.before),
                after=shown(each.after),
            )


def _stacks(changes: WouldChange, names: Mapping[str, str], language: Spoken) -> Iterator[Row]:
    words = Words(language)
    for table in changes.tables.values():
        for each in table.stacks:
            yield Row(
                what=_named(names, each.entrant),
                before=words.chips(each.before),
                after=words.chips(each.after),
            )


def _penalties(changes: WouldChange, names: Mapping[str, str]) -> Iterator[Row]:
    for table in changes.tables.values():
        for each in table.penalties:
            yield Row(what=_named(names, each.entrant),
                      before=str(each.before), after=str(each.after))  # fmt: skip


def _standings(changes: WouldChange, names: Mapping[str, str], language: Spoken) -> Iterator[Row]:
    words = Words(language)
    for season in changes.seasons.values():
        for each in season:
            yield Row(
                what=_named(names, each.player),
                before=_ranked(each.rank_before, each.points_before, words),
                after=_ranked(each.rank_after, each.points_after, words),
            )


def _ranked(rank: int | None, points: str | None, words: Words) -> str:
    return "–" if rank is None else f"{rank}. ({words.decimal(points or '0')})"


def _named(names: Mapping[str, str], *identifiers: str) -> str:
    return next((names[each] for each in identifiers if each in names), "–")


def _or(number: int | None) -> str:
    return "–" if number is None else str(number)
