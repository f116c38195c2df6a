"""The check of terms before a tournament is announced."""

from collections.abc import Iterable
from datetime import timedelta

from engine.errors import Wording
from engine.kit.beacon import Chain
from engine.kit.structs import copied
from engine.rulesets import EachDealtOnce, OpenEnd
from engine.tournament.contradictions import demand_consistent
from engine.tournament.levels import structure_of
from engine.tournament.model.commands import Announce
from engine.tournament.model.errors import TermsInvalid
from engine.tournament.model.events import Event, TournamentAnnounced
from engine.tournament.model.events.fairness import BeaconNamed
from engine.tournament.model.state import State, Unannounced
from engine.tournament.model.terms.announced import Terms
from engine.tournament.model.terms.floor import problems as floor_problems
from engine.tournament.money.checking import checked
from engine.tournament.rounds.checking import checked as checked_format

ENTRANTS_MIN = 2
ENTRANTS_MAX = 100_000
NAME_LENGTH_MAX = 200
PLACE_LENGTH_MAX = 200
LENGTH_MIN, LENGTH_MAX = 60, 31 * 86_400
"""The bounds of a planned length, in seconds."""


def announce(state: State, command: Announce) -> tuple[Event, ...]:
    if not isinstance(state, Unannounced):
        return ()
    check_terms(command)
    return (_announced(command), *named(None, command.beacon))


def named(before: Chain | None, chain: Chain | None) -> tuple[BeaconNamed, ...]:
    """
    Return the event that names *chain* as the beacon, or nothing if it is the same as *before*.

    Source: rulebook ``beacon.named``.
    """
    return () if chain == before else (BeaconNamed(chain=chain, rule="beacon.named"),)


def _announced(command: Announce) -> TournamentAnnounced:
    """Return the terms as they are published."""
    return copied(TournamentAnnounced, command)


def check_terms(terms: Announce | Terms) -> None:
    """
    Check that *terms* can be announced.

    Raises:
        TermsInvalid: If one of them is not sound.
        TermsContradict: If two of them contradict each other.
    """
    of_entry = (
        (f"entry.{field}", sound, problem)
        for field, sound, problem in (*terms.entry.problems(), *_entry(terms))
    )
    for field, sound, problem in (*_terms(terms), *of_entry):
        if not sound:
            raise TermsInvalid(field=field, problem=problem)
    demand_consistent(terms)


def _entry(terms: Announce | Terms) -> Iterable[tuple[str, bool, Wording]]:
    """Return each demand on the terms of entry: the field, whether it is met, and the text."""
    entry, ruleset = terms.entry, terms.ruleset
    levels = len(structure_of(ruleset))
    late, purge = entry.late_registration_level, entry.no_show_purge_level
    closes = terms.starts_at - timedelta(seconds=entry.registration_closes_before_seconds)
    opens_at = terms.registration_opens_at
    casino = isinstance(ruleset.end, OpenEnd)
    return (
        (
            "late_registration_level",
            late is None or late < levels,
            Wording("must be a level of the clock, but not the last one"),
        ),
        (
            "late_registration_seconds",
            not entry.late or not (casino or ruleset.moneyless),
            Wording("must be null in a casino, and in a game that counts hands"),
        ),
        (
            "late_registration_seconds",
            not entry.late or not isinstance(ruleset.end, EachDealtOnce),
            Wording("late seats never deal"),
        ),
        (
            "no_show_purge_level",
            purge is None or purge <= levels,
            Wording("must be a level of the clock"),
        ),
        (
            "waitlist",
            not casino or not (entry.waitlist or entry.approval or entry.late),
            Wording("must be false: a casino has no waitlist, approval or late registration"),
        ),
        (
            "registration_closes_before_seconds",
            opens_at is None or opens_at <= closes,
            Wording("registration must open before it closes"),
        ),
    )


def _event(terms: Announce | Terms) -> Iterable[tuple[str, bool, Wording]]:
    """
    Return each demand on place and length: the field, whether it is met, the text.
    """
    place, length = terms.place, terms.length_seconds
    return (
        (
            "place",
            place is None or 0 < len(place.strip()) <= len(place) <= PLACE_LENGTH_MAX,
            Wording(f"must have 1 to {PLACE_LENGTH_MAX} characters"),
        ),
        (
            "length_seconds",
            length is None or LENGTH_MIN <= length <= LENGTH_MAX,
            Wording(f"must be between {LENGTH_MIN} and {LENGTH_MAX}"),
        ),
    )


def _terms(command: Announce | Terms) -> Iterable[tuple[str, bool, Wording]]:
    seats_max, unit = command.ruleset.max_players, command.ruleset.chip_unit
    return (
        *checked_format(command),
        *_event(command),
        (
            "name",
            0 < len(command.name.strip()) <= NAME_LENGTH_MAX,
            Wording("must have 1 to 200 characters"),
        ),
        (
            "table_seats",
            2 <= command.table_seats <= seats_max,
            Wording(f"must be 2 to {seats_max}"),
        ),
        (
            "entrants_max",
            not isinstance(command.ruleset.end, OpenEnd)
            or command.entrants_min <= command.table_seats,
            Wording("a casino has one table"),
        ),
        (
            "starting_stack",
            (command.starting_stack > 0) != command.ruleset.moneyless,
            Wording("must be positive, or 0 if the game counts hands instead of chips"),
        ),
        (
            "starting_stack",
            command.starting_stack % unit == 0,
            Wording(f"must be a multiple of {unit}"),
        ),
        ("entrants_min", command.entrants_min >= ENTRANTS_MIN, Wording("must be 2 at least")),
        (
            "entrants_max",
            command.entrants_min <= command.entrants_max <= ENTRANTS_MAX,
            Wording(f"must be between entrants_min and {ENTRANTS_MAX}"),
        ),
        *_times(command),
        *checked(command),
        *floor_problems(
            command.floor,
            table_seats=command.table_seats,
            seats_max=seats_max,
            levels=len(structure_of(command.ruleset)),
        ),
    )


def _times(command: Announce | Terms) -> Iterable[tuple[str, bool, Wording]]:
    """Return each demand on the times of play: the field, whether it is met, the text."""
    opens_at = command.registration_opens_at
    return (
        ("decision_seconds", command.decision_seconds > 0, Wording("must be positive")),
        ("grace_seconds", command.grace_seconds >= 0, Wording("must not be negative")),
        (
            "hands_between_seconds",
            command.hands_between_seconds >= 0,
            Wording("must not be negative"),
        ),
        (
            "hands_max",
            command.hands_max is None or command.hands_max > 0,
            Wording("must be positive"),
        ),
        (
            "registration_opens_at",
            opens_at is None or opens_at <= command.starts_at,
            Wording("must not be after starts_at"),
        ),
        (
            "floor.last_hands_at",
            command.floor.last_hands_at is None or command.floor.last_hands_at > command.starts_at,
            Wording("must be after starts_at"),
        ),
    )
