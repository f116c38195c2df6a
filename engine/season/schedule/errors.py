"""Why a season's schedule refuses a command."""

from engine.errors import CommandRejected, Wording
from engine.season.schedule.values import Local, RecurrenceId


class RecurrenceUnknown(CommandRejected):
    """This season has no such recurrence."""

    code = "recurrence_unknown"
    detail = "this season has no such recurrence"

    recurrence: RecurrenceId


class RecurrenceInvalid(CommandRejected):
    """The rule, the zone or the times of a recurrence cannot be."""

    code = "recurrence_invalid"
    detail = "{field}: {problem}"

    field: str
    problem: Wording


class OccurrenceUnknown(CommandRejected):
    """The rule has no occurrence at this local time."""

    code = "occurrence_unknown"
    detail = "the rule has no occurrence then"

    occurrence: Local


class FixtureEntered(CommandRejected):
    """Somebody has entered the tournament of this occurrence, or it is under way or over."""

    code = "fixture_entered"
    rule = "schedule.edit_before_entries"
    detail = "the tournament is no longer empty and waiting: direct it, or cancel it first"

    occurrence: Local
    tournament: str


class FixturePast(CommandRejected):
    """What has been missed cannot be changed, and nothing is moved into the past."""

    code = "fixture_past"
    detail = "this lies in the past"

    occurrence: Local
