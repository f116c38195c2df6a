"""Headers of requests and answers, and the routes that have them."""

from service.api.http.declaring.declaration import Operation
from service.base.documents import Document
from service.log.event_sets import NEWEST

_TEXT: Document = {"type": "string"}
_SECONDS: Document = {"type": "integer", "minimum": 0}

HEADERS: Document = {
    "X-Request-Id": {
        "description": "The number of the request. A problem has the same one in `instance`.",
        "schema": {"type": "string", "format": "uuid"},
    },
    "RateLimit": {
        "description": "The requests left until the limit, and the seconds until there are more. "
        "It is sent once half of the limit is used.",
        "schema": _TEXT,
    },
    "RateLimit-Policy": {
        "description": "The limit that `RateLimit` counts against.",
        "schema": _TEXT,
    },
    "Retry-After": {
        "description": "The number of seconds to wait before the same request.",
        "schema": _SECONDS,
    },
    "WWW-Authenticate": {
        "description": "The scheme of the token that is missing or not valid.",
        "schema": {"type": "string", "enum": ["Bearer"]},
    },
    "ETag": {
        "description": "The version of what the answer shows. Send it in `If-None-Match` to read "
        "only news, or in `If-Match` to change only this version.",
        "schema": _TEXT,
    },
    "Link": {
        "description": 'The next page, as `<path>; rel="next"` (RFC 8288). The last page has none.',
        "schema": _TEXT,
    },
    "Location": {"description": "The path of the new object.", "schema": _TEXT},
    "Command-Id": {
        "description": "The command in the log. `POST /v1/receipts` signs a receipt for it.",
        "schema": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
    },
    "Idempotent-Replayed": {
        "description": "`true` if a request with the same key was carried out before. This is its "
        "answer.",
        "schema": {"type": "string", "enum": ["true"]},
    },
    "Holotable-As-Of": {
        "description": "The position that the answer shows, to send as `as_of` again.",
        "schema": _TEXT,
    },
    "Min-Position": {
        "description": "The position of the command. Send it in `Min-Position` of later requests, "
        "if another process may answer them: they then show the effect of the command.",
        "schema": _TEXT,
    },
    "Holotable-Behind": {
        "description": "`true` if the answer does not show all of the caller's own commands yet.",
        "schema": {"type": "string", "enum": ["true"]},
    },
    "Deprecation": {
        "description": "The instant since which the route is deprecated (RFC 9745).",
        "schema": _TEXT,
    },
    "Sunset": {
        "description": "The instant at which the route ends (RFC 8594).",
        "schema": _TEXT,
    },
}
"""The headers of answers, by name."""

_TAGS = r'^(\*|(W/)?"[^"]*"(\s*,\s*(W/)?"[^"]*")*)$'
"""``*``, or a list of entity tags."""

PARAMETERS: Document = {
    "Idempotency-Key": {
        "name": "Idempotency-Key",
        "in": "header",
        "required": True,
        "description": "A text of the client's choice that names this command. A retry with the "
        "same key and the same body gets the first answer and changes nothing.",
        "schema": {
            "type": "string",
            "minLength": 1,
            "maxLength": 255,
            "pattern": "^[ -~]+$",
        },
        "example": "evening-2026-11-23-payout",
    },
    "If-None-Match": {
        "name": "If-None-Match",
        "in": "header",
        "required": False,
        "description": "The `ETag` of the answer that the client has. If nothing has changed, the "
        "answer is 304 without a body.",
        "schema": _TEXT,
    },
    "If-Match": {
        "name": "If-Match",
        "in": "header",
        "required": True,
        "description": "The `ETag` of the version to change. If there is a newer version, nothing "
        "changes and the answer is 412.",
        "schema": {"type": "string", "pattern": _TAGS},
    },
    "Min-Position": {
        "name": "Min-Position",
        "in": "header",
        "required": False,
        "description": "Positions of the caller's commands, with commas. The answer waits a second "
        "until it shows their effect.",
        "schema": _TEXT,
    },
    "Accept-Event-Version": {
        "name": "Accept-Event-Version",
        "in": "header",
        "required": False,
        "description": "The set of event versions that the client knows, from "
        "`api-spec/event-sets.json`. Events then come in the versions of that set. Without it they "
        "come in their current versions.",
        "schema": {"type": "integer", "minimum": 1},
        "example": NEWEST,
    },
    "Last-Event-ID": {
        "name": "Last-Event-ID",
        "in": "header",
        "required": False,
        "description": "The last event that a stream's reader has seen. The stream continues after "
        "it.",
        "schema": _TEXT,
    },
}
"""The header parameters of routes. The names of optional ones have the same ending."""

for _name in ("Idempotency-Key", "If-Match"):
    PARAMETERS[f"{_name}-Optional"] = {**PARAMETERS[_name], "required": False}

_ALWAYS = ("X-Request-Id", "RateLimit", "RateLimit-Policy")


def asked(described: Operation) -> list[str]:
    """Return the names of the header parameters of a route."""
    found = []
    if described.changes:
        required = described.key_required
        found.append("Idempotency-Key" if required else "Idempotency-Key-Optional")
    if described.precondition != "ignored":
        demanded = described.precondition == "demanded"
        found.append("If-Match" if demanded else "If-Match-Optional")
    if described.etag and not described.changes:
        found.append("If-None-Match")
    if "min_position" in described.query_names:
        found.append("Min-Position")
    if described.streams:
        found.append("Last-Event-ID")
    if described.events:
        found.append("Accept-Event-Version")
    return found


def of_success(described: Operation) -> Document:
    """Return the headers of a route's successful answer."""
    found = list(_ALWAYS)
    asked_for = described.query_names
    if described.etag or (described.changes and described.precondition != "ignored"):
        found.append("ETag")
    if {"limit", "cursor"} <= asked_for:
        found.append("Link")
    if "as_of" in asked_for:
        found.append("Holotable-As-Of")
    if "min_position" in asked_for:
        found.append("Holotable-Behind")
    if described.changes:
        found += ["Command-Id", "Idempotent-Replayed", "Min-Position"]
    if described.status == 202:
        found.append("Location")
    return _referred(found, described.deprecated is not None)


def of_refusal(status: int, deprecated: bool) -> Document:
    """Return the headers of refusals with this status."""
    found = list(_ALWAYS)
    if status in (429, 503):
        found.append("Retry-After")
    if status == 401:
        found.append("WWW-Authenticate")
    return _referred(found, deprecated)


def _referred(names: list[str], deprecated: bool) -> Document:
    if deprecated:
        names = [*names, "Deprecation", "Sunset"]
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
