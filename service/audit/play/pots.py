"""
Pots, built again from wagers by another method than the engine's.

The engine cuts layers at the live seats' wagers.  Here every seat's chips are
dealt out interval by interval between all distinct wagers, and intervals that
the same seats can win are put together afterwards.  Source: rulebook ``pots``.
"""

from collections.abc import Collection, Mapping


def returned(wagers: Mapping[int, int], live: Collection[int]) -> tuple[int, int] | None:
    """Return the seat that gets chips back which nobody matched, and how many."""
    if not wagers:
        return None
    seat = max(wagers, key=lambda each: wagers[each])
    rest = max((chips for other, chips in wagers.items() if other != seat), default=0)
    excess = wagers[seat] - rest
    return (seat, excess) if excess > 0 and seat in live else None


def pots(
    wagers: Mapping[int, int], live: Collection[int], carry: int
) -> list[tuple[int, tuple[int, ...]]]:
    """Return chips and the seats that may win them, main pot first."""
    formed: list[tuple[int, tuple[int, ...]]] = []
    below = 0
    for edge in sorted({chips for chips in wagers.values() if chips}):
        chips = (edge - below) * sum(wager >= edge for wager in wagers.values())
        eligible = tuple(sorted(seat for seat in live if wagers.get(seat, 0) >= edge))
        if not formed and not eligible:
            eligible = tuple(sorted(live))
        if formed and eligible in ((), formed[-1][1]):
            formed[-1] = (formed[-1][0] + chips, formed[-1][1])
        else:
            formed.append((chips, eligible))
        below = edge
    if not formed:
        formed.append((0, tuple(sorted(live))))
    main, seats = formed[0]
    return [(main + carry, seats), *formed[1:]]
