"""The signer as a process: a few routes for its clients, a key and a folder, no database."""

import errno
import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hmac import compare_digest
from pathlib import Path
from typing import Any

import msgspec
import structlog
import uvicorn
from litestar import Litestar, MediaType, Response, Router, get, post
from litestar.connection import ASGIConnection
from litestar.datastructures import State
from litestar.exceptions import NotAuthorizedException
from litestar.handlers import BaseRouteHandler
from litestar.params import FromPath, JSONBody

from service.base import metrics, telemetry
from service.base.errors import CheckpointRefused
from service.base.health import beating
from service.base.ports import taken
from service.base.settings import SettingsInvalid, SignerSettings
from service.transparency.messages import (
    Damage,
    Head,
    Heads,
    LastHead,
    ReceiptsRequest,
    Signed,
    SignedReceipts,
    SignRequest,
)
from service.transparency.note import Checkpoint, SigningKey, private_key, read_private_key
from service.transparency.signer import Memory, MemoryDamaged, Signer

_log = structlog.get_logger(__name__)

_STOP_SECONDS = 5

# The connection is not used beyond its headers: user, session and state are open.
_Asked = ASGIConnection[Any, Any, Any, Any]


@contextmanager
def _counting(kind: str) -> Iterator[None]:
    """Count a request to sign by its outcome."""
    try:
        yield
    except CheckpointRefused:
        metrics.SIGNATURES.labels(kind, "refused").inc()
        raise
    metrics.SIGNATURES.labels(kind, "signed").inc()


def _encoded(value: object, status: int = 200) -> Response[bytes]:
    return Response(msgspec.json.encode(value), status_code=status, media_type=MediaType.JSON)


@get("/key", sync_to_thread=False, media_type=MediaType.TEXT)
def public_key(state: State) -> str:
    """Answer the public key, to anybody. A stack polls this route until the signer is ready."""
    signer: Signer = state.signer
    return signer.verifier_key


@get("/heads/{origin:path}", sync_to_thread=False)
def last_head(state: State, origin: FromPath[str]) -> Response[bytes]:
    """Answer the last head signed under an origin. Before the first, it is the empty tree."""
    signer: Signer = state.signer
    head = signer.last(origin.removeprefix("/"))
    return _encoded(
        LastHead(
            origin=head.origin, size=head.size, root=head.root, verifier_key=signer.verifier_key
        )
    )


@get("/heads", sync_to_thread=False)
def last_heads(state: State) -> Response[bytes]:
    """Answer the last head of every league. A database that lost a league cannot ask for it."""
    signer: Signer = state.signer
    kept = (Head(origin=each.origin, size=each.size, root=each.root) for each in signer.heads())
    return _encoded(Heads(heads=tuple(kept)))


@post("/heads", sync_to_thread=False)
def sign(state: State, data: JSONBody[SignRequest]) -> Response[bytes]:
    """
    Sign a head that continues the last one. Answer 409 if it does not.

    Requests are served one after another in a single loop: no other request may come between
    reading the last head and keeping the next.
    """
    signer: Signer = state.signer
    head = Checkpoint(origin=data.origin, size=data.size, root=data.root)
    with _counting("head"):
        note = signer.sign(head, data.proof)
    metrics.SIGNED_AT.set_to_current_time()
    return _encoded(Signed(note=note))


@post("/receipts", sync_to_thread=False)
def sign_receipts(state: State, data: JSONBody[ReceiptsRequest]) -> Response[bytes]:
    """
    Sign receipts, which bind only the house that asks for them. Answer 409 for a malformed one.
    """
    signer: Signer = state.signer
    with _counting("receipts"):
        notes = tuple(signer.sign_receipt(each) for each in data.receipts)
    return _encoded(SignedReceipts(verifier_key=signer.verifier_key, notes=notes))


def _refused(_: _Asked, error: CheckpointRefused) -> Response[bytes]:
    return _encoded({"code": error.code, "detail": error.detail, "facts": error.facts}, 409)


def _damaged(_: _Asked, error: MemoryDamaged) -> Response[bytes]:
    _log.error("the memory is damaged", error=str(error))
    return _encoded(Damage(memory=str(error)), 500)


def _knowing(token: str) -> Callable[[_Asked, BaseRouteHandler], None]:
    """Return a guard that refuses all requests without *token*."""
    wanted = f"Bearer {token}".encode()

    def check(asked: _Asked, _: BaseRouteHandler) -> None:
        if not compare_digest(asked.headers.get("authorization", "").encode(), wanted):
            raise NotAuthorizedException("the signer does not know this client")

    return check


def signing_app(signer: Signer, token: str | None = None) -> Litestar:
    """
    Return the signer's application.

    Args:
      token: What every request must show, except for the public key. None for an application
        without a port, which only its own process can ask.
    """
    private = Router(
        "/",
        route_handlers=[last_head, last_heads, sign, sign_receipts],
        guards=[] if token is None else [_knowing(token)],
    )
    return Litestar(
        [public_key, private],
        state=State({"signer": signer}),
        exception_handlers={CheckpointRefused: _refused, MemoryDamaged: _damaged},
        lifespan=[lambda _: beating("the event loop")],
        openapi_config=None,
        logging_config=None,
    )


def run(settings: SignerSettings) -> None:
    """
    Serve until a signal says to stop. Exit with 3 if the server never started.

    Raises:
      SettingsInvalid: If the key is damaged, if the memory is another signer's or
        cannot be written, or if the address is taken.
    """
    telemetry.configure(settings, "signer")
    try:
        key = read_private_key(settings.signer_key)
    except ValueError as error:
        raise SettingsInvalid(str(error)) from error
    metrics.serve(settings.metrics_address)
    with _memory(settings.signer_memory) as memory, _listening(settings) as listening:
        serve(Signer(key, memory), settings.signer_token, listening, settings.log_level)


def serve(signer: Signer, token: str, listening: socket.socket, log_level: str = "warning") -> None:
    """Serve *signer* on a socket, to those who show *token*, until a signal says to stop."""
    config = uvicorn.Config(
        signing_app(signer, token),
        log_level=log_level,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=_STOP_SECONDS,
        server_header=False,
    )
    server = uvicorn.Server(config)
    server.run(sockets=[listening])
    if not server.started:
        sys.exit(3)


def make_key(file: Path, name: str, secret: bytes) -> str:
    """
    Write a new private key, readable only by its owner, and beside it the public ``FILE.pub``.

    Args:
      file: The file to write. Its folder is made if missing.
      name: The signer's name, as clients see it.
      secret: 32 unpredictable bytes.

    Returns:
      The public key.

    Raises:
      ValueError: If the name has a space or a plus sign.
      FileExistsError: If the file exists. A key is never overwritten.
    """
    public = SigningKey(name, secret).verifier_key()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as out:
        out.write(private_key(name, secret) + "\n")
        out.flush()
        os.fsync(out.fileno())
    try:
        os.link(draft, file)  # a link appears complete, and never replaces another key
    finally:
        draft.unlink()
    file.with_name(f"{file.name}.pub").write_text(public + "\n", encoding="ascii")
    return public


def _memory(folder: str) -> Memory:
    try:
        return Memory(Path(folder))
    except BlockingIOError as error:
        raise SettingsInvalid(f"another signer uses {folder}") from error
    except OSError as error:
        what = f"HOLOTABLE_SIGNER_MEMORY cannot be written: {error.strerror}"
        raise SettingsInvalid(what) from error


def _listening(settings: SignerSettings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family)
    except OSError as error:
        why = taken(settings.port) if error.errno == errno.EADDRINUSE else error.strerror
        what = f"cannot listen on {settings.host}:{settings.port}: {why}"
        raise SettingsInvalid(what) from error
