"""
Merkle trees of RFC 6962 over leaf hashes that exist already.

An event's hash is its leaf, and its position in the league is the leaf's index. A
proof names ranges of leaves. The caller decides how to hash a range, so a proof over
millions of events reads only a few hundred rows.
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256

EMPTY_ROOT = sha256().digest()

_HASH_BYTES = 32

Range = tuple[int, int]
"""The index of the first leaf, and the index after the last."""

RangeHash = Callable[[int, int], bytes]


def node(left: bytes, right: bytes) -> bytes:
    """Return the hash of the node over *left* and *right* (RFC 6962, 2.1)."""
    return sha256(b"\1" + left + right).digest()


def split_at(size: int) -> int:
    """
    Return the largest power of two below *size*, which is at least 2.

    >>> [split_at(size) for size in (2, 3, 4, 5, 8, 9)]
    [1, 2, 2, 4, 4, 8]
    """
    return 1 << ((size - 1).bit_length() - 1)


class Frontier:
    """
    The right edge of a growing tree: the roots of its complete subtrees, largest first.

    It can append leaves and give the root. Its memory grows with the logarithm of the size.
    """

    __slots__ = ("_subtrees", "size")

    def __init__(self) -> None:
        self.size = 0
        self._subtrees: list[tuple[int, bytes]] = []

    def append(self, leaf: bytes) -> None:
        """Append one leaf hash, 32 bytes."""
        self.append_subtree(1, leaf)

    def append_subtree(self, width: int, root: bytes) -> None:
        """
        Append a complete subtree.

        Args:
            width: Its number of leaves, a power of two that divides the size so far.
            root: Its root, 32 bytes.
        """
        if self.size % width:
            raise ValueError(f"a subtree of {width} leaves does not fit after {self.size}")
        self.size += width
        while self._subtrees and self._subtrees[-1][0] == width:
            root = node(self._subtrees.pop()[1], root)
            width *= 2
        self._subtrees.append((width, root))

    def root(self) -> bytes:
        """Return the root of all leaves so far."""
        if not self._subtrees:
            return EMPTY_ROOT
        *rest, (_, root) = self._subtrees
        for _, left in reversed(rest):
            root = node(left, root)
        return root


def root_of(leaves: Iterable[bytes]) -> bytes:
    """Return the root over *leaves*, paired from the left. An unpaired leaf moves up alone."""
    row = list(leaves)
    while len(row) > 1:
        pairs = iter(row)
        above = [
            sha256(b"\1" + left + right).digest() for left, right in zip(pairs, pairs, strict=False)
        ]
        row = [*above, row[-1]] if len(row) % 2 else above
    return row[0] if row else EMPTY_ROOT


def complete_subtrees(start: int, end: int) -> list[Range]:
    """
    Return the largest aligned complete subtrees that cover a range of leaves.

    >>> complete_subtrees(0, 7)
    [(0, 4), (4, 6), (6, 7)]
    """
    parts: list[Range] = []
    while start < end:
        width = start & -start or 1 << end.bit_length()
        while start + width > end:
            width //= 2
        parts.append((start, start + width))
        start += width
    return parts


def inclusion_ranges(index: int, size: int) -> list[Range]:
    """
    Return the ranges of the proof of leaf *index* in a tree of *size*, nearest first.

    Raises:
        IndexError: If the tree has no leaf at this index.

    Source: RFC 6962, 2.1.1.
    """
    if not 0 <= index < size:
        raise IndexError(f"no leaf {index} in a tree of {size}")
    path: list[Range] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + split_at(end - start)
        if index < middle:
            path.append((middle, end))
            end = middle
        else:
            path.append((start, middle))
            start = middle
    return path[::-1]


def consistency_ranges(old: int, new: int) -> list[Range]:
    """
    Return the ranges of the proof that the tree of *new* leaves continues that of *old*.

    Raises:
        IndexError: If *old* is not between 1 and *new*.

    Source: RFC 6962, 2.1.2.
    """
    if not 1 <= old <= new:
        raise IndexError(f"a tree of {old} does not begin one of {new}")
    path: list[Range] = []
    start, end, whole = 0, new, True
    while old != end:
        middle = start + split_at(end - start)
        if old <= middle:
            path.append((middle, end))
            end = middle
        else:
            path.append((start, middle))
            start, whole = middle, False
    if not whole:
        path.append((start, end))
    return path[::-1]


def root_by_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes:
    """
    Return the root that *path* leads to from *leaf*.

    Raises:
        IndexError: If the tree has no leaf at this index.
        ValueError: If the path has the wrong length for this place, or a hash is not 32 bytes
            long.

    Source: RFC 9162, 2.1.3.2.
    """
    ranges = inclusion_ranges(index, size)
    if not _are_hashes(leaf, *path):
        raise ValueError(f"a hash has {_HASH_BYTES} bytes")
    if len(ranges) != len(path):
        raise ValueError(f"a path of {len(ranges)} hashes is needed, not of {len(path)}")
    root = leaf
    for (start, _), sibling in zip(ranges, path, strict=True):
        root = node(sibling, root) if start < index else node(root, sibling)
    return root


def consistent(
    old: int, old_root: bytes, new: int, new_root: bytes, proof: Sequence[bytes]
) -> bool:
    """
    Return whether *proof* shows that the tree of *new* leaves continues that of *old*.

    Every tree continues the empty one, and the empty tree has one root.

    Source: RFC 9162, 2.1.4.2.
    """
    if not 0 <= old <= new or not _are_hashes(old_root, new_root, *proof):
        return False
    if new == 0 and new_root != EMPTY_ROOT:
        return False
    if old == 0:
        return not proof and old_root == EMPTY_ROOT
    if old == new:
        return not proof and old_root == new_root
    ranges = consistency_ranges(old, new)
    if len(ranges) != len(proof):
        return False
    hashes = dict(zip(ranges, proof, strict=True))
    if all(end > old for _, end in ranges):
        # The old tree is a node of the new one, so the proof leaves its hash out.
        hashes[0, old] = old_root
    return _fold(hashes, (0, old)) == old_root and _fold(hashes, (0, new)) == new_root


def _are_hashes(*hashes: bytes) -> bool:
    return all(len(each) == _HASH_BYTES for each in hashes)


def _fold(hashes: dict[Range, bytes], whole: Range) -> bytes:
    """Return the root over *whole*, computed from hashes of ranges that cover it."""
    if whole in hashes:
        return hashes[whole]
    start, end = whole
    middle = start + split_at(end - start)
    return node(_fold(hashes, (start, middle)), _fold(hashes, (middle, end)))
