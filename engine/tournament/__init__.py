"""A tournament, from its announcement to the payout."""

from engine.tournament.decider import decider
from engine.tournament.model import commands, errors, events, state

__all__ = ["commands", "decider", "errors", "events", "state"]
