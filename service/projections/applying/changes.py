"""
The changes that a batch of events makes to a read model, gathered by row and written at once.

A hundred events about one table become one statement about its row. Order
matters only among changes of the same row, and this module keeps that order.
"""

from collections import defaultdict
from collections.abc import Hashable
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

Row = dict[str, Any]  # a row may be part of a row
"""One row by column name. The relations in :mod:`service.projections.schema` give the types."""

Key = tuple[Hashable, ...]

_PUT, _PATCH, _DELETE = "put", "patch", "delete"


class Changes:
    """The pending rows of one batch. :meth:`write` sends them in the caller's transaction."""

    def __init__(self) -> None:
        self._pending: dict[sa.Table, dict[Key, tuple[str, Row]]] = defaultdict(dict)
        self._sums: dict[sa.Table, dict[Key, Row]] = defaultdict(dict)
        self.memory: dict[str, Row] = {}
        """Values that a projection loads before the batch and updates while it gathers."""

    def put(self, relation: sa.Table, **row: object) -> None:
        """Make the row with this key exactly *row*, whether it exists or not."""
        self.keep(relation, row)

    def keep(self, relation: sa.Table, row: Row) -> None:
        """Do the same as :meth:`put`, for a row that the caller may change until the batch ends."""
        key = _key(relation, row)
        self._pending[relation][key] = (_PUT, row)
        self._sums[relation].pop(key, None)

    def patch(self, relation: sa.Table, **row: object) -> None:
        """Set the named columns of the row with this key. Do nothing if the row does not exist."""
        key = _key(relation, row)
        kind, before = self._pending[relation].get(key, (_PATCH, {}))
        if kind != _DELETE:
            self._pending[relation][key] = (kind, before | row)
            for name in self._sums[relation].get(key, {}).keys() & row.keys():
                del self._sums[relation][key][name]

    def add(self, relation: sa.Table, key: Row, **amounts: int) -> None:
        """Add *amounts* to columns of the row with this *key*."""
        place = _key(relation, key)
        kind, row = self._pending[relation].get(place, (_PATCH, {}))
        if kind == _PUT:
            summed = {name: row[name] + amount for name, amount in amounts.items()}
            self._pending[relation][place] = (_PUT, row | summed)
        elif kind == _PATCH:
            # Sums are added after patches. That is right in either order, because a later patch of
            # the same column has removed the sum.
            sums = self._sums[relation].setdefault(place, {})
            for name, amount in amounts.items():
                sums[name] = sums.get(name, 0) + amount

    def delete(self, relation: sa.Table, **key: Hashable) -> None:
        """Remove the row with this key, if there is one."""
        self._pending[relation][_key(relation, key)] = (_DELETE, key)
        self._sums[relation].pop(_key(relation, key), None)

    async def write(self, connection: AsyncConnection) -> int:
        """Write all pending changes. Return the number of rows touched."""
        written = 0
        for relation, pending in self._pending.items():
            gone = [key for key, (kind, _) in pending.items() if kind == _DELETE]
            rows = [row for kind, row in pending.values() if kind == _PUT]
            patches = [(key, row) for key, (kind, row) in pending.items() if kind == _PATCH and row]
            await _delete(connection, relation, gone)
            await _put(connection, relation, rows)
            await _patch(connection, relation, patches)
            written += len(gone) + len(rows) + len(patches)
        for relation, sums in self._sums.items():
            await _add(connection, relation, sums)
            written += len(sums)
        return written


def _key(relation: sa.Table, row: Row) -> Key:
    return tuple([row[name] for name in _key_names(relation)])


@cache
def _key_names(relation: sa.Table) -> tuple[str, ...]:
    return tuple(column.name for column in relation.primary_key)


@cache
def _names(relation: sa.Table) -> tuple[str, ...]:
    return tuple(column.name for column in relation.columns)


def _where(relation: sa.Table) -> sa.ColumnElement[bool]:
    return sa.and_(
        *(column == sa.bindparam(f"key_{column.name}") for column in relation.primary_key)
    )


def _bound(relation: sa.Table, key: Key) -> Row:
    names = (f"key_{column.name}" for column in relation.primary_key)
    return dict(zip(names, key, strict=True))


async def _delete(connection: AsyncConnection, relation: sa.Table, keys: list[Key]) -> None:
    if keys:
        statement = sa.delete(relation).where(_where(relation))
        await connection.execute(statement, [_bound(relation, key) for key in keys])


async def _put(connection: AsyncConnection, relation: sa.Table, rows: list[Row]) -> None:
    if rows:
        statement = insert(relation)
        keys, names = _key_names(relation), _names(relation)
        others = {name: statement.excluded[name] for name in names if name not in keys}
        upsert = statement.on_conflict_do_update(index_elements=keys, set_=others)
        full = [{name: row.get(name) for name in names} for row in rows]
        await connection.execute(upsert, full)


async def _patch(
    connection: AsyncConnection, relation: sa.Table, patches: list[tuple[Key, Row]]
) -> None:
    keys = {column.name for column in relation.primary_key}
    by_columns: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for key, row in patches:
        names = tuple(sorted(row.keys() - keys))
        if names:
            values = {f"new_{name}": row[name] for name in names}
            by_columns[names].append(_bound(relation, key) | values)
    for names, rows in by_columns.items():
        values = {name: sa.bindparam(f"new_{name}", type_=relation.c[name].type) for name in names}
        await connection.execute(sa.update(relation).where(_where(relation)).values(values), rows)


async def _add(connection: AsyncConnection, relation: sa.Table, sums: dict[Key, Row]) -> None:
    by_columns: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for key, amounts in sums.items():
        names = tuple(sorted(amounts))
        if not names:
            continue
        values = {f"new_{name}": amounts[name] for name in names}
        by_columns[names].append(_bound(relation, key) | values)
    for names, rows in by_columns.items():
        values = {
            name: relation.c[name] + sa.bindparam(f"new_{name}", type_=relation.c[name].type)
            for name in names
        }
        await connection.execute(sa.update(relation).where(_where(relation)).values(values), rows)
