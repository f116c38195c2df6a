"""Faults in the commands of staff, each with the test that catches it."""

from tests.faults.planting import Fault

BY_STAFF = "tests/engine/tournament/test_by_staff.py::"

FAULTS = (
    Fault(
        name="staff enter themselves past approval",
        file="tournament/model/acting.py",
        sound="return None if by == player else by",
        faulty="return by",
        caught_by=BY_STAFF + "test_nobody_enters_themselves_past_approval",
    ),
    Fault(
        name="a late player whom staff enter waits for approval",
        file="tournament/entering/late.py",
        sound="if state.terms.entry.approval and not mine and by is None:",
        faulty="if state.terms.entry.approval and not mine:",
        caught_by=BY_STAFF + "test_staff_let_a_late_player_in_without_approval",
    ),
    Fault(
        name="an undone check-in still counts",
        file="tournament/evolve/entering.py",
        sound="return replace(entering, checked_in=entering.checked_in - {event.entrant})",
        faulty="return entering",
        caught_by=BY_STAFF + "test_a_check_in_is_undone_before_play_only",
    ),
    Fault(
        name="a walk-in is not checked in",
        file="tournament/entering/checking_in.py",
        sound="return entry, here",
        faulty="return (entry,)",
        caught_by=BY_STAFF + "test_a_walk_in_is_checked_in_while_check_in_is_open",
    ),
)
