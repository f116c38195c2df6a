"""
A league's tree, built again from the log's hashes and compared with the signed heads.

Each signed head of every epoch must be the root of the first events of the log, as many
as the head covers. So each later head continues all earlier ones. The signer's memory is
compared too, because a database restored from an old copy lacks the heads that betray it.

Chunks of events give the roots of their tiles in any order. :class:`TreeAudit` takes
the chunks one after another.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from uuid import UUID

import httpx
import msgspec

from service.audit.report import FAULTS_SHOWN, Findings
from service.audit.said import NO_FAULT, Said, said
from service.base.drivers import Driver
from service.base.errors import CheckpointRefused
from service.base.languages import N_
from service.log.read import epoch_of
from service.transparency.ledger import TILE, TILE_BITS
from service.transparency.messages import LastHead
from service.transparency.note import Checkpoint, open_note
from service.transparency.signing import GIVEN_UP, SignerAway, last_head, origin_of
from service.transparency.tree import Frontier, root_of

_HEADS = """
    SELECT epoch, size, root, note FROM checkpoint WHERE league = $1 ORDER BY epoch, size
"""
# When an operator opens an epoch at a size, the signed heads beyond that size are given up.
_KEPT = "SELECT epoch, size FROM epoch_opening WHERE league = $1"
_RELEASED = "SELECT relocation = 'released' FROM append_turn WHERE league = $1"
_KEYS = "SELECT verifier_key FROM signer_key WHERE event = 'published'"
_MEMORY = N_("the signer's memory")
_GROWN = "SELECT level, max(index) AS index FROM tree_node WHERE league = $1 GROUP BY level"
_NODES = "SELECT level, index, hash FROM tree_node WHERE league = $1 AND level = $2 AND index <= $3"


class Vouched(msgspec.Struct, frozen=True, kw_only=True):
    """A root that a signed head or the signer vouches for, or a fault found on the way to it."""

    size: int
    root: bytes
    by: str
    """The witness, a text of the catalogue."""

    fault: Said | None = None
    """The reason why the root cannot be compared, or may not be trusted."""

    compared: bool = True


class Leaves(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The leaves of one chunk. A chunk begins with a whole tile."""

    tiles: tuple[bytes, ...] = ()
    """Roots of its complete tiles."""

    count: int = 0
    vouched: dict[int, bytes] = {}
    """By size of the log, the root of the leaves after the last complete tile, if there are any."""


async def vouched(
    connection: Driver, league: UUID, signer: httpx.AsyncClient | None
) -> list[Vouched]:
    """Return all vouched roots. Call this before looking up the end of the log."""
    # Heads before keys and openings. Both only grow, and a head comes after those that it needs.
    heads = await connection.fetch(_HEADS, league)
    epoch = await epoch_of(connection, league)
    keys = [row["verifier_key"] for row in await connection.fetch(_KEYS)]
    begun = {row["epoch"]: row["size"] for row in await connection.fetch(_KEPT, league)}
    # Somebody may have written any number there. The first openings that lack are enough.
    lack = (number for number in range(1, epoch + 1) if number not in begun)
    found = [_unopened(number) for number in islice(lack, FAULTS_SHOWN)]
    if signer is not None:
        found.append(await _remembered(connection, signer, league, epoch))
    for row in heads:
        size = row["size"]
        head = Checkpoint(origin=origin_of(league, row["epoch"]), size=size, root=row["root"])
        named = any(_signed(row["note"], key, head) for key in keys)
        former = row["epoch"] < epoch
        kept = [at for number, at in begun.items() if number > row["epoch"]]
        found.append(
            Vouched(
                size=size,
                root=head.root,
                by=N_("a signed head of an earlier epoch") if former else N_("a signed head"),
                fault=None if named else said("no published key signed head %(size)s", size=size),
                compared=size <= min(kept, default=size),
            )
        )
    return found


def _unopened(epoch: int) -> Vouched:
    """Return the fault of an epoch that no operator opened: it would hide the epoch before."""
    fault = said("epoch %(epoch)s is in the log, but no operator is named for it", epoch=epoch)
    return Vouched(size=0, root=b"", by="", fault=fault, compared=False)


async def _remembered(
    connection: Driver, signer: httpx.AsyncClient, league: UUID, epoch: int
) -> Vouched:
    origin = origin_of(league, epoch)
    try:
        last: LastHead = await last_head(signer, origin)
    except SignerAway as away:
        return _uncompared(said("%(away)s: its memory was not compared", away=away))
    if last.origin == origin_of(league, GIVEN_UP):
        if await connection.fetchval(_RELEASED, league):
            return _uncompared(None)  # it signs no more of this copy, and that head covers nothing
        return _uncompared(
            said(
                "the league was released to another cell, and this copy is older: keep it suspended"
            )
        )
    if last.origin != origin:
        return _uncompared(
            said(
                "the signer signs %(signs)s, the log says %(origin)s",
                signs=last.origin,
                origin=origin,
            )
        )
    return Vouched(size=last.size, root=last.root, by=_MEMORY, compared=last.size > 0)


def _uncompared(fault: Said | None) -> Vouched:
    return Vouched(size=0, root=b"", by=_MEMORY, fault=fault, compared=False)


async def grown(connection: Driver, league: UUID) -> dict[int, int]:
    """Return the highest index of each level of stored subtrees."""
    return {row["level"]: row["index"] for row in await connection.fetch(_GROWN, league)}


def leaves_of(hashes: Sequence[bytes], offset: int, sizes: Iterable[int]) -> Leaves:
    """
    Return the leaves that a chunk adds to the tree.

    Args:
        hashes: The hashes of the chunk's events.
        offset: The number of leaves before the chunk, a multiple of the tile size.
        sizes: Sizes of the log with roots to compare. Sizes outside this chunk are ignored.
    """
    whole = len(hashes) // TILE * TILE
    asked = {size - offset for size in sizes if offset < size <= offset + len(hashes)}
    return Leaves(
        tiles=tuple(root_of(hashes[at : at + TILE]) for at in range(0, whole, TILE)),
        count=len(hashes),
        vouched={
            offset + size: root_of(hashes[size // TILE * TILE : size])
            for size in sorted(asked)
            if size % TILE
        },
    )


class TreeAudit:
    """
    Takes the chunks of a league's log one after another, and compares roots.

    Args:
        findings: Collects faults under ``tree``. The position of a fault is the last event
            of the range that differs.
        about: The vouched roots.
        nodes: Stored subtrees by level and index.
    """

    def __init__(
        self,
        findings: Findings,
        about: Sequence[Vouched] = (),
        nodes: Mapping[tuple[int, int], bytes] = {},
    ) -> None:
        self._findings = findings
        due = [each for each in about if each.compared]
        self._vouched = deque(sorted(due, key=lambda each: each.size))
        self._nodes = dict(nodes)
        self._levels: list[list[bytes]] = [[]]
        """Hashes of each level that have no parent yet, tiles first."""

        self._counts: list[int] = [0]
        self._size = 0
        self._held = 0
        for each in about:
            self._fault_unless(each.fault is None, each.size - 1, each.fault or NO_FAULT)

    def take(self, leaves: Leaves) -> None:
        """Append a chunk's leaves."""
        end = self._size + leaves.count
        for tile in leaves.tiles:
            self._compare_below(self._size + TILE, leaves)
            self._append(0, tile)
            self._size += TILE
        self._compare_below(end + 1, leaves)
        self._size = end

    def end(self) -> None:
        """Report everything that is vouched for but missing from the log."""
        size = self._size
        for each in self._vouched:
            what = said(
                "the log has %(size)s events, %(by)s covers %(covered)s",
                size=size,
                by=each.by,
                covered=each.size,
            )
            self._fault_unless(False, size, what)
        for _ in self._nodes:
            self._fault_unless(
                False, size, said("a stored subtree covers events that the log lacks")
            )

    def _compare_below(self, end: int, leaves: Leaves) -> None:
        """Compare the roots of all sizes below *end* that have not been compared."""
        while self._vouched and self._vouched[0].size < end:
            each = self._vouched.popleft()
            held = self._root(leaves.vouched.get(each.size)) == each.root
            what = said(
                "the first %(size)s events are not those of %(by)s; %(held)s still are",
                size=each.size,
                by=each.by,
                held=self._held,
            )
            self._fault_unless(held, each.size - 1, what)
            if held:
                self._held = each.size

    def _append(self, depth: int, root: bytes) -> None:
        if depth == len(self._levels):
            self._levels.append([])
            self._counts.append(0)
        row = self._levels[depth]
        row.append(root)
        self._counts[depth] += 1
        self._compare_node(depth, root)
        if len(row) == TILE:
            above = root_of(row)
            row.clear()
            self._append(depth + 1, above)

    def _compare_node(self, depth: int, root: bytes) -> None:
        level, index = (depth + 1) * TILE_BITS, self._counts[depth] - 1
        stored = self._nodes.pop((level, index), None)
        if stored is not None:
            last = ((index + 1) << level) - 1
            what = said(
                "the stored subtree %(index)s of 2^%(level)s events has the wrong hash",
                index=index,
                level=level,
            )
            self._fault_unless(stored == root, last, what)

    def _root(self, rest: bytes | None) -> bytes:
        """Return the root over all complete tiles, followed by *rest*."""
        frontier = Frontier()
        for depth in range(len(self._levels) - 1, -1, -1):
            for root in self._levels[depth]:
                frontier.append_subtree(1 << (depth + 1) * TILE_BITS, root)
        if rest is not None:
            # A node without a neighbour moves up unchanged, and *rest* is the last node of the
            # tree.
            frontier.append_subtree(1, rest)
        return frontier.root()

    def _fault_unless(self, held: bool, position: int, what: Said) -> None:
        self._findings.hold("tree", held, position, "", what)


async def nodes_of(
    connection: Driver, league: UUID, until: Mapping[int, int]
) -> dict[tuple[int, int], bytes]:
    """Return the stored subtrees of each level up to an index."""
    return {
        (row["level"], row["index"]): row["hash"]
        for level, index in until.items()
        for row in await connection.fetch(_NODES, league, level, index)
    }


def _signed(note: str, key: str, head: Checkpoint) -> bool:
    try:
        return open_note(note, key) == head.text()
    except CheckpointRefused:
        return False
