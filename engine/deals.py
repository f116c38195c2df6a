"""
Which cards and dice a deal has, and how the hand of a voided deal is dealt anew.

Beside ``engine.policies``, a place where table and tournament meet.
"""

from datetime import datetime

from engine import purchases
from engine.errors import InvariantViolated
from engine.rng import derive_seed
from engine.table.commands import Command, OpenHand, QuitHand, Seeds
from engine.table.events import HandOpened
from engine.table.state import Table
from engine.tournament.state import Closed, Finished, Registering, Running, State
from engine.tournament.values import Masters

FIRST_DEAL = 1


def seeds_for(
    tournament: State, *, table_number: int, hand_number: int, deal: int = FIRST_DEAL
) -> Seeds:
    """
    Return the seeds of one deal: by these numbers only, so that nobody chooses among them.

    Raises:
        InvariantViolated: If the tournament has no masters: registration never opened.
    """
    masters = _masters(tournament)

    def seed(master: str, use: str) -> str:
        return derive_seed(bytes.fromhex(master), use, table_number, hand_number, deal).hex()

    return Seeds(
        cards=seed(masters.cards, "cards"),
        dice=seed(masters.open, "dice"),
        draws=seed(masters.open, "draws"),
    )


def _masters(tournament: State) -> Masters:
    if isinstance(tournament, Registering | Closed | Running | Finished):
        return tournament.masters
    raise InvariantViolated(f"a tournament {type(tournament).__name__} has no masters")


def dealt_anew(
    tournament: Running,
    here: Table,
    voided: HandOpened,
    *,
    version: int,
    head: str,
    now: datetime,
) -> tuple[Command, ...]:
    """
    Return how the hand of the *voided* deal is played again; who has left it stays out of it.

    Source: rulebook ``voiding.replay``.
    """
    opening = OpenHand(
        hand=voided.hand,
        seeds=seeds_for(
            tournament,
            table_number=here.number,
            hand_number=voided.number,
            deal=here.next_deal,
        ),
        deal=here.next_deal,
        stage=voided.stage,
        round=voided.round,
        tournament_version=version,
        tournament_head=head,
        openings=voided.openings,
        omissions=voided.omissions,
        last=voided.last,
        **purchases.books_of(tournament, here),
        now=now,
    )
    gone = (place.entrant for place in here.places if place.entrant in tournament.leaving)
    return opening, *(QuitHand(entrant=entrant, now=now) for entrant in gone)
