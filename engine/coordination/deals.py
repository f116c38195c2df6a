"""
The cards and dice of each deal, and the new deal of a hand after a voided one.

Tables and tournament meet here, as in ``engine.coordination.policies``.
"""

from datetime import datetime

from msgspec.structs import replace

from engine.coordination import clocks, purchases
from engine.errors import InvariantViolated
from engine.kit.beacon import Pulse
from engine.kit.cards import deck
from engine.kit.hidden import unsealed
from engine.kit.rng import card_leaves, derive_seed, shuffled_pile
from engine.table.decide.opening import all_have_dealt
from engine.table.model.commands import (
    AwaitBeacon,
    Command,
    Omission,
    OpenHand,
    Opening,
    QuitHand,
    Seeds,
)
from engine.table.model.digests import digest_of
from engine.table.model.events import HandOpened, TableBeaconMixed
from engine.table.model.state import SUDDEN_DEATH, Table
from engine.tournament.model.directives import Open
from engine.tournament.model.state import Closed, Finished, Registering, Running, State
from engine.tournament.model.values import Masters
from engine.values import EntrantId, HandId

FIRST_DEAL = 1

Named = tuple[int, str]
"""The version and head of the tournament's stream at which a hand is opened."""


def seeds_for(
    tournament: State, *, table_number: int, hand_number: int, deal: int = FIRST_DEAL
) -> Seeds:
    """
    Return the seeds of one deal.

    Only these numbers decide them, so nobody can choose between seeds.

    Raises:
        InvariantViolated: If the tournament has no masters because registration never opened.
    """
    masters = _masters(tournament)

    def seed(master: str, use: str) -> str:
        return derive_seed(unsealed(master), use, table_number, hand_number, deal).hex()

    return Seeds(
        cards=seed(masters.cards, "cards"),
        dice=seed(masters.open, "dice"),
        draws=seed(masters.open, "draws"),
    )


def _masters(tournament: State) -> Masters:
    if isinstance(tournament, Registering | Closed | Running | Finished):
        return tournament.masters
    raise InvariantViolated(f"a tournament {type(tournament).__name__} has no masters")


def openings_at(tournament: State, here: Table) -> tuple[tuple[Opening, ...], tuple[Omission, ...]]:
    """
    Return the entropy that players add to the decks of a table, and the omissions.

    An omission names an entrant who committed to a value and has not opened it.

    Source: rulebook ``entropy.counts`` and ``entropy.omission``.
    """
    bound = {each.entrant: each.value for each in tournament.fairness.contributions}
    if not bound:
        return (), ()
    openings, omissions = [], []
    for place in here.places:
        value = bound.get(place.entrant)
        if value is not None:
            openings.append(Opening(seat=place.seat, value=value))
        elif place.entrant in bound:
            omissions.append(Omission(entrant=place.entrant, reason="not_opened"))
    return tuple(openings), tuple(omissions)


def deck_of(opened: HandOpened, beacon: TableBeaconMixed | None, name: str) -> list[str]:
    """
    Return the commitment of every card of a deal's deck by position, in hexadecimal.

    A commitment reveals nothing about a card as long as its salt is secret. The root of all
    commitments is ``deck_root``.

    Args:
        beacon: The pulse that was mixed in after *opened*, if any.
        name: The name of the deck in the ruleset.
    """
    digest = digest_of(opened.openings, beacon)
    pile = shuffled_pile(bytes.fromhex(opened.seeds.value.cards), digest, 1, deck(name))
    return [leaf.hex() for leaf in card_leaves(1, pile.cards, pile.salts)]


def may_still_open(tournament: State, here: Table, entrant: EntrantId) -> bool:
    """
    Return whether *entrant* may still open the entropy they committed to.

    The entrant must have sat at this table from the start, in the first round if rounds are
    scheduled. No hand may have been opened here, and no pulse named for one (``beacon.deals``).
    """
    rounds = tournament.rounds if isinstance(tournament, Running) else None
    if rounds is not None and (rounds.number, rounds.stage) != (1, "playing"):
        return False
    seated = any(each.entrant == entrant and not each.arrived for each in here.places)
    return seated and here.hand_number == 0 and here.awaited is None


def waits_for_openings(tournament: State, here: Table) -> bool:
    """Return whether the first hand waits for somebody *here* to open their entropy."""
    if here.hand_number or not tournament.fairness.contributions:
        return False
    _, missing = openings_at(tournament, here)
    return any(may_still_open(tournament, here, each.entrant) for each in missing)


def named_pulse(tournament: State, here: Table, *, now: datetime) -> AwaitBeacon | None:
    """
    Return the command that names the pulse for the next deal *here*.

    It is None if no beacon is mixed in, or if a pulse has been named already.

    Source: rulebook ``beacon.deals``.
    """
    chain = tournament.fairness.chain
    if chain is None or here.awaited is not None:
        return None
    openings, omissions = openings_at(tournament, here)
    if here.voided is not None:
        openings, omissions = here.voided.openings, here.voided.omissions
    return AwaitBeacon(chain=chain, openings=openings, omissions=omissions, now=now)


def first_deal(
    tournament: State,
    here: Table,
    order: Open,
    *,
    hand: HandId,
    named: Named,
    pulse: Pulse | None,
    now: datetime,
) -> OpenHand:
    """
    Return the command that opens the next hand, as the tournament directs.

    While the table waits for its *pulse*, it is not yet known whether the hand is the last.
    """
    version, head = named
    openings, omissions = openings_at(tournament, here)
    if here.awaited is not None:
        openings, omissions = here.awaited.openings, here.awaited.omissions
    opening = OpenHand(
        hand=hand,
        seeds=seeds_for(tournament, table_number=here.number, hand_number=here.next_hand_number),
        tournament_version=version,
        tournament_head=head,
        openings=openings,
        omissions=omissions,
        pulse=pulse,
        last=order.last,
        **purchases.books_of(tournament, here),
        stage=SUDDEN_DEATH if order.only else 1,
        round=order.round,
        only=tuple(each.seat for each in here.entrants() if each.entrant in order.only),
        level=clocks.in_force(order.clock),
        now=now,
    )
    if order.last or not order.until_all_dealt or (here.awaited is not None and pulse is None):
        return opening
    # The draw of a first dealer may decide who deals, and only the seeds show its result.
    return replace(opening, last=all_have_dealt(here, opening))


def dealt_anew(
    tournament: Running,
    here: Table,
    voided: HandOpened,
    *,
    named: Named,
    pulse: Pulse | None,
    now: datetime,
) -> tuple[Command, ...]:
    """
    Return the commands that play the hand of the *voided* deal again.

    Entrants who have left the hand, or are disqualified, stay out of it.

    Source: rulebook ``voiding.replay``.
    """
    version, head = named
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
        pulse=pulse,
        last=voided.last,
        **purchases.books_of(tournament, here),
        now=now,
    )
    # Chips of the disqualified leave play after the hand, so they still have their seats.
    out = {each.entrant for each in tournament.floor.removing}
    seated = [place.entrant for place in here.places]
    return (
        opening,
        *(QuitHand(entrant=each, now=now) for each in seated if each in tournament.leaving),
        *(
            QuitHand(entrant=each, rule="disqualification", now=now)
            for each in seated
            if each in out
        ),
    )
