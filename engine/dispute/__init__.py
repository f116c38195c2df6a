"""A dispute, from the claim and its evidence to a ruling, an appeal and a second ruling."""

from engine.decider import Decider
from engine.dispute import commands, errors, events, state
from engine.dispute.commands import Command
from engine.dispute.decisions import decide
from engine.dispute.events import Event
from engine.dispute.evolution import evolve
from engine.dispute.state import State, Unclaimed

decider: Decider[State, Command, Event] = Decider(
    category="dispute", events=Event, initial=Unclaimed(), decide=decide, evolve=evolve
)

__all__ = ["commands", "decider", "errors", "events", "state"]
