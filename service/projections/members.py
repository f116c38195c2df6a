"""Read model ``members``: the leagues, and who belongs to each in which role."""

from service.projections import schema
from service.projections.changes import Changes
from service.projections.projection import Happened, Projection


def _league_created(changes: Changes, happened: Happened) -> None:
    data = happened.data
    changes.put(
        schema.league,
        league=happened.league,
        name=data["name"],
        owner=data["owner"],
        sandbox=data["sandbox"],
        created_at=happened.at,
    )
    _member(changes, happened, data["owner"], "owner")


def _member_added(changes: Changes, happened: Happened) -> None:
    _member(changes, happened, happened.data["player"], happened.data["role"])


def _member_role_changed(changes: Changes, happened: Happened) -> None:
    changes.patch(
        schema.member,
        league=happened.league,
        player=happened.data["player"],
        role=happened.data["role"],
    )


def _member_removed(changes: Changes, happened: Happened) -> None:
    changes.delete(schema.member, league=happened.league, player=happened.data["player"])


def _member(changes: Changes, happened: Happened, player: str, role: str) -> None:
    changes.put(
        schema.member, league=happened.league, player=player, role=role, since_at=happened.at
    )


members = Projection(
    name="members",
    version=1,
    relations=(schema.league, schema.member),
    handlers={
        "league_created": _league_created,
        "member_added": _member_added,
        "member_role_changed": _member_role_changed,
        "member_removed": _member_removed,
    },
)
