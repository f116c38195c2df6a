"""Entries, the waitlist and offers always agree with a plain list of names."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import CommandRejected
from engine.rulesets import resolve
from engine.tournament import decider
from engine.tournament.model.commands import Register, StartPlay, Withdraw
from engine.tournament.model.commands.entering import (
    AnswerOffer,
    CloseLateRegistration,
    ExpireOffer,
)
from engine.tournament.model.events import ChipsPromised, SeatsDrawn
from engine.tournament.model.events.entering import TableAdded
from engine.tournament.model.state import Registering, Running
from engine.tournament.model.terms import EntryTerms
from tests.engine.tournament.floor import NOON, announce, entrant, opening, player, table

OFFER = timedelta(minutes=10)
PEOPLE = 12
STACK = 1_000
FLAT = resolve("better", {"escalation": {"kind": "none"}})

random_nights = settings(derandomize=True, max_examples=60, deadline=None, database=None)


@dataclass
class Book:
    """The lists that an organiser would keep with paper and pencil."""

    places: int
    inside: list[int] = field(default_factory=list)
    line: list[int] = field(default_factory=list)
    asked: dict[int, datetime] = field(default_factory=dict)

    def come(self, who: int) -> bool:
        if who in self.inside or who in self.line:
            return False
        free = len(self.inside) + len(self.asked) < self.places
        waiting = any(each not in self.asked for each in self.line)
        (self.inside if free and not waiting else self.line).append(who)
        return True

    def go(self, who: int, now: datetime) -> bool:
        if who not in self.inside and who not in self.line:
            return False
        (self.inside if who in self.inside else self.line).remove(who)
        self.asked.pop(who, None)
        self._ask(now)
        return True

    def answer(self, who: int, accepted: bool, now: datetime) -> bool:
        if who not in self.asked or now > self.asked[who]:
            return False
        if not accepted:
            return self.go(who, now)
        del self.asked[who]
        self.line.remove(who)
        self.inside.append(who)
        return True

    def expire(self, who: int, now: datetime) -> bool:
        if who not in self.asked or now <= self.asked[who]:
            return False
        return self.go(who, now)

    def _ask(self, now: datetime) -> None:
        until = min(now + OFFER, NOON)
        # No offer reaches beyond the start, because then everybody who still waits is entered.
        for who in self.line if now < until else ():
            if len(self.inside) + len(self.asked) < self.places and who not in self.asked:
                self.asked[who] = until


class Night:
    """A tournament and all of its events."""

    def __init__(self, places: int, **entry: Any) -> None:
        terms = EntryTerms(waitlist=True, offer_seconds=int(OFFER.total_seconds()), **entry)
        self.now = NOON - timedelta(hours=1)
        self.state: Any = decider.initial
        self.events: list[Any] = []
        self.ask(announce(ruleset=FLAT, entrants_max=places, entry=terms, starting_stack=STACK))
        self.ask(opening)

    def ask(self, command: Any) -> bool:
        """Carry out *command*. Return True if anything has changed."""
        try:
            events, self.state = decider.carry_out(self.state, command)
        except CommandRejected:
            return False
        self.events += events
        return bool(events)


def number_of(who: str) -> int:
    return int(who[-4:], 16) - 2_000


def step(night: Night, book: Book, dice: Random) -> None:
    """Do one random thing in both, and assert that they agree."""
    who, what = dice.randrange(PEOPLE), dice.randrange(6)
    now = night.now
    asked: dict[int, tuple[Any, Any]] = {
        0: (Withdraw(entrant=entrant(who), now=now), lambda: book.go(who, now)),
        1: (
            AnswerOffer(entrant=entrant(who), accepted=True, now=now),
            lambda: book.answer(who, True, now),
        ),
        2: (
            AnswerOffer(entrant=entrant(who), accepted=False, now=now),
            lambda: book.answer(who, False, now),
        ),
        3: (ExpireOffer(entrant=entrant(who), now=now), lambda: book.expire(who, now)),
    }
    come = (
        Register(entrant=entrant(who), player=player(who), now=now),
        lambda: book.come(who),
    )
    command, expected = asked.get(what, come)
    assert night.ask(command) is expected(), (command, book)
    entering = night.state.entering
    assert [number_of(each.entrant) for each in night.state.entrants] == book.inside
    assert [number_of(each.entrant) for each in entering.waiting] == book.line
    assert {number_of(e.entrant): e.offered_until for e in entering.offers()} == book.asked
    assert len(book.inside) + len(book.asked) <= book.places
    assert not night.ask(command) or what == 1, "doing it twice is doing it once"
    night.now += timedelta(seconds=dice.choice((1, 60, 400)))


@random_nights
@given(st.integers(2, 6), st.integers(0, 2**16), st.integers(1, 60))
def test_a_plain_list_says_who_is_in_and_who_is_next(places: int, seed: int, steps: int) -> None:
    night, book, dice = Night(places), Book(places), Random(seed)
    for _ in range(steps):
        step(night, book, dice)


@random_nights
@given(st.integers(2, 9), st.integers(0, 2**16), st.integers(0, 40))
def test_nobody_is_lost_or_doubled_by_coming_late_and_chips_are_stacks_times_entries(
    places: int, seed: int, steps: int
) -> None:
    night, dice = Night(places, late_registration_seconds=3600), Random(seed)
    for who in range(dice.randrange(2, PEOPLE)):
        night.ask(Register(entrant=entrant(who), player=player(who), now=night.now))
    tables = tuple(table(number) for number in range(1, PEOPLE))
    night.now = NOON
    night.ask(StartPlay(table_ids=tables, now=NOON))
    assert isinstance(night.state, Running)
    for number in range(steps):
        who = dice.randrange(PEOPLE)
        fresh = (table(100 + number),)
        come = Register(entrant=entrant(who), player=player(who), table_ids=fresh, now=night.now)
        night.ask(come)
        assert not night.ask(come), "a retry changes nothing"
        if dice.randrange(4) == 0:
            night.ask(Withdraw(entrant=entrant(dice.randrange(PEOPLE)), now=night.now))
        _check_running(night, places)
    night.ask(CloseLateRegistration(now=night.now))
    assert not night.state.entering.waiting


def _check_running(night: Night, places: int) -> None:
    state = night.state
    assert isinstance(state, Running)
    seated = [*state.remaining(), *(each.entrant for each in state.promised)]
    assert sorted(seated) == sorted(each.entrant for each in state.entrants)
    waiting = [each.player for each in state.entering.waiting]
    everybody = [*(each.player for each in state.entrants), *waiting]
    assert len(everybody) == len(set(everybody))
    assert len(seated) <= places
    numbers = [each.number for each in state.entering.waiting]
    assert numbers == sorted(numbers)
    spots = [(each.table, seat.seat) for each in state.tables for seat in each.seats]
    spots += [(each.table, each.seat) for each in state.promised]
    assert len(spots) == len(set(spots))
    drawn = next(each for each in night.events if isinstance(each, SeatsDrawn))
    chips = sum(each.stack for each in drawn.assignments) + sum(
        each.chips for each in night.events if isinstance(each, ChipsPromised | TableAdded)
    )
    assert chips == STACK * len(state.entrants)


def test_the_book_and_the_tournament_begin_alike() -> None:
    assert isinstance(Night(2).state, Registering)
