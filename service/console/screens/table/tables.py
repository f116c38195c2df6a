"""The playing table, and several of them at once."""

from collections.abc import Iterable
from datetime import UTC, datetime

import msgspec

from service.api.me.accounts import MySeat
from service.api.table import tables as api
from service.console import links
from service.console.asking import Ask
from service.console.calling import Problem
from service.console.declaring import form, page
from service.console.forms import Given
from service.console.live import MINE
from service.console.numbers import whole
from service.console.pages import Done, Page
from service.console.screens.table.acts import Sent, action_of
from service.console.screens.table.shown import TableScreen, table_screen, table_screens

TABLES_MAX = 12
"""The most tables on one page. The page follows the same number."""


class TablesScreen(msgspec.Struct, frozen=True, kw_only=True):
    """All tables at which the reader sits."""

    tables: tuple[TableScreen, ...]
    """Those that wait for the reader come first, and the most urgent before all others."""

    seated: tuple[str, ...]
    """The tables at which the reader sits now."""

    topic: str = MINE

    @property
    def waiting(self) -> tuple[TableScreen, ...]:
        """The tables that wait for the reader, the most urgent first."""
        return tuple(each for each in self.tables if each.turn)


def by_urgency(seats: Iterable[MySeat]) -> list[MySeat]:
    """Return *seats*, first those that wait for the reader, by their deadlines."""
    far = datetime.max.replace(tzinfo=UTC)
    return sorted(seats, key=lambda each: (not each.your_turn, each.deadline or far))


@page("/tables/{table:str}", hidden=True)
async def play(ask: Ask, table: str) -> Page:
    """Show one table, with the reader's cards and actions."""
    chosen = () if ask.failure is None else ask.failure.values.get("cards", ())
    return Page("table/table.html", await table_screen(ask, table, chosen))


@page("/tables")
async def play_all(ask: Ask) -> Page:
    """Name every table at which the reader sits. Each is a part of this page, with its cards."""
    me = await ask.me()
    seated = tuple(dict.fromkeys(each.table for each in by_urgency(me.seats) if each.table))
    shown = await table_screens(ask, seated[:TABLES_MAX])
    return Page("table/tables.html", TablesScreen(tables=shown, seated=seated))


@form("/tables/{table:str}", of=play)
async def act(ask: Ask, given: Given, table: str) -> Done | Page:
    """
    Send the action of the button that was pressed.

    The button that counts the chosen cards sends nothing to the API. The cards are hidden, so no
    address may hold them.
    """
    cards = given.texts("cards")
    if given.text("do") == "count":
        return Page("table/table.html", await table_screen(ask, table, cards))
    action = action_of(
        Sent(
            do=given.text("do"),
            decision=given.text("decision"),
            cards=cards,
            amount=_number(given.text("amount")),
            expected=_number(given.text("expected")),
        )
    )
    if action is None:
        raise Problem(400, {"code": "bad_request"})
    await ask.api.send("POST", f"/v1/tables/{table}/actions", action, api.Done, key=given.key)
    return Done(links.table(table))


@form("/tables/{table:str}/presence", of=play)
async def presence(ask: Ask, given: Given, table: str) -> Done:
    """Step away from the seat, or come back to it."""
    body = {"away": given.flag("away")}
    await ask.api.send("POST", f"/v1/tables/{table}/presence", body, object, key=given.key)
    return Done(links.table(table))


def _number(text: str) -> int | None:
    """Return a whole number, or None if the text is empty or no number."""
    return whole(text.replace(" ", "").replace(".", "").replace(",", ""))
