"""A relay in front of a server, by which tests take the server away from a browser and back."""

import socket
import threading
from contextlib import suppress
from urllib.parse import urlsplit

_AT_ONCE = 65_536


class Relay:
    """
    Passes connections on to a server, until it is cut.

    Args:
        url: The address of the server.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._server = (parts.hostname or "", parts.port or 0)
        self._port = 0
        self._open: list[socket.socket] = []
        self._listener: socket.socket | None = None
        self.mend()

    @property
    def url(self) -> str:
        """The address of the relay."""
        return f"http://127.0.0.1:{self._port}"

    def mend(self) -> None:
        """Take connections, on the same port as before."""
        self._listener = socket.create_server(("127.0.0.1", self._port), backlog=64)
        self._port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def cut(self) -> None:
        """End every connection, and refuse new ones, as if the server were killed."""
        ends, self._open = self._open, []
        for each in (self._listener, *ends):
            if each is not None:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
                each.close()
        self._listener = None

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):  # the listener is closed by a cut
            while True:
                near, _ = listener.accept()
                far = socket.create_connection(self._server)
                self._open += [near, far]
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=self._pass, args=pair, daemon=True).start()

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):  # either end is gone
            while content := one.recv(_AT_ONCE):
                if self._lets(content):
                    other.sendall(content)
            other.shutdown(socket.SHUT_WR)

    def _lets(self, content: bytes) -> bool:
        """Return whether *content* is passed on. A relay with a will of its own answers here."""
        return True
