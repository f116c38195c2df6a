"""Staff who act for a player: the events name them, and nobody else is favoured."""

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from engine.rulesets import resolve
from engine.tournament import decider
from engine.tournament.entering.checking_in import walking_in
from engine.tournament.model.commands import DeclareRebuy, Register
from engine.tournament.model.commands.entering import CheckIn, UndoCheckIn
from engine.tournament.model.errors import EntrantUnknown, RegistrationOver
from engine.tournament.model.events import EntrantRegistered, EntrantWithdrawn, RebuyDeclared
from engine.tournament.model.events.entering import (
    CheckInUndone,
    EntrantCheckedIn,
    EntrantWaitlisted,
    EntryRequested,
    EntryRequestWithdrawn,
    NoShowReleased,
    WaitlistLeft,
)
from engine.tournament.model.state import Running
from service.log.upcasters import upcast
from tests.engine.scenario import Scenario
from tests.engine.tournament.floor import NOON, entrant, player, start, to_start
from tests.engine.tournament.test_entering import early, registering, withdraw
from tests.engine.tournament.test_late_entry import FLAT, HOUR, late, playing

STAFF = player(99)


def for_player(command: Any) -> Any:
    """Return *command* as a member of staff gives it."""
    return replace(command, by=STAFF)


def approved(entrants: int) -> Scenario:
    """Return a tournament in play, with late registration and approval. Staff entered everybody."""
    entry = replace(HOUR, approval=True)
    asked = to_start(entrants, ruleset=FLAT, entry=entry, table_seats=4)
    return Scenario(decider).asked(
        *(for_player(each) if isinstance(each, Register) else each for each in asked)
    )


def test_staff_enter_a_player_without_approval_and_the_event_names_them() -> None:
    scenario = registering(approval=True)
    scenario.when(for_player(early(1))).then(
        EntrantRegistered(entrant=entrant(1), player=player(1), bot=False, number=1, by=STAFF)
    )
    scenario.when(for_player(early(1))).then_nothing()
    full = registering(2, most=2, waitlist=True)
    (line,) = full.when(for_player(early(3))).events()
    assert isinstance(line, EntrantWaitlisted)
    assert line.by == STAFF


def test_staff_let_a_late_player_in_without_approval() -> None:
    scenario = approved(3)
    entered = scenario.when(for_player(late(4))).events()[0]
    assert isinstance(entered, EntrantRegistered)
    assert entered.by == STAFF


def test_nobody_enters_themselves_past_approval() -> None:
    """A director who enters as staff asks like anybody else."""
    scenario = registering(approval=True)
    (asked,) = scenario.when(replace(early(1), by=player(1))).events()
    assert isinstance(asked, EntryRequested)
    night = approved(3)
    (asked,) = night.when(replace(late(4), by=player(4))).events()
    assert isinstance(asked, EntryRequested)


def test_staff_withdraw_and_check_in_for_a_player() -> None:
    scenario = registering(2, check_in_opens_before_seconds=600)
    here = CheckIn(entrant=entrant(1), by=STAFF, now=NOON)
    assert scenario.when(here).events()[-1] == EntrantCheckedIn(
        entrant=entrant(1), by=STAFF, rule="check_in"
    )
    own = CheckIn(entrant=entrant(2), by=player(2), now=NOON)
    scenario.when(own).then(EntrantCheckedIn(entrant=entrant(2), by=None, rule="check_in"))
    scenario.when(for_player(withdraw(1))).then(EntrantWithdrawn(entrant=entrant(1), by=STAFF))
    asking = registering(approval=True).asked(early(1))
    asking.when(for_player(withdraw(1))).then(EntryRequestWithdrawn(entrant=entrant(1), by=STAFF))
    waiting = registering(2, most=2, waitlist=True).asked(early(3))
    waiting.when(for_player(withdraw(3))).then(
        WaitlistLeft(entrant=entrant(3), cause="withdrawn", by=STAFF, rule="waitlist")
    )


def test_staff_declare_a_rebuy_for_an_entrant() -> None:
    rules = resolve("better", {"rebuy": {"max": 1, "until_level": None}})
    scenario = playing(3, ruleset=rules)
    declared = DeclareRebuy(entrant=entrant(1), by=STAFF, now=NOON)
    scenario.when(declared).then(RebuyDeclared(entrant=entrant(1), by=STAFF, rule="rebuy.declared"))


def test_a_check_in_is_undone_before_play_only() -> None:
    scenario = registering(3, check_in_opens_before_seconds=600)
    undo = UndoCheckIn(entrant=entrant(1), by=STAFF, now=NOON)
    scenario.when(undo).then_nothing()
    here = [CheckIn(entrant=entrant(each), now=NOON) for each in (1, 2, 3)]
    scenario.asked(*here)
    scenario.when(undo).then(CheckInUndone(entrant=entrant(1), by=STAFF, rule="check_in.undone"))
    scenario.when(undo).then_nothing()
    scenario.when(replace(undo, entrant=entrant(9))).then_rejected(EntrantUnknown)
    scenario.when(start()).events()
    assert isinstance(scenario.state, Running)
    assert [each.entrant for each in scenario.state.entrants] == [entrant(2), entrant(3)]
    scenario.when(replace(undo, entrant=entrant(2))).then_rejected(
        RegistrationOver, phase="running"
    )


def test_who_checks_in_again_after_an_undone_check_in_keeps_the_place() -> None:
    scenario = registering(2, check_in_opens_before_seconds=600)
    here = [CheckIn(entrant=entrant(each), now=NOON) for each in (1, 2)]
    undo = UndoCheckIn(entrant=entrant(1), by=STAFF, now=NOON)
    scenario.asked(*here, undo, replace(here[0], now=NOON + timedelta(seconds=1)))
    events = scenario.when(start()).events()
    assert not any(isinstance(each, NoShowReleased) for each in events)


def test_a_walk_in_is_checked_in_while_check_in_is_open() -> None:
    scenario = registering(2, check_in_opens_before_seconds=600)
    entry = replace(early(3), by=STAFF)
    assert walking_in(scenario.state, entry) == (entry,)
    asked = walking_in(scenario.state, replace(entry, now=NOON))
    assert asked[1:] == (CheckIn(entrant=entrant(3), by=STAFF, now=NOON),)
    scenario.asked(*asked)
    assert entrant(3) in scenario.state.entering.checked_in
    assert walking_in(registering(2).state, entry) == (entry,)


@pytest.mark.parametrize(
    "type_",
    [
        "entrant_registered", "entrant_withdrawn", "entrant_waitlisted", "waitlist_left",
        "entry_request_withdrawn", "entrant_checked_in", "rebuy_declared", "rebuy_taken",
        "add_on_taken",
    ],
)  # fmt: skip
def test_events_of_before_staff_were_named_name_nobody(type_: str) -> None:
    assert upcast(type_, 1, {"type": type_}) == {"type": type_, "by": None}
