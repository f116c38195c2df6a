"""
``make api-fuzz``: send schemathesis' requests to a running API, and print its summary.

The league has a tournament at play, one before its start, a season, disputes and staff. The reads
go first, because commands end the tournament. Operations that end the caller's own session are
last.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx

from bench.http import await_port, free_port
from service.api.http.declaring.declaration import Operation
from service.api.openapi import openapi_json
from service.base.database import async_engine
from service.base.settings import environment
from service.base.shipped import ROOT
from service.process.app import build
from tests.api_fuzz.document import with_identifiers
from tests.service.api.conftest import Api, Person
from tests.service.api.matrix import BODIES, MAILING, Asker, World, routes
from tests.support.databases import TestDatabase, running_server

ENDLESS = ("follow_me",)
"""A stream that has no page form. ``tests/service/api/table`` tests it."""

LAST = ("sign_out_everywhere", "change_password", "erase_me")
"""Operations that end the caller's session."""

CONFIGURATION = Path(__file__).with_name("schemathesis.toml")
LIMITS = {
    "account_requests": 100_000, "token_requests": 100_000, "open_requests": 100_000,
    "account_refusals": 1_000_000, "address_accounts": 100_000, "account_leagues": 100_000,
    "failed_sign_ins": 100_000, "account_tokens": 100_000,
}  # fmt: skip
"""The tool sends as fast as it can, and everything from one address."""

Chosen = Callable[[Operation], bool]

PASSES: dict[str, tuple[str, Chosen]] = {
    "reads": ("entered owner", lambda each: each.method == "GET"),
    "a player's commands": (
        "entered owner",
        lambda each: each.method != "GET" and each.scope == "tables:play",
    ),
    "staff's commands": (
        "owner",
        lambda each: each.method != "GET" and each.scope != "tables:play",
    ),
    "ends of sessions": ("somebody else", lambda each: each.name in LAST),
}
"""The passes in order, each with its caller and its operations.

Commands end what the reads show.
"""


async def prepared(database: TestDatabase) -> tuple[dict[str, Person], World]:
    """Make the league. Return the people in it and its identifiers."""
    async with AsyncExitStack() as open_:
        app = build(database.settings("holotable_api", own_writes_milliseconds=0, **MAILING))
        await open_.enter_async_context(app.lifespan())
        projecting = async_engine(database.url("holotable_project"), 2)
        open_.push_async_callback(projecting.dispose)
        http = await open_.enter_async_context(
            httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://test")
        )
        asker = Asker(Api(http, app), projecting)
        await asker.meet()
        world = await asker.world()
        for path, name in (("/v1/me/calendar-keys", "key_id"), ("/v1/tokens", "token_id")):
            made = await asker.people["owner"].post(path)
            world.names[name] = made.json()["id"]
        keys = f"/v1/tournaments/{world.names['tournament_id']}/screen-keys"
        made = await asker.people["owner"].post(keys)
        world.names["screen_key_id"] = made.json()["id"]
        made = await asker.people["owner"].post(
            "/v1/me/push-subscriptions", BODIES["add_push_subscription"]
        )
        world.names["subscription_id"] = made.json()["id"]
        return asker.people, world


@contextmanager
def serving(database: TestDatabase) -> Iterator[str]:
    """Run the API and the projections in processes of their own. Yield the API's address."""
    port = free_port()
    told = {"api": LIMITS | MAILING | {"port": port, "log_level": "error"}, "project": {}}
    running = [
        subprocess.Popen(
            [Path(sys.executable).with_name("holotable"), process],
            env=os.environ | environment(database.settings(f"holotable_{process}", **changes)),
        )
        for process, changes in told.items()
    ]
    try:
        await_port(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        for each in running:
            each.terminate()
        for each in running:
            each.wait(20)


def sent(url: str, token: str, document: Path, names: list[str]) -> int:
    """Send the requests of one pass. Return schemathesis' exit code."""
    tool = ROOT / ".api-tools" / "fuzz" / "bin" / "schemathesis"
    command = [
        tool, "--config-file", CONFIGURATION, "run", document, "--url", url, "--checks", "all",
        "--header", f"Authorization: Bearer {token}",
        *(text for name in names for text in ("--include-operation-id", name)), *sys.argv[1:],
    ]  # fmt: skip
    return subprocess.run(command, cwd=document.parent, check=False).returncode


def main() -> int:
    """Prepare, serve, send. Return 1 if a pass has found something."""
    declared = [described for _, _, described in routes().values()]
    with running_server() as server, server.fresh() as database, TemporaryDirectory() as made:
        people, world = asyncio.run(prepared(database))
        document, found = Path(made) / "openapi.json", {}
        with serving(database) as url:
            for name, (caller, chosen) in PASSES.items():
                print(f"\n== api-fuzz: {name}", flush=True)
                person = people[caller]
                known = with_identifiers(json.loads(openapi_json()), world, person.player)
                document.write_text(json.dumps(known), encoding="utf-8")
                left = (*ENDLESS, *(() if name == "ends of sessions" else LAST))
                names = [each.name for each in declared if chosen(each) and each.name not in left]
                token = person.headers["Authorization"].removeprefix("Bearer ")
                found[name] = sent(url, token, document, names)
    for name, code in found.items():
        print(f"api-fuzz: {name}: {'findings, see above' if code else 'clean'}")
    return int(any(found.values()))


if __name__ == "__main__":
    sys.exit(main())
