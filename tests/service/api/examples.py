"""
Record the answers in the document's examples from answers that the tests receive.

Identifiers, instants, names and secrets are replaced, so that the same tests give almost the same
examples. Run this module to record them all again, or with the paths of tests to record the
answers that these receive.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from service.api.examples import ids, recorded
from service.api.routes import ROUTES
from tests.service.api import truth

ROOT = Path(__file__).resolve().parents[3]
ANSWERS = ROOT / "service/api/examples/answers"
CHARACTERS_MAX = 6_000
ITEMS_MAX = 2
"""Objects of a list that an example shows."""

LINES_MAX = 60
"""Lines of a text that an example shows, if they are not too long together."""

_IDENTIFIER = re.compile(r"\b([a-z]{3})_([0-9a-f]{32})\b")
_INSTANT = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$")
_LOCAL = re.compile(r"http://127\.0\.0\.1:\d+")
_KEY = re.compile(r"key=\w+")
_SECRETS = {"token", "code", "key", "claim", "secret", "public_key"}
_OPAQUE = {"position", "cursor", "next_cursor"}
_NAMES = ("Han Solo", "Leia Organa", "Lando Calrissian", "Chewbacca", "Jyn Erso", "Cassian Andor")
_FIRST = {each[:3]: each for each in (ids.TOURNAMENT, ids.PLAYER, ids.ENTRANT, ids.TABLE)}


def example(content: bytes) -> Any:
    """Return an answer in its published form. An answer that is no JSON is a text."""
    try:
        shown = _cut(json.loads(content))
    except ValueError:
        return _text(content.decode())
    instants = sorted({each for each in _texts(shown) if _INSTANT.match(each)})
    minutes = {each: f"2026-11-27T19:{n % 60:02}:00Z" for n, each in enumerate(instants)}
    return _masked(shown, minutes, {}, {})


def _text(whole: str) -> str:
    people: dict[str, str] = {}

    def called(found: re.Match[str]) -> str:
        return people.setdefault(found[0], _NAMES[len(people) % len(_NAMES)])

    lines: list[str] = []
    for line in whole.splitlines()[:LINES_MAX]:
        if sum(map(len, lines)) + len(line) > CHARACTERS_MAX:
            break
        lines.append(line)
    masked = re.sub(r"\bperson\d+\b", called, "\n".join(lines) + "\n")
    masked = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "2026-11-27T19:00:00Z", masked)
    return _identified(re.sub(r"\d{8}T\d{6}Z", "20261127T190000Z", masked), {})


def _cut(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _cut(each) for name, each in value.items()}
    if isinstance(value, list):
        kept = value[:ITEMS_MAX] if value and isinstance(value[0], dict) else value
        return [_cut(each) for each in kept]
    return value


def _texts(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set().union(*(_texts(each) for each in value.values()))
    if isinstance(value, list):
        return set().union(*(_texts(each) for each in value))
    return {value} if isinstance(value, str) else set()


def _masked(
    value: Any,
    minutes: dict[str, str],
    known: dict[str, str],
    people: dict[str, str],
    name: str = "",
) -> Any:
    if isinstance(value, dict):
        return {
            _identified(key, known): _masked(each, minutes, known, people, key)
            for key, each in value.items()
        }
    if isinstance(value, list):
        return [_masked(each, minutes, known, people, name) for each in value]
    if not isinstance(value, str):
        return value
    if value in minutes:
        return minutes[value]
    if name in _SECRETS and " " not in value and len(value) > 20:
        return "shown-only-once"
    if name in _OPAQUE:
        return "WyIwZjNjIiwwLDQyXQ"
    if re.fullmatch(r"person\d+", value):
        called = people.setdefault(value, _NAMES[len(people) % len(_NAMES)])
        return called.partition(" ")[0].lower() if name == "login" else called
    value = _LOCAL.sub("https://site.example", value)
    return _identified(_KEY.sub("key=shown-only-once", value), known)


def _identified(text: str, known: dict[str, str]) -> str:
    def other(found: re.Match[str]) -> str:
        kind, whole = found[1], found[0]
        if whole not in known:
            number = sum(each.startswith(kind) for each in known)
            first = _FIRST.get(kind)
            known[whole] = first if first and not number else f"{kind}_{number + 1:032x}"
        return known[whole]

    return _IDENTIFIER.sub(other, text)


def chosen(answers: set[bytes]) -> Any:
    """Return the example that shows most and is not too long."""
    found = [example(each) for each in answers]
    found.sort(key=lambda each: json.dumps(each, sort_keys=True))
    short = [each for each in found if len(json.dumps(each)) <= CHARACTERS_MAX]
    if not short:
        return min(found, key=lambda each: len(json.dumps(each)))
    return max(short, key=_filled)


def _filled(value: Any) -> int:
    """Return the number of values that are neither null nor empty, or of lines of a text."""
    if isinstance(value, dict):
        return sum(_filled(each) for each in value.values())
    if isinstance(value, list):
        return sum(_filled(each) for each in value)
    if isinstance(value, str) and "\n" in value:
        return value.count("\n")
    return value not in (None, "", 0, False)


class Recorder:
    """A plugin of pytest that writes the examples when the tests have ended."""

    def pytest_sessionstart(self) -> None:
        """Keep all answers from now on."""
        truth.received = {}

    def pytest_sessionfinish(self) -> None:
        """Write one file for each room of the API. Answers that were not received stay."""
        rooms: dict[str, dict[str, Any]] = {}
        kept = recorded()
        for handler in ROUTES:
            name = handler.opt["operation"].name
            room = handler.fn.__module__.split(".")[2]
            if truth.received and name in truth.received:
                rooms.setdefault(room, {})[name] = chosen(truth.received[name])
            elif name in kept:
                rooms.setdefault(room, {})[name] = kept[name]
        for room, found in rooms.items():
            text = json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False)
            (ANSWERS / f"{room}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    options = ["-q", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    tests = sys.argv[1:] or ["tests/service/api"]
    sys.exit(pytest.main([*options, *tests], plugins=[Recorder()]))
