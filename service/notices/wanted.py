"""The last check before a notice is sent: it must still be true, and the person still a member."""

from datetime import datetime

from msgspec.structs import replace

from engine.league.state import Created
from engine.tournament.model.state import Registering, Running
from engine.values import EntrantId, PlayerId
from service.director.runtime import Runtime
from service.log.streams import league_stream
from service.notices.about import About
from service.notices.addressing import (
    absent_from,
    awaited,
    entered_in,
    offered_in,
    seated_table,
    tournament,
)
from service.notices.kinds import Kind
from service.notices.owners import house_of


async def still_wanted(
    runtime: Runtime, kind: Kind, player: str, about: About, now: datetime
) -> bool:
    """Return whether *player* may still get the notice, and it is still useful."""
    if kind == "audit_failed":
        return player in (await house_of(runtime, about.league)).owners
    house = (await runtime.writer.load(about.league, league_stream(about.league))).state
    if not isinstance(house, Created):
        return False
    role, ban = house.role_of(PlayerId(player)), house.ban_of(PlayerId(player))
    if role is None or (ban is not None and ban.holds(now)):
        return False
    match kind:
        case "your_turn" if about.table is not None:
            table = await seated_table(runtime, about.league, about.table)
            if table is None or awaited(table) != about.decision:
                return False
            waits = table.hand.decision.seats if table.hand and table.hand.decision else ()
            return about.seat in waits
        case "check_in_open" if about.tournament is not None:
            state = await tournament(runtime, about.league, about.tournament)
            return EntrantId(about.entrant or "") in absent_from(state)
        case "place_offered" if about.tournament is not None:
            state = await tournament(runtime, about.league, about.tournament)
            return EntrantId(about.entrant or "") in offered_in(state)
        case "start_changed" if about.tournament is not None and not about.variant:
            state = await tournament(runtime, about.league, about.tournament)
            holds = isinstance(state, Registering) and state.terms.starts_at == about.until
            return holds and any(each.entrant == about.entrant for each in entered_in(state))
        case _:
            return True


async def seated_now(runtime: Runtime, about: About) -> About | None:
    """Return a notice of a seat with the present table and seat, or None without a seat."""
    state = await tournament(runtime, about.league, about.tournament or "")
    for table in state.tables if isinstance(state, Running) else ():
        seat = table.seat_of(EntrantId(about.entrant or ""))
        if seat is not None:
            return replace(about, table=table.table, number=table.number, seat=seat)
    return None
