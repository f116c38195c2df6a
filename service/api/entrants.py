"""The entries of a tournament as members see them."""

from typing import Any
from uuid import UUID

import msgspec

from engine.tournament.state import Finished
from service.accounts import names
from service.api.access import Place
from service.api.shell import Asked, shell_of


class EntrantShown(msgspec.Struct, kw_only=True):
    """One entry; ``placing`` once it is out."""

    id: str
    player: str
    name: str | None
    bot: bool
    status: str
    table: str | None
    seat: int | None
    placing: int | None
    payout: int | None


async def shown_entrants(request: Asked, place: Place) -> list[EntrantShown]:
    """Return a tournament's entries with where they sit or how they ended."""
    state = place.state
    entries = getattr(state, "entrants", ())
    called = await names(shell_of(request).engine, [UUID(hex=each.player[4:]) for each in entries])
    seats = {
        seated.entrant: (table.table, seated.seat)
        for table in getattr(state, "tables", ())
        for seated in table.seats
    }
    placings = {each.entrant: each.place for each in getattr(state, "placings", ())}
    payouts = {each.entrant: each.amount for each in getattr(state, "payouts", ())}
    return [
        EntrantShown(
            id=each.entrant,
            player=each.player,
            name=called.get(each.player),
            bot=each.bot,
            status=_status(state, each.entrant, seats, placings),
            table=seats.get(each.entrant, (None, None))[0],
            seat=seats.get(each.entrant, (None, None))[1],
            placing=placings.get(each.entrant),
            payout=payouts.get(each.entrant),
        )
        for each in entries
    ]


def _status(state: Any, entrant: Any, seats: Any, placings: Any) -> str:
    if isinstance(state, Finished):
        return "finished"
    if entrant in placings:
        return "eliminated"
    if entrant in {each.entrant for each in getattr(state, "left", ())}:
        return "cashed_out"
    return "playing" if entrant in seats else "registered"
