"""A tournament, from its announcement to the payout."""

from engine.decider import Decider
from engine.tournament.decisions import decide
from engine.tournament.evolution import evolve
from engine.tournament.model import commands, errors, events, state
from engine.tournament.model.commands import Command
from engine.tournament.model.events import Event
from engine.tournament.model.state import State, Unannounced

decider: Decider[State, Command, Event] = Decider(
    category="tournament", events=Event, initial=Unannounced(), decide=decide, evolve=evolve
)

__all__ = ["commands", "decider", "errors", "events", "state"]
