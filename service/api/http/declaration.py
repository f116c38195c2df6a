"""The declaration of a route, which the guard, the binder and the documents read."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import msgspec

from engine.league.roles import Capability

BODY_MAX = 64 * 1024
"""Bytes; nothing that a client may send in JSON comes near it."""

JSON = "application/json"

Method = Literal["GET", "POST", "PUT", "DELETE"]

Needs = Literal["anyone", "account", "own_entry"] | Capability
"""
Who may ask: ``anyone``, without a token; ``account``, about what is one's own; else a
capability in the league of the object.  ``own_entry`` is ``enter_tournaments`` and an
entry in the tournament it is about.
"""


Effect = Literal[
    "invitation",
    "claim",
    "by_invitation",
    "by_claim",
    "role",
    "removal",
    "ban",
    "disclosure",
    "reset",
    "by_reset",
]
"""
What a route does to a person's rights.  The answer holds an ``invitation`` or a ``claim``: a code
that makes somebody a member.  ``by_invitation`` and ``by_claim`` use such a code.
A ``reset`` holds a code for a new password of an account, and ``by_reset`` uses it.
"""


class OnPeople(NamedTuple):
    """How a route acts on a person, other than by letting them play."""

    effect: Effect
    deed: str
    """In the words of ``docs/roles.md``."""

    offices: Capability | Literal["nobody", "caller"]
    """
    What it needs, beside ``needs``, if the person holds an office or is to get one:
    ``nobody`` may, or it is about the ``caller``.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path."""

    name: str
    """``operation_id``: generated clients call it so; never renamed."""

    summary: str
    scope: str | None
    needs: Needs
    body: type[msgspec.Struct] | type[str] | None
    answer: object
    """A type, or None if there is nothing to say."""

    status: int
    query: tuple[str, ...]
    key_required: bool
    problems: tuple[str, ...]
    media: str
    takes: str
    """Media type of the body."""

    body_max: int
    """Bytes."""

    on_people: OnPeople | None
    dry_run: bool
    """Whether ``?dry_run=true`` answers with what would change."""

    @property
    def open(self) -> bool:
        """Whether no token is needed; a token sent anyway is still checked."""
        return self.needs == "anyone"

    @property
    def capability(self) -> Capability | None:
        """What the caller's role in the league must permit; None where no league is asked."""
        match self.needs:
            case "anyone" | "account":
                return None
            case "own_entry":
                return "enter_tournaments"
            case capability:
                return capability
