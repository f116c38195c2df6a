"""Liveness and readiness of the process."""

import msgspec
from litestar import Response

from service.api.http.operations import operation
from service.api.http.shell import Shell
from service.api.http.writing.submitting import encoded
from service.base.errors import SchemaUnsupported
from service.projections.following.troubles import Warning as Trouble


class Readiness(msgspec.Struct, kw_only=True):
    """The readiness of the process, with warnings for its operator."""

    status: str
    """Always `ok`."""

    warnings: list[Trouble]
    """Problems that do not stop the service. ``holotable doctor`` gives details."""


@operation(
    "GET",
    "/livez",
    "livez",
    "Check that the process answers.",
    needs="anyone",
    answer=dict[str, str],
)
async def livez() -> Response[bytes]:
    """Answer without asking the database, because a restart would not bring it back."""
    return encoded({"status": "ok"})


@operation(
    "GET", "/readyz", "readyz", "Check that the process can serve requests.",
    needs="anyone", answer=Readiness, problems=("store_unavailable", "schema_unsupported"),
)  # fmt: skip
async def readyz(shell: Shell) -> Response[bytes]:
    """
    Query the database. Answer 503 if it is away, or if its schema is not one on which this version
    runs. Otherwise answer 200 with any warnings.
    """
    schema = await shell.schema.look(shell.pool)
    if schema.fault is not None:
        raise SchemaUnsupported(f"{schema.fault}; {schema.mend}", schema=schema.here)
    return encoded(Readiness(status="ok", warnings=await shell.troubles.warnings()))
