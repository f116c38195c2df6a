"""
Pots, built again from wagers by another method than the engine's.

The engine cuts layers at the wagers of live seats. This module divides every seat's
chips into intervals between all distinct wagers. Afterwards it joins intervals that the
same seats can win. Source: rulebook ``pots``.
"""

from collections.abc import Collection, Mapping


def returned(wagers: Mapping[int, int], live: Collection[int]) -> tuple[int, int] | None:
    """Return the seat that gets an uncalled bet back, and its chips, or None if there is none."""
    if not wagers:
        return None
    seat = max(wagers, key=lambda each: wagers[each])
    rest = max((chips for other, chips in wagers.items() if other != seat), default=0)
    excess = wagers[seat] - rest
    return (seat, excess) if excess > 0 and seat in live else None


def pots(
    wagers: Mapping[int, int], live: Collection[int], carry: int
) -> list[tuple[int, tuple[int, ...]]]:
    """Return the chips of each pot and its eligible seats, main pot first."""
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
