"""``holotable league fixtures|entries|money``: one question to a server, answered in JSON lines."""

import json
import sys
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console

_SECONDS = 30.0
_DONE, _NO, _AWAY = 0, 1, 3

_err = Console(stderr=True, soft_wrap=True, highlight=False)


def fixtures(url: str, season: str, token: Path, plan: Path | None) -> int:
    """Print a season's recurrences, or plan the one that *plan* holds as JSON."""
    path = f"seasons/{season}/fixtures"
    if plan is None:
        return _listed(url, path, token)
    return _told(url, path, token, plan.read_bytes())


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


def money(url: str, tournament: str, token: Path, paid: tuple[str, str, int] | None) -> int:
    """Print a tournament's books, or write down what somebody was seen to pay."""
    if paid is None:
        return _told(url, f"tournaments/{tournament}/ledger", token, None)
    entrant, kind, amount = paid
    body = json.dumps({"entrant": entrant, "kind": kind, "amount": amount}).encode()
    return _told(url, f"tournaments/{tournament}/payments", token, body)


def _listed(url: str, path: str, token: Path) -> int:
    """Print every item of a list, page by page, one a line."""
    cursor: str | None = None
    while True:
        page = _asked(url, path, token, None, {} if cursor is None else {"cursor": cursor})
        if isinstance(page, int):
            return page
        sys.stdout.writelines(f"{json.dumps(item)}\n" for item in page["items"])
        cursor = page["next_cursor"]
        if cursor is None:
            return _DONE


def _told(url: str, path: str, token: Path, body: bytes | None) -> int:
    answer = _asked(url, path, token, body, {})
    if isinstance(answer, int):
        return answer
    sys.stdout.write(f"{json.dumps(answer)}\n")
    return _DONE


def _asked(
    url: str, path: str, token: Path, body: bytes | None, query: dict[str, str]
) -> dict[str, Any] | int:
    """Return what the server answers; the exit code if it refuses, or is away."""
    secret = token.read_text(encoding="utf-8").strip()
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    try:
        answer = httpx.request(
            "GET" if body is None else "POST",
            f"{url.rstrip('/')}/v1/{path}",
            content=body,
            headers=headers,
            params=query,
            timeout=_SECONDS,
            trust_env=False,
        )
        found: dict[str, Any] = answer.json()
    except (httpx.TransportError, json.JSONDecodeError) as error:
        _err.print(f"{url} gave no answer: {error}\n  next: ask again", markup=False)
        return _AWAY
    if answer.is_success:
        return found
    _err.print(f"{found.get('code')}: {found.get('detail')}", markup=False)
    return _NO
