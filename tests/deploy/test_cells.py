"""Two cells behind one HAProxy, each with a PostgreSQL of its own, and a replica of the first."""

import asyncio
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest

from bench.http import await_port
from bench.installation import DATABASE, apis, server
from engine.values import number_of
from service.base.embedded import Cluster
from service.log.read import last_position, read_league, verify
from tests.deploy.parts import ROOT, missing, process
from tests.support.servers import DEBIAN, free_port
from tests.support.waiting import until

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(bool(missing()), reason=f"not installed: {', '.join(missing())}"),
]
NAMES = {"friday.test": "cell-1", "monday.test": "cell-2"}


@contextmanager
def proxied(folder: Path, ports: list[int]) -> Iterator[str]:
    """Run HAProxy with the file of ``deploy/``. Only addresses, TLS and paths differ."""
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
    (folder / "cells.map").write_text("".join(f"{name} {it}\n" for name, it in NAMES.items()))
    where = shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin")
    command = [str(where), "-f", str(folder / "haproxy.cfg")]
    with process(command, folder / "haproxy.log", os.environ):
        await_port(port)
        yield f"http://127.0.0.1:{port}"


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
        proxy = stack.enter_context(proxied(tmp_path, ports))
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
