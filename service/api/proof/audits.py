"""Audits. A request starts one, a worker runs it, and operations show its progress."""

from datetime import datetime
from typing import Any, Literal

import msgspec
import sqlalchemy as sa
from litestar import Response
from sqlalchemy.dialects.postgresql import insert

from service.api.http.access.entered import is_entered
from service.api.http.access.rights import (
    TOURNAMENT,
    LeaguePlace,
    belong,
    demand,
    demand_form,
    find,
)
from service.api.http.operations import operation
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page, instant_in
from service.api.http.reading.positions import plays_in
from service.api.http.shell import Asked, Shell
from service.api.http.writing.submitting import Order, encoded
from service.base.errors import BadRequest, StreamNotFound
from service.log.keys import driver_of
from service.people import suspending
from service.people.idempotency import RecordedRequest
from service.people.tokens import Principal
from service.projections.reads import queries
from service.projections.reads.rows import ReportRow
from service.projections.schema import audit_report
from service.tasks import jobs

Progress = Literal["pending", "running", "done", "failed"]
_STATES: dict[str, Progress] = {
    "waiting": "pending",
    "passed": "done",
    "failed": "done",
    "broken": "failed",
    "running": "running",
}


class AuditWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The scope of an audit: one tournament's streams, or the whole league if null."""

    tournament: str | None = None
    """The tournament to audit, or null for the whole league."""


class Started(msgspec.Struct, kw_only=True):
    """An accepted operation, which runs in the background."""

    operation: str
    """The operation, `opr_…`, as in `GET /v1/operations/{id}`."""


class OperationShown(msgspec.Struct, kw_only=True):
    """The progress of an operation. ``result`` is null until it is done."""

    id: str
    """The operation, `opr_…`."""

    kind: Literal["audit"]
    """Always `audit`."""

    league: str
    state: Progress
    """`pending`, then `running`, and at last `done` or `failed`. Only a broken audit has failed."""

    progress: float
    """The part that is done, from 0 to 1."""

    result: dict[str, Any] | None  # the worker's report, as stored
    """The report of the audit. Its `passed` says whether the log is right."""


class AuditListed(msgspec.Struct, kw_only=True):
    """An audit in a list."""

    operation: str
    """The operation, `opr_…`, as in `GET /v1/operations/{id}`."""

    tournament: str | None
    """The audited tournament, or null for the whole league."""

    state: Progress
    """`pending`, then `running`, and at last `done` or `failed`. Only a broken audit has failed."""

    progress: float
    """The part that is done, from 0 to 1."""

    passed: bool | None
    """True if the log is right, or null until the audit is done."""

    not_compared: tuple[str, ...]
    """
    Read models that wait for a rebuild and were not compared with the log, by name. Of them
    `passed` says nothing. Empty until the audit is done.
    """

    requested_at: datetime
    """The time at which the audit was asked for."""

    finished_at: datetime | None
    """The time at which it ended, or null."""


@operation(
    "GET", "/v1/leagues/{league_id:str}/audits", "list_audits",
    "List the audits of a league, newest first.",
    needs="read_league", scope="leagues:read", answer=Page[AuditListed],
    problems=("invalid_cursor",),
)  # fmt: skip
async def list_audits(place: LeaguePlace, shell: Shell, pages: Pages) -> Response[bytes]:
    """List the audits that people asked for and those of disputes."""
    paged = await pages.live(place.id, f"audits {place.id}", str, str)
    before = None if paged.after is None else (instant_in(paged.after[0]), paged.after[1])
    async with shell.engine.connect() as connection:
        found = await queries.reports(connection, place.id, paged.limit + 1, before)
    page = paged.page(found, lambda each: (each.requested_at.isoformat(), each.id))
    listed = [_listed(each) for each in page.items]
    return pages.answer(Page(items=listed, next_cursor=page.next_cursor))


@operation(
    "POST", "/v1/leagues/{league_id:str}/audits", "start_audit",
    "Start an audit, which decides every recorded action again in the background.",
    needs="audit_hands", scope="hands:audit", answer=Started, status=202,
    problems=("bad_request", "forbidden", "not_caught_up"),
)  # fmt: skip
async def start_audit(
    request: Asked,
    body: AuditWanted,
    place: LeaguePlace,
    order: Order,
    now: datetime,
    shell: Shell,
    principal: Principal,
) -> Response[bytes]:
    """Record the audit and arm its job. A retry returns the same operation."""
    if body.tournament is None:
        entered = await plays_in(shell, principal, place.id)
    else:
        tournament = await find(request, body.tournament, TOURNAMENT)
        if tournament.league != place.id:
            raise BadRequest("bad_request", "this tournament belongs to another league")
        player = principal.account.player
        entered = await is_entered(shell, place.id, tournament.state, player)
    demand(request, place.role, entered=entered)
    number = order.new_id(0)
    scope = body.tournament or "league"
    async with shell.engine.begin() as connection:
        said = RecordedRequest(order.command_id, order.request, principal.account.number, number)
        again = await shell.requests.before(connection, said, now)
        if again is None:
            shell.limits.audit(principal.account.number)
            await suspending.demand_here(connection, place.id)
        await connection.execute(
            insert(audit_report)
            .values(
                id=f"rep_{number.hex}",
                league=place.id,
                scope=scope,
                state="waiting",
                progress=0.0,
                requested_at=now,
                report=sa.null(),
            )
            .on_conflict_do_nothing()
        )
        args = {"league": place.id, "report": f"rep_{number.hex}"}
        if body.tournament is not None:
            args["tournament"] = body.tournament
        job = jobs.Job(occurrence=f"audit:{number.hex}", task="audit.run", args=args, due_at=now)
        await jobs.arm(await driver_of(connection), job)  # in the transaction of its report
    name = f"opr_{number.hex}"
    headers = {"Location": f"/v1/operations/{name}"}
    if again:
        headers["Idempotent-Replayed"] = "true"
    return encoded(Started(operation=name), 202, headers)


@operation(
    "GET", "/v1/operations/{operation_id:str}", "read_operation",
    "Read the progress of an operation.",
    needs="read_league", scope="leagues:read", answer=OperationShown,
)  # fmt: skip
async def read_operation(request: Asked, operation_id: str, shell: Shell) -> Response[bytes]:
    """Read an audit's progress and report. Another league's audit is reported as missing."""
    demand_form(operation_id, "opr")
    identifier = f"rep_{operation_id.removeprefix('opr_')}"
    async with shell.engine.connect() as connection:
        row = await queries.report(connection, identifier)
    if row is None:
        raise StreamNotFound("it does not exist, or you may not see it")
    await belong(request, row.league)
    found = OperationShown(
        id=operation_id,
        kind="audit",
        league=row.league,
        state=_STATES[row.state],
        progress=row.progress,
        result=row.report,
    )
    return encoded(found)


def _listed(row: ReportRow) -> AuditListed:
    report = row.report or {}
    passed = report.get("passed")
    return AuditListed(
        operation=f"opr_{row.id.removeprefix('rep_')}",
        tournament=None if row.scope == "league" else row.scope,
        state=_STATES[row.state],
        progress=row.progress,
        passed=passed if isinstance(passed, bool) else None,
        not_compared=tuple(report.get("not_compared", ())),
        requested_at=row.requested_at,
        finished_at=row.finished_at,
    )
