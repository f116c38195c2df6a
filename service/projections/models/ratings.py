"""
Read model ``ratings``: the strength of a league's players, estimated from its results.

A result changes the ratings of its own players. A second result of the same tournament
is a correction. After a correction, and after two players were merged, all of the league's
ratings are computed again, in the order in which the tournaments ended.
House bots have no ratings, and change nobody's.
"""

from collections.abc import Iterable, Sequence

import msgspec
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.kit.house_bots import is_house_bot
from engine.league.merging import PlayersMerged
from engine.ratings import Rating, rated
from engine.tournament.model.events import TournamentFinished
from engine.tournament.model.events.correcting import ResultCorrected
from engine.values import PlayerId
from service.projections import schema
from service.projections.applying.changes import Changes, Row
from service.projections.applying.projection import Happened, Projection, on


async def _load(
    connection: AsyncConnection, changes: Changes, batch: Sequence[Happened[msgspec.Struct]]
) -> None:
    """Load the league's ratings into the memory, and all its results if one is corrected."""
    league = batch[0].league
    rating = schema.rating
    found = await connection.execute(sa.select(rating).where(rating.c.league == league))
    changes.memory["ratings"] = {row["player"]: dict(row) for row in found.mappings()}
    results = schema.rated
    ended = [happened.subject for happened in batch]
    known = await connection.execute(
        sa.select(results.c.tournament).where(results.c.tournament.in_(ended))
    )
    changes.memory["results"] = {}
    alias = schema.rating_alias
    merged = await connection.execute(sa.select(alias).where(alias.c.league == league))
    changes.memory["aliases"] = {row["player"]: row["into"] for row in merged.mappings()}
    again = any(isinstance(each.event, PlayersMerged) for each in batch)
    if again or known.first() is not None or len(set(ended)) < len(ended):
        earlier = await connection.execute(
            sa.select(results).where(results.c.league == league).order_by(results.c.position)
        )
        changes.memory["results"] = {row["tournament"]: dict(row) for row in earlier.mappings()}


def _placed(changes: Changes, happened: Happened[TournamentFinished | ResultCorrected]) -> None:
    results = changes.memory["results"]
    corrected = happened.subject in results
    row: Row = {
        "tournament": happened.subject,
        "league": happened.league,
        "position": results[happened.subject]["position"] if corrected else happened.position,
        "placings": _best_placings(
            (_one(changes, each.player), each.place) for each in happened.event.placings
        ),
    }
    before = results[happened.subject]["placings"] if corrected else ()
    gone = {player for player, _ in before} - {player for player, _ in row["placings"]}
    results[happened.subject] = row
    changes.put(schema.rated, **row)
    if corrected:
        for player in gone:
            changes.delete(schema.rating_change, tournament=happened.subject, player=player)
        _rate_again(changes, happened.league)
    else:
        _rate(changes, row)


def _players_merged(changes: Changes, happened: Happened[PlayersMerged]) -> None:
    """Give the places of the merged player to the other one, and rate everybody again."""
    aliases, event = changes.memory["aliases"], happened.event
    for player in (event.player, *(each for each, one in aliases.items() if one == event.player)):
        aliases[player] = event.into
        changes.put(schema.rating_alias, league=happened.league, player=player, into=event.into)
    for row in changes.memory["results"].values():
        if any(player == event.player for player, _ in row["placings"]):
            row["placings"] = _best_placings(
                (_one(changes, player), place) for player, place in row["placings"]
            )
            changes.put(schema.rated, **row)
            changes.delete(schema.rating_change, tournament=row["tournament"], player=event.player)
    _rate_again(changes, happened.league)


def _rate_again(changes: Changes, league: str) -> None:
    for player in changes.memory["ratings"]:
        changes.delete(schema.rating, league=league, player=player)
    changes.memory["ratings"] = {}
    for each in changes.memory["results"].values():
        _rate(changes, each)


def _one(changes: Changes, player: PlayerId) -> PlayerId:
    """Return the player who stands for *player*."""
    one: PlayerId = changes.memory["aliases"].get(player, player)
    return one


def _best_placings(placings: Iterable[tuple[PlayerId, int]]) -> list[tuple[PlayerId, int]]:
    """Return each player except house bots once, with the best place, ordered by place."""
    best: dict[PlayerId, int] = {}
    for player, place in sorted(placings, key=lambda it: (it[1], it[0])):
        if not is_house_bot(player):
            best.setdefault(player, place)
    return list(best.items())


def _rate(changes: Changes, result: Row) -> None:
    ratings = changes.memory["ratings"]
    before = []
    for player, place in result["placings"]:
        row = ratings.get(player)
        known = Rating() if row is None else Rating(mu=row["mu"], sigma=row["sigma"])
        before.append((place, known))
    for (player, place), after in zip(result["placings"], rated(before), strict=True):
        numbers = {"mu": after.mu, "sigma": after.sigma, "ordinal": after.ordinal}
        played = ratings[player]["played"] + 1 if player in ratings else 1
        ratings[player] = {"league": result["league"], "player": player, "played": played}
        ratings[player] |= numbers
        changes.put(schema.rating, **ratings[player])
        changes.put(
            schema.rating_change,
            tournament=result["tournament"],
            player=player,
            league=result["league"],
            position=result["position"],
            place=place,
            **numbers,
        )


ratings = Projection(
    name="ratings",
    version=1,
    relations=(schema.rated, schema.rating, schema.rating_change, schema.rating_alias),
    load=_load,
    handlers=dict(
        [
            on(TournamentFinished, _placed),
            on(ResultCorrected, _placed),
            on(PlayersMerged, _players_merged),
        ]
    ),
)
