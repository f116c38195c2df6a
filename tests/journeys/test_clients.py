"""The generated clients play a tournament to its end, each with the starter bot of its language."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from service.cli.conformance import conformance
from service.process.supervisor import Stack
from service.sandbox.demo.standing import organiser_token

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build"
TOOLS = ROOT / ".api-tools" / "python" / "bin"
"""The Python and the Node of the generators."""

TIMEOUT_SECONDS = 240

BOTS: dict[str, tuple[list[str], Path]] = {
    "openapi-python-client": (["python", "bot.py"], BUILT / "sdk/python"),
    "openapi-typescript": (["node", "bot.js"], BUILT / "sdk/typescript"),
    "hey-api": (["node", "hey_api.js"], BUILT / "clients/js"),
}
"""The command of each client's bot, and the folder it runs in."""

STARTERS = ("openapi-python-client", "openapi-typescript")
"""The clients of ``sdk``, whose bots others begin with."""

TERMS = {
    "name": "Clients", "ruleset": "better", "starting_stack": 30, "entrants_max": 2,
    "decision_seconds": 20, "grace_seconds": 0, "hands_between_seconds": 0, "bots": "only",
}  # fmt: skip


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    directory = tmp_path_factory.mktemp("c") / "d"
    options = {"worker_processes": 1, "log_level": "warning", "tick_milliseconds": 50}
    with Stack(directory, keep=False, durable=False, options=options) as running:
        yield running


def reason_to_skip(command: list[str], folder: Path) -> str | None:
    """Return what is missing for a bot, or None."""
    program, script = command
    if not (TOOLS / program).exists():
        return f"this machine has no {program} in .api-tools: run `make clients`"
    return None if (folder / script).exists() else "the client is not built: run `make clients`"


class League:
    """A league on a running stack, and bots that enter its tournaments."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.owner = organiser_token(stack)
        self.league = self.ask("POST", "/v1/leagues", {"name": "Clients"})["id"]

    def ask(
        self, method: str, path: str, body: dict[str, Any] | None = None, token: str | None = None
    ) -> Any:
        headers = {"Authorization": f"Bearer {token or self.owner}"}
        if method != "GET":
            headers["Idempotency-Key"] = os.urandom(8).hex()
        answer = httpx.request(
            method, self.stack.url + path, json=body, headers=headers, timeout=40, trust_env=False
        )
        assert answer.is_success, (path, answer.text)
        return answer.json()

    def enter(self, tournament: str) -> str:
        """Sign somebody up and enter them. Return their token."""
        login = f"bot{os.urandom(4).hex()}"
        made = self.ask("POST", "/v1/accounts", {"login": login, "password": "correct horse"})
        token = str(made["token"]["token"])
        invited = self.ask("POST", f"/v1/leagues/{self.league}/invitations", {})
        self.ask("POST", f"/v1/invitations/{invited['code']}/accept", {}, token)
        entering = f"/v1/tournaments/{tournament}/registrations"
        self.ask("POST", entering, {"bot": True}, token)
        return token


@pytest.mark.clients
@pytest.mark.parametrize("client", STARTERS)
def test_a_starter_passes_the_conformance_test(client: str) -> None:
    (program, script), folder = BOTS[client]
    missing = reason_to_skip([program, script], folder)
    if missing is not None:
        pytest.skip(missing)
    started = [str(TOOLS / program), str(folder / script)]
    run = CliRunner().invoke(conformance, ["--", *started])
    assert run.exit_code == 0, run.output


@pytest.mark.clients
@pytest.mark.parametrize("client", BOTS)
def test_a_generated_client_plays_a_tournament_to_its_end(client: str, stack: Stack) -> None:
    command, folder = BOTS[client]
    missing = reason_to_skip(command, folder)
    if missing is not None:
        pytest.skip(missing)
    league = League(stack)
    tournament = league.ask("POST", f"/v1/leagues/{league.league}/tournaments", TERMS)["id"]
    tokens = [league.enter(tournament) for _ in range(2)]
    playing = [
        subprocess.Popen(
            [TOOLS / command[0], *command[1:]], cwd=folder, stderr=subprocess.PIPE, text=True,
            env=os.environ | {"HOLOTABLE_URL": stack.url, "HOLOTABLE_TOKEN": token},
        )
        for token in tokens
    ]  # fmt: skip
    try:
        league.ask("POST", f"/v1/tournaments/{tournament}/start", {})
        ends = [each.communicate(timeout=TIMEOUT_SECONDS)[1] for each in playing]
    finally:
        for each in playing:
            each.kill()
    assert [each.returncode for each in playing] == [0, 0], ends
    shown = league.ask("GET", f"/v1/tournaments/{tournament}")
    assert shown["state"] == "finished"
    told = league.ask("GET", f"/v1/tournaments/{tournament}/events?limit=200")["items"]
    (table,) = next(item["data"]["tables"] for item in told if item["type"] == "play_started")
    feed = league.ask("GET", f"/v1/tables/{table}/events?limit=200")["items"]
    acted = [it["data"] for it in feed if it["type"] in ("seat_acted", "selection_committed")]
    assert acted
    assert not any(each["timed_out"] for each in acted), "the bots were too late for their turns"
