"""The places of an evening, and its waitlist in words: a number, and what happens next."""

from engine.rulesets import OpenEnd
from engine.tournament.model.terms import one_table
from service.api.public.tournaments import PublicTournament
from service.api.tournament.entrants import EntrantShown
from service.api.tournament.tournaments import TournamentShown
from service.console.languages import Spoken
from service.console.screens.evening.entry import BEFORE_PLAY
from service.console.words import lasting

_IN_LINE = frozenset({"waitlisted", "offered"})
_IN_PLAY = frozenset({"registered", "playing", "rebuy_open", "busted"})
"""The states of an entry that has a place, or a right to come back to it."""

_ENDED = frozenset({"busted", "eliminated", "cashed_out", "finished"})
"""The states of an entry that was played and is over."""


def open_to_entries(shown: TournamentShown) -> bool:
    """Return whether somebody may enter now, or join the waitlist. A casino takes newcomers."""
    plays = shown.state in ("running", "paused")
    casino = isinstance(shown.ruleset.end, OpenEnd)
    return shown.state == "registering" or shown.late_registration or (casino and plays)


def may_enter(shown: TournamentShown, player: str) -> bool:
    """Return whether *player*, who is not in, may enter now or again."""
    if not open_to_entries(shown) or shown.bots == "only":
        return False
    mine = [each for each in shown.entrants if each.player == player]
    before = [each for each in mine if each.status in _ENDED]
    if shown.state in BEFORE_PLAY or isinstance(shown.ruleset.end, OpenEnd):
        return True
    ended = all(each.status != "busted" and not each.disqualified for each in before)
    return ended and len(before) <= shown.entry.re_entries_max


def in_line(shown: TournamentShown) -> list[EntrantShown]:
    """Return the players on the waitlist, in order, with those who are offered a place."""
    return [each for each in shown.entrants if each.status in _IN_LINE]


def taken(shown: TournamentShown) -> int:
    """Return the number of places that are taken or offered."""
    offered = sum(each.status == "offered" for each in shown.entrants)
    inside = sum(each.status in _IN_PLAY and not each.disqualified for each in shown.entrants)
    return offered + inside


def places(shown: TournamentShown | PublicTournament) -> int:
    """Return the number of places. A game without an end, or at one table, has only its seats."""
    if one_table(shown.format, shown.ruleset):
        return min(shown.entrants_max, shown.table_seats)
    return shown.entrants_max


def next_number(shown: TournamentShown) -> int | None:
    """Return the number in line of a player who enters now, or None if there is a place."""
    waiting = in_line(shown)
    ahead = [each for each in waiting if each.status == "waitlisted"]
    if shown.late_registration and _checks_in(shown):
        ahead = [each for each in ahead if each.checked_in]
    free = taken(shown) < places(shown) and not ahead
    return None if free else len(waiting) + 1


def may_leave(shown: TournamentShown, entry: EntrantShown) -> bool:
    """Return whether *entry* may be given up. A player with a seat keeps it once play has begun."""
    if shown.state in BEFORE_PLAY:
        return entry.status != "offered"
    return shown.state in ("running", "paused") and entry.status in ("waitlisted", "requested")


def joined(language: Spoken, shown: TournamentShown, entrant: str) -> str:
    """Return the sentence for a reader who has just entered, joined the waitlist or applied."""
    entry = next((each for each in shown.entrants if each.id == entrant), None)
    if entry is not None and entry.status == "requested":
        return language.gettext("You have asked to enter. The organisers answer.")
    if entry is None or entry.line is None:
        return language.gettext("You are on the list.")
    said = language.gettext("You are number %(line)s on the waitlist.")
    return said % {"line": entry.line}


def waitlisted(language: Spoken, shown: TournamentShown, entrant: str) -> str:
    """Return the sentence that names somebody's number on the waitlist, or nothing."""
    found = next((each for each in in_line(shown) if each.id == entrant), None)
    if found is None:
        return ""
    return language.gettext(
        "Every place is taken. %(name)s is number %(line)s on the waitlist."
    ) % {
        "name": found.name or language.gettext("somebody who has left"),
        "line": found.line,
    }


def what_happens_next(language: Spoken, shown: TournamentShown) -> str:
    """Return how somebody on the waitlist gets a place: before play, and during late entry."""
    _ = language.gettext
    here = _checks_in(shown)
    if shown.late_registration:
        if here:
            return _("A free place goes at once to the first in line who has checked in.")
        return _("A free place goes at once to the first in line.")
    if shown.state not in BEFORE_PLAY:
        return ""
    asked = ""
    if shown.state == "registering":
        asked = _("A free place is offered to the first in line, who has %(time)s to take it.") % {
            "time": lasting(shown.entry.offer_seconds, language)
        }
    start = _("At the start, free places go to the first in line.")
    if here:
        start = _("At the start, free places go to the first in line who have checked in.")
    return f"{asked} {start}".strip()


def _checks_in(shown: TournamentShown) -> bool:
    return shown.entry.check_in_opens_before_seconds is not None
