"""Commands that ask something: at a terminal, from a pipe, and where nobody can answer."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Mapping

import psycopg
import pytest

from service.base.settings import environment
from tests.support.commands import MODULE, ROOT
from tests.support.databases import TestDatabase

PASSWORD = "a long roar"
CREATE = ("account", "create", "chewie")


def piped(
    database: TestDatabase, asked: tuple[str, ...], given: str, **more: str
) -> subprocess.CompletedProcess[str]:
    """Run a command that reads *given* from a pipe."""
    return subprocess.run(
        [sys.executable, "-m", MODULE, *asked],
        cwd=ROOT,
        env=told(database) | more,
        input=given,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def told(database: TestDatabase) -> dict[str, str]:
    kept = {name: it for name, it in os.environ.items() if not name.startswith("HOLOTABLE_")}
    return kept | environment(database.settings("holotable_api"))


def typed(
    environ: Mapping[str, str], asked: tuple[str, ...], answers: dict[bytes, str]
) -> tuple[int, str]:
    """
    Run a command at a terminal of its own, and type an answer at each prompt.

    Returns:
      The exit code, and what the terminal showed.
    """
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(ROOT)
        os.execve(sys.executable, [sys.executable, "-m", MODULE, *asked], dict(environ))
    shown, left, until = b"", list(answers.items()), time.monotonic() + 60
    while time.monotonic() < until and select.select([terminal], [], [], 60)[0]:
        try:
            shown += os.read(terminal, 4096)
        except OSError:  # the other end is closed
            break
        if left and left[0][0] in shown:
            os.write(terminal, f"{left.pop(0)[1]}\n".encode())
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    os.close(terminal)
    return code, shown.decode()


def accounts_of(database: TestDatabase) -> list[tuple[str, bool]]:
    """Return each login, and whether the operators' log says that an operator has made it."""
    with psycopg.connect(database.url("postgres")) as connection:
        return connection.execute(
            "SELECT login, EXISTS (SELECT FROM operator_deed WHERE kind = 'account_created'"
            "  AND about = 'plr_' || replace(account.id::text, '-', '')) FROM account"
        ).fetchall()


def test_a_password_is_asked_twice_at_a_terminal_and_never_shown(database: TestDatabase) -> None:
    prompts = {b"Password of chewie": PASSWORD, b"Again": PASSWORD}
    code, shown = typed(told(database), CREATE, prompts)
    assert (code, bool(re.search("plr_[0-9a-f]{32}", shown))) == (0, True), shown
    assert PASSWORD not in shown
    assert accounts_of(database) == [("chewie", True)]


@pytest.mark.parametrize("ending", ["", "\n", "\r\n", "\nanother line\n"])
def test_a_password_from_a_pipe_is_its_first_line(database: TestDatabase, ending: str) -> None:
    made = piped(database, CREATE, PASSWORD + ending)
    assert made.returncode == 0, made.stderr
    assert PASSWORD not in made.stdout + made.stderr
    assert accounts_of(database) == [("chewie", True)]


def test_without_a_terminal_and_a_password_nothing_is_made_and_the_ways_are_named(
    database: TestDatabase,
) -> None:
    none = piped(database, CREATE, "")
    assert (none.returncode, "HOLOTABLE_ACCOUNT_PASSWORD" in none.stderr) == (2, True)
    assert accounts_of(database) == []
    by_setting = piped(database, CREATE, "", HOLOTABLE_ACCOUNT_PASSWORD=PASSWORD)
    assert by_setting.returncode == 0, by_setting.stderr
    assert accounts_of(database) == [("chewie", True)]


def test_nobody_is_erased_where_nobody_can_say_yes(database: TestDatabase) -> None:
    asked = ("player", "erase", f"plr_{1:032x}")
    refused = piped(database, asked, "y\n")
    assert (refused.returncode, "--yes" in refused.stderr) == (2, True), refused.stderr
    code, shown = typed(told(database), asked, {b"for ever": "n"})
    assert (code, "there is no player" in shown) == (130, False), shown
    code, shown = typed(told(database), asked, {b"for ever": "y"})
    assert (code, "there is no player" in shown) == (2, True), shown
