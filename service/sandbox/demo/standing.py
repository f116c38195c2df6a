"""``holotable up``: the demo's stack, run until it is stopped."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import httpx
from rich.console import Console
from rich.markup import escape

from service.base.database import is_coming
from service.base.embedded import ClusterFailed
from service.base.settings import PREFIX, given_to_up
from service.process import people
from service.process.starting import StackFailed
from service.process.supervisor import Stack
from service.process.watching import ProcessWatch, addresses

LOGIN = "organiser"
OWN_KEYS = {
    f"{PREFIX}{name}{end}" for name in ("SECRET_KEY", "SECOND_SECRET_KEY") for end in ("", "_FILE")
}
TOKEN_FILE = "organiser.token"  # noqa: S105 - the name of a file

_LOOK_SECONDS = 0.5
"""No child reports its end, so look often. A signal ends the pause at once."""


def stay(directory: Path, host: str, port: int, server: str | None) -> int:
    """Run the stack on *directory* until it is told to stop, and return the exit code."""
    console = Console(soft_wrap=True, highlight=False)
    if named := sorted(OWN_KEYS.intersection(os.environ)):
        console.print(
            f"{named[0]} is set, and `up` keeps a key of its own\n  next: take it out of the "
            f"environment; {directory}/secrets/key is the key (docs/guides/credentials.md)",
            markup=False,
        )
        return 2
    _interrupt_on_terminate()
    told = given_to_up(os.environ)
    watch = ProcessWatch(addresses(told.pop("metrics_address", None)))
    stack = Stack(
        directory, host=host, port=port, server=server, options=told, bots=True, watch=watch
    )
    try:
        with stack:
            tell = partial(_tell, console)
            _greet(console, stack, ready(stack, tell))
            while True:
                stack.mend(tell)
                time.sleep(_LOOK_SECONDS)
    except KeyboardInterrupt:
        console.print(f"\nstopped; the data stay in {stack.where}")
        return 130
    except (ClusterFailed, StackFailed) as error:
        console.print(f"[bold red]the stack failed:[/] {escape(str(error))}")
        console.print(f"  next: {error.step or f'see the logs in {directory}'}", markup=False)
        return 3


class Credentials(NamedTuple):
    """The organiser's way in."""

    token: str
    code: str
    """Of a sign-in link. It works once."""


def ready(stack: Stack, told: Callable[[str], None]) -> Credentials:
    """
    Return the organiser's credentials. A part of the stack that ends meanwhile is started again.

    Args:
      told: Called with one line about each part that has ended.

    Raises:
      StackFailed: If a part ends again and again.
    """
    while True:
        try:
            token = organiser_token(stack)
            return Credentials(
                token, asyncio.run(people.sign_in_code(stack.settings("api"), LOGIN))
            )
        except Exception as error:
            if not isinstance(error, httpx.TransportError) and not is_coming(error):
                raise
            stack.mend(told)
            time.sleep(_LOOK_SECONDS)


def _tell(console: Console, why: str) -> None:
    console.print(f"[yellow]{escape(why)}[/]")


def _greet(console: Console, stack: Stack, organiser: Credentials) -> None:
    token, code = organiser
    console.print(f"[bold]Holotable[/] is up at {stack.url}, its data in {stack.where}")
    console.print(f"  the console: {stack.url}/", markup=False)
    console.print(f"  sign in, once, as the organiser: {stack.url}/sign-in/{code}", markup=False)
    console.print(f"  organiser's token: {token}")
    console.print("  create a league:")
    console.print(
        f"    curl -s {stack.url}/v1/leagues -H 'Authorization: Bearer {token}' \\\n"
        "      -H 'Content-Type: application/json' -H 'Idempotency-Key: my-league' \\\n"
        '      -d \'{"name": "Cloud City"}\'',
        markup=False,
    )
    folder = stack.write_environments()
    console.print("  for operator's commands, in another shell:")
    console.print(f"    . {folder}/audit && holotable audit lge_...", markup=False)
    if stack.watch is not None:
        shown = ", ".join(f"{name} {at}" for name, at in stack.watch.addresses.items())
        console.print(f"  metrics and health (/metrics, /readyz): {shown}", markup=False)
    console.print("  Ctrl-C stops everything; the same command goes on where it was.")


def organiser_token(stack: Stack) -> str:
    """
    Return a valid token of the organiser. The first start makes the account.

    If the token of an earlier start has expired or was revoked, the organiser gets a new one.
    """
    file, settings = stack.data / TOKEN_FILE, stack.settings("api")
    asyncio.run(people.take_key_from_password(settings, LOGIN))
    if file.exists():
        token = file.read_text(encoding="ascii").strip()
        # Ignore proxies that the environment names, because this API runs on this machine.
        with httpx.Client(base_url=stack.url, timeout=10, trust_env=False) as http:
            answer = http.get("/v1/me", headers={"Authorization": f"Bearer {token}"})
        if answer.status_code != httpx.codes.UNAUTHORIZED:
            return token
    token = asyncio.run(people.organiser(settings, LOGIN, "Organiser"))
    file.touch(mode=0o600)
    file.write_text(token, encoding="ascii")
    return token


def _interrupt_on_terminate() -> None:
    """
    Make SIGTERM end this process as Ctrl-C does, so that the stack is stopped in order.

    SIGINT is set too: it is ignored when a script starts this process with ``&``.
    """

    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    signal.signal(signal.SIGINT, interrupt)
