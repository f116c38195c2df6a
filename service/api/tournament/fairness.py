"""Fairness: the entrants' entropy, the masters of the seeds, and the commitments of decks."""

import msgspec
from litestar import Response

from engine.coordination.deals import deck_of
from engine.kit.beacon import Chain, Pulse
from engine.kit.rng import master_commitment
from engine.tournament.model.commands.fairness import CommitEntropy, PublishSeeds
from engine.tournament.model.state import Finished, Registering, Running
from engine.tournament.model.values.fairness import Fairness
from engine.values import EntrantId, HexDigest, PlayerId, number_of, stream_of
from service.api.http.access.hands import Hand
from service.api.http.access.rights import TournamentPlace
from service.api.http.declaring.nothing import Nothing
from service.api.http.operations import operation
from service.api.http.shell import Shell
from service.api.http.writing.submitting import Order, answer, decide_one, encoded
from service.api.tournament.entrants import my_entry
from service.base.errors import StreamNotFound
from service.director.entropy import deals_of, open_entropy
from service.log.writer import Receipt
from service.people.tokens import Principal


class CommitmentWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The SHA-256 of ``holotable/entropy/1`` followed by 32 secret bytes."""

    commitment: HexDigest
    """In lower-case hexadecimal."""


class EntropyOpeningWanted(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The 32 bytes behind the commitment, in hexadecimal."""

    value: HexDigest
    """The secret bytes. Their digest must be the commitment."""


class EntropyTaken(msgspec.Struct, kw_only=True):
    """The effect of a command about entropy or seeds. ``events`` lists the event types."""

    tournament: str
    events: tuple[str, ...]
    """Types of events, such as `entropy_committed`."""

    position: str | None = None


class ContributionShown(msgspec.Struct, kw_only=True):
    """One entrant's contribution. ``value`` is null until it is opened."""

    entrant: EntrantId
    commitment: HexDigest
    """The commitment that the entrant made before the seat draw."""

    value: HexDigest | None
    """The 32 bytes in hexadecimal, or null until the entrant opens them."""


class BeaconShown(msgspec.Struct, kw_only=True):
    """The public beacon that is mixed into the seat draw and the decks."""

    chain: Chain
    """The parameters by which anybody can check the beacon's pulses."""

    seats_round: int | None
    """The number of the seat draw's pulse, or null until it is named."""

    seats: Pulse | None
    """That pulse, or null until it arrives. The pulse of a hand is in its table's feed."""


class FairnessShown(msgspec.Struct, kw_only=True):
    """The sources of all randomness in a tournament, as far as they are public."""

    tournament: str
    cards_commitment: HexDigest
    """The commitment to the master of all decks, made when registration opened."""

    open_commitment: HexDigest
    """The commitment to the master of dice and draws, made when registration opened."""

    cards_master: HexDigest | None
    """Null until the league publishes it."""

    open_master: HexDigest | None
    """Null until the tournament is finished."""

    entropy: tuple[ContributionShown, ...]
    """The contributions, in the order of their commitments."""

    beacon: BeaconShown | None
    """Null if the tournament uses no beacon."""


class DeckShown(msgspec.Struct, kw_only=True):
    """The commitments of one deal's deck. ``leaves`` are in the order of the cards."""

    deal: int
    """The number of the deal in its hand, from 1. A voided deal is followed by another."""

    root: HexDigest
    """The Merkle root over the leaves, which the log holds since the deal."""

    leaves: tuple[HexDigest, ...]
    """The commitment of each card, in the order of the deck."""


class DecksShown(msgspec.Struct, kw_only=True):
    """The decks of a hand, one for each deal."""

    hand: str
    decks: tuple[DeckShown, ...]
    """The deck of each deal, in order."""


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/entropy", "commit_entropy",
    "Commit to 32 secret bytes that will be mixed into the decks of the caller's table.",
    needs="own_entry", scope="tables:play", answer=EntropyTaken, status=201,
    problems=(
        "entrant_unknown", "not_checked_in", "entropy_committed_already", "entropy_too_late",
        "registration_not_open", "seats_being_drawn",
    ),
)  # fmt: skip
async def commit_entropy(
    body: CommitmentWanted, place: TournamentPlace, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Commit for the caller's entry, once and before the seat draw."""
    mine = my_entry(principal, place, order)
    command = CommitEntropy(entrant=mine, commitment=body.commitment, now=shell.now())
    receipt = await decide_one(shell, place.league, place.id, order, [command])
    return _taken(receipt, place)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/entropy/open", "open_entropy",
    "Open the caller's commitment, after the seat draw and before the table's first hand.",
    needs="own_entry", scope="tables:play",
    answer=EntropyTaken, status=201,
    problems=(
        "entrant_unknown", "entropy_not_committed", "entropy_opened_already", "entropy_too_early",
        "entropy_too_late", "entropy_mismatch", "tournament_not_running",
    ),
)  # fmt: skip
async def open_mine(
    body: EntropyOpeningWanted,
    place: TournamentPlace,
    order: Order,
    shell: Shell,
    principal: Principal,
) -> Response[bytes]:
    """Open the caller's commitment. A table waits one decision time for missing openings."""
    mine = my_entry(principal, place, order)
    receipt = await open_entropy(shell.runtime, place.league, place.id, (mine, body.value), order)
    return _taken(receipt, place)


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/seeds/publish", "publish_seeds",
    "Publish the card master of a finished tournament, so that anybody can repeat its deals.",
    needs="publish_seeds", scope="tournaments:manage", body=Nothing, answer=EntropyTaken,
    status=201, problems=("forbidden", "seeds_still_needed"),
    key_required=True,
)  # fmt: skip
async def publish_seeds(
    place: TournamentPlace, order: Order, shell: Shell, principal: Principal
) -> Response[bytes]:
    """Publish the card master to everybody, for good. It reveals folded hands too."""
    command = PublishSeeds(by=PlayerId(principal.account.player), now=shell.now())
    receipt = await decide_one(shell, place.league, place.id, order, [command])
    return _taken(receipt, place)


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/fairness", "read_fairness",
    "Read the sources of all randomness in a tournament, as far as they are public.",
    needs="read_league", scope="leagues:read", answer=FairnessShown,
)  # fmt: skip
async def read_fairness(place: TournamentPlace) -> Response[bytes]:
    """Read commitments, masters, entropy and beacon from the aggregate."""
    state = place.state
    if not isinstance(state, Registering | Running | Finished):
        raise StreamNotFound("it does not exist, or you may not see it")
    number, masters = number_of(place.id), state.masters
    over = isinstance(state, Finished)
    shown = FairnessShown(
        tournament=place.id,
        cards_commitment=master_commitment(number, "cards", bytes.fromhex(masters.cards)),
        open_commitment=master_commitment(number, "open", bytes.fromhex(masters.open)),
        cards_master=state.fairness.published,
        open_master=masters.open if over else None,
        entropy=tuple(
            ContributionShown(entrant=each.entrant, commitment=each.commitment, value=each.value)
            for each in state.fairness.contributions
        ),
        beacon=_beacon(state.fairness),
    )
    return encoded(shown)


def _beacon(known: Fairness) -> BeaconShown | None:
    if known.chain is None:
        return None
    return BeaconShown(chain=known.chain, seats_round=known.awaited, seats=known.pulse)


@operation(
    "GET", "/v1/hands/{hand_id:str}/decks", "read_decks",
    "Read the commitment of every card in a hand's deck. A card seen in play must match its leaf.",
    needs="read_league", scope="leagues:read", answer=DecksShown,
)  # fmt: skip
async def read_decks(hand: Hand, shell: Shell) -> Response[bytes]:
    """List the leaves under each deal's root. A leaf reveals nothing without its salt."""
    table = (await shell.runtime.writer.load(hand.league, stream_of(hand.table), fresh=False)).state
    decks = tuple(
        DeckShown(
            deal=each.deal,
            root=each.deck_root,
            leaves=tuple(deck_of(each, beacon, table.ruleset.deck)),
        )
        for each, beacon in await deals_of(shell.runtime, hand)
    )
    return encoded(DecksShown(hand=hand.hand, decks=decks))


def _taken(receipt: Receipt, place: TournamentPlace) -> Response[bytes]:
    events = tuple(each.type for each in receipt.recorded if each.stream == place.stream)
    content = {"tournament": place.id, "events": events}
    return answer(receipt, content, version_of=place.stream)
