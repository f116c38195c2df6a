"""
Telling: the tag that the live part of a stranger's page has now.

Most that happens at a table changes nothing on the floor. A page that hears the tag of its part
asks for the part only if it shows another one. The tag is that of the part's own answer, which is
made with the stranger's rights, once for all who wait. So it tells nothing that the answer would
not.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from service.console.asking import Ask
from service.console.calling import Problem
from service.console.declaring import Screen, Shows, made_part, plain, shared_key
from service.console.sharing import Sharing

SHOWN = "shown"
"""The parameter with the address of a part that the page shows. It is repeated for each part."""

PARTS_MAX = 8
ADDRESS_MAX = 300


@dataclass(frozen=True, slots=True)
class Shown:
    """A part that a stranger's page shows."""

    address: str
    show: Shows
    names: dict[str, str]
    key: Hashable
    """The same for all strangers who see the same part."""

    async def tag(self, ask: Ask) -> str | None:
        """Return the tag now, or None if the part may not be shown. The page then asks why."""
        telling: Sharing[str | None] = ask.request.scope["state"]["telling"]
        return await telling.of(self.key, lambda: self._made(ask))

    async def _made(self, ask: Ask) -> str | None:
        try:
            return (await made_part(self.show, ask.elsewhere(self.address), self.names)).tag
        except Problem:
            return None


def shown_by(ask: Ask) -> Shown | None:
    """
    Return the part in the query whose tag the reader is told, or None.

    It is the first one of a page that is declared for it. Somebody who is signed in is told none.
    """
    if ask.signed_in:
        return None
    screens: Sequence[Screen] = ask.request.scope["state"]["told"]
    for address in ask.request.query_params.getall(SHOWN, [])[:PARTS_MAX]:
        if len(address) > ADDRESS_MAX:
            continue
        for screen in screens:
            names = screen.names_in(address.partition("?")[0])
            if screen.show is not None and names is not None and plain(names):
                return Shown(address, screen.show, names, shared_key(ask.elsewhere(address)))
    return None
