"""The tournament as an aggregate."""

from engine.decider import Decider
from engine.tournament.decisions import decide
from engine.tournament.evolve.tournament import evolve
from engine.tournament.model.commands import Command
from engine.tournament.model.events import Event
from engine.tournament.model.state import State, Unannounced

decider: Decider[State, Command, Event] = Decider(
    category="tournament", events=Event, initial=Unannounced(), decide=decide, evolve=evolve
)
