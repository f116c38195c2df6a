"""Hands played by the engine: a table of six, with fresh seeds for every deal."""

import os
from collections.abc import Callable
from datetime import datetime
from uuid import uuid4

from engine.rulesets import resolve, ruleset_hash
from engine.table.model.commands import (
    Act,
    Command,
    Improve,
    OpenHand,
    OpenTable,
    Placed,
    Seeds,
    Select,
)
from engine.table.model.state import State, Table
from engine.table.read.view import seen_by
from engine.values import EntrantId, HandId, TableId, TournamentId

SEATS = 6
RULESET = "better"
STACK = 1_000_000_000


def opening(table: str, now: datetime) -> OpenTable:
    """Return the command that opens *table* for six, with stacks that nobody can lose."""
    ruleset = resolve(RULESET, {"escalation": {"kind": "none"}})
    return OpenTable(
        table=TableId(table),
        tournament=TournamentId(f"trn_{uuid4().hex}"),
        number=1,
        ruleset=ruleset,
        ruleset_hash=ruleset_hash(ruleset),
        decision_seconds=3600,
        grace_seconds=1,
        seats=tuple(
            Placed(seat=seat, entrant=EntrantId(f"ent_{uuid4().hex}"), stack=STACK)
            for seat in range(1, SEATS + 1)
        ),
        seat_count=SEATS,
        now=now,
    )


def following(state: State, now: Callable[[], datetime]) -> Command:
    """
    Return the next command at a table: a new hand, or an answer to the open decision.

    Each seat keeps one card, improves with nothing, and checks or calls.
    """
    assert isinstance(state, Table)
    decision = state.decision
    if decision is None:
        seeds = Seeds(cards=_random(), dice=_random(), draws=_random())
        return OpenHand(
            hand=HandId(f"hnd_{uuid4().hex}"), seeds=seeds,
            tournament_version=1, tournament_head="0" * 64, now=now(),
        )  # fmt: skip
    entrant = state.at(decision.seats[0]).entrant
    view = seen_by(state, entrant)
    assert view.me is not None
    match decision.phase:
        case "select":
            return Select(
                entrant=entrant, decision=decision.token, cards=view.me.cards[:1],
                salt=_random(), now=now(),
            )  # fmt: skip
        case "improve":
            return Improve(
                entrant=entrant, decision=decision.token, cards=(), salt=_random(), now=now()
            )
        case _:
            verbs = {each.verb for each in view.legal}
            return Act(
                entrant=entrant, decision=decision.token,
                verb="check" if "check" in verbs else "call", now=now(),
            )  # fmt: skip


def _random() -> str:
    return os.urandom(32).hex()
