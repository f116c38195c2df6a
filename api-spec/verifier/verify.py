#!/usr/bin/env python3
"""Check a Holotable bundle without Holotable.

    python verify.py FILE --key 'name+id+key'
    python verify.py FILE --keys FILE-WITH-ONE-KEY-A-LINE

Written from `docs/rulebook.md` and `api-spec/bundle.md` alone, in the order of section 3 of the latter:

    1 form    2 signature    3 hashes    4 chain    5 completeness    6 openings    7 deals    8 rules

Standard library only (Python 3.11 or newer).  Every difference is printed with the position of its event and
the name of its rule.  Status: 0 all was checked and holds; 1 there are differences; 2 the bundle cannot be
read, or no key that was given vouches for it; 3 nothing differs, but not all of it could be checked.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import hmac
import json
import operator
import re
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal, Overflow, localcontext
from fractions import Fraction
from typing import Any, NoReturn

Json = dict[str, Any]

PASS, DIFFERENT, UNREADABLE, INCOMPLETE = 0, 1, 2, 3

# What no bundle is checked for; the documents do not say enough of it, or it is no matter of hands and results.
NEVER_CHECKED = [
    "members of events that no check below reads: their JSON Schemas stand in api-spec/events",
    "the boxes and the metadata whose hashes are in the chain",
    "that nothing was left out after the last event of a hand's bundle, which only the next hand would show",
    "who moves from table to table, to which seat, and in which order tables break: only draws and chips are",
    "which newcomer has to wait (`waiting`), and the order in which seats away are killed",
    "how the clock of levels runs; only that a hand is played at the level in force",
    "standings, tie-breaks, lots and ratings",
]


class Unreadable(Exception):
    """The file is not a bundle in its one canonical form."""


class Lost(Exception):
    """A hand went another way than the rules allow: what follows in it cannot be compared any more."""


@dataclass
class Report:
    """What was compared and what differs; positions are those of the league's log."""

    differences: list[tuple[int | None, str, str]] = field(default_factory=list)
    checked: Counter[str] = field(default_factory=Counter)
    unchecked: Counter[str] = field(default_factory=Counter)
    authentic: bool = False

    def differ(self, position: int | None, rule: str, text: str) -> None:
        self.differences.append((position, rule, text))

    def check(self, what: str, holds: bool, position: int | None, rule: str, text: str) -> bool:
        """Count one comparison under *what*, and note the difference if it does not hold."""
        self.checked[what] += 1
        if not holds:
            self.differ(position, rule, text)
        return holds

    def same(self, what: str, found: object, due: object, position: int | None, rule: str, name: str) -> bool:
        return self.check(what, found == due, position, rule, f"{name} is {short(found)}, due is {short(due)}")

    def skip(self, what: str) -> None:
        self.unchecked[what] += 1

    def status(self) -> int:
        if not self.authentic:
            return UNREADABLE
        if self.differences:
            return DIFFERENT
        return INCOMPLETE if self.unchecked else PASS


def short(value: object) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return text if len(text) <= 160 else text[:157] + "..."


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def u(number: int, size: int) -> bytes:
    return number.to_bytes(size, "big")


# ---------------------------------------------------------------------------------------------------------------
# 1 Form: bundle.md 1
# ---------------------------------------------------------------------------------------------------------------

KEY = re.compile(r"[a-z0-9_*]+")
HEX64 = re.compile(r"[0-9a-f]{64}")
HEX32 = re.compile(r"[0-9a-f]{32}")
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{6})?Z")
STREAM = re.compile(r"(?:league|season|tournament|table|dispute)-[0-9a-f]{32}")
TAG = re.compile(r"[a-z][a-z0-9_]*")
LARGEST = 2**53 - 1
SUBJECTS = {"hand": "hnd", "tournament": "trn", "season": "ssn"}
MEMBERS = {
    "head": {"line", "format", "kind", "subject", "league", "viewer"},
    "checkpoint": {"line", "note"},
    "node": {"line", "first", "end", "hash"},
    "event": {"line", "position", "stream", "version", "id", "type", "schema_version", "at", "data"}
    | {"metadata", "sealed", "previous"},
    "opening": {"line", "position", "pointer", "salt", "value"},
    "end": {"line", "lines", "sha256"},
}
ORDER = list(MEMBERS)


@dataclass
class Event:
    """One event line; *leaf* and *chain* are the hashes of section 3."""

    position: int
    stream: str
    version: int
    id: bytes
    type: str
    schema_version: int
    at: int
    data: Json
    metadata: bytes
    sealed: bytes | None
    previous: bytes | None
    leaf: bytes = b""


@dataclass
class Bundle:
    kind: str
    subject: str
    league: bytes
    viewer: str
    note: list[str]
    nodes: dict[tuple[int, int], bytes]
    events: list[Event]
    openings: dict[tuple[int, str], tuple[bytes, Any]]

    def streams(self) -> dict[str, list[Event]]:
        found: dict[str, list[Event]] = {}
        for event in self.events:
            found.setdefault(event.stream, []).append(event)
        return found


def _no_float(text: str) -> NoReturn:
    raise Unreadable(f"a number is no whole number: {text[:40]}")


def _integer(text: str) -> int:
    if len(text) > 17 or not -LARGEST <= int(text) <= LARGEST:
        raise Unreadable(f"a number is out of range: {text[:40]}")
    return int(text)


def _object(pairs: list[tuple[str, Any]]) -> Json:
    for key, _ in pairs:
        if KEY.fullmatch(key) is None:
            raise Unreadable(f"a key is not allowed: {key[:40]!r}")
    return dict(pairs)


DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_no_float, parse_int=_integer, parse_constant=_no_float
)
ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def canonical(value: object) -> bytes:
    return ENCODER.encode(value).encode()


def decode_line(raw: bytes, number: int) -> Json:
    try:
        text = raw.decode("utf-8")
        value = DECODER.decode(text)
        if canonical(value) != raw:
            raise Unreadable("not in canonical form")
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"line {number}: {error}") from None
    except Unreadable as error:
        raise Unreadable(f"line {number}: {error}") from None
    if re.search(r"\\u00[01]|\\[bfnrt]", text) and has_control(value):
        raise Unreadable(f"line {number}: a control character")
    if not isinstance(value, dict) or value.get("line") not in MEMBERS or set(value) != MEMBERS[value["line"]]:
        raise Unreadable(f"line {number}: not the members of any line")
    return value


def has_control(value: object) -> bool:
    if isinstance(value, str):
        return any(character < " " for character in value)
    if isinstance(value, dict):
        return any(has_control(member) for member in value.values())
    return isinstance(value, list) and any(has_control(member) for member in value)


def whole(value: object, least: int = 0) -> bool:
    return type(value) is int and value >= least


def need(holds: object, number: int, text: str) -> None:
    if not holds:
        raise Unreadable(f"line {number}: {text}")


def matches(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def microseconds(text: str) -> int:
    """Microseconds since 1970 of an instant in the one form it can have."""
    if INSTANT.fullmatch(text) is None or text.endswith(".000000Z"):
        raise ValueError(f"not an instant: {text[:40]}")
    moment = datetime.fromisoformat(text)
    return (moment - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(microseconds=1)


def read_bundle(raw: bytes) -> Bundle:
    """The bundle in *raw*, whose digest, order and every line were found in form."""
    lines = raw.split(b"\n")
    if len(lines) < 4 or lines[-1] != b"":
        raise Unreadable("the last line is not ended, or there are too few")
    lines.pop()
    end = decode_line(lines[-1], len(lines))
    before = raw[: len(raw) - len(lines[-1]) - 1]
    if end["line"] != "end" or end["lines"] != len(lines) - 1 or type(end["lines"]) is not int:
        raise Unreadable("the last line does not count the lines before it")
    if end["sha256"] != sha(before).hex():
        raise Unreadable("the bytes before the last line do not have the digest that it names")
    values = [decode_line(line, number) for number, line in enumerate(lines[:-1], 1)]
    kinds = [ORDER.index(value["line"]) for value in values]
    if kinds != sorted(kinds) or kinds.count(0) != 1 or kinds.count(1) != 1 or kinds.count(3) < 1 or 5 in kinds:
        raise Unreadable("the lines do not stand in their order")
    head = read_head(values[0])
    by_kind: dict[str, list[tuple[int, Json]]] = {name: [] for name in MEMBERS}
    for number, value in enumerate(values, 1):
        by_kind[value["line"]].append((number, value))
    note = values[1]["note"]
    need(isinstance(note, list) and all(isinstance(line, str) and "\n" not in line for line in note), 2, "no note")
    return Bundle(
        head["kind"],
        head["subject"],
        bytes.fromhex(head["league"][4:]),
        head["viewer"],
        note,
        read_nodes(by_kind["node"]),
        read_events(by_kind["event"]),
        read_openings(by_kind["opening"]),
    )


def read_head(head: Json) -> Json:
    need(head["format"] == "holotable/bundle/1", 1, "another format")
    need(head["kind"] in SUBJECTS, 1, "a bundle of what?")
    prefix = SUBJECTS[head["kind"]]
    need(matches(re.compile(prefix + "_[0-9a-f]{32}"), head["subject"]), 1, "the subject is none of its kind")
    need(matches(re.compile("lge_[0-9a-f]{32}"), head["league"]), 1, "no league")
    need(matches(re.compile("public|auditor|ent_[0-9a-f]{32}"), head["viewer"]), 1, "no viewer")
    return head


def read_nodes(lines: list[tuple[int, Json]]) -> dict[tuple[int, int], bytes]:
    nodes: dict[tuple[int, int], bytes] = {}
    reached = 0
    for number, value in lines:
        first, end = value["first"], value["end"]
        need(whole(first, reached) and whole(end, first + 1), number, "nodes are out of order or overlap")
        need(matches(HEX64, value["hash"]), number, "no hash")
        nodes[first, end] = bytes.fromhex(value["hash"])
        reached = end
    return nodes


def read_events(lines: list[tuple[int, Json]]) -> list[Event]:
    events: list[Event] = []
    last = -1
    for number, value in lines:
        need(whole(value["position"], last + 1), number, "events are out of order")
        last = value["position"]
        need(matches(STREAM, value["stream"]), number, "no stream")
        need(whole(value["version"], 1) and whole(value["schema_version"], 1), number, "no version")
        need(value["schema_version"] < 2**16, number, "no schema version")
        need(matches(HEX32, value["id"]) and matches(TAG, value["type"]), number, "no id or type")
        need(matches(HEX64, value["metadata"]), number, "no hash of the metadata")
        for name in ("sealed", "previous"):
            need(value[name] is None or matches(HEX64, value[name]), number, f"no hash: {name}")
        data = value["data"]
        need(isinstance(data, dict) and data.get("type") == value["type"], number, "data are of another type")
        try:
            at = microseconds(value["at"])
        except (TypeError, ValueError) as error:
            raise Unreadable(f"line {number}: {error}") from None
        sealed, previous = (value[name] and bytes.fromhex(value[name]) for name in ("sealed", "previous"))
        events.append(
            Event(
                last,
                value["stream"],
                value["version"],
                bytes.fromhex(value["id"]),
                value["type"],
                value["schema_version"],
                at,
                data,
                bytes.fromhex(value["metadata"]),
                sealed,
                previous,
            )
        )
    return events


def read_openings(lines: list[tuple[int, Json]]) -> dict[tuple[int, str], tuple[bytes, Any]]:
    openings: dict[tuple[int, str], tuple[bytes, Any]] = {}
    last: tuple[int, bytes] = (-1, b"")
    for number, value in lines:
        need(whole(value["position"]) and isinstance(value["pointer"], str), number, "opens no place")
        place = (value["position"], value["pointer"].encode())
        need(place > last, number, "openings are out of order")
        last = place
        need(matches(HEX64, value["salt"]), number, "no salt")
        openings[value["position"], value["pointer"]] = (bytes.fromhex(value["salt"]), value["value"])
    return openings


# ---------------------------------------------------------------------------------------------------------------
# 2 Signature: Ed25519 (RFC 8032) on a C2SP checkpoint
# ---------------------------------------------------------------------------------------------------------------

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)
Point = tuple[int, int, int, int]  # extended coordinates X, Y, Z, T with x = X/Z, y = Y/Z, x*y = T/Z


def point_add(p: Point, q: Point) -> Point:
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def point_mul(scalar: int, point: Point) -> Point:
    result: Point = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = point_add(result, point)
        point = point_add(point, point)
        scalar >>= 1
    return result


def recover_x(y: int, sign: int) -> int | None:
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if square == 0:
        return None if sign else 0
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT_OF_MINUS_1 % P
    if (x * x - square) % P:
        return None
    return P - x if x & 1 != sign else x


def point_decompress(data: bytes) -> Point | None:
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    x = recover_x(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE_X = recover_x(BASE_Y, 0) or 0
BASE: Point = (BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P)


def ed25519_verify(public: bytes, message: bytes, signature: bytes) -> bool:
    """RFC 8032, 5.1.7."""
    if len(public) != 32 or len(signature) != 64:
        return False
    a, r = point_decompress(public), point_decompress(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % L
    left, right = point_mul(s, BASE), point_add(r, point_mul(challenge, a))
    same_x = (left[0] * right[2] - right[0] * left[2]) % P == 0
    return same_x and (left[1] * right[2] - right[1] * left[2]) % P == 0


@dataclass(frozen=True)
class PublicKey:
    """A signed note's verifier key: name, the first four bytes of its hash, and the Ed25519 key."""

    name: str
    id: bytes
    key: bytes


def read_key(text: str) -> PublicKey:
    """`name+id+key`: 8 hexadecimal digits, base64 of 0x01 and the key."""
    name, _, rest = text.strip().partition("+")
    number, _, encoded = rest.partition("+")
    try:
        raw = base64.b64decode(encoded, validate=True)
        identity = bytes.fromhex(number)
    except ValueError:
        raise Unreadable(f"not a key: {text[:60]}") from None
    if len(raw) != 33 or raw[0] != 1 or sha(name.encode() + b"\n" + raw)[:4] != identity:
        raise Unreadable(f"not an Ed25519 key in the form name+id+key: {text[:60]}")
    return PublicKey(name, identity, raw[1:])


def check_signature(bundle: Bundle, keys: list[PublicKey], report: Report) -> tuple[int, bytes]:
    """The tree's size and root as the checkpoint says them; whether a given key vouches for it is in *report*."""
    note = bundle.note
    league = bundle.league.hex()
    dashed = f"{league[:8]}-{league[8:12]}-{league[12:16]}-{league[16:20]}-{league[20:]}"
    origin = re.compile(f"holotable/(?:{league}|{dashed})" + r"/(?:0|[1-9]\d*)")
    if len(note) < 6 or note[3] != "" or note[-1] != "" or "" in note[4:-1]:
        raise Unreadable("the checkpoint is not a signed note of three lines")
    if origin.fullmatch(note[0]) is None:
        raise Unreadable(f"the checkpoint is of another league or of nothing we know: {note[0][:80]}")
    if re.fullmatch(r"[1-9]\d{0,15}", note[1]) is None:
        raise Unreadable("the checkpoint has no tree size")
    root = decode64(note[2])
    if len(root) != 32:
        raise Unreadable("the checkpoint has no root")
    text = "\n".join(note[:3]).encode() + b"\n"
    for line in note[4:-1]:
        dash, _, rest = line.partition(" ")
        name, _, encoded = rest.partition(" ")
        signature = decode64(encoded)
        if dash != "—" or len(signature) < 5:
            raise Unreadable("a signature line of the checkpoint has another form")
        for key in keys:
            if key.name == name and key.id == signature[:4]:
                if ed25519_verify(key.key, text, signature[4:]):
                    report.authentic = True
                    report.checked["signatures"] += 1
                else:
                    report.authentic = False
                    report.differ(None, "signature", f"the signature of {name} on the checkpoint is wrong")
                    return int(note[1]), root
    if not report.authentic:
        report.differ(None, "signature", "no signature by a key that was given")
    return int(note[1]), root


def decode64(text: str) -> bytes:
    try:
        raw = base64.b64decode(text, validate=True)
    except ValueError:
        raise Unreadable("the checkpoint has broken base64") from None
    if base64.b64encode(raw).decode() != text:
        raise Unreadable("the checkpoint has base64 in another form")
    return raw


# ---------------------------------------------------------------------------------------------------------------
# 3 Hashes: entry, leaf, RFC 6962 tree
# ---------------------------------------------------------------------------------------------------------------


def entry_of(league: bytes, previous: bytes, event: Event) -> bytes:
    """The 253 bytes of bundle.md 3.3."""
    return b"".join(
        (
            b"holotable/1",
            league,
            previous,
            sha(event.stream.encode()),
            u(event.version, 8),
            event.id,
            event.at.to_bytes(8, "big", signed=True),
            sha(event.type.encode()),
            u(event.schema_version, 2),
            sha(canonical(event.data)),
            event.metadata,
            event.sealed or bytes(32),
        )
    )


def largest_power_below(n: int) -> int:
    return 1 << (n - 1).bit_length() - 1


def tree_root(leaves: list[bytes]) -> bytes:
    """RFC 6962, 2.1 over hashed *leaves*."""
    if len(leaves) == 1:
        return leaves[0]
    if not leaves:
        return sha(b"")
    split = largest_power_below(len(leaves))
    return sha(b"\x01" + tree_root(leaves[:split]) + tree_root(leaves[split:]))


def check_hashes(bundle: Bundle, size: int, root: bytes, report: Report) -> None:
    """Every leaf of the tree is an event or below the one node that stands for it, and all give *root*."""
    heads: dict[tuple[str, int], bytes] = {}
    for event in bundle.events:
        previous = event.previous or heads.get((event.stream, event.version - 1))
        if event.version == 1:
            previous = bytes(32)
        event.leaf = sha(b"\x00" + entry_of(bundle.league, previous or bytes(32), event))
        heads[event.stream, event.version] = event.leaf
    leaves = {event.position: event.leaf for event in bundle.events}
    positions = sorted(leaves)
    if positions[-1] >= size:
        raise Unreadable("an event stands beyond the tree that was signed")
    used: set[tuple[int, int]] = set()

    def fold(first: int, end: int, low: int, high: int) -> bytes:
        # *low* and *high* bound the events of the bundle within [first, end) in *positions*.
        if low == high:
            if (first, end) not in bundle.nodes:
                raise Unreadable(f"the hash over the leaves {first} to {end} is missing")
            used.add((first, end))
            return bundle.nodes[first, end]
        if end - first == 1:
            return leaves[first]
        split = first + largest_power_below(end - first)
        middle = low
        while middle < high and positions[middle] < split:
            middle += 1
        return sha(b"\x01" + fold(first, split, low, middle) + fold(split, end, middle, high))

    found = fold(0, size, 0, len(positions))
    if used != set(bundle.nodes):
        raise Unreadable("there are hashes that are not needed")
    report.checked["events in the signed tree"] += len(positions)
    if found != root:
        report.authentic = False
        report.differ(None, "root", "events and hashes do not give the root that was signed")


# ---------------------------------------------------------------------------------------------------------------
# 4 Chain
# ---------------------------------------------------------------------------------------------------------------


def check_chain(bundle: Bundle, report: Report) -> None:
    for stream, events in bundle.streams().items():
        before: Event | None = None
        for event in events:
            follows = before is not None and event.version == before.version + 1
            begins = event.version == 1 and before is None
            known = follows or begins
            rises = before is None or event.version > before.version
            report.check("links of streams", rises, event.position, "chain", f"{stream} does not rise")
            report.check(
                "links of streams",
                known == (event.previous is None),
                event.position,
                "chain",
                f"version {event.version} of {stream} comes after {before.version if before else 'nothing'}"
                f" {'with' if event.previous else 'without'} the hash of the event before",
            )
            falls = before is not None and event.at < before.at
            report.check("links of streams", not falls, event.position, "chain", f"time falls in {stream}")
            before = event


# ---------------------------------------------------------------------------------------------------------------
# 5 Completeness: bundle.md 2
# ---------------------------------------------------------------------------------------------------------------


def find_ids(value: object, prefix: str) -> set[str]:
    """Every identifier `<prefix>_…` anywhere in *value*."""
    if isinstance(value, str):
        return {value} if re.fullmatch(prefix + "_[0-9a-f]{32}", value) else set()
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return set().union(*(find_ids(member, prefix) for member in members))


def stream_of(identifier: str) -> str:
    names = {"trn": "tournament", "ssn": "season", "tbl": "table", "lge": "league"}
    return f"{names[identifier[:3]]}-{identifier[4:]}"


def named_tables(events: list[Event]) -> set[str]:
    """Of a tournament's *events*: its tables are those it names in `play_started` or a later event."""
    tables: set[str] = set()
    started = False
    for event in events:
        started = started or event.type == "play_started"
        if started:
            tables |= find_ids(event.data, "tbl")
    return tables


class Completeness:
    def __init__(self, bundle: Bundle, report: Report) -> None:
        self.bundle, self.report, self.streams = bundle, report, bundle.streams()

    def check(self, holds: bool, position: int | None, text: str) -> bool:
        return self.report.check("completeness", holds, position, "completeness", text)

    def whole(self, stream: str) -> list[Event]:
        """The events of a stream that must be here from its first version on, without gaps."""
        events = self.streams.get(stream, [])
        if self.check(bool(events), None, f"{stream} is missing"):
            gapless = [event.version for event in events] == list(range(1, len(events) + 1))
            self.check(gapless, events[0].position, f"{stream} is not here from its first version without gaps")
        return events

    def run(self) -> None:
        created = [event for event in self.bundle.events if event.type == "league_created"]
        self.check(len(created) == 1, None, "league_created is missing")
        for event in created:
            league = "lge_" + self.bundle.league.hex()
            self.check(event.data.get("league") == league, event.position, "league_created is of another league")
        wanted = {f"league-{self.bundle.league.hex()}"}
        if self.bundle.kind == "hand":
            wanted |= self.hand()
        elif self.bundle.kind == "tournament":
            wanted |= self.tournament(self.bundle.subject)
        else:
            wanted |= self.season()
        for stream in sorted(set(self.streams) - wanted):
            self.check(False, self.streams[stream][0].position, f"{stream} does not belong to the bundle")

    def hand(self) -> set[str]:
        opened = [e for e in self.bundle.events if e.type == "hand_opened" and e.data["hand"] == self.bundle.subject]
        if not self.check(bool(opened), None, f"{self.bundle.subject} is not here"):
            return set()
        stream = opened[0].stream
        table = self.streams[stream]
        self.check(table[0].type == "table_opened", table[0].position, "table_opened is missing")
        stretch = [event for event in table if event.type != "table_opened"]
        numbers = [event.version for event in stretch]
        gapless = numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        self.check(gapless, stretch[0].position, "the hand's events are not here without gaps")
        others = [e for e in stretch if e.type == "hand_opened" and e.data["hand"] != self.bundle.subject]
        self.check(not others, stretch[0].position, "another hand is here")
        self.deals(opened)
        settled = [event for event in stretch if event.type == "hand_settled"]
        self.check(len(settled) == 1, stretch[-1].position, "the hand is not settled, or twice")
        tournament = stream_of(table[0].data["tournament"])
        before = self.whole(tournament)
        last = max((event.version for event in before), default=0)
        for event in opened:
            self.check(event.data["tournament_version"] <= last, event.position, "the tournament ends before the hand")
        for event in before:
            early = not settled or event.position < settled[0].position
            self.check(early, event.position, "the tournament goes on after the hand was settled")
        return {stream, tournament}

    def deals(self, opened: list[Event]) -> None:
        numbers = [event.data["deal"] for event in opened]
        self.check(numbers == list(range(1, len(numbers) + 1)), opened[0].position, "the deals of a hand have gaps")

    def tournament(self, subject: str) -> set[str]:
        stream = stream_of(subject)
        events = self.whole(stream)
        tables = named_tables(events)
        over = [event for event in events if event.type in ("tournament_finished", "tournament_cancelled")]
        position = events[-1].position if events else None
        self.check(len(over) == 1, position, f"{subject} is neither finished nor cancelled, or twice")
        for table in sorted(tables):
            self.table(table, subject)
        return {stream} | {stream_of(table) for table in tables}

    def table(self, table: str, tournament: str) -> None:
        events = self.whole(stream_of(table))
        if not events:
            return
        first, last = events[0], events[-1]
        belongs = first.type == "table_opened" and first.data["tournament"] == tournament
        self.check(belongs, first.position, f"{table} does not begin as a table of {tournament}")
        closed = [event for event in events if event.type == "table_closed"]
        self.check(len(closed) == 1, last.position, f"{table} is not closed, or twice")
        hands: dict[int, list[Event]] = {}
        for event in events:
            if event.type == "hand_opened":
                hands.setdefault(event.data["number"], []).append(event)
        self.check(list(hands) == list(range(1, len(hands) + 1)), first.position, f"hands of {table} have gaps")
        settled = [event.data["number"] for event in events if event.type == "hand_settled"]
        self.check(settled == list(hands), last.position, f"not every hand of {table} is settled once, in order")
        for opened in hands.values():
            self.deals(opened)

    def season(self) -> set[str]:
        stream = stream_of(self.bundle.subject)
        named: set[str] = set()
        for event in self.whole(stream):
            named |= find_ids(event.data, "trn")
        announced = [event for event in self.bundle.events if event.type == "tournament_announced"]
        named |= {event.data["tournament"] for event in announced if event.data["season"] == self.bundle.subject}
        found = {stream}
        for tournament in sorted(named):
            found |= self.tournament(tournament)
        return found


# ---------------------------------------------------------------------------------------------------------------
# 6 Openings
# ---------------------------------------------------------------------------------------------------------------


def at_pointer(data: object, pointer: str) -> object:
    """The place of RFC 6901 *pointer* in *data*; LookupError if there is none."""
    if pointer and not pointer.startswith("/"):
        raise LookupError(pointer)
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(data, list) and re.fullmatch(r"0|[1-9]\d*", name):
            data = data[int(name)]
        elif isinstance(data, dict):
            data = data[name]
        else:
            raise LookupError(pointer)
    return data


def sealed_commitment(league: bytes, event: Event, pointer: str, salt: bytes, value: object) -> str:
    place = league + sha(event.stream.encode()) + u(event.version, 8) + sha(pointer.encode())
    return sha(b"holotable/commit/1" + place + salt + canonical(value)).hex()


@dataclass
class Opened:
    """What of the bundle's events is opened: sealed values by place, cards by (position of the deal, pile, place)."""

    values: dict[tuple[int, str], Any] = field(default_factory=dict)
    salts: dict[tuple[int, str], bytes] = field(default_factory=dict)
    by_event: dict[int, list[tuple[str, Any]]] = field(default_factory=dict)

    def of(self, position: int) -> list[tuple[str, Any]]:
        """Pointers and values that are opened in the event at *position*."""
        return self.by_event.get(position, [])


def check_openings(bundle: Bundle, report: Report) -> Opened:
    """Commitments of sealed values; cards are compared with their pile in section 7."""
    events = {event.position: event for event in bundle.events}
    opened = Opened()
    for (position, pointer), (salt, value) in bundle.openings.items():
        event = events.get(position)
        try:
            place: Any = at_pointer(event.data, pointer) if event else None
        except LookupError:
            place = None
        if not isinstance(place, dict) or set(place) not in ({"audience", "commitment"}, {"pile", "position"}):
            report.differ(position, "openings", f"{pointer} is no hidden place of this event")
            continue
        assert event is not None
        if bundle.viewer != "auditor" and "audience" in place:
            allowed = f"entrant:{bundle.viewer}" in place["audience"]
            over = event.type in ("registration_opened", "season_opened")
            report.check("openings", allowed or over, position, "openings", f"{pointer} is not open to {bundle.viewer}")
        report.check("openings", not event.stream.startswith("league-"), position, "openings", "the league's is open")
        opened.values[position, pointer] = value
        opened.salts[position, pointer] = salt
        opened.by_event.setdefault(position, []).append((pointer, value))
        if "commitment" in place:
            found = sealed_commitment(bundle.league, event, pointer, salt, value)
            text = f"what is opened at {pointer} is not what was committed to"
            report.check("openings", found == place["commitment"], position, "openings", text)
    return opened


# ---------------------------------------------------------------------------------------------------------------
# 7 Deals, the generator: rulebook 10
# ---------------------------------------------------------------------------------------------------------------


def hmac256(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def deck_of(name: str) -> list[str]:
    """Every card of a deck in deck order (`cards.decks`)."""
    if name == "d62":
        suited = [f"{suit}{sign}{value:02}" for suit in "CTS" for sign in "+-" for value in range(1, 11)]
        return [*suited, "Z1", "Z2"]
    suited = [f"{suit}{value:02}" for suit in ("SA", "FL", "CO", "ST") for value in range(1, 16)]
    return suited + [f"X{value:02}{copy}" for value in (17, 15, 14, 13, 11, 8, 2, 0) for copy in "ab"]


def master_commitment(tournament: bytes, name: str, master: bytes) -> bytes:
    return sha(b"holotable/master/1" + tournament + name.encode() + b"\0" + master)


def seed_of(master: bytes, use: str, table: int, hand: int, deal: int) -> bytes:
    """`generator.seeds`"""
    return hmac256(master, b"holotable/seed/1" + use.encode() + b"\0" + u(table, 4) + u(hand, 4) + u(deal, 4))


def openings_digest(openings: list[tuple[int, bytes]]) -> bytes:
    """`generator.openings`"""
    return sha(b"holotable/openings/1" + b"".join(u(seat, 2) + value for seat, value in sorted(openings)))


def commitments_digest(commitments: list[bytes]) -> bytes:
    """`entropy.draws`: what draws at table 0 take in place of openings."""
    return sha(b"holotable/openings/1" + b"".join(commitments))


class Draws:
    """`generator.stream`: what one label of a seed gives, word after word."""

    def __init__(self, seed: bytes, label: str, n: int, digest: bytes) -> None:
        self.key = hmac256(seed, label.encode() + b"\0" + u(n, 4) + digest)
        self.word = 0

    def block(self, index: int) -> bytes:
        return hmac256(self.key, u(index, 8))

    def below(self, k: int) -> int:
        while True:
            block, place = divmod(self.word, 4)
            self.word += 1
            word = int.from_bytes(self.block(block)[8 * place : 8 * place + 8], "big")
            if word < 2**64 - 2**64 % k:
                return word % k

    def shuffled(self, things: list[Any]) -> list[Any]:
        order = list(things)
        for i in range(len(order) - 1, 0, -1):
            j = self.below(i + 1)
            order[i], order[j] = order[j], order[i]
        return order


def card_leaf(salt: bytes, pile: int, position: int, card: str) -> bytes:
    return sha(b"\0holotable/card/1" + salt + u(pile, 2) + u(position, 2) + card.encode())


@dataclass
class Pile:
    """`generator.piles`: the cards of a pile in their order, their salts, and the root over both."""

    cards: list[str]
    salts: list[bytes]
    root: bytes


def make_pile(seed: bytes, n: int, digest: bytes, cards: list[str]) -> Pile:
    """Pile *n* of *cards*, which are in deck order."""
    order = Draws(seed, "pile", n, digest).shuffled(cards)
    salting = Draws(seed, "salt", n, digest)
    salts = [salting.block(position) for position in range(len(order))]
    leaves = [card_leaf(salt, n, place, card) for place, (salt, card) in enumerate(zip(salts, order, strict=True))]
    return Pile(order, salts, tree_root(leaves))


GOLD = (0, 0, 5, -5, 10, -10)
SILVER = ("circle", "triangle", "square")


def roll_target(seed: bytes, digest: bytes) -> tuple[int, str]:
    """`dice.target`"""
    draws = Draws(seed, "target", 1, digest)
    return GOLD[draws.below(6)], SILVER[draws.below(3)]


# ---------------------------------------------------------------------------------------------------------------
# 8 Rules, the arithmetic: rulebook 5 to 7
# ---------------------------------------------------------------------------------------------------------------

SUITS = {"C": "circle", "T": "triangle", "S": "square"}


def value_of(card: str) -> int:
    """Of a card of d62."""
    return 0 if card[0] == "Z" else int(card[1:])


def score(cards: list[str], target: int, suit: str) -> tuple[int, int]:
    """`showdown.key`: distance (smaller wins) and suit count (larger wins)."""
    distance = abs(sum(map(value_of, cards)) - target)
    return distance, sum(card[0] == "Z" or SUITS[card[0]] == suit for card in cards)


def rank_key(cards: list[str], target: int, suit: str) -> tuple[int, int]:
    """Smaller is better."""
    distance, count = score(cards, target, suit)
    return distance, -count


def clockwise(seats: list[int], after: int) -> list[int]:
    """*seats* in turn from the left of the seat *after*, which may be empty and comes last."""
    ordered = sorted(seats)
    return [seat for seat in ordered if seat > after] + [seat for seat in ordered if seat <= after]


def clock_selection(hand: list[str], target: int, suit: str, least: int, order: list[str]) -> list[str]:
    """`clock.selection`: the best key, then the fewest cards, then the lowest; at least *least* and never none."""
    places = {card: place for place, card in enumerate(order)}
    ordered = sorted(hand, key=places.__getitem__)
    best: tuple[Any, ...] | None = None
    for mask in range(1, 1 << len(ordered)):
        cards = [card for place, card in enumerate(ordered) if mask >> place & 1]
        if len(cards) < max(least, 1):
            continue
        key = (*rank_key(cards, target, suit), len(cards), [places[card] for card in cards], cards)
        if best is None or key < best:
            best = key
    return best[-1] if best else []


@dataclass
class Seat:
    """One seat dealt in; *put_in* is its part of the street, *wager* that of the hand."""

    number: int
    stack: int
    entrant: str = ""
    live: bool = True
    put_in: int = 0
    wager: int = 0
    acted_at: int | None = None
    start: int = 0


@dataclass
class Street:
    """One betting round; *after* is the seat whose left is asked next."""

    betting: Json
    unit: int
    min_open: int
    seats: dict[int, Seat]
    after: int
    current_bet: int = 0
    full_raise: int = 0
    chips: bool = True  # False where only hands are counted: then every live seat can act (`words.live`)

    def can_act(self, seat: Seat) -> bool:
        return seat.live and (seat.stack > 0 or not self.chips)

    def actors(self) -> list[Seat]:
        return [seat for seat in self.seats.values() if self.can_act(seat)]

    def min_raise(self) -> int:
        """By how much a raise is full: `betting.chip_unit`, `betting.min_bet`, `betting.last_raise`."""
        rule = self.betting["min_raise"]
        return {"chip_unit": self.unit, "min_bet": self.min_open, "last_raise": self.full_raise}[rule]

    def is_waiting(self, seat: Seat) -> bool:
        if self.betting["kind"] == "fixed_continue":
            return seat.acted_at is None
        return seat.acted_at is None or seat.put_in < self.current_bet

    def to_act(self) -> int | None:
        """`betting.turn`, `betting.street_end`, `betting.fixed_continue`"""
        actors = self.actors()
        live = [seat for seat in self.seats.values() if seat.live]
        fixed = self.betting["kind"] == "fixed_continue"
        if len(actors) <= 1 and (fixed or not actors or actors[0].put_in >= max(seat.put_in for seat in live)):
            # A fixed street that has begun goes on with who is left to ask; one that begins so is skipped.
            if not fixed or all(seat.acted_at is None for seat in self.seats.values()):
                return None
        for number in clockwise(list(self.seats), self.after):
            if self.can_act(self.seats[number]) and self.is_waiting(self.seats[number]):
                return number
        return None

    def bounds(self, seat: Seat) -> tuple[int, int] | None:
        """From where to where *seat* may raise, or None: 5.7 to 5.13."""
        top = seat.put_in + seat.stack
        others = any(other is not seat for other in self.actors())
        reopened = seat.acted_at is None or self.current_bet - seat.acted_at >= self.min_raise()
        if top <= self.current_bet or not others or not reopened:
            return None
        least = self.current_bet + self.min_raise() if self.current_bet else self.min_open
        return min(least, top), top

    def legal(self, seat: Seat) -> dict[str, tuple[int, int] | None]:
        """What *seat* may do, each verb with the least and the largest amount."""
        found: dict[str, tuple[int, int] | None] = {"fold": None}
        if self.betting["kind"] == "fixed_continue":
            price = min(self.betting["cost"], seat.stack)
            return found | {"stay": (price, price)}
        due = min(self.current_bet - seat.put_in, seat.stack)
        if due > 0:
            found["call"] = (due, due)
        else:
            found["check"] = None
        bounds = self.bounds(seat)
        if bounds is not None:
            found["raise_to"] = bounds
        return found

    def fits(self, amount: int, bounds: tuple[int, int]) -> bool:
        """`betting.units`: between the bounds, and in whole units unless all-in."""
        low, high = bounds
        return amount == high or (low <= amount < high and amount % self.unit == 0)

    def act(self, seat: Seat, verb: str, amount: int) -> int:
        """The state after an action that is legal; what it paid."""
        paid = 0
        if verb == "fold":
            seat.live = False
        elif verb in ("call", "stay"):
            paid = amount
        elif verb == "raise_to":
            paid = amount - seat.put_in
            grown = amount - self.current_bet
            self.full_raise = max(self.full_raise, grown)  # a short all-in never changes it
            self.current_bet = amount
        seat.stack -= paid
        seat.put_in += paid
        seat.wager += paid
        seat.acted_at = self.current_bet
        self.after = seat.number
        return paid


def unmatched(wagers: dict[int, int], live: set[int]) -> tuple[int, int] | None:
    """`pots.unmatched`: the seat and the chips that go back."""
    ordered = sorted(wagers, key=lambda seat: -wagers[seat])
    if not ordered or ordered[0] not in live:
        return None
    rest = wagers[ordered[0]] - (wagers[ordered[1]] if len(ordered) > 1 else 0)
    return (ordered[0], rest) if rest > 0 else None


def make_pots(wagers: dict[int, int], live: set[int], carry: int) -> list[tuple[int, list[int]]]:
    """`pots.layers`, the main pot first; wagers are those after what was unmatched has gone back."""
    heights = sorted({wagers[seat] for seat in live if wagers[seat] > 0})
    pots: list[tuple[int, list[int]]] = []
    below = 0
    for height in heights:
        chips = sum(min(wager, height) - min(wager, below) for wager in wagers.values())
        pots.append((chips, sorted(seat for seat in live if wagers[seat] >= height)))
        below = height
    if not pots:
        pots.append((0, sorted(live)))
    beyond = sum(max(wager - below, 0) for wager in wagers.values())
    pots[-1] = (pots[-1][0] + beyond, pots[-1][1])
    pots[0] = (pots[0][0] + carry, pots[0][1])
    return pots


def share_pot(chips: int, winners: list[int], unit: int, odd_chip: str) -> tuple[dict[int, int], int]:
    """`odd_chips`: what each of *winners* (clockwise from left of the button) gets, and what is carried."""
    share = chips // (len(winners) * unit) * unit
    shares = dict.fromkeys(winners, share)
    rest = chips - share * len(winners)
    if odd_chip == "carry" and len(winners) > 1:
        return shares, rest
    for seat in winners:
        extra = min(unit, rest)
        shares[seat] += extra
        rest -= extra
    return shares, 0


# ---------------------------------------------------------------------------------------------------------------
# 7 Deals: the events of a hand against its seeds
# ---------------------------------------------------------------------------------------------------------------

Place = tuple[int, int]  # pile and position in it


def place_of(card: Json) -> Place:
    return card["pile"], card["position"]


class Deal:
    """What is known of the cards of one deal: from its seeds as far as they are opened, and from single openings."""

    def __init__(self, event: Event, table: int, deck: list[str], masters: dict[str, bytes], given: Evidence) -> None:
        self.event, self.report, self.deck = event, given.report, deck
        self.opened = given.opened
        self.of_hand = given.bundle.kind == "hand"
        data = event.data
        self.digest = openings_digest([(entry["seat"], bytes.fromhex(entry["value"])) for entry in data["openings"]])
        self.numbers = (table, data["number"], data["deal"])
        self.seeds = self.find_seeds(masters)
        self.piles: dict[int, Pile] = {}
        self.sizes = {1: len(deck)}
        self.cards: dict[Place, str] = {}
        self.drawn: Counter[str] = Counter()  # how often each label was used in this deal
        if "cards" in self.seeds:
            self.add_pile(event, 1, deck, data["deck_root"])
        else:
            self.report.skip("decks: their seed is not opened")

    def find_seeds(self, masters: dict[str, bytes]) -> dict[str, bytes]:
        """`generator.seeds`: what is opened with the hand, and what follows from the masters; both must agree."""
        event, seeds = self.event, {}
        opened = self.opened.values.get((event.position, "/seeds"), {})
        for use in ("cards", "dice", "draws"):
            found = []
            if use in opened:
                found.append(bytes.fromhex(opened[use]))
            if use in masters:
                found.append(seed_of(masters[use], use, *self.numbers))
            elif not self.of_hand:
                self.report.skip(f"seeds from their masters: {use} is not opened")
            for seed in found:
                commitment = sha(b"holotable/seed/1/commitment" + seed).hex()
                due, text = (event.data["commitments"][use], f"the seed of the {use} is not the one committed to")
                self.report.check("seeds", commitment == due, event.position, "generator.seeds", text)
            if found:
                seeds[use] = found[-1]
        salt = self.opened.salts.get((event.position, "/seeds"))
        if salt is not None and "cards" in seeds:
            due_salt = Draws(seeds["cards"], "seeds", 1, b"").block(0)
            text = "the seeds are sealed under another salt than the one that follows from them"
            self.report.check("seeds", salt == due_salt, event.position, "generator.labels", text)
        return seeds

    def add_pile(self, event: Event, n: int, cards: list[str], root: str) -> None:
        pile = make_pile(self.seeds["cards"], n, self.digest, cards)
        self.piles[n] = pile
        text = f"the root of pile {n} is not that of the cards its seed gives"
        self.report.check("piles", pile.root.hex() == root, event.position, "generator.piles", text)

    def see(self, event: Event, place: Place, card: str, salt: bytes) -> None:
        """A card that was opened, or turned over, at *place*."""
        pile, position = place
        known = self.cards.setdefault(place, card)
        again = f"two cards at place {position} of pile {pile}: {known} and {card}"
        self.report.check("cards opened", known == card, event.position, "cards.deal", again)
        if pile not in self.piles:
            self.report.skip("opened cards: the seed of their pile is not opened")
            return
        real = self.piles[pile]
        fits = position < len(real.cards) and (real.cards[position], real.salts[position]) == (card, salt)
        text = f"{card} is not the card at place {position} of pile {pile}"
        self.report.check("cards opened", fits, event.position, "generator.piles", text)

    def see_all(self, event: Event) -> None:
        """Every card that this event shows, or that is opened in it."""
        for pointer, value in self.opened.of(event.position):
            place = at_pointer(event.data, pointer)
            if isinstance(place, dict) and set(place) == {"pile", "position"}:
                self.see(event, place_of(place), value, self.opened.salts[event.position, pointer])
        for card in open_cards(event.data):
            self.see(event, place_of(card), card["card"], bytes.fromhex(card["salt"]))

    def card(self, place: Place) -> str | None:
        pile, position = place
        if pile in self.piles and position < len(self.piles[pile].cards):
            return self.piles[pile].cards[position]
        return self.cards.get(place)

    def draws(self, use: str, label: str) -> Draws | None:
        """The next stream of *label*, or None where its seed is not opened."""
        self.drawn[label] += 1
        if use not in self.seeds:
            self.report.skip(f"what label {label} draws: its seed is not opened")
            return None
        return Draws(self.seeds[use], label, self.drawn[label], self.digest)


def open_cards(value: object) -> list[Json]:
    """Every card turned over in an event."""
    if isinstance(value, dict):
        if set(value) == {"card", "pile", "position", "salt"}:
            return [value]
        value = list(value.values())
    return [card for member in value for card in open_cards(member)] if isinstance(value, list) else []


@dataclass
class Evidence:
    """What every check of the rules needs at hand."""

    bundle: Bundle
    opened: Opened
    report: Report

    def same(self, event: Event, rule: str, name: str, found: object, due: object) -> bool:
        what = f"rules: {rule.split('.')[0]}"
        return self.report.same(what, found, due, event.position, rule, f"{event.type} {name}")

    def check(self, event: Event, rule: str, holds: bool, text: str) -> bool:
        return self.report.check(f"rules: {rule.split('.')[0]}", holds, event.position, rule, f"{event.type}: {text}")


# ---------------------------------------------------------------------------------------------------------------
# 8 Rules, a hand of Coruscant Shift: rulebook 3 to 8
# ---------------------------------------------------------------------------------------------------------------

ASIDE = {
    "seat_went_away",
    "seat_came_back",
    "table_held",
    "table_resumed",
    "decision_extended",
    "penalty_imposed",
    "hand_quit",
    "deal_voided",
}


class Voided(Exception):
    """The deal was voided: what it would have led to never came."""


@dataclass
class Player(Seat):
    """A seat dealt in, with its cards; *kept* is None while it has kept none, *known* says whether we know which."""

    held: list[Place] = field(default_factory=list)
    kept: list[Place] = field(default_factory=list)
    count: int = 0
    known: bool = True
    pots: int = 0
    timeouts: int = 0
    key: tuple[int, int] = (0, 0)


class Hand:
    """One deal, from `hand_opened` on, played again by the rules; *next* is the place of the event read next."""

    def __init__(self, table: Table, events: list[Event], deal: Deal) -> None:
        self.table, self.events, self.deal, self.given = table, events, deal, table.given
        self.opened = events[0]
        self.data = events[0].data
        self.rules: Json = table.ruleset
        self.next = 1
        self.button: int = self.data["button"]
        self.counting = self.rules["score"] == "hands_won"
        self.players = {
            seat["seat"]: Player(seat["seat"], seat["stack"], seat["entrant"], start=seat["stack"])
            for seat in self.data["seats"]
            if seat["dealt"]
        }
        for seat in self.data["seats"]:
            if seat["dealt"]:
                self.players[seat["seat"]].timeouts = seat["timeouts"]
        self.price = 0
        self.dead = 0
        self.turn = 0
        self.target, self.suit = 0, ""
        self.discards: list[Place] = []
        self.discarded = 0  # how many, also where we do not know which
        self.place: Place = (1, 0)  # the next card
        self.deadline = 0
        self.carried = 0
        self.awarded: list[tuple[int, list[int]]] = []
        self.eligible: list[list[int]] = []
        self.settled: Event | None = None
        self.voided = False

    # -- reading events

    def peek(self) -> Event:
        while True:
            if self.next >= len(self.events):
                raise Lost("the hand ends before its end")
            event = self.events[self.next]
            if event.type not in ASIDE:
                return event
            self.next += 1
            self.aside(event)

    def take(self, kind: str) -> Event:
        event = self.peek()
        if event.type != kind:
            self.given.check(event, "phases", False, f"due is {kind}")
            raise Lost(kind)
        self.given.report.checked["rules: phases"] += 1
        self.next += 1
        self.deal.see_all(event)
        return event

    def aside(self, event: Event) -> None:
        """What may happen at any time of a hand."""
        data = event.data
        if event.type == "hand_quit":
            if data["seat"] in self.players:
                self.fold(self.players[data["seat"]])
        elif event.type in ("table_resumed", "decision_extended") and data["deadline"] is not None:
            self.deadline = microseconds(data["deadline"])
        elif event.type == "seat_went_away":
            self.table.away[data["seat"]] = True
            if data["cause"] == "timeouts":
                enough = data["seat"] in self.players and self.players[data["seat"]].timeouts >= 3
                self.given.check(event, "absence.timeouts", enough, "fewer than three timeouts in a row")
        elif event.type == "seat_came_back":
            self.table.away[data["seat"]] = False
            if data["seat"] in self.players:
                self.players[data["seat"]].timeouts = 0
        elif event.type == "deal_voided":
            self.void(event)
            raise Voided

    def same(self, event: Event, rule: str, name: str, found: object, due: object) -> bool:
        return self.given.same(event, rule, name, found, due)

    # -- words

    def order(self) -> list[int]:
        """Everyone dealt in, clockwise from the left of the button."""
        return clockwise(list(self.players), self.button)

    def live(self) -> list[int]:
        return [seat for seat in self.order() if self.players[seat].live]

    def alone(self) -> bool:
        return len(self.live()) < 2

    def fold(self, player: Player) -> None:
        if player.live:
            player.live = False
            self.discards += player.held + player.kept
            self.discarded += len(player.held) + player.count
            player.held, player.kept, player.count = [], [], 0

    # -- the course of a hand

    def play(self) -> None:
        """`phases`: everything from the forced bets to the award, in the order that the ruleset says."""
        self.deal.see_all(self.opened)
        try:
            self.forced_bets()
            if self.rules["roll"]["when"] == "before_deal":
                self.roll()
            self.deal_cards()
            if self.rules["roll"]["when"] == "after_deal":
                self.roll()
            self.kill()
            for step in self.steps():
                if self.alone():
                    break
                step()
            self.award()
            self.settle()
        except Voided:
            self.voided = True

    def steps(self) -> list[Any]:
        with_selection = self.rules["discard"] == "with_selection"
        before = self.rules["bet2"] == "before_improve"
        discard = [self.discard_unselected]
        second = [lambda: self.street(2)]
        return [
            self.select,
            *(discard if with_selection else []),
            lambda: self.street(1),
            *([] if with_selection else discard),
            self.replace,
            *(second if before else []),
            self.improve,
            self.discard_unused,
            *([] if before else second),
            self.reveal,
        ]

    # -- forced bets, dice, deal, killed hands

    def forced_bets(self) -> None:
        forced, amounts = self.rules["forced"], self.data["level"]["amounts"]
        if forced["kind"] == "none":
            return
        event = self.take("forced_bets_posted")
        due: list[tuple[int, str, int]] = []
        if forced["kind"] == "ante":
            due = [(seat, "ante", amounts["ante"]) for seat in self.order()]
        else:
            if self.data["small_blind"] in self.players:
                due.append((self.data["small_blind"], "small_blind", amounts["small"]))
            due.append((self.data["big_blind"], "big_blind", amounts["big"]))
            if amounts["ante"]:
                due.append((self.data["big_blind"], "table_ante", amounts["ante"]))
        posts = []
        for seat, kind, owed in due:
            player = self.players[seat]
            chips = min(owed, player.stack)
            player.stack -= chips
            if kind == "table_ante":
                self.dead += chips
            else:
                player.wager += chips
            if kind in ("small_blind", "big_blind"):
                player.put_in += chips
            posts.append({"chips": chips, "kind": kind, "owed": owed, "seat": seat})
        rule = f"forced.{forced['kind']}" if forced["kind"] == "ante" else "forced.blinds"
        self.same(event, rule, "posts", event.data["posts"], posts)
        self.price = amounts["big"] if forced["kind"] == "blinds" else 0
        if forced["kind"] == "blinds" and self.rules["short_blind"] == "as_posted":
            self.price = max((player.put_in for player in self.players.values()), default=0)
        self.same(event, "forced.short_blind", "price", event.data["price"], self.price)

    def roll(self) -> None:
        event = self.take("dice_rolled")
        by = self.rules["roll"]["by"]
        roller = None
        if by == "dealer":
            roller = self.button if self.button in self.players else None
        elif by == "left_of_dealer":
            roller = self.order()[0]
        self.same(event, "dice.target", "roller", event.data["roller"], roller)
        self.target, self.suit = event.data["target"], event.data["suit"]
        draws = self.deal.draws("dice", "target")
        if draws is not None:
            due = [GOLD[draws.below(6)], SILVER[draws.below(3)]]
            self.same(event, "dice.target", "target and suit", [self.target, self.suit], due)

    def take_places(self, order: list[int], needs: dict[int, int]) -> dict[int, list[Place]]:
        """Which places the seats of *order* get, one a pass, from the current pile and the committed ones after it."""
        got: dict[int, list[Place]] = {seat: [] for seat in order}
        left = dict(needs)
        while any(left.values()):
            for seat in order:
                if not left[seat]:
                    continue
                pile, position = self.place
                if position >= self.deal.sizes[pile]:
                    pile, position = pile + 1, 0
                    if pile not in self.deal.sizes:
                        raise Lost("there is no card left, and no new pile")
                got[seat].append((pile, position))
                left[seat] -= 1
                self.place = (pile, position + 1)
        return got

    def compare_dealt(self, events: list[Event], got: dict[int, list[Place]], rule: str) -> None:
        """*events* deal exactly the places *got*, seat by seat in the order of the deal."""
        found: dict[int, list[Place]] = {}
        for event in events:
            for entry in event.data["dealt"]:
                found.setdefault(entry["seat"], []).extend(place_of(card) for card in entry["cards"])
        due = {seat: places for seat, places in got.items() if places}
        self.same(events[-1], rule, "cards", found, due)
        if len(events) == 1:
            self.same(events[-1], rule, "order", list(found), list(due))
        for seat, places in due.items():
            self.players[seat].held += places

    def deal_cards(self) -> None:
        event = self.take("cards_dealt")
        needs = dict.fromkeys(self.order(), int(self.rules["hand_size"]))
        self.compare_dealt([event], self.take_places(self.order(), needs), "cards.deal")

    def kill(self) -> None:
        """`absence.killed`: who is away or serves a penalty loses the hand, but never the last live one."""
        books = {seat["seat"]: seat for seat in self.data["seats"]}
        due = {seat for seat in self.players if books[seat]["away"] or books[seat]["penalty"]}
        killed = []
        while self.peek().type == "hand_killed":
            event = self.take("hand_killed")
            seat = event.data["seat"]
            killed.append(seat)
            self.given.check(event, "absence.killed", seat in due, "who is here and serves no penalty lost the hand")
            self.same(event, "absence.killed", "entrant", event.data["entrant"], self.players[seat].entrant)
            self.fold(self.players[seat])
        spared = 1 if len(due) == len(self.players) else 0
        self.given.check(
            self.peek(),
            "absence.killed",
            len(killed) == len(due) - spared,
            f"seats {sorted(due)} are away or penalised",
        )

    # -- selections

    def open_decision(self, phase: str, seats: list[int]) -> Event:
        event = self.take("decision_opened")
        self.turn += 1
        data = event.data
        self.same(event, "decisions.binding", "turn", data["turn"], self.turn)
        name = f"{self.data['number']}.{self.data['deal']}.{self.turn}"
        self.same(event, "decisions.binding", "decision", data["decision"], name)
        rule = "betting.turn" if phase == "bet" else "phases.no_skip"
        self.same(event, rule, "phase and seats", [data["phase"], data["seats"]], [phase, seats])
        self.deadline = microseconds(data["deadline"])
        length = self.deadline - microseconds(data["at"])
        self.same(event, "clock", "time to decide", length, self.data["decision_seconds"] * 1_000_000)
        return event

    def answer(self, event: Event, decision: Event) -> Player:
        """What every answer to a decision must hold; its seat."""
        data = event.data
        player = self.players[data["seat"]]
        self.same(event, "decisions.binding", "decision", data["decision"], decision.data["decision"])
        self.same(event, "betting.turn", "entrant", data["entrant"], player.entrant)
        at = microseconds(data["at"])
        if data["timed_out"]:
            late = at >= self.deadline + self.data["grace_seconds"] * 1_000_000
            self.given.check(event, "clock", late, "timed out before deadline and grace were over")
            player.timeouts += 1
        else:
            player.timeouts = 0
        return player

    def commits(self, phase: str, kind: str) -> None:
        """Everyone live answers once, in any order; then the counts are told."""
        decision = self.open_decision(phase, sorted(self.live()))
        waiting = set(self.live())
        while waiting & set(self.live()):
            event = self.take(kind)
            seat = event.data["seat"]
            if not self.given.check(event, "betting.turn", seat in waiting, f"seat {seat} has nothing to answer"):
                raise Lost(kind)
            waiting.discard(seat)
            player = self.answer(event, decision)
            cards = self.given.opened.values.get((event.position, "/cards"))
            timed_out = event.data["timed_out"]
            rule = ("clock." if timed_out else "selection.") + (
                "improve" if phase == "improve" else "selection" if timed_out else "first"
            )
            self.same(event, "rule", "rule", event.data["rule"], rule)
            self.choose(event, player, cards, phase, rule)

    def choose(self, event: Event, player: Player, cards: list[str] | None, phase: str, rule: str) -> None:
        """Own cards only, not too few, and what the clock would choose if it did."""
        if cards is None:
            player.known = False
            self.given.report.skip("selections: not opened")
            return
        names = {self.deal.card(place): place for place in player.held}
        if None in names or not self.given.check(
            event, rule, len(set(cards)) == len(cards) and set(cards) <= set(names), "cards that are not one's own"
        ):
            player.known = False
            return
        least = self.rules["first_selection_min"] if phase == "select" else self.rules["final_selection_min"]
        total = len(cards) + player.count
        self.given.check(event, rule, total >= least, f"{total} cards are kept, {least} at least are due")
        if event.data["timed_out"]:
            due = self.clock_choice(player, [name for name in names if name], phase)
            self.same(event, rule, "cards", sorted(cards), sorted(due))
        player.kept += [names[card] for card in cards]
        player.held = [place for place in player.held if place not in player.kept]

    def clock_choice(self, player: Player, hand: list[str], phase: str) -> list[str]:
        deck = self.deal.deck
        if phase == "select":
            return clock_selection(hand, self.target, self.suit, self.rules["first_selection_min"], deck)
        if player.count:
            return []
        return min(([card] for card in hand), key=lambda c: (rank_key(c, self.target, self.suit), deck.index(c[0])))

    def counts(self, kind: str) -> None:
        event = self.take(kind)
        found = {entry["seat"]: entry["cards"] for entry in event.data["counts"]}
        self.same(event, "visibility", "seats", list(found), self.live())
        for seat in self.live():
            player = self.players[seat]
            most = player.count + len(player.held) + (len(player.kept) - player.count if player.known else 0)
            if player.known:
                self.same(event, "visibility", f"count of seat {seat}", found[seat], len(player.kept))
            self.given.check(event, "selection.improve", player.count <= found[seat] <= most, "a count out of range")
            player.count = found[seat]

    def select(self) -> None:
        self.commits("select", "selection_committed")
        if not self.alone():
            self.counts("selections_closed")

    def improve(self) -> None:
        self.commits("improve", "improvement_committed")
        if self.alone():
            return
        self.counts("improvements_closed")
        for seat in self.live():
            event, count = self.events[self.next - 1], self.players[seat].count
            enough = count >= self.rules["final_selection_min"]
            self.given.check(event, "selection.improve", enough, f"seat {seat} keeps {count} cards")

    def discard(self, stage: str) -> None:
        event = self.take("cards_discarded")
        self.same(event, "cards.discard", "stage", event.data["stage"], stage)
        due = {seat: self.rules["hand_size"] - self.players[seat].count for seat in self.live()}
        found = {entry["seat"]: entry["cards"] for entry in event.data["counts"]}
        self.same(event, "cards.discard", "counts", found, due)
        for seat, count in due.items():
            player = self.players[seat]
            self.discarded += count
            self.discards += player.held
            player.held = []

    def discard_unselected(self) -> None:
        self.discard("unselected")

    def discard_unused(self) -> None:
        self.discard("unused")

    # -- replacements and new piles

    def read_piles(self, kind: str, due: int) -> list[Event]:
        """The events of *kind* that deal *due* cards, with the piles that are committed to before or between them."""
        events: list[Event] = []
        while due > 0:
            if self.peek().type == "pile_committed":
                self.new_pile(self.take("pile_committed"))
                continue
            if events and self.peek().type != kind:
                break  # too few were dealt: what was is compared next
            event = self.take(kind)
            events.append(event)
            due -= sum(len(entry["cards"]) for entry in event.data["dealt"])
        return events

    def new_pile(self, event: Event) -> None:
        """`cards.recycling`: all discards and folded hands, and no selection."""
        n = max(self.deal.sizes) + 1
        self.same(event, "cards.recycling", "pile", event.data["pile"], n)
        self.same(event, "cards.recycling", "size", event.data["size"], self.discarded)
        self.deal.sizes[n] = event.data["size"]
        cards = [self.deal.card(place) for place in self.discards]
        if "cards" in self.deal.seeds and len(cards) == self.discarded and None not in cards:
            in_order = sorted((card for card in cards if card), key=self.deal.deck.index)
            self.deal.add_pile(event, n, in_order, event.data["root"])
        else:
            self.given.report.skip("recycled piles: what went into them is not opened")
        self.discards, self.discarded = [], 0

    def replace(self) -> None:
        order = self.live()
        needs = {seat: self.rules["hand_size"] - self.players[seat].count for seat in order}
        if any(needs.values()):
            events = self.read_piles("replacements_dealt", sum(needs.values()))
            self.compare_dealt(events, self.take_places(order, needs), "cards.replacement")

    # -- betting

    def min_open(self) -> int:
        """`betting.opening_bet`"""
        amounts, unit = self.data["level"]["amounts"], self.rules["chip_unit"]
        named = self.rules["betting"].get("min_open", 0)
        if named == "big_blind":
            return int(amounts["big"]) or unit
        if named == "half_ante":
            return int(max(unit, amounts["ante"] // 2 // unit * unit))
        if named == "table_min":
            return int(self.rules["table_min"] or unit)
        return int(named)

    def street(self, number: int) -> None:
        after = self.button
        if self.rules["first_actor"][number - 1] == "left_of_big_blind" and self.data["big_blind"] is not None:
            after = self.data["big_blind"]
        if number == 2:
            for player in self.players.values():
                player.put_in, player.acted_at = 0, None
        seats: dict[int, Seat] = dict(self.players)
        least = self.min_open()
        street = Street(self.rules["betting"], self.rules["chip_unit"], least, seats, after, 0, least)
        street.current_bet = self.price if number == 1 else 0
        street.chips = not self.counting
        while not self.alone():
            seat = street.to_act()
            if seat is None:
                break
            self.one_action(street, self.players[seat], number)
        if self.alone():
            return
        event = self.take("street_closed")
        self.same(event, "betting.street_end", "street", event.data["street"], number)
        chips = sum(player.wager for player in self.players.values())
        self.same(event, "betting.street_end", "chips", event.data["chips"], chips)

    def one_action(self, street: Street, player: Player, number: int) -> None:
        decision = self.open_decision("bet", [player.number])
        self.same(decision, "words.street", "street", decision.data["street"], number)
        self.peek()
        if self.alone() or not player.live:
            return  # somebody left during the decision
        event = self.take("seat_acted")
        self.given.check(
            event, "betting.turn", event.data["seat"] == player.number, f"it is seat {player.number}'s turn"
        )
        self.answer(event, decision)
        data, legal = event.data, street.legal(player)
        verb, bounds = data["verb"], legal.get(data["verb"])
        rule = action_rule(street, player, data)
        if not self.given.check(event, rule, verb in legal, f"{verb} is not legal here; legal are {sorted(legal)}"):
            raise Lost(verb)
        amount = bounds[0] if bounds else 0
        if verb == "raise_to":
            assert bounds is not None
            amount = data["amount"]
            fits = street.fits(amount, bounds)
            self.given.check(event, rule, fits, f"a raise to {amount}, legal are {bounds[0]} to {bounds[1]}")
        if data["expected"] is not None:
            self.same(event, "betting.call", "expected price", data["expected"], amount)
        if data["timed_out"]:
            due = "check" if "check" in legal else "fold"
            if "stay" in legal:
                due = "stay" if amount == 0 and self.rules["betting"]["cost"] == 0 else "fold"
            self.same(event, "clock.bet", "verb", verb, due)
        self.same(event, "rule", "rule", data["rule"], "clock.bet" if data["timed_out"] else rule)
        paid = street.act(player, verb, amount)
        found = [data[name] for name in ("paid", "stack", "current_bet", "full_raise")]
        due_values = [paid, player.stack, street.current_bet, street.full_raise]
        self.same(event, rule, "paid, stack, bet, full raise", found, due_values)
        self.same(event, rule, "all_in", data["all_in"], paid > 0 and player.stack == 0)
        if verb == "fold":
            player.live = True
            self.fold(player)

    # -- showdown

    def reveal(self) -> None:
        event = self.take("hands_revealed")
        self.same(event, "showdown.reveal", "seats", [hand["seat"] for hand in event.data["hands"]], self.live())
        for hand in event.data["hands"]:
            player = self.players[hand["seat"]]
            places = [place_of(card) for card in hand["cards"]]
            cards = [card["card"] for card in hand["cards"]]
            self.same(event, "showdown.reveal", f"count of seat {player.number}", len(cards), player.count)
            if player.known:
                self.same(event, "showdown.reveal", f"cards of {player.number}", sorted(places), sorted(player.kept))
            player.kept = places
            distance, count = score(cards, self.target, self.suit)
            found = [hand["entrant"], hand["total"], hand["distance"], hand["suit_count"]]
            due = [player.entrant, sum(map(value_of, cards)), distance, count]
            self.same(event, "showdown.key", f"hand of seat {player.number}", found, due)
            player.key = (distance, -count)

    def award(self) -> None:
        wagers = {seat: player.wager for seat, player in self.players.items()}
        live = set(self.live())
        back = unmatched(wagers, live)
        if back is not None:
            event = self.take("unmatched_returned")
            self.same(event, "pots.unmatched", "seat and chips", [event.data["seat"], event.data["chips"]], list(back))
            wagers[back[0]] -= back[1]
            self.players[back[0]].stack += back[1]
        elif self.peek().type == "unmatched_returned":
            self.given.check(self.peek(), "pots.unmatched", False, "everything was matched")
            self.next += 1
        pots = make_pots(wagers, live, self.data["carry"] + self.dead)
        event = self.take("pots_formed")
        found = [[pot["chips"], sorted(pot["eligible"])] for pot in event.data["pots"]]
        self.same(event, "pots.layers", "pots", found, [[chips, eligible] for chips, eligible in pots])
        dead = [event.data["carry"], event.data["dead"]]
        self.same(event, "pots.layers", "carry and dead chips", dead, [self.data["carry"], self.dead])
        for number, (chips, eligible) in enumerate(pots, 1):
            self.eligible.append(eligible)
            self.award_pot(number, chips, eligible)

    def award_pot(self, number: int, chips: int, eligible: list[int]) -> None:
        best = eligible
        if len(eligible) > 1:
            keys = {seat: self.players[seat].key for seat in eligible}
            best = [seat for seat in eligible if keys[seat] == min(keys.values())]
        rule = "showdown.best"
        if len(best) > 1:
            best, rule = self.break_tie(number, best)
        winners = [seat for seat in self.order() if seat in best]
        odd = "seat_order" if self.data["last"] else self.rules["odd_chip"]
        shares, rest = share_pot(chips, winners, self.rules["chip_unit"], odd)
        event = self.take("pot_awarded")
        data = event.data
        found = [data["pot"], data["chips"]]
        self.same(event, "pots.layers", "pot and chips", found, [number, chips])
        given = {share["seat"]: share["chips"] for share in data["shares"]}
        self.same(event, rule, "winners", sorted(given), sorted(winners))
        slug = "odd_chips" if len(winners) > 1 else rule
        self.same(event, slug, "shares", given, shares)
        self.same(event, "odd_chips", "remainder", data["remainder"], rest)
        self.same(event, "rule", "rule", data["rule"], rule)
        self.carried += rest
        self.awarded.append((chips, winners))
        for seat in winners:
            self.players[seat].stack += shares[seat]
            self.players[seat].pots += 1

    # -- ties

    def break_tie(self, pot: int, tied: list[int]) -> tuple[list[int], str]:
        """Who of the *tied* seats wins, and by which rule."""
        tie = self.rules["tie"]
        if tie["kind"] == "split":
            return tied, "ties.split"
        if tuple(tied) in self.table.ranked:
            return [self.table.ranked[tuple(tied)]], "ties.draw_off"
        everyone, rule = tuple(tied), "ties.draw_off"
        limit = 0 if tie["kind"] == "chance_cube" or tie["prefer_cube"] else tie["limit"]
        for _ in range(limit):
            if len(tied) == 1 or not self.can_draw(len(tied)):
                break
            tied = self.draw_off(pot, tied)
        if len(tied) > 1:
            tied, rule = [self.cube(pot, tied)], "ties.cube"
        self.table.ranked[everyone] = tied[0]
        return tied, rule

    def can_draw(self, cards: int) -> bool:
        pile, position = self.place
        return self.deal.sizes[pile] - position + self.discarded >= cards

    def draw_off(self, pot: int, tied: list[int]) -> list[int]:
        """One open card each; where a pile ends within it, the draw goes on in the next one, in an event of its own."""
        order = [seat for seat in self.order() if seat in tied]
        found: dict[int, Place] = {}
        values: dict[int, int] = {}
        while len(found) < len(order):
            if self.peek().type == "pile_committed":
                self.new_pile(self.take("pile_committed"))
                continue
            event = self.take("draw_off_dealt")
            self.same(event, "ties.draw_off", "pot", event.data["pot"], pot)
            found |= {entry["seat"]: place_of(entry["card"]) for entry in event.data["cards"]}
            values |= {entry["seat"]: value_of(entry["card"]["card"]) for entry in event.data["cards"]}
        got = self.take_places(order, dict.fromkeys(order, 1))
        self.same(event, "ties.draw_off", "cards", found, {seat: places[0] for seat, places in got.items()})
        return [seat for seat in order if values.get(seat) == max(values.values())]

    def cube(self, pot: int, tied: list[int]) -> int:
        event = self.take("cube_rolled")
        order = [seat for seat in self.order() if seat in tied]
        self.same(event, "ties.cube", "pot and seats", [event.data["pot"], event.data["seats"]], [pot, order])
        draws = self.deal.draws("draws", "cube")
        if draws is not None:
            self.same(event, "ties.cube", "winner", event.data["winner"], order[draws.below(len(order))])
        self.given.check(event, "ties.cube", event.data["winner"] in tied, "the winner is not among the tied")
        return int(event.data["winner"])

    # -- the end

    def settle(self) -> None:
        event = self.take("hand_settled")
        data = event.data
        self.settled = event
        number = [data["hand"], data["number"]]
        self.same(event, "phases.settled", "hand", number, [self.data["hand"], self.data["number"]])
        ending = "folds" if self.alone() else "showdown"
        self.same(event, "phases.one_live", "ending", data["ending"], ending)
        stacks = {seat["seat"]: seat["stack"] for seat in self.data["seats"]}
        stacks |= {seat: player.stack for seat, player in self.players.items()}
        self.same(event, "stacks", "stacks", {entry["seat"]: entry["stack"] for entry in data["stacks"]}, stacks)
        winners = self.awarded[0][1]
        self.same(event, "showdown.best", "winners", sorted(data["winners"]), sorted(winners))
        self.same(event, "odd_chips", "carry", data["carry"], self.carried)
        moved = sum(chips for chips, _ in self.awarded)
        self.same(event, "stacks", "chips_moved", data["chips_moved"], moved)
        broke = [] if self.counting else [seat for seat in sorted(self.players) if self.players[seat].stack == 0]
        due = [
            {
                "entrant": self.players[seat].entrant,
                "hand_number": self.data["number"],
                "seat": seat,
                "stack_at_start": self.players[seat].start,
            }
            for seat in broke
        ]
        self.same(event, "elimination", "busts", sorted(data["busts"], key=lambda bust: bust["seat"]), due)
        self.same(event, "completeness", "hands", data["hands"], self.data["number"])

    def void(self, event: Event) -> None:
        """`voiding`: every chip goes back, and every card is opened."""
        self.deal.see_all(event)
        back = {seat: player.wager for seat, player in self.players.items() if player.wager}
        if self.dead:
            back[self.data["big_blind"]] = back.get(self.data["big_blind"], 0) + self.dead
        found = {entry["seat"]: entry["chips"] for entry in event.data["returned"]}
        self.same(event, "voiding", "returned", found, back)
        kept = [event.data["carry"], event.data["sabacc_pot"]]
        self.same(event, "voiding", "carry and Sabacc pot", kept, [self.data["carry"], self.data["sabacc_pot"]])
        places = sorted(place_of(card) for card in event.data["cards"])
        due = sorted((pile, position) for pile, size in self.deal.sizes.items() for position in range(size))
        self.same(event, "voiding", "cards opened", places, due)


def action_rule(street: Street, player: Player, data: Json) -> str:
    """The rule that an action stands under."""
    verb = data["verb"]
    if street.betting["kind"] == "fixed_continue":
        return "betting.fixed_continue" if verb == "stay" else "betting.fold"
    if verb == "fold":
        return "betting.fold" if player.put_in < street.current_bet else "betting.free_fold"
    if verb != "raise_to":
        return f"betting.{verb}"
    if not street.current_bet:
        return "betting.opening_bet"
    amount = data["amount"] or 0
    short_of_it = amount < street.current_bet + street.min_raise()
    all_in = short_of_it and amount == player.put_in + player.stack
    return "betting.all_in" if all_in else f"betting.{street.betting['min_raise']}"


# ---------------------------------------------------------------------------------------------------------------
# 8 Rules, a table: rulebook 4, and what holds from hand to hand
# ---------------------------------------------------------------------------------------------------------------


@dataclass
class Books:
    """What a table knows of one seat between hands."""

    entrant: str
    stack: int
    hands_won: int = 0
    pots_won: int = 0
    timeouts: int = 0
    penalty: int = 0
    newcomer: bool = False


BETWEEN = {"table_waiting", "table_held", "table_resumed", "table_closed"}


class Table:
    """One table's stream, hand by hand."""

    def __init__(self, events: list[Event], given: Evidence, tournament: Tournament | None) -> None:
        self.events, self.given, self.tournament = events, given, tournament
        opened = events[0].data
        self.id: str = opened["table"]
        self.number: int = opened["number"]
        self.ruleset: Json = opened["ruleset"]
        self.known = self.ruleset["variant"] == "coruscant_shift"
        self.books = {seat["seat"]: Books(seat["entrant"], seat["stack"]) for seat in opened["seats"]}
        self.away: dict[int, bool] = {}
        self.ranked: dict[tuple[int, ...], int] = {}
        self.before: Event | None = None  # the hand_opened before this one
        self.voided: Event | None = None
        self.carry = 0
        self.restart = True
        self.floor: Json | None = None
        self.busts: list[tuple[Event, Json]] = []
        self.knockouts: dict[str, list[Any]] = {}
        self.last_hand: Hand | None = None
        self.last_winners: list[int] = []
        self.sound = True  # whether all hands so far could be followed

    def run(self) -> None:
        first = self.events[0]
        found = sha(canonical(self.ruleset)).hex()
        self.given.same(first, "rulesets", "hash of the ruleset", first.data["ruleset_hash"], found)
        if not self.known:
            self.given.report.skip(f"rules: {self.ruleset['variant']} is a game this program does not know")
        starts = [place for place, event in enumerate(self.events) if event.type == "hand_opened"]
        self.between(self.events[1 : starts[0] if starts else len(self.events)])
        for start, end in zip(starts, [*starts[1:], len(self.events)], strict=True):
            self.one_hand(self.events[start:end])

    def one_hand(self, events: list[Event]) -> None:
        opened = events[0]
        masters = self.tournament.masters if self.tournament else {}
        deal = Deal(opened, self.number, deck_of(self.ruleset["deck"]), masters, self.given)
        self.check_books(opened)
        self.ranked = {}
        if not self.known:
            for event in events:
                deal.see_all(event)
            self.sound = False
            return
        checking = Opening(self, opened, deal)
        guarded(self.given.report, "hand_opened", checking.run, opened.position)
        hand = Hand(self, events, deal)
        try:
            guarded(self.given.report, "hand", hand.play, opened.position)
        except Lost as lost:
            self.given.report.differ(events[min(hand.next, len(events) - 1)].position, "phases", f"lost: {lost}")
        self.last_hand = hand
        self.close(hand)
        self.between(events[hand.next :] if hand.settled or hand.voided else [])
        self.before = opened

    def can_be_dealt(self) -> list[int]:
        """Seats that could play another hand (`forced.short`)."""
        least = 1
        if self.ruleset["score"] == "hands_won":
            least = 0
        elif self.ruleset["short_forced"] == "not_dealt_in" and self.ruleset["forced"]["kind"] == "ante":
            least = self.before.data["level"]["amounts"]["ante"] if self.before else 1
        return [seat for seat, books in self.books.items() if books.stack >= least]

    def check_books(self, opened: Event) -> None:
        """The hand stands in the tournament's stream as it says."""
        if self.tournament is None:
            return
        version = opened.data["tournament_version"]
        head = {event.version: event.leaf.hex() for event in self.tournament.events}.get(version)
        self.given.same(opened, "completeness", "head of the tournament", opened.data["tournament_head"], head)
        due = self.tournament.terms["ruleset"]
        self.given.same(self.events[0], "rulesets", "ruleset", self.ruleset, due)
        named = self.events[0].data["ruleset_hash"]
        self.given.same(opened, "rulesets", "hash of the ruleset", opened.data["ruleset_hash"], named)

    def close(self, hand: Hand) -> None:
        """The books after a hand, for the one that follows."""
        self.voided = hand.opened if hand.voided else None
        self.restart = False
        if hand.voided:
            return
        self.sound = hand.settled is not None
        if hand.settled is None:
            return
        data = hand.settled.data
        self.carry = hand.carried
        self.last_winners = hand.awarded[0][1] if hand.awarded else []
        for seat in hand.data["seats"]:
            books = self.books.setdefault(seat["seat"], Books(seat["entrant"], seat["stack"]))
            player = hand.players.get(seat["seat"])
            books.newcomer = books.newcomer and player is None
            books.stack = player.stack if player else seat["stack"]
            books.pots_won = seat["pots_won"] + (player.pots if player else 0)
            books.hands_won = seat["hands_won"] + (seat["seat"] in self.last_winners)
            books.timeouts = player.timeouts if player else seat["timeouts"]
            books.penalty = max(books.penalty - 1, 0)
        for bust in data["busts"]:
            could_win = [n for n, seats in enumerate(hand.eligible) if bust["seat"] in seats]
            pot = could_win[-1] if could_win else 0
            by = [hand.players[seat].entrant for seat in hand.awarded[pot][1]]
            self.busts.append((hand.settled, bust))
            self.knockouts[bust["entrant"]] = [self.id, data["number"], pot + 1, sorted(by)]
            self.books.pop(bust["seat"], None)

    # -- between hands

    def between(self, events: list[Event]) -> None:
        for event in events:
            handler = getattr(self, f"on_{event.type}", None)
            if handler is not None:
                guarded(self.given.report, event.type, lambda run=handler, e=event: run(e), event.position)
            elif event.type not in BETWEEN:
                self.given.report.skip(f"events of type {event.type} at a table")

    def on_seat_went_away(self, event: Event) -> None:
        self.away[event.data["seat"]] = True

    def on_seat_came_back(self, event: Event) -> None:
        self.away[event.data["seat"]] = False
        if event.data["seat"] in self.books:
            self.books[event.data["seat"]].timeouts = 0

    def on_penalty_imposed(self, event: Event) -> None:
        self.books[event.data["seat"]].penalty = event.data["left"]

    def on_hand_shown(self, event: Event) -> None:
        """`showdown.show`: who won by folds turns over the own cards, and no others."""
        if self.last_hand is None or self.last_hand.settled is None:
            self.given.report.skip("hands shown: the hand could not be followed")
            return
        hand, settled, data = self.last_hand, self.last_hand.settled.data, event.data
        hand.deal.see_all(event)
        won = [settled["ending"], settled["winners"]]
        self.given.same(event, "showdown.show", "ending and winner", won, ["folds", [data["seat"]]])
        player = hand.players[data["seat"]]
        self.given.same(event, "showdown.show", "entrant", data["entrant"], player.entrant)
        places = {place_of(card) for card in data["cards"]}
        own = places <= set(player.held + player.kept) or not player.known
        self.given.check(event, "showdown.show", own, "cards that are not the winner's")

    def on_seats_vacated(self, event: Event) -> None:
        for entry in event.data["departures"]:
            books = self.books.pop(entry["seat"], None)
            if books is not None and self.sound:
                found = [entry["entrant"], entry["stack"]]
                self.given.same(event, "stacks", "departure", found, [books.entrant, books.stack])
        if self.sound and self.before is not None and event.data["to_table"] is not None:
            self.given.same(event, "seating.break_table", "carry", event.data["carry"], self.carry)
            self.carry = 0

    def on_arrivals_seated(self, event: Event) -> None:
        for entry in event.data["arrivals"]:
            empty = entry["seat"] not in self.books
            self.given.check(event, "newcomers", empty or not self.sound, f"seat {entry['seat']} is taken")
            won = (entry["hands_won"], entry["pots_won"], entry["timeouts"])
            self.books[entry["seat"]] = Books(entry["entrant"], entry["stack"], *won, newcomer=True)
            self.away[entry["seat"]] = entry["away"]
        self.carry += event.data["carry"]
        self.restart = self.restart or event.data["restart"]
        if event.data["floor"] is not None:
            self.floor = event.data["floor"]

    def on_chips_bought(self, event: Event) -> None:
        data = event.data
        books = self.books.setdefault(data["seat"], Books(data["entrant"], 0))
        books.stack += data["chips"]
        self.given.same(event, "stacks", "stack", data["stack"], books.stack)

    def on_chips_returned(self, event: Event) -> None:
        self.books[event.data["seat"]].stack -= event.data["chips"]
        self.given.same(event, "stacks", "stack", event.data["stack"], self.books[event.data["seat"]].stack)

    def on_carry_awarded(self, event: Event) -> None:
        """`casino.carry`: to the winners of the last main pot, one unit each in seat order; else to all who sit there."""
        seats = sorted(seat for seat in self.last_winners if seat in self.books) or sorted(self.books)
        due: dict[int, int] = dict.fromkeys(seats, 0)
        rest, unit, turn = self.carry, self.ruleset["chip_unit"], 0
        while rest > 0 and seats:
            part = min(unit, rest)
            due[seats[turn % len(seats)]] += part
            rest, turn = rest - part, turn + 1
        found = {share["seat"]: share["chips"] for share in event.data["shares"]}
        if self.sound:
            due = {seat: chips for seat, chips in due.items() if chips}
            self.given.same(event, "casino.carry", "shares", found, due)
        for seat, chips in found.items():
            if seat in self.books:
                self.books[seat].stack += chips
        stacks = {entry["seat"]: entry["stack"] for entry in event.data["stacks"]}
        for seat, stack in stacks.items():
            if self.sound and seat in self.books:
                self.given.same(event, "stacks", f"stack of seat {seat}", stack, self.books[seat].stack)
        self.carry = 0


class Opening:
    """`hand_opened` against the hand before it: seats, stacks, button, blinds, level, carry."""

    def __init__(self, table: Table, event: Event, deal: Deal) -> None:
        self.table, self.event, self.deal, self.data = table, event, deal, event.data
        self.rules = table.ruleset
        self.dealt: list[int] = [seat["seat"] for seat in self.data["seats"] if seat["dealt"]]
        self.counting = self.rules["score"] == "hands_won"
        before = table.before
        self.first = self.data["number"] == 1 or table.restart
        self.follows = before is not None and before.data["number"] == self.data["number"] - 1
        self.continues = self.follows or (self.data["number"] == 1 and before is None)

    def same(self, rule: str, name: str, due: object) -> bool:
        return self.table.given.same(self.event, rule, name, self.data[name], due)

    def run(self) -> None:
        if self.table.voided is not None:
            self.replay(self.table.voided.data)
            return
        self.check_dealt()
        self.check_blinds()
        self.check_openings()
        if not self.continues:
            if self.table.given.bundle.kind != "hand":
                self.table.given.report.skip("hands opened: the hand before is not in the bundle")
            return
        if not self.table.sound:
            self.table.given.report.skip("hands opened: the hand before could not be followed")
            return
        self.check_seats()
        self.same("odd_chips", "carry", self.table.carry)
        self.check_button()
        self.check_level()
        self.check_end()

    def check_openings(self) -> None:
        """`entropy.counts`, `entropy.omission`: by the tournament's stream up to the version the hand names."""
        tournament, version = self.table.tournament, self.data["tournament_version"]
        if tournament is None:
            return
        opened = {
            event.data["entrant"]: event.data["value"]
            for event in tournament.of("entropy_opened")
            if event.version <= version
        }
        committed = {event.data["entrant"] for event in tournament.of("entropy_committed")}
        seats = self.data["seats"]
        due = [{"seat": s["seat"], "value": opened[s["entrant"]]} for s in seats if s["entrant"] in opened]
        self.same("entropy.counts", "openings", due)
        left = sorted(s["entrant"] for s in seats if s["entrant"] in committed - set(opened))
        found = sorted(entry["entrant"] for entry in self.data["omissions"])
        self.table.given.same(self.event, "entropy.omission", "omissions", found, left)

    def replay(self, before: Json) -> None:
        """`voiding.replay`: the same hand with the next deal number."""
        self.same("voiding.replay", "deal", before["deal"] + 1)
        names = ("number", "hand", "button", "starter", "small_blind", "big_blind", "level", "base", "carry")
        for name in (*names, "sabacc_pot", "orbits", "first_dealer", "openings", "omissions"):
            self.same("voiding.replay", name, before[name])
        found = {seat["seat"]: (seat["entrant"], seat["stack"]) for seat in self.data["seats"]}
        due = {seat["seat"]: (seat["entrant"], seat["stack"]) for seat in before["seats"]}
        self.table.given.same(self.event, "voiding.replay", "seats and stacks", found, due)

    def check_seats(self) -> None:
        table = self.table
        found = {seat["seat"]: [seat["entrant"], seat["stack"]] for seat in self.data["seats"]}
        due = {number: [books.entrant, books.stack] for number, books in sorted(table.books.items())}
        table.given.same(self.event, "stacks", "seats and stacks", found, due)
        for seat in self.data["seats"]:
            books = table.books.get(seat["seat"])
            if books is None:
                continue
            won = [seat["hands_won"], seat["pots_won"], seat["timeouts"], seat["away"]]
            known = [books.hands_won, books.pots_won, books.timeouts, table.away.get(seat["seat"], False)]
            name = f"hands and pots won, timeouts, away of seat {seat['seat']}"
            table.given.same(self.event, "absence.timeouts", name, won, known)

    def check_dealt(self) -> None:
        """`forced.short`: who is dealt in."""
        if self.data["stage"] != 1:
            self.table.given.report.skip("who plays a further stage of a hand")
            return
        ante = self.data["level"]["amounts"]["ante"]
        spare = self.rules["short_forced"] == "not_dealt_in" and self.rules["forced"]["kind"] == "ante"
        for seat in self.data["seats"]:
            due = self.counting or seat["stack"] > 0
            if spare and seat["stack"] < ante:
                due = False
            if seat["waiting"]:
                due = False
            name = f"dealt in of seat {seat['seat']}"
            self.table.given.same(self.event, "forced.short", name, seat["dealt"], due)

    # -- button and blinds

    def check_button(self) -> None:
        if self.rules["button"] == "dead" and not self.first:
            self.check_dead_button()
            return
        starting = self.rules["button"] == "starter"
        if self.first:
            first = self.first_dealer()
            if first is None:
                return
            self.same("button.first", "first_dealer", first)
            self.same("escalation", "orbits", 0)
            mover = first
        else:
            assert self.table.before is not None
            old = self.table.before.data
            newcomers = {seat for seat, books in self.table.books.items() if books.newcomer}
            seats = [seat for seat in self.dealt if seat not in newcomers]
            if len(seats) < 2 and newcomers:
                self.table.given.report.skip("the button of one seat and newcomers")
                return
            moved_from = old["starter"] if starting else old["button"]
            mover = clockwise(seats, moved_from)[0]
            self.same("button.first", "first_dealer", old["first_dealer"])
            passed = reaches(moved_from, mover, old["first_dealer"])
            self.same("escalation", "orbits", old["orbits"] + passed)
        button = clockwise(self.dealt, mover - 1)[-1] if starting else mover
        self.same("button", "button", button)
        self.same("words.button", "starter", mover if starting else clockwise(self.dealt, mover)[0])

    def check_dead_button(self) -> None:
        """`button.dead`: the big blind moves on, the small blind and the button follow it, seat by seat."""
        assert self.table.before is not None
        old = self.table.before.data
        big = clockwise(self.dealt, old["big_blind"])[0]
        self.same("button.dead", "big_blind", big)
        if len(self.dealt) == 2:
            small = clockwise(self.dealt, big)[0]
            self.same("button.dead", "small_blind", small)
            dealer_small = self.rules["headsup"] == "dealer_small_blind"
            self.same("button.dead", "button", small if dealer_small else big)
        else:
            self.same("button.dead", "small_blind", old["big_blind"])
            if old["small_blind"] is not None:
                self.same("button.dead", "button", old["small_blind"])
        self.same("button.first", "first_dealer", old["first_dealer"])
        moved = old["button"] != self.data["button"]
        passed = moved and reaches(old["button"], self.data["button"], old["first_dealer"])
        self.same("escalation", "orbits", old["orbits"] + passed)

    def first_dealer(self) -> int | None:
        """`button.first`: the first dealer, or the first starting player."""
        kind = self.rules["first_dealer"]
        if kind == "host_choice":
            return min(self.dealt)
        label = "first_dealer" if kind == "high_card" else "starter"
        draws = self.deal.draws("draws", label)
        if draws is None:
            return None
        if kind == "random":
            return sorted(self.dealt)[draws.below(len(self.dealt))]
        deck = draws.shuffled(self.deal.deck)
        due: list[Json] = []
        tied = sorted(self.dealt)
        while len(tied) > 1:
            cards = {seat: deck.pop(0) for seat in tied}
            due += [{"card": card, "seat": seat} for seat, card in cards.items()]
            values = {seat: value_of(card) for seat, card in cards.items()}
            tied = [seat for seat in tied if values[seat] == max(values.values())]
        self.same("button.first", "first_dealer_draws", due)
        return tied[0]

    def check_blinds(self) -> None:
        small = big = None
        if self.rules["forced"]["kind"] == "blinds":
            if self.rules["button"] == "dead" and not (self.first and self.continues):
                return
            order = clockwise(self.dealt, self.data["button"])
            small, big = order[0], order[1]
            if len(order) == 2 and self.rules["headsup"] == "dealer_small_blind":
                small, big = big, small
        self.same("forced.blinds", "small_blind", small)
        self.same("forced.blinds", "big_blind", big)

    # -- levels

    def check_level(self) -> None:
        kind = self.rules["escalation"]["kind"]
        if kind == "levels":
            self.check_listed_level()
            return
        amounts = self.first_amounts()
        if self.first:
            self.same("escalation.merged" if self.table.floor else "escalation", "base", amounts)
        else:
            assert self.table.before is not None
            old = self.table.before.data
            self.same("escalation", "base", old["base"])
            amounts = old["base"]
            if kind == "double_per_orbit":
                amounts = {name: value * 2 ** self.data["orbits"] for name, value in amounts.items()}
            elif kind == "ante_by_players":
                inc = self.rules["escalation"]["inc"]
                players = sum(seat["stack"] > 0 for seat in self.data["seats"])
                grown = old["level"]["amounts"]["ante"] + inc.get(str(players), inc.get("*", 0))
                amounts = amounts | {"ante": grown}
        found = self.data["level"]["amounts"]
        self.table.given.same(self.event, "escalation", "amounts in force", found, amounts)

    def check_listed_level(self) -> None:
        """`escalation.levels`: of a list, by the hands of this table or by the tournament's clock."""
        terms, level = self.rules["escalation"], self.data["level"]
        if terms["by"] == "clock":
            self.check_clock_level()
            return
        if self.first and self.table.floor is not None:
            self.table.given.report.skip("levels by hands at a merged table")
            return
        step, since = 1, 1
        if self.table.before is not None:
            old = self.table.before.data["level"]
            step, since = old["number"], old["since_hand"]
            length = terms["levels"][step - 1]["length"]
            if length is not None and self.data["number"] - since >= length:
                step, since = min(step + 1, len(terms["levels"])), self.data["number"]
        listed = terms["levels"][step - 1]
        amounts = {name: listed[name] for name in ("ante", "big", "small")}
        found = [level["number"], level["amounts"]]
        same = self.table.given.same
        same(self.event, "escalation.levels", "level and amounts", found, [step, amounts])

    def check_clock_level(self) -> None:
        """`levels.clock`: what the tournament's stream had put into force when the hand was opened."""
        if self.table.tournament is None:
            return
        version = self.data["tournament_version"]
        kinds = ("clock_started", "level_raised")
        raised = [event for event in self.table.tournament.events if event.type in kinds]
        in_force = [event.data for event in raised if event.version <= version]
        found = [self.data["level"]["number"], self.data["level"]["amounts"]]
        due = [in_force[-1]["level"], in_force[-1]["amounts"]] if in_force else None
        self.table.given.same(self.event, "levels.clock", "level and amounts", found, due)

    def check_end(self) -> None:
        """`finish.each_dealt_once`, `finish.hands_max`: who still has to deal, and which hand is the last."""
        tournament = self.table.tournament
        end = self.rules["end"]
        once = end["kind"] == "each_dealt_once"
        if once:
            due = self.dealt
            if self.table.before is not None:
                here = {seat["seat"]: seat["entrant"] for seat in self.data["seats"]}
                old = self.table.before.data
                sat = {seat["seat"]: seat["entrant"] for seat in old["seats"]}
                due = [seat for seat in old["dealers_left"] if here.get(seat) == sat.get(seat)]
            due = [seat for seat in due if seat != self.data["button"]]
            self.same("finish.each_dealt_once", "dealers_left", due)
        if tournament is None or self.data["stage"] != 1 or tournament.closes_otherwise():
            return
        most = tournament.terms["hands_max"] or end.get("hands")
        last = (once and not self.data["dealers_left"]) or bool(most and self.data["number"] >= most)
        rule = "finish.each_dealt_once" if once else "finish.hands_max"
        self.same(rule, "last", last)

    def first_amounts(self) -> Json:
        if self.table.floor is not None:
            return self.table.floor
        forced = self.rules["forced"]
        if forced["kind"] == "blinds":
            return {"ante": forced["table_ante"], "big": forced["big"], "small": forced["small"]}
        return {"ante": forced.get("amount", 0), "big": 0, "small": 0}


def reaches(before: int, now: int, seat: int) -> bool:
    """Whether going clockwise from *before* to *now* reaches or passes *seat*."""
    if now > before:
        return before < seat <= now
    return seat > before or seat <= now


# ---------------------------------------------------------------------------------------------------------------
# 8 Rules, a tournament: rulebook 13 and 19
# ---------------------------------------------------------------------------------------------------------------

# What makes placings or payouts follow other rules than those checked here.
BEYOND = {
    "hand_for_hand_started",
    "rebuy_window_opened",
    "rebuy_taken",
    "rebuy_declared",
    "entrant_disqualified",
    "payout_deal_made",
    "result_corrected",
    "item_staked",
    "entrant_cashed_out",
    "add_on_taken",
    "round_seated",
    "late_registration_opened",
    "stack_removed",
}


# Events of a tournament that are checked, or that have nothing which could be.
PLAIN = {
    "tournament_announced",
    "registration_opened",
    "entrant_registered",
    "entrant_withdrawn",
    "registration_closed",
    "seats_drawn",
    "play_started",
    "tournament_paused",
    "tournament_resumed",
    "clock_started",
    "clock_stopped",
    "level_raised",
    "entrant_busted",
    "entrant_eliminated",
    "entrant_knocked_out",
    "entrants_moved",
    "table_broken",
    "tournament_finished",
    "entropy_committed",
    "entropy_opened",
    "seeds_published",
    "tables_recorded",
    "bounty_won",
    "bounty_unclaimed",
}


class Tournament:
    def __init__(self, events: list[Event], given: Evidence) -> None:
        self.events, self.given = events, given
        self.terms: Json = events[0].data
        self.id = bytes.fromhex(self.terms["tournament"][4:])
        self.masters: dict[str, bytes] = {}
        self.entrants: dict[str, Json] = {}
        self.tables: list[Table] = []
        self.beyond = {event.type for event in events} & BEYOND
        self.find_masters()

    def of(self, kind: str) -> list[Event]:
        return [event for event in self.events if event.type == kind]

    def closes_otherwise(self) -> bool:
        """Whether somebody or something else than the terms made a hand the last."""
        kinds = {"play_closing", "last_hands_called", "payout_deal_made", "tournament_cancelled"}
        return bool(kinds & {event.type for event in self.events})

    def find_masters(self) -> None:
        """Masters against their commitments in `registration_opened`."""
        finished = self.of("tournament_finished")
        for event in self.of("registration_opened"):
            for name, uses in (("cards", ("cards",)), ("open", ("dice", "draws"))):
                opened = self.given.opened.values.get((event.position, f"/{name}"))
                if name == "open" and finished:
                    shown = finished[0].data["open_master"]
                    text = "open_master is not what was sealed"
                    self.given.check(finished[0], "generator.seeds", opened in (None, shown), text)
                    opened = shown
                for published in self.of("seeds_published") if name == "cards" else []:
                    shown = published.data["cards_master"]
                    text = "what was published is not the master that was sealed"
                    self.given.check(published, "entropy.publication", opened in (None, shown), text)
                    opened = shown
                if opened is None:
                    if self.given.bundle.kind != "hand":
                        self.given.report.skip(f"the master of {name}: not opened")
                    continue
                master = bytes.fromhex(opened)
                found, due = (master_commitment(self.id, name, master).hex(), event.data[f"{name}_commitment"])
                what = f"the master {name} is not the one committed to"
                self.given.report.check("masters", found == due, event.position, "generator.seeds", what)
                for use in uses:
                    self.masters[use] = master

    def draw(self, event: Event, candidates: list[str]) -> list[str] | None:
        """What the draw that *event* names gives for *candidates*; None where the master is not opened."""
        if "draws" not in self.masters:
            self.given.report.skip("draws of seats: the master is not opened")
            return None
        draw = event.data["draw"]
        seed = seed_of(self.masters["draws"], "draws", 0, draw["number"], 1)
        return Draws(seed, draw["label"], 1, commitments_digest(self.commitments(event))).shuffled(candidates)

    def commitments(self, event: Event) -> list[bytes]:
        """`entropy.draws`: of everybody who is registered, in order of registration, out or not."""
        committed = {e.data["entrant"]: e.data["commitment"] for e in self.of("entropy_committed")}
        before = [e for e in self.events if e.version <= event.version]
        gone = {e.data["entrant"] for e in before if e.type == "entrant_withdrawn"}
        names = [e.data["entrant"] for e in before if e.type == "entrant_registered"]
        if any(e.type == "check_in_opened" for e in before):
            here = {e.data["entrant"] for e in before if e.type == "entrant_checked_in"}
            names = [name for name in names if name in here]
        return [bytes.fromhex(committed[name]) for name in names if name in committed and name not in gone]

    def check_entropy(self) -> None:
        """`entropy.commit`, `entropy.open`, `entropy.late`: each once, in their time, and what was committed to."""
        committed: dict[str, str] = {}
        opened: set[str] = set()
        drawn = min((event.version for event in self.of("seats_drawn")), default=None)
        for event in self.of("entropy_committed"):
            entrant = event.data["entrant"]
            early = entrant not in committed and (drawn is None or event.version < drawn)
            self.given.check(event, "entropy.commit", early, "committed twice, or after the draw of seats")
            committed[entrant] = event.data["commitment"]
        for event in self.of("entropy_opened"):
            entrant = event.data["entrant"]
            found = sha(b"holotable/entropy/1" + bytes.fromhex(event.data["value"])).hex()
            self.given.same(event, "entropy.open", "commitment", found, committed.get(entrant))
            in_time = entrant not in opened and drawn is not None and event.version > drawn
            self.given.check(event, "entropy.open", in_time, "opened twice, or before the draw of seats")
            late = [
                hand
                for table in self.tables
                for hand in table.events
                if hand.type == "hand_opened" and hand.position < event.position
                if any(seat["entrant"] == entrant for seat in hand.data["seats"])
            ]
            self.given.check(event, "entropy.late", not late, "opened after the first hand")
            opened.add(entrant)

    def run(self) -> None:
        for kind in sorted({event.type for event in self.events} - PLAIN):
            self.given.report.skip(f"events of type {kind} in a tournament")
        self.check_entrants()
        self.check_entropy()
        self.check_recorded()
        for event in self.of("seats_drawn"):
            self.check_seats(event)
        self.check_moves()
        self.check_busts()
        if self.beyond:
            self.given.report.skip("placings and payouts with " + ", ".join(sorted(self.beyond)))
            return
        self.check_eliminations()
        self.check_knockouts()
        self.check_bounties()
        for event in self.of("tournament_finished"):
            self.check_placings(event)
            self.check_payouts(event)

    def check_recorded(self) -> None:
        """Every table with its last hash and its hands: a table that is dropped, or cut, is missed."""
        for event in self.of("tables_recorded"):
            found = {
                entry["table"]: [entry["version"], entry["hash"], entry["hands"]] for entry in event.data["tables"]
            }
            due = {}
            for table in self.tables:
                before = [e for e in table.events if e.version <= found.get(table.id, [len(table.events)])[0]]
                hands = sum(e.type == "hand_settled" for e in before)
                due[table.id] = [before[-1].version, before[-1].leaf.hex(), hands]
            self.given.same(event, "completeness", "tables", found, due)

    def check_entrants(self) -> None:
        withdrawn = {event.data["entrant"] for event in self.of("entrant_withdrawn")}
        for place, event in enumerate(self.of("entrant_registered"), 1):
            self.given.same(event, "registration", "number", event.data["number"], place)
            self.given.check(event, "registration", event.data["entrant"] not in self.entrants, "registered twice")
            self.entrants[event.data["entrant"]] = event.data
        self.entrants = {entrant: data for entrant, data in self.entrants.items() if entrant not in withdrawn}
        for event in self.of("registration_closed"):
            self.given.same(event, "registration", "entrants", event.data["entrants"], len(self.entrants))
            few = len(self.entrants) <= self.terms["entrants_max"]
            self.given.check(event, "registration", few, "more entrants than the terms allow")

    def check_seats(self, event: Event) -> None:
        """`seating.draw`: a draw from those registered, dealt round the tables."""
        data = event.data
        drawn = data["draw"]["order"]
        entering = {event.type for event in self.events} - PLAIN - BEYOND
        if not entering:  # waiting lists and check-in decide who is drawn
            self.given.same(event, "seating.draw", "entrants", sorted(drawn), sorted(self.entrants))
        order = self.draw(event, [name for name in self.entrants if name in drawn])
        if order is not None:
            self.given.same(event, "seating.draw", "order", data["draw"]["order"], order)
        count = -(-len(drawn) // self.terms["table_seats"])
        due = {
            entrant: [place % count + 1, place // count + 1, self.terms["starting_stack"]]
            for place, entrant in enumerate(data["draw"]["order"])
        }
        found = {
            entry["entrant"]: [entry["table_number"], entry["seat"], entry["stack"]] for entry in data["assignments"]
        }
        self.given.same(event, "seating.draw", "assignments", found, due)
        for table in self.tables:
            seated = {
                entry["seat"]: [entry["entrant"], entry["stack"]]
                for entry in data["assignments"]
                if entry["table"] == table.id
            }
            opened = table.events[0]
            seats = {seat["seat"]: [seat["entrant"], seat["stack"]] for seat in opened.data["seats"]}
            self.given.same(opened, "seating.draw", "seats", seats, seated)

    def check_moves(self) -> None:
        """Draws of moves, and that who leaves one table comes to the other with the same chips."""
        left: Counter[tuple[str, int]] = Counter()
        come: Counter[tuple[str, int]] = Counter()
        for table in self.tables:
            for event in table.events:
                if event.type == "seats_vacated" and event.data["to_table"] is not None:
                    left.update((entry["entrant"], entry["stack"]) for entry in event.data["departures"])
                elif event.type == "arrivals_seated":
                    come.update((entry["entrant"], entry["stack"]) for entry in event.data["arrivals"])
        for event in self.events:
            if event.type in ("table_broken", "entrants_moved", "seats_redrawn"):
                for move in event.data["moves"]:
                    what = (move["entrant"], move["stack"])
                    self.given.check(event, "seating", come[what] > 0, f"{what[0]} did not arrive with {what[1]}")
            if event.type == "table_broken" and event.data["draw"]:
                order = self.draw(event, [entry["entrant"] for entry in event.data["candidates"]])
                if order is not None:
                    self.given.same(event, event.data["rule"], "order", event.data["draw"]["order"], order)

    def check_busts(self) -> None:
        """Every bust at a table stands in the tournament, and no other."""
        due = {
            (bust["entrant"], table.id, bust["hand_number"], bust["stack_at_start"]) for table, bust in self.all_busts()
        }
        for event in self.of("entrant_busted"):
            data = event.data
            bust = (data["entrant"], data["table"], data["hand"], data["stack_at_start"])
            sound = all(table.sound for table in self.tables)
            self.given.check(event, "elimination", bust in due or not sound, "nobody lost the last chip so")
            due.discard(bust)
        over = self.of("tournament_cancelled") or any(not table.sound for table in self.tables)
        for bust in sorted(due):
            if not over:
                self.given.check(self.events[-1], "elimination", False, f"{bust[0]} lost the last chip and is not out")

    def all_busts(self) -> list[tuple[Table, Json]]:
        return [(table, bust) for table in self.tables for _, bust in table.busts]

    def check_eliminations(self) -> None:
        """`placing.bust_order`, `placing.stack_at_start`, `placing.shared`: hand by hand, in the order of busts."""
        groups: dict[tuple[str, int], list[Json]] = {}
        for event in self.of("entrant_busted"):
            groups.setdefault((event.data["table"], event.data["hand"]), []).append(event.data)
        due: dict[str, tuple[int, int]] = {}
        left = len(self.entrants)
        for group in groups.values():
            for place, shared, names in placed({bust["entrant"]: bust["stack_at_start"] for bust in group}):
                for name in names:
                    due[name] = (left - len(group) + place, shared)
            left -= len(group)
        for event in self.of("entrant_eliminated"):
            data = event.data
            found = (data["place"], data["shared"])
            self.given.same(event, data["rule"], "place", found, due.get(data["entrant"]))
            player = self.entrants.get(data["entrant"], {}).get("player")
            self.given.same(event, "placing.bust_order", "player", data["player"], player)
        eliminated = {event.data["entrant"] for event in self.of("entrant_eliminated")}
        if not self.of("tournament_cancelled"):
            out = sorted(set(due) - eliminated)
            self.given.check(self.events[-1], "placing.bust_order", not out, f"busted and not eliminated: {out}")
        self.out = due

    def check_knockouts(self) -> None:
        """`bounty.pot`: the winners of the last pot that who is out could have won."""
        due = {name: what for table in self.tables for name, what in table.knockouts.items()}
        if any(not table.sound for table in self.tables):
            return
        for event in self.of("entrant_knocked_out"):
            data = event.data
            found = [data["table"], data["hand"], data["pot"], sorted(data["by"])]
            self.given.same(event, "bounty.pot", "who by", found, due.pop(data["entrant"], None))
        text = f"nobody is said to have knocked out {sorted(due)}"
        over = bool(self.of("tournament_finished"))
        self.given.check(self.events[-1], "bounty.pot", not due or not over, text)

    def check_bounties(self) -> None:
        """`bounty.won`, `bounty.own`: alike to those who knocked somebody out, one's own to who never was."""
        bounty = self.terms["fees"]["bounty"]
        if not bounty or not self.of("tournament_finished"):
            return
        due = {name: [name] for name in self.entrants}
        due |= {event.data["entrant"]: event.data["by"] for event in self.of("entrant_knocked_out")}
        found: dict[str, dict[str, int]] = {}
        for event in self.of("bounty_won"):
            rule = "bounty.own" if event.data["by"] == event.data["entrant"] else "bounty.won"
            self.given.same(event, "rule", "rule", event.data["rule"], rule)
            found.setdefault(event.data["entrant"], {})[event.data["by"]] = event.data["amount"]
        unclaimed = {event.data["entrant"] for event in self.of("bounty_unclaimed")}
        for name, winners in due.items():
            if name in unclaimed or not winners:
                continue
            share, odd = divmod(bounty, len(winners))
            parts = sorted([share + 1] * odd + [share] * (len(winners) - odd))
            got = found.get(name, {})
            same = self.given.same
            same(self.events[-1], "bounty.won", f"bounty of {name}", sorted(got), sorted(winners))
            same(self.events[-1], "bounty.won", f"parts of the bounty of {name}", sorted(got.values()), parts)

    def check_placings(self, event: Event) -> None:
        found = {entry["entrant"]: (entry["place"], entry["shared"]) for entry in event.data["placings"]}
        due = dict(self.out)
        rest = [name for name in self.entrants if name not in due]
        self.check_finish(event, rest)
        scores = self.final_scores(rest)
        if scores is None:
            self.given.report.skip("placings: stacks at the end could not be followed")
            return
        for place, shared, names in placed(scores):
            due |= dict.fromkeys(names, (place, shared))
        self.given.same(event, "finish.ties" if len(rest) > 1 else "placing.bust_order", "placings", found, due)
        players = {entry["entrant"]: entry["player"] for entry in event.data["placings"]}
        known = {name: self.entrants[name]["player"] for name in players if name in self.entrants}
        self.given.same(event, "registration", "players", players, known)

    def check_finish(self, event: Event, rest: list[str]) -> None:
        """That the rule which ended the tournament could end it."""
        rule = event.data["rule"]
        if rule in ("finish.last_entrant", "finish.nobody_left"):
            due = 1 if rule == "finish.last_entrant" else 0
            self.given.check(event, rule, len(rest) == due, f"{len(rest)} are left")
        elif rule in ("finish.hands_max", "finish.each_dealt_once"):
            for table in self.tables:
                if table.books and table.before is not None and table.sound:
                    ended = table.before.data["last"] or len(table.can_be_dealt()) < 2
                    self.given.check(event, rule, ended, f"table {table.number} had more to play")
        elif rule != "finish.too_few_stacks":
            self.given.report.skip(f"whether {rule} ended the tournament in time")

    def final_scores(self, entrants: list[str]) -> dict[str, Any] | None:
        """By what those left at the end are ranked, larger first."""
        scores: dict[str, Any] = {}
        counting = self.terms["ruleset"]["score"] == "hands_won"
        for table in self.tables:
            if not table.sound:
                return None
            for books in table.books.values():
                scores[books.entrant] = (books.hands_won if counting else books.stack, books.pots_won)
        return {name: scores[name] for name in entrants} if set(entrants) <= set(scores) else None

    # -- money

    def prizes(self) -> list[int]:
        """`pool`, `payouts`, `payouts.table`: what each place is worth, the first one first."""
        fees, entries = self.terms["fees"], len(self.entrants)
        unclaimed = sum(event.data["amount"] for event in self.of("bounty_unclaimed"))
        pool = max(entries * fees["buy_in"] + self.terms["prize_pool"], fees["guaranteed"]) + unclaimed
        if fees["amounts"]:
            return fixed_amounts(pool, fees["amounts"])
        shares = self.terms["payouts"]
        rows = [row for row in fees["table"] if row["entrants_from"] <= entries]
        if rows:
            shares = max(rows, key=lambda row: int(row["entrants_from"]))["shares"]
        if fees["paid_percent"] is not None:
            paid = -(-entries * fees["paid_percent"] // 100)
            shares = [shares[min(place, len(shares) - 1)] for place in range(paid)]
        return by_shares(pool, shares[:entries], fees["unit"])

    def check_payouts(self, event: Event) -> None:
        """`payouts` by shares and fixed amounts, `pool`."""
        prizes = self.prizes()
        places = [entry["place"] for entry in event.data["placings"]]
        if len(prizes) > len(places):
            self.given.report.skip("payouts of more places than there are entrants")
            return
        due = []
        for place in sorted(set(places)):
            names = [entry["entrant"] for entry in event.data["placings"] if entry["place"] == place]
            names.sort(key=lambda name: self.entrants[name]["number"])
            total = sum(prizes[place - 1 : place - 1 + len(names)])
            for turn, name in enumerate(names):
                amount = total // len(names) + (turn < total % len(names))
                if amount:
                    due.append([name, place, amount])
        found = [[entry["entrant"], entry["place"], entry["amount"]] for entry in event.data["payouts"]]
        self.given.same(event, "payouts", "payouts", sorted(found), sorted(due))
        self.given.same(event, "payouts", "currency", event.data["currency"], self.terms["currency"])


def fixed_amounts(pool: int, amounts: list[int]) -> list[int]:
    """`payouts`: what the pool has beyond them is the first place's; what it lacks the house adds."""
    return [amounts[0] + max(pool - sum(amounts), 0), *amounts[1:]]


def by_shares(pool: int, shares: list[int], unit: int) -> list[int]:
    """`payouts`: whole units; those that do not divide one each from the first place down, the rest to the first."""
    total = sum(shares)
    if not total or not pool:
        return []
    units = pool // unit
    prizes = [units * share // total for share in shares]
    for place in range(units - sum(prizes)):
        prizes[place] += 1
    prizes = [prize * unit for prize in prizes]
    prizes[0] += pool % unit
    return prizes


def placed(scores: dict[str, Any]) -> list[tuple[int, int, list[str]]]:
    """(place, how many share it, who), the largest score first."""
    found = []
    place = 1
    for score_ in sorted(set(scores.values()), reverse=True):
        names = [name for name, value in scores.items() if value == score_]
        found.append((place, len(names), names))
        place += len(names)
    return found


# ---------------------------------------------------------------------------------------------------------------
# 8 Rules, a season: rulebook 23
# ---------------------------------------------------------------------------------------------------------------


TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?)|([a-z_][a-z0-9_]*)|(<=|>=|==|!=|[-+*/(),<>]))")
COMPARE: dict[str, Callable[[Decimal, Decimal], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
DIGITS = Context(prec=50, rounding=ROUND_HALF_EVEN)


Part = Callable[[dict[str, Decimal]], Decimal]


def combined(apply: Callable[[Decimal, Decimal], Decimal], left: Part, right: Part) -> Part:
    return lambda values: apply(left(values), right(values))


class Formula:
    """`points.formula`: version 1 of the language of `docs/guides/points.md`, in decimals of 50 digits.

    A part is a function of the names' values, so that of an `if` only the branch that is taken is counted.
    """

    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        place = 0
        while text[place:].strip():
            match = TOKEN.match(text, place)
            if match is None:
                raise ValueError(f"not a formula: {text[place : place + 20]}")
            self.tokens.append(match.group().strip())
            place = match.end()
        self.next = 0
        self.whole = self.sum()
        if self.next != len(self.tokens):
            raise ValueError("not a formula: something follows its end")

    def value(self, names: dict[str, Decimal]) -> Decimal:
        with localcontext(DIGITS):
            return self.whole(names)

    def peek(self) -> str:
        return self.tokens[self.next] if self.next < len(self.tokens) else ""

    def take(self, due: str = "") -> str:
        found = self.peek()
        if not found or (due and found != due):
            raise ValueError(f"not a formula: {due or 'something'} is due")
        self.next += 1
        return found

    def sum(self) -> Part:
        left = self.product()
        while self.peek() in ("+", "-"):
            apply = operator.add if self.take() == "+" else operator.sub
            left = combined(apply, left, self.product())
        return left

    def product(self) -> Part:
        left = self.signed()
        while self.peek() in ("*", "/"):
            apply = operator.mul if self.take() == "*" else operator.truediv
            left = combined(apply, left, self.signed())
        return left

    def signed(self) -> Part:
        if self.peek() in ("+", "-"):
            sign, part = self.take(), self.signed()
            return (lambda v: -part(v)) if sign == "-" else part
        return self.single()

    def single(self) -> Part:
        token = self.take()
        if token == "(":
            part = self.sum()
            self.take(")")
            return part
        if token[0].isdigit():
            number = Decimal(token)
            return lambda v: number
        if self.peek() != "(":
            return lambda v: v[token]
        return self.call(token)

    def call(self, name: str) -> Part:
        self.take("(")
        parts = [self.sum()]
        compare = COMPARE[self.take()] if name == "if" else None
        if compare is not None:
            parts.append(self.sum())
        while self.peek() == ",":
            self.take()
            parts.append(self.sum())
        self.take(")")
        if compare is not None:
            a, b, yes, no = parts
            return lambda v: yes(v) if compare(a(v), b(v)) else no(v)
        functions: dict[str, Callable[..., Decimal]] = {
            "sqrt": lambda x: x.sqrt(),
            "ln": lambda x: x.ln(),
            "log10": lambda x: x.log10(),
            "exp": lambda x: x.exp(),
            "floor": lambda x: x.to_integral_value(rounding=ROUND_FLOOR),
            "pow": lambda x, y: x**y,
            "min": min,
            "max": max,
        }
        return lambda v: functions[name](*(part(v) for part in parts))


class Season:
    def __init__(self, events: list[Event], given: Evidence, tournaments: dict[str, Tournament]) -> None:
        self.events, self.given, self.tournaments = events, given, tournaments
        self.terms: Json = events[0].data

    def run(self) -> None:
        checks = {"points_awarded": self.check_points, "bonuses_awarded": self.check_bonuses}
        for event in self.events:
            if event.type == "tournaments_recorded":
                self.check_recorded(event)
                continue
            check = checks.get(event.type)
            if check is not None:
                guarded(self.given.report, event.type, lambda run=check, e=event: run(e), event.position)
            elif event.type not in ("season_opened", "season_scheduled") and not event.type.startswith("fixture"):
                self.given.report.skip(f"events of type {event.type} in a season")

    def check_recorded(self, event: Event) -> None:
        for entry in event.data["tournaments"]:
            tournament = self.tournaments.get(entry["tournament"])
            heads = {e.version: e.leaf.hex() for e in tournament.events} if tournament else {}
            found = heads.get(entry["version"])
            self.given.same(event, "completeness", f"head of {entry['tournament']}", entry["hash"], found)

    def check_points(self, event: Event) -> None:
        """`points.places_from_end`, `points.table`, `points.formula`: what places are worth; shared ones average."""
        tournament = self.tournaments.get(event.data["tournament"])
        finished = tournament.of("tournament_finished") if tournament else []
        if tournament is None or not finished:
            self.given.check(event, "completeness", False, "points for a tournament that is not finished here")
            return
        rules = {"places_from_end": "points.places_from_end", "points_table": "points.table"}
        rule = rules.get(self.terms["points"]["type"], "points.formula")
        self.given.same(event, "rule", "rule", event.data["rule"], rule)
        placings = finished[0].data["placings"]
        best: dict[str, Json] = {}
        for entry in sorted(placings, key=lambda entry: -entry["place"]):
            best[entry["player"]] = entry
        self.check_field(event, tournament, len(placings))
        knockouts = self.knockouts(tournament)
        awards = {award["player"]: award for award in event.data["awards"]}
        self.given.same(event, rule, "players", sorted(awards), sorted(best))
        for player, entry in best.items():
            award = awards.get(player)
            if award is None:
                continue
            found = [award["entrant"], award["place"], award["shared"], award["knockouts"]]
            due = [entry["entrant"], entry["place"], entry["shared"], knockouts[player]]
            self.given.same(event, rule, "entrant, place and knockouts", found, due)
            points = self.points_of(event, award, len(placings))
            self.given.same(event, rule, f"points of {player}", award["points"], points)

    def check_field(self, event: Event, tournament: Tournament, entrants: int) -> None:
        """What a formula may ask of the tournament, as it follows from its terms and entrants."""
        fees = tournament.terms["fees"]
        if tournament.beyond or fees["guaranteed"] or fees["bounty"] or event.data["field"] is None:
            return
        entries = len(tournament.entrants)
        pool = entries * fees["buy_in"] + tournament.terms["prize_pool"]
        due = {"buy_in": fees["buy_in"], "entrants": entrants, "entries": entries, "pool": pool}
        found = {name: event.data["field"][name] for name in due}
        self.given.same(event, "points.formula", "field", found, due)
        spent = fees["buy_in"] + fees["fee"]
        entered = Counter(entrant["player"] for entrant in tournament.entrants.values())
        for award in event.data["awards"]:
            due_spent = spent * entered[award["player"]]
            self.given.same(event, "points.formula", "spent", award["spent"], due_spent)

    def knockouts(self, tournament: Tournament) -> Counter[str]:
        """How many each player knocked out."""
        found: Counter[str] = Counter()
        for event in tournament.of("entrant_knocked_out"):
            found.update(tournament.entrants[name]["player"] for name in event.data["by"])
        return found

    def points_of(self, event: Event, award: Json, entrants: int) -> str:
        terms, scale = self.terms["points"], self.terms["scale"]
        places = range(award["place"], award["place"] + award["shared"])
        if terms["type"] != "points_formula":
            worth = [self.worth(place, entrants) for place in places]
            return decimal_text(sum(worth, Fraction(0)) / len(worth), scale)
        field_ = event.data["field"]
        money = Decimal(10) ** field_["money_digits"]
        names = {name: Decimal(field_[name]) / money for name in ("buy_in", "pool")}
        names |= {"spent": Decimal(award["spent"]) / money, "knockouts": Decimal(award["knockouts"])}
        names |= {"n": Decimal(field_["entrants"]), "entries": Decimal(field_["entries"])}
        formula = Formula(terms["text"])
        try:
            values = [formula.value(names | {"k": Decimal(place)}) for place in places]
            with localcontext(DIGITS):
                mean = sum(values, Decimal(0)) / len(values)
            if abs(mean) > 10**12:
                raise Overflow
        except ArithmeticError:
            has = award["failure"] is not None
            self.given.check(event, "points.formula_failed", has, "a formula without a value, and no reason for 0")
            return decimal_text(Fraction(0), scale)
        self.given.check(event, "points.formula_failed", award["failure"] is None, "the formula has a value")
        return decimal_text(Fraction(mean), scale)

    def worth(self, place: int, entrants: int) -> Fraction:
        terms = self.terms["points"]
        if terms["type"] == "places_from_end":
            return Fraction(terms["per_place"]) * (entrants - place + 1)
        return Fraction(terms["points"][place - 1]) if place <= len(terms["points"]) else Fraction(0)

    def check_bonuses(self, event: Event) -> None:
        """`points.bonus`: for each knockout, or for having played, each an entry of its own."""
        tournament = self.tournaments[event.data["tournament"]]
        knockouts = self.knockouts(tournament)
        due = []
        for bonus in self.terms["bonuses"]:
            for player in {entrant["player"] for entrant in tournament.entrants.values()}:
                times = 1 if bonus["kind"] == "attendance" else knockouts[player]
                if times:
                    points = decimal_text(Fraction(bonus["points"]) * times, self.terms["scale"])
                    due.append([player, bonus["kind"], points])
        found = [[bonus["player"], bonus["kind"], bonus["points"]] for bonus in event.data["bonuses"]]
        self.given.same(event, "points.bonus", "bonuses", sorted(found), sorted(due))


def decimal_text(value: Fraction, scale: int) -> str:
    """*value* rounded half to even at exactly *scale* digits."""
    number = round(value * 10**scale)
    sign, digits = "-" if number < 0 else "", str(abs(number)).rjust(scale + 1, "0")
    return sign + (f"{digits[:-scale]}.{digits[-scale:]}" if scale else digits)


class Rules:
    """Sections 7 and 8 over the whole bundle."""

    def __init__(self, bundle: Bundle, opened: Opened, report: Report) -> None:
        self.bundle, self.report = bundle, report
        self.given = Evidence(bundle, opened, report)

    def run(self) -> None:
        streams = self.bundle.streams()
        tournaments: dict[str, Tournament] = {}
        for stream, events in streams.items():
            if stream.startswith("tournament-") and events[0].type == "tournament_announced":
                guarded(self.report, "tournament_announced", lambda e=events: self.add(e, tournaments))
        for stream, events in streams.items():
            if stream.startswith("table-") and events[0].type == "table_opened":
                guarded(self.report, "table_opened", lambda e=events: self.table(e, tournaments))
        for tournament in tournaments.values():
            if self.bundle.kind != "hand":
                guarded(self.report, "tournament", tournament.run, tournament.events[0].position)
        for stream, events in streams.items():
            if stream.startswith("season-") and events[0].type == "season_opened":
                guarded(self.report, "season", Season(events, self.given, tournaments).run)

    def add(self, events: list[Event], tournaments: dict[str, Tournament]) -> None:
        tournaments[events[0].data["tournament"]] = Tournament(events, self.given)

    def table(self, events: list[Event], tournaments: dict[str, Tournament]) -> None:
        tournament = tournaments.get(events[0].data["tournament"])
        table = Table(events, self.given, tournament)
        if tournament is not None:
            tournament.tables.append(table)
        table.run()


# ---------------------------------------------------------------------------------------------------------------
# The whole
# ---------------------------------------------------------------------------------------------------------------


def verify(raw: bytes, keys: list[PublicKey]) -> Report:
    """Every check of bundle.md 3, in its order; Unreadable if the form, the note or the tree has another shape."""
    report = Report()
    bundle = read_bundle(raw)
    size, root = check_signature(bundle, keys, report)
    check_hashes(bundle, size, root, report)
    check_chain(bundle, report)
    guarded(report, "completeness", Completeness(bundle, report).run)
    opened = check_openings(bundle, report)
    Rules(bundle, opened, report).run()
    return report


def guarded(report: Report, what: str, run: Any, position: int | None = None) -> None:
    """*run*; what it cannot read in the events is a difference, never a crash that hides others."""
    try:
        run()
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        report.differ(position, what, f"an event has not the shape it needs: {type(error).__name__}: {error}")


def print_report(report: Report) -> None:
    for position, rule, text in report.differences:
        where = "        -" if position is None else f"{position:>9}"
        print(f"{where}  {rule}: {text}")
    print("checked:")
    for what, count in sorted(report.checked.items()):
        print(f"{count:>9}  {what}")
    if report.unchecked:
        print("not checked in this bundle:")
    for what, count in sorted(report.unchecked.items()):
        print(f"{count:>9}  {what}")
    print("never checked by this program:")
    for what in NEVER_CHECKED:
        print(f"        -  {what}")
    count = len(report.differences)
    verdicts = {
        PASS: "PASS: signed by a key that was given, and nothing differs",
        DIFFERENT: f"FAIL: {count} difference{'s' if count != 1 else ''}",
        UNREADABLE: f"NOT AUTHENTIC: no key that was given vouches for this; {count} differences besides or because",
        INCOMPLETE: "NO PASS: nothing differs, but not everything could be checked",
    }
    print(verdicts[report.status()])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Check a Holotable bundle without Holotable.")
    parser.add_argument("file", help="the bundle")
    parser.add_argument("--key", action="append", default=[], help="a signer's public key: name+id+key")
    parser.add_argument("--keys", metavar="FILE", help="public keys, one a line")
    options = parser.parse_args(arguments)
    try:
        texts = list(options.key)
        if options.keys:
            with open(options.keys, encoding="utf-8") as lines:
                texts += [line for line in lines if line.strip() and not line.startswith("#")]
        with open(options.file, "rb") as file:
            raw = file.read()
        report = verify(raw, [read_key(text) for text in texts])
    except (Unreadable, OSError, UnicodeDecodeError) as error:
        print(f"UNREADABLE: {error}")
        return UNREADABLE
    print_report(report)
    return report.status()


if __name__ == "__main__":
    sys.exit(main())
