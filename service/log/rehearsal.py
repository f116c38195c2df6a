"""
A command decided to see what it would cause; nothing is appended.

It is decided on states without their hidden values, so that no rehearsal of any command
tells more than everybody at the rail can know.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import msgspec
from msgspec.structs import replace

from engine.coordination.withholding import withheld
from engine.decider import AnyDecider
from engine.kit.hidden import HiddenNeeded
from engine.values import Stream
from service.log.batch import Decide, Entry, States
from service.log.codec import Codec, category_of
from service.log.states import AnyLoaded, Loaded, State, StateCache

ByStream = dict[str, Any]
"""States by the names of their streams, which say of what category each is."""


class Rehearsed(Exception):
    """
    What a command would have caused; raised where its receipt would have been returned.

    So nothing that would follow from the command is done either.
    """

    def __init__(
        self,
        before: ByStream,
        after: ByStream,
        events: list[msgspec.Struct],
        *,
        stopped: bool = False,
    ) -> None:
        super().__init__("rehearsed, and not sent")
        self.asked = b""
        """What was asked, in bytes, where the answer's digest has to hold for this alone."""
        self.league = ""
        self.before = before
        """States of the streams that it would append to, without hidden values."""
        self.after = after
        """States it would lead to; the same streams."""
        self.events = events
        """In order; up to where something hidden decides."""
        self.stopped = stopped
        """Whether a hidden value was needed before anything could be said."""


async def rehearse(codec: Codec, cache: StateCache, league: UUID, decide: Decide) -> Rehearsed:
    """
    Return what *decide* would lead to, on states as fresh as the log.

    Raises:
        CommandRejected: As *decide* refuses it.
    """
    return await carried_out(codec.deciders, Certain(_Fresh(cache, league)), decide)


async def carried_out(
    deciders: Mapping[str, AnyDecider], seen: "Certain", decide: Decide
) -> Rehearsed:
    """
    Return what *decide* leads to on the states *seen*, as far as it is certain.

    Raises:
        CommandRejected: As *decide* refuses it.
    """
    try:
        return await _followed(deciders, seen, await decide(seen))
    except HiddenNeeded:
        return Rehearsed({}, {}, [], stopped=True)


async def _followed(
    deciders: Mapping[str, AnyDecider], seen: States, entries: Sequence[Entry]
) -> Rehearsed:
    before: ByStream = {}
    after: ByStream = {}
    events: list[msgspec.Struct] = []
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


class Certain:
    """The states of *seen* without their hidden values: all that a rehearsal is given."""

    def __init__(self, seen: States) -> None:
        self._seen = seen
        self.found: dict[str, AnyLoaded] = {}

    async def load(self, stream: Stream[State]) -> Loaded[State]:
        """Return the state of *stream*."""
        known = self.found.get(stream)
        if known is None:
            loaded = await self._seen.load(stream)
            known = replace(loaded, state=withheld(loaded.state))
            self.found[stream] = known
        return known


class _Fresh:
    """States as the log has them now."""

    def __init__(self, cache: StateCache, league: UUID) -> None:
        self._cache = cache
        self._league = league

    async def load(self, stream: Stream[State]) -> Loaded[State]:
        """Return the state of *stream*."""
        return await self._cache.load(self._league, stream, fresh=True)
