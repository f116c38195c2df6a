"""
Examples for the document: the body of each request, and answers that the tests have received.

Tests send every body. ``python -m tests.service.api.examples`` records the answers again.
"""

import json
from functools import cache
from importlib.resources import files

from service.api.examples import league, people, proof, season, table, tournament
from service.base.documents import Document, Json

REQUESTS: dict[str, Document] = {
    **people.REQUESTS,
    **league.REQUESTS,
    **season.REQUESTS,
    **tournament.REQUESTS,
    **table.REQUESTS,
    **proof.REQUESTS,
}
"""JSON bodies by operation. Operations with an empty body or none are left out."""


def request_of(operation: str) -> Document | str | None:
    """Return the example of an operation's body, or None if it has none."""
    return REQUESTS.get(operation) or people.LISTS.get(operation)


def answer_of(operation: str) -> Json | None:
    """Return the example of an operation's JSON answer, or None if there is none."""
    return answers().get(operation)


@cache
def answers() -> dict[str, Json]:
    """Return the answers by operation: the recorded ones, and an item of the players' stream."""
    # The stream has no end. Its items are those of the long poll.
    (turn, *_) = recorded()["read_my_turns"]["items"]
    return recorded() | {"follow_me": turn}


@cache
def recorded() -> dict[str, Json]:
    """Return the recorded answers by operation."""
    found: dict[str, Json] = {}
    for each in (files("service.api.examples") / "answers").iterdir():
        if not each.name.endswith(".json"):
            continue
        found |= json.loads(each.read_text(encoding="utf-8"))
    return found
