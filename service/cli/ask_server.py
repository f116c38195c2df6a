"""``holotable league fixtures|entries|money``: one question to a server, answered in JSON lines."""

import json
import sys
from pathlib import Path

from rich.console import Console

from service.base.client import Refused, answered, client
from service.base.sources import SystemEntropy

_err = Console(stderr=True, soft_wrap=True, highlight=False)


def fixtures(url: str, season: str, token: Path, plan: Path | None, key: str | None) -> int:
    """Print a season's recurrences, or plan the one that *plan* holds as JSON, once by *key*."""
    path = f"seasons/{season}/fixtures"
    if plan is None:
        return _listed(url, path, token)
    return _told(url, path, token, plan.read_bytes(), _shown(key))


def entries(
    url: str, tournament: str, token: Path, approve: str | None, refuse: tuple[str, str] | None
) -> int:
    """Print who has entered, waits or asks; or say yes or, with a reason, no to an entry."""
    path = f"tournaments/{tournament}/registrations"
    if approve is not None:
        return _told(url, f"{path}/{approve}/approve", token, b"{}")
    if refuse is not None:
        entrant, reason = refuse
        body = json.dumps({"reason": reason}).encode()
        return _told(url, f"{path}/{entrant}/refuse", token, body)
    return _listed(url, path, token)


def money(
    url: str, tournament: str, token: Path, paid: tuple[str, str, int] | None, key: str | None
) -> int:
    """Print a tournament's books, or write down what somebody was seen to pay, once by *key*."""
    if paid is None:
        return _told(url, f"tournaments/{tournament}/ledger", token, None)
    entrant, kind, amount = paid
    body = json.dumps({"entrant": entrant, "kind": kind, "amount": amount}).encode()
    return _told(url, f"tournaments/{tournament}/payments", token, body, _shown(key))


def _shown(key: str | None) -> str:
    """Return *key*; without one draw it, and say so before anything is sent: no answer may come."""
    if key is not None:
        return key
    drawn = str(SystemEntropy().uuid())
    _err.print(f"sent under --key {drawn}: to ask again, give it")
    return drawn


def _listed(url: str, path: str, token: Path) -> int:
    """Print every item of a list, page by page, one a line."""
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
        return _refused(no)


def _told(url: str, path: str, token: Path, body: bytes | None, key: str | None = None) -> int:
    """Print the one answer to a question, or with *body* to an order; *key* makes it one."""
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
        return _refused(no)
    return 0


def _refused(no: Refused) -> int:
    _err.print(str(no), markup=False)
    return 1
