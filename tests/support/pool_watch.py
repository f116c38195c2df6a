"""A watch for tasks that hold a connection of a pool and ask the same pool for another one."""

import asyncio
from collections import Counter
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa

_Held = Counter[int]
_held: WeakKeyDictionary["asyncio.Task[Any]", _Held] = WeakKeyDictionary()
"""The number of connections that each task holds, by pool."""

_KEPT = "held_by"
_SHARED = 8
"""The size of the API's pool."""


def watch() -> None:
    """
    Raise at the second connection that one task asks the API's pool for.

    Eight such tasks at once would each hold a connection and wait for another one, and the pool
    has eight. Nothing would go on until their waits end. Commands have smaller pools, with as many
    connections as their one task needs.
    """
    if not sa.event.contains(sa.pool.Pool, "checkout", _taken):
        sa.event.listen(sa.pool.Pool, "checkout", _taken)
        sa.event.listen(sa.pool.Pool, "checkin", _given_back)


def _task() -> "asyncio.Task[Any] | None":
    try:
        return asyncio.current_task()
    except RuntimeError:  # no loop runs in this thread
        return None


def _taken(_: Any, record: sa.pool.ConnectionPoolEntry, lent: Any) -> None:
    task = _task()
    pooled = isinstance(lent._pool, sa.pool.QueuePool)  # migrations keep no connection
    if task is None or not pooled or lent._pool.size() < _SHARED:
        return
    _given_back(None, record)  # a dead connection is replaced without having been given back
    held, pool = _held.setdefault(task, Counter()), id(lent._pool)
    if held[pool]:
        raise AssertionError("this task holds a connection of the pool and asks for another one")
    held[pool] += 1
    record.record_info[_KEPT] = (task, pool)


def _given_back(_: Any, record: sa.pool.ConnectionPoolEntry) -> None:
    task, pool = record.record_info.pop(_KEPT, (None, 0))
    if task is not None and task in _held:
        _held[task][pool] -= 1
