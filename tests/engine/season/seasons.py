"""Seasons for tests: valid terms, and results by player and place."""

from typing import Any
from uuid import UUID

from engine.season.commands import AdjustPoints, AwardPoints, CloseSeason, LeaveOut, OpenSeason
from engine.season.state import State
from engine.season.values import (
    Adjustment,
    AdjustmentKind,
    Field,
    Finish,
    Outlook,
    PlacesFromEnd,
    PointsRule,
)
from engine.values import AdjustmentId, TextId, TextRef, TournamentId, identifier
from tests.engine.tournament.floor import LEAGUE, NOON, SEASON, entrant, player

MASTER = "77" * 32
SALT = "88" * 32
DIRECTOR = player(99)
REASON = TextRef(text=TextId(identifier("txt", UUID(int=4))), digest="99" * 32)


def opening(points: PointsRule | None = None, **terms: Any) -> OpenSeason:
    """Return valid terms, with *terms* in place of the defaults."""
    sound: dict[str, Any] = {
        "season": SEASON,
        "league": LEAGUE,
        "name": "Spring",
        "points": points or PlacesFromEnd(),
        "master": MASTER,
        "salt": SALT,
        "now": NOON,
    }
    return OpenSeason(**(sound | terms))


def tournament(number: int) -> TournamentId:
    return TournamentId(identifier("trn", UUID(int=number)))


def award(number: int, *places: tuple[int, int, int], **field: Any) -> AwardPoints:
    """Return the result of one tournament. Each item is player, place and number who share it."""
    return AwardPoints(
        tournament=tournament(number),
        placings=tuple(
            Finish(entrant=entrant(index), player=player(who), place=place, shared=shared)
            for index, (who, place, shared) in enumerate(places)
        ),
        now=NOON,
        **field,
    )


def in_order(number: int, *players: int, **field: Any) -> AwardPoints:
    """Return the result of one tournament without shared places."""
    return award(number, *((who, place, 1) for place, who in enumerate(players, 1)), **field)


def closing(state: State, *others: Outlook, leave_out: LeaveOut | None = None) -> CloseSeason:
    """Return the command that closes a season with its tournaments as they were counted."""
    named = {each.tournament for each in others}
    counted = tuple(
        Outlook(tournament=each.tournament, prospect="finished")
        for each in getattr(state, "counted", ())
        if each.tournament not in named
    )
    return CloseSeason(tournaments=(*counted, *others), leave_out=leave_out, now=NOON)


def field_of(entrants: int, **more: Any) -> Field:
    known = {"entrants": entrants, "entries": entrants, "buy_in": 0, "pool": 0, "money_digits": 2}
    return Field(**(known | more))


def adjustment(
    number: int, who: int, points: str, kind: AdjustmentKind = "manual", **more: Any
) -> AdjustPoints:
    """Return a command for an adjustment."""
    return AdjustPoints(
        adjustment=Adjustment(
            id=AdjustmentId(identifier("adj", UUID(int=number))),
            player=player(who),
            kind=kind,
            points=points,
            tournament=more.get("tournament"),
        ),
        reason=REASON,
        author=DIRECTOR,
        now=NOON,
    )
