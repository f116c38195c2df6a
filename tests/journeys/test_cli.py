"""Commands for people who run a house, each as its own process, against a running stack."""

import json
import os
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from uuid import uuid4

import httpx
import psycopg
import pytest

from service.base.addresses import with_database
from service.process.starting import StackFailed
from service.process.supervisor import Stack
from service.sandbox.demo import standing
from tests.support.commands import Ended, holotable, in_own_python
from tests.support.waiting import until

pytestmark = pytest.mark.slow

NOWHERE = {"HOLOTABLE_DATABASE_URL": "postgresql://nobody:nothing@127.0.0.1:1/none"}


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    directory = tmp_path_factory.mktemp("c") / "d"
    options = {"worker_processes": 1, "log_level": "warning"}
    with Stack(directory, keep=False, durable=False, options=options) as running:
        yield running


@pytest.fixture(scope="module")
def organiser(stack: Stack) -> str:
    """The secret of a token, made on the command line for an account made there."""
    chewie = ("account", "create", "chewie", "--password", "a long roar")
    made = holotable(stack, "api", *chewie, run=in_own_python)
    assert made.returncode == 0, made.stderr
    return holotable(stack, "api", "token", "create", "chewie").stdout.strip()


@pytest.fixture(scope="module")
def league(stack: Stack, organiser: str) -> str:
    return str(asked(stack, organiser, "leagues", {"name": "Cloud City"})["id"])


def at_once(stack: Stack, calls: list[tuple[str, str]], **changes: str) -> dict[str, Ended]:
    """Run several commands at the same time, each with the settings of its process."""
    with ThreadPoolExecutor(len(calls)) as threads:
        ended = threads.map(
            lambda call: holotable(stack, call[0], *call[1].split(), **changes), calls
        )
        return dict(zip((" ".join(call) for call in calls), ended, strict=True))


def asked(stack: Stack, token: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Return the API's answer to a request that must succeed."""
    headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": uuid4().hex}
    answer = httpx.post(f"{stack.url}/v1/{path}", json=body, headers=headers, timeout=10)
    assert answer.is_success, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_an_account_is_made_once(stack: Stack) -> None:
    """The command prints the player's identifier. A second account with this login is refused."""
    first, second = (
        holotable(stack, "api", "account", "create", "lobot", "--password", "no small talk")
        for _ in range(2)
    )
    assert (first.returncode, first.stdout[:4]) == (0, "plr_")
    assert (second.returncode, second.stderr.splitlines()[0]) == (1, "the login lobot is taken")


def test_an_account_keeps_the_rules_of_the_api(stack: Stack) -> None:
    """The command line refuses the same logins and passwords as the API."""
    refused = holotable(stack, "api", "account", "create", "Bad Login!", "--password", "a")
    assert refused.returncode == 2


def test_a_token_opens_the_api(stack: Stack, organiser: str) -> None:
    """The printed secret is a bearer token of that account."""
    headers = {"Authorization": f"Bearer {organiser}"}
    answer = httpx.get(f"{stack.url}/v1/me", headers=headers, timeout=10)
    assert answer.json()["login"] == "chewie"


@pytest.mark.parametrize("by", ["secret", "id"])
def test_a_revoked_token_is_nobody(stack: Stack, organiser: str, by: str) -> None:
    """A token revoked by its secret or by its identifier opens nothing any more."""
    scoped = ("--scope", "tokens:manage")
    manager = holotable(stack, "api", "token", "create", "chewie", *scoped).stdout.strip()
    secret = holotable(stack, "api", "token", "create", "chewie").stdout.strip()
    headers = {"Authorization": f"Bearer {manager}"}
    listed = httpx.get(f"{stack.url}/v1/tokens", headers=headers, timeout=10).json()["items"]
    named = secret if by == "secret" else listed[0]["id"]
    me = httpx.get(f"{stack.url}/v1/me", headers=headers, timeout=10).json()["id"]

    ended = holotable(stack, "api", "token", "revoke", named)
    asked_with = {"Authorization": f"Bearer {secret}"}
    refused = httpx.get(f"{stack.url}/v1/me", headers=asked_with, timeout=10)

    assert (ended.returncode, ended.stdout) == (
        0,
        f"revoked {listed[0]['id']}: 1 tokens of {me} ended\n",
    )
    assert refused.status_code == 401


def test_a_token_that_is_none_cannot_be_revoked(stack: Stack) -> None:
    """A mistyped name gives an error, not a silent success."""
    calls = [("api", "token revoke tok_xyz"), ("api", f"token revoke tok_{0:032x}")]
    for call, refused in at_once(stack, calls).items():
        assert (refused.returncode, refused.stdout) == (1, ""), call


def test_a_token_for_nobody_is_refused(stack: Stack) -> None:
    """A token needs an existing account."""
    refused = holotable(stack, "api", "token", "create", "nobody", run=in_own_python)
    assert (refused.returncode, refused.stdout) == (1, "")


def test_read_models_are_rebuilt_and_equal(stack: Stack, league: str) -> None:
    """A rebuild next to a running projector leaves nothing that a comparison finds."""
    rebuilt = holotable(stack, "project", "projections", "rebuild")
    assert (rebuilt.returncode, rebuilt.stdout) == (0, "rebuilt all\n"), rebuilt.stderr
    compared = holotable(stack, "project", "projections", "compare", run=in_own_python)
    assert (compared.returncode, compared.stdout) == (0, "all: 0 differences\n")


def test_a_league_is_audited(stack: Stack, league: str) -> None:
    """The report of an undamaged league passes and counts its events."""
    audited = holotable(stack, "audit", "audit", league, "--json", run=in_own_python)
    report = json.loads(audited.stdout)
    assert (audited.returncode, report["passed"], report["league"]) == (0, True, league)
    assert report["events"] > 0


def test_the_doctor_finds_a_running_stack_well(stack: Stack) -> None:
    """Every role may ask, and no check is red."""
    roles = ("api", "worker", "project", "audit", "migrate")
    assert holotable(stack, "migrate", "backup", str(stack.data / "backup")).returncode == 0
    for call, seen in at_once(stack, [(role, "doctor") for role in roles]).items():
        found = [line.split()[:2] for line in seen.stdout.splitlines()]
        closed = {
            "keys:": {"project"},
            "quarantine:": {"project"},
            "audits:": {"project"},
            "heartbeats:": {"project"},
            "doors:": {"project"},
            "backups:": {"project", "audit"},
            "jobs:": {"project"},
            "heads:": {"project"},
        }
        checks = ["settings", "passwords:", "server:", "schema:", "clock:", "keys:", "logins:"]
        checks += ["broker:", "signer:", "mail:", "disk:", "demos:", "doors:", "backups:"]
        checks += ["projections:", "heads:", "jobs:", "quarantine:", "audits:", "heartbeats:"]
        role = call.split()[0]
        wanted = [["--" if role in closed.get(each, ()) else "ok", each] for each in checks]
        assert (seen.returncode, found) == (0, wanted), f"{call}: {seen.stdout}"


def test_a_changed_openapi_document_is_noticed(stack: Stack) -> None:
    """``test_problems.py`` compares the committed document with the code, as this command does."""
    changed = ("openapi", "--check", "LICENSE")
    assert holotable(stack, "api", *changed, run=in_own_python).returncode == 1


def test_wrong_usage_is_said_in_two_lines(stack: Stack) -> None:
    """An unknown name or a forbidden login gives exit code 2 and no traceback."""
    calls = [
        ("project", "projections compare nothing"),
        ("api", "projections rebuild"),
        ("project", "token create chewie"),
        ("audit", "audit lge_nothing"),
        ("audit", f"audit lge_{0:032x}"),
        ("audit", "worker"),
    ]
    for call, refused in at_once(stack, calls).items():
        said = refused.stderr.splitlines()
        assert (refused.returncode, len(said)) == (2, 2), f"{call}: {refused.stderr}"
        assert said[1].startswith("  next: ")


def test_an_audit_of_no_tournament_does_not_pass(stack: Stack, league: str) -> None:
    """A mistyped tournament does not count as a clean one."""
    refused = holotable(stack, "audit", "audit", league, "--tournament", f"trn_{0:032x}")
    assert refused.returncode == 2


def test_a_database_that_is_away_is_code_three(stack: Stack) -> None:
    """Scripts can tell "not now" from "no"."""
    commands = ("doctor", "migrate", "projections compare", "token create chewie")
    calls = [("api", command) for command in commands]
    for call, away in at_once(stack, calls, **NOWHERE).items():
        said = (away.returncode, "Traceback" in away.stderr)
        assert said == (3, False), f"{call}: {away.stderr}"
    away = holotable(stack, "worker", "doctor", run=in_own_python, **NOWHERE)
    assert away.returncode == 3, away.stderr


def test_up_makes_its_organiser_a_new_token_when_the_kept_one_has_expired(stack: Stack) -> None:
    """The data outlive a token, which expires after some days."""
    expired = standing.organiser_token(stack)
    assert stack.cluster is not None
    with psycopg.connect(with_database(stack.cluster.url(), stack.name)) as superuser:
        superuser.execute(
            "UPDATE token SET expires_at = now()"
            " WHERE account = (SELECT id FROM account WHERE login = %s)",
            [standing.LOGIN],
        )

    fresh = standing.organiser_token(stack)
    headers = {"Authorization": f"Bearer {fresh}"}
    me = httpx.get(f"{stack.url}/v1/me", headers=headers, timeout=10)
    assert fresh != expired
    assert (me.status_code, me.json()["login"]) == (200, standing.LOGIN)
    assert standing.organiser_token(stack) == fresh


def test_a_list_of_players_is_tried_imported_and_refused(
    stack: Stack, organiser: str, league: str, tmp_path: Path
) -> None:
    """The output has one row for each line of the list, with a claim code for each new player."""
    token, roster = tmp_path / "token", tmp_path / "players.csv"
    token.write_text(organiser + "\n", encoding="utf-8")
    roster.write_text("name;external_id\nHan;7\nLeia;8\n", encoding="utf-8")
    arguments = ("league", "import", stack.url, league, str(roster), "--token", str(token))

    tried = holotable(stack, "api", *arguments, "--dry-run", run=in_own_python)
    assert (tried.returncode, tried.stdout.splitlines()[1:]) == (0, ["2,added,,,", "3,added,,,"])
    done, again = [holotable(stack, "api", *arguments) for _ in range(2)]
    assert [row.split(",")[1] for row in done.stdout.splitlines()] == ["outcome", "added", "added"]
    assert all(row.split(",")[3] for row in done.stdout.splitlines())
    assert [row.split(",")[1:4:2] for row in again.stdout.splitlines()[1:]] == [
        ["unchanged", ""],
        ["unchanged", ""],
    ]
    roster.write_text("name,email\nHan,nowhere\n", encoding="utf-8")
    refused = holotable(stack, "api", *arguments)
    assert (refused.returncode, refused.stdout.splitlines()[1]) == (
        1,
        "2,email,,,this is not an e-mail address",
    )
    away = holotable(stack, "api", *arguments[:2], "http://127.0.0.1:1", *arguments[3:])
    assert (away.returncode, away.stdout) == (3, "")


def test_a_league_is_taken_away_and_checked(stack: Stack, league: str, tmp_path: Path) -> None:
    """The archive can be checked without a database. An existing file is not overwritten."""
    taken = holotable(stack, "api", "league", "export", league, str(tmp_path))
    file = tmp_path / f"{league}.zip"
    assert (taken.returncode, taken.stdout.startswith(f"{file}: ")) == (0, True), taken.stderr
    assert file.stat().st_mode & 0o777 == 0o600  # it names people
    checked = holotable(stack, "api", "league", "check", str(file), **NOWHERE)
    assert (checked.returncode, checked.stdout[:6]) == (0, "holds:"), checked.stderr
    content = file.read_bytes()
    again = holotable(stack, "api", "league", "export", league, str(tmp_path))
    assert (again.returncode, file.read_bytes()) == (1, content)
    file.write_bytes(content[:-200])
    broken = holotable(stack, "api", "league", "check", str(file))
    assert (broken.returncode, broken.stdout) == (1, "")
    assert sorted(tmp_path.iterdir()) == [file]


def test_a_player_is_erased_once_it_is_meant(stack: Stack) -> None:
    """In a script, a call without --yes does nothing."""
    made = holotable(stack, "api", "account", "create", "nien", "--password", "co-pilot nunb")
    player = made.stdout.strip()
    asked_first = holotable(stack, "api", "player", "erase", player)
    assert asked_first.returncode != 0
    gone = holotable(stack, "api", "player", "erase", player, "--yes")
    assert (gone.returncode, gone.stdout) == (
        0,
        f"erased {player}: 0 tokens, 0 calendars, 0 texts\n",
    ), gone.stderr
    assert holotable(stack, "api", "token", "create", "nien").returncode == 1
    nobody = holotable(stack, "api", "player", "erase", f"plr_{0:032x}", "--yes", run=in_own_python)
    assert nobody.returncode == 2


def test_the_floor_is_shown(stack: Stack, organiser: str, league: str, tmp_path: Path) -> None:
    """A director sees the tournament. A member without the right is refused."""
    made = asked(
        stack, organiser, f"leagues/{league}/tournaments", {"name": "[b]", "ruleset": "better"}
    )
    token = tmp_path / "token"
    token.write_text(organiser)
    shown = holotable(stack, "api", "floor", made["id"], "--url", stack.url, "--token", str(token))
    assert (shown.returncode, shown.stdout) == (
        0,
        "[b]: registering, 0 entrants\n",
    ), shown.stderr
    nowhere = ("floor", f"trn_{0:032x}", "--url", stack.url, "--token", str(token))
    lost = holotable(stack, "api", *nowhere, run=in_own_python)
    assert (lost.returncode, lost.stdout) == (1, "")


def test_fixtures_entries_and_money_are_kept_from_the_command_line(
    stack: Stack, organiser: str, league: str, tmp_path: Path
) -> None:
    """Every answer is JSON with one item a line. A refusal names its code."""
    token, plan = tmp_path / "token", tmp_path / "plan.json"
    token.write_text(organiser)
    season = asked(stack, organiser, f"leagues/{league}/seasons", {"name": "Winter"})["id"]
    recurrence = {
        "rrule": "FREQ=WEEKLY",
        "zone": "Europe/Berlin",
        "starts": "2099-01-05T19:00",
        "tournament": {"name": "Monday", "ruleset": "better"},
    }
    plan.write_text(json.dumps(recurrence))

    def told(*arguments: str) -> tuple[int, list[dict[str, Any]], str]:
        name, *more = arguments
        done = holotable(stack, "api", "league", name, stack.url, *more, "--token", str(token))
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr

    code, (made,), _ = told("fixtures", season, "--plan", str(plan), "--key", "mondays")
    assert code == 0
    assert told("fixtures", season, "--plan", str(plan), "--key", "mondays")[:2] == (0, [made])
    code, listed, _ = told("fixtures", season)
    assert (code, [each["id"] for each in listed]) == (0, [made["id"]])
    terms = {
        "name": "Night",
        "ruleset": "better",
        "starts_at": "2099-01-05T19:00:00Z",
        "currency": "EUR",
        "fees": {"buy_in": 500, "payment": "recorded"},
        "entry": {"approval": True},
    }
    tournament = asked(stack, organiser, f"leagues/{league}/tournaments", terms)["id"]
    # Staff who play may not keep the books of that tournament, so another player enters.
    assert holotable(
        stack, "api", "account", "create", "dengar", "--password", "a long wait"
    ).stdout
    other = holotable(stack, "api", "token", "create", "dengar").stdout.strip()
    code_in = asked(stack, organiser, f"leagues/{league}/invitations", {"uses": 1})["code"]
    asked(stack, other, f"invitations/{code_in}/accept", {})
    asks = asked(stack, other, f"tournaments/{tournament}/registrations", {})["entrant"]
    code, (waiting,), _ = told("entries", tournament)
    assert (code, waiting["status"]) == (0, "requested")
    assert told("entries", tournament, "--approve", asks)[0] == 0
    assert told("entries", tournament)[1][0]["status"] == "registered"
    code, _, why = told("money", tournament, "--paid", asks, "buy_in", "900", "--key", "much")
    assert (code, why.startswith("payment_")) == (1, True), why
    paid = ("--paid", asks, "buy_in", "200")
    key = lost(stack, "league", "money", *("@", tournament, *paid, "--token", str(token)))
    assert told("money", tournament, *paid, "--key", key)[0] == 0
    code, (books,), _ = told("money", tournament)
    assert (code, books["totals"]["paid"], books["totals"]["owed"]) == (0, 200, 300)
    code, _, shown = told("money", tournament, *paid)
    assert (code, key in shown, "--key " in shown) == (0, False, True)
    assert told("money", tournament)[1][0]["totals"]["owed"] == 100
    for wrong in (("--key", "more"), (*paid, "--key", "\n"), (*paid, "--key", " k")):
        assert told("money", tournament, *wrong)[0] == 2


def lost(stack: Stack, *arguments: str) -> str:
    """Run a command through a relay at ``@`` that loses the answer. Return its idempotency key."""
    got: list[int] = []

    class Relay(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            passed = ("Authorization", "Content-Type", "Idempotency-Key")
            headers = {name: self.headers[name] for name in passed}
            url = f"{stack.url}{self.path}"
            got.append(httpx.post(url, content=body, headers=headers, timeout=10).status_code)
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Relay) as relay:
        thread = Thread(target=relay.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{relay.server_port}"
        done = holotable(stack, "api", *(url if it == "@" else it for it in arguments))
        relay.shutdown()
        thread.join()
    assert (done.returncode, done.stdout, got) == (3, "", [201]), done.stderr
    return done.stderr.partition("--key ")[2].partition(":")[0]


def test_a_part_of_a_stack_that_is_killed_is_started_again_but_not_for_ever(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    `up` checks its processes all the time.

    It reports each end in one line, without an old traceback.
    """
    monkeypatch.setattr("service.process.supervisor._AGAIN_SECONDS", 0.01)
    told: list[str] = []
    for times in range(1, 6):
        child = stack._children["project"]
        child.kill()
        child.wait()
        until(lambda: mended(stack, told) and stack.failed() is None)
        assert stack._children["project"].pid != child.pid
        assert len(told) == times
    stack._children["project"].kill()
    stack._children["project"].wait()

    with pytest.raises(StackFailed) as failed:
        stack.mend(told.append)
    assert told[0] == "project was ended by SIGKILL; it is started again in 0 s"
    assert str(failed.value) == "project was ended by SIGKILL (5 restarts did not help)"

    stack._ends.clear()  # the tests after this one need the projector again
    until(lambda: mended(stack, told) and stack.failed() is None)


@pytest.mark.parametrize("process", ["api", "signer"])
def test_a_part_whose_port_was_taken_while_it_was_down_says_by_whom(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, process: str
) -> None:
    port = {"api": stack.port, "signer": stack.signer_port}[process]
    monkeypatch.setattr("service.process.supervisor._AGAIN_SECONDS", 0.01)
    child, told = stack._children[process], list[str]()
    child.kill()
    child.wait()
    with socket.create_server(("127.0.0.1", port)):
        until(lambda: mended(stack, told) and len(told) == 2)
    assert f"port {port} is taken by process {os.getpid()} (" in told[1]

    stack._ends.clear()
    until(lambda: mended(stack, told) and stack.failed() is None)


def mended(stack: Stack, told: list[str]) -> bool:
    stack.mend(told.append)
    return True
