"""The disputes that freeze a result, after each event."""

from typing import Never

from engine.decider import Cases
from engine.tournament.model.events.freezing import ResultFrozen, ResultReleased

_Disputes = tuple[str, ...]


def _frozen(disputes: _Disputes, event: ResultFrozen) -> _Disputes:
    return (*disputes, event.dispute)


def _released(disputes: _Disputes, event: ResultReleased) -> _Disputes:
    return tuple(each for each in disputes if each != event.dispute)


FROZEN = (
    Cases[_Disputes, Never, _Disputes]().on(ResultFrozen, _frozen).on(ResultReleased, _released)
)
