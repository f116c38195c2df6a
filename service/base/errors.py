"""Refusals of the service. Refusals of the rules are ``engine.errors.CommandRejected``."""

from typing import ClassVar


class ServiceError(Exception):
    """
    The root of the service's exceptions. Never raised directly.

    Args:
      detail: One sentence for a person, without a final full stop.
      facts: The names and numbers behind it, JSON-safe, never secret.
    """

    code: ClassVar[str] = "service_error"
    """Stable identifier, part of the public API. It is never renamed."""

    def __init__(self, detail: str = "", **facts: object) -> None:
        super().__init__(detail)
        self.detail = detail
        self.facts = facts


class StoreUnavailable(ServiceError):
    """The database did not answer. It may have stored the last append."""

    code = "store_unavailable"


class StreamNotFound(ServiceError):
    """The stream does not exist, or the caller may not see it. Both look the same."""

    code = "not_found"


class StreamVersionConflict(ServiceError):
    """The stream has changed since the caller read it."""

    code = "stream_version_conflict"


class IdempotencyKeyReused(ServiceError):
    """The same key was used for another request."""

    code = "idempotency_key_reused"


class Forbidden(ServiceError):
    """The caller is known and may see the thing, but may not do this to it."""

    code = "forbidden"


def scopes_missing(*scopes: str) -> Forbidden:
    """Return the refusal of a token without *scopes*. It says how to get one that has them."""
    detail = (
        f"the token lacks the scope {' and '.join(scopes)}; make one that has it: "
        "POST /v1/tokens with login, password and `scopes`"
    )
    return Forbidden(detail, required_scopes=list(scopes))


class Unauthenticated(ServiceError):
    """The request carries no valid token."""

    code = "unauthenticated"


class WrongPassword(Unauthenticated):
    """The login or the password is wrong. The answer does not say which."""

    code = "wrong_password"


class TooManySignIns(ServiceError):
    """Too many sign-ins have failed. ``retry_after`` is the wait in seconds."""

    code = "too_many_sign_ins"


class NotCaughtUp(ServiceError):
    """The read model is behind a position that the caller has seen."""

    code = "not_caught_up"


class TooManyRequests(ServiceError):
    """
    The client has sent too many requests. Nothing was done.

    Args:
        detail: As for all.
        seconds: The wait until the next request.
        headers: Further headers of the answer, which name the limit.
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
    """Too many streams are open. One has to close before another opens."""

    code = "too_many_streams"


class QuotaExhausted(ServiceError):
    """The client has reached a limit. It has to end one of these. Waiting does not help."""

    code = "quota_exhausted"


class SandboxEntered(ServiceError):
    """The player still plays in another tournament of the sandbox league."""

    code = "sandbox_entered"


class Overloaded(ServiceError):
    """Too much of this kind of work is waiting. Nothing was done."""

    code = "overloaded"


class EventUnreadable(ServiceError):
    """A stored event cannot be decoded. Readers stop here and never skip it."""

    code = "event_unreadable"


class LeagueKeyUnknown(EventUnreadable):
    """No key of the settings opens the league's key. Nothing in its log is damaged."""

    code = "league_key_unknown"
    TOLD: ClassVar[str] = (
        "the league's key was wrapped by another HOLOTABLE_SECRET_KEY; start every process "
        "with that key, or name it in HOLOTABLE_SECOND_SECRET_KEY"
    )

    def __init__(self) -> None:
        super().__init__(self.TOLD)


class LeagueKeyLost(LeagueKeyUnknown):
    """The league has events and no key. A new key would open none of them."""

    code = "league_key_lost"
    TOLD = "the league has events and no key; restore its row of `key` from a backup of the keys"


class LeagueSuspended(ServiceError):
    """The league takes no commands until the operator restores it. Reads and audits go on."""

    code = "league_suspended"


class AccountSuspended(ServiceError):
    """The operator has suspended the account. Nobody can sign in to it."""

    code = "account_suspended"


class SignUpClosed(ServiceError):
    """Nobody may sign up here. The operator makes accounts."""

    code = "sign_up_closed"


class InvitationNeeded(ServiceError):
    """Signing up here needs a valid invitation from the operator."""

    code = "invitation_needed"


class SchemaUnsupported(ServiceError):
    """The database's schema is not one on which this version runs."""

    code = "schema_unsupported"


class FoundingClosed(ServiceError):
    """Founding a league here needs the operator's permission."""

    code = "founding_closed"


class UnderMaintenance(ServiceError):
    """
    The installation takes no commands for now. Reads go on.

    Args:
        seconds: The time after which a client should ask again, as the operator gave it.
    """

    code = "maintenance"

    def __init__(self, seconds: int) -> None:
        super().__init__(
            "the installation is under maintenance and takes no commands; nothing was done"
        )
        self.seconds = seconds


class BadRequest(ServiceError):
    """The request is malformed, in any state of the league."""

    code = "bad_request"

    def __init__(self, code: str, detail: str, **facts: object) -> None:
        super().__init__(detail, **facts)
        self.code = code  # type: ignore[misc]


class CheckpointRefused(ServiceError):
    """A tree head is wrong. Nothing was signed or accepted."""

    code = "checkpoint_refused"


class LogIncomplete(ServiceError):
    """Events that a signed head covers are missing, so they prove nothing."""

    code = "log_incomplete"


class TextForged(ServiceError):
    """Stored words do not match their digest in the log."""

    code = "text_forged"


class SignerUnavailable(ServiceError):
    """The signer is not available, or its key is not published yet."""

    code = "signer_away"


class RequestMismatch(ServiceError):
    """The given request is not the one of the command."""

    code = "request_mismatch"


class NotOver(ServiceError):
    """Play is not over. Its evidence can be downloaded afterwards."""

    code = "not_over"


class OpeningNeeded(ServiceError):
    """The caller needs an opening of the sealed values, which names the person and the reason."""

    code = "opening_needed"


class NotSignedYet(ServiceError):
    """The newest signed head does not cover this yet."""

    code = "not_signed_yet"
