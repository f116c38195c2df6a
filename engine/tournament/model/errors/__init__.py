"""The refusals of a tournament."""

from datetime import datetime

from engine.errors import CommandRejected, Wording


class TermsInvalid(CommandRejected):
    """The announced terms are invalid."""

    code = "terms_invalid"
    detail = "{field}: {problem}"

    field: str
    problem: Wording


class TermsContradict(CommandRejected):
    """Two members of the terms contradict each other."""

    code = "terms_contradict"
    rule = "entry.draft"
    detail = "{field} and {other}: {problem}"

    field: str
    other: str
    problem: Wording


class TournamentNotAnnounced(CommandRejected):
    """The tournament does not exist yet."""

    code = "tournament_not_announced"
    detail = "the tournament has not been announced"


class RegistrationNotOpen(CommandRejected):
    """Registration has not opened yet."""

    code = "registration_not_open"
    detail = "registration has not opened yet"


class RegistrationOver(CommandRejected):
    """Registration is closed, or the tournament is over."""

    code = "registration_closed"
    detail = "registration is closed: the tournament is {phase}"

    phase: str


class TooFewEntrants(CommandRejected):
    """Too few entrants would play."""

    code = "too_few_entrants"
    rule = "registration.too_few_entrants"
    detail = (
        "{entrants} of at least {entrants_min} entrants would play: "
        "wait for the start at {starts_at}, or cancel the tournament"
    )

    entrants: int
    """Entrants who would be seated now."""
    entrants_min: int
    starts_at: datetime


class TournamentFull(CommandRejected):
    """Every place is taken."""

    code = "tournament_full"
    detail = "all {entrants_max} places of the tournament are taken"

    entrants_max: int


class AlreadyEntered(CommandRejected):
    """The player has already entered this tournament."""

    code = "already_entered"
    detail = "the player has already entered this tournament"


class BotsForbidden(CommandRejected):
    """Only people may enter."""

    code = "bots_forbidden"
    detail = "bots may not enter this tournament"


class BotsOnly(CommandRejected):
    """Only bots may enter."""

    code = "bots_only"
    detail = "only bots may enter this tournament"


class HouseBotsForMoney(CommandRejected):
    """House bots play only where there is no money."""

    code = "house_bots_for_money"
    detail = "house bots enter only tournaments without a currency, and no casinos"


class EntrantUnknown(CommandRejected):
    """The entrant does not exist."""

    code = "entrant_unknown"
    detail = "there is no such entrant in this tournament"


class TablesMissing(CommandRejected):
    """There are too few table identifiers for the seat draw."""

    code = "tables_missing"
    detail = "{required} table identifiers are needed, and {given} were given"

    given: int
    required: int


class TournamentNotRunning(CommandRejected):
    """Play has not begun, or is over."""

    code = "tournament_not_running"
    detail = "the tournament is {phase}"

    phase: str


class TournamentOver(CommandRejected):
    """The tournament is finished or cancelled."""

    code = "tournament_over"
    detail = "the tournament is {phase}"

    phase: str


class RebuyNotAllowed(CommandRejected):
    """No rebuy is possible: none is left, or it is not the time for one."""

    code = "rebuy_not_allowed"
    rule = "rebuy"
    detail = "nothing can be bought or staked now: {reason}"

    reason: str


class NotACasino(CommandRejected):
    """Only a casino allows this."""

    code = "not_a_casino"
    rule = "casino"
    detail = "in this game nobody may join, leave or bring chips during play"


class ItemNotOwned(CommandRejected):
    """The item belongs to somebody else, or lies in escrow."""

    code = "item_not_owned"
    rule = "items.stake"
    detail = "{item!r} cannot be staked by this entrant"

    item: str


class ItemNotStaked(CommandRejected):
    """The entrant has nothing in escrow."""

    code = "item_not_staked"
    rule = "items.buy_back"
    detail = "this entrant has nothing in escrow"


class ItemValueUnknown(CommandRejected):
    """An item cannot have this value."""

    code = "item_value_unknown"
    rule = "items.stake"
    detail = "items are worth {known}, not {value}"

    value: int
    known: str


class DirectiveStale(CommandRejected):
    """The directive is out of date. Ask for a new one."""

    code = "directive_stale"
    detail = "the directive no longer holds: {problem}"

    problem: Wording
