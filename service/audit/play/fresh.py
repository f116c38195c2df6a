"""The generator's statistics on fresh seeds: every p-value of a night, stored with its master."""

from collections.abc import Iterator
from datetime import date
from itertools import count, islice

import msgspec

from engine.kit.cards import DECKS
from engine.kit.dice import GOLD, SILVER, roll_pair, roll_target
from engine.kit.rng import RandomWords, derive_seed, openings_digest, shuffled_pile
from service.audit.play import statistics
from service.audit.play.statistics import ALARM, chi_square, p_value
from service.base.drivers import Driver

_NONE = openings_digest(())
_values = msgspec.json.Decoder(dict[str, float])
_NIGHTS = """
    SELECT to_char(night, 'YYYY-MM-DD') AS night, p_values::text, master FROM fairness_run
     WHERE night < $2 AND night <= service_time()::date + 1 ORDER BY night DESC LIMIT $1
"""
"""A night that has not come is forged. Its statistics would stand for those of all others."""

_UNREADABLE = {"unreadable": 0.0}
"""The p-values of a night whose statistics somebody has written over. They are an alarm."""


class Night(msgspec.Struct, frozen=True, kw_only=True):
    """The generator's statistics of one night."""

    night: str
    """YYYY-MM-DD."""

    p_values: dict[str, float]

    @property
    def lowest(self) -> tuple[float, str]:
        """Return the lowest p-value and the name of its statistic."""
        return min((value, name) for name, value in self.p_values.items())

    @property
    def alarm(self) -> bool:
        """Return whether a fair generator gives such a value less than once in a million times."""
        return self.lowest[0] < ALARM


async def last_night(driver: Driver) -> Night | None:
    """Return the latest statistics, if there are any."""
    found = await nights(driver, 1, date.max)
    return found[0][0] if found else None


async def nights(driver: Driver, limit: int, before: date) -> list[tuple[Night, bytes]]:
    """Return up to *limit* nights before a date, newest first, each with its master."""
    return [
        (Night(night=row["night"], p_values=_read(row["p_values"])), row["master"])
        for row in await driver.fetch(_NIGHTS, limit, before)
    ]


def _read(text: str) -> dict[str, float]:
    try:
        return _values.decode(text) or _UNREADABLE
    except msgspec.MsgspecError:
        return _UNREADABLE


def measured(master: bytes, share: float = 1.0) -> dict[str, float]:
    """
    Return the p-value of every statistic, over draws from one master as in a tournament.

    Args:
        master: 32 fresh bytes. The same bytes give the same values.
        share: The share of the usual number of draws.
    """
    found = dict(_deviations(master, share))
    return {name: p_value(each) for name, each in found.items()}


def _deviations(master: bytes, share: float) -> Iterator[tuple[str, float]]:
    seeds = _Seeds(master)
    for size in (3, 4, 5, 6):
        drawn = (each.shuffled(range(size)) for each in seeds.streams(int(15_000 * share)))
        yield f"orders of {size} cards", statistics.orders(drawn, size)
    for name, cards in DECKS.items():
        decks = (shuffled_pile(each, _NONE, 1, cards).cards for each in seeds.cards(share))
        counts = statistics.counted(decks, cards)
        yield f"places of {name}", statistics.places(counts, len(cards))
    size, cards = 62, DECKS["d62"]
    drawn = (each.shuffled(range(size)) for each in seeds.streams(int(4_000 * share)))
    yield "neighbours", statistics.neighbours(drawn, size)
    for dealt in (2, 5, 7):
        decks = (shuffled_pile(each, _NONE, 1, cards).cards for each in seeds.cards(share))
        yield f"suits in hands of {dealt}", statistics.hands(decks, cards, dealt)
    for dealt in (5, 7):
        decks = (shuffled_pile(each, _NONE, 1, cards).cards for each in seeds.cards(share))
        yield f"totals of hands of {dealt}", statistics.totals(decks, cards, dealt)
    number = {card: float(index) for index, card in enumerate(cards)}
    first = [number[shuffled_pile(each, _NONE, 1, cards).cards[0]] for each in seeds.cards(share)]
    yield "runs of first cards", statistics.runs(first, (size - 1) / 2)
    yield "first cards after one another", statistics.serial(first)
    yield from _numbers(seeds, share)
    yield from _dice(seeds, share)


def _numbers(seeds: "_Seeds", share: float) -> Iterator[tuple[str, float]]:
    times = int(20_000 * share)
    for below in (2, 3, 6, 62):
        (stream,) = seeds.streams(1)
        draws = [stream.below(below) for _ in range(times)]
        counts = {each: draws.count(each) for each in range(below)}
        yield f"numbers below {below}", chi_square(counts, dict.fromkeys(counts, times / below))
        yield f"gaps below {below}", statistics.gaps(draws, below)
        yield f"serial below {below}", statistics.serial([float(each) for each in draws])


def _dice(seeds: "_Seeds", share: float) -> Iterator[tuple[str, float]]:
    times = int(6_000 * share)
    rolled = [roll_target(each, _NONE) for each in seeds.of("dice", times)]
    sides = len(GOLD) * len(SILVER)
    due = {(gold, suit): times * GOLD.count(gold) / sides for gold in set(GOLD) for suit in SILVER}
    counts = {face: rolled.count(face) for face in due}
    yield "target dice", chi_square(counts, due)
    for label in ("spike", "shift"):
        pairs = [roll_pair(each, label, 1, _NONE) for each in seeds.of("dice", times)]
        every = {(one, two): pairs.count((one, two)) for one in range(1, 7) for two in range(1, 7)}
        yield f"{label} dice", chi_square(every, dict.fromkeys(every, times / 36))


class _Seeds:
    """Seeds from one master. No seed is given out twice."""

    def __init__(self, master: bytes) -> None:
        self._master = master
        self._hands = count(1)

    def of(self, use: str, times: int) -> Iterator[bytes]:
        """Yield *times* seeds."""
        for _ in range(times):
            yield derive_seed(self._master, use, 1, next(self._hands), 1)

    def cards(self, share: float) -> Iterator[bytes]:
        """Yield the seeds of the decks for one statistic."""
        return self.of("cards", int(3_000 * share))

    def streams(self, times: int) -> Iterator[RandomWords]:
        """Return *times* streams, each with a seed of its own."""
        return (RandomWords(seed, "pile") for seed in islice(self.of("cards", times), times))
