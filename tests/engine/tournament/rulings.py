"""Shared parts of the tests of rulings: the director, the reason and the time."""

from typing import Any

from engine.values import PlayerId, TextId, TextRef
from tests.engine.tournament.floor import NOON

DIRECTOR = PlayerId("plr_" + "d" * 32)
WHY = TextRef(text=TextId("txt_" + "e" * 32), digest="ab" * 32)
RULED: dict[str, Any] = {"by": DIRECTOR, "reason": WHY, "now": NOON}
"""The members that every ruling has."""
