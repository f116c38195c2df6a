"""The answers of the routes: success, dry run, nothing new, and refusals."""

from types import UnionType
from typing import get_args

from service.api.examples import answer_of
from service.api.http.declaring.declaration import JSON, Operation
from service.api.http.problems.answers import MEDIA_TYPE, catalogue
from service.api.http.writing.rehearsing import WouldChange
from service.api.openapi import headers
from service.api.openapi.links import links_of
from service.base.documents import Document, Json

_ALWAYS = (
    "internal_error",
    "overloaded",
    "store_unavailable",
    "too_many_requests",
    "unknown_parameter",
)
_CLOSED = ("unauthenticated", "forbidden")
_BODY = (
    "validation_failed",
    "invalid_json",
    "invalid_unicode",
    "unsupported_media_type",
    "body_too_large",
)


LINES = "application/x-ndjson"
TEXTS = ("text/calendar", "text/csv", LINES)
"""Media types of answers that are no JSON, but are shown by an example too."""

PROBLEM: Document = {
    "type": "object",
    "description": "A refusal (RFC 9457). Further members are facts that belong to the code.",
    "required": ["type", "title", "status", "detail", "instance", "code"],
    "properties": {
        "type": {
            "type": "string",
            "format": "uri-reference",
            "description": "The page about the code.",
        },
        "title": {"type": "string", "description": "The meaning of the code, for people."},
        "status": {"type": "integer", "description": "The status of the answer."},
        "detail": {"type": "string", "description": "What was wrong in this request, for people."},
        "instance": {
            "type": "string",
            "format": "uri",
            "description": "The request, as `urn:uuid:` and its `X-Request-Id`.",
        },
        "code": {
            "type": "string",
            "description": "The code, for programs. It never changes its meaning, and new ones may "
            "be added.",
        },
        "errors": {
            "type": "array",
            "description": "The faults of the body or the query.",
            "items": {"$ref": "#/components/schemas/Fault"},
        },
        "legal_actions": {
            "type": "array",
            "description": "The actions that the table would accept from the caller now.",
            "items": {"type": "object", "additionalProperties": True},
        },
    },
    "example": {
        "type": "/problems/not_found",
        "title": "It does not exist, or the caller may not see it",
        "status": 404,
        "detail": "it does not exist, or you may not see it",
        "instance": "urn:uuid:3f0c0c9e-6d0e-4b9a-9d1e-0d3a6b7f6a01",
        "code": "not_found",
    },
}

FAULT: Document = {
    "type": "object",
    "description": "One fault of a body or a query.",
    "required": ["pointer", "detail", "code"],
    "properties": {
        "pointer": {
            "type": "string",
            "description": "The place of the fault (RFC 6901), or the name of a query parameter "
            "after a slash.",
        },
        "detail": {"type": "string", "description": "What is expected there."},
        "code": {"type": "string", "description": "The kind of the fault."},
    },
}


def refusals() -> Document:
    """Return a component for each code, for routes where it is the only code of its status."""
    return {
        _named(code): _refusal(status, [code], False) for code, (status, _) in catalogue().items()
    }


def types_of(answer: object) -> tuple[object, ...]:
    """
    Return the types of an answer: none, one, or several if the query decides between structs.

    A union of structs that a member tells apart is one type.
    """
    if answer is None:
        return ()
    if isinstance(answer, UnionType):
        kinds = get_args(answer)
        if any(each.__struct_config__.tag is None for each in kinds):
            return kinds
    return (answer,)


def responses(described: Operation, in_path: bool, shapes: Document) -> Document:
    """
    Return all answers of a route by status.

    Args:
        in_path: True if the path names an object, which may not exist.
        shapes: The schema of each answer's type.
    """
    done = _success(described, shapes)
    if described.etag and described.method == "GET":
        done["304"] = {
            "description": "Nothing has changed since the answer that `If-None-Match` names.",
            "headers": headers.of_refusal(304, False) | _referred("ETag"),
        }
    return {**done, **_refusals(described, in_path)}


def codes_of(described: Operation, in_path: bool) -> list[str]:
    """Return the codes of all problems that a route may answer with."""
    codes = {*_ALWAYS, *described.problems}
    if not described.open:
        codes |= {*_CLOSED, "event_unreadable", "league_key_unknown", "league_key_lost"}
    if described.commands:
        # the doors that an operator may close
        codes |= {"maintenance"} if described.open else {"maintenance", "league_suspended"}
    if described.body is not None:
        codes |= {*_BODY}
    if described.changes:
        codes |= {"idempotency_key_reused", "idempotency_key_invalid"}
        codes.add("bad_request" if described.dry_run else "dry_run_unsupported")
    if described.changes or in_path:
        # Each command and each read of an aggregate refuses an ``If-Match`` that does not fit.
        codes |= {"stream_version_conflict", "precondition_invalid"}
    if described.dry_run:
        codes.add("overloaded")  # of counting the standings that would change
    if described.key_required:
        codes.add("idempotency_key_required")
    if described.precondition == "demanded":
        codes.add("precondition_required")
    if described.answer is not None:
        codes.add("not_acceptable")
    if in_path:
        codes.add("not_found")
    if described.query:
        codes.add("validation_failed")
    return sorted(codes)


def _referred(name: str) -> Document:
    return {name: {"$ref": f"#/components/headers/{name}"}}


def _success(described: Operation, shapes: Document) -> Document:
    """Return the success responses by status. A route with a dry run also answers 200."""
    given = headers.of_success(described)
    success: Document = {
        "description": _said(described),
        "headers": given,
        **links_of(described.name),
    }
    if described.answer is not None:
        schemas = [shapes[repr(each)] for each in types_of(described.answer)]
        schema = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
        example = shown(answer_of(described.name))
        success["content"] = {
            media: {"schema": schema, **example}
            if media == JSON or media == described.media
            else {"schema": schema if described.media != JSON else _text(media)}
            for media in described.produces
        }
    done = {str(described.status): success}
    if not described.dry_run:
        return done
    tried = shapes[repr(WouldChange)]
    if described.status == 200:
        tried = {"oneOf": [success["content"][JSON]["schema"], tried]}
    return done | {
        "200": {
            "description": "The changes found by a dry run."
            if described.status != 200
            else "Done, or the changes found by a dry run.",
            "headers": given,
            "content": {JSON: {"schema": tried}},
        }
    }


def _said(described: Operation) -> str:
    match described.status:
        case 201:
            return "Made."
        case 202:
            return "Accepted. The answer names the operation that carries it out."
        case 204:
            return "Done. There is no body."
        case _:
            return "Done." if described.changes else "Found."


def shown(example: Json | None) -> Document:
    """Return the member with an example, or none without one."""
    return {} if example is None else {"example": example}


def _text(media: str) -> Document:
    """Return the schema of an answer in a form other than JSON."""
    return {"type": "string", "description": f"The same in the form `{media}`."}


def _refusals(described: Operation, in_path: bool) -> Document:
    by_status: dict[int, list[str]] = {}
    known = catalogue()
    for code in codes_of(described, in_path):
        by_status.setdefault(known[code][0], []).append(code)
    return {
        str(status): {"$ref": f"#/components/responses/{_named(codes[0])}"}
        if len(codes) == 1 and described.deprecated is None
        else _refusal(status, codes, described.deprecated is not None)
        for status, codes in sorted(by_status.items())
    }


def _refusal(status: int, codes: list[str], deprecated: bool) -> Document:
    known = catalogue()
    return {
        "description": " ".join(f"`{code}`: {known[code][1]}." for code in codes),
        "headers": headers.of_refusal(status, deprecated),
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }


def _named(code: str) -> str:
    return "".join(part.capitalize() for part in code.split("_"))
