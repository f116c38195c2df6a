"""Walk-ins: the slip with table and seat, and a code or a card to sign up with."""

import msgspec

from service.api.http.reading.paging import Page as Listed
from service.api.league.claim_codes import ClaimListed
from service.api.tournament.money import LedgerShown
from service.api.tournament.tournaments import TournamentShown
from service.api.tournament.walk_ins import WalkedIn, WalkInWanted
from service.console import links
from service.console.asking import Ask, house_address
from service.console.calling import Problem
from service.console.declaring import form
from service.console.drawing.qr import qr_svg
from service.console.forms import Given
from service.console.pages import Page
from service.console.screens.evening.door import door
from service.console.screens.evening.dues import entry_due, entry_price
from service.console.screens.evening.waitlist import waitlisted, what_happens_next


class SlipScreen(msgspec.Struct, kw_only=True):
    """The slip for a walk-in: table, seat, and a code for their phone."""

    id: str
    entrant: str
    name: str
    status: str
    waits: str
    """The number on the waitlist and the way to a place, in sentences, or nothing."""

    table: int | None
    seat: int | None
    due: int
    """The part of the price of the entry that is not paid, in minor units."""

    currency: str | None
    address: str
    """The address that the code holds, for a phone without a camera, or nothing."""

    code: str
    """The QR code that opens the player's account on their phone. It is shown once."""

    card: str
    """The address that makes one for a player whom the league had entered before, or nothing."""


@form("/tournaments/{tournament:str}/door/walk-in", of=door)
async def walk_in(ask: Ask, given: Given, tournament: str) -> Page:
    """Enter and seat somebody by name, and show the slip."""
    path = f"/v1/tournaments/{tournament}"
    body = given.into(WalkInWanted)
    made = await ask.api.send("POST", f"{path}/walk-ins", body, WalkedIn, key=given.key)
    shown = await ask.api.get(path, TournamentShown)
    numbers = {each.id: each.number for each in shown.tables}
    claim = None if made.claim is None else f"{house_address(ask)}{links.join(made.claim)}"
    entry = next((each for each in shown.entrants if each.id == made.entrant), None)
    waiting = waitlisted(ask.language, shown, made.entrant)
    slip = SlipScreen(
        id=tournament,
        entrant=made.entrant,
        # A player whom the league knew before has the name of before.
        name=made.name if entry is None or entry.name is None else entry.name,
        status=made.status,
        waits="" if not waiting else f"{waiting} {what_happens_next(ask.language, shown)}".rstrip(),
        table=None if made.table is None else numbers.get(made.table),
        seat=made.seat,
        due=await _due(ask, shown, made),
        currency=shown.currency,
        address=claim or "",
        code="" if claim is None else await qr_svg(claim, ask.gettext("Link of the player")),
        card="" if claim else await _card(ask, shown.league, made.player),
    )
    return Page("evening/slip.html", slip)


async def _due(ask: Ask, shown: TournamentShown, made: WalkedIn) -> int:
    """Return what is not paid of the entry. A player who was entered before may have paid."""
    if made.status != "registered" or not entry_price(shown):
        return 0
    books = await ask.api.get(f"/v1/tournaments/{shown.id}/ledger", LedgerShown)
    return entry_due(books, shown, made.entrant)


async def _card(ask: Ask, league: str, player: str) -> str:
    """
    Return the address that makes a sign-up card, or nothing for a player with an account.

    The player is entered by now, so a refusal of the list only leaves out the card.
    """
    await ask.me()  # for the head of the page, before the list can use up the limit
    try:
        listed = await ask.api.get(
            f"/v1/leagues/{league}/claims", Listed[ClaimListed], player=player
        )
    except Problem:
        return ""
    waits = any(not each.claimed for each in listed.items)
    return f"{links.people(league)}/{player}/card" if waits else ""
