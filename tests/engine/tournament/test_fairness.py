"""The entropy of entrants: the time to commit and open, and its use in draws."""

from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest
from msgspec.structs import replace

from engine.coordination import deals
from engine.coordination.aggregates import DECIDERS
from engine.coordination.next_hand import plan_next_hand
from engine.coordination.policies import decide_in_turn, tables_of
from engine.kit.rng import commitments_digest, derive_seed, entropy_commitment, shuffle
from engine.table.model.commands import Omission, OpenHand
from engine.table.model.events import HandOpened
from engine.table.model.state import Table
from engine.tournament import decider
from engine.tournament.model.commands import StartPlay
from engine.tournament.model.commands.entering import CheckIn
from engine.tournament.model.commands.fairness import CommitEntropy, OpenEntropy, PublishSeeds
from engine.tournament.model.errors import EntrantUnknown, TournamentNotRunning
from engine.tournament.model.errors.fairness import (
    EntropyCommittedAlready,
    EntropyMismatch,
    EntropyNotCommitted,
    EntropyOpenedAlready,
    EntropyTooEarly,
    EntropyTooLate,
    NotCheckedIn,
    SeedsStillNeeded,
)
from engine.tournament.model.events import SeatsDrawn
from engine.tournament.model.events.fairness import EntropyCommitted, EntropyOpened
from engine.tournament.model.events.rounds import RoundSeated
from engine.tournament.model.state.rounds import RoundsState
from engine.tournament.model.terms import EntryTerms
from engine.values import EntrantId, HandId
from tests.engine.scenario import Scenario
from tests.engine.tournament.floor import (
    MASTERS,
    NOON,
    announce,
    entrant,
    opening,
    register,
    start,
    table,
)

HAND = HandId("hnd_" + "0" * 32)
HEAD = "00" * 32


def own(number: int) -> bytes:
    return bytes([number]) * 32


def commit(number: int, value: bytes | None = None) -> CommitEntropy:
    commitment = entropy_commitment(value or own(number))
    return CommitEntropy(entrant=entrant(number), commitment=commitment, now=NOON)


def reveal(number: int, value: bytes | None = None, *, in_time: bool = True) -> OpenEntropy:
    text = (value or own(number)).hex()
    return OpenEntropy(entrant=entrant(number), value=text, in_time=in_time, now=NOON)


def registering(entrants: int, **terms: Any) -> Scenario:
    enters = (register(number + 1) for number in range(entrants))
    return Scenario(decider).asked(announce(**terms), opening, *enters)


def seats_by(digest: bytes, entrants: list[EntrantId]) -> tuple[str, ...]:
    seed = derive_seed(bytes.fromhex(MASTERS.open), "draws", 0, 1, 1)
    return shuffle(entrants, seed=seed, label="seats", digest=digest)


def test_an_entrant_commits_once_and_before_the_seats_are_drawn() -> None:
    scenario = registering(3)
    scenario.when(commit(9)).then_rejected(EntrantUnknown)
    (committed,) = scenario.when(commit(1)).events()
    assert isinstance(committed, EntropyCommitted)
    assert committed.commitment == entropy_commitment(own(1))
    scenario.when(commit(1)).then_rejected(EntropyCommittedAlready)
    scenario.when(commit(1, own(7))).then_rejected(EntropyCommittedAlready)
    scenario.when(reveal(1)).then_rejected(EntropyTooEarly)
    scenario.asked(start())
    scenario.when(commit(2)).then_rejected(EntropyTooLate, until="seats_drawn")


def test_what_was_committed_to_is_opened_once_and_before_the_first_hand() -> None:
    scenario = registering(3).asked(commit(1), commit(2), start())
    scenario.when(reveal(9)).then_rejected(EntrantUnknown)
    scenario.when(reveal(3)).then_rejected(EntropyNotCommitted)
    scenario.when(reveal(1, own(2))).then_rejected(EntropyMismatch)
    (opened,) = scenario.when(reveal(1)).events()
    assert isinstance(opened, EntropyOpened)
    scenario.when(reveal(1)).then_rejected(EntropyOpenedAlready)
    scenario.when(reveal(2, in_time=False)).then_rejected(EntropyTooLate, until="first_hand")


def test_nobody_opens_in_a_tournament_that_was_never_played() -> None:
    Scenario(decider).when(reveal(1)).then_rejected(TournamentNotRunning, phase="unannounced")


def test_who_has_not_checked_in_does_not_commit() -> None:
    scenario = registering(3, entry=EntryTerms(check_in_opens_before_seconds=3600))
    scenario.when(commit(1)).then_rejected(NotCheckedIn)
    scenario.asked(CheckIn(entrant=entrant(1), now=NOON))
    assert len(scenario.when(commit(1)).events()) == 1


def test_seats_are_drawn_by_the_commitments_in_order_of_registration() -> None:
    """
    The order of the commitments does not matter. An entrant without a commitment adds nothing.
    """
    names = [entrant(number) for number in (1, 2, 3, 4)]
    due = commitments_digest(
        [bytes.fromhex(entropy_commitment(own(number))) for number in (1, 2, 4)]
    )
    for order in permutations((1, 2, 4)):
        scenario = registering(4).asked(*(commit(number) for number in order))
        drawn = next(each for each in scenario.when(start()).events() if type(each) is SeatsDrawn)
        assert drawn.draw.order == seats_by(due, names)
    assert seats_by(due, names) != seats_by(commitments_digest(()), names)


def test_who_has_not_checked_in_again_adds_nothing_to_a_draw() -> None:
    """After a postponed start everybody checks in again. An old commitment alone does not count."""
    terms = EntryTerms(
        check_in_opens_before_seconds=3600, no_show="seat_absent", too_few="postpone"
    )
    scenario = registering(2, entrants_min=3, entry=terms)
    for number in (1, 2):
        scenario.asked(CheckIn(entrant=entrant(number), now=NOON), commit(number))
    later = NOON + timedelta(hours=1)
    late = replace(register(3), now=later)
    scenario.asked(start(scheduled=True), late, CheckIn(entrant=entrant(1), now=later))
    again = StartPlay(table_ids=(table(1),), now=later)
    drawn = next(each for each in scenario.when(again).events() if type(each) is SeatsDrawn)
    due = commitments_digest([bytes.fromhex(entropy_commitment(own(1)))])
    assert drawn.draw.order == seats_by(due, [entrant(number) for number in (1, 2, 3)])


def test_seeds_are_published_when_nothing_is_dealt_by_them_any_more() -> None:
    publish = PublishSeeds(by=register(1).player, now=NOON)
    scenario = registering(2)
    scenario.when(publish).then_rejected(SeedsStillNeeded, phase="registering")
    scenario.asked(start())
    scenario.when(publish).then_rejected(SeedsStillNeeded, phase="running")


class House:
    """One table of a tournament, as any process sees it. Its entrants 1 to 3 have committed."""

    def __init__(self, *opened: int) -> None:
        commands = (
            announce(),
            opening,
            *(register(number) for number in (1, 2, 3, 4)),
            *(commit(number) for number in (1, 2, 3)),
            start(),
            *(reveal(number) for number in opened),
        )
        self.events, self.tournament = decide_in_turn(decider, decider.initial, commands)
        self.decider: Any = DECIDERS["table"]
        (opening_table,) = tables_of(self.tournament, now=NOON)
        _, self.here = decide_in_turn(self.decider, self.decider.initial, (opening_table,))

    def plan(self, *, hand: str = HAND, minutes: int = 0, here: Table | None = None) -> Any:
        table_now = here or self.here
        return plan_next_hand(
            self.tournament,
            {table_now.table: table_now},
            table_now.table,
            now=NOON + timedelta(minutes=minutes),
            hand=HandId(hand),
            tournament_version=len(self.events),
            tournament_head=HEAD,
        )

    def opened(self, **asked: Any) -> HandOpened:
        (entry,) = self.plan(**asked).entries
        events, _ = decide_in_turn(self.decider, self.here, entry.commands)
        return next(each for each in events if isinstance(each, HandOpened))


def test_a_hand_counts_who_has_opened_and_lists_who_has_not() -> None:
    hand = House(1, 3).opened()
    seats = {each.entrant: each.seat for each in hand.seats}
    assert {each.seat: each.value for each in hand.openings} == {
        seats[entrant(1)]: own(1).hex(),
        seats[entrant(3)]: own(3).hex(),
    }
    assert hand.omissions == (Omission(entrant=entrant(2), reason="not_opened"),)


@pytest.mark.parametrize(("opened", "seconds"), [((), 20), ((1, 3), 20), ((1, 2, 3), 0)])
def test_the_first_hand_waits_the_time_of_a_decision_for_openings(
    opened: tuple[int, ...], seconds: int
) -> None:
    assert House(*opened).plan().wait_seconds == seconds


def test_no_later_hand_waits_and_an_opening_counts_in_each() -> None:
    house = House(1)
    after = replace(house.here, hand_number=1, first_dealer=1, button=1, starter=1)
    plan = house.plan(here=after)
    (asked,) = plan.entries[0].commands
    assert isinstance(asked, OpenHand)
    assert (len(asked.openings), len(asked.omissions), plan.wait_seconds) == (1, 2, 0)


def test_only_a_tables_first_hand_takes_openings() -> None:
    house = House(1)
    after = replace(house.here, hand_number=1)
    moved = replace(house.here, places=tuple(replace(p, arrived=True) for p in house.here.places))
    taken = [deals.may_still_open(house.tournament, house.here, entrant(n)) for n in (2, 9)]
    assert taken == [True, False]
    for here in (after, moved):
        assert not deals.may_still_open(house.tournament, here, entrant(2))


def test_the_first_hand_of_a_later_round_takes_no_openings() -> None:
    """The tables of a later round are new, but its players have seen hands."""
    house = House(1)
    second = RoundSeated(
        round=2, rule="rounds.heats", candidates=(), draw=None, tables=(), meetings=None
    )
    rounds = RoundsState(stage="playing", playing=(), seated=(second, second), tables=2)
    assert deals.may_still_open(house.tournament, house.here, entrant(2))
    assert deals.waits_for_openings(house.tournament, house.here)
    later = replace(house.tournament, rounds=rounds)
    assert not deals.may_still_open(later, house.here, entrant(2))
    assert not deals.waits_for_openings(later, house.here)


def test_whoever_deals_again_after_a_crash_deals_the_same_cards() -> None:
    """Another process deals later, under another name. Seeds, deck and dice are the same."""
    one = House(1, 2).opened()
    two = House(1, 2).opened(hand="hnd_" + "f" * 32, minutes=7)
    assert (one.deck_root, one.commitments, one.seeds.value) == (
        two.deck_root,
        two.commitments,
        two.seeds.value,
    )
    assert (one.button, one.first_dealer_draws) == (two.button, two.first_dealer_draws)
    assert House(1, 2, 3).opened().deck_root != one.deck_root
