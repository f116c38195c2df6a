"""
Query parameters, as the routes declare them, the handlers receive them and the document shows them.

A handler takes a parameter annotated with one of the aliases at the end, such as ``limit: Limit``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated
from urllib.parse import parse_qsl

import msgspec
from msgspec import Meta
from msgspec.inspect import BoolType, IntType, type_info

from service.base.errors import BadRequest

_DIGITS_MAX = 18
_FAULTS_MAX = 50
LIMIT_DEFAULT = 50
LIMIT_MAX = 200
WAIT_MAX_SECONDS = 25


@dataclass(frozen=True, slots=True)
class Query:
    """One query parameter. As an annotation it gives a handler the value that was sent."""

    name: str
    shape: object
    """The type of the value. It is what the document shows and what a text is converted to."""

    about: str
    """The description in the document."""

    default: object = None
    """The value if the parameter is not sent."""

    required: bool = False
    """True if a request without the parameter is refused."""

    def of(self, given: Mapping[str, str]) -> object:
        """
        Return the value of this parameter in a query.

        Raises:
            BadRequest: ``validation_failed`` if the text does not have the declared type, or if a
                required parameter is missing.
        """
        text = given.get(self.name)
        if text is None and not self.required:
            return self.default
        try:
            return _converted(text or "", self.shape)
        except (msgspec.ValidationError, ValueError) as error:
            raise self.refused(str(error)) from error

    def refused(self, detail: str) -> BadRequest:
        """Return the refusal of the parameter's value."""
        fault = {"pointer": f"/{self.name}", "detail": detail, "code": "invalid_value"}
        return BadRequest(
            "validation_failed", f"the query parameter {self.name} is invalid", errors=[fault]
        )


def demand_known(known: frozenset[str], query_string: bytes) -> None:
    """
    Check that a query holds only parameters that its route has.

    Raises:
        BadRequest: ``unknown_parameter`` with all unknown names, or ``dry_run_unsupported``.
    """
    given = parse_qsl(query_string.decode("latin-1"), keep_blank_values=True)
    unknown = sorted({name for name, _ in given} - known)
    if "dry_run" in unknown:
        raise BadRequest("dry_run_unsupported", "this operation has no dry run")
    if unknown:
        raise BadRequest(
            "unknown_parameter",
            "this route has no such query parameter; it has "
            + (", ".join(sorted(known)) or "none at all"),
            errors=[
                {"pointer": f"/{name}", "detail": "Unknown parameter", "code": "unknown_parameter"}
                for name in unknown[:_FAULTS_MAX]
            ],
        )


def _converted(text: str, shape: object) -> object:
    """Return *text* as *shape*, or raise an error that says what is expected."""
    wanted = _kind(shape)
    if wanted is BoolType:
        if text not in ("true", "false"):
            raise ValueError("Expected `true` or `false`")
        return text == "true"
    if wanted is IntType:
        if not text.isascii() or not text.isdigit() or len(text) > _DIGITS_MAX:
            raise ValueError(f"Expected a whole number of at most {_DIGITS_MAX} digits")
        return msgspec.convert(int(text), shape)
    return msgspec.convert(text, shape)


@cache
def _kind(shape: object) -> type:
    return type(type_info(shape))


LIMIT = Query(
    "limit", Annotated[int, Meta(ge=1, le=LIMIT_MAX)],
    "The largest number of items in the answer.", LIMIT_DEFAULT,
)  # fmt: skip
CURSOR = Query(
    "cursor", str,
    "Continue a list after this place: the `next_cursor` of the page before.",
)  # fmt: skip
AFTER = Query(
    "after", str,
    "Read the items after this place: a cursor of an item, or a position of an answer.",
)  # fmt: skip
WAIT = Query(
    "wait", Annotated[int, Meta(ge=0, le=WAIT_MAX_SECONDS)],
    "The number of seconds to wait for news if there are none yet.", 0,
)  # fmt: skip
AS_OF = Query(
    "as_of", str,
    "Answer as of an earlier moment: a position, or an instant with its offset from UTC.",
)  # fmt: skip
MIN_POSITION = Query(
    "min_position", str,
    "Wait until the answer covers this position, which an earlier answer returned. Without it the "
    "answer waits a second for the caller's own writes; `none` waits for nothing.",
)  # fmt: skip
OF_PLAYER = Query(
    "player", Annotated[str, Meta(pattern="^plr_[0-9a-f]{32}$")], "List only this player.",
)  # fmt: skip
DRY_RUN = Query(
    "dry_run", bool,
    "Set to `true` to decide the command without carrying it out. The answer lists its changes.",
    False,
)  # fmt: skip

Limit = Annotated[int, LIMIT]
Cursor = Annotated[str | None, CURSOR]
After = Annotated[str | None, AFTER]
Wait = Annotated[int, WAIT]
OfPlayer = Annotated[str | None, OF_PLAYER]
AsOf = Annotated[str | None, AS_OF]
MinPosition = Annotated[str | None, MIN_POSITION]
