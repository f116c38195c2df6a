"""The content of ``api-spec/vectors/beacon.json``: the pulse to wait for, and its mixing."""

from datetime import UTC, datetime, timedelta
from typing import Any

from engine.kit.beacon import Chain, Pulse, mixed_in, pulse_after, time_of
from engine.kit.cards import deck
from engine.kit.rng import commitments_digest, derive_seed, openings_digest, shuffle, shuffled_pile

QUICKNET = Chain(
    hash="52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
    public_key=(
        "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c"
        "8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb"
        "5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
    ),
    genesis=1_692_803_367,
    period=3,
)
"""The chain quicknet, as drand describes it."""

GENUINE = (
    Pulse(
        round=1000,
        signature=(
            "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125"
            "e342b73a8dd2bacbe47e4b6b63ed5e39"
        ),
        randomness="fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd",
    ),
    Pulse(
        round=657_413,
        signature=(
            "b713718a38ae728dfd477991af2822e08d2f305e47718cef9f7848ce4050e7be"
            "41076862b98fad56e91a6b85b89cd97b"
        ),
        randomness="fc1873a13f3545aeade8401532ef5519920652eee6b0d2b19ca12643b87b3587",
    ),
)
"""Two pulses as drand published them."""

_GENESIS = datetime.fromtimestamp(QUICKNET.genesis, UTC)
_MASTER = bytes(range(32))
_OPENINGS = ((1, b"\x01" * 32), (3, b"\x03" * 32))
_COMMITMENTS = (b"\x0a" * 32, b"\x0b" * 32)


def vectors() -> dict[str, Any]:
    """Return values that every verifier must compute: pulses, digests, a deck and a draw."""
    pulse = GENUINE[0]
    mixed = mixed_in(QUICKNET, pulse)
    cards = derive_seed(_MASTER, "cards", 1, 2, 1)
    draws = derive_seed(_MASTER, "draws", 0, 1, 1)
    deal = openings_digest(_OPENINGS, mixed)
    draw = commitments_digest(_COMMITMENTS, mixed)
    pile = shuffled_pile(cards, deal, 1, deck("d62"))
    instants = (-10, -3, 0, 0.000001, 1.5, 3, 3.000001, 2993.999999, 2994, 2994.000001, 3000)
    return {
        "about": "A public beacon: rulebook beacon.round, beacon.value, generator.beacon.",
        "chain": {
            "hash": QUICKNET.hash,
            "public_key": QUICKNET.public_key,
            "genesis": QUICKNET.genesis,
            "period": QUICKNET.period,
        },
        "pulses": [
            {"round": each.round, "signature": each.signature, "randomness": each.randomness}
            for each in GENUINE
        ],
        "rounds": [_named(_GENESIS + timedelta(seconds=each)) for each in instants],
        "mixed": {
            "master": _MASTER.hex(),
            "round": pulse.round,
            "openings": [[seat, value.hex()] for seat, value in _OPENINGS],
            "openings_digest_none": openings_digest((), mixed).hex(),
            "openings_digest": deal.hex(),
            "deck_1_2_1": list(pile.cards),
            "deck_root_1_2_1": pile.root(),
            "commitments": [each.hex() for each in _COMMITMENTS],
            "commitments_digest_none": commitments_digest((), mixed).hex(),
            "commitments_digest": draw.hex(),
            "seats_of_a_to_e": list(shuffle("abcde", seed=draws, label="seats", digest=draw)),
        },
    }


def _named(at: datetime) -> dict[str, Any]:
    number = pulse_after(QUICKNET, at)
    return {
        "at": at.isoformat().replace("+00:00", "Z"),
        "round": number,
        "comes_at": time_of(QUICKNET, number).isoformat().replace("+00:00", "Z"),
    }
