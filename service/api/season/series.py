"""The standings of a season after each evening, with what was corrected since."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated

import msgspec
from litestar import Response
from msgspec.structs import replace

from engine.season.events import BonusesAwarded, PointsAwarded
from engine.season.standings import Standing
from engine.season.state import Opened, opened_of
from engine.values import number_of
from service.api.http.access.rights import AS_KNOWN, SeasonPlace
from service.api.http.operations import operation
from service.api.http.reading.called import names_of
from service.api.http.reading.listing import Pages
from service.api.http.reading.paging import Page
from service.api.http.shell import Shell
from service.director.counting import count_aside
from service.log.batch import RecordedEvent
from service.log.past import PastStates
from service.log.read import last_position
from service.people.tokens import Principal


class RankThen(msgspec.Struct, kw_only=True):
    """A player's rank after an evening."""

    player: str
    name: str | None
    """The player's name now."""

    rank: int
    """The rank, from 1. Players who share one have the same."""

    points: str
    """The points, a decimal number at the season's scale."""


class EveningShown(msgspec.Struct, kw_only=True):
    """The standings after the points of one tournament, with what was corrected since."""

    tournament: str
    """The tournament that was counted."""

    at: datetime
    """The instant at which its points were awarded."""

    version: int
    """The number of the award in the season's stream."""

    standings: tuple[RankThen, ...]
    """Every player with points so far, the leader first."""


@operation(
    "GET", "/v1/seasons/{season_id:str}/standings/series", "read_standings_series",
    "List a season's corrected standings after each counted tournament, oldest first.",
    needs="read_league", scope="leagues:read", answer=Page[EveningShown],
    problems=("invalid_cursor", "as_of_too_far", "overloaded"),
)  # fmt: skip
async def read_standings_series(
    place: Annotated[SeasonPlace, AS_KNOWN], shell: Shell, principal: Principal, pages: Pages
) -> Response[bytes]:
    """
    Fold the season's events, and show the standings after each award with later corrections.

    A page that compares two evenings would otherwise tell of moves that nobody made.
    """
    paged = await pages.live(place.league, f"series {place.id}", int)
    number = number_of(place.league)
    found: dict[int, tuple[RecordedEvent, Opened]] = {}

    def note(recorded: RecordedEvent, state: msgspec.Struct) -> None:
        if not isinstance(state, Opened):
            return
        if isinstance(recorded.event, PointsAwarded):
            found[recorded.version] = (recorded, state)
        elif isinstance(recorded.event, BonusesAwarded) and recorded.version - 1 in found:
            # The bonuses of an evening follow its award at once.
            award, _ = found[recorded.version - 1]
            found[recorded.version - 1] = (award, state)

    keys = await shell.runtime.writer.store.keys(number)
    last = await last_position(shell.pool, number)
    now = (await PastStates(shell.pool, number, keys, last, note).state(place.stream)).state
    counting = {
        version: (award, corrected)
        for version, (award, then) in sorted(found.items())
        if (corrected := _corrected(then, opened_of(now))).counted[-1].revocation is None
    }
    page = paged.cut(list(counting.items()), lambda each: (each[0],))
    client = str(principal.account.number)
    standings = {
        version: await count_aside(state, client, state.standings)
        for version, (_, state) in page.items
    }
    called = await names_of(shell, {each.player for some in standings.values() for each in some})
    items = [
        EveningShown(
            tournament=recorded.event.tournament,
            at=recorded.row.at,
            version=version,
            standings=tuple(_rank(each, called) for each in standings[version]),
        )
        for version, (recorded, _) in page.items
    ]
    return pages.answer(Page(items=items, next_cursor=page.next_cursor))


def _rank(standing: Standing, called: Mapping[str, str]) -> RankThen:
    return RankThen(
        player=standing.player,
        name=called.get(standing.player),
        rank=standing.rank,
        points=standing.points,
    )


def _corrected(then: Opened, now: Opened) -> Opened:
    """Return a past state as it counts now: its tournaments, and what was given for them since."""
    played = {each.tournament for each in then.counted}
    given = {each.adjustment.id for each in then.adjustments}
    return replace(
        then,
        counted=tuple(each for each in now.counted if each.tournament in played),
        adjustments=tuple(
            each
            for each in now.adjustments
            if each.adjustment.id in given or each.adjustment.tournament in played
        ),
        merged=now.merged,
    )
