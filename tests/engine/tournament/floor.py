"""Names, terms and identifiers shared by the tests of tournaments, seasons and leagues."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from engine.rulesets import preset, ruleset_hash
from engine.tournament.model.commands import Announce, OpenRegistration, Register, StartPlay
from engine.tournament.model.values import Masters
from engine.values import EntrantId, LeagueId, PlayerId, SeasonId, TableId, TournamentId, identifier

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
MASTERS = Masters(cards="11" * 32, open="22" * 32)
SALTS = ("33" * 32, "44" * 32)
LEAGUE = LeagueId(identifier("lge", UUID(int=1)))
SEASON = SeasonId(identifier("ssn", UUID(int=2)))
TOURNAMENT = TournamentId(identifier("trn", UUID(int=3)))
RULESET = preset("better")


def table(number: int) -> TableId:
    return TableId(identifier("tbl", UUID(int=1_000 + number)))


def entrant(number: int) -> EntrantId:
    return EntrantId(identifier("ent", UUID(int=2_000 + number)))


def player(number: int) -> PlayerId:
    return PlayerId(identifier("plr", UUID(int=3_000 + number)))


def announce(**terms: Any) -> Announce:
    """Return sound terms with *terms* laid over them."""
    sound: dict[str, Any] = {
        "tournament": TOURNAMENT,
        "league": LEAGUE,
        "name": "Cloud City Open",
        "ruleset": RULESET,
        "ruleset_name": "better",
        "ruleset_hash": ruleset_hash(RULESET),
        "table_seats": 4,
        "starting_stack": 1_000,
        "entrants_max": 40,
        "starts_at": NOON,
        "decision_seconds": 20,
    }
    return Announce(**(sound | terms))


opening = OpenRegistration(masters=MASTERS, salts=SALTS, now=NOON)


def register(number: int, *, bot: bool = False) -> Register:
    return Register(entrant=entrant(number), player=player(number), bot=bot, now=NOON)


def start(tables: int = 20, *, scheduled: bool = False) -> StartPlay:
    ids = tuple(table(number + 1) for number in range(tables))
    return StartPlay(table_ids=ids, scheduled=scheduled, now=NOON)


def to_start(entrants: int, **terms: Any) -> tuple[Any, ...]:
    """Return the commands that lead to the start of play with *entrants*."""
    return (
        announce(**terms),
        opening,
        *(register(number + 1) for number in range(entrants)),
        start(),
    )
