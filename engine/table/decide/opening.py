"""The opening of a hand: the button, the forced bets, the seats dealt in and the level."""

from msgspec.structs import replace

from engine.errors import InvariantViolated
from engine.hand.positions import DEALT_MIN
from engine.kit.beacon import BeaconMismatch, demand_pulse, pulse_after
from engine.kit.cards import deck
from engine.kit.rng import Draw, RandomWords, seed_commitment
from engine.rulesets import Amounts, AnteByPlayers, DoublePerOrbit, Levels, NoEscalation
from engine.table.decide.positions import Positions, dealers_left, positions
from engine.table.model.commands import AwaitBeacon, LevelInForce, OpenHand, Seeds
from engine.table.model.digests import digest_of
from engine.table.model.errors import TooFewStacks
from engine.table.model.events import (
    Commitments,
    HandOpened,
    Level,
    SeatBooks,
    TableBeaconAwaited,
    TableBeaconMixed,
)
from engine.table.model.levels import next_level
from engine.table.model.state import Table
from engine.values import CHIPS_MAX, HOUSE, Sealed


def await_beacon(table: Table, command: AwaitBeacon) -> tuple[TableBeaconAwaited, ...]:
    """
    Return the event that names the pulse for the next deal, unless the table waits already.

    Source: rulebook ``beacon.deals`` and ``beacon.round``.
    """
    if table.awaited is not None:
        return ()
    return (
        TableBeaconAwaited(
            hand_number=table.next_hand_number,
            deal=table.next_deal,
            chain=command.chain,
            round=pulse_after(command.chain, command.now),
            openings=command.openings,
            omissions=command.omissions,
            at=command.now,
            rule="beacon.deals",
        ),
    )


def mixed(table: Table, command: OpenHand) -> tuple[TableBeaconMixed, ...]:
    """
    Return the event that mixes in the pulse *table* waits for. Empty without a beacon.

    Raises:
        BeaconMissing: If the command has no pulse.
        BeaconMismatch: If the command has another pulse, or the table waits for none.

    Source: rulebook ``beacon.value``.
    """
    awaited = table.awaited
    if awaited is None:
        if command.pulse is not None:
            raise BeaconMismatch(round=None)
        return ()
    if (awaited.openings, awaited.omissions) != (command.openings, command.omissions):
        raise BeaconMismatch(round=awaited.round)
    pulse = demand_pulse(command.pulse, awaited.round)
    return (TableBeaconMixed(chain=awaited.chain, pulse=pulse, rule="beacon.value"),)


def open_hand(table: Table, command: OpenHand, draw: Draw) -> HandOpened:
    """
    Return the event that opens the next hand, or deals a voided hand again. *draw* draws its deck.

    Raises:
        TooFewStacks: If fewer than two seats can be dealt in.

    Source: rulebook ``button`` and ``escalation``.
    """
    if command.deal != table.next_deal:
        raise InvariantViolated(f"deal {command.deal} in place of {table.next_deal}")
    if table.voided is not None:
        return _replayed(table, table.voided, command, draw)
    eligible, at, digest = _placed(table, command)
    seeds, commitments, root = _of_the_deal(table, command, draw, digest)
    return HandOpened(
        hand=command.hand,
        number=table.next_hand_number,
        deal=command.deal,
        stage=command.stage,
        round=command.round,
        seats=_books(table, command, at, eligible),
        dealers_left=dealers_left(table, eligible, at.button),
        button=at.button,
        starter=at.starter,
        small_blind=at.small_blind,
        big_blind=at.big_blind,
        first_dealer=at.first_dealer,
        first_dealer_draws=at.draws,
        orbits=at.orbits,
        level=_level(table, at.orbits, command.level),
        base=table.base,
        carry=table.carry,
        sabacc_pot=table.sabacc_pot,
        escrow=command.escrow,
        seeds=seeds,
        commitments=commitments,
        deck_root=root,
        openings=command.openings,
        omissions=command.omissions,
        penalties=command.penalties,
        tournament_version=command.tournament_version,
        tournament_head=command.tournament_head,
        ruleset_hash=table.ruleset_hash,
        decision_seconds=table.decision_seconds,
        grace_seconds=table.grace_seconds,
        last=command.last,
        at=command.now,
    )


def all_have_dealt(table: Table, command: OpenHand) -> bool:
    """
    Return whether every seat will have dealt once *command* opens the next hand.

    A seat that has yet to deal counts even if it has too few chips, because it may buy more.

    Raises:
        TooFewStacks: If fewer than two seats can be dealt in.

    Source: rulebook ``finish.each_dealt_once``.
    """
    eligible, at, _ = _placed(table, command)
    return not dealers_left(table, eligible, at.button)


def _placed(table: Table, command: OpenHand) -> tuple[tuple[int, ...], Positions, bytes]:
    """
    Return the seats that can be dealt in, ascending, their positions, and the deal's digest.
    """
    eligible = dealable(table)
    if command.only:
        eligible = tuple(seat for seat in eligible if seat in command.only)
    if len(eligible) < DEALT_MIN:
        raise TooFewStacks(seats=len(eligible))
    seed, digest = bytes.fromhex(command.seeds.draws), _digest(table, command)
    return eligible, positions(table, eligible, seed, digest), digest


def _replayed(table: Table, voided: HandOpened, command: OpenHand, draw: Draw) -> HandOpened:
    """
    Return the same opening with other cards and dice. Seats, button and level stay.

    Absence, timeouts, penalties, declared rebuys and staked items are taken as they are now.

    Source: rulebook ``voiding.replay``.
    """
    places = {place.seat: place for place in table.places}
    seeds, commitments, root = _of_the_deal(table, command, draw, _digest(table, command))
    return replace(
        voided,
        deal=command.deal,
        seats=tuple(
            replace(
                books,
                away=places[books.seat].away,
                timeouts=places[books.seat].timeouts,
                penalty=places[books.seat].penalty,
                rebuy_declared=books.seat in command.declared,
            )
            for books in voided.seats
        ),
        first_dealer_draws=(),
        escrow=command.escrow,
        seeds=seeds,
        commitments=commitments,
        deck_root=root,
        openings=command.openings,
        omissions=command.omissions,
        tournament_version=command.tournament_version,
        tournament_head=command.tournament_head,
        at=command.now,
    )


def _of_the_deal(
    table: Table, command: OpenHand, draw: Draw, digest: bytes
) -> tuple[Sealed[Seeds], Commitments, str]:
    """Return the deal's seeds, the commitments to them, and the root of its deck."""
    seeds = command.seeds
    cards = bytes.fromhex(seeds.cards)
    commitments = Commitments(
        cards=seed_commitment(cards),
        dice=seed_commitment(bytes.fromhex(seeds.dice)),
        draws=seed_commitment(bytes.fromhex(seeds.draws)),
    )
    salt = RandomWords(cards, "seeds").block(0)
    root = draw(cards, digest, 1, deck(table.ruleset.deck)).root()
    return Sealed(seeds, salt, (HOUSE,)), commitments, root


def _digest(table: Table, command: OpenHand) -> bytes:
    return digest_of(command.openings, next(iter(mixed(table, command)), None))


def dealable(table: Table) -> tuple[int, ...]:
    """Return the seats that can be dealt in, ascending."""
    rules = table.ruleset
    least = max(rules.least_stack(table.least_amounts()), 0 if rules.moneyless else 1)
    return tuple([place.seat for place in table.places if place.stack >= least])


def _books(
    table: Table, command: OpenHand, at: Positions, eligible: tuple[int, ...]
) -> tuple[SeatBooks, ...]:
    penalties = {penalty.seat: penalty.hands for penalty in command.penalties}
    books = []
    for place in table.places:
        seat = place.seat
        dealt = seat in at.dealt
        books.append(
            SeatBooks(
                seat=seat,
                entrant=place.entrant,
                stack=place.stack,
                dealt=dealt,
                away=place.away,
                timeouts=place.timeouts,
                waiting=place.arrived and seat in eligible and not dealt,
                penalty=penalties.get(seat, place.penalty),
                rebuy_declared=seat in command.declared,
                hands_won=place.hands_won,
                pots_won=place.pots_won,
            )
        )
    return tuple(books)


def _level(table: Table, orbits: int, in_force: LevelInForce | None) -> Level:
    """Return the level of the next hand: the clock's, or without a clock the ruleset's."""
    number, unit = table.next_hand_number, table.ruleset.chip_unit
    before = table.level
    if in_force is not None:
        same = before is not None and before.set_by == in_force.set_by
        return Level(
            number=in_force.number,
            amounts=in_force.amounts,
            since_hand=before.since_hand if before is not None and same else number,
            set_by=in_force.set_by,
        )
    match table.ruleset.escalation:
        case Levels(by="hands"):
            return next_level(table)
        case NoEscalation():
            return before or Level(number=1, amounts=table.base, since_hand=number)
        case DoublePerOrbit():
            if before is not None and before.number == orbits + 1:
                return before
            base = table.base
            room = CHIPS_MAX // max(base.small, base.big, base.ante, 1)
            factor = 2 ** min(orbits, room.bit_length() - 1)
            raised = Amounts(
                small=base.small * factor, big=base.big * factor, ante=base.ante * factor
            )
            return Level(number=orbits + 1, amounts=raised, since_hand=number)
        case AnteByPlayers(inc=inc):
            if before is None:
                return Level(number=1, amounts=table.base, since_hand=number)
            players = sum(table.in_game(place) for place in table.places)
            step = inc.get(str(players), inc["*"])
            ante = min(before.amounts.ante + step, CHIPS_MAX // unit * unit)
            return Level(number=before.number + 1, amounts=Amounts(ante=ante), since_hand=number)
        case _:
            raise InvariantViolated("the command lacks the level of the clock")
