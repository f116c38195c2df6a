"""``holotable health``: ask a process of this machine whether it is alive and ready."""

import os
import sys
import urllib.error
import urllib.request
from typing import Final

import msgspec
import rich_click as click

from service.base.settings import SettingsInvalid, read, read_signer
from service.cli.common import AWAY, NO, USAGE, err, out, stop

_SECONDS: Final = 4
_PROCESSES: Final = ("api", "worker", "project", "signer", "bots")


class _Answer(msgspec.Struct):
    why: str = ""


@click.command()
@click.argument("process", type=click.Choice(_PROCESSES))
@click.option("--live", is_flag=True, help="Ask only whether it is alive, not whether it is ready.")
def health(process: str, live: bool) -> None:
    """
    Ask PROCESS on this machine whether it is alive and ready. Exit with 1 if not.

    It needs the settings of that process, and asks at HOLOTABLE_METRICS_ADDRESS. For a worker it
    asks each process. Exit with 3 if nothing answers. For health checks of containers.
    """
    path = "livez" if live else "readyz"
    code = 0
    for url in _addresses(process):
        code = max(code, _ask(f"{url}/{path}"))
    if code == 0:
        out.print(f"{process} is {'live' if live else 'ready'}")
    sys.exit(code)


def _addresses(process: str) -> list[str]:
    """Return the addresses at which the processes of *process* answer, by its settings."""
    try:
        if process == "signer":
            address, processes = read_signer(os.environ).metrics_address, 1
        else:
            told = read(os.environ)
            address = told.metrics_address
            processes = told.worker_members if process == "worker" else 1
    except SettingsInvalid as error:
        stop(USAGE, str(error), "give the settings of the process that is asked")
    if address is None:
        stop(USAGE, "no port was opened", "set HOLOTABLE_METRICS_ADDRESS for the process too")
    host, _, first = address.rpartition(":")
    if host.strip("[]") in {"0.0.0.0", "::", ""}:
        host = "127.0.0.1"
    return [f"http://{host}:{int(first) + number}" for number in range(processes)]


def _ask(url: str) -> int:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        opener.open(url, timeout=_SECONDS).close()
    except urllib.error.HTTPError as no:
        why = msgspec.json.decode(no.read(), type=_Answer).why
        err.print(f"{url}: {why}\n  next: run `holotable doctor`", markup=False)
        return NO
    except OSError as error:
        err.print(f"{url} does not answer: {error}\n  next: see the process's log", markup=False)
        return AWAY
    return 0
