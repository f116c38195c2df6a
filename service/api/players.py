"""Players without an account: entered by a director, singly or as a list, and claimed later."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

import msgspec
import sqlalchemy as sa
from litestar import Response
from litestar.params import FromPath
from msgspec import Meta
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.league.banning import demand_unbanned
from engine.league.commands import AddMember, RemoveMember
from engine.league.roles import STAFF, may, needed_over
from engine.league.state import Created
from engine.values import LeagueId, PlayerId, identifier, number_of, stream_of
from service import accounts, entering
from service.api.access import Place, demand_form, demand_over, reach
from service.api.accounts import AccountMade, Label, Login, Password, TokenWanted, mint
from service.api.bodies import read_body
from service.api.leagues import Nothing
from service.api.members import Membership
from service.api.operations import OnPeople, operation
from service.api.shell import Asked, Shell, client_address, principal_of, shell_of
from service.api.submitting import Order, answer, decide_one, encoded, order_of
from service.entering import CLAIM_FOR, Claim, Entered, claim_code, digest_of, identity_of
from service.errors import BadRequest, StreamNotFound
from service.idempotency import seen
from service.rosters import BYTES_MAX, Fault, Row, read_roster
from service.writer import Receipt

Email = Annotated[str, Meta(max_length=254, pattern=r"^[^@\s]+@[^@\s]+$")]
ExternalId = Annotated[str, Meta(max_length=64, pattern=r"^[\x21-\x7e]+$")]


class PlayerWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Somebody who plays, and has no account (yet)."""

    name: Label
    email: Email | None = None
    """Only to tell two people of one name apart; nothing is sent there."""

    external_id: ExternalId | None = None
    """By which other lists know the player."""


class ClaimCode(msgspec.Struct, kw_only=True):
    """A code by which somebody makes a player theirs; shown this once."""

    league: str
    player: str
    code: str
    expires_at: datetime


class CodeWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A claim code, from somebody who has an account."""

    code: Annotated[str, Meta(max_length=80)]


class PlayerEntered(msgspec.Struct, kw_only=True):
    """A player who was entered; no code if the league had entered them before."""

    league: str
    player: str
    name: str
    claim: str | None
    position: str | None = None


class ClaimWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A claim code, and what the player is to be from now on."""

    code: Annotated[str, Meta(max_length=80)]
    login: Login
    password: Password


class RowShown(msgspec.Struct, kw_only=True):
    """What has become of a row, or would: ``added``, ``unchanged``, or what is wrong with it."""

    line: int
    outcome: str
    player: str | None = None
    claim: str | None = None
    """A code for whoever was entered by this request."""

    detail: str | None = None


class Imported(msgspec.Struct, kw_only=True):
    """A list that was imported, or was only tried."""

    league: str
    dry_run: bool
    rows: tuple[RowShown, ...]
    position: str | None = None


@operation(
    "POST", "/v1/leagues/{league_id:str}/players", "enter_player",
    "Enter a player who has no account; the answer holds a code to claim it with.",
    needs="manage_players", scope="leagues:manage", body=PlayerWanted, answer=PlayerEntered,
    status=201, problems=("forbidden", "player_banned"),
    on_people=OnPeople("claim", "enters a player, with a claim code", "nobody"),
)  # fmt: skip
async def enter_player(request: Asked, league_id: FromPath[str]) -> Response[bytes]:
    """Make a member of somebody; one the league has entered before is found again."""
    body, raw = await read_body(request, PlayerWanted)
    place = await reach(request, league_id, "lge")
    identity = identity_of(body.name, body.email, body.external_id)
    row = Row(1, body.name, "player", identity)
    order = order_of(request, raw)
    (shown,), receipt = await _import(request, place, order, (row,))
    content = {
        "league": league_id,
        "player": shown.player,
        "name": body.name,
        "claim": shown.claim,
    }
    return answer(receipt, content, version_of=place.stream)


@operation(
    "POST", "/v1/leagues/{league_id:str}/members/import", "import_members",
    "Make members of a list of players: all of them, or with a faulty row none.",
    needs="manage_players", scope="leagues:manage", body=str, takes="text/csv",
    body_max=BYTES_MAX, answer=Imported, query=("dry_run",),
    problems=("forbidden", "invalid_csv", "import_refused"),
    on_people=OnPeople("claim", "enters players, each with a claim code", "manage_members"),
)  # fmt: skip
async def import_members(request: Asked, league_id: FromPath[str]) -> Response[bytes]:
    """Import; a list imported twice makes nobody twice."""
    place = await reach(request, league_id, "lge")
    raw = await _csv(request)
    dry_run = _dry_run(request)
    roster = read_roster(raw)
    league: Created = place.state
    engine, now = shell_of(request).engine, shell_of(request).now()
    before = await entering.known(engine, league_id, [each.identity for each in roster.rows])
    faults = [*roster.faults, *_refused(place, roster.rows, before, now)]
    if faults and not dry_run:
        raise BadRequest("import_refused", "nothing was imported", rows=_told(faults))
    if dry_run:
        faulty = {each.line for each in faults}
        outcomes = [_tried(league, each, before) for each in roster.rows if each.line not in faulty]
        rows = sorted((*outcomes, *_told(faults)), key=lambda each: each.line)
        return encoded(Imported(league=league_id, dry_run=True, rows=tuple(rows)))
    shown, receipt = await _import(request, place, order_of(request, raw), roster.rows)
    content = {"league": league_id, "dry_run": False, "rows": shown}
    return answer(receipt, content, 200, version_of=place.stream)


@operation(
    "POST", "/v1/leagues/{league_id:str}/players/{player_id:str}/claim", "renew_claim",
    "Give out another code for a player who was entered; the old one is void.",
    needs="manage_players", scope="leagues:manage", body=Nothing, answer=ClaimCode, status=201,
    problems=("forbidden", "not_claimable"),
    on_people=OnPeople("claim", "gives out another claim code", "manage_members"),
)  # fmt: skip
async def renew_claim(
    request: Asked, league_id: FromPath[str], player_id: FromPath[str]
) -> Response[bytes]:
    """Renew; a player whom somebody has claimed belongs to that person."""
    shell = shell_of(request)
    _, raw = await read_body(request, Nothing)
    place = await reach(request, league_id, "lge")
    demand_form(player_id, "plr")
    role = place.state.role_of(PlayerId(player_id))
    demand_over(place.role, role)
    if role == "owner":
        raise BadRequest("not_claimable", "an owner is made by name, never by a code")
    order, now = order_of(request, raw), shell.now()
    code = claim_code(shell.settings.secret_key, order.command_id, number_of(player_id))
    if not await entering.renew_claim(
        shell.engine, league_id, player_id, digest_of(code), now, by=_me(request)
    ):
        raise BadRequest("not_claimable", "nobody can claim this player from this league")
    made = ClaimCode(league=league_id, player=player_id, code=code, expires_at=now + CLAIM_FOR)
    return encoded(made, 201)


@operation(
    "POST", "/v1/claims", "claim_player", "Make a player who was entered mine, by a code.",
    needs="anyone", body=ClaimWanted, answer=AccountMade, status=201,
    problems=("not_found", "login_taken"),
    on_people=OnPeople("by_claim", "makes an account of an entered player", "caller"),
)  # fmt: skip
async def claim_player(request: Asked) -> Response[bytes]:
    """Sign up as the player; whoever has an account already joins the player to it."""
    shell = shell_of(request)
    body, raw = await read_body(request, ClaimWanted)
    order, now = order_of(request, raw, account=f"claim:{body.code}"), shell.now()
    hashed = await accounts.hashed(body.password, client_address(request))
    claim = Claim(body.code, body.login, body.password)
    try:
        async with shell.engine.begin() as connection:
            again = await seen(connection, order.command_id, raw, now)
            number = entering.number_in(body.code)
            if not again:
                await _claimable(shell, connection, body.code, now)
                number = await entering.claim_player(connection, claim, hashed, now)
            if number is None:
                raise StreamNotFound("there is nothing here under this name")
            shown = await mint(shell, connection, number, order.command_id, TokenWanted())
            name = await accounts.name_of(connection, number)
    except sa.exc.IntegrityError as error:
        raise BadRequest("login_taken", "somebody else has this login", login=body.login) from error
    made = AccountMade(
        id=identifier("plr", number), login=body.login.lower(), name=name, token=shown
    )
    return encoded(made, 201, {"Idempotent-Replayed": "true"} if again else None)


@operation(
    "POST", "/v1/me/claims", "join_player",
    "Take the place of a player who was entered, with the account I have.",
    needs="account", scope="tables:play", body=CodeWanted, answer=Membership, status=201,
    problems=("not_found", "not_claimable", "player_banned"),
    on_people=OnPeople("by_claim", "puts the caller in an entered player's place", "caller"),
)  # fmt: skip
async def join_player(request: Asked) -> Response[bytes]:
    """
    Come into the league in the office of the player, who leaves it; the code is used up.

    Nobody has ever acted as that player, so there is no entry and no result to take over.
    """
    shell = shell_of(request)
    body, raw = await read_body(request, CodeWanted)
    order, now = order_of(request, raw), shell.now()
    me = principal_of(request).account
    other = PlayerId(identifier("plr", entering.number_in(body.code) or UUID(int=0)))
    try:
        async with shell.engine.begin() as connection:
            again = await seen(connection, order.command_id, raw, now)
            commands: list[AddMember | RemoveMember] = []
            league: LeagueId | None
            if again:
                league = await entering.joined(connection, me.number)
                if league is None:
                    raise StreamNotFound("there is nothing here under this name")
            else:
                house = await _claimable(shell, connection, body.code, now)
                await entering.join_player(connection, body.code, me.number)
                commands, league = _instead(house, PlayerId(me.player), other, now), house.league
            # Refused, it leaves the code good; whoever comes again after a crash finds it done.
            receipt = await decide_one(shell, league, league, order, commands)
    except sa.exc.IntegrityError as error:
        detail = "your account was entered from a list itself"
        raise BadRequest("not_claimable", detail) from error
    state = (await shell.desk.writer.load(league, stream_of(league), fresh=False)).state
    content = {"league": league, "player": me.player, "role": state.role_of(me.player)}
    return answer(receipt, content, version_of=stream_of(league))


async def _claimable(
    shell: Shell, connection: AsyncConnection, code: str, now: datetime
) -> Created:
    """
    Return the league in which *code* is good, as it stands.

    A code is worth what its giver may do now: for a player who holds an office by now,
    the giver must be an owner.

    Raises:
        StreamNotFound: If the code is no good.
    """
    found = await entering.claimable(connection, code, now)
    if found is not None:
        loaded = await shell.desk.writer.load(found.league, stream_of(found.league))
        house: Created = loaded.state
        role = house.role_of(found.player)
        giver = None if found.by is None else house.role_of(found.by)
        if role not in STAFF or (role != "owner" and may(giver, needed_over(role))):
            return house
    raise StreamNotFound("there is nothing here under this name")


def _me(request: Asked) -> UUID:
    return principal_of(request).account.number


def _instead(
    house: Created, me: PlayerId, other: PlayerId, now: datetime
) -> list[AddMember | RemoveMember]:
    """
    Return how *me* comes where *other* was; who is a member already keeps the own office.

    Raises:
        StreamNotFound: If *other* is no member any more.
        PlayerBanned: If *other* is banned.
    """
    role = house.role_of(other)
    if role is None:
        raise StreamNotFound("there is nothing here under this name")
    demand_unbanned(house, other, now)
    held = house.role_of(me)
    return [
        AddMember(player=me, role=role if held is None else held, now=now),
        RemoveMember(player=other),
    ]


async def _import(
    request: Asked, place: Place, order: Order, rows: tuple[Row, ...]
) -> tuple[list[RowShown], Receipt]:
    """Keep who is new, and add all in one append; the answer is a function of what it added."""
    shell, now = shell_of(request), shell_of(request).now()
    secret = shell.settings.secret_key
    new: list[tuple[UUID, str]] = []
    for index, _ in enumerate(rows):
        number = order.new_id(index)
        new.append((number, claim_code(secret, order.command_id, number)))
    wanted = [
        Entered(number, row.name, row.identity, digest_of(code))
        for row, (number, code) in zip(rows, new, strict=True)
    ]
    async with shell.engine.begin() as connection:
        players = await entering.enter(connection, place.league, wanted, now, by=_me(request))
    commands = [
        AddMember(player=players[row.identity], role=row.role, now=order.command.received_at)
        for row in rows
    ]
    receipt = await decide_one(shell, place.league, place.league, order, commands)
    added = {each.event.player for each in receipt.recorded}
    shown = []
    for row, (number, code) in zip(rows, new, strict=True):
        player = players[row.identity]
        outcome = "added" if player in added else "unchanged"
        own = code if player == identifier("plr", number) else None
        shown.append(RowShown(line=row.line, outcome=outcome, player=player, claim=own))
    return shown, receipt


def _refused(
    place: Place, rows: tuple[Row, ...], before: dict[str, PlayerId], now: datetime
) -> list[Fault]:
    """Return what the league would refuse of rows that are well written."""
    league: Created = place.state
    found = []
    for row in rows:
        if not may(place.role, needed_over(row.role)):
            found.append(Fault(row.line, "role", "only an owner gives offices"))
        player = before.get(row.identity)
        if player is None:
            continue
        held = league.role_of(player)
        ban = league.ban_of(player)
        if held not in (None, row.role):
            found.append(Fault(row.line, "already_member", f"the player is a member, as {held}"))
        elif held is None and ban is not None and ban.holds(now):
            found.append(Fault(row.line, "player_banned", "the player is banned"))
    return found


def _tried(league: Created, row: Row, before: dict[str, PlayerId]) -> RowShown:
    player = before.get(row.identity)
    member = player is not None and league.role_of(player) is not None
    return RowShown(line=row.line, outcome="unchanged" if member else "added", player=player)


def _told(faults: list[Fault]) -> list[RowShown]:
    ordered = sorted(faults, key=lambda each: each.line)
    return [RowShown(line=each.line, outcome=each.code, detail=each.detail) for each in ordered]


async def _csv(request: Asked) -> bytes:
    media, _, parameters = request.headers.get("content-type", "").partition(";")
    charset = parameters.casefold().replace('"', "").partition("charset=")[2].strip()
    if media.strip().casefold() != "text/csv" or charset not in ("", "utf-8", "utf8"):
        raise BadRequest("unsupported_media_type", "lists are text/csv in UTF-8")
    return await request.body()


def _dry_run(request: Asked) -> bool:
    asked = request.query_params.get("dry_run", "false")
    if asked not in ("true", "false"):
        raise BadRequest("bad_request", "dry_run is true or false")
    return bool(asked == "true")
