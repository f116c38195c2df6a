"""The refusals of a season's schedule."""

from engine.errors import CommandRejected, Wording
from engine.season.schedule.values import Local, RecurrenceId


class RecurrenceUnknown(CommandRejected):
    """This season has no such recurrence."""

    code = "recurrence_unknown"
    detail = "this season has no such recurrence"

    recurrence: RecurrenceId


class RecurrenceInvalid(CommandRejected):
    """The rule, the zone or a time of the recurrence is invalid."""

    code = "recurrence_invalid"
    detail = "{field}: {problem}"

    field: str
    problem: Wording


class OccurrenceUnknown(CommandRejected):
    """The rule has no occurrence at this local time."""

    code = "occurrence_unknown"
    detail = "the rule has no occurrence at this local time"

    occurrence: Local


class FixtureEntered(CommandRejected):
    """The tournament of this occurrence has entrants, or no longer waits for its start."""

    code = "fixture_entered"
    rule = "schedule.edit_before_entries"
    detail = (
        "the tournament has entrants, or no longer waits for its start: direct it, or cancel it"
        " first"
    )

    occurrence: Local
    tournament: str


class FixturePast(CommandRejected):
    """The occurrence is in the past, or would be moved there."""

    code = "fixture_past"
    detail = "this is in the past, and nothing can be moved into the past"

    occurrence: Local
