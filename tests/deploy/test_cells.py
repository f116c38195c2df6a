"""
Two cells behind one HAProxy, each with a PostgreSQL of its own, and a replica of the first.

At the end a league moves from the first cell to the second, with its people and its name.
"""

import asyncio
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest

from bench.http import await_port
from bench.installation import DATABASE, PASSWORD, SECRET, apis, server
from engine.values import number_of
from service.base.embedded import Cluster
from service.base.settings import Settings, environment
from service.log.read import last_position, read_league, verify
from tests.deploy.parts import ROOT, missing, process
from tests.service.relocating.cells import code
from tests.support.commands import in_fork
from tests.support.servers import DEBIAN, free_port
from tests.support.waiting import until

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(bool(missing()), reason=f"not installed: {', '.join(missing())}"),
]
NAMES = {"friday.test": "cell-1", "monday.test": "cell-2"}


@contextmanager
def proxied(
    folder: Path, ports: list[int]
) -> Iterator[tuple[str, Callable[[dict[str, str]], None]]]:
    """
    Run HAProxy with the file of ``deploy/``. Only addresses, TLS and paths differ.

    Yields its address, and a function that gives it another map.
    """
    port = free_port()
    text = (ROOT / "deploy" / "haproxy.cells.cfg").read_text()
    changes = {
        r"bind :443 ssl .*": f"bind 127.0.0.1:{port}",
        r"/etc/haproxy/cells\.map": f"{folder}/cells.map",
        r"127\.0\.0\.1:8000\b": f"127.0.0.1:{ports[0]}",
        r"127\.0\.0\.1:8002\b": f"127.0.0.1:{ports[1]}",
    }
    for old, new in changes.items():
        text, times = re.subn(old, new, text)
        assert times == 1, old
    (folder / "haproxy.cfg").write_text(text)

    def write(names: dict[str, str]) -> None:
        (folder / "cells.map").write_text("".join(f"{name} {it}\n" for name, it in names.items()))

    write(NAMES)
    where = shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin")
    command = [str(where), "-W", "-f", str(folder / "haproxy.cfg")]
    with process(command, folder / "haproxy.log", os.environ) as running:
        await_port(port)

        def change(names: dict[str, str]) -> None:
            write(names)
            running.send_signal(signal.SIGUSR2)  # a reload, as by `systemctl reload haproxy`

        yield f"http://127.0.0.1:{port}", change


class Host:
    """A person who founds a league under its own name, and announces a tournament."""

    def __init__(self, proxy: str, name: str) -> None:
        self.http = httpx.Client(base_url=proxy, headers={"Host": name}, timeout=60)
        known = {"login": "host", "password": "a long night ahead"}
        self.post("/v1/accounts", known | {"name": "Host"})
        self.http.headers["Authorization"] = f"Bearer {self.post('/v1/tokens', known)['token']}"
        self.league = self.post("/v1/leagues", {"name": name})["id"]
        terms = {"name": "First", "ruleset": "better", "entrants_max": 6}
        self.tournament = self.post(f"/v1/leagues/{self.league}/tournaments", terms)["id"]

    def post(self, path: str, body: Any) -> Any:
        """Send a command, which must be accepted."""
        answer = self.http.post(path, json=body, headers={"Idempotency-Key": os.urandom(8).hex()})
        assert answer.is_success, answer.text
        return answer.json()

    def answered(self, path: str) -> bool:
        """Return whether a command is accepted now."""
        key = {"Idempotency-Key": os.urandom(8).hex()}
        return self.http.post(path, json={}, headers=key).is_success

    def status(self, path: str, **headers: str) -> int:
        """Return the status of a read."""
        return self.http.get(path, headers=headers).status_code


def test_a_proxy_sends_each_league_to_its_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLOTABLE_PG_BIN", str(DEBIAN))
    with ExitStack() as stack:
        clusters = [stack.enter_context(server()) for _ in NAMES]
        cells = [stack.enter_context(apis(each, 1))[0] for each in clusters]
        ports = [int(each.url.rpartition(":")[2]) for each in cells]
        proxy, change = stack.enter_context(proxied(tmp_path, ports))
        friday, monday = (Host(proxy, name) for name in NAMES)
        for each in (friday, monday):
            stack.callback(each.http.close)
        for each, other in ((friday, "monday.test"), (monday, "friday.test")):
            flat = f"/v1/tournaments/{each.tournament}"  # a path that does not name the league
            assert each.status(flat) == 200
            assert each.status(flat, Host=other) == 401, "people of one cell are not the other's"
            assert each.status(flat, Host="nobody.test") == 404
        follows(clusters[0], friday, tmp_path / "replica")
        clusters[1].stop()
        assert friday.status(f"/v1/leagues/{friday.league}") == 200
        friday.post(f"/v1/leagues/{friday.league}/invitations", {})
        assert monday.status(f"/v1/tournaments/{monday.tournament}") == 503
        clusters[1].start()
        until(lambda: monday.status(f"/v1/tournaments/{monday.tournament}") == 200)
        stood = moves(friday, clusters, tmp_path, change)
        print(f"the league stood still for {stood:.1f} s")
        assert monday.status(f"/v1/tournaments/{monday.tournament}") == 200


def moves(
    host: Host, cells: list[Cluster], folder: Path, change: Callable[[dict[str, str]], None]
) -> float:
    """Move a league from the first cell to the second. Return the seconds without commands."""

    def told(cell: Cluster, *asked: str) -> str:
        url = cell.url(DATABASE, "holotable_migrate", PASSWORD)
        ended = in_fork(asked, environment(Settings(database_url=url, secret_key=SECRET)))
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    (old, new), why = cells, ("--reason", "a drill")
    file, secret = folder / "league.packed", folder / "secret"
    secret.write_text("a long way off\n")
    sealed = ("--passphrase-file", str(secret))
    began = time.monotonic()
    told(old, "league", "suspend", host.league, *why)
    told(old, "league", "pack", host.league, str(file), "--to", "cell-2", *sealed)
    # Both people are called host. The operator has asked them.
    known = ("--account", "host=friday")
    arrival = code("arr_", told(new, "league", "unpack", str(file), *sealed, *known))
    release = code("rel_", told(old, "league", "release", host.league, arrival, *why))
    change(NAMES | {"friday.test": "cell-2"})
    told(new, "league", "restore", host.league, "--release", release, *why)
    # The same name, the same token, the other cell.
    path = f"/v1/leagues/{host.league}/invitations"
    until(lambda: host.answered(path))
    return time.monotonic() - began


def follows(cluster: Cluster, host: Host, folder: Path) -> None:
    """Have a streaming replica follow a cell, and read the league's log from it."""
    folder.mkdir(mode=0o700)
    shutil.copy(cluster.directory / "superuser.password", folder)
    command = [
        str(DEBIAN / "pg_basebackup"), "-D", str(folder / "data"), "-d", cluster.url(), "-R",
        "--checkpoint", "fast",  # the other kind writes for as long as a minute or two
    ]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    with Cluster(folder, DEBIAN) as replica:
        host.post(f"/v1/leagues/{host.league}/invitations", {})
        league = number_of(host.league)

        async def read(url: str) -> tuple[int, bool]:
            connection = await asyncpg.connect(url)
            rows = await read_league(connection, league)
            for name in {row.stream for row in rows}:
                verify(row for row in rows if row.stream == name)
            last = await last_position(connection, league)
            standby: bool = await connection.fetchval("SELECT pg_is_in_recovery()")
            await connection.close()
            return last, standby

        last, _ = asyncio.run(read(cluster.url(DATABASE)))
        until(lambda: asyncio.run(read(replica.url(DATABASE))) == (last, True))
