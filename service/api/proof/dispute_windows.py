"""Until when members may dispute what is settled, as a league has it."""

import msgspec
from litestar import Response
from litestar.params import FromPath

from engine.kit.windows import DisputeWindows, in_force
from engine.league.windowing import SetDisputeWindows
from service.api.http.access import reach
from service.api.http.bodies import read_body
from service.api.http.operations import operation
from service.api.http.shell import Asked, shell_of
from service.api.http.submitting import answer, decide_one, encoded, order_of


class WindowsShown(msgspec.Struct, kw_only=True):
    """What holds for everything that is settled from now on."""

    league: str
    windows: DisputeWindows
    position: str | None = None


@operation(
    "GET", "/v1/leagues/{league_id:str}/dispute-windows", "read_dispute_windows",
    "How long members may dispute what is settled.",
    needs="read_league", scope="leagues:read", answer=WindowsShown,
)  # fmt: skip
async def read_dispute_windows(request: Asked, league_id: FromPath[str]) -> Response[bytes]:
    """Read from the aggregate; the rulebook's hold where a league has said nothing."""
    place = await reach(request, league_id, "lge")
    windows = in_force(place.state.dispute_windows, shell_of(request).now())
    return encoded(WindowsShown(league=league_id, windows=windows))


@operation(
    "PUT", "/v1/leagues/{league_id:str}/dispute-windows", "set_dispute_windows",
    "Say how long members may dispute what is settled from now on.",
    needs="manage_league", scope="leagues:manage", body=DisputeWindows, answer=WindowsShown,
    problems=("forbidden",),
)  # fmt: skip
async def set_dispute_windows(request: Asked, league_id: FromPath[str]) -> Response[bytes]:
    """Set them; what was settled before keeps the windows it had."""
    body, raw = await read_body(request, DisputeWindows)
    place = await reach(request, league_id, "lge")
    order = order_of(request, raw)
    command = SetDisputeWindows(windows=body, now=order.command.received_at)
    receipt = await decide_one(shell_of(request), league_id, league_id, order, [command])
    content = {"league": league_id, "windows": body}
    return answer(receipt, content, 200, version_of=place.stream)
