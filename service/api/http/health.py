"""Whether the process lives, and whether it can work."""

import msgspec
from litestar import Response

from service.api.http.operations import operation
from service.api.http.shell import Shell
from service.api.http.submitting import encoded
from service.projections.troubles import Warning as Trouble


class Readiness(msgspec.Struct, kw_only=True):
    """Whether the process can work, and what an operator should look at all the same."""

    status: str
    warnings: list[Trouble]
    """Nothing of these takes the service out of service; ``holotable doctor`` says more."""


@operation("GET", "/livez", "livez", "The process answers.", needs="anyone", answer=dict[str, str])
async def livez() -> Response[bytes]:
    """Answer without asking the database, whose absence no restart would cure."""
    return encoded({"status": "ok"})


@operation(
    "GET", "/readyz", "readyz", "The process can work.", needs="anyone", answer=Readiness,
    problems=("store_unavailable",),
)  # fmt: skip
async def readyz(shell: Shell) -> Response[bytes]:
    """Ask the database something small; 503 if it is away, 200 with warnings otherwise."""
    await shell.pool.fetchval("SELECT 1", timeout=2)
    return encoded(Readiness(status="ok", warnings=await shell.troubles.warnings()))
