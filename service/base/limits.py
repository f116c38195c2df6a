"""The limits on one client: settings, each with a default far above what play needs."""

from typing import Annotated

import msgspec
from msgspec import Meta

Count = Annotated[int, Meta(ge=1, le=1_000_000)]
Seconds = Annotated[int, Meta(ge=1, le=3600)]


class LimitSettings(msgspec.Struct, frozen=True, kw_only=True):
    """
    The limits of one API process. ``docs/guides/limits.md`` lists them with their answers.

    A client may exceed a rate for a while: ten seconds' worth of requests may come at once.
    """

    token_requests: Count = 300
    """Requests a second with one token."""

    account_requests: Count = 600
    """Requests a second with all tokens of an account."""

    address_requests: Count = 5_000
    """
    Requests a second with valid tokens from one address. An IPv6 network of /64 is one address.
    """

    open_requests: Count = 100
    """Requests a second from one address without a token that is known to be valid."""

    address_accounts: Count = 500
    """Accounts an hour that one address may make."""

    address_mails: Count = 30
    """Mails an hour that one address may ask for."""

    account_mails: Count = 5
    """Mails an hour that may be asked for one account."""

    account_simulations: Count = 240
    """
    Simulations of evenings and tries of a season's terms an hour that one account may ask for.
    Known answers of simulations do not count.
    """

    account_audits: Count = 30
    """Audits an hour that one account may ask for, in all its leagues."""

    account_sandbox_entries: Count = 10
    """Entries in the standing sandbox that one account may make in ten minutes."""

    address_sandbox_entries: Count = 25
    """
    Entries in the standing sandbox that one address may make in ten minutes. That is half of the
    tournaments that are played there at a time.
    """

    account_tokens: Count = 100
    """Tokens of one account that are neither expired nor revoked."""

    account_leagues: Count = 100
    """Leagues that one account may own."""

    league_webhooks: Count = 20
    """Webhooks of one league, disabled ones included."""

    account_browsers: Count = 10
    """Browsers in which one account gets push messages."""

    account_refusals: Count = 1_000
    """Refused game commands an hour that are kept for one account."""

    token_streams: Count = 100
    """Streams of events that one token has open at a time."""

    account_streams: Count = 200
    """Streams of events that one account has open at a time."""

    address_streams: Count = 500
    """Streams of events that strangers at one address have open at a time."""

    process_streams: Count = 5_000
    """Streams of events that are open at a time, in total. Strangers may have half of them."""

    process_requests: Count = 2_000
    """
    Requests under way at a time, in total, without streams. Reading is refused from half of it on.
    """

    league_commands: Count = 1_000
    """Commands that wait for their turn in one league at a time."""

    connections: Count = 10_000
    """Connections that are open at a time, in total."""

    address_connections: Count = 4_000
    """Connections that one address has open at a time."""

    header_seconds: Seconds = 10
    """Seconds for a request's headers, from their first byte to their end."""

    body_seconds: Seconds = 30
    """Seconds for a request's body, from the end of the headers."""

    keep_alive_seconds: Seconds = 20
    """Seconds after which a connection without a request is closed."""

    write_seconds: Seconds = 60
    """Seconds after which a connection is closed if its client reads nothing of its answer."""
