"""A table as its reader gets it: the engine's view, with identifier, league and version."""

from datetime import datetime
from typing import cast

import msgspec

from engine.coordination.clocks import with_clock
from engine.table.model.state import Table
from engine.table.read.view import seen_by
from engine.table.read.view_parts import TableView
from engine.tournament.levels import structure_of
from engine.tournament.model.state import State as Tournament
from engine.values import EntrantId, TableId
from service.api.table.legal import Legal
from service.log.writer import Loaded


class TableRead(TableView, frozen=True, kw_only=True):
    """A table as one viewer sees it, at one version."""

    id: TableId
    """The table. It is the same as ``table``."""

    league: str
    """The league of the table's tournament."""

    version: int
    """The version of the table's stream. The ``ETag`` is made of it."""

    legal: tuple[Legal, ...] = ()  # type: ignore[assignment]
    """The viewer's legal actions now. Members of an action that do not apply are null."""


class TableNamed(TableRead, frozen=True, kw_only=True):
    """A table as one viewer sees it, with the names of the players."""

    names: dict[str, str]
    """The names of the players at the table now, by entrant."""


class TableSeen(TableNamed, frozen=True, kw_only=True):
    """A table as one viewer sees it, with the names of the players and the server's time."""

    now: datetime
    """
    The server's time, by which deadlines and levels are counted. As of an earlier moment, it is the
    time of the last event that the answer shows.
    """

    closed_since: datetime | None
    """
    The instant since which an operator lets nobody change anything, or null. The clocks stand from
    then on.
    """


def unnamed(read: TableRead) -> TableNamed:
    """Return a table's view whose names are still to be looked up."""
    return TableNamed(**msgspec.structs.asdict(read), names={})


def shown_of(
    read: TableRead, names: dict[str, str], now: datetime, closed_since: datetime | None = None
) -> TableSeen:
    """Return a table's view with the names of its players, and the server's time."""
    return TableSeen(
        **msgspec.structs.asdict(read), names=names, now=now, closed_since=closed_since
    )


def read_of(league: str, loaded: Loaded[Table], seen: TableView) -> TableRead:
    """Return the view *seen* of a table with its place in the log."""
    members = msgspec.structs.asdict(seen)
    # The engine's actions have the same members on the wire, and nulls besides.
    legal = cast(tuple[Legal, ...], members.pop("legal"))
    table = loaded.state.table
    return TableRead(id=table, league=league, version=loaded.version, legal=legal, **members)


def seen_with_clock(table: Table, viewer: EntrantId | None, tournament: Tournament) -> TableView:
    """Return the view of *viewer*, with the next level of the tournament's clock if it has one."""
    view = seen_by(table, viewer)
    return with_clock(view, tournament) if structure_of(table.ruleset) else view
