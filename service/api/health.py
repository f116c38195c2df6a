"""Whether the process lives, and whether it can work."""

from litestar import Response

from service.api.operations import operation
from service.api.shell import Asked, shell_of
from service.api.submitting import encoded


@operation("GET", "/livez", "livez", "The process answers.", needs="anyone", answer=dict[str, str])
async def livez(request: Asked) -> Response[bytes]:
    """Answer without asking the database, whose absence no restart would cure."""
    return encoded({"status": "ok"})


@operation(
    "GET", "/readyz", "readyz", "The process can work.", needs="anyone", answer=dict[str, str],
    problems=("store_unavailable",),
)  # fmt: skip
async def readyz(request: Asked) -> Response[bytes]:
    """Ask the database something small; 503 if it is away."""
    await shell_of(request).pool.fetchval("SELECT 1", timeout=2)
    return encoded({"status": "ok"})
