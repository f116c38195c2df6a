"""The checks before ``up`` starts its processes, and the last words of one that ended."""

import json
from collections.abc import Sequence
from pathlib import Path

from service.base import database
from service.base.ports import free_ports, is_taken, taken
from service.base.secret_files import PUT_BACK, SecretDamaged, read_secret
from service.log.keys import Keys
from service.transparency.note import read_private_key

_LAST_LINES = 20
_NEXT = "  next:"
"""Begins the line with which a command ends. It is written for people who ran the command."""


class StackFailed(Exception):
    """
    A part of the stack did not start, or ended. The text is one line with its last output.

    Args:
      step: What the operator can do. None if only the logs tell.
    """

    def __init__(self, said: str, step: str | None = None) -> None:
        super().__init__(said)
        self.step = step


def kept_secret(file: Path) -> str:
    """
    Return the secret in *file*.

    Raises:
      StackFailed: If the file is empty or damaged.
    """
    try:
        return read_secret(file)
    except SecretDamaged as error:
        raise StackFailed(str(error), PUT_BACK) from error


def usable_port(host: str, port: int) -> int:
    """
    Return *port*, or a free one for 0. Refuse a taken one, before anything starts.

    Raises:
      StackFailed: If nobody can listen there. The text says why, or who has the port.
    """
    try:
        if not port:
            return free_ports(host=host)
        if not is_taken(host, port):
            return port
    except OSError as error:
        raise StackFailed(
            f"the API cannot listen on {host}:{port}: {error.strerror}",
            "give `--host` an address of this machine, and `--port` one that this login may open",
        ) from error
    raise StackFailed(taken(port), "`--port 0` takes a free one")


def refuse_lost_secrets(url: str, folder: Path, secrets: Sequence[str]) -> None:
    """
    Refuse a folder without the keys of its database. Others would be made there.

    Args:
      url: The log's database, with the login of ``holotable_migrate``.
      folder: The folder of the secrets.
      secrets: The settings' key, and the one before it during a change. Empty if there is none.

    Raises:
      StackFailed: If the settings' key or the signer's is lost.
    """
    refuse_foreign_key(url, folder / "key", secrets)
    refuse_lost_signing_key(url, folder / "signer")


def refuse_foreign_key(url: str, file: Path, secrets: Sequence[str]) -> None:
    """
    Refuse a settings' key that opens none of the leagues. Nobody could play with it.

    Jobs would fail, and a new league would be sealed with a key that does not belong here.

    Args:
      url: The log's database, with the login of ``holotable_migrate``.
      file: The file of the key.
      secrets: The key, and the one before it during a change. Empty if there is none.

    Raises:
      StackFailed: If there are leagues, and none opens.
    """
    with database.connect(url) as connection:
        rows = connection.execute("SELECT league, key_id, wrapped FROM key").fetchall()
    keys = Keys(*secrets) if secrets else None
    if rows and not any(keys is not None and keys.opens(*row) for row in rows):
        what = "does not open the leagues of this database" if file.exists() else "is missing"
        raise StackFailed(
            f"{file} {what}, and no league can be played without its key",
            "put the key back, from a backup or your own copy; only another --data begins without",
        )


def refuse_lost_signing_key(url: str, file: Path) -> None:
    """
    Refuse a damaged key of the signer, and to make one where another has signed heads.

    Args:
      url: The log's database, with the login of ``holotable_migrate``.
      file: The file of the key.

    Raises:
      StackFailed: If the file is damaged, or is missing and there are signed heads.
    """
    if file.exists():
        try:
            read_private_key(kept_secret(file))
        except ValueError as error:
            raise StackFailed(f"{file}: {error}", PUT_BACK) from error
        return
    with database.connect(url) as connection:
        signed = connection.execute("SELECT EXISTS (SELECT FROM checkpoint)").fetchone()
    if signed == (True,):
        raise StackFailed(
            f"{file} is missing, and its key has signed heads of this database",
            "put it back, from a backup or your own copy; if it is lost, go on with another key: "
            f"`holotable signer new-key {file} --name holotable`",
        )


def last_words(written: bytes) -> str:
    """Return the last error in the output of a process that ended, or its last line."""
    lines = written.decode("utf-8", errors="replace").strip().splitlines()[-_LAST_LINES:]
    errors = [said for said in map(_error, lines) if said is not None]
    others = [line for line in lines if not line.startswith(_NEXT)]
    return (errors or others or [""])[-1][:500]


def _error(line: str) -> str | None:
    try:
        told = json.loads(line)
    except ValueError:
        return None
    if not isinstance(told, dict) or told.get("level") not in ("error", "critical"):
        return None
    return ": ".join(str(told[name]) for name in ("event", "error") if name in told)
