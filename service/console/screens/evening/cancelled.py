"""The reason of a cancelled evening, in the reader's words."""

from service.api.tournament.tournaments import TournamentShown
from service.base.languages import N_
from service.console.asking import Ask
from service.console.screens.evening.playing import releases

_REASONS = {
    "director": N_("The organisers have cancelled it."),
    "too_few_entrants": N_("Too few players had entered when it should have begun."),
    "fixture_edited": N_("The planned evenings were changed."),
    "sandbox_ended": N_("The sandbox has ended."),
}
"""The reasons in words, for an evening without words of the staff."""


def told(ask: Ask, shown: TournamentShown) -> str | None:
    """Return the reason for a member: the words of the staff if there are any."""
    cancellation = shown.cancellation
    if cancellation is None:
        return None
    if cancellation.reason == "too_few_entrants" and (said := _too_few_there(ask, shown)):
        return said
    return cancellation.words or because(ask, cancellation.reason)


def _too_few_there(ask: Ask, shown: TournamentShown) -> str | None:
    """Return how few had checked in, if enough had entered."""
    entered = [each for each in shown.entrants if each.status == "registered"]
    there = sum(each.checked_in for each in entered)
    if not releases(shown) or len(entered) < shown.entrants_min or there >= shown.entrants_min:
        return None
    said = ask.language.ngettext(
        "At the start, only %(there)s of %(num)d entered player had checked in. %(least)s were "
        "needed.",
        "At the start, only %(there)s of %(num)d entered players had checked in. %(least)s were "
        "needed.",
        len(entered),
    )
    return said % {"there": there, "num": len(entered), "least": shown.entrants_min}


def because(ask: Ask, reason: str) -> str | None:
    """Return a reason without the words of the staff, or None if there is none."""
    said = _REASONS.get(reason)
    return None if said is None else ask.gettext(said)
