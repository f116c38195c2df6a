"""Faults in the commands of staff, each with the test that catches it."""

from tests.faults.planting import Fault

CLOCK = "tests/engine/tournament/test_clock_set.py::"
MONEY = "tests/engine/tournament/test_handing_over.py::"
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
    Fault(
        name="a level that staff go to has the time of the one before",
        file="tournament/floor/clock.py",
        sound="if command.level is not None and command.level != clock.level:",
        faulty="if command.level is not None and command.level == clock.level:",
        caught_by=CLOCK + "test_staff_go_to_another_level_which_begins_whole",
    ),
    Fault(
        name="a clock that stands runs after it is set",
        file="tournament/floor/clock.py",
        sound="stands = state.paused or rest is not None",
        faulty="stands = rest is not None",
        caught_by=CLOCK + "test_a_clock_that_stands_is_set_and_goes_on_standing",
    ),
    Fault(
        name="a prize is handed over twice",
        file="tournament/money/handing_over.py",
        sound="due = prize - handed_over_to(state.books, command.entrant)",
        faulty="due = prize",
        caught_by=MONEY + "test_a_prize_is_handed_over_once_and_a_correction_adds_the_rest",
    ),
)
