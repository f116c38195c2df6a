"""The generator, byte for byte: vectors, and a second implementation with ``hmac``."""

import hmac
import json
from hashlib import sha256
from itertools import chain, islice
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kit.cards import DECKS, VALUES
from engine.kit.dice import roll_pair, roll_target
from engine.kit.rng import (
    RandomWords,
    card_leaves,
    commitments_digest,
    derive_seed,
    entropy_commitment,
    master_commitment,
    merkle_root,
    openings_digest,
    seed_commitment,
    shuffled_pile,
)

VECTORS = Path(__file__).parents[3] / "api-spec" / "vectors" / "generator.json"
MASTER = bytes(range(32))


def vectors() -> dict[str, Any]:
    """Compute every vector again."""
    tournament = UUID(int=7)
    seed = derive_seed(MASTER, "cards", 1, 2, 1)
    dice = derive_seed(MASTER, "dice", 1, 2, 1)
    digest = openings_digest([(3, b"\x03" * 32), (1, b"\x01" * 32)])
    none = openings_digest([])
    stream = RandomWords(seed, "pile", 1, none)
    pile = shuffled_pile(seed, none, 1, DECKS["d62"])
    number, suit = roll_target(dice, none)
    return {
        "master": MASTER.hex(),
        "tournament": f"trn_{tournament.hex}",
        "master_commitment_cards": master_commitment(tournament, "cards", MASTER),
        "master_commitment_open": master_commitment(tournament, "open", MASTER),
        "seed_cards_1_2_1": seed.hex(),
        "seed_commitment": seed_commitment(seed),
        "openings_digest_none": none.hex(),
        "openings_digest_seats_1_and_3": digest.hex(),
        "block_0_of_pile_1": stream.block(0).hex(),
        "block_1_of_pile_1": stream.block(1).hex(),
        "deck": list(pile.cards),
        "deck_with_openings": list(shuffled_pile(seed, digest, 1, DECKS["d62"]).cards),
        "salt_0": pile.salts[0].hex(),
        "leaf_0": card_leaves(1, pile.cards, pile.salts)[0].hex(),
        "deck_root": pile.root(),
        "target": number,
        "suit": suit,
        "shift_1_and_2": [list(roll_pair(dice, "shift", n, none)) for n in (1, 2)],
        "spike_1_and_2": [list(roll_pair(dice, "spike", n, none)) for n in (1, 2)],
        **of_draws(),
        **of_entropy(),
        "d76_first_deal": list(shuffled_pile(seed, none, 1, DECKS["d76"]).cards[:10]),
    }


def of_entropy() -> dict[str, Any]:
    """Return commitments of three entrants, and a hand of table 1 with openings of two."""
    values = [bytes([number]) * 32 for number in (1, 2, 3)]
    commitments = [entropy_commitment(value) for value in values]
    digest = openings_digest([(5, values[2]), (2, values[0])])
    seed = derive_seed(MASTER, "cards", 1, 1, 1)
    pile = shuffled_pile(seed, digest, 1, DECKS["d62"])
    recycled = shuffled_pile(seed, digest, 2, DECKS["d62"][:9])
    return {
        "entropy": {
            "values": [value.hex() for value in values],
            "commitments": commitments,
            "openings": [[2, values[0].hex()], [5, values[2].hex()]],
            "openings_digest": digest.hex(),
            "deck": list(pile.cards),
            "deck_root": pile.root(),
            "pile_2_of_the_first_nine_cards": list(recycled.cards),
            "pile_2_root": recycled.root(),
        }
    }


def of_draws() -> dict[str, Any]:
    """
    Return draws at table 0 from the commitments of three entrants, and at table 1 from openings.
    """
    values = [bytes([number]) * 32 for number in (1, 2, 3)]
    committed = commitments_digest([bytes.fromhex(entropy_commitment(each)) for each in values])
    opened = openings_digest(list(enumerate(values, start=1)))
    above = derive_seed(MASTER, "draws", 0, 1, 1)
    here = derive_seed(MASTER, "draws", 1, 1, 1)
    names = ["a", "b", "c", "d", "e"]
    cubes = [RandomWords(here, "cube", n, opened).below(3) for n in (1, 2, 3)]
    return {
        "draws": {
            "commitments_digest": committed.hex(),
            "openings_digest": opened.hex(),
            **{
                f"{label}_of_a_to_e": list(RandomWords(above, label, 1, committed).shuffled(names))
                for label in ("seats", "order", "move", "final", "lot")
            },
            "lot_below_5": RandomWords(above, "lot", 1, committed).below(5),
            "cubes_1_to_3_of_3_seats": cubes,
            "first_dealer_cards": list(
                RandomWords(here, "first_dealer", 1, opened).shuffled(DECKS["d62"])[:6]
            ),
            "starter_below_6": RandomWords(here, "starter", 1, opened).below(6),
        }
    }


def test_the_generator_gives_the_published_vectors() -> None:
    assert vectors() == json.loads(VECTORS.read_text(encoding="utf-8"))


def root_by_definition(leaves: list[bytes]) -> bytes:
    if not leaves:
        return sha256().digest()
    if len(leaves) == 1:
        return leaves[0]
    half = 1
    while half * 2 < len(leaves):
        half *= 2
    left, right = root_by_definition(leaves[:half]), root_by_definition(leaves[half:])
    return sha256(b"\x01" + left + right).digest()


@settings(derandomize=True, deadline=None, database=None)
@given(st.integers(0, 70))
def test_the_root_is_that_of_rfc_6962(count: int) -> None:
    leaves = [sha256(bytes([index])).digest() for index in range(count)]
    assert merkle_root(leaves) == root_by_definition(leaves)


@settings(derandomize=True, deadline=None, database=None)
@given(st.binary(min_size=32, max_size=32), st.integers(1, 2**32 - 1), st.binary(max_size=32))
def test_a_stream_is_hmac_of_its_label_and_counter(seed: bytes, n: int, digest: bytes) -> None:
    key = hmac.digest(seed, b"pile\0" + n.to_bytes(4, "big") + digest, "sha256")
    stream = RandomWords(seed, "pile", n, digest)
    words: list[int] = []
    for index in range(3):
        block = hmac.digest(key, index.to_bytes(8, "big"), "sha256")
        assert stream.block(index) == block
        words += [int.from_bytes(block[start : start + 8], "big") for start in (0, 8, 16, 24)]
    assert [stream.below(2**64) for _ in words] == words


@pytest.mark.parametrize("size", [0, 1, 2, 3, 62, 300])
def test_blocks_and_words_made_at_once_are_those_made_one_by_one(size: int) -> None:
    seed, digest = bytes(range(32)), openings_digest(())
    stream = RandomWords(seed, "pile", 1, digest)
    assert list(stream.first(size)) == [stream.block(index) for index in range(size)]
    assert list(stream.first(size)) == list(islice(stream.blocks(), size))
    ahead = RandomWords(seed, "pile", 1, digest, ahead=size)
    assert [ahead.below(2**64) for _ in range(size + 9)] == [
        stream.below(2**64) for _ in range(size + 9)
    ]


def test_a_shuffle_draws_each_card_below_the_number_of_those_that_are_left() -> None:
    drawn, counted = RandomWords(bytes(32), "pile"), RandomWords(bytes(32), "pile")
    # No seed is known to draw a word that is rejected. Two such words come first here.
    drawn._words = chain((2**64 - 1, 2**64 - 2), drawn._words)
    counted._words = chain((2**64 - 1, 2**64 - 2), counted._words)
    order = list(DECKS["d62"])
    for index in range(61, 0, -1):
        other = counted.below(index + 1)
        order[index], order[other] = order[other], order[index]
    assert drawn.shuffled(DECKS["d62"]) == tuple(order)
    assert next(drawn._words) == next(counted._words)


def test_every_deck_is_what_the_rulebook_counts() -> None:
    d62, d76 = DECKS["d62"], DECKS["d76"]
    assert (len(set(d62)), sum(VALUES[card] for card in d62)) == (62, 0)
    assert (len(set(d76)), sum(VALUES[card] for card in d76)) == (76, 320)
    assert sum(card.startswith("X") for card in d76) == 16


def test_draws_are_fair_enough_to_the_eye() -> None:
    stream = RandomWords(bytes(32), "pile")
    counts = [0] * 3
    for _ in range(3000):
        counts[stream.below(3)] += 1
    assert all(900 < count < 1100 for count in counts)
