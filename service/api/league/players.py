"""Players without an account: entered by a director, one by one or as a list, and claimed later."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Response
from msgspec import Meta
from msgspec.structs import replace

from engine.league.commands import AddMember
from engine.league.roles import may, needed_over
from engine.league.state import Created
from engine.values import PlayerId
from service.api.http.access.rights import LeaguePlace
from service.api.http.declaring.declaration import OnPeople
from service.api.http.declaring.queries import DRY_RUN
from service.api.http.operations import operation
from service.api.http.reading.bodies import whole_body
from service.api.http.shell import Asked, Shell
from service.api.http.writing.preconditions import compare
from service.api.http.writing.submitting import Order, answer, decide_one, encoded, order_of
from service.api.league.likenesses import demand_distinct, names_in_office
from service.api.me.tokens import Label
from service.base.errors import BadRequest
from service.log.streams import league_stream
from service.log.writer import Receipt
from service.people import entered_players, suspending
from service.people.csv_lists import Fault
from service.people.entered_players import (
    SECRET_BYTES,
    Entered,
    claim_code,
    digest_of,
    identity_of,
)
from service.people.rechecking import demand_alive
from service.people.rosters import BYTES_MAX, Row, read_roster
from service.people.skeletons import Taken
from service.people.tokens import Principal

Email = Annotated[str, Meta(max_length=254, pattern=r"^[^@\s]+@[^@\s]+$")]
ExternalId = Annotated[str, Meta(max_length=64, pattern=r"^[\x21-\x7e]+$")]


class PlayerWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A player who has no account yet."""

    name: Label
    """As shown to everybody, 1 to 80 characters."""

    email: Email | None = None
    """Distinguishes two people with the same name. No mail is sent to it."""

    external_id: ExternalId | None = None
    """The player's identifier in other lists."""


class PlayerEntered(msgspec.Struct, kw_only=True):
    """
    A player who was entered.

    ``claim`` is null in the answer to a retry, and if the league had entered the player before.
    ``POST …/players/{player}/claim`` issues another code.
    """

    league: str
    player: str
    name: str
    """As shown to everybody."""

    claim: str | None
    """The claim code, shown only once."""

    position: str | None = None


class RowShown(msgspec.Struct, kw_only=True):
    """The outcome of a row: ``added``, ``unchanged``, or the code of an error."""

    line: int
    """The line on which the row begins. The header is line 1."""

    outcome: str
    """`added`, `unchanged`, or the code of the row's fault."""

    player: str | None = None
    """Null if the row has a fault, and in a dry run for a player who would be new."""

    claim: str | None = None
    """The claim code of a player entered by this request. Null in the answer to a retry."""

    detail: str | None = None
    """A sentence about the fault, or null without one."""


class Imported(msgspec.Struct, kw_only=True):
    """The outcome of an import or of its dry run."""

    league: str
    dry_run: bool
    """True if the list was only checked."""

    rows: tuple[RowShown, ...]
    """One entry for each row. A row with several faults has several."""

    position: str | None = None


@operation(
    "POST", "/v1/leagues/{league_id:str}/players", "enter_player",
    "Enter a player without an account. The answer holds a claim code for the player.",
    needs="manage_players", scope="leagues:manage", answer=PlayerEntered,
    status=201, problems=("forbidden", "player_banned", "name_taken"),
    on_people=OnPeople("claim", "enters a player, with a claim code", "nobody"),
    key_required=True,
)  # fmt: skip
async def enter_player(
    principal: Principal, body: PlayerWanted, place: LeaguePlace, order: Order, shell: Shell
) -> Response[bytes]:
    """Add a player to the league. If the league has entered the player before, find them again."""
    identity = identity_of(body.name, body.email, body.external_id)
    if not await entered_players.known(shell.engine, place.id, [identity]):
        await demand_distinct(shell, place.state, body.name)
    row = Row(1, body.name, "player", identity)
    (shown,), receipt = await _import(shell, principal, place, order, (row,))
    content = {
        "league": place.id,
        "player": shown.player,
        "name": body.name,
        "claim": shown.claim,
    }
    return answer(receipt, content, version_of=place.stream)


@operation(
    "POST", "/v1/leagues/{league_id:str}/members/import", "import_members",
    "Import a list of players as members. If a row is invalid, nobody is imported.",
    needs="manage_players", scope="leagues:manage", body=str, takes="text/csv",
    body_max=BYTES_MAX, answer=Imported, query=(DRY_RUN,),
    problems=("bad_request", "forbidden", "invalid_csv", "import_refused"),
    on_people=OnPeople("claim", "enters players, each with a claim code", "manage_members"),
)  # fmt: skip
async def import_members(
    request: Asked, place: LeaguePlace, principal: Principal, shell: Shell
) -> Response[bytes]:
    """Import a list. Importing it twice adds nobody twice."""
    raw = await csv_of(request)
    dry_run = dry_run_of(request)
    roster = read_roster(raw)
    league: Created = place.state
    engine, now = shell.engine, shell.now()
    known = await entered_players.known(engine, place.id, [each.identity for each in roster.rows])
    before = await ones_of(shell, place.id, known)
    async with engine.connect() as connection:
        staff = await names_in_office(connection, league)
    faults = [*roster.faults, *_refused(place, roster.rows, before, staff, now)]
    if faults and not dry_run:
        raise BadRequest("import_refused", "nothing was imported", rows=_told(faults))
    if dry_run:
        compare(request, place)
        faulty = {each.line for each in faults}
        outcomes = [_tried(league, each, before) for each in roster.rows if each.line not in faulty]
        rows = sorted((*outcomes, *_told(faults)), key=lambda each: each.line)
        return encoded(Imported(league=place.id, dry_run=True, rows=tuple(rows)))
    shown, receipt = await _import(shell, principal, place, order_of(request, raw), roster.rows)
    content = {"league": place.id, "dry_run": False, "rows": shown}
    return answer(receipt, content, 200, version_of=place.stream)


async def stored(
    shell: Shell, principal: Principal, league: str, order: Order, rows: tuple[Row, ...]
) -> tuple[dict[str, PlayerId], dict[str, str]]:
    """Store players of a league. Return the player of each identity, and the codes of the new."""
    now = shell.now()
    new: list[tuple[UUID, str]] = []
    for index, _ in enumerate(rows):
        number = order.new_id(index)
        new.append((number, claim_code(number, shell.runtime.entropy.bytes(SECRET_BYTES))))
    wanted = [
        Entered(number, row.name, row.identity, digest_of(code))
        for row, (number, code) in zip(rows, new, strict=True)
    ]
    async with shell.engine.begin() as connection:
        await demand_alive(connection, principal, now)
        await suspending.demand_open(connection, league)
        players, entered = await entered_players.enter(
            connection, league, wanted, now, by=principal.account.number
        )
    codes = {
        row.identity: code
        for row, (_, code) in zip(rows, new, strict=True)
        if row.identity in entered
    }
    return await ones_of(shell, league, players), codes


async def ones_of(
    shell: Shell, league: str, players: Mapping[str, PlayerId]
) -> dict[str, PlayerId]:
    """Return *players* by identity, with the one who stands for each after all merges."""
    writer = shell.runtime.writer
    state = (await writer.load(league, league_stream(league), fresh=False)).state
    if not isinstance(state, Created):
        return dict(players)
    return {identity: state.one(player) for identity, player in players.items()}


async def _import(
    shell: Shell, principal: Principal, place: LeaguePlace, order: Order, rows: tuple[Row, ...]
) -> tuple[list[RowShown], Receipt]:
    """Store the new players and add all of them in one append. Return the rows' outcomes."""
    players, codes = await stored(shell, principal, place.league, order, rows)
    commands = [
        AddMember(player=players[row.identity], role=row.role, now=order.received_at)
        for row in rows
    ]
    order = replace(order, office=needed_over(*(row.role for row in rows)))
    receipt = await decide_one(shell, place.league, place.league, order, commands)
    added = {each.event.player for each in receipt.recorded}
    shown = []
    for row in rows:
        player = players[row.identity]
        outcome = "added" if player in added else "unchanged"
        own = codes.get(row.identity)
        shown.append(RowShown(line=row.line, outcome=outcome, player=player, claim=own))
    return shown, receipt


def _refused(
    place: LeaguePlace,
    rows: tuple[Row, ...],
    before: dict[str, PlayerId],
    staff: list[str],
    now: datetime,
) -> list[Fault]:
    """Return the faults of well-formed rows that the league would refuse."""
    league: Created = place.state
    found = []
    taken = Taken(staff)
    for row in rows:
        if not may(place.role, needed_over(row.role)):
            found.append(Fault(row.line, "role", "only an owner may give offices"))
        player = before.get(row.identity)
        if player is None:
            if row.name in taken:
                detail = "the name is too similar to that of a member of the staff"
                found.append(Fault(row.line, "name_taken", detail))
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


async def csv_of(request: Asked) -> bytes:
    """Return the request's body, which must be CSV in UTF-8."""
    media, _, parameters = request.headers.get("content-type", "").partition(";")
    charset = parameters.casefold().replace('"', "").partition("charset=")[2].strip()
    if media.strip().casefold() != "text/csv" or charset not in ("", "utf-8", "utf8"):
        raise BadRequest("unsupported_media_type", "the list must be text/csv in UTF-8")
    return await whole_body(request)


def dry_run_of(request: Asked) -> bool:
    """Return whether the caller only wants to have a list checked."""
    asked = request.query_params.get("dry_run", "false")
    if asked not in ("true", "false"):
        raise BadRequest("bad_request", "dry_run must be true or false")
    return bool(asked == "true")
