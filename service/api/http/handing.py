"""Requests about tables that another process of this machine answers."""

from litestar import Response
from litestar.types import HTTPRequestEvent, Receive

from service.api.http.reading.encoding import ready
from service.api.http.reading.paging import parts_of
from service.api.http.shell import Asked, Shell, principal_of, shell_of
from service.log.own_writes import LogPosition


async def answered_elsewhere(request: Asked) -> Response[bytes] | None:
    """
    Return the answer of the process that answers for the table's league, or None for this process.

    This process has authenticated the caller. The other one looks the token up again, so the caller
    gets the answer that a direct request would get. If the other process goes away, this one
    answers. A command keeps its identifier, so the log knows whether it was carried out.
    """
    shell, scope = shell_of(request), request.scope
    league = shell.leagues.get(f"table-{scope['path_params']['table_id'].removeprefix('tbl_')}")
    if shell.neighbours is None or league is None or scope["query_string"]:
        return None  # the first request at a table looks up its league
    neighbour = shell.neighbours.at(league)
    if neighbour is None:
        return None
    body = await request.body() if request.method == "POST" else b""
    found = await neighbour.ask(
        scope["method"], scope["path"], scope["state"]["request_id"], list(scope["headers"]), body
    )
    if found is None:
        request.receive = again(body)
        return None
    _note(shell, request, found.headers.get("Min-Position"))
    return ready(found.body, found.status, found.headers, found.media_type)


def again(body: bytes) -> Receive:
    """Return a function that receives the *body* that was read before."""

    async def receive() -> HTTPRequestEvent:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


def _note(shell: Shell, request: Asked, position: str | None) -> None:
    """Remember the caller's write, so that the caller's next read here waits for it."""
    if position is not None:
        number, epoch, last = parts_of(position, str, int, int)
        player = principal_of(request).account.player
        shell.runtime.writer.own.note(player, f"lge_{number}", LogPosition(epoch, last))
