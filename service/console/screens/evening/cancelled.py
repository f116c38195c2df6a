"""The reason of a cancelled evening, in the reader's words."""

from service.api.public.tournaments import PublicTournament
from service.api.tournament.tournaments import TournamentShown
from service.base.languages import N_
from service.console.asking import Ask
from service.console.screens.evening.entry import releases

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
    entered = [each for each in shown.entrants if each.status == "registered"]
    there = sum(each.checked_in for each in entered)
    return cancellation.words or _because(ask, shown, cancellation.reason, len(entered), there)


def told_strangers(ask: Ask, shown: PublicTournament) -> str | None:
    """Return the reason for a stranger, without the words of the staff."""
    reason, there = shown.cancelled_because or "", shown.checked_in or 0
    return _because(ask, shown, reason, len(shown.entrants), there)


def _because(
    ask: Ask, shown: TournamentShown | PublicTournament, reason: str, entered: int, there: int
) -> str | None:
    if reason == "too_few_entrants" and releases(shown.entry):
        least = shown.entrants_min
        if entered >= least > there:
            return _too_few_there(ask, entered, there, least)
    said = _REASONS.get(reason)
    return None if said is None else ask.gettext(said)


def _too_few_there(ask: Ask, entered: int, there: int, least: int) -> str:
    """Return how few had checked in, although enough had entered."""
    said = ask.language.ngettext(
        "At the start, only %(there)s of %(num)d entered player had checked in. %(least)s were "
        "needed.",
        "At the start, only %(there)s of %(num)d entered players had checked in. %(least)s were "
        "needed.",
        entered,
    )
    return said % {"there": there, "num": entered, "least": least}
