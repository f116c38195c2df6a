"""One table of one tournament: every hand that is played at it."""

from engine.table import commands, errors, events, recall, state, view
from engine.table.decider import decider

__all__ = ["commands", "decider", "errors", "events", "recall", "state", "view"]
