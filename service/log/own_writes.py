"""The last position that each actor has written, so that their own reads can wait for it."""

from collections import OrderedDict
from typing import NamedTuple

ACTORS_MAX = 10_000
"""The number of actors remembered. The actor whose last write is oldest is forgotten first."""


class LogPosition(NamedTuple):
    """A position in a league's log. A later epoch comes after every position of an earlier one."""

    epoch: int
    """The epoch of the league's log."""

    position: int
    """The position of the actor's last event."""


class OwnWrites:
    """The writes that this process has answered. Other processes do not know them."""

    def __init__(self) -> None:
        self._written: OrderedDict[str, dict[str, LogPosition]] = OrderedDict()

    def note(self, actor: str, league: str, written: LogPosition) -> None:
        """Remember that *actor* has written at a position of *league*."""
        leagues = self._written.setdefault(actor, {})
        leagues[league] = max(leagues.get(league, written), written)
        self._written.move_to_end(actor)
        if len(self._written) > ACTORS_MAX:
            self._written.popitem(last=False)

    def of(self, actor: str, league: str) -> LogPosition | None:
        """Return the last write of *actor* in *league*, or None if this process knows of none."""
        return self._written.get(actor, {}).get(league)
