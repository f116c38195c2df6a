"""A table of a tournament and every hand that is played at it."""

from engine.table.decider import decider
from engine.table.model import commands, errors, events, state
from engine.table.read import recall, view

__all__ = ["commands", "decider", "errors", "events", "recall", "state", "view"]
