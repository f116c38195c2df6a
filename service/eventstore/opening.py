"""The codec of every aggregate there is, for readers that have no writer."""

from typing import Any

from engine.aggregates import DECIDERS
from service.eventstore.codec import Codec
from service.eventstore.record import Recorded
from service.keys import LeagueKeys

CODEC = Codec(DECIDERS)


def open_event(recorded: Recorded, keys: LeagueKeys | None) -> Any:
    """
    Return the engine's event of a row of the log.

    Args:
        keys: ``None`` leaves hidden places without value and salt.

    Raises:
        EventUnreadable: If it cannot be decoded or does not open.
    """
    return CODEC.decode(recorded, keys)
