"""A tournament up to its first hand: terms, registration, masters and the seat draw."""

from typing import Any
from uuid import UUID

import pytest

from engine.kit.rng import derive_seed, master_commitment, openings_digest, shuffle
from engine.tournament import decider
from engine.tournament.model.commands import Cancel, Pause, Resume, Withdraw
from engine.tournament.model.errors import (
    AlreadyEntered,
    BotsForbidden,
    BotsOnly,
    EntrantUnknown,
    RegistrationNotOpen,
    RegistrationOver,
    TablesMissing,
    TermsInvalid,
    TournamentFull,
    TournamentNotAnnounced,
    TournamentNotRunning,
)
from engine.tournament.model.events import (
    EntrantRegistered,
    EntrantWithdrawn,
    PlayStarted,
    RegistrationClosed,
    SeatsDrawn,
    TournamentCancelled,
    TournamentPaused,
    TournamentResumed,
)
from engine.tournament.model.state import phase_of
from engine.values import HOUSE, number_of
from tests.engine.scenario import Scenario
from tests.engine.tournament.floor import (
    MASTERS,
    NOON,
    TOURNAMENT,
    announce,
    entrant,
    opening,
    player,
    register,
    start,
    table,
    to_start,
)


def test_announcing_twice_changes_nothing() -> None:
    """The terms stand, and a client may safely retry."""
    Scenario(decider).asked(announce()).when(announce(name="Another")).then_nothing()


@pytest.mark.parametrize(
    ("terms", "field"),
    [
        ({"name": "  "}, "name"),
        ({"table_seats": 1}, "table_seats"),
        ({"table_seats": 99}, "table_seats"),
        ({"starting_stack": 0}, "starting_stack"),
        ({"starting_stack": 1_001}, "starting_stack"),
        ({"entrants_min": 1}, "entrants_min"),
        ({"entrants_min": 9, "entrants_max": 8}, "entrants_max"),
        ({"decision_seconds": 0}, "decision_seconds"),
        ({"grace_seconds": -1}, "grace_seconds"),
        ({"hands_max": 0}, "hands_max"),
        ({"payouts": (50, 0)}, "payouts"),
        ({"prize_pool": -1}, "prize_pool"),
        ({"prize_pool": 100, "currency": "EUR"}, "payouts"),
        ({"prize_pool": 100, "payouts": (1,)}, "currency"),
    ],
)
def test_terms_that_contradict_themselves_are_refused(terms: dict[str, Any], field: str) -> None:
    """Announced terms cannot be repaired, so they are checked before."""
    Scenario(decider).when(announce(**terms)).then_rejected(TermsInvalid, field=field)


def test_registration_opens_with_a_commitment_to_both_masters() -> None:
    """The house fixes every deck before anyone has entered, and shows it to nobody."""
    (opened,) = Scenario(decider).asked(announce()).when(opening).events()

    number = number_of(TOURNAMENT)
    assert isinstance(number, UUID)
    assert opened.cards_commitment == master_commitment(
        number, "cards", bytes.fromhex(MASTERS.cards)
    )
    assert opened.open_commitment == master_commitment(number, "open", bytes.fromhex(MASTERS.open))
    assert opened.cards.value == MASTERS.cards
    assert opened.cards.audiences == (HOUSE,)
    assert MASTERS.cards not in repr(opened)


def test_masters_cannot_be_exchanged() -> None:
    """Opening registration again, with any masters, keeps the first ones."""
    Scenario(decider).asked(announce(), opening).when(opening).then_nothing()


def test_nobody_registers_before_registration_opens() -> None:
    """With an entry before the commitment, the house could choose its masters by the entrants."""
    Scenario(decider).asked(announce()).when(register(1)).then_rejected(RegistrationNotOpen)


def test_nobody_registers_for_what_is_not_announced() -> None:
    """The API's order of errors applies: an object that does not exist comes first."""
    Scenario(decider).when(register(1)).then_rejected(TournamentNotAnnounced)


def test_entrants_are_numbered_in_order_of_registration() -> None:
    """
    The number decides where odd units of money go, so it is recorded.
    """
    (
        Scenario(decider)
        .asked(announce(), opening, register(1))
        .when(register(2))
        .then(EntrantRegistered(entrant=entrant(2), player=player(2), bot=False, number=2, by=None))
    )


def test_registering_twice_changes_nothing() -> None:
    """
    A repeated registration is acknowledged, so that a client may safely retry.
    """
    Scenario(decider).asked(announce(), opening, register(1)).when(register(1)).then_nothing()


def test_a_player_enters_a_tournament_once() -> None:
    """
    Two entries of one player could play into one another's hands.
    """
    again = register(1).__class__(entrant=entrant(9), player=player(1), now=NOON)
    Scenario(decider).asked(announce(), opening, register(1)).when(again).then_rejected(
        AlreadyEntered
    )


def test_a_full_tournament_takes_nobody() -> None:
    """
    The announced number of places is a promise about its length.
    """
    (
        Scenario(decider)
        .asked(announce(entrants_max=2), opening, register(1), register(2))
        .when(register(3))
        .then_rejected(TournamentFull, entrants_max=2)
    )


def test_bots_stay_out_where_they_are_forbidden() -> None:
    """Players know beforehand whether they will meet bots."""
    given = Scenario(decider).asked(announce(bots="forbidden"), opening)
    given.when(register(1, bot=True)).then_rejected(BotsForbidden)


def test_people_stay_out_where_only_bots_may_play() -> None:
    """Bots play without the pauses that people need."""
    given = Scenario(decider).asked(announce(bots="only"), opening)
    given.when(register(1)).then_rejected(BotsOnly)


def test_an_entrant_may_withdraw_before_play_and_the_number_is_not_used_again() -> None:
    """The order of registration stays the same."""
    withdraw = Withdraw(entrant=entrant(1), now=NOON)
    (
        Scenario(decider)
        .asked(announce(), opening, register(1))
        .when(withdraw)
        .then(EntrantWithdrawn(entrant=entrant(1), by=None))
        .when(register(2))
        .then(EntrantRegistered(entrant=entrant(2), player=player(2), bot=False, number=2, by=None))
        .when(withdraw)
        .then_rejected(EntrantUnknown)
    )


def test_too_few_entrants_cancel_the_tournament() -> None:
    """
    A tournament needs an opponent for everyone who has entered.
    """
    (
        Scenario(decider)
        .asked(announce(), opening, register(1))
        .when(start(scheduled=True))
        .then(TournamentCancelled(reason="too_few_entrants", rule="registration.too_few_entrants"))
    )


def test_too_few_tables_are_refused() -> None:
    """Identifiers come from outside, because the rules cannot make any."""
    given = Scenario(decider).asked(*to_start(9)[:-1])
    given.when(start(tables=2)).then_rejected(TablesMissing, given=2, required=3)


def test_seats_are_drawn_from_the_committed_master_and_dealt_round_the_tables() -> None:
    """
    Anyone can repeat the draw once the master is published.
    """
    given = Scenario(decider).asked(*to_start(5)[:-1])

    closed, drawn, started = given.when(start()).events()

    seed = derive_seed(bytes.fromhex(MASTERS.open), "draws", 0, 1, 1)
    order = shuffle(
        [entrant(number) for number in range(1, 6)],
        seed=seed,
        label="seats",
        digest=openings_digest(()),
    )
    assert closed == RegistrationClosed(entrants=5)
    assert isinstance(drawn, SeatsDrawn)
    assert drawn.draw.order == order
    assert drawn.breaking_order == (2, 1)
    assert [(each.entrant, each.table_number, each.seat) for each in drawn.assignments] == [
        (order[0], 1, 1),
        (order[1], 2, 1),
        (order[2], 1, 2),
        (order[3], 2, 2),
        (order[4], 1, 3),
    ]
    assert started == PlayStarted(tables=(table(1), table(2)), entrants=5)


def test_registration_closes_with_the_seat_draw() -> None:
    """
    A player who arrives after the draw has no seat to be given.
    """
    given = Scenario(decider).asked(*to_start(2))
    given.when(register(3)).then_rejected(RegistrationOver, phase="running")


def test_starting_twice_changes_nothing() -> None:
    """
    A second draw would let the house choose between two.
    """
    Scenario(decider).asked(*to_start(4)).when(start()).then_nothing()


def test_play_pauses_and_resumes_once() -> None:
    """A repeated pause has no effect."""
    pause = Pause(reason="dinner", now=NOON)
    (
        Scenario(decider)
        .asked(*to_start(2))
        .when(pause)
        .then(TournamentPaused(reason="dinner"))
        .when(pause)
        .then_nothing()
        .when(Resume(now=NOON))
        .then(TournamentResumed())
        .when(Resume(now=NOON))
        .then_nothing()
    )


def test_what_is_not_running_cannot_pause() -> None:
    """
    Registration has no clock to stop.
    """
    given = Scenario(decider).asked(announce(), opening)
    given.when(Pause(reason="x", now=NOON)).then_rejected(TournamentNotRunning, phase="registering")


@pytest.mark.parametrize("steps", [1, 2, 4, 5])
def test_a_director_may_cancel_at_any_time_before_the_end(steps: int) -> None:
    """All earlier events stay in the log."""
    cancel = Cancel(reason="storm", now=NOON)
    given = Scenario(decider).asked(*to_start(2)[:steps])
    given.when(cancel).then(
        TournamentCancelled(reason="storm", rule="cancellation.by_director")
    ).when(cancel).then_nothing()
    assert phase_of(given.state) == "cancelled"
