"""What an audit asks of a season: every award follows from a tournament's placings."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from engine import policies
from engine.season import decider
from engine.season.commands import AwardPoints, CloseSeason
from engine.season.events import PointsAwarded, SeasonClosed
from engine.tournament.state import Finished
from engine.values import TournamentId
from service.audit.report import Findings

_WHENEVER = datetime(1970, 1, 1, tzinfo=UTC)
"""No award and no standing depends on when it was asked for."""


class SeasonAudit:
    """
    Decides the awards of one season again.

    Args:
        stream: The season's.
        tournament: Returns a tournament's state as far as the log has been read.
    """

    def __init__(
        self, stream: str, findings: Findings, tournament: Callable[[TournamentId], Any]
    ) -> None:
        self._stream = stream
        self._findings = findings
        self._tournament = tournament

    def see(self, event: Any, position: int, before: Any) -> None:
        """Check one event against the season *before* it."""
        command: AwardPoints | CloseSeason
        match event:
            case PointsAwarded():
                state = self._tournament(event.tournament)
                if not isinstance(state, Finished):
                    self._hold(False, position, "points for a tournament that is not finished")
                    return
                command = policies.points_of(state, now=_WHENEVER)
            case SeasonClosed():
                command = CloseSeason(now=_WHENEVER)
            case _:
                return
        held = decider.decide(before, command) == (event,)
        self._hold(held, position, "awarded again, the points are others")

    def _hold(self, held: bool, position: int, what: str) -> None:
        self._findings.hold("points", held, position, self._stream, what)
