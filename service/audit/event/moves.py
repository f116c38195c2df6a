"""Checking the seats after each move, break and draw, and the facts in rulings and lots."""

from collections.abc import Callable, Iterator, Sequence

from engine.tournament.model import events
from engine.tournament.model.events import floor
from engine.tournament.model.state import Running, State
from engine.tournament.model.values import Candidate, Draw, Masters, Move
from service.audit.play import generator
from service.audit.said import Said, said

_DRAWS_TABLE = 0
_FIRST_DEAL = 1

Proof = tuple[str, bool, Said]
"""The name of a check, whether it holds, and a description of the fault."""


def proofs_of(
    event: events.Event, before: State, masters: Masters | None, digest: Callable[[], bytes]
) -> Iterator[Proof]:
    """
    Yield the checks of *event* in a tournament with the state *before*.

    Args:
        digest: Returns the digest of the entrants' commitments that draws are mixed with.
    """
    if not isinstance(before, Running) or masters is None:
        return
    match event:
        case events.EntrantsMoved() | events.TableBroken() | floor.SeatsRedrawn():
            yield from _moved(event.moves, before)
            if event.draw is not None:
                yield _drawn(event.draw, event.candidates, masters, digest())
        case floor.LastHandsCalled(draw=floor.LotDrawn() as lot):
            draws = _draws(masters, "lot", lot.number, digest())
            due = lot.low + draws.below(lot.high - lot.low + 1)
            yield (
                "seat_draws",
                due == lot.drawn,
                said("the lot drawn gives a different number of hands"),
            )
        case floor.PenaltyGiven():
            yield from _penalised(event, before)
        case floor.BreakStarted() | floor.BreakEnded():
            ends = isinstance(event, floor.BreakEnded)
            yield (
                "rulings",
                (before.floor.rest is not None) == ends,
                said("a break began or ended twice"),
            )
        case floor.MoveOrdered():
            source = before.seating(event.from_table)
            sits = source is not None and source.seat_of(event.entrant) == event.from_seat
            yield "rulings", sits, said("a move was ordered for an entrant in another seat")
        case floor.StackRemoved():
            known = event.entrant in before.floor.disqualified
            yield (
                "rulings",
                known,
                said("the stack of an entrant who was not disqualified left play"),
            )


def _moved(moves: Sequence[Move], before: Running) -> Iterator[Proof]:
    sitting = {
        (table.table, each.seat): each.entrant for table in before.tables for each in table.seats
    }
    for move in moves:
        there = sitting.pop((move.from_table, move.from_seat), None)
        yield (
            "moves",
            there == move.entrant,
            said("%(entrant)s was moved from a seat of somebody else", entrant=move.entrant),
        )
    for move in moves:
        place = (move.to_table, move.to_seat)
        yield (
            "moves",
            place not in sitting,
            said("%(entrant)s was moved to a seat that was taken", entrant=move.entrant),
        )
        sitting[place] = move.entrant


def _penalised(event: floor.PenaltyGiven, before: Running) -> Iterator[Proof]:
    table = before.seating(event.table)
    players = 0 if table is None else len(table.seats)
    yield "rulings", event.players == players, said("a penalty counts the wrong number of players")
    if event.rounds is not None:
        due = event.rounds * players
        yield (
            "rulings",
            event.hands == due,
            said("a penalty of %(rounds)s rounds is %(due)s hands", rounds=event.rounds, due=due),
        )


def _drawn(draw: Draw, candidates: Sequence[Candidate], masters: Masters, digest: bytes) -> Proof:
    entrants = [each.entrant for each in candidates]
    order = _draws(masters, draw.label, draw.number, digest).order(entrants)
    return "seat_draws", tuple(order) == draw.order, said("the draw gives a different order")


def _draws(masters: Masters, label: str, number: int, digest: bytes) -> generator.Draws:
    master = bytes.fromhex(masters.open)
    seed = generator.seed(master, "draws", _DRAWS_TABLE, number, _FIRST_DEAL)
    return generator.Draws(seed, label, 1, digest)
