"""A league: its members, their roles and its settings."""

from engine.decider import Decider
from engine.league import commands, errors, events, roles, state
from engine.league.commands import Command
from engine.league.decisions import decide
from engine.league.events import Event
from engine.league.roles import Capability, Role, may
from engine.league.state import State, Uncreated, evolve

decider: Decider[State, Command, Event] = Decider(
    category="league", events=Event, initial=Uncreated(), decide=decide, evolve=evolve
)

__all__ = [
    "Capability",
    "Role",
    "commands",
    "decider",
    "errors",
    "events",
    "may",
    "roles",
    "state",
]
