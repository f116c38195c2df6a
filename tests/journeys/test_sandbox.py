"""The standing sandbox on a whole stack: the house bots' process is killed during a tournament."""

from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from service.announcing.sandbox import OFFERED, TABLE_SEATS
from service.process.supervisor import Stack
from service.sandbox.bots.betting import Temper
from service.sandbox.bots.player import choose
from service.sandbox.bots.strengths import STYLES

pytestmark = pytest.mark.slow

OPTIONS = {
    "worker_processes": 1, "log_level": "warning", "tick_milliseconds": 50, "sweep_seconds": 1,
    "sandbox": True,
}  # fmt: skip
TEMPER = Temper(boldness=0.0, patience=1.0)
KILLED_AT = 2
"""The number of the stranger's decision before which the process is killed."""

PAGES_MAX = 400


class Stranger:
    """Somebody who has only the address of the API."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http
        self._token = ""
        account = self.ask("POST", "/v1/accounts", {"login": "stranger", "password": "let me in"})
        self._token = account["token"]["token"]

    def ask(self, method: str, path: str, body: Any = None, key: str | None = None) -> Any:
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        headers["Idempotency-Key"] = key or uuid4().hex
        answer = self._http.request(method, path, json=body, headers=headers)
        assert answer.is_success or answer.status_code == 409, answer.text
        return answer.json()


@pytest.mark.long
def test_a_tournament_goes_on_after_the_house_bots_were_killed(tmp_path: Path) -> None:
    directory = tmp_path / "d"
    with Stack(directory, keep=True, durable=False, options=OPTIONS, bots=True) as stack:
        with httpx.Client(base_url=stack.url, timeout=40, trust_env=False) as http:
            stranger = Stranger(http)
            entered = stranger.ask("POST", "/v1/sandbox/entries", {"ruleset": "official"})
            here, cursor, decisions, over = entered["tournament"], "", 0, False
            for _ in range(PAGES_MAX):
                after = f"&after={cursor}" if cursor else ""
                for item in stranger.ask("GET", f"/v1/me/turns?wait=1{after}")["items"]:
                    cursor = item["cursor"]
                    if item["type"] == "turn":
                        decisions += 1
                        if decisions == KILLED_AT:
                            stack._children["bots"].kill()
                        action = choose(item["view"], TEMPER, "stranger", 1, STYLES["steady"])
                        path = f"/v1/tables/{item['table']}/actions"
                        stranger.ask("POST", path, action, item["decision"])
                    over |= item["type"] == "tournament" and item["state"] == "finished"
                if over:
                    break
                stack.mend(lambda _: None)
            assert over
            assert decisions > KILLED_AT
            listed = stranger.ask("GET", f"/v1/tournaments/{here}/registrations")["items"]
            assert len(listed) == TABLE_SEATS
            leagues = stranger.ask("GET", "/v1/leagues")["items"]
            (league,) = [each["id"] for each in leagues]
            told = stranger.ask("GET", f"/v1/leagues/{league}/tournaments?min_position=none")
            assert len(told["items"]) <= len(OFFERED) + 1
            assert stranger.ask("POST", "/v1/sandbox/entries", {})["tournament"] != here
        assert "Traceback" not in stack.log("bots").read_text(encoding="utf-8")
