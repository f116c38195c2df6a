"""Reading of request bodies, with a size limit for every route."""

from typing import Any

from litestar import Request
from litestar.exceptions import ClientException
from litestar.exceptions.http_exceptions import RequestEntityTooLarge

from service.api.http.declaring.declaration import BODY_MAX, Operation
from service.api.http.wire.crowding import PLACE, Place


# The framework's type parameters for user, token and state are not used.
class BoundedRequest(Request[Any, Any, Any]):
    """A request with a limit on its body. Its client may disconnect before the end."""

    async def body(self) -> bytes:
        """
        Read the whole body.

        Raises:
            RequestEntityTooLarge: If the body, or its announced length, exceeds the route's limit.
            ClientException: If the client disconnects. Nobody reads the answer.
        """
        state = self.scope["state"]
        described: Operation | None = state.get("operation")
        most = BODY_MAX if described is None else described.body_max
        announced = self.headers.get("content-length", "")
        if announced.isdecimal() and int(announced) > most:
            raise RequestEntityTooLarge
        place: Place | None = state.get(PLACE)
        found = bytearray()
        while True:
            coming = self.receive()
            event: Any  # in ASGI, its "type" says which members it has
            event = await (coming if place is None else place.resting(coming))
            if event["type"] == "http.disconnect":
                raise ClientException("the client has gone away")
            found += event.get("body", b"")
            if len(found) > most:
                raise RequestEntityTooLarge
            if not event.get("more_body", False):
                return bytes(found)
