"""Heads signed on a running stack, and the reports about a log that was cut or restored."""

import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from engine.values import number_of
from service.base.addresses import with_database
from service.process.supervisor import Stack
from service.transparency.note import open_note, parse_checkpoint
from service.transparency.receipt import parse_receipt
from service.transparency.tree import root_by_inclusion
from tests.support.commands import holotable, in_own_python
from tests.support.waiting import until

pytestmark = pytest.mark.slow

OPTIONS = {"tick_milliseconds": 50, "sweep_seconds": 1, "worker_processes": 1}
HOURLY = OPTIONS | {"sign_seconds": 3600}
_houses = count(1)


class House:
    """An organiser with a league, over HTTP."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.tokens: dict[str, str] = {}
        self.league = ""
        self.command = ""
        """The identifier of the last command that appended."""
        self._sent = 0
        self._number = next(_houses)
        """A number that keeps its logins apart from those of other houses on the same stack."""

    def post(self, who: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        self._sent += 1
        headers = {"Idempotency-Key": f"{who}-{self._sent}"}
        if who in self.tokens:
            headers["Authorization"] = f"Bearer {self.tokens[who]}"
        answer = httpx.post(f"{self.stack.url}/v1/{path}", json=body, headers=headers, timeout=10)
        assert answer.is_success, answer.text
        self.command = answer.headers.get("command-id", self.command)
        found: dict[str, Any] = answer.json()
        return found

    def gather(self, *names: str) -> str:
        for name in ("host", *names):
            login = f"{name}{self._number}"
            body = {"login": login, "password": "a long night ahead", "name": login}
            self.post("nobody", "accounts", body)
            signed = {"login": login, "password": body["password"]}
            self.tokens[name] = self.post("nobody", "tokens", signed)["token"]
        self.league = self.post("host", "leagues", {"name": "Cloud City"})["id"]
        if names:
            self.code = self.invite(len(names))
            for name in names:
                self.post(name, f"invitations/{self.code}/accept", {})
        return self.league

    def invite(self, uses: int) -> str:
        """Make an invitation, which is an event in the league's log."""
        made = self.post(
            "host", f"leagues/{self.league}/invitations", {"role": "player", "uses": uses}
        )
        return str(made["code"])

    def heads(self) -> list[dict[str, Any]]:
        answer = httpx.get(
            f"{self.stack.url}/v1/leagues/{self.league}/checkpoints",
            headers={"Authorization": f"Bearer {self.tokens['host']}"},
        )
        found: list[dict[str, Any]] = answer.json()["items"]
        return found

    def one_hand(self, *names: str) -> str:
        """Play a tournament of one hand that nobody answers. Return it once it has finished."""
        terms = {"name": "One hand", "ruleset": "better", "hands_max": 1, "bots": "only"}
        terms |= {"decision_seconds": 1, "grace_seconds": 0, "starting_stack": 100}
        tournament = self.post("host", f"leagues/{self.league}/tournaments", terms)["id"]
        for name in names:
            self.post(name, f"tournaments/{tournament}/registrations", {"bot": True})
        self.post("host", f"tournaments/{tournament}/start", {})
        headers = {"Authorization": f"Bearer {self.tokens['host']}"}

        def finished() -> bool:
            seen = httpx.get(
                f"{self.stack.url}/v1/tournaments/{tournament}", headers=headers
            ).json()
            return bool(seen["state"] == "finished")

        until(finished)
        return str(tournament)


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack that every test leaves in order. A damaged log is that of the test's own league."""
    directory = tmp_path_factory.mktemp("s") / "d"
    with Stack(directory, keep=True, durable=False, options=HOURLY) as running:
        yield running


def superuser(stack: Stack) -> psycopg.Connection:
    assert stack.cluster is not None
    return psycopg.connect(with_database(stack.cluster.url(), stack.name))


def cut(house: House, position: int) -> None:
    """Remove the events of the house's log from *position* on. Nobody has the right to."""
    with superuser(house.stack) as connection:
        connection.execute("ALTER TABLE events DISABLE TRIGGER USER")
        removing = "DELETE FROM events WHERE league = %s AND position >= %s"
        connection.execute(removing, [number_of(house.league), position])
        connection.execute("ALTER TABLE events ENABLE TRIGGER USER")
        connection.execute("ALTER TABLE events ENABLE ALWAYS TRIGGER events_are_append_only")
    # The read models stand past the end of the log now, and the doctor says so.
    rebuilt = holotable(house.stack, "project", "projections", "rebuild")
    assert rebuilt.returncode == 0, rebuilt.stdout + rebuilt.stderr


def sign_now(house: House) -> None:
    """Make the house's next head due."""
    signing = "UPDATE job SET state = 'ready', due_at = now() WHERE occurrence = %s"
    with superuser(house.stack) as connection:
        connection.execute(signing, [f"sign:{house.league}"])


def watched(house: House) -> bool:
    """Return whether no watch of a table is due. A watch would write again what a cut removed."""
    due = (
        "SELECT FROM job WHERE task = 'table.watch' AND state <> 'done' AND args ->> 'league' = %s"
    )
    with superuser(house.stack) as connection:
        return connection.execute(due, [house.league]).fetchone() is None


def signed_beyond(house: House, size: int) -> Callable[[], bool]:
    return lambda: any(head["size"] > size for head in house.heads())


def test_a_tournaments_end_is_signed_at_once_and_a_client_checks_it(
    stack: Stack, tmp_path: Path
) -> None:
    """Heads are an hour apart otherwise, so only the tournament's end can have caused this one."""
    house = House(stack)
    house.gather("han", "lando")
    assert house.heads() == []
    house.one_hand("han", "lando")
    ended = time.monotonic()
    (first,) = until(house.heads)
    assert time.monotonic() - ended < 5

    token, seen = tmp_path / "token", tmp_path / "seen"
    token.write_text(house.tokens["host"])
    public = stack.data / "secrets" / "signer.pub"
    asked = ["verify-head", stack.url, house.league, "--key", str(public)]
    asked += ["--token", str(token), "--seen", str(seen)]
    begun = holotable(stack, "api", *asked, run=in_own_python)
    house.one_hand("han", "lando")
    until(signed_beyond(house, first["size"]))
    continued = holotable(stack, "api", *asked)

    assert (begun.returncode, f"holds: {first['size']} events" in begun.stdout) == (0, True)
    assert continued.returncode == 0, continued.stderr
    assert f"continues the {first['size']} seen before" in continued.stdout

    seen.write_text(seen.read_text().replace("holotable.local", "holotable.other"))
    forged = holotable(stack, "api", *asked)
    assert (forged.returncode, forged.stdout) == (1, "")


def test_a_cut_log_is_refused_and_said_until_an_operator_opens_an_epoch(stack: Stack) -> None:
    """
    The doctor, the audit and the worker's log all report the cut.

    The next epoch is signed again.
    """
    house = House(stack)
    house.gather("han", "lando")
    house.one_hand("han", "lando")
    (head,) = until(house.heads)
    until(lambda: watched(house))
    well = holotable(stack, "worker", "doctor")
    remembered = len(list((stack.data / "signer").glob("*.json")))
    size = head["size"] - 2
    cut(house, size)
    sign_now(house)

    ill = holotable(stack, "worker", "doctor")
    audited = holotable(stack, "audit", "audit", house.league)
    log = stack.log("worker")
    until(lambda: "no head is signed" in log.read_text(encoding="utf-8"))

    assert f"remembers the heads of {remembered} leagues" in well.stdout
    assert (ill.returncode, "cut or restored from an old copy" in ill.stdout) == (1, True)
    assert f"{head['size']} events were signed, the log has {size}" in ill.stdout
    assert audited.returncode == 1
    assert f"the log has {size} events, a signed head covers {head['size']}" in audited.stdout
    assert house.league in log.read_text(encoding="utf-8")

    opening = ("epoch", "open", house.league, "--operator", "Lobot", "--reason", "a cut")
    opened = holotable(stack, "migrate", *opening, run=in_own_python)
    assert opened.returncode == 0, opened.stderr
    said = (
        rf"epoch 1 of {house.league} opened by Lobot at {size} events, of which the first \d+ are"
    )
    assert re.fullmatch(f"{said} proven the same\n", opened.stdout)
    again = holotable(stack, "worker", "doctor")
    assert again.returncode == 0, again.stdout


def test_a_receipt_convicts_who_cut_the_tail_before_a_head_covered_it(
    stack: Stack, tmp_path: Path
) -> None:
    """A superuser removes events that no head covers. Only a client's receipt shows it."""
    house = House(stack)
    house.gather("han", "lando")
    house.invite(2)
    before = house.command
    house.one_hand("han", "lando")
    (head,) = until(house.heads)
    house.invite(1)
    asked = {"command": house.command, "request": {"role": "player", "uses": 1}}
    asking = f"leagues/{house.league}/receipts"
    kept, receipt, token = (tmp_path / name for name in ("kept", "receipt", "token"))
    kept.write_text(house.post("host", asking, {"command": before})["note"])
    note = house.post("host", asking, asked)["note"]
    receipt.write_text(note)
    token.write_text(house.tokens["host"])
    public = stack.data / "secrets" / "signer.pub"
    trusting = ["--key", str(public), "--token", str(token)]
    early = holotable(stack, "api", "verify-receipt", stack.url, str(receipt), *trusting)
    position = int(note.split("\nevent ")[1].split()[0])
    cut(house, position)
    house.one_hand("han", "lando")
    until(signed_beyond(house, position))
    well = holotable(stack, "worker", "doctor")
    late = holotable(stack, "api", "verify-receipt", stack.url, str(receipt), *trusting)
    other = holotable(stack, "api", "verify-receipt", stack.url, str(kept), *trusting)

    assert position >= head["size"]
    assert (early.returncode, early.stdout.startswith("not covered")) == (3, True), early
    assert well.returncode == 0, well.stdout
    assert (other.returncode, other.stdout.startswith("holds")) == (0, True), other
    assert late.returncode == 1, late.stdout + late.stderr
    assert f"position {position}: another event stands there in the signed tree" in late.stderr
    # The file alone is proof for anybody who has the key.
    evidence = json.loads(receipt.with_name("receipt.evidence").read_text())
    key = public.read_text().strip()
    signed = parse_checkpoint(open_note(evidence["head"], key))
    (promised,) = parse_receipt(open_note(evidence["receipt"], key)).events
    leaf = bytes.fromhex(evidence["proof"]["leaf"])
    path = [bytes.fromhex(each) for each in evidence["proof"]["path"]]
    assert root_by_inclusion(leaf, promised.position, signed.size, path) == signed.root
    assert promised.hash != leaf


@pytest.mark.long
def test_a_restored_old_copy_is_refused_by_the_memory_that_was_not_restored(
    tmp_path: Path,
) -> None:
    """The database has forgotten its newer heads. The signer has not, even after two restarts."""
    # The nightly audit fails, and rightly so, until the epoch is open.
    other_time = f"{datetime.now(UTC) + timedelta(hours=12):%H:%M}"
    options = OPTIONS | {"sign_seconds": 1, "nightly_audit": other_time}
    stack = Stack(tmp_path / "d", durable=False, options=options)
    with stack:
        house = House(stack)
        house.gather()
        (old,) = until(house.heads)
    shutil.copytree(tmp_path / "d" / "cluster", tmp_path / "copy")
    stack.port = 0
    with stack:
        house.invite(1)
        until(signed_beyond(house, old["size"]))
        key = holotable(stack, "worker", "signer", "keys").stdout
    shutil.rmtree(tmp_path / "d" / "cluster")
    shutil.copytree(tmp_path / "copy", tmp_path / "d" / "cluster")
    with stack:
        assert [head["size"] for head in house.heads()] == [old["size"]]
        ill = holotable(stack, "worker", "doctor")
        house.invite(2)
        log = stack.log("worker")
        until(lambda: "no head is signed" in log.read_text(encoding="utf-8"))
        opening = ("epoch", "open", house.league, "--operator", "Lobot", "--reason", "a restore")
        opened = holotable(stack, "migrate", *opening)
        until(lambda: house.heads()[0]["epoch"] == 1)
        well = holotable(stack, "worker", "doctor")

    assert (ill.returncode, "cut or restored from an old copy" in ill.stdout) == (1, True)
    assert opened.returncode == 0, opened.stderr
    assert well.returncode == 0, well.stdout
    assert key.count("published") == 1
    assert stack.signer_settings().signer_key.startswith("PRIVATE+KEY+holotable.local+")


def test_a_lost_signer_is_asked_again_until_it_is_back(stack: Stack) -> None:
    """The job waits instead of dying, and the head follows once the signer is back."""
    house = House(stack)
    house.gather("han", "lando")
    child = stack._children.pop("signer")
    child.kill()
    child.wait()
    house.one_hand("han", "lando")
    log = stack.log("worker")
    until(lambda: "a head waits for the signer" in log.read_text(encoding="utf-8"))
    ill = holotable(stack, "worker", "doctor")
    assert house.heads() == []
    stack._spawn("signer")
    until(house.heads)

    assert (ill.returncode, "the signer does not answer" in ill.stdout) == (1, True)
    again = holotable(stack, "worker", "doctor")
    assert again.returncode == 0, again.stdout


def test_the_signer_of_a_stack_is_told_of_no_database(stack: Stack) -> None:
    """The signer's environment holds no database address, no password and no settings' key."""
    pid = stack._children["signer"].pid
    known = Path(f"/proc/{pid}/environ").read_bytes()
    assert b"HOLOTABLE_SIGNER_MEMORY" in known
    for secret in (b"postgres", stack._secret("key").encode(), b"DATABASE_URL"):
        assert secret not in known
