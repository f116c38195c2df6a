"""The reader's own entry in an evening."""

from service.api.me.accounts import Me
from service.api.tournament.tournaments import TournamentShown
from service.console.screens.evening.entry import BEFORE_PLAY

_OUTSIDE = frozenset({"waitlisted", "offered", "requested", "refused"})


def own_entry(me: Me, shown: TournamentShown) -> str | None:
    """
    Return the reader's entry, or None for somebody who does not count as entered.

    Applicants and players on the waitlist count as entered too.
    """
    if shown.my is not None:
        return shown.my.entrant
    if shown.state not in BEFORE_PLAY and not shown.late_registration:
        return None
    mine = (e.id for e in shown.entrants if e.player == me.id and e.status in _OUTSIDE)
    return next(mine, None)
