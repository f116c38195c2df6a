"""The signer as a process: two routes on loopback, a key and a folder, no database."""

from typing import Any

import msgspec
from litestar import Litestar, MediaType, Request, Response, get, post
from litestar.datastructures import State
from litestar.params import FromPath, JSONBody

from service.errors import CheckpointRefused
from service.transparency.note import Checkpoint
from service.transparency.signer import Signer
from service.transparency.signing import Head, Signed, SignRequest


def _encoded(value: Any, status: int = 200) -> Response[bytes]:
    return Response(msgspec.json.encode(value), status_code=status, media_type=MediaType.JSON)


@get("/heads/{origin:path}", sync_to_thread=False)
def last_head(state: State, origin: FromPath[str]) -> Response[bytes]:
    """Answer the last head signed under an origin; before the first, the empty tree."""
    signer: Signer = state.signer
    head = signer.last(origin.removeprefix("/"))
    return _encoded(
        Head(origin=head.origin, size=head.size, root=head.root, verifier_key=signer.verifier_key)
    )


@post("/heads", sync_to_thread=True)
def sign(state: State, data: JSONBody[SignRequest]) -> Response[bytes]:
    """Sign a head that continues the last one; 409 if it does not."""
    signer: Signer = state.signer
    head = Checkpoint(origin=data.origin, size=data.size, root=data.root)
    return _encoded(Signed(note=signer.sign(head, data.proof)))


def _refused(_: Request[Any, Any, Any], error: CheckpointRefused) -> Response[bytes]:
    return _encoded({"code": error.code, "detail": error.detail, "facts": error.facts}, 409)


def signing_app(signer: Signer) -> Litestar:
    """Return the signer's application; it asks for no token and belongs on loopback only."""
    return Litestar(
        [last_head, sign],
        state=State({"signer": signer}),
        exception_handlers={CheckpointRefused: _refused},
        openapi_config=None,
    )
