"""The start of play as the floor foresees it: who is not here, and whether too few are."""

from collections.abc import Sequence

from service.api.tournament.entrants import EntrantShown
from service.api.tournament.tournaments import TournamentShown
from service.console.languages import Spoken
from service.console.screens.evening.entry import BEFORE_PLAY, releases

_NAMED_MAX = 12
"""The most names that a warning lists."""


def absentees(shown: TournamentShown) -> tuple[EntrantShown, ...]:
    """Return the entrants whom a draw of the seats would withdraw, because they are not here."""
    if shown.state not in BEFORE_PLAY or not releases(shown.entry):
        return ()
    entered = (each for each in shown.entrants if each.status == "registered")
    return tuple(each for each in entered if not each.checked_in)


def too_few(shown: TournamentShown) -> bool:
    """Return whether a draw of the seats would find too few players."""
    if shown.state not in BEFORE_PLAY:
        return False
    checks = shown.entry.check_in_opens_before_seconds is not None
    entered = [each for each in shown.entrants if each.status == "registered"]
    there = sum(each.checked_in or not releases(shown.entry) for each in entered)
    line = [each for each in shown.entrants if each.status == "waitlisted"]
    there += sum(each.checked_in or not checks for each in line)
    return there < shown.entrants_min


def loses_places(language: Spoken, absent: Sequence[EntrantShown]) -> str:
    """Return the sentence that names players who have not checked in."""
    names = [each.name or language.gettext("somebody who has left") for each in absent]
    told = ", ".join(names[:_NAMED_MAX]) + (" …" if len(names) > _NAMED_MAX else "")
    said = language.ngettext(
        "%(num)d player is not checked in and loses the place: %(names)s.",
        "%(num)d players are not checked in and lose their places: %(names)s.",
        len(names),
    )
    return said % {"num": len(names), "names": told}
