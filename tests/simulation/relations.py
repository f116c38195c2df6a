"""
The relations of jobs, heartbeats and checkpoints in memory.

The service's own functions send their statements here. Each statement is recognised by a phrase of
its text, and answered as PostgreSQL would. An unknown statement is an error, so a new one must be
added here. ``test_relations.py`` sends the same random calls to PostgreSQL and compares the rows.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol
from uuid import UUID

from service.log.record import Recorded
from service.tasks.jobs import ClaimedJob
from service.tasks.reading import Row

Given = Mapping[str, Any] | Sequence[Any]

_WOKEN = ("table.watch", "tournament.level", "tournament.close_late", "waitlist.offer")


@dataclass(slots=True)
class JobRow:
    """A row of ``job``."""

    job_id: UUID
    occurrence: str
    task: str
    args: str
    due_at: datetime
    state: str = "ready"
    claim: int = 0
    attempts: int = 0
    lease_until: datetime | None = None
    wake_at: datetime | None = None
    last_error: str | None = None


class Log(Protocol):
    """The log of the same database."""

    @property
    def leagues(self) -> list[UUID]:
        """The leagues that have a log."""

    def rows(self, league: UUID) -> list[Recorded]:
        """Return a league's whole log."""


class UnknownStatement(Exception):
    """A statement that the simulation does not know. Add it to :class:`Relations`."""


class Relations:
    """
    The relations of one database.

    Args:
        store: The log of the same database.
        now: The database's clock.
    """

    def __init__(self, store: Log, now: Callable[[], datetime]) -> None:
        self._store = store
        self._now = now
        self.jobs: dict[str, JobRow] = {}
        self.checkpoints: dict[UUID, int] = {}
        self.heartbeats: dict[str, datetime] = {}
        self.outages: list[tuple[str, datetime, datetime]] = []
        self.leagues: list[UUID] = []
        self._made = 0
        self._known: tuple[tuple[str, Callable[[Any], list[Any]]], ...] = (
            ("SET attempts = attempts + 1", self._begin),
            ("least($3::timestamptz, wake_at) IS NULL", self._finish),
            ("WHEN $5 = 'hopeless'", self._fail),
            ("SET lease_until = $3 WHERE", self._renew),
            ("ON CONFLICT (occurrence) DO UPDATE", self._come_again),
            ("ON CONFLICT (occurrence) DO NOTHING", self._arm),
            ("WHERE occurrence = %(occurrence)s AND state IN", self._wake),
            ("SET lease_until = service_time() WHERE", self._release),
            ("SET state = 'dead', lease_until = NULL", self._bury),
            ("WITH due AS", self._claim),
            ("task IN ('table.watch', 'tournament.level', ", self._wake_all),
            ("SELECT searched.league", self._news),
            ("INSERT INTO ticker_checkpoint", self._enter),
            ("SELECT position FROM ticker_checkpoint", self._held),
            ("UPDATE ticker_checkpoint", self._move),
            ("SELECT max(position) + 1", self._end),
            ("SELECT position, stream, stream_version, event_id", self._rows),
            ("type = 'positions_voided'", lambda _: []),
            ("WITH last AS", self._beat),
            ("SELECT EXISTS (SELECT 1 FROM outage WHERE until_at > (", self._ended_since),
            ("AS lasting", self._interruption),
            ("SELECT since_at, least(until_at, $2)", self._known_outages),
            ("SELECT since_at, until_at FROM outage", self._outages),
            ("type = 'table_opened'", self._tables),
        )

    def ask(self, statement: str, given: Given) -> list[Any]:
        """
        Return the rows that *statement* returns.

        Raises:
            UnknownStatement: If it is not one of the service's.
        """
        text = " ".join(statement.split())
        for phrase, answer in self._known:
            if phrase in text:
                return answer(given)
        raise UnknownStatement(text)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Undo everything if an error leaves the block."""
        jobs = {name: copy(row) for name, row in self.jobs.items()}
        checkpoints = dict(self.checkpoints)
        try:
            yield
        except BaseException:
            self.jobs, self.checkpoints = jobs, checkpoints
            raise

    # Jobs: service/tasks/jobs.py and arming.py

    def _arm(self, given: Sequence[Any]) -> list[Any]:
        occurrence, task, args, due_at = given
        if occurrence not in self.jobs:
            self._made += 1
            self.jobs[occurrence] = JobRow(UUID(int=self._made), occurrence, task, args, due_at)
        return []

    def _come_again(self, given: Mapping[str, Any]) -> list[Any]:
        job, at = self.jobs.get(given["occurrence"]), given["at"]
        if job is None:
            return self._arm([given["occurrence"], given["task"], given["args"], at])
        if job.state == "ready" and job.due_at <= at:
            return []
        if job.state == "sent":
            job.wake_at = _least(job.wake_at, at)
            return []
        job.wake_at = None
        job.attempts = 0 if job.state == "dead" else job.attempts
        job.due_at = min(job.due_at, at) if job.state == "ready" else at
        job.state = "ready"
        return []

    def _wake(self, given: Mapping[str, Any]) -> list[Any]:
        job = self.jobs.get(given["occurrence"])
        if job is not None:
            _wake(job, given["at"], _least(job.wake_at, given["at"]))
        return []

    def _wake_all(self, given: Mapping[str, Any]) -> list[Any]:
        for job in self.jobs.values():
            if job.task in _WOKEN:
                _wake(job, given["now"], given["now"])
        return []

    def _release(self, given: Sequence[Any]) -> list[Any]:
        for job in self.jobs.values():
            if job.state == "sent" and job.task in given[0]:
                job.lease_until = self._now()
        return []

    def _bury(self, given: Sequence[Any]) -> list[Any]:
        now, most = given
        dead = [
            job
            for job in self.jobs.values()
            if job.state == "sent" and _before(job.lease_until, now) and job.attempts >= most
        ]
        for job in dead:
            job.state, job.lease_until = "dead", None
        return [(job.occurrence,) for job in dead]

    def _claim(self, given: Mapping[str, Any]) -> list[Any]:
        now, tasks = given["now"], given["tasks"]
        due = [
            job
            for job in self.jobs.values()
            if (job.state == "ready" and job.due_at <= now)
            or (job.state == "sent" and _before(job.lease_until, now))
            if tasks is None or job.task in tasks
        ]
        due.sort(key=lambda job: (job.attempts > 0, job.due_at))
        claimed = due[: given["limit"]]
        for job in claimed:
            job.state, job.wake_at, job.claim = "sent", None, job.claim + 1
            job.lease_until = now + given["lease"]
        return [
            ClaimedJob(job.job_id, job.task, json.loads(job.args), job.claim) for job in claimed
        ]

    def _held_by(self, job_id: UUID, claim: int) -> JobRow | None:
        for job in self.jobs.values():
            if (job.job_id, job.claim, job.state) == (job_id, claim, "sent"):
                return job
        return None

    def _begin(self, given: Sequence[Any]) -> list[Any]:
        job_id, claim, until = given
        job = self._held_by(job_id, claim)
        if job is None:
            return []
        job.attempts += 1
        job.lease_until = until
        return [{"task": job.task, "args": job.args}]

    def _finish(self, given: Sequence[Any]) -> list[Any]:
        job_id, claim, again_at, refused = given
        job = self._held_by(job_id, claim)
        if job is None:
            return []
        next_at = _least(again_at, job.wake_at)
        job.state = "done" if next_at is None else "ready"
        job.due_at = next_at or job.due_at
        job.lease_until = job.wake_at = None
        job.attempts, job.last_error = 0, refused
        return [{"?column?": 1}]

    def _renew(self, given: Sequence[Any]) -> list[Any]:
        job_id, claim, until = given
        job = self._held_by(job_id, claim)
        if job is not None:
            job.lease_until = until
        return []

    def _fail(self, given: Sequence[Any]) -> list[Any]:
        job_id, claim, error, most, cause, waited, now = given
        job = self._held_by(job_id, claim)
        if job is not None:
            died = cause == "hopeless" or (cause == "job" and job.attempts >= most)
            job.state = "dead" if died else "ready"
            job.due_at = now + timedelta(seconds=0.5 * min(2**job.attempts, 300))
            job.lease_until, job.last_error = None, error
            if cause == "waits":
                job.attempts = min(job.attempts, waited)
        return []

    # The search of the log: service/tasks/searching.py and arming.py

    def _log(self, league: UUID) -> list[Recorded]:
        return self._store.rows(league)

    def _news(self, _given: Given) -> list[Any]:
        return [
            (league,)
            for league in self.leagues
            if len(self._log(league)) > self.checkpoints.get(league, 0)
        ]

    def _enter(self, given: Sequence[Any]) -> list[Any]:
        self.checkpoints.setdefault(given[0], 0)
        return []

    def _held(self, given: Sequence[Any]) -> list[Any]:
        return [(self.checkpoints[given[0]],)]

    def _move(self, given: Sequence[Any]) -> list[Any]:
        self.checkpoints[given[1]] = given[0]
        return []

    def _end(self, given: Sequence[Any]) -> list[Any]:
        league, start, limit = given
        rows = self._log(league)
        end = min(len(rows), start + limit)
        return [(end if end > start else None,)]

    def _rows(self, given: Mapping[str, Any]) -> list[Any]:
        assert given["after"] is None
        wanted = frozenset(given["types"])
        return [
            Row(
                row.position,
                row.stream,
                row.stream_version,
                row.event_id,
                row.type,
                row.schema_version,
                row.data.decode(),
                row.at.isoformat(),
            )
            for row in self._log(given["league"])[given["start"] : given["stop"]]
            if row.type in wanted
        ]

    def _tables(self, given: Sequence[Any]) -> list[Any]:
        league, _, tournament = given
        return [
            {"stream": row.stream}
            for row in self._log(league)
            if row.type == "table_opened" and json.loads(row.data)["tournament"] == tournament
        ]

    # Heartbeats: service/base/heartbeats.py

    def _beat(self, given: Given) -> list[Any]:
        process, silence = given.values() if isinstance(given, Mapping) else given
        now, last = self._now(), self.heartbeats.get(process)
        self.heartbeats[process] = now if last is None else max(now, last)
        if last is None or now - last <= silence:
            return []
        self.outages.append((process, last, now))
        return [(1,)]

    def _ended_since(self, given: Mapping[str, Any]) -> list[Any]:
        own = self.heartbeats.get(given["process"])
        return [(own is not None and any(until > own for _, _, until in self.outages),)]

    def _outages(self, given: Sequence[Any]) -> list[Any]:
        later = sorted((since, until) for _, since, until in self.outages if until > given[0])
        return [{"since_at": since, "until_at": until} for since, until in later]

    def _known_outages(self, given: Sequence[Any]) -> list[Any]:
        since, now, silence, _league = given
        found = [
            (began, min(until, now))
            for _, began, until in self.outages
            if until > since and began < now
        ]
        if now > since:
            found += [(at, now) for at in self.heartbeats.values() if at < now - silence]
        found.sort(key=lambda each: each[0])
        return [{"since_at": began, "until_at": until} for began, until in found]

    def _interruption(self, given: Sequence[Any]) -> list[Any]:
        opened_at, deadline, unsure, _league = given
        beat = self.heartbeats.get("api")
        lasting = beat is not None and beat < self._now() - unsure and beat < deadline
        over = any(until > opened_at and since < deadline for _, since, until in self.outages)
        return [{"lasting": lasting, "over": over}]


def _least(one: datetime | None, other: datetime | None) -> datetime | None:
    given = [each for each in (one, other) if each is not None]
    return min(given) if given else None


def _before(instant: datetime | None, now: datetime) -> bool:
    return instant is not None and instant < now


def _wake(job: JobRow, due_at: datetime, wake_at: datetime | None) -> None:
    if job.state == "ready":
        job.due_at, job.wake_at = min(job.due_at, due_at), None
    elif job.state == "sent":
        job.wake_at = wake_at


class Connection:
    """A ticker's connection, as psycopg offers it. Nothing interrupts a call."""

    def __init__(self, relations: Relations) -> None:
        self._relations = relations
        self._found: list[Any] = []

    def execute(self, statement: Any, given: Given = ()) -> "Connection":
        """Answer *statement*."""
        self._found = self._relations.ask(str(statement), given)
        return self

    def fetchone(self) -> Any:
        """Return the first row, or None."""
        return self._found[0] if self._found else None

    def fetchall(self) -> list[Any]:
        """Return all rows."""
        return self._found

    def __iter__(self) -> Iterator[Any]:
        return iter(self._found)

    @contextmanager
    def cursor(self, **_how: object) -> Iterator["Connection"]:
        """Return a cursor. Its rows have the types that the service asks for."""
        yield Connection(self._relations)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Begin a transaction."""
        with self._relations.transaction():
            yield
