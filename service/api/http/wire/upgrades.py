"""
Requests that ask for another protocol (``Upgrade``), which this server answers over HTTP.

RFC 9110, section 7.8, lets a server ignore ``Upgrade``. The parser cannot: it takes everything
after the head for the other protocol, so the body and the requests behind it. A proxy, which
forwards them as HTTP, would then read the answer to a part of a body as that to another client.
"""

from typing import Final, Protocol

import httptools

_FRAMING: Final = frozenset({b"content-length", b"transfer-encoding"})
"""The headers that say where a request ends (RFC 9112, section 6)."""


class Requests(Protocol):
    """The calls that a parser makes for each request."""

    def on_message_begin(self) -> None:
        """A request begins."""

    def on_url(self, url: bytes) -> None:
        """A part of the request's target has been read."""

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header has been read."""

    def on_headers_complete(self) -> None:
        """The head has been read."""

    def on_body(self, body: bytes) -> None:
        """A part of the body has been read."""

    def on_message_complete(self) -> None:
        """The request has been read whole."""


class _Rest:
    """Tells of all that a parser reads but the first head, which was read before."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests
        self._begun = False
        self.on_body = requests.on_body
        self.on_message_complete = requests.on_message_complete

    def on_message_begin(self) -> None:
        if self._begun:
            self._requests.on_message_begin()

    def on_url(self, url: bytes) -> None:
        if self._begun:
            self._requests.on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._begun:
            self._requests.on_header(name, value)

    def on_headers_complete(self) -> None:
        if self._begun:
            self._requests.on_headers_complete()
        self._begun = True


def parser_of_rest(requests: Requests) -> httptools.HttpRequestParser:
    """
    Return a parser for the rest of a request, and for the requests behind it.

    It first needs the head that :func:`framing_of` makes.

    Args:
        requests: Is told of the request's body and end, and of each request behind it.
    """
    parser = httptools.HttpRequestParser(_Rest(requests))
    # As the server's own: what stands behind a request that closes the connection is ignored.
    parser.set_dangerous_leniencies(lenient_data_after_close=True)
    return parser


def framing_of(headers: list[tuple[bytes, bytes]], version: str) -> bytes:
    """
    Return the head of a request that asks for no other protocol and ends where another one does.

    Args:
        headers: The headers of the other request. Their names are in small letters.
        version: Its version of HTTP, such as ``1.1``.
    """
    framing = [b"%b: %b\r\n" % each for each in headers if each[0] in _FRAMING]
    return b"POST / HTTP/%b\r\n%b\r\n" % (version.encode(), b"".join(framing))
