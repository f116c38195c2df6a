"""A command decided for the sake of knowing: what it would cause, and nothing appended."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from engine.decider import Decider
from service.eventstore.batch import Decide, Entry, States
from service.eventstore.codec import Codec, category_of
from service.eventstore.states import Loaded, StateCache


class Rehearsed(Exception):
    """
    What a command would have caused; raised where its receipt would have been returned.

    So nothing that would follow from the command is done either.
    """

    def __init__(self, before: dict[str, Any], after: dict[str, Any], events: list[Any]) -> None:
        super().__init__("rehearsed, and not sent")
        self.asked = b""
        """What was asked, in bytes, where the answer's digest has to hold for this alone."""
        self.before = before
        """States of the streams that it would append to."""
        self.after = after
        """States it would lead to; the same streams."""
        self.events = events
        """In order."""


async def rehearse(codec: Codec, cache: StateCache, league: UUID, decide: Decide) -> Rehearsed:
    """
    Return what *decide* would lead to, on states as fresh as the log.

    Raises:
        CommandRejected: As *decide* refuses it.
    """
    seen = _Fresh(cache, league)
    entries: Sequence[Entry] = await decide(seen)
    return await carried_out(codec.deciders, seen, entries)


async def carried_out(
    deciders: Mapping[str, Decider[Any, Any, Any]], seen: States, entries: Sequence[Entry]
) -> Rehearsed:
    """Return what *entries*, which were decided on the states *seen*, lead to."""
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    events: list[Any] = []
    for entry in entries:
        stream = entry.stream
        if entry.events:
            if stream not in before:
                before[stream] = (await seen.load(stream)).state
            state = after.get(stream, before[stream])
            evolve = deciders[category_of(stream)].evolve
            for event in entry.events:
                state = evolve(state, event)
            after[stream] = state
            events.extend(entry.events)
    return Rehearsed(before, after, events)


class _Fresh:
    """States as the log has them now, each read once."""

    def __init__(self, cache: StateCache, league: UUID) -> None:
        self._cache = cache
        self._league = league
        self.found: dict[str, Loaded] = {}

    async def load(self, stream: str) -> Loaded:
        """Return the state of *stream*."""
        known = self.found.get(stream)
        if known is None:
            known = self.found[stream] = await self._cache.load(self._league, stream, fresh=True)
        return known
