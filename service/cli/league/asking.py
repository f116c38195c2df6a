"""The parts of the commands that ask a server: options, and lists and answers as JSON."""

import json
import sys
from pathlib import Path

import rich_click as click

from service.base.client import Refused, answered, client
from service.base.sources import SystemEntropy
from service.cli.common import FILE, err

_KEY_MAX = 255

TOKEN = click.option("--token", required=True, type=FILE, help="File with a token that allows it.")


def _fit(_: click.Context, option: click.Parameter, key: str | None) -> str | None:
    if key is None:
        return None
    if not (key.isascii() and key.isprintable() and 0 < len(key.strip()) == len(key) <= _KEY_MAX):
        said = "a key is 1 to 255 printable ASCII characters, without spaces at its ends"
        raise click.BadParameter(said, param=option)
    return key


KEY = click.option(
    "--key",
    default=None,
    callback=_fit,
    help="Idempotency key of a retry; nothing happens twice.  [dim]default: a new one[/]",
)


def key_or_new(key: str | None) -> str:
    """Return *key*, or a new one. It is printed before the request, because no answer may come."""
    if key is not None:
        return key
    drawn = str(SystemEntropy().uuid())
    err.print(f"sent with --key {drawn}: use it for a retry")
    return drawn


def print_list(url: str, path: str, token: Path) -> int:
    """Print every item of a list, one a line."""
    cursor: str | None = None
    try:
        with client(url, token) as api:
            while True:
                query = {} if cursor is None else {"cursor": cursor}
                page = answered(api.get(f"/v1/{path}", params=query))
                sys.stdout.writelines(f"{json.dumps(item)}\n" for item in page["items"])
                cursor = page["next_cursor"]
                if cursor is None:
                    return 0
    except Refused as no:
        return print_refusal(no)


def print_answer(
    url: str, path: str, token: Path, body: bytes | None, key: str | None = None
) -> int:
    """Print the answer to a GET, or to a POST of *body* under the idempotency *key*."""
    headers = {"Content-Type": "application/json"}
    if key is not None:
        headers["Idempotency-Key"] = key
    try:
        with client(url, token) as api:
            asked = f"/v1/{path}"
            done = (
                api.get(asked) if body is None else api.post(asked, content=body, headers=headers)
            )
            sys.stdout.write(f"{json.dumps(answered(done))}\n")
    except Refused as no:
        return print_refusal(no)
    return 0


def print_refusal(no: Refused) -> int:
    """Print a refusal, and return the exit code."""
    err.print(str(no), markup=False)
    return 1
