"""
A rehearsal: a command is decided to see what it would cause, and nothing is appended.

It is decided on states without their hidden values. A rehearsal therefore shows nobody more than a
spectator could know.
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
from service.log.batch import event_id
from service.log.codec import Codec, category_of
from service.log.orders import Decide, Order, States, StreamEvents, decided
from service.log.states import AnyLoaded, Loaded, State, StateCache

ByStream = dict[str, Any]  # of all aggregates
"""States by stream name. The name gives the category."""


class Rehearsed(Exception):
    """
    The consequences of a rehearsed command, raised instead of returning its receipt.

    Raising it also prevents everything that would follow from the command.
    """

    def __init__(
        self,
        before: ByStream,
        after: ByStream,
        events: list[msgspec.Struct],
        *,
        stopped: bool = False,
        done: bool = False,
    ) -> None:
        super().__init__("rehearsed, and not sent")
        self.asked = b""
        """
        The request in bytes, for an answer with a digest that must hold for this request only.
        """
        self.league = ""
        self.before = before
        """The states of the streams it would append to, without hidden values."""
        self.after = after
        """The states of the same streams after its events."""
        self.events = events
        """The events in order, up to the point where a hidden value decides."""
        self.stopped = stopped
        """True if a hidden value was needed before any event was certain."""
        self.done = done
        """True if the log holds this command already. Then it would cause nothing."""


async def rehearse(
    codec: Codec, cache: StateCache, league: UUID, order: Order, decide: Decide
) -> Rehearsed:
    """
    Return the effects that *decide* would have, on states as fresh as the log.

    A command that the log holds already is not decided again: sent again, it would cause nothing.

    Raises:
      IdempotencyKeyReused: If the log holds this command with another request.
      StreamVersionConflict: If the order expects another version.
      CommandRejected: As *decide* refuses it.
    """

    if await cache.repeats(league, event_id(order.command_id, 0), order.request):
        return Rehearsed({}, {}, [], done=True)

    async def as_ordered(states: States) -> Sequence[StreamEvents]:
        return await decided(states, order, decide)

    return await carried_out(codec.deciders, Certain(_Fresh(cache, league)), as_ordered)


async def carried_out(
    deciders: Mapping[str, AnyDecider], seen: "Certain", decide: Decide
) -> Rehearsed:
    """
    Return the effects of *decide* on the states *seen*, as far as they are certain.

    Raises:
      CommandRejected: As *decide* refuses it.
    """
    try:
        return await _followed(deciders, seen, await decide(seen))
    except HiddenNeeded:
        return Rehearsed({}, {}, [], stopped=True)


async def _followed(
    deciders: Mapping[str, AnyDecider], seen: States, entries: Sequence[StreamEvents]
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
    """The states of *seen* without their hidden values. A rehearsal sees nothing else."""

    def __init__(self, seen: States) -> None:
        self._seen = seen
        self.league = seen.league
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
    """The current states of the log."""

    def __init__(self, cache: StateCache, league: UUID) -> None:
        self._cache = cache
        self.league = league

    async def load(self, stream: Stream[State]) -> Loaded[State]:
        """Return the state of *stream*."""
        return await self._cache.load(self.league, stream, fresh=True)
