"""The table as an aggregate."""

from engine.decider import Decider
from engine.table.commands import Command
from engine.table.decisions import decide, decide_through
from engine.table.events import Event
from engine.table.evolution import evolve
from engine.table.state import INITIAL, State

decider: Decider[State, Command, Event] = Decider(
    category="table",
    events=Event,
    initial=INITIAL,
    decide=decide,
    evolve=evolve,
    decide_through=decide_through,
)
