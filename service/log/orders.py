"""Orders: requests that change something, the states they see, and the entries they become."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Final, Protocol, TypeVar
from uuid import UUID

import msgspec

from engine.decider import Command, Decider
from engine.league.roles import Capability, may
from engine.league.state import Created
from engine.values import PlayerId, Stream, identifier
from service.base.errors import Forbidden, StreamVersionConflict
from service.base.uuids import uuid5
from service.log.states import AnyLoaded, Loaded, State
from service.log.streams import league_stream

Event = TypeVar("Event", bound=msgspec.Struct)

HOUSE: Final = "house"
"""The actor of the house's own commands."""


class StreamEvents(msgspec.Struct, frozen=True):
    """Events for one stream. Without any, it is a guard: the stream must not move."""

    stream: Stream[msgspec.Struct]
    events: tuple[msgspec.Struct, ...] = ()
    state: msgspec.Struct | None = None
    """
    The state after these events, if the decide function already has it.

    It must follow from the state that the command loaded. The writer then does not evolve the
    events a second time.
    """


class Expected(msgspec.Struct, frozen=True):
    """The versions that a caller has read of a stream. Any other version refuses the order."""

    stream: Stream[msgspec.Struct]
    """The stream that must still be as the caller read it."""

    versions: tuple[int, ...]
    """The versions that the caller names. None of them holds if it is empty."""


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """
    A request that changes something: its identifier, its actor, and the bytes that identify a
    retry.

    The decide function holds the command of the engine.
    """

    command_id: UUID
    """The identifier of the command. A retry has the same one."""

    actor: str
    """The player who asks, or the house."""

    received_at: datetime
    """The instant of receipt."""

    request: bytes
    """The request in bytes. The log keeps only its keyed digest."""

    correlation_id: str | None = None
    """The ID of the HTTP request, for the metadata."""

    causation_id: str | None = None
    """The event that caused the order, for the metadata."""

    rehearse: bool = False
    """True to return only what the command would cause, without appending it."""

    expected: Expected | None = None
    """The version that a stream must have, or None if any will do."""

    office: Capability | None = None
    """The capability of an office that the actor needs, or None if every member may."""

    entered: bool = False
    """True if the actor is staff who play in the tournament, which the metadata records."""

    def new_id(self, number: int) -> UUID:
        """Return identifier *number* of this command. A retry gets the same one."""
        return uuid5(self.command_id, f"id/{number}")


class States(Protocol):
    """The states of one league that a command is decided on."""

    @property
    def league(self) -> UUID:
        """The league."""

    async def load(self, stream: Stream[State]) -> Loaded[State]:
        """Return a stream's state as the commands before this one leave it."""


Decide = Callable[[States], Awaitable[Sequence[StreamEvents]]]
"""Returns the entries to append, the command's own stream first, or raises a refusal."""


def on_stream(
    stream: Stream[State], decider: Decider[State, Command, Event], command: Command
) -> Decide:
    """Return the function that decides *command* on one stream alone."""

    async def decide(states: States) -> Sequence[StreamEvents]:
        state = (await states.load(stream)).state
        return [StreamEvents(stream, decider.decide(state, command))]

    return decide


async def decided(states: States, order: Order, decide: Decide) -> Sequence[StreamEvents]:
    """
    Return the entries of *decide*, if the order's expected version and its office still hold.

    Both are compared in the order's own turn, so no other command can come in between. The office
    is guarded, so it holds until the append.

    Raises:
      StreamVersionConflict: If the stream has another version.
      Forbidden: If the actor has lost the office since the request was admitted.
      CommandRejected: As *decide* refuses it.
    """
    expected = order.expected
    if expected is not None:
        demand(await states.load(expected.stream), expected.versions)
    if order.office is None:
        return await decide(states)
    league = league_stream(identifier("lge", states.league))
    state = (await states.load(league)).state
    role = state.role_of(PlayerId(order.actor)) if isinstance(state, Created) else None
    if not may(role, order.office):
        raise Forbidden("you have lost the office that allowed this", capability=order.office)
    return [*await decide(states), StreamEvents(league)]


def demand(loaded: AnyLoaded, versions: tuple[int, ...]) -> None:
    """
    Check that a stream has one of the *versions* that a caller has read.

    Raises:
      StreamVersionConflict: If it has another version.
    """
    if loaded.version not in versions:
        detail = "it has changed since you read it: read it again, and send its new ETag"
        raise StreamVersionConflict(detail, version=loaded.version)
