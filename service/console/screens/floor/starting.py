"""The start of play as the floor foresees it: who is not here, and who owes."""

from collections.abc import Sequence

from service.api.tournament.entrants import EntrantShown
from service.api.tournament.money import LedgerShown
from service.api.tournament.tournaments import TournamentShown
from service.base.letters import by_name
from service.console.asking import Ask
from service.console.languages import Spoken
from service.console.screens.evening.dues import unpaid_in
from service.console.screens.evening.entry import BEFORE_PLAY, releases

_NAMED_MAX = 12
"""The most names that a sentence lists."""


async def owing(ask: Ask, shown: TournamentShown) -> tuple[EntrantShown, ...]:
    """Return those with a place who have not paid, before play and if payments are recorded."""
    if shown.state not in BEFORE_PLAY or shown.fees.payment == "on_trust" or not shown.currency:
        return ()
    books = await ask.api.get(f"/v1/tournaments/{shown.id}/ledger", LedgerShown)
    gone = {each.id for each in absentees(shown)}
    return tuple(each for each in unpaid_in(books, shown) if each.id not in gone)


def absentees(shown: TournamentShown) -> tuple[EntrantShown, ...]:
    """Return the entrants whom a draw of the seats would withdraw, because they are not here."""
    if shown.state not in BEFORE_PLAY or not releases(shown.entry):
        return ()
    entered = (each for each in shown.entrants if each.status == "registered")
    return tuple(each for each in entered if not each.checked_in)


def loses_places(language: Spoken, absent: Sequence[EntrantShown]) -> str:
    """Return the sentence that names players who have not checked in."""
    said = language.ngettext(
        "%(num)d player is not checked in and loses the place: %(names)s.",
        "%(num)d players are not checked in and lose their places: %(names)s.",
        len(absent),
    )
    return said % {"num": len(absent), "names": _named(language, absent)}


def owe_the_entry(language: Spoken, unpaid: Sequence[EntrantShown]) -> str:
    """Return the sentence that names players who have not paid."""
    said = language.ngettext(
        "%(num)d player has not paid yet: %(names)s.",
        "%(num)d players have not paid yet: %(names)s.",
        len(unpaid),
    )
    return said % {"num": len(unpaid), "names": _named(language, unpaid)}


def _named(language: Spoken, people: Sequence[EntrantShown]) -> str:
    """Return names by letter, and no more of them than a sentence can hold."""
    names = [each.name or language.gettext("somebody who has left") for each in people]
    names.sort(key=by_name)
    return ", ".join(names[:_NAMED_MAX]) + (" …" if len(names) > _NAMED_MAX else "")
