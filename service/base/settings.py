"""The settings of a process: read once at its start, and frozen from then on."""

from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import Meta

from service.base.keeping import KeepingSettings

PREFIX = "HOLOTABLE_"

QUICKNET_CHAIN = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
QUICKNET_PUBLIC_KEY = (
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c"
    "8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb"
    "5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
)

_OF_COMMANDS = frozenset({"PG_BIN", "ACCOUNT_PASSWORD"})
"""Names that only single commands read. Processes do not use them."""

_OF_UP = (
    "public_url", "smtp_url", "mail_from", "operator_email", "push_key", "push_contact",
    "webhook_networks", "sandbox", "trusted_proxies", "plain_http", "sign_up",
    "found_leagues", "metrics_address", "cors_origins",
)  # fmt: skip
"""
The settings that ``up`` takes over: mail, push messages, webhooks, the sandbox league, and the way
to its pages.
"""

Admission = Literal["open", "invite", "closed"]
LogLevel = Literal["debug", "info", "warning", "error"]
LogFormat = Literal["auto", "json", "text"]

ADDRESS = r"^(\[[0-9a-f:.]+\]|[^\s:/@\[\]]+):[1-9][0-9]{0,4}$"
"""A host, or an IPv6 address in brackets, and a port."""


class SettingsInvalid(Exception):
    """The settings do not let a process start."""


PASSWORD_MEMORY_KIB = 19_456
"""The default for hashing a password, as OWASP recommends for Argon2id. Less is for tests."""


class Settings(KeepingSettings, frozen=True, kw_only=True):
    """
    Every setting. Each is the environment variable ``HOLOTABLE_<NAME>``.

    Any of them may be given as ``HOLOTABLE_<NAME>_FILE`` instead, the path of a file with the
    value. So a secret need not be in the environment.
    """

    database_url: Annotated[str, Meta(pattern="^postgres(ql)?://")]
    """
    The database of log, read models, accounts and jobs, with the login of this process's role.
    """

    secret_key: Annotated[str, Meta(min_length=32)]
    """The key that wraps the leagues' keys. Without it every sealed value is lost."""

    second_secret_key: Annotated[str, Meta(min_length=32)] | None = None
    """An old or new key while the key is being changed. It only opens wrapped keys."""

    broker_url: Annotated[str, Meta(pattern="^(postgres(ql)?|amqps?)://")] | None = None
    """The broker of Celery's messages: a database of its own, or RabbitMQ. Only workers need it."""

    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 8000
    """The port of the API."""

    neighbours: Annotated[str, Meta(pattern="^/")] | None = None
    """
    Folder in which the API processes of one machine find each other, and hand each other requests.

    Only their user may enter it, and they are of one installation (ADR 0056).
    """

    trusted_proxies: str | None = None
    """
    Addresses and networks of the proxies in front of the API, separated by commas.

    Only these are believed about a client's address (``Forwarded``, ``X-Forwarded-For``).
    """

    cors_origins: (
        Annotated[
            str,
            Meta(pattern=r"^(\*|https?://[a-z0-9.:\[\]-]+(\s*,\s*https?://[a-z0-9.:\[\]-]+)*)$"),
        ]
        | None
    ) = None
    """
    Origins of web pages whose scripts may call the API, separated by commas, or ``*`` for all.

    An origin is a scheme, a host in small letters and a port: ``https://league.example``.
    """

    plain_http: bool = False
    """
    Whether the console lets people sign in over plain HTTP, as in a room without TLS.

    Without it, they can sign in by plain HTTP only on the machine itself. Every page says so.
    """

    sign_up: Admission = "open"
    """The people who may sign up: everybody, those with an operator's invitation, or nobody."""

    found_leagues: Admission = "open"
    """The accounts that may found leagues: all, those with the operator's permission, or none."""

    sandbox: bool = False
    """
    Whether there is a sandbox league, in which every account finds house bots to play against.

    API and ``bots`` need the same value (ADR 0033).
    """

    own_writes_milliseconds: Annotated[int, Meta(ge=0, le=60_000)] = 1000
    """Milliseconds that a read waits at most for its caller's own writes (ADR 0030)."""

    failed_sign_ins: Annotated[int, Meta(ge=10, le=1_000_000)] = 300
    """Failed sign-ins an hour that one address may cause, in each API process."""

    password_memory_kib: Annotated[int, Meta(ge=8, le=1_048_576)] = PASSWORD_MEMORY_KIB
    """Memory that hashing one password takes. With less, stolen hashes are easier to guess."""

    log_level: LogLevel = "info"
    log_format: LogFormat = "auto"
    """``auto`` writes text to a terminal and JSON elsewhere."""

    access_log: bool = True
    """True to log a line for each request and each job."""

    metrics_address: Annotated[str, Meta(pattern=ADDRESS)] | None = None
    """
    The address at which this process shows its metrics: ``127.0.0.1:9464``. There is no default.

    It asks for no token. A worker takes a port for each of its processes, from this
    one up.
    """

    database_connections: Annotated[int, Meta(ge=1, le=100)] = 8
    """Connections a process's pool may open."""

    webhook_networks: str | None = None
    """
    Private addresses and networks that webhooks and push messages may reach, separated by commas.

    Without it they reach only public addresses. Only these networks may be reached without TLS.
    """

    public_url: Annotated[str, Meta(pattern=r"^https?://[^/\s?#]+$")] | None = None
    """The address at which people reach this installation, for links in messages."""

    smtp_url: (
        Annotated[
            str, Meta(pattern=r"^(smtps|smtp|smtp\+plain)://([^\s/@]+@)?[^\s/:@]+(:[0-9]{1,5})?$")
        ]
        | None
    ) = None
    """
    The server that takes mail: ``smtps://login:password@mail.example``. Without it nothing is
    mailed.

    ``smtps`` speaks TLS at once, ``smtp`` after ``STARTTLS``, and ``smtp+plain`` never: that is
    for a server on the same machine. Login and password are percent-encoded.
    """

    mail_from: Annotated[str, Meta(pattern=r"^[^\r\n]*[^\s@<>]+@[^\s@<>]+>?$")] | None = None
    """The sender of mail: ``Cloud City <night@league.example>``. Mail needs it."""

    operator_email: Annotated[str, Meta(pattern=r"^[^\s@<>]+@[^\s@<>]+$")] | None = None
    """The operator's address, which gets mail about failed audits."""

    push_key: Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{43}$")] | None = None
    """The private key from ``holotable push new-key``. Without it no push messages are sent."""

    push_contact: Annotated[str, Meta(pattern="^(mailto:|https://)")] | None = None
    """The operator, for the services of browsers: ``mailto:operator@league.example``."""

    worker_processes: Annotated[int, Meta(ge=1, le=64)] = 2
    """
    Processes of one worker for work that players wait for. Half as many more do long work, and
    one sends webhooks.
    """

    tick_milliseconds: Annotated[int, Meta(ge=10, le=60_000)] = 200
    """Milliseconds between a dispatcher's looks for due jobs."""

    sweep_seconds: Annotated[int, Meta(ge=1, le=3600)] = 5
    """Seconds between a ticker's looks for unarmed events in the log and for abandoned tables."""

    lease_seconds: Annotated[int, Meta(ge=1, le=3600)] = 60
    """Seconds after which a claimed but unfinished job is sent again."""

    visibility_seconds: Annotated[int, Meta(ge=1, le=7200)] = 90
    """Seconds after which the broker delivers an unacknowledged message again."""

    heartbeat_seconds: Annotated[int, Meta(ge=1, le=600)] = 5
    """Seconds between a worker's heartbeats. Three missed ones are an outage."""

    nightly_audit: Annotated[str, Meta(pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$")] = "03:00"
    """The time of the nightly audit of every league, in UTC."""

    signer_url: Annotated[str, Meta(pattern="^https?://")] | None = None
    """The address of the signer, for all but the projections. Without one nothing is signed."""

    signer_token: Annotated[str, Meta(pattern="^[!-~]{32,}$")] | None = None
    """The token that the signer asks for, as in its own settings."""

    sign_seconds: Annotated[int, Meta(ge=1, le=86_400)] = 60
    """
    Seconds that a league's events may wait for a signed head. A tournament's end does not wait.
    """

    beacon_urls: (
        Annotated[str, Meta(pattern=r"^https?://[^\s,]+(\s*,\s*https?://[^\s,]+)*$")] | None
    ) = None
    """
    Relays of a public beacon with drand's API, separated by commas.

    Without one no tournament can name a beacon. The other four settings name its chain.
    """

    beacon_chain: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")] = QUICKNET_CHAIN
    beacon_public_key: Annotated[str, Meta(pattern="^[0-9a-f]{192}$")] = QUICKNET_PUBLIC_KEY
    beacon_genesis: Annotated[int, Meta(ge=0, le=2**40)] = 1_692_803_367
    beacon_period: Annotated[int, Meta(ge=1, le=86_400)] = 3
    """
    The default is drand's quicknet: hash, public key, time of pulse 1, seconds between pulses.
    """

    def __post_init__(self) -> None:
        """Check what no pattern can check."""
        self.proxies()
        self.webhook_allowed()
        if self.smtp_url is not None and self.mail_from is None:
            raise ValueError("smtp_url needs mail_from, the sender of mail")
        if self.push_key is not None and self.push_contact is None:
            raise ValueError("push_key needs push_contact, the operator")
        if self.signer_url is not None and self.signer_token is None:
            raise ValueError(
                "signer_url needs signer_token. `prepare --into` or `openssl rand -hex 32` makes it"
            )

    @property
    def secret_keys(self) -> tuple[str, ...]:
        """The accepted keys. The first one wraps and digests."""
        second = self.second_secret_key
        return (self.secret_key,) if second is None else (self.secret_key, second)

    @property
    def worker_members(self) -> int:
        """The number of processes of a worker: at play, half as many for long work, one outside."""
        return self.worker_processes + max(1, self.worker_processes // 2) + 1

    def origins(self) -> tuple[str, ...]:
        """Return the origins whose scripts may call the API."""
        return tuple(each.strip() for each in (self.cors_origins or "").split(",") if each.strip())

    def proxies(self) -> tuple[IPv4Network | IPv6Network, ...]:
        """Return the networks of the trusted proxies."""
        return _networks("trusted_proxies", self.trusted_proxies)

    def webhook_allowed(self) -> tuple[IPv4Network | IPv6Network, ...]:
        """Return the private networks that webhooks may reach."""
        return _networks("webhook_networks", self.webhook_networks)


def _networks(name: str, given: str | None) -> tuple[IPv4Network | IPv6Network, ...]:
    try:
        return tuple(ip_network(each.strip()) for each in (given or "").split(",") if each)
    except ValueError:
        raise ValueError(f"{name} holds an entry that is not an address or a network") from None


class SignerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """
    Every setting of the signer, given in the same way. It takes no others.

    The signer does not get the database or the leagues' keys, and the other processes do not
    get its key.
    """

    signer_key: Annotated[str, Meta(pattern=r"^PRIVATE\+KEY\+")]
    """The key from ``holotable signer new-key``, best given as ``HOLOTABLE_SIGNER_KEY_FILE``."""

    signer_memory: Annotated[str, Meta(min_length=1)]
    """Folder of the last head signed for each league. It is made if missing, and never restored."""

    signer_token: Annotated[str, Meta(pattern="^[!-~]{32,}$")]
    """The token of every request, so that nobody else is answered (ADR 0058)."""

    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=1, le=65535)] = 8001
    """The signer's port. The token is sent in the clear: use loopback or a private net."""

    log_level: LogLevel = "info"
    log_format: LogFormat = "auto"
    access_log: bool = True
    metrics_address: Annotated[str, Meta(pattern=ADDRESS)] | None = None
    """As in the settings of the other processes."""


_Any = TypeVar("_Any", Settings, SignerSettings)


def read(environ: Mapping[str, str]) -> Settings:
    """
    Return the settings that *environ* holds.

    Raises:
      SettingsInvalid: If a name is unknown, a value is missing or malformed, or
        a ``_FILE`` cannot be read. The message never repeats a value.
    """
    return _read(environ, Settings, "a setting")


def read_signer(environ: Mapping[str, str]) -> SignerSettings:
    """
    Return the signer's settings that *environ* holds.

    Raises:
      SettingsInvalid: As :func:`read`, and also for settings that the signer must not know.
    """
    return _read(environ, SignerSettings, "a setting of the signer")


def _read(environ: Mapping[str, str], kind: type[_Any], called: str) -> _Any:
    known = {PREFIX + field.upper(): field for field in kind.__struct_fields__}
    found: dict[str, str] = {}
    for name, value in environ.items():
        if not name.startswith(PREFIX) or name.removeprefix(PREFIX) in _OF_COMMANDS:
            continue
        if name in known:
            found[known[name]] = value
        elif name.removesuffix("_FILE") in known:
            found[known[name.removesuffix("_FILE")]] = _content(name, value)
        else:
            raise SettingsInvalid(f"{name} is not {called}")
    try:
        return msgspec.convert(found, kind, strict=False)
    except msgspec.ValidationError as error:
        raise SettingsInvalid(str(error)) from None


def given_server(environ: Mapping[str, str]) -> str | None:
    """
    Return the server that ``demo`` and ``up`` should use instead of their own, or None.

    It is ``HOLOTABLE_DATABASE_URL`` with a superuser's login.

    Raises:
        SettingsInvalid: If it is not an address, or its ``_FILE`` cannot be read.
    """
    name = f"{PREFIX}DATABASE_URL"
    path = environ.get(f"{name}_FILE")
    url = environ.get(name) if path is None else _content(f"{name}_FILE", path)
    if url is not None and not url.startswith(("postgresql://", "postgres://")):
        raise SettingsInvalid(f"{name} is not the address of a PostgreSQL server")
    return url


def given_to_up(environ: Mapping[str, str]) -> dict[str, str]:
    """
    Return the settings that ``up`` gives to its stack, by name, as *environ* holds them.

    Raises:
        SettingsInvalid: If a ``_FILE`` cannot be read.
    """
    found: dict[str, str] = {}
    for name in _OF_UP:
        variable = PREFIX + name.upper()
        path = environ.get(f"{variable}_FILE")
        value = environ.get(variable) if path is None else _content(f"{variable}_FILE", path)
        if value is not None:
            found[name] = value
    return found


def environment(settings: Settings | SignerSettings) -> dict[str, str]:
    """Return the environment from which *settings* can be read again."""
    return {
        PREFIX + field.upper(): str(value)
        for field, value in msgspec.structs.asdict(settings).items()
        if value is not None
    }


def _content(name: str, path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise SettingsInvalid(f"{name} cannot be read: {error.strerror}") from error
