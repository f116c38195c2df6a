"""New members: an invitation by link and QR code, a list to import, claim cards to print."""

import csv
import io

import msgspec
from markupsafe import Markup

from service.api.league.claim_codes import ClaimCode, ClaimsIssued
from service.api.league.invitations import Invitation, InvitationWanted
from service.api.league.leagues import LeagueShown
from service.api.league.players import Imported, RowShown
from service.console import links
from service.console.asking import Ask, house_address
from service.console.calling import Problem
from service.console.declaring import form
from service.console.drawing.qr import qr_svg
from service.console.forms import Given
from service.console.pages import Done, Page
from service.console.screens.account.signing_in import SENT_TWICE
from service.console.screens.league.people import people

_NAME = "name"


class InvitedScreen(msgspec.Struct, kw_only=True):
    """An invitation that was just made. Its link is shown only once."""

    league: str
    league_name: str
    link: str
    qr: Markup
    invitation: Invitation


class Card(msgspec.Struct, kw_only=True):
    """A card to cut out: a player's name, and the link to sign up with."""

    name: str
    link: str
    qr: Markup


class CardsScreen(msgspec.Struct, kw_only=True):
    """Claim cards to print."""

    league: str
    league_name: str
    cards: tuple[Card, ...]


class ImportScreen(msgspec.Struct, kw_only=True):
    """The dry run of a list."""

    league: str
    league_name: str
    rows: tuple[tuple[str, RowShown], ...]
    """Each line of the list, with the result that its import would have."""

    good: bool
    """True if every row is good, so that the list can be imported."""

    text: str


@form("/leagues/{league:str}/people/invite", of=people)
async def invite(ask: Ask, given: Given, league: str) -> Page:
    """Make an invitation, and show its link and its QR code once."""
    body, path = given.into(InvitationWanted), f"/v1/leagues/{league}"
    shown = await ask.api.get(path, LeagueShown)
    made = await ask.api.send("POST", f"{path}/invitations", body, Invitation, key=given.key)
    if made.code is None:
        raise Problem(409, {"code": "sent_twice", "title": SENT_TWICE})
    link = house_address(ask) + links.join(made.code)
    screen = InvitedScreen(
        league=league,
        league_name=shown.name,
        link=link,
        qr=await qr_svg(link, ask.gettext("QR code of the link")),
        invitation=made,
    )
    return Page("league/invited.html", screen)


@form("/leagues/{league:str}/people/cards", of=people)
async def cards(ask: Ask, given: Given, league: str) -> Page:
    """Issue a claim code for everybody who has not signed up, and show the cards to print."""
    path = f"/v1/leagues/{league}"
    shown = await ask.api.get(path, LeagueShown)
    made = await ask.api.send("POST", f"{path}/claims", None, ClaimsIssued, key=given.key)
    found = [await _card(ask, each.name, each.code) for each in made.claims]
    screen = CardsScreen(league=league, league_name=shown.name, cards=tuple(found))
    return Page("league/cards.html", screen)


@form("/leagues/{league:str}/people/{player:str}/card", of=people)
async def card(ask: Ask, given: Given, league: str, player: str) -> Page:
    """Issue a claim code for one player, and show the card to print."""
    path = f"/v1/leagues/{league}"
    shown = await ask.api.get(path, LeagueShown)
    made = await ask.api.send(
        "POST", f"{path}/players/{player}/claim", None, ClaimCode, key=given.key
    )
    found = await _card(ask, given.text("name"), made.code)
    return Page(
        "league/cards.html", CardsScreen(league=league, league_name=shown.name, cards=(found,))
    )


@form("/leagues/{league:str}/people/import", of=people)
async def import_list(ask: Ask, given: Given, league: str) -> Done | Page:
    """Show the dry run of a list of players, and import it once the reader has seen it."""
    text, path = _with_header(given.text("list")), f"/v1/leagues/{league}"
    if given.flag("seen"):
        await ask.api.send_csv(f"{path}/members/import", text, Imported, key=given.key)
        return Done(links.people(league), ask.gettext("The list is imported."))
    tried = await ask.api.send_csv(f"{path}/members/import", text, Imported, dry_run=True)
    shown = await ask.api.get(path, LeagueShown)
    lines = text.splitlines()
    screen = ImportScreen(
        league=league,
        league_name=shown.name,
        rows=tuple((_line(lines, each.line), each) for each in tried.rows),
        good=all(each.outcome in ("added", "unchanged") for each in tried.rows),
        text=text,
    )
    return Page("league/import.html", screen)


async def _card(ask: Ask, name: str, code: str | None) -> Card:
    if code is None:
        raise Problem(409, {"code": "sent_twice", "title": SENT_TWICE})
    link = house_address(ask) + links.join(code)
    return Card(name=name, link=link, qr=await qr_svg(link, ask.gettext("QR code of the link")))


def _with_header(text: str) -> str:
    """
    Return a list with a header. A plain list of names, one in each line, gets one.

    >>> _with_header("Mara"), _with_header("name,email")
    ('name\\nMara\\n', 'name,email')
    """
    first = text.partition("\n")[0].lower().split(",")
    if _NAME in (each.strip().strip('"') for each in first):
        return text
    written = io.StringIO()
    rows = ([each.strip()] for each in (_NAME, *text.splitlines()) if each.strip())
    csv.writer(written, lineterminator="\n").writerows(rows)
    return written.getvalue()


def _line(lines: list[str], number: int) -> str:
    return lines[number - 1] if 0 < number <= len(lines) else ""
