"""House bots: the server's own players, whom staff enter as opponents."""

from typing import Annotated

import msgspec
from litestar import Response
from msgspec import Meta

from engine.kit.house_bots import Strength, house_bot_of
from engine.tournament.model.events import EntrantRegistered
from engine.values import PlayerId
from service.api.http.access.rights import TournamentPlace
from service.api.http.operations import operation
from service.api.http.shell import Shell
from service.api.http.writing.submitting import Order, answer
from service.api.tournament.registrations import REGISTERING
from service.director.house_bots import seat_house_bots as submit_house_bots
from service.people.tokens import Principal

BOTS_MAX = 100
"""The most house bots in one request."""


class HouseBotsWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """House bots to enter."""

    count: Annotated[int, Meta(ge=1, le=BOTS_MAX)]
    """The number of bots, 1 to 100. All of them get a place, or none."""

    strength: Strength = "steady"
    """The strength of their play: ``calm`` bots play worst, ``sharp`` bots best."""


class HouseBotSeated(msgspec.Struct, kw_only=True):
    """A house bot that was entered."""

    entrant: str
    player: str
    name: str
    """As shown to everybody."""

    strength: Strength
    """The strength of its play."""


class HouseBotsSeated(msgspec.Struct, kw_only=True):
    """The house bots that were entered."""

    tournament: str
    bots: tuple[HouseBotSeated, ...]
    """In order of registration."""

    position: str | None = None


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/house-bots", "seat_house_bots",
    "Enter house bots of a strength.",
    needs="start_tournaments", scope="tournaments:manage", answer=HouseBotsSeated, status=201,
    key_required=True, problems=(*REGISTERING, "house_bots_for_money"),
    about="House bots become members of the league. They are seated like all entrants, and seated "
    "at once during late registration. They see only what their seat may see. They enter only "
    "tournaments without a currency, and count for no rating and no points. Staff who play may "
    "enter them only before play begins.",
)  # fmt: skip
async def seat_house_bots(
    body: HouseBotsWanted, place: TournamentPlace, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Append the membership and the entry of each bot together."""
    receipt = await submit_house_bots(
        shell.runtime,
        place.league,
        place.id,
        (body.count, body.strength),
        PlayerId(principal.account.player),
        order,
    )
    entered = (each.event for each in receipt.recorded)
    bots = [_seated(each) for each in entered if isinstance(each, EntrantRegistered)]
    return answer(receipt, {"tournament": place.id, "bots": bots}, version_of=place.stream)


def _seated(event: EntrantRegistered) -> HouseBotSeated:
    bot = house_bot_of(event.player)
    if bot is None:
        raise TypeError(f"{event.player} is no house bot")
    return HouseBotSeated(
        entrant=event.entrant, player=event.player, name=bot.name, strength=bot.strength
    )
