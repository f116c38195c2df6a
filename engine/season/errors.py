"""Why a season refuses a command."""

from engine.errors import CommandRejected


class SeasonNotOpened(CommandRejected):
    """There is no such season yet."""

    code = "season_not_opened"

    def __init__(self) -> None:
        super().__init__("the season has not been opened")


class SeasonClosedAlready(CommandRejected):
    """The standings are final."""

    code = "season_closed"

    def __init__(self) -> None:
        super().__init__("the season is closed")


class SeasonTermsInvalid(CommandRejected):
    """The terms of the season contradict themselves."""

    code = "season_terms_invalid"

    def __init__(self, *, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}", field=field)


class PlacingsInvalid(CommandRejected):
    """The placings are not those of a finished tournament."""

    code = "placings_invalid"

    def __init__(self, *, problem: str) -> None:
        super().__init__(problem)
