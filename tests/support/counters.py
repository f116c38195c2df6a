"""A small aggregate with which the log is tested without the game."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4, uuid5

import msgspec

from engine.decider import Decider
from engine.errors import CommandRejected
from engine.values import HOUSE, EntrantId, Sealed, SealedCard, audience_of
from service.log.writer import Decide, Order, States, StreamEvents

ALICE = audience_of(EntrantId("ent_" + "a" * 32))
BORIS = audience_of(EntrantId("ent_" + "b" * 32))
SALT = bytes(range(32))


class Secret(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of a hidden value that has members."""

    seed: str


class Counted(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="counted"):
    """The count rose by ``by``."""

    by: int
    note: str = ""
    at: datetime | None = None


class Hidden(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="hidden"):
    """An event with hidden values."""

    secret: Sealed[Secret]
    cards: tuple[SealedCard, ...] = ()
    picks: dict[str, Sealed[int]] = {}


class TooMuch(CommandRejected):
    """The count would exceed its limit."""

    code = "too_much"
    detail = "the count would exceed its limit"

    total: int


class Count(msgspec.Struct, frozen=True):
    """The state: the total, and the number of hidden events."""

    total: int = 0
    hidden: int = 0


def _decide(state: Count, command: int) -> tuple[Counted | Hidden, ...]:
    if state.total + command > 1_000_000:
        raise TooMuch(total=state.total)
    return (Counted(by=command),) if command else ()


def _evolve(state: Count, event: Counted | Hidden) -> Count:
    if isinstance(event, Counted):
        return Count(state.total + event.by, state.hidden)
    return Count(state.total, state.hidden + 1)


COUNTER: Decider[Any, Any, Any] = Decider(
    category="table",
    events=Counted | Hidden,
    initial=Count(),
    decide=_decide,
    evolve=_evolve,
)
DECIDERS = {"table": COUNTER, "tournament": COUNTER, "league": COUNTER}


def hidden() -> Hidden:
    """Return an event with each kind of hidden value."""
    return Hidden(
        secret=Sealed(Secret(seed="f00d"), SALT, (HOUSE,)),
        cards=(
            SealedCard("C+01", bytes(32), 1, 0, (HOUSE, ALICE)),
            SealedCard("T-10", SALT, 1, 1, (HOUSE, BORIS)),
        ),
        picks={"1": Sealed(4711, SALT, (HOUSE, ALICE)), "0": Sealed(7, bytes(32), (HOUSE,))},
    )


def new_league() -> str:
    """Return the identifier of a new league."""
    return f"lge_{uuid4().hex}"


def stream(number: int, category: str = "table") -> str:
    """Return the stream of the aggregate with this number."""
    return f"{category}-{UUID(int=number).hex}"


def command(name: str | None = None, request: bytes = b"{}") -> Order:
    """Return a command. Equal names give equal command ids."""
    return Order(
        command_id=uuid5(UUID(int=0), name) if name else uuid4(),
        actor="plr_" + "1" * 32,
        received_at=datetime.now(UTC),
        request=request,
    )


def counting(where: str, by: int = 1, guards: tuple[str, ...] = ()) -> Decide:
    """Return a decision that counts *by* in the stream *where*, under *guards*."""

    async def decide(states: States) -> list[StreamEvents]:
        loaded = await states.load(where)
        for guard in guards:
            await states.load(guard)
        events = COUNTER.decide(loaded.state, by)
        return [StreamEvents(where, events), *(StreamEvents(guard) for guard in guards)]

    return decide
