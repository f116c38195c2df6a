"""The commitment of every card of a pile, for viewers who may not open its seed."""

from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final

from engine.coordination.deals import deck_of
from engine.kit.cards import in_deck_order
from engine.kit.rng import card_leaves, shuffled_pile
from engine.table import decider
from engine.table.model.events import HandOpened
from service.base.errors import LogIncomplete
from service.bundles.gathering import CODEC
from service.bundles.lines import Leaves
from service.bundles.log import Log
from service.log.keys import LeagueKeys
from service.log.record import Recorded

_EVOLVE: Final = decider.evolve
_MIXED: Final = "table_beacon_mixed"


@dataclass(slots=True)
class _Deal:
    """A table folded up to some event of its last deal."""

    state: Any
    """The folded table. The codec does not know the type of a stored event, so the type is open."""
    version: int


class Piles:
    """Makes the leaves of piles from the house's seeds. The piles must come in log order."""

    def __init__(self, log: Log, keys: LeagueKeys, voided: Collection[int] = ()) -> None:
        self._log = log
        self._keys = keys
        self._voided = voided
        self._tables: dict[str, Any] = {}  # as in the folded table
        """By stream, the table as it was opened."""

        self._deals: dict[str, _Deal] = {}

    async def leaves(self, committed: Recorded) -> Leaves:
        """
        Return the commitment leaves of the pile that this event commits to.

        A ``pile_committed`` must come after the ``hand_opened`` of its deal.
        """
        event = CODEC.decode(committed, self._keys)
        if isinstance(event, HandOpened):
            hashes = await self._deck(committed, event)
        else:
            hashes = await self._new_pile(committed)
        return Leaves(position=committed.position, hashes=tuple(hashes))

    async def _deck(self, recorded: Recorded, opened: HandOpened) -> list[str]:
        stream = recorded.stream
        if stream not in self._tables:
            (first,) = await self._log.stream(stream, 0, 1)
            self._tables[stream] = _EVOLVE(decider.initial, CODEC.decode(first, self._keys))
        table = self._tables[stream]
        self._deals[stream] = _Deal(_EVOLVE(table, opened), recorded.stream_version)
        behind = await self._behind(recorded)
        mixed = behind is not None and behind.type == _MIXED
        beacon = CODEC.decode(behind, self._keys) if behind is not None and mixed else None
        return deck_of(opened, beacon, table.ruleset.deck)

    async def _new_pile(self, recorded: Recorded) -> list[str]:
        deal = self._deals[recorded.stream]
        between = [each async for each in self._between(recorded, deal.version)]
        *before, committed = (CODEC.decode(each, self._keys) for each in between)
        table = reduce(_EVOLVE, before, deal.state)
        deal.state, deal.version = _EVOLVE(table, committed), recorded.stream_version
        hand = table.hand
        pile = shuffled_pile(
            bytes.fromhex(hand.seeds.value.cards),
            hand.digest,
            committed.pile,
            in_deck_order(hand.recyclable),
        )
        return [leaf.hex() for leaf in card_leaves(pile.number, pile.cards, pile.salts)]

    async def _behind(self, recorded: Recorded) -> Recorded | None:
        """Return the next event of the stream that is not voided."""
        after = recorded.stream_version
        while found := await self._log.stream(recorded.stream, after, 1):
            if found[0].position not in self._voided:
                return found[0]
            after = found[0].stream_version
        return None

    async def _between(self, recorded: Recorded, after: int) -> AsyncIterator[Recorded]:
        """Yield a stream's events after version *after* up to *recorded*, without voided ones."""
        while after < recorded.stream_version:
            chunk = await self._log.stream(recorded.stream, after)
            if not chunk:
                raise LogIncomplete("events of this bundle are missing from the log")
            for each in chunk:
                if each.stream_version > recorded.stream_version:
                    return
                if each.position not in self._voided:
                    yield each
            after = chunk[-1].stream_version
