"""Why a season's schedule refuses a command."""

from engine.errors import CommandRejected
from engine.season.schedule.values import Local, RecurrenceId


class RecurrenceUnknown(CommandRejected):
    """This season has no such recurrence."""

    code = "recurrence_unknown"

    def __init__(self, recurrence: RecurrenceId) -> None:
        super().__init__("this season has no such recurrence", recurrence=recurrence)


class RecurrenceInvalid(CommandRejected):
    """The rule, the zone or the times of a recurrence cannot be."""

    code = "recurrence_invalid"

    def __init__(self, *, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}", field=field)


class OccurrenceUnknown(CommandRejected):
    """The rule has no occurrence at this local time."""

    code = "occurrence_unknown"

    def __init__(self, occurrence: Local) -> None:
        super().__init__("the rule has no occurrence then", occurrence=occurrence)


class FixtureEntered(CommandRejected):
    """Somebody has entered the tournament of this occurrence, or it is under way or over."""

    code = "fixture_entered"
    rule = "schedule.edit_before_entries"

    def __init__(self, occurrence: Local, tournament: str) -> None:
        super().__init__(
            "the tournament is no longer empty and waiting: direct it, or cancel it first",
            occurrence=occurrence,
            tournament=tournament,
        )


class FixturePast(CommandRejected):
    """What has been missed cannot be changed, and nothing is moved into the past."""

    code = "fixture_past"

    def __init__(self, occurrence: Local) -> None:
        super().__init__("this lies in the past", occurrence=occurrence)
