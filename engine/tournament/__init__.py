"""A tournament, from its announcement to the payout."""

from engine.decider import Decider
from engine.tournament import commands, errors, events, state
from engine.tournament.commands import Command
from engine.tournament.decisions import decide
from engine.tournament.events import Event
from engine.tournament.evolution import evolve
from engine.tournament.state import State, Unannounced

decider: Decider[State, Command, Event] = Decider(
    category="tournament", events=Event, initial=Unannounced(), decide=decide, evolve=evolve
)

__all__ = ["commands", "decider", "errors", "events", "state"]
