"""``holotable up``: the same stack, staying."""

import time
from pathlib import Path

import httpx
from rich.console import Console

from service.embedded import ClusterFailed
from service.supervisor import Stack, StackFailed, interrupt_on_terminate

LOGIN = "organiser"
TOKEN_FILE = "organiser.token"  # noqa: S105 - the name of a file


def stay(directory: Path, host: str, port: int, server: str | None) -> int:
    """Run the stack on *directory* until it is told to stop; the exit code."""
    console = Console(soft_wrap=True, highlight=False)
    interrupt_on_terminate()
    stack = Stack(directory, host=host, port=port, server=server)
    try:
        with stack:
            _greet(console, stack)
            while True:
                stack.check()
                time.sleep(0.5)
    except KeyboardInterrupt:
        console.print(f"\nstopped; the data stay in {stack.where}")
        return 130
    except (ClusterFailed, StackFailed) as error:
        console.print(
            f"[bold red]the stack failed:[/] {error}\n  next: see the logs in {directory}"
        )
        return 3


def _greet(console: Console, stack: Stack) -> None:
    token = _organiser(stack)
    console.print(f"[bold]Holotable[/] is up at {stack.url}, its data in {stack.where}")
    console.print(f"  organiser's token: {token}")
    console.print("  create a league:")
    console.print(
        f"    curl -s {stack.url}/v1/leagues -H 'Authorization: Bearer {token}' \\\n"
        "      -H 'Content-Type: application/json' -d '{\"name\": \"Cloud City\"}'",
        markup=False,
    )
    console.print("  Ctrl-C stops everything; the same command goes on where it was.")


def _organiser(stack: Stack) -> str:
    """Return the organiser's token; the account is made at the first start."""
    file = stack.data / TOKEN_FILE
    if file.exists():
        return file.read_text(encoding="ascii").strip()
    password = stack.settings("api").secret_key
    answer = httpx.post(
        f"{stack.url}/v1/accounts",
        json={"login": LOGIN, "password": password, "name": "Organiser"},
        timeout=10,
    )
    if not answer.is_success:
        raise StackFailed(f"the organiser's account was refused: {answer.text}")
    token: str = answer.json()["token"]["token"]
    file.touch(mode=0o600)
    file.write_text(token, encoding="ascii")
    return token
