"""What the shell refuses; the rules' own refusals are ``engine.errors.CommandRejected``."""

from typing import ClassVar


class ServiceError(Exception):
    """
    Root of the shell's exceptions.  Never raised directly.

    Args:
        detail: One sentence for a person, without a final full stop.
        facts: The names and numbers behind it, JSON-safe, never secret.
    """

    code: ClassVar[str] = "service_error"
    """Stable identifier, part of the public API; never renamed."""

    def __init__(self, detail: str = "", **facts: object) -> None:
        super().__init__(detail)
        self.detail = detail
        self.facts = facts


class StoreUnavailable(ServiceError):
    """The database did not answer; whether the last append was kept is not known."""

    code = "store_unavailable"


class StreamNotFound(ServiceError):
    """There is no such thing, or the caller may not see it: both look the same."""

    code = "not_found"


class StreamVersionConflict(ServiceError):
    """The stream has moved on since the caller looked."""

    code = "stream_version_conflict"


class IdempotencyKeyReused(ServiceError):
    """The same key came with another request."""

    code = "idempotency_key_reused"


class Forbidden(ServiceError):
    """The caller is known, sees the thing, and may not do this to it."""

    code = "forbidden"


def scopes_missing(*scopes: str) -> Forbidden:
    """Return the refusal for a token without *scopes*, with the way to one that has them."""
    detail = (
        f"the token lacks the scope {' and '.join(scopes)}; make one that has it: "
        "POST /v1/tokens with login, password and `scopes`"
    )
    return Forbidden(detail, required_scopes=list(scopes))


class Unauthenticated(ServiceError):
    """No token, or none that is good."""

    code = "unauthenticated"


class WrongPassword(Unauthenticated):
    """No such login with this password; which of the two is wrong is not said."""

    code = "wrong_password"


class TooManySignIns(ServiceError):
    """Sign-ins have failed too often; ``retry_after`` says how many seconds to wait."""

    code = "too_many_sign_ins"


class NotCaughtUp(ServiceError):
    """The read model is behind what the caller has seen already."""

    code = "not_caught_up"


class TooManyRequests(ServiceError):
    """
    A client asks more often than it may; nothing was done.

    Args:
        detail: As for all.
        seconds: After so long it may ask again.
        headers: Further headers of the answer: which limit it was.
        facts: As for all.
    """

    code = "too_many_requests"

    def __init__(
        self, detail: str, *, seconds: float, headers: dict[str, str], **facts: object
    ) -> None:
        super().__init__(detail, **facts)
        self.seconds = seconds
        self.headers = headers


class TooManyStreams(ServiceError):
    """As many streams are open as may be; one must end before another is opened."""

    code = "too_many_streams"


class QuotaExhausted(ServiceError):
    """A client has as many of something as it may; waiting does not help, ending one does."""

    code = "quota_exhausted"


class Overloaded(ServiceError):
    """Too much of this kind of work is waiting already; nothing was done."""

    code = "overloaded"


class EventUnreadable(ServiceError):
    """A stored event cannot be decoded; whoever reads stops here and never skips."""

    code = "event_unreadable"


class LeagueKeyUnknown(EventUnreadable):
    """None of the settings' keys opens a league's key; nothing in its log is damaged."""

    code = "league_key_unknown"

    def __init__(self) -> None:
        super().__init__(
            "the league's key was wrapped by another HOLOTABLE_SECRET_KEY; start every process "
            "with that key, or name it in HOLOTABLE_SECOND_SECRET_KEY"
        )


class BadRequest(ServiceError):
    """The request itself is malformed, whatever the state of the league."""

    code = "bad_request"

    def __init__(self, code: str, detail: str, **facts: object) -> None:
        super().__init__(detail, **facts)
        self.code = code  # type: ignore[misc]


class CheckpointRefused(ServiceError):
    """A tree head is not what it should be; nothing was signed or believed."""

    code = "checkpoint_refused"


class LogIncomplete(ServiceError):
    """Events are not there that a signed head covers; nothing can be proven by them."""

    code = "log_incomplete"


class TextForged(ServiceError):
    """Somebody's words are not those whose digest stands in the log."""

    code = "text_forged"


class SignerUnavailable(ServiceError):
    """The signer is away, or signs with a key that clients cannot know yet; ask again."""

    code = "signer_away"


class RequestMismatch(ServiceError):
    """What is shown as the request of a command is not what came under it."""

    code = "request_mismatch"


class NotOver(ServiceError):
    """It is still being played; evidence is taken away afterwards."""

    code = "not_over"


class OpeningNeeded(ServiceError):
    """Sealed values are seen only under an opening that names who looks and why."""

    code = "opening_needed"


class NotSignedYet(ServiceError):
    """What is to be proven lies beyond the newest signed head."""

    code = "not_signed_yet"
