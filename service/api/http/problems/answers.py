"""
Problem documents (RFC 9457) for all refusals, and the table of their HTTP statuses.

``api-spec/problems.md`` is generated from :func:`catalogue`. Codes are never renamed.
"""

import logging
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType

import msgspec
import sqlalchemy as sa
from litestar import Response
from litestar.exceptions import HTTPException

from engine.coordination.aggregates import DECIDERS  # noqa: F401 - loads every refusal
from engine.errors import CommandRejected, Wording
from service.api.http.shell import Asked, number_in_path
from service.api.http.wire.limiting import refused_headers
from service.base.database import is_away, sqlstate_of
from service.base.errors import (
    AccountSuspended,
    BadRequest,
    CheckpointRefused,
    EventUnreadable,
    Forbidden,
    FoundingClosed,
    IdempotencyKeyReused,
    InvitationNeeded,
    LeagueKeyLost,
    LeagueKeyUnknown,
    LeagueSuspended,
    LogIncomplete,
    NotCaughtUp,
    NotOver,
    NotSignedYet,
    OpeningNeeded,
    Overloaded,
    QuotaExhausted,
    RequestMismatch,
    SandboxEntered,
    SchemaUnsupported,
    ServiceError,
    SignerUnavailable,
    SignUpClosed,
    StoreUnavailable,
    StreamNotFound,
    StreamVersionConflict,
    TextForged,
    TooManyRequests,
    TooManySignIns,
    TooManyStreams,
    Unauthenticated,
    UnderMaintenance,
    WrongPassword,
)
from service.log.append import GONE
from service.log.record import Disconnected
from service.people.erasure import StillEntered, StillOwner

MEDIA_TYPE = "application/problem+json"
DOCUMENTATION = "/problems/"
"""Prefix of ``type``: the path of the page about a code, on the server that refused."""

RETRY_AFTER_SECONDS = 1

_log = logging.getLogger(__name__)

AWAY: tuple[type[Exception], ...] = (*GONE, Disconnected, sa.exc.TimeoutError)
"""The exceptions that mean that the database does not answer."""


def _refusals(root: type[CommandRejected] = CommandRejected) -> tuple[type[CommandRejected], ...]:
    """Return every refusal of the rules. The engine must be loaded."""
    found: dict[type[CommandRejected], None] = {}
    for each in root.__subclasses__():
        if each.__module__.startswith("engine."):
            found[each] = None
            found.update(dict.fromkeys(_refusals(each)))
    return tuple(found)


_CONFLICTS = _refusals()

STATUSES: Mapping[type[Exception], int] = {
    **dict.fromkeys(_CONFLICTS, 409),
    Unauthenticated: 401,
    Forbidden: 403,
    OpeningNeeded: 403,
    StreamNotFound: 404,
    StreamVersionConflict: 412,
    IdempotencyKeyReused: 422,
    BadRequest: 400,
    NotCaughtUp: 503,
    NotSignedYet: 409,
    NotOver: 409,
    StillEntered: 409,
    StillOwner: 409,
    CheckpointRefused: 409,
    LogIncomplete: 409,
    RequestMismatch: 409,
    SignerUnavailable: 503,
    WrongPassword: 401,
    TooManySignIns: 429,
    StoreUnavailable: 503,
    Overloaded: 503,
    EventUnreadable: 409,
    TextForged: 409,
    LeagueKeyUnknown: 503,
    LeagueKeyLost: 503,
    TooManyRequests: 429,
    TooManyStreams: 429,
    QuotaExhausted: 409,
    SandboxEntered: 409,
    LeagueSuspended: 403,
    SignUpClosed: 403,
    InvitationNeeded: 403,
    FoundingClosed: 403,
    SchemaUnsupported: 503,
    AccountSuspended: 403,
    UnderMaintenance: 503,
}
"""The status of each refusal. A test checks that every subclass is here."""


SHELL_CATALOGUE: Mapping[str, tuple[int, str]] = {
    "bad_request": (400, "The request is malformed"),
    "unknown_parameter": (400, "The route has no query parameter of this name"),
    "validation_failed": (400, "A field is unknown, missing, or of the wrong type or range"),
    "invalid_json": (400, "The body is not JSON, or an object in it has the same member twice"),
    "invalid_unicode": (
        400,
        "The text is not UTF-8, or holds a control character or a lone surrogate",
    ),
    "not_a_sandbox": (400, "Only a sandbox league may fix masters or scale durations"),
    "beacon_unknown": (400, "This service does not use this beacon chain"),
    "invalid_csv": (400, "The list is not CSV, or its header is not that of such a list"),
    "import_refused": (400, "The list has invalid rows, so nothing was imported"),
    "invalid_cursor": (
        400,
        "The cursor or position is not from this server, or belongs to another list",
    ),
    "dry_run_needed": (409, "This needs a dry run first, and the digest that the dry run gave"),
    "dry_run_outdated": (409, "The effect has changed since the dry run. Make a new dry run"),
    "precondition_required": (428, "This edit needs the ETag that you have read, in If-Match"),
    "precondition_invalid": (400, "If-Match is neither * nor a list of quoted ETags"),
    "dry_run_unsupported": (400, "This operation has no dry run"),
    "rule_unknown": (422, "The rulebook has no rule of this name. The answer lists similar names"),
    "mail_unavailable": (409, "This installation sends no mail. Ask an owner or the operator"),
    "push_unavailable": (409, "This installation sends no push messages"),
    "erasure_unconfirmed": (400, "Confirm the erasure with the player's own id"),
    "still_entered": (409, "The player is entered in a tournament that is not over"),
    "still_owner": (409, "The player is an owner of a league. The player has to step down first"),
    "event_version_unknown": (400, "Accept-Event-Version names no set of event versions"),
    "invalid_as_of": (400, "as_of is neither a position token nor an instant with its offset"),
    "as_of_ahead": (422, "as_of lies in the future"),
    "as_of_too_far": (422, "The answer would fold more events than are allowed"),
    "idempotency_key_required": (400, "This command needs the header Idempotency-Key"),
    "idempotency_key_invalid": (400, "The header Idempotency-Key is empty, too long or not ASCII"),
    "unauthenticated": (401, "The request carries no valid token"),
    "wrong_password": (401, "The login or the password is wrong"),
    "forbidden": (403, "The token or the role does not allow this"),
    "opening_needed": (403, "Announce an opening of your own before you read sealed values"),
    "not_found": (404, "It does not exist, or the caller may not see it"),
    "not_acceptable": (406, "The answer has none of the media types in Accept"),
    "method_not_allowed": (405, "This path has no such method"),
    "too_many_disputes": (409, "The caller has too many open disputes. They need rulings first"),
    "claim_handled": (409, "The claim has already been handled"),
    "not_over": (409, "Play is not over"),
    "not_claimable": (409, "The player has an account, or was entered in another league"),
    "entered_by_hand": (
        409,
        "The player is entered in a tournament that is not over. Sign out, and make a new login",
    ),
    "merge_of_erased": (409, "One of the two players was erased, so they cannot be merged"),
    "merge_of_login": (
        409,
        "Only the player who would go has a login. Merge the other way round",
    ),
    "not_resettable": (
        409,
        "The account was not made by this league's claim code, or is used in another league too",
    ),
    "login_taken": (409, "The login is already taken"),
    "name_taken": (409, "The name is too similar to that of a member of the staff"),
    "not_signed_yet": (409, "The newest signed head does not cover this yet"),
    "checkpoint_refused": (409, "The tree head does not continue the last signed one"),
    "log_incomplete": (409, "Signed events are missing, and no new epoch is open yet"),
    "request_mismatch": (409, "This is not the request of that command"),
    "stream_version_conflict": (412, "The stream has changed since the caller read it"),
    "body_too_large": (413, "The body is too large"),
    "unsupported_media_type": (415, "The body has to be application/json"),
    "idempotency_key_reused": (422, "The same key was used for another request"),
    "too_many_sign_ins": (429, "Too many sign-ins have failed. Wait for the time in Retry-After"),
    "internal_error": (500, "A defect. It is logged under the number of the request"),
    "event_unreadable": (409, "A stored event is damaged. An operator has to repair it"),
    "league_key_unknown": (503, "The league's key does not open. An operator has to look"),
    "league_key_lost": (503, "The league's key is missing. An operator has to restore it"),
    "text_forged": (409, "Words in the database do not match their digest in the log"),
    "store_unavailable": (503, "The database is not available. Ask again with the same key"),
    "too_many_requests": (429, "Too many requests. Wait for the time in Retry-After"),
    "too_many_streams": (429, "Too many streams are open. Close one first"),
    "too_many_connections": (503, "Too many connections are open. Close one first"),
    "sandbox_entered": (
        409,
        "The player still plays in the sandbox league. Play on, or withdraw before the start",
    ),
    "quota_exhausted": (409, "The client has reached a limit. End one of these first"),
    "sign_up_closed": (403, "Nobody can sign up here. The operator makes accounts"),
    "invitation_needed": (403, "Signing up here needs a valid invitation from the operator"),
    "founding_closed": (403, "Founding a league here needs the operator's permission"),
    "schema_unsupported": (503, "This version does not run on the schema of the database"),
    "league_suspended": (403, "The operator has suspended the league. Only reads and audits go on"),
    "account_suspended": (403, "The operator has suspended the account. Ask the operator"),
    "maintenance": (503, "The installation is under maintenance. Reading goes on; ask again later"),
    "request_too_slow": (408, "The headers or the body did not arrive in time"),
    "headers_too_large": (431, "The headers are too large or too many"),
    "overloaded": (503, "Too much of this kind of work is waiting. Nothing was done; ask again"),
    "signer_away": (503, "The signer is not available, or its key is not published yet. Ask again"),
    "not_caught_up": (503, "The read model has not reached this position yet. Ask again"),
}
"""The status and title of each code that is the service's own."""

_MISSING = frozenset({"42P01", "42703", "42883"})
"""SQLSTATEs of a missing relation, column or function."""

HTTP_CODES = {404: "not_found", 405: "method_not_allowed", 413: "body_too_large"}
"""The code of what the framework itself refuses, by status."""


@cache
def catalogue() -> Mapping[str, tuple[int, str]]:
    """Return status and title of every code, in alphabetical order."""
    rules = {
        each.code: (STATUSES[each], (each.__doc__ or "").strip().splitlines()[0].rstrip("."))
        for each in _CONFLICTS
    }
    return MappingProxyType(dict(sorted({**rules, **SHELL_CATALOGUE}.items())))


@cache
def _around_wordings() -> Mapping[str, tuple[str, str]]:
    """Return the text before and after the wording in a detail, by code, with gaps for facts."""
    return {
        each.code: (before, after)
        for each in _CONFLICTS
        for name, kind in each._fields.items()
        if kind is Wording
        for before, _, after in (each.detail.partition(f"{{{name}}}"),)
    }


def wording_of(code: str, detail: str, facts: Mapping[str, object]) -> str:
    """Return the part of a detail that is free English, or nothing if the code has none."""
    around = _around_wordings().get(code)
    if around is None:
        return ""
    try:
        before, after = (each.format_map(facts) for each in around)
    except KeyError:  # a problem of another version, with other facts
        return ""
    return detail.removeprefix(before).removesuffix(after)


def catalogue_text() -> str:
    """Return the text of ``api-spec/problems.md``."""
    lines = [
        "# Problem codes",
        "",
        "Every refusal is `application/problem+json` (RFC 9457) with one of these codes in `code`.",
        "Codes are permanent. Read `code` and its facts in programs, and show `detail` to people.",
        "",
        "| code | status | meaning |",
        "|---|---|---|",
        *(f"| `{code}` | {status} | {title} |" for code, (status, title) in catalogue().items()),
        "",
    ]
    return "\n".join(lines)


def status_of(error: Exception) -> int:
    """Return the status of *error*, or 500 if the table does not hold it."""
    if isinstance(error, BadRequest):
        return SHELL_CATALOGUE.get(error.code, (STATUSES[BadRequest], ""))[0]
    return STATUSES.get(type(error), 500)


def problem(
    request: Asked,
    status: int,
    code: str,
    detail: str,
    facts: Mapping[str, object] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response[bytes]:
    """Return a problem document as an answer. *facts* are added to its members."""
    _, title = catalogue().get(code, (status, code))
    document = {
        **(facts or {}),
        "type": DOCUMENTATION + code,
        "title": title,
        "status": status,
        "detail": detail,
        "instance": f"urn:uuid:{number_in_path(request)}",
        "code": code,
    }
    return Response(
        msgspec.json.encode(document),
        status_code=status,
        media_type=MEDIA_TYPE,
        headers=dict(headers or {}),
    )


def answer_service_error(request: Asked, error: ServiceError) -> Response[bytes]:
    """Answer a refusal by the service, with the headers that its status needs."""
    status = status_of(error)
    headers = {}
    if isinstance(error, Unauthenticated):
        headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, TooManySignIns):
        headers["Retry-After"] = str(error.facts["retry_after"])
    if isinstance(error, TooManyRequests):
        headers.update(refused_headers(error))
    if status == 503 or isinstance(error, TooManyStreams):
        headers["Retry-After"] = str(
            error.seconds if isinstance(error, UnderMaintenance) else RETRY_AFTER_SECONDS
        )
    if status == 500:
        _log.error("%s: %s", type(error).__name__, error)
    return problem(request, status, error.code, error.detail, error.facts, headers)


def answer_refusal(
    request: Asked, error: CommandRejected, extra: Mapping[str, object] | None = None
) -> Response[bytes]:
    """
    Answer a refusal by the rules, with the rule's name. *extra* holds a table's legal actions.
    """
    rule = {} if error.rule is None else {"rule": error.rule}
    facts = {**error.facts, **rule, **(extra or {})}
    return problem(request, status_of(error), error.code, error.detail, facts)


def answer_http(request: Asked, error: HTTPException) -> Response[bytes]:
    """Answer an error raised by the framework as a problem document."""
    status = error.status_code
    if status >= 500:
        return answer_defect(request, error)
    code = HTTP_CODES.get(status, "bad_request")
    return problem(request, status, code, catalogue()[code][1].lower(), None, error.headers)


def answer_away(request: Asked, error: Exception) -> Response[bytes]:
    """Answer 503: the database does not answer. A retry finds out if anything was stored."""
    _log.warning("the database does not answer: %s", type(error).__name__)
    return answer_service_error(request, StoreUnavailable("the database does not answer"))


def answer_database(request: Asked, error: sa.exc.DBAPIError) -> Response[bytes]:
    """Answer a database error: 503 if the database is away or too busy, otherwise 500."""
    return answer_away(request, error) if is_away(error) else answer_defect(request, error)


def answer_defect(request: Asked, error: Exception) -> Response[bytes]:
    """
    Log a defect and answer 500 without details.

    A relation, column or function that is missing means another schema: 503, until the process is
    started with the version that fits.
    """
    _log.error("request %s failed", number_in_path(request), exc_info=error)
    if sqlstate_of(error) in _MISSING:
        missing = SchemaUnsupported("the schema lacks what this version needs; see /readyz")
        return answer_service_error(request, missing)
    return problem(request, 500, "internal_error", "a defect; report `instance` to the operator")


Handlers = dict[int | type[Exception], Callable[..., Response[bytes]]]
"""Exception handlers, by exception class or status."""

HANDLERS: Handlers = {
    ServiceError: answer_service_error,
    CommandRejected: answer_refusal,
    HTTPException: answer_http,
    Exception: answer_defect,
}
"""The handlers for ``Litestar(exception_handlers=...)``."""
