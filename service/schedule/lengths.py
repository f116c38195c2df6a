"""The length of an evening, from many evenings that a model plays in a process of its own."""

import asyncio
import json
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Final, NamedTuple

import structlog

from engine.rulesets.parts import LevelStep, Rebuy
from engine.rulesets.structure import HAND_SECONDS, PLAYER_SECONDS
from service.base.errors import Overloaded
from service.base.pools import SIMULATION
from service.schedule import evening_model
from service.schedule.evening_model import Ended, Late, Level, Plan, Rebuys

EVENINGS_MIN: Final = 20
"""The fewest evenings from which a length is given."""

LATE_ONE_IN: Final = 6
"""One player in this many comes late, unless the organiser states another number."""

BUYING_PERCENT: Final = 50
"""The percentage of possible rebuys that are bought, unless the organiser states another one."""

_SECONDS_MAX: Final = 10
"""The time after which a simulation is given up."""

_KNOWN_MAX: Final = 256
_FOREVER: Final = 1e12
_ANY_NUMBER: Final = 10**6
_NO_REBUYS: Final = Rebuy()
_PROGRAM: Final = (sys.executable, "-I", "-S", str(Path(evening_model.__file__)))

_log = structlog.get_logger(__name__)


class Lengths(NamedTuple):
    """The lengths of the simulated evenings, in seconds, and their hands and levels."""

    evenings: int
    p10: int
    """A tenth of the evenings are shorter."""

    p50: int
    p90: int
    """A tenth of the evenings are longer."""

    hands: int
    """The hands at all tables that half of the evenings do not exceed."""

    level: int
    """The level that half of the evenings do not exceed at their end."""


def plan_of(
    *,
    players: int,
    seats: int,
    stack: int,
    unit: int,
    levels: Sequence[LevelStep],
    breaks: Iterable[tuple[int, int]] = (),
    late: tuple[int, int] | None = None,
    rebuy: Rebuy = _NO_REBUYS,
    percent: int = BUYING_PERCENT,
) -> Plan:
    """
    Return the plan of an evening with levels by the clock.

    Args:
        seats: The most players at a table.
        unit: The smallest chip of the game.
        breaks: The level after which each break comes, and its seconds.
        late: The last level in which players may come, and how many of all come late.
        percent: The percentage of possible rebuys that are bought.
    """
    ends = [*accumulate(step.length or _FOREVER for step in levels)]
    return Plan(
        players=players,
        seats=seats,
        stack=stack,
        unit=unit,
        levels=tuple(
            Level(step.small, step.big, step.ante, end)
            for step, end in zip(levels, ends, strict=True)
        ),
        breaks=tuple((ends[level - 1], seconds) for level, seconds in breaks),
        hand_seconds=HAND_SECONDS,
        player_seconds=PLAYER_SECONDS,
        late=Late() if late is None else Late(late[1], ends[late[0] - 1]),
        rebuys=_rebuys(rebuy, ends, percent),
    )


def _rebuys(rebuy: Rebuy, ends: Sequence[float], percent: int) -> Rebuys:
    if rebuy.max == 0:
        return Rebuys()
    each = _ANY_NUMBER if rebuy.max is None else rebuy.max
    last = rebuy.until_level or len(ends)
    return Rebuys(each, ends[min(last, len(ends)) - 1], percent / 100)


def lengths_of(evenings: Sequence[Ended]) -> Lengths | None:
    """Return the lengths of *evenings*, which are sorted, or None if they are too few."""
    number = len(evenings)
    if number < EVENINGS_MIN:
        return None
    hands = sorted(each.hands for each in evenings)
    levels = sorted(each.level for each in evenings)
    return Lengths(
        evenings=number,
        p10=evenings[number // 10].seconds,
        p50=evenings[number // 2].seconds,
        p90=evenings[number * 9 // 10].seconds,
        hands=hands[number // 2],
        level=levels[number // 2],
    )


class Simulated:
    """The lengths of recently simulated evenings, by their plans."""

    def __init__(self) -> None:
        self._known: OrderedDict[Plan, Lengths | None] = OrderedDict()
        self._under_way: dict[Plan, asyncio.Task[Lengths | None]] = {}

    def knows(self, plan: Plan) -> bool:
        """Return whether the lengths of *plan* need no further simulation."""
        return plan in self._known or plan in self._under_way

    async def of(self, plan: Plan, client: str) -> Lengths | None:
        """
        Return the lengths of evenings by *plan*, or None if the field is too large to simulate.

        Args:
            client: The account that asks.

        Raises:
            Overloaded: If too many simulations wait, or this one took too long or failed. A busy
                machine may do it later, so that is not remembered.
        """
        if plan not in self._known:
            if plan not in self._under_way:
                self._under_way[plan] = asyncio.create_task(self._found(plan, client))
            # A request that comes meanwhile waits for the same evenings.
            return await asyncio.shield(self._under_way[plan])
        self._known.move_to_end(plan)
        return self._known[plan]

    async def _found(self, plan: Plan, client: str) -> Lengths | None:
        try:
            found = self._known[plan] = await SIMULATION.run(client, _simulated, plan)
        finally:
            del self._under_way[plan]
        if len(self._known) > _KNOWN_MAX:
            self._known.popitem(last=False)
        return found


def _simulated(plan: Plan) -> Lengths | None:
    """
    Play the evenings in a process of their own.

    Raises:
        Overloaded: If it takes too long, or its process fails.
    """
    given = json.dumps(plan._asdict())
    try:
        done = subprocess.run(
            _PROGRAM, input=given, capture_output=True, text=True, timeout=_SECONDS_MAX, check=True
        )
    except subprocess.TimeoutExpired:
        _log.warning("evenings were not simulated in time", seconds=_SECONDS_MAX)
        raise Overloaded("the simulation took too long; nothing was done") from None
    except subprocess.SubprocessError as error:
        _log.warning("evenings were not simulated", error=f"{type(error).__name__}: {error}")
        raise Overloaded("the simulation failed; nothing was done") from None
    return lengths_of([Ended(*each) for each in json.loads(done.stdout)])
