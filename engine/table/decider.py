"""The aggregate of a table."""

from engine.decider import Decider
from engine.table.decide.decisions import decide, decide_through
from engine.table.evolve.at_table import evolve
from engine.table.model.commands import Command
from engine.table.model.events import Event
from engine.table.model.state import INITIAL, State

decider: Decider[State, Command, Event] = Decider(
    category="table",
    events=Event,
    initial=INITIAL,
    decide=decide,
    evolve=evolve,
    decide_through=decide_through,
)
