"""Bans. A banned player can neither join a league nor enter its tournaments."""

from datetime import datetime

import msgspec
from litestar import Response
from msgspec.structs import replace

from engine.errors import Wording
from engine.league.bans import BanPlayer, LiftBan
from engine.league.errors import BanInvalid, StaffNotBannable
from engine.league.uniting import demand_unmerged
from engine.values import BanId, PlayerId, number_of
from service.announcing.inputs import Instant, in_utc
from service.api.http.access.rights import LeaguePlace, demand_form, demand_over
from service.api.http.declaring.declaration import OnPeople
from service.api.http.operations import operation
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.shell import Shell
from service.api.http.writing import reasons
from service.api.http.writing.submitting import Order, answer, decide_one
from service.people.accounts import names
from service.people.texts import Written, words


class BanWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The reason for a ban, and its end. If ``until`` is null, the ban is permanent."""

    reason: Written
    """The reason, 1 to 2000 characters. Only staff can read it."""

    until: Instant | None = None
    """The end of the ban, in the future. Null bans the player for ever."""

    def __post_init__(self) -> None:
        """Convert the instant to UTC, as in the log."""
        self.until = None if self.until is None else in_utc(self.until)


class BanMade(msgspec.Struct, kw_only=True):
    """A ban after a command. The id is null if there was no ban to lift."""

    id: str | None
    """The ban, `ban_…`, or null if there was none to lift."""

    league: str
    player: str
    until: datetime | None
    """The end of the ban. Null if the ban is permanent or was lifted."""

    position: str | None = None


class BanShown(msgspec.Struct, kw_only=True):
    """A ban as staff see it. The reason is null once it has been erased."""

    id: str
    """The ban, `ban_…`."""

    player: str
    name: str | None
    """The player's name now."""

    until: datetime | None
    """The end of the ban, or null if it is permanent."""

    holds: bool
    """False once the ban has expired."""

    reason: str | None
    """Null once the text has been erased."""


@operation(
    "PUT", "/v1/leagues/{league_id:str}/bans/{player_id:str}", "ban_player",
    "Ban a player. Strangers can be banned too. A new ban replaces an earlier one.",
    needs="manage_players", scope="leagues:manage", answer=BanMade,
    problems=("forbidden", "staff_not_bannable", "ban_invalid", "merged_player", "text_forged"),
    on_people=OnPeople("ban", "bans a player", "nobody"),
)  # fmt: skip
async def ban_player(
    player_id: str, body: BanWanted, place: LeaguePlace, order: Order, shell: Shell
) -> Response[bytes]:
    """Ban a player from joining and from entering tournaments. Existing entries stay."""
    demand_form(player_id, "plr")
    player = PlayerId(player_id)
    if place.state.role_of(player) not in (None, "player"):
        raise StaffNotBannable
    demand_unmerged(place.state, player)
    if body.until is not None and body.until <= shell.now():
        raise BanInvalid(problem=Wording("a ban must end in the future, or never"))
    reason = await reasons.keep(shell, place.id, order, body.reason, audience="staff", about=player)
    command = BanPlayer(
        ban=BanId(f"ban_{order.new_id(0).hex}"),
        player=player,
        until=body.until,
        reason=reason,
        salt=shell.runtime.entropy.token(),
        now=order.received_at,
    )
    receipt = await decide_one(shell, place.id, place.id, order, [command])
    content = {"id": command.ban, "league": place.id, "player": player_id, "until": body.until}
    return answer(receipt, content, 200, version_of=place.stream)


@operation(
    "DELETE", "/v1/leagues/{league_id:str}/bans/{player_id:str}", "lift_ban",
    "Lift a player's ban.",
    needs="manage_players", scope="leagues:manage", answer=BanMade, problems=("forbidden",),
    on_people=OnPeople("ban", "lifts a ban", "manage_members"),
)  # fmt: skip
async def lift_ban(
    player_id: str, place: LeaguePlace, order: Order, shell: Shell
) -> Response[bytes]:
    """Lift a ban. Without a ban nothing changes."""
    demand_form(player_id, "plr")
    office = demand_over(place.role, place.state.role_of(PlayerId(player_id)))
    order = replace(order, office=office)
    command = LiftBan(player=PlayerId(player_id))
    receipt = await decide_one(shell, place.id, place.id, order, [command])
    lifted = [each.event.ban for each in receipt.recorded]
    content = {
        "id": lifted[0] if lifted else None,
        "league": place.id,
        "player": player_id,
        "until": None,
    }
    return answer(receipt, content, 200, version_of=place.stream)


@operation(
    "GET", "/v1/leagues/{league_id:str}/bans", "list_bans",
    "List the banned players with the reason and the end of each ban. For staff only.",
    needs="see_bans", scope="leagues:read", answer=Page[BanShown],
    problems=("invalid_cursor", "text_forged"),
)  # fmt: skip
async def list_bans(place: LeaguePlace, shell: Shell, pages: Pages) -> Response[bytes]:
    """List the bans by player, from the aggregate. Expired bans are marked."""
    paged = await pages.live(place.id, f"bans {place.id}", str)
    ordered = sorted(place.state.bans, key=lambda each: each.player)
    page = paged.cut(ordered, lambda each: (each.player,))
    bans = page.items
    called = await names(shell.engine, [number_of(each.player) for each in bans])
    said = await words(shell.engine, [each.reason for each in bans])
    items = [
        BanShown(
            id=each.ban,
            player=each.player,
            name=called.get(each.player),
            until=each.until,
            holds=each.holds(shell.now()),
            reason=said.get(each.reason.text),
        )
        for each in bans
    ]
    return pages.answer(Page(items=items, next_cursor=page.next_cursor))
