"""
The comparison of the answers of two worlds.

Commitments, hashes, signatures, tokens and instants differ in any two worlds. Each is replaced by
a label: the number of the request in which it first occurred, and its number there. One value
always has the same label, so two worlds agree if equal values are in equal places. A label also
contains the value's length, so that sizes are compared too.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.noninterference.asking import Exchange
from tests.noninterference.entitled import Secrets

_CHANGING = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)"  # instants
    r"|(?<![\d:])\d\d:\d\d:\d\d(?:\.\d+)?(?![\d:])"
    r"|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"  # numbers of requests and events
    r"|(?<![A-Za-z0-9_])[0-9a-f]{32,}(?![A-Za-z0-9])"  # hashes, salts, seeds
    r"|holo_pat_[A-Za-z0-9]{36}|holo_(?:cal|scr)_[0-9a-f]{64}"
    r"|\b(?:tok|cal|scr|whk|dlv|psh)_[0-9a-f]{32}\b"
    r"|\b(?:cnf|dsp)_[0-9a-f]{32}\b"  # claims in confidence, by the league's key
    r"|(?<![A-Za-z0-9+/_-])(?=[A-Za-z0-9+/_-]*[A-Z])[A-Za-z0-9+/_-]{20,}={0,2}"
)
_PASSING = re.compile(
    r'<time datetime="[^"]*"[^>]*>[^<]*</time>|(?<=<span data-left>)\d+'
    r'|(?<=data-now=")\d{13}(?=")|^etag: W/"[0-9a-f]{32}"$'
    r'|role="timer"[^>]*>[^<]*|(?<="countdown-text">)[^<]*|class="left"[^>]*>',
    re.MULTILINE,
)
"""
Times on pages of the console, which the API tells too, and the tags of their parts.
"""

_PROBLEM_OR_JSON = ("application/json", "application/problem+json")


@dataclass
class Labels:
    """The labels of one world, by value."""

    known: dict[str, str] = field(default_factory=dict)

    def labelled(self, number: int, text: str) -> str:
        """Return *text* of request *number* with labels in place of changing values."""
        seen = 0

        def label(found: re.Match[str]) -> str:
            nonlocal seen
            value = found.group()
            if value[2] == ":":
                return "<a time of day>"
            known = self.known.get(value)
            if known is None:
                seen += 1
                kind = "T" if ":" in value else f"L{len(value)}"
                known = self.known[value] = f"<{kind} {number}.{seen}>"
            return known

        return _CHANGING.sub(label, _PASSING.sub("<a time in words>", text))


@dataclass(frozen=True)
class World:
    """All answers of one world, and its hidden values."""

    exchanges: list[Exchange]
    secrets: Secrets


@dataclass(frozen=True)
class Difference:
    """One place in which the answers of two worlds differ."""

    audience: str
    operation: str
    question: str
    place: str
    """``status``, ``header NAME``, or ``body`` and an RFC 6901 pointer into it."""

    here: str
    there: str

    def __str__(self) -> str:
        shown = f"{self.here[:90]!r} | {self.there[:90]!r}"
        return f"{self.audience}: {self.operation} {self.question} {self.place}: {shown}"


def differences(ours: World, theirs: World) -> Iterator[Difference]:
    """
    Yield every place in which two worlds answer the same requests differently.

    Values that an audience is entitled to see are removed from its answers first.
    """
    worlds = (ours, Labels()), (theirs, Labels())
    for number, pair in enumerate(zip(ours.exchanges, theirs.exchanges, strict=True)):
        labelled, entitled = [], False
        for one, (world, labels) in zip(pair, worlds, strict=True):
            text = world.secrets.without(one.audience, one.text(), cards=one.cards)
            entitled = entitled or text != one.text()
            labelled.append(labels.labelled(number, text))
        if labelled[0] == labelled[1]:
            continue
        one = pair[0]
        for place, a, b in _places(*(_parsed(each) for each in labelled)):
            # The length follows from values that this audience may see.
            if place != "header content-length" or not entitled:
                yield Difference(one.audience, one.operation, one.question, place, a, b)


def _parsed(text: str) -> tuple[str, dict[str, str], Any]:
    """Return status, headers and body of a labelled answer."""
    head, _, body = text.partition("\n\n")
    status, *lines = head.split("\n")
    headers = dict(line.partition(": ")[::2] for line in lines)
    return status, headers, _content(headers.get("content-type", ""), body)


def _content(media: str, body: str) -> Any:
    try:
        return _documents(media, body)
    except ValueError:
        return body.splitlines()


def _documents(media: str, body: str) -> Any:
    if media.startswith(_PROBLEM_OR_JSON):
        return json.loads(body) if body else ""
    if media.startswith("application/zip"):
        return json.loads(body)
    if media.startswith("application/x-ndjson"):
        return [json.loads(line) for line in body.splitlines() if line]
    if media.startswith("text/event-stream"):
        return [
            json.loads(line[6:]) if line.startswith("data: {") else line
            for line in body.replace("\r\n", "\n").split("\n")
        ]
    return body.splitlines()


def _places(
    one: tuple[str, dict[str, str], Any], two: tuple[str, dict[str, str], Any]
) -> Iterator[tuple[str, str, str]]:
    if one[0] != two[0]:
        yield "status", one[0], two[0]
    within = list(_within(one[2], two[2], ""))
    for name in sorted({*one[1], *two[1]}):
        a, b = one[1].get(name, "absent"), two[1].get(name, "absent")
        # The length follows from the body, and the loop below compares the bodies.
        if a != b and not (name == "content-length" and within):
            yield f"header {name}", a, b
    for pointer, a, b in within:
        yield f"body {pointer}", a, b


def _within(one: Any, two: Any, pointer: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(one, dict) and isinstance(two, dict):
        if [*one] != [*two]:
            yield f"{pointer}/", str([*one]), str([*two])
        for key in one.keys() & two.keys():
            yield from _within(one[key], two[key], f"{pointer}/{key}")
        return
    if isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        for index, (a, b) in enumerate(zip(one, two, strict=True)):
            yield from _within(a, b, f"{pointer}/{index}")
        return
    if one != two:
        yield pointer, json.dumps(one), json.dumps(two)
