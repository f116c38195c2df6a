"""Signing up, and the caller's own account, leagues and seats."""

import asyncio
import logging
from datetime import datetime
from typing import Annotated, ClassVar

import msgspec
from litestar import Response
from msgspec import Meta

from engine.league.roles import Role
from engine.table.model.state import Table
from engine.table.read.view import seen_by
from engine.values import EntrantId, stream_of
from service.api.http.access.my_leagues import leagues_now
from service.api.http.access.phases import tables_of
from service.api.http.operations import operation
from service.api.http.reading.called import names_of
from service.api.http.reading.clients import Address
from service.api.http.reading.positions import own_seen
from service.api.http.shell import Asked, Shell
from service.api.http.writing.submitting import encoded, order_of
from service.api.me.signing_in import REPLAYED, Wanted, demand_same, root, shown_again
from service.api.me.tokens import Label, Login, Password, TokenShown
from service.base.errors import BadRequest, EventUnreadable
from service.people import accounts, admission
from service.people.idempotency import RecordedRequest
from service.people.tokens import Principal
from service.projections.reads import merged_queries, queries
from service.projections.reads.rows import Membership, SeatOf

_log = logging.getLogger(__name__)


class SignUp(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A new account."""

    SECRET: ClassVar = ("password", "invitation")

    login: Login
    """The login. Upper and lower case are the same, and it is kept in lower case."""

    password: Password
    """The password, 8 to 256 characters."""

    name: Label | None = None
    """As shown to others, 1 to 80 characters. The default is the login."""

    invitation: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    """The operator's invitation, on a server that needs one."""


class AccountMade(msgspec.Struct, kw_only=True):
    """A new account, with a first token that can read and play."""

    id: str
    """The player that the account is, `plr_…`."""

    login: str
    """The login, in lower case."""

    name: str
    """As shown to others."""

    token: TokenShown
    """The first token of the account, or the one of the first answer in a retry."""


class MySeat(msgspec.Struct, kw_only=True):
    """The caller's seat in a tournament, and the decision that the table waits for."""

    league: str
    tournament: str
    tournament_name: str
    """The name of the tournament."""

    entrant: str
    table: str | None
    """The table, or null while the caller has no seat."""

    seat: int | None
    """The seat at the table, or null."""

    stack: int | None
    """The chips in front of the seat, without those in the hand. Null without a seat."""

    hand_number: int | None
    """The number of the hand opened last at the table, or null without a seat."""

    your_turn: bool
    """True if the table waits for the caller."""

    decision: str | None
    """The token of the decision that waits for the caller, or null. An action must name it."""

    deadline: datetime | None
    """The end of the time for that decision, or null. The table's clock answers then."""


class MyLeague(msgspec.Struct, kw_only=True):
    """A league that the caller belongs to."""

    id: str
    """The league, `lge_…`."""

    name: str
    """As shown to everybody."""

    role: Role
    """The caller's role in the league."""

    suspended: bool = False
    """True while the operator has suspended the league, so that it takes no commands."""


class MergedIn(msgspec.Struct, kw_only=True):
    """A league that counts the caller as another player."""

    league: str
    """The league. The caller is no member of it."""

    into: str
    """The player for whom the league counts everything of the caller."""

    name: str | None
    """That player's name now."""


class Me(msgspec.Struct, kw_only=True):
    """The caller's account, leagues and seats."""

    id: str
    """The player that the account is, `plr_…`."""

    login: str
    """The login, in lower case."""

    name: str
    """As shown to others."""

    has_password: bool
    """False for an account that an operator made, until a password is set."""

    scopes: tuple[str, ...]
    """The scopes of the token in use."""

    now: datetime
    """The server's time, by which deadlines are counted. Each answer has it in ``Date`` too."""

    founds_leagues: bool
    """True if the caller may found a league here."""

    leagues: tuple[MyLeague, ...]
    """The leagues that the caller belongs to."""

    seats: tuple[MySeat, ...]
    """The tournaments that the caller is entered in, with the seat in each."""

    merged: tuple[MergedIn, ...]
    """The leagues in which the caller was merged into another player."""

    unreadable: tuple[str, ...] = ()
    """
    Tournaments and tables with a stored event that cannot be read. Such a seat is listed without
    the parts that they hold.
    """

    def role_in(self, league: str) -> str | None:
        """Return the caller's role in a league, or None for another league."""
        return next((each.role for each in self.leagues if each.id == league), None)


@operation(
    "POST", "/v1/accounts", "open_account", "Sign up.",
    needs="anyone", answer=AccountMade, status=201,
    problems=("login_taken", "too_many_sign_ins", "sign_up_closed", "invitation_needed"),
)  # fmt: skip
async def open_account(
    request: Asked, address: Address, body: SignUp, raw: bytes, shell: Shell
) -> Response[bytes]:
    """Store a new account and its first token in one transaction."""
    admission.demand_open(shell.settings.sign_up, body.invitation)
    order = order_of(request, raw, account=f"login:{body.login.lower()}")
    number, token, now = order.new_id(0), shell.runtime.entropy.uuid(), shell.now()
    name, login = body.name or body.login, body.login.lower()
    shell.limits.sign_up(request.scope)
    kept = await accounts.hashed(body.password, shell.settings.password_memory_kib, address)
    said = RecordedRequest(order.command_id, raw, number, token)
    async with shell.engine.begin() as connection:
        before = await shell.requests.before(connection, said, now)
        if before is None:
            founds = body.invitation is not None and await admission.take(
                connection, body.invitation, now
            )
            if not await accounts.create(
                connection, number, body.login, name, kept, now, founds_leagues=founds
            ):
                raise BadRequest("login_taken", "the login is already taken", login=body.login)
            shown = await root(
                shell, address, connection, number, Wanted(), token, "signed_up", kept
            )
        else:
            shown = await shown_again(connection, before.account, before.made or token)
    if before is not None:
        await demand_same(shell, address, body.login, body.password)
    made = {"id": f"plr_{number.hex}", "login": login, "name": name, "token": shown}
    return encoded(made, 201, {} if before is None else dict(REPLAYED))


@operation(
    "GET",
    "/v1/me",
    "read_me",
    "Read the caller's account, leagues, seats and turns.",
    needs="account",
    answer=Me,
)
async def read_me(request: Asked, shell: Shell, principal: Principal) -> Response[bytes]:
    """Read the list of seats from the read models, and each table from the log."""
    player = principal.account.player
    leagues = await leagues_now(shell, player)
    await asyncio.gather(*(own_seen(request, each.league, "tournaments") for each in leagues))
    async with shell.engine.connect() as connection:
        seats = await queries.seats_of(connection, player)
        merged = await merged_queries.merged_in(connection, player)
        founds = await admission.may_found(
            connection, shell.settings.found_leagues, principal.account.number
        )
    called = await names_of(shell, (each.into for each in merged))
    unreadable: list[str] = []
    found = Me(
        id=player,
        login=principal.account.login,
        name=principal.account.name,
        has_password=principal.account.has_password,
        scopes=tuple(sorted(principal.scopes)),
        now=shell.now(),
        founds_leagues=founds,
        leagues=tuple(_mine(shell, each) for each in leagues),
        seats=tuple([await _seat(shell, each, unreadable) for each in seats]),
        merged=tuple(
            MergedIn(league=each.league, into=each.into, name=called.get(each.into))
            for each in merged
        ),
        unreadable=tuple(unreadable),
    )
    return encoded(found)


def _mine(shell: Shell, row: Membership) -> MyLeague:
    return MyLeague(
        id=row.league,
        name=row.name,
        role=row.role,
        suspended=row.league in shell.doors.suspended,
    )


async def _seat(shell: Shell, row: SeatOf, unreadable: list[str]) -> MySeat:
    """
    Return the current seat of *row*'s entrant, read from the tournament and its table.

    A damaged evening must not hide the account. If one of them cannot be read, it is added to
    *unreadable*, and its own routes give the reason.
    """
    writer, entrant = shell.runtime.writer, EntrantId(row.entrant)
    seating = view = None
    try:
        tournament = (await writer.load(row.league, stream_of(row.tournament), fresh=True)).state
        seating = next(
            (each for each in tables_of(tournament) if each.seat_of(entrant) is not None), None
        )
        if seating is not None:
            table = (await writer.load(row.league, stream_of(seating.table), fresh=True)).state
            view = seen_by(table, entrant) if isinstance(table, Table) else None
    except EventUnreadable as error:
        broken = row.tournament if seating is None else seating.table
        _log.warning("an account shows a seat without %s: %s", broken, error.detail)
        unreadable.append(broken)
    mine = view is not None and view.my_turn and view.decision is not None
    place = next((each for each in view.seats if each.entrant == entrant), None) if view else None
    return MySeat(
        league=row.league,
        tournament=row.tournament,
        tournament_name=row.tournament_name,
        entrant=row.entrant,
        table=None if seating is None else seating.table,
        seat=None if seating is None else seating.seat_of(entrant),
        stack=None if place is None else place.stack,
        hand_number=None if view is None else view.hand_number,
        your_turn=mine,
        decision=view.decision.token if mine and view and view.decision else None,
        deadline=view.decision.deadline if mine and view and view.decision else None,
    )
