"""Signing up, tokens, and who I am."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar import Response
from litestar.params import FromPath
from msgspec import Meta

from engine.errors import InvariantViolated
from engine.table.state import Table
from engine.table.view import seen_by
from engine.values import EntrantId, stream_of
from service import accounts
from service.api.authentication import forget
from service.api.bodies import read_body
from service.api.listing import listed, listing
from service.api.operations import operation
from service.api.paging import Page
from service.api.shell import Asked, Shell, client_address, principal_of, shell_of
from service.api.submitting import encoded, order_of
from service.errors import BadRequest, Forbidden, StreamNotFound, Unauthenticated, WrongPassword
from service.idempotency import seen
from service.projections import queries

Login = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._@+-]+$")]
Password = Annotated[str, Meta(min_length=8, max_length=256)]
Label = Annotated[str, Meta(min_length=1, max_length=80)]
Scope = Annotated[str, Meta(pattern="^(" + "|".join(accounts.SCOPES[:5]) + ")$")]


class SignUp(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A new person."""

    login: Login
    password: Password
    name: Label | None = None


class TokenWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A new token, asked for with login and password, or with another token."""

    login: Login | None = None
    password: Annotated[str, Meta(max_length=256)] | None = None
    name: Label = "token"
    scopes: tuple[Scope, ...] = accounts.SCOPES_DEFAULT
    expires_in_days: Annotated[int, Meta(ge=1, le=366)] = accounts.TOKEN_DAYS


class TokenShown(msgspec.Struct, kw_only=True):
    """A token with its secret, shown this once."""

    id: str
    token: str
    name: str
    scopes: tuple[str, ...]
    expires_at: datetime


class TokenListed(msgspec.Struct, kw_only=True):
    """A token without its secret."""

    id: str
    name: str
    scopes: tuple[str, ...]
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime
    revoked_at: datetime | None


class AccountMade(msgspec.Struct, kw_only=True):
    """A person and a first token."""

    id: str
    login: str
    name: str
    token: TokenShown


class MySeat(msgspec.Struct, kw_only=True):
    """Where I play, and whether the table waits for me."""

    league: str
    tournament: str
    entrant: str
    table: str | None
    seat: int | None
    stack: int | None
    hand_number: int | None
    your_turn: bool
    decision: str | None
    deadline: datetime | None


class MyLeague(msgspec.Struct, kw_only=True):
    """A league I belong to."""

    id: str
    name: str
    role: str


class Me(msgspec.Struct, kw_only=True):
    """Who I am, where I belong, where I sit."""

    id: str
    login: str
    name: str
    scopes: tuple[str, ...]
    leagues: tuple[MyLeague, ...]
    seats: tuple[MySeat, ...]


@operation(
    "POST", "/v1/accounts", "open_account", "Sign up.",
    needs="anyone", body=SignUp, answer=AccountMade, status=201, problems=("login_taken",),
)  # fmt: skip
async def open_account(request: Asked) -> Response[bytes]:
    """Keep a person and a first token, in one transaction."""
    shell = shell_of(request)
    body, raw = await read_body(request, SignUp)
    order = order_of(request, raw, account=f"login:{body.login.lower()}")
    number, now = order.new_id(0), shell.now()
    name = body.name or body.login
    kept = await accounts.hashed(body.password, client_address(request))
    async with shell.engine.begin() as connection:
        again = await seen(connection, order.command_id, raw, now)
        if not again and not await accounts.create(connection, number, body.login, name, kept, now):
            raise BadRequest("login_taken", "somebody else has this login", login=body.login)
        shown = await mint(shell, connection, number, order.command_id, TokenWanted())
    made = AccountMade(id=f"plr_{number.hex}", login=body.login.lower(), name=name, token=shown)
    return encoded(made, 201, _replayed(again))


@operation(
    "POST", "/v1/tokens", "make_token", "Make a token, by password or by a token that may as much.",
    needs="anyone", body=TokenWanted, answer=TokenShown, status=201,
    problems=("wrong_password", "forbidden"),
)  # fmt: skip
async def make_token(request: Asked) -> Response[bytes]:
    """Mint a token that may at most what its maker may."""
    shell = shell_of(request)
    body, raw = await read_body(request, TokenWanted)
    principal = request.scope.get("user")
    if body.login is not None and body.password is not None:
        person = await accounts.by_password(
            shell.engine, body.login, body.password, client_address(request)
        )
        if person is None:
            raise WrongPassword("there is no such login with this password")
    elif isinstance(principal, accounts.Principal):
        person = principal.account
        beyond = sorted(set(body.scopes) - principal.scopes)
        if beyond:
            raise Forbidden("a token cannot make one that may more", required_scopes=beyond)
    else:
        raise Unauthenticated("login and password, or a bearer token, are needed")
    order = order_of(request, raw, account=person.player)
    async with shell.engine.begin() as connection:
        again = await seen(connection, order.command_id, raw, shell.now())
        shown = await mint(shell, connection, person.number, order.command_id, body)
    return encoded(shown, 201, _replayed(again))


@operation(
    "GET", "/v1/tokens", "list_tokens", "My tokens, without their secrets; the newest first.",
    needs="account", answer=Page, query=("limit", "cursor"), problems=("invalid_cursor",),
)  # fmt: skip
async def list_tokens(request: Asked) -> Response[bytes]:
    """List the caller's tokens, revoked ones too."""
    found = await accounts.tokens_of(shell_of(request).engine, principal_of(request).account.number)
    items = [
        TokenListed(
            id=f"tok_{each.number.hex}",
            name=each.name,
            scopes=each.scopes,
            created_at=each.created_at,
            last_used_at=each.last_used_at,
            expires_at=each.expires_at,
            revoked_at=each.revoked_at,
        )
        for each in found
    ]
    order = {each.id: number for number, each in enumerate(reversed(items))}
    paged = listing(request, f"tokens {principal_of(request).account.player}", int)
    return listed(request, paged.cut(items, lambda each: (order[each.id],), descending=True))


@operation(
    "DELETE",
    "/v1/tokens/{token_id:str}",
    "revoke_token",
    "End one of my tokens.",
    needs="account",
    status=204,
)
async def revoke_token(request: Asked, token_id: FromPath[str]) -> None:
    """Revoke; other processes believe the token for five seconds more."""
    shell, principal = shell_of(request), principal_of(request)
    try:
        number = UUID(hex=token_id.removeprefix("tok_"))
    except ValueError as error:
        raise StreamNotFound("there is nothing here under this name") from error
    if not await accounts.revoke(shell.engine, principal.account.number, number, shell.now()):
        raise StreamNotFound("there is nothing here under this name")
    forget(shell, principal)


@operation(
    "GET",
    "/v1/me",
    "read_me",
    "Who I am, my leagues, my seats and my turns.",
    needs="account",
    answer=Me,
)
async def read_me(request: Asked) -> Response[bytes]:
    """Read the list of seats from the read models, and each table live."""
    shell, principal = shell_of(request), principal_of(request)
    player = principal.account.player
    async with shell.engine.connect() as connection:
        leagues = await queries.leagues_of(connection, player)
        seats = await queries.seats_of(connection, player)
    found = Me(
        id=player,
        login=principal.account.login,
        name=principal.account.name,
        scopes=tuple(sorted(principal.scopes)),
        leagues=tuple(MyLeague(id=each.league, name=each.name, role=each.role) for each in leagues),
        seats=tuple([await _seat(shell, each) for each in seats]),
    )
    return encoded(found)


async def _seat(shell: Shell, row: Any) -> MySeat:
    """Return where *row*'s entrant sits now, by the tournament and the table themselves."""
    writer = shell.desk.writer
    tournament = (await writer.load(row.league, stream_of(row.tournament), fresh=True)).state
    entrant = EntrantId(row.entrant)
    seatings = getattr(tournament, "tables", ())
    seating = next((each for each in seatings if each.seat_of(entrant) is not None), None)
    view = None
    if seating is not None:
        table = (await writer.load(row.league, stream_of(seating.table), fresh=True)).state
        view = seen_by(table, entrant) if isinstance(table, Table) else None
    mine = view is not None and view.my_turn and view.decision is not None
    place = next((each for each in view.seats if each.entrant == entrant), None) if view else None
    return MySeat(
        league=row.league,
        tournament=row.tournament,
        entrant=row.entrant,
        table=None if seating is None else seating.table,
        seat=None if seating is None else seating.seat_of(entrant),
        stack=None if place is None else place.stack,
        hand_number=None if view is None else view.hand_number,
        your_turn=mine,
        decision=view.decision.token if mine and view and view.decision else None,
        deadline=view.decision.deadline if mine and view and view.decision else None,
    )


async def mint(
    shell: Shell, connection: Any, owner: UUID, command: UUID, wanted: TokenWanted
) -> TokenShown:
    """Keep the token that *command* makes, and show it."""
    made = accounts.token_of(
        shell.settings.secret_key,
        command,
        wanted.name,
        wanted.scopes,
        wanted.expires_in_days,
        shell.now(),
    )
    await accounts.mint(connection, owner, made)
    if made.secret is None:
        raise InvariantViolated("a new token has no secret")
    return TokenShown(
        id=f"tok_{made.number.hex}",
        token=made.secret,
        name=made.name,
        scopes=made.scopes,
        expires_at=made.expires_at,
    )


def _replayed(again: bool) -> dict[str, str]:
    return {"Idempotent-Replayed": "true"} if again else {}
