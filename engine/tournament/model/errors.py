"""Why a tournament refuses a command."""

from engine.errors import CommandRejected


class TermsInvalid(CommandRejected):
    """The announced terms contradict themselves."""

    code = "terms_invalid"

    def __init__(self, *, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}", field=field)


class TermsContradict(CommandRejected):
    """Two members of the terms cannot both be kept."""

    code = "terms_contradict"
    rule = "entry.draft"

    def __init__(self, *, field: str, other: str, problem: str) -> None:
        super().__init__(f"{field} and {other}: {problem}", field=field, other=other)


class TournamentNotAnnounced(CommandRejected):
    """There is no such tournament yet."""

    code = "tournament_not_announced"

    def __init__(self) -> None:
        super().__init__("the tournament has not been announced")


class RegistrationNotOpen(CommandRejected):
    """Registration has not opened yet."""

    code = "registration_not_open"

    def __init__(self) -> None:
        super().__init__("registration has not opened yet")


class RegistrationOver(CommandRejected):
    """Registration has closed, or the tournament is over."""

    code = "registration_closed"

    def __init__(self, *, phase: str) -> None:
        super().__init__(f"registration is over: the tournament is {phase}", phase=phase)


class TournamentFull(CommandRejected):
    """Every place is taken."""

    code = "tournament_full"

    def __init__(self, *, entrants_max: int) -> None:
        super().__init__(
            f"all {entrants_max} places of the tournament are taken", entrants_max=entrants_max
        )


class AlreadyEntered(CommandRejected):
    """The player has an entry in this tournament."""

    code = "already_entered"

    def __init__(self) -> None:
        super().__init__("the player has already entered this tournament")


class BotsForbidden(CommandRejected):
    """Only people may enter."""

    code = "bots_forbidden"

    def __init__(self) -> None:
        super().__init__("bots may not enter this tournament")


class BotsOnly(CommandRejected):
    """Only bots may enter."""

    code = "bots_only"

    def __init__(self) -> None:
        super().__init__("only bots may enter this tournament")


class EntrantUnknown(CommandRejected):
    """No such entry."""

    code = "entrant_unknown"

    def __init__(self) -> None:
        super().__init__("no such entrant in this tournament")


class TablesMissing(CommandRejected):
    """Too few identifiers for the tables that the draw needs."""

    code = "tables_missing"

    def __init__(self, *, given: int, required: int) -> None:
        super().__init__(
            f"{required} tables are needed and {given} were given", given=given, required=required
        )


class TournamentNotRunning(CommandRejected):
    """Play has not begun, or is over."""

    code = "tournament_not_running"

    def __init__(self, *, phase: str) -> None:
        super().__init__(f"the tournament is {phase}", phase=phase)


class TournamentOver(CommandRejected):
    """It has been finished or cancelled."""

    code = "tournament_over"

    def __init__(self, *, phase: str) -> None:
        super().__init__(f"the tournament is {phase}", phase=phase)


class RebuyNotAllowed(CommandRejected):
    """There is no rebuy left, or it is not the time for one."""

    code = "rebuy_not_allowed"
    rule = "rebuy"

    def __init__(self, *, reason: str) -> None:
        super().__init__(f"nothing can be bought or staked now: {reason}", reason=reason)


class NotACasino(CommandRejected):
    """This is for games that go on until the house closes."""

    code = "not_a_casino"
    rule = "casino"

    def __init__(self) -> None:
        super().__init__("nobody comes, goes or brings chips in this game")


class ItemNotOwned(CommandRejected):
    """The thing is somebody else's, or lies in escrow."""

    code = "item_not_owned"
    rule = "items.stake"

    def __init__(self, *, item: str) -> None:
        super().__init__(f"{item!r} cannot be staked by this entrant", item=item)


class ItemNotStaked(CommandRejected):
    """Nothing of the entrant's lies in escrow."""

    code = "item_not_staked"
    rule = "items.buy_back"

    def __init__(self) -> None:
        super().__init__("this entrant has nothing in escrow")


class ItemValueUnknown(CommandRejected):
    """Things of this value are not agreed on."""

    code = "item_value_unknown"
    rule = "items.stake"

    def __init__(self, *, value: int, known: str) -> None:
        super().__init__(f"things are worth {known}, not {value}", value=value, known=known)


class DirectiveStale(CommandRejected):
    """What the directive was made for is no longer so: ask again."""

    code = "directive_stale"

    def __init__(self, *, problem: str) -> None:
        super().__init__(f"the directive no longer holds: {problem}")
