"""Chips at a table: the wagers, their pots, the winners, and chips that come and go."""

from typing import Final

from engine.table.model import events
from service.audit.play import pots
from service.audit.said import said
from service.audit.seen import Handlers, Seen


def _penalty(audit: Seen, event: events.PenaltyPaid, _before: object) -> None:
    hand = audit.now()
    hand.spent[event.seat] = hand.spent.get(event.seat, 0) + event.paid
    hand.sabacc_pot += event.paid


def _sabacc_awarded(audit: Seen, event: events.SabaccPotAwarded, _before: object) -> None:
    hand = audit.now()
    there = event.chips <= hand.sabacc_pot
    audit.hold("pots", there, said("the Sabacc pot holds %(chips)s chips", chips=hand.sabacc_pot))
    hand.won[event.seat] = hand.won.get(event.seat, 0) + event.chips
    hand.sabacc_pot -= event.chips


def _posted(audit: Seen, event: events.ForcedBetsPosted, _before: object) -> None:
    hand = audit.now()
    for post in event.posts:
        if post.kind == "sabacc_ante":
            hand.spent[post.seat] = post.chips
            hand.sabacc_pot += post.chips
        elif post.kind == "table_ante":
            hand.spent[post.seat] = post.chips
            hand.dead += post.chips
        else:
            hand.wagers[post.seat] += post.chips


def _killed(audit: Seen, event: events.HandKilled | events.HandQuit, _before: object) -> None:
    audit.now().live.discard(event.seat)


def _acted(audit: Seen, event: events.SeatActed, _before: object) -> None:
    hand = audit.now()
    hand.wagers[event.seat] += event.paid
    if event.verb == "fold":
        hand.live.discard(event.seat)


def _returned(audit: Seen, event: events.UnmatchedReturned, _before: object) -> None:
    hand = audit.now()
    due = pots.returned(hand.wagers, hand.live)
    audit.hold(
        "pots", due == (event.seat, event.chips), said("the uncalled bet is %(due)s", due=due)
    )
    hand.back[event.seat] = event.chips


def _formed(audit: Seen, event: events.PotsFormed, _before: object) -> None:
    hand = audit.now()
    rest = {seat: chips - hand.back.get(seat, 0) for seat, chips in hand.wagers.items()}
    due = pots.pots(rest, hand.live, hand.opened.carry + hand.dead)
    formed = [(pot.chips, pot.eligible) for pot in event.pots]
    audit.hold(
        "pots",
        due == formed,
        said("the wagers give pots of %(pots)s", pots=[pot[0] for pot in due]),
    )


def _awarded(audit: Seen, event: events.PotAwarded, _before: object) -> None:
    hand = audit.now()
    paid = sum(share.chips for share in event.shares)
    held = paid + event.remainder == event.chips
    audit.hold(
        "pots",
        held,
        said("pot %(pot)s pays %(paid)s of %(chips)s", pot=event.pot, paid=paid, chips=event.chips),
    )
    for share in event.shares:
        hand.won[share.seat] = hand.won.get(share.seat, 0) + share.chips
    hand.remainder += event.remainder


def _vacated(audit: Seen, event: events.SeatsVacated, _before: object) -> None:
    left = sum(placed.stack for placed in event.departures)
    audit.chips -= left + event.carry + event.sabacc_pot


def _seated(audit: Seen, event: events.ArrivalsSeated, _before: object) -> None:
    came = sum(placed.stack for placed in event.arrivals)
    audit.chips += came + event.carry + event.sabacc_pot


def _bought(audit: Seen, event: events.ChipsBought, _before: object) -> None:
    audit.chips += event.chips


def _given_back(audit: Seen, event: events.ChipsReturned, _before: object) -> None:
    audit.chips -= event.chips


CHIPS: Final[Handlers[Seen]] = {
    events.PenaltyPaid: _penalty,
    events.SabaccPotAwarded: _sabacc_awarded,
    events.ForcedBetsPosted: _posted,
    events.HandKilled: _killed,
    events.HandQuit: _killed,
    events.SeatActed: _acted,
    events.UnmatchedReturned: _returned,
    events.PotsFormed: _formed,
    events.PotAwarded: _awarded,
    events.ChipsBought: _bought,
    events.ChipsReturned: _given_back,
    events.SeatsVacated: _vacated,
    events.ArrivalsSeated: _seated,
}
