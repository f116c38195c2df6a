"""Proofs of a tree whose leaves a test holds."""

from service.transparency.tree import RangeHash, consistency_ranges, inclusion_ranges


def inclusion_proof(index: int, size: int, hash_of: RangeHash) -> list[bytes]:
    """Return the audit path of leaf *index* in a tree of *size*."""
    return [hash_of(start, end) for start, end in inclusion_ranges(index, size)]


def consistency_proof(old: int, new: int, hash_of: RangeHash) -> list[bytes]:
    """Return the proof that the tree of *new* leaves continues that of *old*."""
    return [hash_of(start, end) for start, end in consistency_ranges(old, new)]
