"""
A league's tree, built again from the log's hashes, against what was signed and stored.

Each signed head of this epoch must be the root of as many first events; so every
later one continues every earlier.  What the signer itself remembers is compared too:
a database restored from an old copy has forgotten the heads that would betray it.
"""

from typing import Any
from uuid import UUID

import httpx
import msgspec

from service.audit.report import Findings
from service.errors import CheckpointRefused
from service.eventstore.read import epoch_of
from service.transparency.ledger import TILE, TILE_BITS
from service.transparency.messages import Head
from service.transparency.note import Checkpoint, open_note
from service.transparency.signing import SignerAway, last_head, origin_of
from service.transparency.tree import Frontier, root_of

_HEADS = """
    SELECT size, root, note FROM checkpoint WHERE league = $1 AND epoch = $2 ORDER BY size
"""
_KEYS = "SELECT verifier_key FROM signer_key WHERE event = 'published'"
_NODES = "SELECT level, index, hash FROM tree_node WHERE league = $1"


class _Vouched(msgspec.Struct, frozen=True, kw_only=True):
    """A root that somebody vouches for."""

    root: bytes
    by: str


class TreeAudit:
    """
    Takes the hashes of a league's log one after another.

    Args:
        findings: Where faults go, under ``tree``; a fault stands at the last event of
            the range that is not what it was.
    """

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._vouched: dict[int, list[_Vouched]] = {}
        self._nodes: dict[tuple[int, int], bytes] = {}
        self._levels: list[list[bytes]] = [[]]
        """Hashes of each level that are not yet below one of the next; the leaves first."""

        self._counts: list[int] = [0]
        self._held = 0

    async def prepare(
        self, connection: Any, league: UUID, signer: httpx.AsyncClient | None
    ) -> None:
        """Read what is vouched for; before the log's end is looked up, or it is ahead of it."""
        epoch = await epoch_of(connection, league)
        origin = origin_of(league, epoch)
        if signer is not None:
            await self._ask(signer, origin)
        keys = [row["verifier_key"] for row in await connection.fetch(_KEYS)]
        for row in await connection.fetch(_HEADS, league, epoch):
            head = Checkpoint(origin=origin, size=row["size"], root=row["root"])
            named = any(_signed(row["note"], key, head) for key in keys)
            self._fault_unless(named, head.size - 1, f"no published key signed head {head.size}")
            self._vouch(head.size, head.root, "a signed head")
        for row in await connection.fetch(_NODES, league):
            self._nodes[row["level"], row["index"]] = row["hash"]

    def add(self, leaf: bytes) -> None:
        """Append the hash of the next event."""
        self._append(0, leaf)
        size = self._counts[0]
        for vouched in self._vouched.pop(size, ()):
            held = self._root() == vouched.root
            what = f"the first {size} events are not those of {vouched.by}; {self._held} still are"
            self._fault_unless(held, size - 1, what)
            if held:
                self._held = size

    def end(self) -> None:
        """Say what is vouched for and is not in the log at all."""
        size = self._counts[0]
        for beyond, vouched in sorted(self._vouched.items()):
            for each in vouched:
                what = f"the log has {size} events, {each.by} covers {beyond}"
                self._fault_unless(False, size, what)
        for level, index in self._nodes:
            last = ((index + 1) << level) - 1
            self._fault_unless(False, last, "a stored subtree covers events that the log lacks")

    async def _ask(self, signer: httpx.AsyncClient, origin: str) -> None:
        try:
            last: Head = await last_head(signer, origin)
        except SignerAway as away:
            self._fault_unless(False, -1, f"{away}: its memory is not compared")
            return
        same = last.origin == origin
        self._fault_unless(same, -1, f"the signer signs {last.origin}, the log says {origin}")
        if same and last.size:
            self._vouch(last.size, last.root, "the signer's memory")

    def _vouch(self, size: int, root: bytes, by: str) -> None:
        self._vouched.setdefault(size, []).append(_Vouched(root=root, by=by))

    def _append(self, depth: int, root: bytes) -> None:
        if depth == len(self._levels):
            self._levels.append([])
            self._counts.append(0)
        row = self._levels[depth]
        row.append(root)
        self._counts[depth] += 1
        if depth:
            self._compare_node(depth, root)
        if len(row) == TILE:
            above = root_of(row)
            row.clear()
            self._append(depth + 1, above)

    def _compare_node(self, depth: int, root: bytes) -> None:
        level, index = depth * TILE_BITS, self._counts[depth] - 1
        stored = self._nodes.pop((level, index), None)
        if stored is not None:
            last = ((index + 1) << level) - 1
            what = f"the stored subtree {index} of 2^{level} events is not theirs"
            self._fault_unless(stored == root, last, what)

    def _root(self) -> bytes:
        frontier = Frontier()
        for depth in range(len(self._levels) - 1, -1, -1):
            for root in self._levels[depth]:
                frontier.append_subtree(1 << depth * TILE_BITS, root)
        return frontier.root()

    def _fault_unless(self, held: bool, position: int, what: str) -> None:
        self._findings.hold("tree", held, position, "", what)


def _signed(note: str, key: str, head: Checkpoint) -> bool:
    try:
        return open_note(note, key) == head.text()
    except CheckpointRefused:
        return False
