"""How a request's body is read, on every route."""

from typing import Any

from litestar import Request
from litestar.exceptions import ClientException
from litestar.exceptions.http_exceptions import RequestEntityTooLarge

from service.api.http.declaration import BODY_MAX, Operation


# The types of user, token and state are the framework's to name; none is used.
class BoundedRequest(Request[Any, Any, Any]):
    """A request whose body is bounded, and whose client may go away before its end."""

    async def body(self) -> bytes:
        """
        Read the whole body.

        Raises:
            RequestEntityTooLarge: Beyond what a client may send, announced or not.
            ClientException: If the client goes away; nobody reads the answer.
        """
        described: Operation | None = self.scope["state"].get("operation")
        most = BODY_MAX if described is None else described.body_max
        announced = self.headers.get("content-length", "")
        if announced.isdecimal() and int(announced) > most:
            raise RequestEntityTooLarge
        found = bytearray()
        while True:
            event: Any = await self.receive()  # ASGI types it by the value of a member
            if event["type"] == "http.disconnect":
                raise ClientException("the client has gone away")
            found += event.get("body", b"")
            if len(found) > most:
                raise RequestEntityTooLarge
            if not event.get("more_body", False):
                return bytes(found)
