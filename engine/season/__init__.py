"""A season of one league: its awards, its standings and its schedule."""

from engine.decider import Decider
from engine.season import commands, errors, events, state
from engine.season.commands import Command
from engine.season.decisions import decide
from engine.season.events import Event
from engine.season.state import State, Unopened, evolve

decider: Decider[State, Command, Event] = Decider(
    category="season", events=Event, initial=Unopened(), decide=decide, evolve=evolve
)

__all__ = ["commands", "decider", "errors", "events", "state"]
