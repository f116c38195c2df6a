"""New members: an invitation by link and QR code, a list to import, claim cards to print."""

import csv
import io

import msgspec
from markupsafe import Markup

from service.api.league.claim_codes import ClaimCode, ClaimsIssued
from service.api.league.invitations import Invitation, InvitationWanted
from service.api.league.leagues import LeagueShown
from service.api.league.players import Imported, RowShown
from service.base.languages import N_
from service.base.letters import by_name, legible
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
_GOOD = frozenset({"added", "unchanged"})
_DELIMITERS = (";", "\t")
"""Separators that spreadsheets write instead of a comma, in some languages."""

_WRONG = {
    "name": N_("This name cannot be used: it is empty, too long, or has unusual characters."),
    "email": N_("This is not an e-mail address."),
    "role": N_("This is not a role, or only an owner may give it."),
    "external_id": N_("This is not a valid external_id."),
    "repeated": N_("The same player is in the list twice."),
    "name_taken": N_("This is too similar to the name of somebody on the staff."),
    "already_member": N_("The player is a member with another role."),
    "player_banned": N_("The player is banned."),
    "cells": N_("This row has more or fewer columns than the first."),
    "characters": N_("There is a line break or a strange character in this row."),
}
"""Texts for people, by the code of a row's fault."""


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
    wrong: tuple[tuple[str, int, str], ...]
    """Each fault: the text of its row, the line and what is wrong."""

    rows: tuple[tuple[str, int, bool], ...]
    """Each good row of the list: its text, the line, and true for a player who is new."""

    size: int
    """The number of rows."""

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
    claims = sorted(made.claims, key=lambda each: by_name(each.name))
    found = [await _card(ask, each.name, each.code) for each in claims]
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
    typed, path = given.text("list"), f"/v1/leagues/{league}"
    text = _with_header(typed)
    if given.flag("seen"):
        await ask.api.send_csv(f"{path}/members/import", text, Imported, key=given.key)
        return Done(links.people(league), ask.gettext("The list is imported."))
    tried = await ask.api.send_csv(f"{path}/members/import", text, Imported, dry_run=True)
    shown = await ask.api.get(path, LeagueShown)
    lines, at = text.splitlines(), _typed_lines(typed, text)
    bad = [each for each in tried.rows if each.outcome not in _GOOD]
    screen = ImportScreen(
        league=league,
        league_name=shown.name,
        wrong=tuple(
            (_line(lines, each.line), at.get(each.line, each.line), _told(ask, each))
            for each in bad
        ),
        rows=tuple(
            (_line(lines, each.line), at.get(each.line, each.line), each.outcome == "added")
            for each in tried.rows
            if each.outcome in _GOOD
        ),
        size=len({each.line for each in tried.rows}),
        text=typed,
    )
    return Page("league/import.html", screen)


def _told(ask: Ask, row: RowShown) -> str:
    """Return what is wrong with a row, in the reader's language."""
    found = _WRONG.get(row.outcome)
    return ask.gettext(found) if found else row.detail or row.outcome


async def _card(ask: Ask, name: str, code: str | None) -> Card:
    if code is None:
        raise Problem(409, {"code": "sent_twice", "title": SENT_TWICE})
    link = house_address(ask) + links.join(code)
    return Card(name=name, link=link, qr=await qr_svg(link, ask.gettext("QR code of the link")))


def _with_header(text: str) -> str:
    """
    Return a list with a header. A plain list of names, one in each line, gets one.

    Semicolons and tabs between the columns become commas.

    >>> _with_header("Mara"), _with_header("name,email"), _with_header("Name;Role\\nMara;player")
    ('name\\nMara\\n', 'name,email', 'Name,Role\\nMara,player\\n')
    """
    heading = text.partition("\n")[0]
    for delimiter in _DELIMITERS:
        columns = [each.strip().strip('"').lower() for each in heading.split(delimiter)]
        if delimiter in heading and _NAME in columns:
            return _with_commas(text, delimiter)
    first = text.partition("\n")[0].lower().split(",")
    if _NAME in (each.strip().strip('"') for each in first):
        return text
    written = io.StringIO()
    rows = ([each.strip()] for each in (_NAME, *text.splitlines()) if each.strip())
    csv.writer(written, lineterminator="\n").writerows(rows)
    return written.getvalue()


def _typed_lines(typed: str, text: str) -> dict[int, int]:
    """
    Return the typed line of each line of a list that got a header, or nothing.

    >>> typed = "Mara\\n\\nJyn"
    >>> _typed_lines(typed, _with_header(typed)), _typed_lines("name\\nMara", "name\\nMara")
    ({2: 1, 3: 3}, {})
    """
    if text.partition("\n")[0] != _NAME or typed.partition("\n")[0].strip() == _NAME:
        return {}
    found = [number for number, each in enumerate(typed.splitlines(), 1) if each.strip()]
    return dict(enumerate(found, 2))


def _with_commas(text: str, delimiter: str) -> str:
    written = io.StringIO()
    rows = csv.reader(io.StringIO(text), delimiter=delimiter)
    csv.writer(written, lineterminator="\n").writerows(rows)
    return written.getvalue()


def _line(lines: list[str], number: int) -> str:
    return legible(lines[number - 1]) if 0 < number <= len(lines) else ""
