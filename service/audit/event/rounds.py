"""
Scheduled rounds, checked from their events: draws, seats, places, points, the cut.

Points are added up a second time here. Only the pairing comes from the engine, as a function of the
draw and of the earlier meetings. Source: rulebook ``rounds``.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import combinations

from engine.tournament.model import events
from engine.tournament.model.events import rounds as of_rounds
from engine.tournament.model.terms.announced import Terms
from engine.tournament.model.terms.formats import Rounds
from engine.tournament.model.values import Masters
from engine.tournament.model.values.rounds import (
    RoundDraw,
    RoundResult,
    RoundScore,
    RoundTable,
    Score,
)
from engine.tournament.rounds import decisions
from engine.values import EntrantId
from service.audit.play import generator
from service.audit.said import Said, said

_DRAWS_TABLE = 0
_FIRST_DEAL = 1

Hold = Callable[[str, bool, Said], None]
"""Takes the name of a check, whether it holds, and a description of the fault."""

Tally = tuple[Fraction, int, int]
"""Points, wins and chips, by which entrants are ranked. Larger is better."""


class RoundsAudit:
    """
    Follows the rounds of one tournament.

    Args:
        terms: The terms of a tournament with the format rounds.
        masters: The masters that its draws are repeated with.
        entered: Entrants in order of registration.
        digest: Returns the digest of the entrants' commitments that draws are mixed with.
    """

    def __init__(
        self,
        terms: Terms,
        masters: Masters,
        entered: Sequence[EntrantId],
        hold: Hold,
        digest: Callable[[], bytes],
    ) -> None:
        self._terms, self._masters, self._hold = terms, masters, hold
        self._digest = digest
        if not isinstance(terms.format, Rounds):
            raise LookupError("rounds of a tournament whose format has none")
        self._plan = terms.format
        self._in = list(entered)
        self._tables: tuple[RoundTable, ...] = ()
        self._history: list[tuple[RoundTable, ...]] = []
        self._numbers = 0
        self._busts: dict[EntrantId, tuple[int, int]] = {}
        """For each bust of this round: the hand, and the stack at the start of the hand."""

        self._tally: dict[EntrantId, Tally] = dict.fromkeys(entered, (Fraction(0), 0, 0))
        self._stacks: dict[EntrantId, int] = {}

    def see(self, event: events.Event) -> int | None:
        """Check *event*. Return the number of chips in play if it changed, else None."""
        match event:
            case of_rounds.RoundSeated():
                return self._seated(event)
            case events.EntrantBusted():
                self._busts[event.entrant] = (event.hand, event.stack_at_start)
            case of_rounds.RoundEnded():
                self._ended(event)
                return 0
            case of_rounds.CutMade():
                self._cut(event)
            case of_rounds.FinalSeated():
                return self._final(event)
            case events.EntrantEliminated() if event.entrant in self._in:
                self._in.remove(event.entrant)
        return None

    def _check(self, held: bool, what: Said) -> None:
        self._hold("rounds", held, what)

    def _repeat(self, draw: RoundDraw, among: Sequence[EntrantId]) -> None:
        master = bytes.fromhex(self._masters.open)
        seed = generator.seed(master, "draws", _DRAWS_TABLE, draw.number, _FIRST_DEAL)
        order = generator.Draws(seed, draw.label, 1, self._digest()).order(list(among))
        self._hold(
            "seat_draws", tuple(order) == draw.order, said("the draw gives a different order")
        )

    def _seated(self, event: of_rounds.RoundSeated) -> int:
        self._repeat(event.draw, self._in)
        seats = [seat for table in event.tables for seat in table.seats]
        seated = sorted(seat.entrant for seat in seats)
        self._check(
            seated == sorted(self._in), said("not every remaining entrant has exactly one seat")
        )
        sizes = [len(table.seats) for table in event.tables]
        self._check(max(sizes) - min(sizes) <= 1, said("tables differ by more than one player"))
        numbers = [table.number for table in event.tables]
        due = list(range(self._numbers + 1, self._numbers + len(numbers) + 1))
        self._check(numbers == due, said("a table number is used twice or left out"))
        self._check_pairing(event)
        for seat in seats:
            stack = self._terms.starting_stack
            if self._plan.stacks == "carried" and self._history:
                stack = self._stacks[seat.entrant]
            self._check(
                seat.stack == stack,
                said(
                    "%(entrant)s should begin the round with %(stack)s",
                    entrant=seat.entrant,
                    stack=stack,
                ),
            )
        self._numbers = numbers[-1]
        self._tables, self._busts = event.tables, {}
        self._history.append(event.tables)
        self._check_meetings(event)
        return sum(seat.stack for seat in seats)

    def _check_pairing(self, event: of_rounds.RoundSeated) -> None:
        drawn = event.draw.order
        if event.round == 1 or self._plan.seating == "heats":
            count = len(event.tables)
            due = [list(drawn[index::count]) for index in range(count)]
        else:
            place = {entrant: index for index, entrant in enumerate(drawn)}
            ranked = sorted(self._in, key=lambda each: place[each])
            ranked.sort(key=lambda each: self._tally[each], reverse=True)
            due = decisions.paired(
                self._plan, ranked, drawn, self._history, seats=self._terms.table_seats
            )
        found = [sorted(seat.entrant for seat in table.seats) for table in event.tables]
        self._check(
            found == [sorted(each) for each in due], said("the pairing gives different tables")
        )

    def _check_meetings(self, event: of_rounds.RoundSeated) -> None:
        times = dict.fromkeys(combinations(sorted(self._in), 2), 0)
        again = 0
        for tables in self._history:
            for table in tables:
                for pair in combinations(sorted(seat.entrant for seat in table.seats), 2):
                    if pair in times:
                        again += tables is self._history[-1] and times[pair] > 0
                        times[pair] += 1
        fewest, most = min(times.values(), default=0), max(times.values(), default=0)
        told = (event.meetings.fewest, event.meetings.most, event.meetings.again)
        self._check(
            told == (fewest, most, again),
            said("pairs have met %(fewest)s to %(most)s times", fewest=fewest, most=most),
        )

    def _ended(self, event: of_rounds.RoundEnded) -> None:
        known = [table.table for table in self._tables]
        self._check(
            [each.table for each in event.results] == known,
            said("the results come from other tables"),
        )
        before = {seat.entrant: seat.stack for each in self._tables for seat in each.seats}
        for result in event.results:
            self._check_places(result)
            for score in result.scores:
                points, wins, chips = self._tally[score.entrant]
                won = score.stack - before[score.entrant]
                due = self._worth(score, won)
                told = Fraction(score.points)
                self._check(
                    told == due,
                    said(
                        "%(entrant)s should have %(points)s points",
                        entrant=score.entrant,
                        points=float(due),
                    ),
                )
                first = wins + (score.place == 1)
                self._tally[score.entrant] = (points + due, first, chips + won)
                self._stacks[score.entrant] = score.stack
        broke = set(self._busts) if self._plan.stacks == "carried" else set()
        self._check_scores(event.scores, [each for each in self._in if each not in broke])

    def _check_places(self, result: RoundResult) -> None:
        ranks: list[tuple[tuple[int, int, int], RoundScore]] = []
        for score in result.scores:
            hand, stack = self._busts.get(score.entrant, (0, 0))
            out = score.entrant in self._busts
            ranks.append(((0, hand, stack) if out else (1, score.stack, 0), score))
        for rank, score in ranks:
            better = sum(other > rank for other, _ in ranks)
            # Hands and pots won may separate equal chips, and only the table knows these.
            worst = better + sum(other == rank for other, _ in ranks)
            right = better < score.place and score.place + score.shared - 1 <= worst
            if score.entrant in self._busts:
                right = right and score.shared == worst - better
            self._check(
                right,
                said(
                    "%(entrant)s should have a place from %(first)s to %(worst)s",
                    entrant=score.entrant,
                    first=better + 1,
                    worst=worst,
                ),
            )
        places = [score.place for _, score in ranks]
        shares = all(score.shared == places.count(score.place) for _, score in ranks)
        self._check(shares, said("a shared place has the wrong number of entrants"))

    def _worth(self, score: RoundScore, won: int) -> Fraction:
        if self._plan.points == "chips":
            return Fraction(won)
        table = self._plan.place_points or range(self._terms.table_seats, 0, -1)
        there = list(table)[score.place - 1 : score.place - 1 + score.shared]
        # Rounded half to even at two digits, like ``round`` with fractions.
        return round(Fraction(sum(there), score.shared), 2)

    def _check_scores(self, scores: Sequence[Score], still: Sequence[EntrantId]) -> None:
        same = sorted(each.entrant for each in scores) == sorted(still)
        self._check(same, said("the scores are not those of the remaining entrants"))
        for score in scores:
            points, wins, chips = tally = self._tally[score.entrant]
            better = sum(self._tally[each] > tally for each in still)
            equal = sum(self._tally[each] == tally for each in still)
            held = Decimal(score.points) == Decimal(points.numerator) / points.denominator
            held = held and (score.wins, score.chips) == (wins, chips)
            self._check(
                held, said("the points of %(entrant)s do not add up", entrant=score.entrant)
            )
            right = (score.rank, score.shared) == (better + 1, equal)
            self._check(
                right,
                said(
                    "the rank of %(entrant)s should be %(first)s",
                    entrant=score.entrant,
                    first=better + 1,
                ),
            )

    def _cut(self, event: of_rounds.CutMade) -> None:
        order = sorted(self._in, key=lambda each: self._tally[each], reverse=True)
        if self._plan.cut is None:
            raise LookupError("a cut that the terms do not have")
        size = min(self._plan.cut, len(order))
        line = self._tally[order[size - 1]]
        straddles = size < len(order) and self._tally[order[size]] == line
        tied = [each for each in self._in if self._tally[each] == line] if straddles else []
        self._check(list(event.tied) == tied, said("the tie at the cut is between other entrants"))
        self._check(
            (event.draw is not None) == straddles, said("the lots are missing, or not needed")
        )
        safe = {each for each in order if self._tally[each] > line or not straddles}
        due = safe & set(order[:size])
        if event.draw is not None:
            self._repeat(event.draw, tied)
            due |= set(event.draw.order[: size - len(due)])
        self._check(set(event.going) == due, said("the cut lets other entrants into the final"))

    def _final(self, event: of_rounds.FinalSeated) -> int:
        self._repeat(event.draw, self._in)
        seated = sorted(each.entrant for each in event.assignments)
        self._check(seated == sorted(self._in), said("not every finalist has exactly one seat"))
        numbers = sorted({each.table_number for each in event.assignments})
        fresh = numbers == list(range(self._numbers + 1, self._numbers + len(numbers) + 1))
        self._check(fresh, said("a table number is used twice or left out"))
        own = self._plan.stacks == "carried" and self._plan.final_stack is None
        stack = self._plan.final_stack or self._terms.starting_stack
        due = {each: self._stacks[each] if own else stack for each in self._in}
        right = all(each.stack == due[each.entrant] for each in event.assignments)
        self._check(right, said("a finalist begins with the wrong stack"))
        return sum(each.stack for each in event.assignments)
