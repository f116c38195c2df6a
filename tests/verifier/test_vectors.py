"""The verifier's arithmetic against the RFC's vectors and those of `api-spec/vectors`."""

import base64
import json

import pytest

from tests.verifier.loading import KEYS, bundle, vectors, verifier

# RFC 8032, 7.1: public key, message (- for none) and signature.
RFC_8032 = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a - e5564300c360ac729086e"
        "2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bb"
        "e24655141438e7a100b"
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c 72 92a009a9f0d4cab8720e"
        "820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb430"
        "2aeeb00d291612bb0c00"
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025 af82 6291d657deec240248"
        "27e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e971"
        "6ed28dc027beceea1ec40a"
    ),
    (
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf ddaf35a193617abacc41734"
        "9ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80"
        "e2a9ac94fa54ca49f dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351f"
        "c9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704"
    ),
]


def read(vector: str) -> list[bytes]:
    return [bytes.fromhex(part.replace("-", "")) for part in vector.split(" ")]


@pytest.mark.parametrize("vector", RFC_8032)
def test_the_signatures_of_rfc_8032_are_right(vector: str) -> None:
    key, text, proof = read(vector)
    assert verifier.ed25519_verify(key, text, proof)
    assert not verifier.ed25519_verify(key, text + b"\0", proof)
    for place in range(64):
        broken = proof[:place] + bytes([proof[place] ^ 1]) + proof[place + 1 :]
        assert not verifier.ed25519_verify(key, text, broken)


def test_a_signature_beyond_the_order_of_the_group_is_refused() -> None:
    key, text, proof = read(RFC_8032[1])
    larger = int.from_bytes(proof[32:], "little") + verifier.L
    assert not verifier.ed25519_verify(key, text, proof[:32] + larger.to_bytes(32, "little"))


def test_entries_and_commitments_are_those_of_the_vectors() -> None:
    frozen = vectors("entry")
    for entry in frozen["entries"]:
        assert verifier.sha(b"\0" + bytes.fromhex(entry["entry"])).hex() == entry["hash"]
        event = verifier.Event(
            0,
            entry["stream"],
            entry["version"],
            bytes.fromhex(entry["event_id"].replace("-", "")),
            entry["type"],
            entry["schema_version"],
            verifier.microseconds(entry["at"].replace("+00:00", "Z")),
            json.loads(entry["data"]),
            verifier.sha(entry["metadata"].encode()),
            verifier.sha(bytes.fromhex(entry["sealed"])) if entry["sealed"] else None,
            None,
        )
        league = bytes.fromhex(entry["league"].replace("-", ""))
        found = verifier.entry_of(league, bytes.fromhex(entry["previous"]), event)
        assert found.hex() == entry["entry"]
    for given in frozen["commitments"]:
        event = verifier.Event(
            0, given["stream"], given["version"], b"", "", 1, 0, {}, b"", None, None
        )
        league = bytes.fromhex(given["league"].replace("-", ""))
        salt, value = bytes.fromhex(given["salt"]), json.loads(given["value"])
        found = verifier.sealed_commitment(league, event, given["pointer"], salt, value)
        assert found == given["commitment"]


def test_the_generator_gives_the_published_vectors() -> None:
    given = vectors("generator")
    master, none = bytes.fromhex(given["master"]), verifier.openings_digest([])
    tournament = bytes.fromhex(given["tournament"][4:])
    for name in ("cards", "open"):
        found = verifier.master_commitment(tournament, name, master).hex()
        assert found == given[f"master_commitment_{name}"]
    seed = verifier.seed_of(master, "cards", 1, 2, 1)
    assert seed.hex() == given["seed_cards_1_2_1"]
    assert verifier.sha(b"holotable/seed/1/commitment" + seed).hex() == given["seed_commitment"]
    assert none.hex() == given["openings_digest_none"]
    pile = verifier.make_pile(seed, 1, none, verifier.deck_of("d62"))
    assert (pile.cards, pile.root.hex()) == (given["deck"], given["deck_root"])
    assert pile.salts[0].hex() == given["salt_0"]
    leaf = verifier.card_leaf(pile.salts[0], 1, 0, pile.cards[0])
    assert leaf.hex() == given["leaf_0"]
    dice = verifier.Draws(verifier.seed_of(master, "dice", 1, 2, 1), "target", 1, none)
    assert verifier.GOLD[dice.below(6)] == given["target"]
    assert verifier.SILVER[dice.below(3)] == given["suit"]
    traditional = verifier.make_pile(seed, 1, none, verifier.deck_of("d76"))
    assert traditional.cards[: len(given["d76_first_deal"])] == given["d76_first_deal"]


def test_entropy_and_draws_are_those_published() -> None:
    given = vectors("generator")
    entropy, draws = given["entropy"], given["draws"]
    values = [bytes.fromhex(value) for value in entropy["values"]]
    found = [verifier.sha(b"holotable/entropy/1" + value).hex() for value in values]
    assert found == entropy["commitments"]
    openings = [(seat, bytes.fromhex(value)) for seat, value in entropy["openings"]]
    assert verifier.openings_digest(openings).hex() == entropy["openings_digest"]
    commitments = [bytes.fromhex(commitment) for commitment in entropy["commitments"]]
    assert verifier.commitments_digest(commitments).hex() == draws["commitments_digest"]


def test_selections_count_and_win_as_published() -> None:
    given = vectors("scoring")
    for case in given["selections"]:
        found = verifier.score(case["cards"], case["target"], case["suit"])
        assert found == (case["distance"], case["suit_count"])
    for case in given["showdowns"]:
        keys = {
            int(seat): verifier.rank_key(cards, case["target"], case["suit"])
            for seat, cards in case["selections"].items()
        }
        assert sorted(s for s in keys if keys[s] == min(keys.values())) == sorted(case["best"])
    deck = verifier.deck_of("d62")
    for case in given["clock"]:
        found = verifier.clock_selection(case["hand"], case["target"], case["suit"], 0, deck)
        assert found == case["selected"]


def test_pots_and_shares_are_those_published() -> None:
    given = vectors("pots")
    for case in given["hands"]:
        wagers = {int(seat): chips for seat, chips in case["wagers"].items()}
        back = verifier.unmatched(wagers, set(case["live"]))
        due = case["unmatched"]
        assert back == (None if due is None else (due["seat"], due["chips"]))
        if back is not None:
            wagers[back[0]] -= back[1]
        pots = verifier.make_pots(wagers, set(case["live"]), case["carry"])
        assert [{"chips": chips, "eligible": who} for chips, who in pots] == case["pots"]
    for case in given["shares"]:
        shares, carried = verifier.share_pot(
            case["chips"], case["winners"], case["unit"], case["odd_chip"]
        )
        assert {str(seat): chips for seat, chips in shares.items()} == case["shares"]
        assert carried == case["carried"]


@pytest.mark.parametrize(("section", "revision"), [("streets", 1), ("revision_2", 2)])
def test_turns_and_legal_actions_are_those_published(section: str, revision: int) -> None:
    for case in vectors("legal_actions")[section]:
        seats = {
            seat["seat"]: verifier.Seat(
                seat["seat"],
                seat["stack"],
                live=seat["live"],
                put_in=seat["put_in"],
                acted_at=seat["acted_at"],
            )
            for seat in case["seats"]
        }
        rest = (case["min_open"], seats, case["after"], case["current_bet"], case["full_raise"])
        street = verifier.Street(case["betting"], case["unit"], *rest, revision=revision)
        assert street.to_act() == case["to_act"]
        if case["to_act"] is None:
            continue
        legal = street.legal(seats[case["to_act"]])
        due = {}
        for action in case["legal"]:
            bounds = (
                action.get("min", action.get("amount")),
                action.get("max", action.get("amount")),
            )
            due[action["verb"]] = None if bounds[0] is None else bounds
        assert legal == due
        for attempt in case["refused"]:
            verb, amount = attempt["verb"], attempt.get("amount")
            known = verb in legal
            assert not known or (amount is not None and not street.fits(amount, legal[verb]))


def test_a_tree_over_every_number_of_leaves_is_split_at_the_largest_power() -> None:
    leaves = [verifier.sha(bytes([n])) for n in range(130)]
    level = leaves[:8]
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=True)
        level = [verifier.sha(b"\x01" + left + right) for left, right in pairs]
    assert verifier.tree_root(leaves[:8]) == level[0]
    for size in range(2, 131):
        split = 1
        while split * 2 < size:
            split *= 2
        halves = (verifier.tree_root(leaves[:split]), verifier.tree_root(leaves[split:size]))
        assert verifier.tree_root(leaves[:size]) == verifier.sha(b"\x01" + halves[0] + halves[1])


def test_a_key_is_read_with_its_own_hash_only() -> None:
    key = KEYS[0]
    text = base64.b64encode(b"\x01" + key.key).decode()
    assert verifier.read_key(f"{key.name}+{key.id.hex()}+{text}") == key
    with pytest.raises(verifier.Unreadable):
        verifier.read_key(f"{key.name}+00000000+{text}")


def test_instants_have_one_form_only() -> None:
    assert verifier.microseconds("1970-01-01T00:00:01.000001Z") == 1_000_001
    for text in (
        "1970-01-01T00:00:01.000000Z",
        "1970-01-01T00:00:01+00:00",
        "1970-02-30T00:00:00Z",
    ):
        with pytest.raises(ValueError, match=r"instant|day"):
            verifier.microseconds(text)


def test_the_real_bundles_are_in_form() -> None:
    assert verifier.read_bundle(bundle("raises")).kind == "hand"
    assert verifier.read_bundle(bundle("season")).kind == "season"


def test_rounds_of_a_beacon_are_signed_by_its_key_and_by_no_other_round() -> None:
    pytest.importorskip("py_arkworks_bls12381")
    known = vectors("beacon")
    for pulse in known["pulses"]:
        assert verifier.bls_holds(known["chain"], pulse)
        assert not verifier.bls_holds(known["chain"], pulse | {"round": pulse["round"] + 1})
        assert verifier.sha(bytes.fromhex(pulse["signature"])).hex() == pulse["randomness"]


def test_the_round_of_a_beacon_follows_from_the_instant() -> None:
    known = vectors("beacon")
    for each in known["rounds"]:
        assert (
            verifier.round_due(known["chain"], verifier.microseconds(each["at"])) == each["round"]
        )


def test_a_round_of_a_beacon_is_mixed_into_digests() -> None:
    known = vectors("beacon")
    mixed = known["mixed"]
    pulse = next(each for each in known["pulses"] if each["round"] == mixed["round"])
    beacon = verifier.pulse_bytes(known["chain"], pulse)
    openings = [(seat, bytes.fromhex(value)) for seat, value in mixed["openings"]]
    commitments = [bytes.fromhex(each) for each in mixed["commitments"]]
    digest = verifier.openings_digest(openings, beacon)
    assert digest.hex() == mixed["openings_digest"]
    assert verifier.openings_digest([], beacon).hex() == mixed["openings_digest_none"]
    assert verifier.commitments_digest(commitments, beacon).hex() == mixed["commitments_digest"]
    seed = verifier.seed_of(bytes.fromhex(mixed["master"]), "cards", 1, 2, 1)
    pile = verifier.make_pile(seed, 1, digest, verifier.deck_of("d62"))
    assert pile.cards == mixed["deck_1_2_1"]
    assert pile.root.hex() == mixed["deck_root_1_2_1"]
