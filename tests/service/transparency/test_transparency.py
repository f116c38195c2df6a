"""The tree of RFC 6962 compared with a plain one, signed heads, and a signer that refuses fraud."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from service.base.errors import CheckpointRefused
from service.transparency.note import Checkpoint, SigningKey, open_note, parse_checkpoint
from service.transparency.signer import Memory, Signer
from service.transparency.tree import (
    EMPTY_ROOT,
    Frontier,
    complete_subtrees,
    consistent,
    root_by_inclusion,
    root_of,
)
from tests.support.proofs import consistency_proof, inclusion_proof

SIZE_MAX = 130

RFC_ENTRIES = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
"""The test data of the certificate-transparency reference implementation."""

RFC_ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def leaf(entry: bytes) -> bytes:
    return sha256(b"\0" + entry).digest()


def plain_root(leaves: list[bytes]) -> bytes:
    """Return the root by the RFC's recursive definition, word for word."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return sha256(b"\1" + plain_root(leaves[:k]) + plain_root(leaves[k:])).digest()


LEAVES = [leaf(number.to_bytes(2, "big")) for number in range(SIZE_MAX)]
ROOTS = [plain_root(LEAVES[:size]) for size in range(SIZE_MAX + 1)]


def hash_of(start: int, end: int) -> bytes:
    return plain_root(LEAVES[start:end])


@pytest.mark.parametrize("size", range(1, 9))
def test_roots_are_those_of_the_reference_implementation(size: int) -> None:
    assert root_of(leaf(entry) for entry in RFC_ENTRIES[:size]).hex() == RFC_ROOTS[size - 1]


def test_a_frontier_knows_the_root_after_every_leaf() -> None:
    frontier = Frontier()
    roots = [frontier.root()]
    for one in LEAVES:
        frontier.append(one)
        roots.append(frontier.root())

    assert roots == ROOTS


def test_a_frontier_takes_complete_subtrees_in_place_of_leaves() -> None:
    for size in range(SIZE_MAX + 1):
        frontier = Frontier()
        for start, end in complete_subtrees(0, size):
            frontier.append_subtree(end - start, hash_of(start, end))
        assert (frontier.size, frontier.root()) == (size, ROOTS[size])


def test_a_subtree_that_does_not_fit_is_refused() -> None:
    frontier = Frontier()
    frontier.append(LEAVES[0])

    with pytest.raises(ValueError, match="does not fit"):
        frontier.append_subtree(2, LEAVES[1])


def test_every_leaf_is_proven_in_every_tree() -> None:
    for size in range(1, SIZE_MAX + 1):
        for index in range(size):
            path = inclusion_proof(index, size, hash_of)
            assert root_by_inclusion(LEAVES[index], index, size, path) == ROOTS[size]


def test_a_proof_proves_no_other_leaf_place_or_path() -> None:
    for size in (2, 7, 8, 100, 130):
        for index in range(0, size, 3):
            path = inclusion_proof(index, size, hash_of)
            other = (index + 1) % size
            assert root_by_inclusion(LEAVES[other], index, size, path) != ROOTS[size]
            for place in range(len(path)):
                bent = [*path[:place], EMPTY_ROOT, *path[place + 1 :]]
                assert root_by_inclusion(LEAVES[index], index, size, bent) != ROOTS[size]
            with pytest.raises(ValueError, match="path of"):
                root_by_inclusion(LEAVES[index], index, size, [*path, EMPTY_ROOT])


def test_every_tree_begins_every_later_one() -> None:
    for new in range(1, SIZE_MAX + 1):
        for old in range(1, new + 1):
            proof = consistency_proof(old, new, hash_of)
            assert consistent(old, ROOTS[old], new, ROOTS[new], proof)


def test_no_other_tree_is_taken_for_the_beginning() -> None:
    for new in (5, 8, 64, 65, 129, 130):
        for old in range(1, new):
            proof = consistency_proof(old, new, hash_of)
            assert not consistent(old, EMPTY_ROOT, new, ROOTS[new], proof)
            assert not consistent(old, ROOTS[old], new, EMPTY_ROOT, proof)
            assert not consistent(old, ROOTS[old], new, ROOTS[new], [*proof, EMPTY_ROOT])
            assert not consistent(old, ROOTS[old], new, ROOTS[new], proof[:-1])
            for place in range(len(proof)):
                bent = [*proof[:place], EMPTY_ROOT, *proof[place + 1 :]]
                assert not consistent(old, ROOTS[old], new, ROOTS[new], bent)


def test_the_empty_tree_begins_every_tree_and_is_recognised() -> None:
    assert consistent(0, EMPTY_ROOT, 5, ROOTS[5], [])
    assert not consistent(0, ROOTS[1], 5, ROOTS[5], [])
    assert not consistent(6, ROOTS[6], 5, ROOTS[5], [])
    assert consistent(5, ROOTS[5], 5, ROOTS[5], [])
    assert not consistent(5, ROOTS[4], 5, ROOTS[5], [])


def test_the_tree_of_no_leaves_has_one_root() -> None:
    assert consistent(0, EMPTY_ROOT, 0, EMPTY_ROOT, [])
    assert not consistent(0, EMPTY_ROOT, 0, ROOTS[1], [])
    assert not consistent(0, ROOTS[1], 0, ROOTS[1], [])
    assert not consistent(-1, EMPTY_ROOT, 0, EMPTY_ROOT, [])


def test_what_is_not_of_32_bytes_is_no_hash() -> None:
    for short in (b"", LEAVES[0][:-1], LEAVES[0] + b"\0"):
        with pytest.raises(ValueError, match="32 bytes"):
            root_by_inclusion(short, 0, 1, [])
        with pytest.raises(ValueError, match="32 bytes"):
            root_by_inclusion(LEAVES[0], 0, 2, [short])
        assert not consistent(1, short, 1, short, [])
        assert not consistent(0, EMPTY_ROOT, 1, short, [])


KEY = SigningKey("holotable.example", bytes(range(32)))
ORIGIN = "holotable/5e3d/0"


def head(size: int, origin: str = ORIGIN) -> Checkpoint:
    return Checkpoint(origin=origin, size=size, root=ROOTS[size])


def test_a_checkpoint_is_read_back_from_its_text() -> None:
    assert parse_checkpoint(head(7).text()) == head(7)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "holotable/5e3d/0\n7\n",
        "holotable/5e3d/0\n07\n" + "A" * 43 + "=\n",
        "holotable/5e3d/0\n-7\n" + "A" * 43 + "=\n",
        "holotable/5e3d/0\n7\nAAAA\n",
        "\n7\n" + "A" * 43 + "=\n",
        "holotable/5e3d/0\n7\n" + "A" * 43 + "=\n\nmore\n",
        "holotable/5e3d/0\n7\n" + "A" * 43 + "=\nmore\n\n",
        "holotable/5e3d/0\n0\n" + "A" * 43 + "=\n",
        "holotable/5e3d/0\n7\n" + "A" * 43 + "=",
    ],
)
def test_another_form_of_a_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(CheckpointRefused):
        parse_checkpoint(text)


def test_extension_lines_of_a_checkpoint_are_signed_and_passed_over() -> None:
    text = f"{head(7).text()}a word of the log\nanother\n"

    assert parse_checkpoint(open_note(KEY.sign(text), KEY.verifier_key())) == head(7)


def test_signatures_of_other_keys_are_passed_over_and_each_of_the_known_key_is_checked() -> None:
    note = KEY.sign(head(7).text())
    other = SigningKey("witness.example", bytes(32)).sign(head(7).text()).splitlines()[-1]
    wrong = KEY.sign(head(5).text()).splitlines()[-1]

    assert open_note(f"{note}{other}\n", KEY.verifier_key()) == head(7).text()
    with pytest.raises(CheckpointRefused, match="is invalid"):
        open_note(f"{note}{wrong}\n", KEY.verifier_key())


@pytest.mark.parametrize("line", ["\u2014 a+b AAAAAAA=", "\u2014  AAAAAAA=", "\u2014 a AAAA"])
def test_a_signature_line_has_a_name_and_a_signature(line: str) -> None:
    with pytest.raises(CheckpointRefused, match="canonical form"):
        open_note(f"{KEY.sign(head(7).text())}{line}\n", KEY.verifier_key())


def test_a_note_with_a_control_character_does_not_open() -> None:
    with pytest.raises(CheckpointRefused, match="control character"):
        open_note(KEY.sign(f"{head(7).text()}a\tb\n"), KEY.verifier_key())


def test_a_public_key_in_another_form_is_refused() -> None:
    name, number, encoded = KEY.verifier_key().split("+", 2)
    for bent in ("", name, f"{name}+{number}", f"{name}+00000000+{encoded}", f"{name}+{number}+AA"):
        with pytest.raises(CheckpointRefused, match="name\\+id\\+key"):
            open_note(KEY.sign(head(7).text()), bent)


def test_a_signed_note_opens_under_its_key_only() -> None:
    note = KEY.sign(head(7).text())

    assert open_note(note, KEY.verifier_key()) == head(7).text()
    with pytest.raises(CheckpointRefused, match="not signed by"):
        open_note(note, SigningKey("other.example", bytes(32)).verifier_key())
    with pytest.raises(CheckpointRefused, match="not signed by"):
        open_note(note, SigningKey("holotable.example", bytes(32)).verifier_key())


def test_a_note_with_one_byte_changed_does_not_open() -> None:
    note = KEY.sign(head(7).text()).encode()
    for place in range(len(note)):
        bent = note[:place] + bytes([note[place] ^ 1]) + note[place + 1 :]
        with pytest.raises((CheckpointRefused, UnicodeDecodeError)):
            open_note(bent.decode(), KEY.verifier_key())


def test_a_signing_key_does_not_show_its_secret() -> None:
    assert bytes(range(32)).hex() not in repr(KEY)
    assert KEY.verifier_key() in repr(KEY)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "signer") as memory:
        yield memory


def proof(old: int, new: int) -> tuple[bytes, ...]:
    return tuple(consistency_proof(old, new, hash_of)) if old else ()


def test_the_signer_signs_what_continues(memory: Memory) -> None:
    signer = Signer(KEY, memory)
    for old, new in ((0, 3), (3, 3), (3, 17), (17, 130)):
        note = signer.sign(head(new), proof(old, new))
        assert parse_checkpoint(open_note(note, signer.verifier_key)) == head(new)
        assert signer.last(ORIGIN) == head(new)


def test_a_shorter_tree_is_refused_also_after_a_restart(tmp_path: Path) -> None:
    with Memory(tmp_path) as memory:
        Signer(KEY, memory).sign(head(17), ())
    with Memory(tmp_path) as memory:
        signer = Signer(KEY, memory)
        with pytest.raises(CheckpointRefused, match="does not continue"):
            signer.sign(head(16), ())
        assert signer.last(ORIGIN) == head(17)


def test_a_rewritten_tree_is_refused(memory: Memory) -> None:
    signer = Signer(KEY, memory)
    signer.sign(head(8), ())
    rewritten = root_of([*LEAVES[:7], LEAVES[9], *LEAVES[8:12]])

    with pytest.raises(CheckpointRefused, match="does not continue"):
        signer.sign(Checkpoint(origin=ORIGIN, size=12, root=rewritten), proof(8, 12))


def test_no_root_but_the_empty_one_is_signed_for_a_tree_of_no_leaves(memory: Memory) -> None:
    with pytest.raises(CheckpointRefused):
        Signer(KEY, memory).sign(Checkpoint(origin=ORIGIN, size=0, root=ROOTS[1]), ())


def test_a_new_epoch_begins_anew_and_an_old_one_is_over(memory: Memory) -> None:
    signer = Signer(KEY, memory)
    signer.sign(head(17), ())
    signer.sign(head(9, "holotable/5e3d/1"), ())

    with pytest.raises(CheckpointRefused, match="later epoch"):
        signer.sign(head(18), proof(17, 18))


def test_leagues_do_not_share_a_memory(memory: Memory) -> None:
    signer = Signer(KEY, memory)
    signer.sign(head(17), ())

    signer.sign(head(5, "holotable/aaaa/0"), ())

    assert signer.last(ORIGIN) == head(17)


@pytest.mark.parametrize(
    "origin", ["", "holotable/x", "holotable//0", "other/x/0", "holotable/x/01"]
)
def test_a_foreign_origin_is_refused(memory: Memory, origin: str) -> None:
    with pytest.raises(CheckpointRefused, match="not the origin"):
        Signer(KEY, memory).sign(head(3, origin), ())


def test_two_signers_do_not_share_a_memory(tmp_path: Path, memory: Memory) -> None:
    with pytest.raises(BlockingIOError), Memory(tmp_path / "signer"):
        pass
