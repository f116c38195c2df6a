"""The nightly statistics of the random generator. They belong to no league."""

from datetime import date

import msgspec
from litestar import Response

from service.api.http.operations import operation
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.shell import Shell
from service.audit.play.fresh import nights
from service.base.errors import BadRequest


class FairnessRun(msgspec.Struct, kw_only=True):
    """The statistics of one night. They can be repeated from ``master``."""

    night: str
    """The date, as YYYY-MM-DD."""

    master: str
    """The fresh seed of all draws, in hexadecimal. Nothing else uses it."""

    p_values: dict[str, float]
    """For each statistic, the probability that a fair generator deviates at least as much."""

    alarm: bool
    """True if a fair generator would give the lowest p-value less than once in a million."""


@operation(
    "GET", "/v1/fairness-runs", "list_fairness_runs",
    "List the random generator's nightly statistics on fresh seeds, newest first.",
    needs="account", scope="leagues:read",
    answer=Page[FairnessRun], problems=("invalid_cursor",),
)  # fmt: skip
async def list_fairness_runs(shell: Shell, pages: Pages) -> Response[bytes]:
    """List the measured nights. A night without a run is missing."""
    paged = pages.listing("fairness-runs", str)
    found = await nights(shell.pool, paged.limit + 1, _before(paged.after))
    shown = [
        FairnessRun(night=each.night, master=master.hex(), p_values=each.p_values, alarm=each.alarm)
        for each, master in found
    ]
    return pages.answer(paged.page(shown, lambda each: (each.night,)))


def _before(after: tuple[str, ...] | None) -> date:
    try:
        return date.max if after is None else date.fromisoformat(after[0])
    except ValueError as error:
        raise BadRequest("invalid_cursor", "the cursor is not from this server") from error
