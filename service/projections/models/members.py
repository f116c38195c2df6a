"""Read model ``members``: the leagues, and their members with their roles."""

from collections.abc import Sequence

import msgspec
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.league.describing import LeagueDescribed
from engine.league.events import LeagueCreated, MemberAdded, MemberRemoved, MemberRoleChanged
from engine.league.merging import PlayersMerged
from service.projections import schema
from service.projections.applying.changes import Changes
from service.projections.applying.projection import Happened, Projection, on


async def _load(
    connection: AsyncConnection, changes: Changes, batch: Sequence[Happened[msgspec.Struct]]
) -> None:
    """Load the players whom the league has merged, if *batch* merges more of them."""
    if not any(isinstance(each.event, PlayersMerged) for each in batch):
        return
    alias = schema.member_alias
    found = await connection.execute(sa.select(alias).where(alias.c.league == batch[0].league))
    changes.memory = {row["player"]: dict(row) for row in found.mappings()}


def _league_created(changes: Changes, happened: Happened[LeagueCreated]) -> None:
    event = happened.event
    changes.put(
        schema.league,
        league=happened.league,
        name=event.name,
        owner=event.owner,
        sandbox=event.sandbox,
        created_at=happened.at,
    )
    _member(changes, happened, event.owner, "owner")


def _league_described(changes: Changes, happened: Happened[LeagueDescribed]) -> None:
    changes.patch(schema.league, league=happened.league, name=happened.event.name)


def _member_added(changes: Changes, happened: Happened[MemberAdded]) -> None:
    _member(changes, happened, happened.event.player, happened.event.role)


def _member_role_changed(changes: Changes, happened: Happened[MemberRoleChanged]) -> None:
    changes.patch(
        schema.member,
        league=happened.league,
        player=happened.event.player,
        role=happened.event.role,
    )


def _member_removed(changes: Changes, happened: Happened[MemberRemoved]) -> None:
    changes.delete(schema.member, league=happened.league, player=happened.event.player)


def _players_merged(changes: Changes, happened: Happened[PlayersMerged]) -> None:
    event = happened.event
    for known in changes.memory.values():
        if known["into"] == event.player:
            known["into"] = event.into
            changes.put(schema.member_alias, **known)
    row = {
        "league": happened.league,
        "player": event.player,
        "into": event.into,
        "at": happened.at,
    }
    changes.memory[event.player] = row
    changes.put(schema.member_alias, **row)


def _member(changes: Changes, happened: Happened[msgspec.Struct], player: str, role: str) -> None:
    changes.put(
        schema.member, league=happened.league, player=player, role=role, since_at=happened.at
    )


members = Projection(
    name="members",
    version=1,
    relations=(schema.league, schema.member, schema.member_alias),
    load=_load,
    handlers=dict(
        [
            on(LeagueCreated, _league_created),
            on(LeagueDescribed, _league_described),
            on(MemberAdded, _member_added),
            on(MemberRoleChanged, _member_role_changed),
            on(MemberRemoved, _member_removed),
            on(PlayersMerged, _players_merged),
        ]
    ),
)
