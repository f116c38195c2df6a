"""A player buys a starting stack again, after the last chip is lost."""

import msgspec

from service.console import links
from service.console.asking import Ask
from service.console.declaring import form
from service.console.forms import Given
from service.console.pages import Done
from service.console.screens.table.tables import play


class _Seen(msgspec.Struct):
    tournament: str


@form("/tables/{table:str}/rebuy", of=play)
async def take_rebuy(ask: Ask, given: Given, table: str) -> Done:
    """Buy a starting stack for the same seat, before the table's next hand."""
    seen = await ask.api.get(f"/v1/tables/{table}", _Seen)
    path = f"/v1/tournaments/{seen.tournament}/rebuys"
    await ask.api.send("POST", path, None, object, key=given.key)
    said = ask.gettext("You are back in. Your chips come with the next hand.")
    return Done(links.table(table), said)
