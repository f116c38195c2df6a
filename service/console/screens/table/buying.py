"""
The chips that a player buys or brings: rebuys, staked items, add-ons, and more chips in a casino.
"""

import re
import unicodedata

import msgspec

from service.api.tournament.rebuys import AddOnWanted, ItemWanted, RebuyWanted
from service.console import links
from service.console.asking import Ask
from service.console.declaring import form
from service.console.forms import Given, Question, command
from service.console.numbers import demanded
from service.console.pages import Done, Page
from service.console.screens.table.tables import play


class _Seen(msgspec.Struct):
    tournament: str


@form("/tables/{table:str}/rebuy", of=play)
async def take_rebuy(ask: Ask, given: Given, table: str) -> Done:
    """Buy a starting stack for the same seat, before the table's next hand."""
    wanted = given.into(RebuyWanted)
    await ask.api.send("POST", await _path(ask, table, "rebuys"), wanted, object, key=given.key)
    said = ask.gettext("You are back in. Your chips come with the next hand.")
    return Done(links.table(table), said)


@form("/tables/{table:str}/declare", of=play)
async def declare_rebuy(ask: Ask, given: Given, table: str) -> Done | Page:
    """Declare a rebuy while there are chips, after a question."""
    asked = Question(
        ask.gettext("Declare a rebuy?"),
        ask.gettext(
            "It comes by itself once you lose the last chip, and is owed then. In the last hand it "
            "is not taken. This cannot be taken back."
        ),
    )
    return await command(
        ask, given, "POST", await _path(ask, table, "rebuys"), given.into(RebuyWanted),
        said=ask.gettext("Your rebuy is declared."), to=links.table(table), rehearse=asked,
    )  # fmt: skip


@form("/tables/{table:str}/stake", of=play)
async def stake(ask: Ask, given: Given, table: str) -> Done:
    """Stake an item for chips of its value, before the table's next hand."""
    value = demanded(given.text("value"), "value", least=1)
    wanted = given.into(ItemWanted, item=slug_of(given.text("item")), value=value)
    await ask.api.send("POST", await _path(ask, table, "items"), wanted, object, key=given.key)
    said = ask.gettext("You are back in. Your chips come with the next hand.")
    return Done(links.table(table), said)


@form("/tables/{table:str}/buy-back", of=play)
async def buy_back(ask: Ask, given: Given, table: str) -> Done:
    """Buy the own item back, between hands."""
    path = await _path(ask, table, "items/return")
    await ask.api.send("POST", path, None, object, key=given.key)
    return Done(links.table(table), ask.gettext("The item is yours again."))


def slug_of(name: str) -> str:
    """
    Return the slug of an item that a person names.

    >>> slug_of("My Fähre, 2nd"), slug_of("…")
    ('my_fahre_2nd', '')
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return "_".join(re.findall(r"[a-z0-9]+", plain))[:40]


@form("/tables/{table:str}/add-on", of=play)
async def take_add_on(ask: Ask, given: Given, table: str) -> Done:
    """Buy the add-on of the evening while play is stopped."""
    path = await _path(ask, table, "add-ons")
    await ask.api.send("POST", path, AddOnWanted(), object, key=given.key)
    return Done(links.table(table), ask.gettext("You have taken the add-on."))


@form("/tables/{table:str}/chips", of=play)
async def bring_chips(ask: Ask, given: Given, table: str) -> Done:
    """Bring more chips to the own seat in a casino."""
    wanted = AddOnWanted(chips=demanded(given.text("chips"), "chips", least=1))
    path = await _path(ask, table, "add-ons")
    await ask.api.send("POST", path, wanted, object, key=given.key)
    return Done(links.table(table), ask.gettext("Your chips come with the next hand."))


@form("/tables/{table:str}/cash-out", of=play)
async def cash_out(ask: Ask, given: Given, table: str) -> Done | Page:
    """Leave a casino with the own chips, after a question."""
    asked = Question(
        ask.gettext("Leave with your chips?"),
        ask.gettext("A hand that you are in is folded. Your seat is then free for somebody else."),
    )
    return await command(
        ask, given, "POST", await _path(ask, table, "leave"),
        said=ask.gettext("You leave with your chips."), to=links.table(table), rehearse=asked,
    )  # fmt: skip


async def _path(ask: Ask, table: str, what: str) -> str:
    seen = await ask.api.get(f"/v1/tables/{table}", _Seen)
    return f"/v1/tournaments/{seen.tournament}/{what}"
