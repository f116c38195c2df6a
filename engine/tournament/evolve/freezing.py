"""The disputes that freeze a result, after each event."""

from typing import Any

from engine.tournament.model.events.freezing import ResultFrozen, ResultReleased


def frozen_by(frozen: tuple[str, ...], event: Any) -> tuple[str, ...]:
    """Return the disputes that freeze the result after *event*, which may be of any kind."""
    match event:
        case ResultFrozen(dispute=dispute):
            return (*frozen, dispute)
        case ResultReleased(dispute=dispute):
            return tuple(each for each in frozen if each != dispute)
        case _:
            return frozen
