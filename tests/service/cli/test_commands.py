"""The lists of commands match the commands, and light calls import little."""

import subprocess
import sys
from collections.abc import Iterator
from inspect import cleandoc
from keyword import iskeyword

import pytest
import rich_click as click

from service.cli.common import Lazily
from service.cli.main import cli
from service.projections.models.all import BY_NAME

HEAVY = ("alembic", "asyncpg", "celery", "httpx", "litestar", "psycopg", "sqlalchemy")


def loaded(command: click.Command) -> click.Command:
    return command.load() if isinstance(command, Lazily) else command


def listed(group: click.Group, above: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield every command listed under *group*, with the name that a user types for it."""
    for name, command in group.commands.items():
        yield f"{above}{name}", command
        if isinstance(whole := loaded(command), click.Group):
            yield from listed(whole, f"{above}{name} ")


def module_of(command: click.Command) -> str:
    """Return the module that holds the function of *command*."""
    assert command.callback is not None
    return command.callback.__module__.removeprefix("service.cli.")


def first_paragraph(command: click.Command) -> str:
    return " ".join(cleandoc(command.help or "").partition("\n\n")[0].split())


COMMANDS = dict(listed(cli))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_listed_by_its_own_name_and_first_paragraph(name: str) -> None:
    """A list that differs from a command's own help would mislead its reader."""
    shown, command = COMMANDS[name], loaded(COMMANDS[name])

    assert (command.name, shown.name) == (name.rsplit(maxsplit=1)[-1], name.rsplit(maxsplit=1)[-1])
    assert first_paragraph(command) == first_paragraph(shown) != ""


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_lies_where_its_name_says(name: str) -> None:
    """`audit` is in `audit.py`, and `account create` in `account/create.py` or `account.py`."""
    first, *rest = name.replace("-", "_").split()
    own = ".".join(
        [first, *(f"{each}_" if iskeyword(each) else each for each in rest or ["group"])]
    )

    assert module_of(loaded(COMMANDS[name])) in (first, own)


def test_the_help_of_rebuild_names_every_projection() -> None:
    shown = f"{loaded(COMMANDS['projections rebuild']).help},".replace(".", ",")
    assert [name for name in BY_NAME if f"{name}," not in shown] == []


@pytest.mark.parametrize("call", [["--help"], ["rulesets", "list"], ["points", "list"]], ids=str)
def test_a_light_call_imports_no_heavy_library(call: list[str]) -> None:
    """``--help`` answers at once, and lists of presets need no server library."""
    script = (
        "import sys\n"
        "from service.cli.main import cli\n"
        f"cli({call!r}, standalone_mode=False)\n"
        f"sys.exit(', '.join(set({HEAVY!r}) & set(sys.modules)) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
