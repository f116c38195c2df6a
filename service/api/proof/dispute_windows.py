"""The dispute windows of a league: the hours in which a claim is accepted."""

import msgspec
from litestar import Response

from engine.kit.windows import DisputeWindows, in_force
from engine.league.windowing import SetDisputeWindows
from service.api.http.access.rights import LeaguePlace
from service.api.http.operations import operation
from service.api.http.reading.etags import Tags
from service.api.http.shell import Shell
from service.api.http.writing.submitting import Order, answer, decide_one


class WindowsShown(msgspec.Struct, kw_only=True):
    """The windows for everything that is settled from now on."""

    league: str
    windows: DisputeWindows
    """Hours for a claim after each kind of settlement."""

    position: str | None = None


@operation(
    "GET", "/v1/leagues/{league_id:str}/dispute-windows", "read_dispute_windows",
    "Read how long after a settlement members may open a dispute.",
    needs="read_league", scope="leagues:read", answer=WindowsShown,
)  # fmt: skip
async def read_dispute_windows(place: LeaguePlace, shell: Shell, tags: Tags) -> Response[bytes]:
    """Read the windows from the aggregate. The default is the rulebook's."""
    windows = in_force(place.state.dispute_windows, shell.now())
    shown = WindowsShown(league=place.id, windows=windows)
    return tags.answer(shown, place.loaded.version, whole=True)


@operation(
    "PUT", "/v1/leagues/{league_id:str}/dispute-windows", "set_dispute_windows",
    "Set how long members may dispute anything settled from now on.",
    needs="manage_league", scope="leagues:manage", answer=WindowsShown,
    problems=("forbidden",),
    precondition="demanded",
)  # fmt: skip
async def set_dispute_windows(
    body: DisputeWindows, place: LeaguePlace, order: Order, shell: Shell
) -> Response[bytes]:
    """Set the windows. Earlier settlements keep their old windows."""
    command = SetDisputeWindows(windows=body, now=order.received_at)
    receipt = await decide_one(shell, place.id, place.id, order, [command])
    content = {"league": place.id, "windows": body}
    return answer(receipt, content, 200, version_of=place.stream)
