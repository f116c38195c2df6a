"""A dry run changes nothing and shows the changes. The command writes into the operators' log."""

import asyncio
from collections.abc import Callable
from typing import NamedTuple
from uuid import UUID

import psycopg
import pytest
import rich_click as click

from service.base.database import async_engine
from service.base.settings import environment
from service.base.sources import service_now
from service.people import accounts
from service.people.operator_log import Entry, entries
from service.process.people import issue_token
from tests.service.cli.test_commands import COMMANDS, loaded
from tests.service.league_night import Night, played
from tests.support.commands import Ended, in_fork
from tests.support.databases import SECRET_KEY, TestDatabase

TAKES_AWAY = {
    "account founder", "account reset", "account restore", "account suspend", "account uninvite",
    "clock believe", "demo",
    "epoch open", "league import", "league pack", "league release", "league restore",
    "league suspend", "league unpack", "maintenance off", "maintenance on", "migrate",
    "player erase", "projections rebuild", "prune",
    "quarantine release", "repair", "restore", "rotate-key", "signer revoke", "text take-down",
    "token revoke",
}  # fmt: skip
"""Commands that take something away, replace it, or cannot be undone by the opposite command."""

ADDS = {
    "account create", "account invite", "archive season", "backup", "bundle", "league export",
    "prepare", "push new-key", "signer new-key", "token create",
}  # fmt: skip
"""Commands that only add, and refuse to replace a file or a row."""

BY_THE_API = {"league entries", "league fixtures", "league money"}
"""Calls of the API with a token: the league's log holds them, and the API rehearses them itself."""

NEW_KEY = "7d" * 32
WHY = ("--reason", "a test")
BY = ("--operator", "Lobot")
KEYS = {"HOLOTABLE_SECRET_KEY": NEW_KEY, "HOLOTABLE_SECOND_SECRET_KEY": SECRET_KEY}


def test_every_command_that_takes_something_away_has_a_dry_run_and_no_other() -> None:
    """A new command is in none of the lists, so this test fails until it is."""
    dry = {
        name
        for name, command in COMMANDS.items()
        if any("--dry-run" in each.opts for each in loaded(command).params)
    }
    assert dry == TAKES_AWAY
    leaves = {name for name, it in COMMANDS.items() if not isinstance(loaded(it), click.Group)}
    assert leaves >= ADDS | BY_THE_API
    others = leaves - TAKES_AWAY - ADDS - BY_THE_API
    assert others == {
        "api", "worker", "project", "bots", "health", "up", "selfplay", "conformance",
        "floor", "audit", "doctor", "clock show", "operators-log", "projections compare",
        "quarantine list", "quarantine show", "signer keys", "verify-head", "verify-receipt",
        "replay", "generate", "league check", "openapi", "rulesets list", "rulesets show",
        "rulesets diff", "structure suggest", "points list", "points try",
    }  # fmt: skip


class Deed(NamedTuple):
    """A command, its preparations, its output and its entry."""

    asked: tuple[str, ...]
    login: str
    said: str
    """Part of the output of the dry run and of the command."""

    kind: str
    """The entry in the operators' log."""

    before: str = ""
    """SQL that a superuser runs first."""

    changes: dict[str, str] = {}  # noqa: RUF012 - never changed


LEAGUE, NUMBER = "lge_{0}", "(SELECT league FROM key)"
BROKEN = f"""
    INSERT INTO quarantine (league, consumer, position, reason) VALUES ({NUMBER}, 'arming', 3, 'x')
"""
DEAD = """
    INSERT INTO job (occurrence, task, args, due_at, state, last_error)
    VALUES ('audit', 'audit.run', '{}', now(), 'dead', 'x')
"""
STEP = """
    INSERT INTO clock_step (noticed_at, ahead_us) VALUES (clock_timestamp(), 7200000000)
"""
SIGNER = (
    "INSERT INTO signer_key (verifier_key, event) VALUES ('holo.example/1+5a+xyz', 'published')"
)
INVITED = f"""
    INSERT INTO sign_up_invitation (id, hash, uses_left, founds_leagues, created_at, expires_at)
    VALUES ('{7:032x}', sha256('x'), 2, false, now(), now() + interval '1 day')
"""

DEEDS = {
    "quarantine release": Deed(
        ("quarantine", "release", LEAGUE, "arming", "--skip"),
        "migrate", "arming at position 3", "quarantine_released", BROKEN,
    ),
    "quarantine release without a league": Deed(
        ("quarantine", "release", "-", "job/audit.run"),
        "migrate", "released - job/audit.run", "quarantine_released", DEAD,
    ),
    "rotate-key": Deed(
        ("rotate-key",), "migrate", "1 of 1 leagues' keys", "key_rotated", changes=KEYS
    ),
    "epoch open": Deed(
        ("epoch", "open", LEAGUE, *BY, *WHY), "migrate", "epoch 1 of lge_", "epoch_opened"
    ),
    "projections rebuild": Deed(
        ("projections", "rebuild", "members"), "project", "members", "read_models_rebuilt"
    ),
    "player erase": Deed(
        ("player", "erase", "plr_{1}", "--yes"), "api", "1 tokens, 0 calendars", "player_erased"
    ),
    "account reset": Deed(("account", "reset", "han"), "api", "", "password_reset_offered"),
    "token revoke": Deed(
        ("token", "revoke", "tok_{2}"), "api", "1 tokens of plr_", "token_revoked"
    ),
    "signer revoke": Deed(
        ("signer", "revoke", "holo.example/1+5a+xyz", *WHY),
        "migrate", "revoked holo.example", "signer_key_revoked", SIGNER,
    ),
    "clock believe": Deed(
        ("clock", "believe", *BY, *WHY), "migrate", "+7200.0 s", "clock_believed", STEP
    ),
    "account founder": Deed(
        ("account", "founder", "han"), "migrate", "may found leagues", "founding_allowed"
    ),
    "account suspend": Deed(
        ("account", "suspend", "han", *WHY), "migrate", "1 tokens ended", "account_suspended"
    ),
    "account uninvite": Deed(
        ("account", "uninvite", f"inv_{7:032x}"),
        "migrate", "opens no more accounts", "sign_up_uninvited", INVITED,
    ),
    "league suspend": Deed(
        ("league", "suspend", LEAGUE, *WHY), "migrate", "suspended lge_", "league_suspended"
    ),
    "text take-down": Deed(
        ("text", "take-down", "plr_{1}", *WHY), "migrate", "took down plr_", "text_taken_down"
    ),
    "maintenance on": Deed(
        ("maintenance", "on", *WHY), "migrate", "maintenance has begun", "maintenance_began"
    ),
}  # fmt: skip
"""Every command but these, which have tests of their own: prune, repair, restore, and a move's."""

_ROWS = """
    SELECT format('%I.%I', nspname, relname)
      FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
     WHERE relkind = 'r' AND nspname IN ('public', 'reads', 'reads_next') ORDER BY 1
"""


def contents(database: TestDatabase) -> dict[str, object]:
    """Return a digest of all rows of each relation."""
    with psycopg.connect(database.url("postgres")) as connection:
        names = [row[0] for row in connection.execute(_ROWS)]
        digest = "SELECT count(*), md5(string_agg(it::text, '|' ORDER BY it::text)) FROM {} it"
        return {name: connection.execute(digest.format(name).encode()).fetchone() for name in names}


@pytest.fixture
def night(database: TestDatabase) -> Night:
    """A league, and an account with a token."""
    return asyncio.run(_night(database))


async def _night(database: TestDatabase) -> Night:
    made = await played(database, steps_max=12)
    engine = async_engine(database.url(), 1)
    async with engine.begin() as connection:
        han, now = UUID(int=7), await service_now(connection)
        await accounts.create(connection, han, "han", "Han", None, now)
        await issue_token(connection, han, ("leagues:read",), 1)
    await engine.dispose()
    return made


async def _newest(database: TestDatabase) -> Entry:
    engine = async_engine(database.url("holotable_migrate"), 1)
    async with engine.connect() as connection:
        (newest,) = await entries(connection, 1)
    await engine.dispose()
    return newest


@pytest.mark.parametrize("name", DEEDS)
def test_a_dry_run_changes_nothing_and_the_run_stands_in_the_operators_log(
    database: TestDatabase, night: Night, name: str
) -> None:
    deed = DEEDS[name]
    with psycopg.connect(database.url("postgres")) as connection:
        if deed.before:
            connection.execute(deed.before.encode())
        han = connection.execute("SELECT id FROM account WHERE login = 'han'").fetchone()
        token = connection.execute("SELECT id FROM token").fetchone()
    assert han is not None
    assert token is not None
    known = (night.league[4:], han[0].hex, token[0].hex)
    asked = tuple(each.format(*known) for each in deed.asked)
    told = environment(database.settings(f"holotable_{deed.login}")) | deed.changes
    run: Callable[..., Ended] = lambda *more: in_fork((*asked, *more), told)  # noqa: E731

    before = contents(database)
    dry = run("--dry-run")
    after = contents(database)
    real = run()

    assert dry.returncode == 0, dry.stderr
    assert "dry run, nothing was done" in dry.stdout
    assert deed.said in dry.stdout
    assert after == before
    assert real.returncode == 0, real.stderr
    assert deed.said in real.stdout
    assert contents(database) != before
    newest = asyncio.run(_newest(database))
    assert newest.kind == deed.kind
    assert newest.actor.startswith("Lobot" if "--operator" in asked else "operator "), newest


def test_a_dry_run_prints_no_code_and_a_rotation_that_finds_nothing_leaves_no_entry(
    database: TestDatabase, night: Night
) -> None:
    api = environment(database.settings("holotable_api"))
    dry = in_fork(("account", "reset", "han", "--dry-run"), api)
    first = in_fork(("account", "reset", "han"), api)
    again = in_fork(("account", "reset", "han", "--dry-run"), api)
    assert dry.stdout.startswith("dry run, nothing was done: plr_")
    assert first.stdout.strip() not in dry.stdout + again.stdout
    assert "the code that was given out before ends" in again.stdout

    migrate = environment(database.settings("holotable_migrate"))
    assert in_fork(("rotate-key",), migrate | KEYS).returncode == 0
    second = in_fork(("rotate-key",), migrate | KEYS)
    assert "0 of 1 leagues' keys" in second.stdout
    shown = in_fork(("operators-log",), migrate).stdout
    assert shown.count("key_rotated") == 1
