"""Which terms a tournament may be announced with."""

from collections.abc import Iterable

from engine.rulesets import OpenEnd
from engine.tournament.commands import Announce
from engine.tournament.errors import TermsInvalid
from engine.tournament.events import Event, TournamentAnnounced
from engine.tournament.levels import structure_of
from engine.tournament.money.checking import checked
from engine.tournament.rounds.checking import checked as checked_format
from engine.tournament.state import State, Unannounced
from engine.tournament.terms.floor import problems as floor_problems

ENTRANTS_MIN = 2
ENTRANTS_MAX = 100_000
NAME_LENGTH_MAX = 200


def announce(state: State, command: Announce) -> tuple[Event, ...]:
    if not isinstance(state, Unannounced):
        return ()
    for field, sound, problem in _terms(command):
        if not sound:
            raise TermsInvalid(field=field, problem=problem)
    return (
        TournamentAnnounced(
            tournament=command.tournament,
            league=command.league,
            season=command.season,
            name=command.name,
            ruleset=command.ruleset,
            ruleset_name=command.ruleset_name,
            ruleset_hash=command.ruleset_hash,
            table_seats=command.table_seats,
            starting_stack=command.starting_stack,
            entrants_min=command.entrants_min,
            entrants_max=command.entrants_max,
            starts_at=command.starts_at,
            registration_opens_at=command.registration_opens_at,
            decision_seconds=command.decision_seconds,
            grace_seconds=command.grace_seconds,
            bots=command.bots,
            payouts=command.payouts,
            prize_pool=command.prize_pool,
            currency=command.currency,
            hands_between_seconds=command.hands_between_seconds,
            hands_max=command.hands_max,
            entry=command.entry,
            fees=command.fees,
            format=command.format,
            floor=command.floor,
        ),
    )


def _terms(command: Announce) -> Iterable[tuple[str, bool, str]]:
    seats_max, unit = command.ruleset.max_players, command.ruleset.chip_unit
    opens_at = command.registration_opens_at
    return (
        *checked_format(command),
        ("name", 0 < len(command.name.strip()) <= NAME_LENGTH_MAX, "must have 1 to 200 characters"),
        ("table_seats", 2 <= command.table_seats <= seats_max, f"must be 2 to {seats_max}"),
        (
            "entrants_max",
            not isinstance(command.ruleset.end, OpenEnd)
            or command.entrants_min <= command.table_seats,
            "a casino has one table",
        ),
        (
            "starting_stack",
            (command.starting_stack > 0) != command.ruleset.moneyless,
            "must be positive; 0 where hands are counted instead of chips",
        ),
        ("starting_stack", command.starting_stack % unit == 0, f"must be a multiple of {unit}"),
        ("entrants_min", command.entrants_min >= ENTRANTS_MIN, "must be 2 at least"),
        (
            "entrants_max",
            command.entrants_min <= command.entrants_max <= ENTRANTS_MAX,
            f"must be between entrants_min and {ENTRANTS_MAX}",
        ),
        ("decision_seconds", command.decision_seconds > 0, "must be positive"),
        ("grace_seconds", command.grace_seconds >= 0, "must not be negative"),
        ("hands_between_seconds", command.hands_between_seconds >= 0, "must not be negative"),
        ("hands_max", command.hands_max is None or command.hands_max > 0, "must be positive"),
        (
            "registration_opens_at",
            opens_at is None or opens_at <= command.starts_at,
            "must not be after starts_at",
        ),
        *checked(command),
        *floor_problems(
            command.floor,
            table_seats=command.table_seats,
            seats_max=seats_max,
            levels=len(structure_of(command.ruleset)),
        ),
    )
