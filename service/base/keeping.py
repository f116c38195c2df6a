"""The periods for which records beside the log are kept. These settings never reach an event."""

from typing import Annotated, Final

from msgspec import Meta

from service.base.limits import LimitSettings

_YEARS: Final = 3650
"""Days. Ten years are the longest period."""


class KeepingSettings(LimitSettings, frozen=True, kw_only=True):
    """
    The number of days that each kind of record is kept after its last use.

    The least values are promises of the API, or needed for play. ``docs/operating`` says why.
    """

    keep_jobs_days: Annotated[int, Meta(ge=7, le=_YEARS)] = 30
    """Days after which a finished job is deleted. A dead job is never deleted."""

    keep_outages_days: Annotated[int, Meta(ge=90, le=_YEARS)] = 400
    """Days after an outage. The record gives open decisions the lost time back."""

    keep_audit_units_days: Annotated[int, Meta(ge=1, le=_YEARS)] = 14
    """Days after an audit for which its plan and its units are kept.

    Its report is never deleted.
    """

    keep_refused_commands_days: Annotated[int, Meta(ge=90, le=_YEARS)] = 400
    """Days for a refused command, which is evidence in a dispute."""

    keep_tokens_days: Annotated[int, Meta(ge=1, le=_YEARS)] = 30
    """Days for a token, and so for a session of the console, after it has ended or expired."""

    keep_requests_days: Annotated[int, Meta(ge=7, le=_YEARS)] = 7
    """Days for the digest of a request. The API recognises a retry for seven days."""

    keep_sign_ins_days: Annotated[int, Meta(ge=90, le=_YEARS)] = 90
    """Days for a sign-in. The API lists them for 90 days."""

    keep_deliveries_days: Annotated[int, Meta(ge=30, le=_YEARS)] = 30
    """Days for a delivery of a webhook with its attempts. The API lists them for 30 days."""

    keep_notices_days: Annotated[int, Meta(ge=30, le=_YEARS)] = 30
    """Days for a notice to a person in the outbox."""

    keep_unreadable_days: Annotated[int, Meta(ge=1, le=_YEARS)] = 30
    """Days for an unreadable message in the archives of PGMQ."""
