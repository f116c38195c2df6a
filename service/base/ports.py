"""Ports of this machine: free ones that no outgoing connection takes, and who has a taken one."""

import errno
import os
import pwd
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from service.base.sources import SystemEntropy

_LOWEST: Final = 10_000
_HIGHEST: Final = 65_535
_ENOUGH: Final = 1_000
"""Among fewer ports than these, several programs that start at a time would often meet."""

_OF_CONNECTIONS: Final = Path("/proc/sys/net/ipv4/ip_local_port_range")
_TABLES: Final = (Path("/proc/self/net/tcp"), Path("/proc/self/net/tcp6"))
"""They are also there with ``ProcSubset=pid``, which hides ``/proc/net``."""

_LISTENS: Final = "0A"
_NONE: Final = "0"
_given: Final[set[int]] = set()
"""The ports that this process was given. It may open them much later."""


def free_ports(count: int = 1, host: str = "127.0.0.1") -> int:
    """
    Return the first of *count* consecutive free ports of *host*, where no connection takes them.

    A child opens its own later, and again after each restart. By then an outgoing connection could
    have any port of those that the system gives to connections. If these begin too low, or cannot
    be known, any port is given. If no ports are free, whoever opens them says so.

    Raises:
      OSError: If this machine cannot listen at *host*, whatever the port.
    """
    places = range(_LOWEST, _below_connections() - count, count)
    # Several may start at a time, and each needs ports of its own before it opens them.
    begin = int.from_bytes(SystemEntropy().bytes(4)) % len(places)
    for place in range(begin, begin + len(places)):
        ports = range(first := places[place % len(places)], first + count)
        if _given.isdisjoint(ports) and all(_is_free(host, port) for port in ports):
            _given.update(ports)
            return first
    return places[begin]


def _below_connections() -> int:
    """Return the end of the ports to give: where those of connections begin, if there is room."""
    with suppress(OSError):  # hidden by `ProcSubset=pid`
        below = int(_OF_CONNECTIONS.read_text(encoding="ascii").split()[0])
        if below >= _LOWEST + _ENOUGH:
            return below
    return _HIGHEST


def _is_free(host: str, port: int) -> bool:
    try:
        with socket.socket(_family(host)) as probe:
            probe.bind((host, port))
    except OSError as error:
        # Any other error comes with each port.
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        return False
    return True


def is_taken(host: str, port: int) -> bool:
    """
    Return whether another program listens at *port*. Its ended connections do not count.

    Raises:
      OSError: If this login cannot listen there for another reason.
    """
    try:
        socket.create_server((host, port), family=_family(host)).close()
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        return True
    return False


def listens(process: int, port: int) -> bool:
    """
    Return whether a process listens at *port* itself, and no other one. True if nobody may see it.

    A process that leaves no dump hides its files, also from its own user.
    """
    opened = set[str]()
    try:
        files = list(Path(f"/proc/{process}/fd").iterdir())
    except PermissionError:
        return True
    except OSError:  # it has ended
        return False
    for each in files:
        with suppress(OSError):  # it was closed meanwhile
            opened.add(os.readlink(each))
    found = list(_sockets(port))
    return not found or any(
        each.state == _LISTENS and f"socket:[{each.inode}]" in opened for each in found
    )


def _family(host: str) -> socket.AddressFamily:
    of_any = socket.AI_PASSIVE  # an empty host is every address
    return socket.getaddrinfo(host or None, 0, type=socket.SOCK_STREAM, flags=of_any)[0][0]


class _Socket(NamedTuple):
    """A socket at a port, as the kernel lists it."""

    state: str
    user: int
    inode: str


def taken(port: int) -> str:
    """Return a sentence about who has *port*, as far as this login may see it, and what to do."""
    return f"port {port} is taken by {_user_of(port)}; end it, or take another port"


def _user_of(port: int) -> str:
    # One that is bound but neither listens nor is connected is not listed.
    # An ended connection is listed for a minute more, and is no process's.
    found = sorted(_sockets(port), key=lambda each: (each.state != _LISTENS, each.inode == _NONE))
    if not found:
        return "another program"
    what = "" if found[0].state == _LISTENS else "a connection of "
    if (process := _process_with(found[0].inode)) is not None:
        with suppress(OSError):
            name = Path(f"/proc/{process}/comm").read_text(encoding="utf-8").strip()
            return f"{what}process {process} ({name})"
    return f"{what}a process of {_name_of(found[0].user)}"


def _sockets(port: int) -> Iterator[_Socket]:
    for table in _TABLES:
        with suppress(OSError):  # no IPv6, or hidden: the true error is said without its user
            for line in table.read_text(encoding="ascii").splitlines()[1:]:
                _, here, _, state, _, _, _, user, _, inode, *_ = line.split()
                if int(here.rpartition(":")[2], 16) == port:
                    yield _Socket(state, int(user), inode)


def _process_with(inode: str) -> int | None:
    """Return a process that has a socket open. Those of other users cannot be seen."""
    for folder in Path("/proc").glob("[0-9]*/fd"):
        with suppress(OSError):  # it ended meanwhile, or is another user's
            for each in folder.iterdir():
                if os.readlink(each) == f"socket:[{inode}]":
                    return int(folder.parent.name)
    return None


def _name_of(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"user {user}"
