#!/usr/bin/env python3
"""
Check a Holotable bundle without Holotable.

    python verify.py FILE --key 'name+id+key'
    python verify.py FILE --keys FILE-WITH-ONE-KEY-A-LINE

This is one long file on purpose. An auditor downloads it, checks its digest and runs it, with nothing to
install and nothing else to trust. Read it from top to bottom: the sections follow section 3 of
`api-spec/bundle.md`, and a bundle passes through them in this order:

    1 form    2 signature    3 hashes    4 chain    5 completeness    6 openings    7 deals    8 rules

It is written only from `docs/rulebook.md` and `api-spec/bundle.md`, and shares no code with the engine.

It needs only the standard library of Python 3.11 or newer. It prints every difference with the position of
its event and the name of its rule. Exit status: 0 if everything was checked and holds; 1 if there are
differences; 2 if the bundle cannot be read, or no given key signed it; 3 if nothing differs, but part of it
could not be checked.
"""

from __future__ import annotations

import argparse
import base64
import bisect
import hashlib
import hmac
import itertools
import json
import math
import operator
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal, Overflow, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Any, NoReturn

Json = dict[str, Any]

PASS, DIFFERENT, UNREADABLE, INCOMPLETE = 0, 1, 2, 3

# Things that no bundle is checked for. The documents do not say enough about them, or they do not affect hands and
# results.
NEVER_CHECKED = [
    "members of events that no check below reads (their JSON Schemas are in api-spec/events)",
    "the boxes and the metadata whose hashes are in the chain",
    "that a hand's bundle leaves out nothing at its end, which only the next hand would show",
    "which tables were between hands when somebody was moved, and so if another move was due",
    "the order in which the hands of away seats are killed",
    "if an event that only time causes (a start, an offer's end, a break) came at its instant",
    "ratings, and statements of staff: announcements, warnings, and payments that they say they saw",
]


class Unreadable(Exception):
    """The file is not a bundle in its one canonical form."""


class Lost(Exception):
    """A hand departed from the rules, so the rest of it cannot be compared."""


@dataclass
class Report:
    """The comparisons made and the differences found. Positions are those of the league's log."""

    differences: list[tuple[int | None, str, str]] = field(default_factory=list)
    checked: Counter[str] = field(default_factory=Counter)
    unchecked: Counter[str] = field(default_factory=Counter)
    voided: list[str] = field(default_factory=list)  # voided events, as they are printed
    authentic: bool = False

    def differ(self, position: int | None, rule: str, text: str) -> None:
        self.differences.append((position, rule, text))

    def check(self, what: str, holds: bool, position: int | None, rule: str, text: str) -> bool:
        """Count one comparison under *what*, and record the difference if it does not hold."""
        self.checked[what] += 1
        if not holds:
            self.differ(position, rule, text)
        return holds

    def same(
        self, what: str, found: object, due: object, position: int | None, rule: str, name: str
    ) -> bool:
        holds = found == due
        # Nearly all comparisons hold, so their texts are only built when needed.
        text = "" if holds else f"{name}: found {short(found)}, expected {short(due)}"
        return self.check(what, holds, position, rule, text)

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
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{6})?Z", re.ASCII)
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
    "withheld": {"line", "position", "stream", "version", "hash"},
    "voided": {"line", "position", "stream", "version", "hash", "entry"},
    "leaves": {"line", "position", "hashes"},
    "opening": {"line", "position", "pointer", "salt", "value"},
    "signature": {"line", "position", "by", "key", "signature"},
    "end": {"line", "lines", "sha256"},
}
ORDER = list(MEMBERS)
FORMATS = ["holotable/bundle/1", "holotable/bundle/2", "holotable/bundle/3"]
# The first format that has lines of this kind.
SINCE = {"leaves": 2, "withheld": 3, "voided": 3, "signature": 3}


@dataclass
class Event:
    """One event line. *leaf* and *chain* are the hashes of section 3."""

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
class Withheld:
    """The place and the hash of an event that the viewer may not read."""

    position: int
    stream: str
    version: int
    leaf: bytes


@dataclass
class Entry:
    """The parts of a damaged event as they are stored. *data* may be anything."""

    stream: str
    version: int
    id: bytes
    type: str
    schema_version: int
    at: int
    data: bytes
    metadata: bytes
    sealed: bytes | None


@dataclass
class OutOfFolding:
    """The place of a voided event and the hash stored with it. *entry* is for auditors."""

    position: int
    stream: str
    version: int
    leaf: bytes
    entry: Entry | None


Link = Event | Withheld | OutOfFolding  # lines that have a place in a stream


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
    format: int = 1
    leaves: dict[int, list[bytes]] = field(
        default_factory=dict
    )  # by the position of the event that commits to the pile
    withheld: list[Withheld] = field(default_factory=list)
    signatures: int = 0  # signatures of players on their actions
    voided: list[OutOfFolding] = field(default_factory=list)

    def by_leaves(self) -> bool:
        """True if decks are checked by their leaves: since format 2, except for an auditor."""
        return self.format > 1 and self.viewer != "auditor"

    def streams(self) -> dict[str, list[Event]]:
        found: dict[str, list[Event]] = {}
        for event in self.events:
            found.setdefault(event.stream, []).append(event)
        return found

    def withheld_in(self, stream: str) -> list[Withheld]:
        return [each for each in self.withheld if each.stream == stream]

    def voided_in(self, stream: str) -> list[OutOfFolding]:
        return [each for each in self.voided if each.stream == stream]

    def chains(self) -> dict[str, list[Link]]:
        """Return the lines of each stream by position, including withheld and voided events."""
        found: dict[str, list[Link]] = {}
        links: list[Link] = [*self.events, *self.withheld, *self.voided]
        for link in sorted(links, key=lambda each: each.position):
            found.setdefault(link.stream, []).append(link)
        return found

    def heads(self, events: list[Event]) -> dict[int, str]:
        """
        Return the hash of every event in the stream of *events*, by version, including withheld and voided events.
        """
        stream = events[0].stream
        links: list[Link] = [*events, *self.withheld_in(stream), *self.voided_in(stream)]
        return {link.version: link.leaf.hex() for link in links}


def gapless(links: list[Link], version: int) -> bool:
    """True if the versions of *links* count on from *version*. At a voided event they may leap."""
    for link in links:
        if link.version != version + 1 and not isinstance(link, OutOfFolding):
            return False
        version = link.version
    return True


def _no_float(text: str) -> NoReturn:
    raise Unreadable(f"a number is not a whole number: {text[:40]}")


def _integer(text: str) -> int:
    if len(text) <= 17 and -LARGEST <= (number := int(text)) <= LARGEST:
        return number
    raise Unreadable(f"a number is out of range: {text[:40]}")


@lru_cache(maxsize=4_096)  # Every line repeats the same few names.
def _is_key(text: str) -> bool:
    return KEY.fullmatch(text) is not None


def _object(pairs: list[tuple[str, Any]]) -> Json:
    for key, _ in pairs:
        if not _is_key(key):
            raise Unreadable(f"a key is not allowed: {key[:40]!r}")
    return dict(pairs)


DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_no_float, parse_int=_integer, parse_constant=_no_float
)
ENCODER = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
)


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
        raise Unreadable(f"line {number}: it has a control character")
    if (
        not isinstance(value, dict)
        or value.get("line") not in MEMBERS
        or set(value) != MEMBERS[value["line"]]
    ):
        raise Unreadable(f"line {number}: no kind of line has these members")
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
    """Return an instant as microseconds since 1970. It has exactly one valid form."""
    if INSTANT.fullmatch(text) is None or text.endswith(".000000Z"):
        raise ValueError(f"this is not an instant: {text[:40]}")
    moment = datetime.fromisoformat(text)
    return (moment - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(microseconds=1)


def read_bundle(raw: bytes) -> Bundle:
    """Parse *raw* after checking its digest, its order and the form of each line."""
    lines = raw.split(b"\n")
    if len(lines) < 4 or lines[-1] != b"":
        raise Unreadable("the last line has no end, or there are too few lines")
    lines.pop()
    end = decode_line(lines[-1], len(lines))
    before = raw[: len(raw) - len(lines[-1]) - 1]
    if end["line"] != "end" or end["lines"] != len(lines) - 1 or type(end["lines"]) is not int:
        raise Unreadable("the last line has another number of lines")
    if end["sha256"] != sha(before).hex():
        raise Unreadable("the last line names another digest of the lines before it")
    values = [decode_line(line, number) for number, line in enumerate(lines[:-1], 1)]
    kinds = [ORDER.index(value["line"]) for value in values]
    count = Counter(value["line"] for value in values)
    ones = (
        count["head"] == 1
        and count["checkpoint"] == 1
        and count["event"] >= 1
        and count["end"] == 0
    )
    if kinds != sorted(kinds) or not ones:
        raise Unreadable("the lines are not in order")
    head = read_head(values[0])
    late = [
        kind
        for kind, since in SINCE.items()
        if count[kind] and FORMATS.index(head["format"]) + 1 < since
    ]
    if late:
        raise Unreadable(f"this format has no such lines: {late}")
    by_kind: dict[str, list[tuple[int, Json]]] = {name: [] for name in MEMBERS}
    for number, value in enumerate(values, 1):
        by_kind[value["line"]].append((number, value))
    note = values[1]["note"]
    need(
        isinstance(note, list) and all(isinstance(line, str) and "\n" not in line for line in note),
        2,
        "no note",
    )
    return Bundle(
        head["kind"],
        head["subject"],
        bytes.fromhex(head["league"][4:]),
        head["viewer"],
        note,
        read_nodes(by_kind["node"]),
        read_events(by_kind["event"]),
        read_openings(by_kind["opening"]),
        FORMATS.index(head["format"]) + 1,
        read_leaves(by_kind["leaves"], head),
        read_withheld(by_kind["withheld"], head),
        read_signatures(by_kind["signature"]),
        read_voided(by_kind["voided"], head),
    )


def read_head(head: Json) -> Json:
    need(head["format"] in FORMATS, 1, "another format")
    need(head["kind"] in SUBJECTS, 1, "the bundle does not say what it is of")
    prefix = SUBJECTS[head["kind"]]
    need(
        matches(re.compile(prefix + "_[0-9a-f]{32}"), head["subject"]),
        1,
        "the subject has another kind",
    )
    need(matches(re.compile("lge_[0-9a-f]{32}"), head["league"]), 1, "no league")
    need(matches(re.compile("public|auditor|ent_[0-9a-f]{32}"), head["viewer"]), 1, "no viewer")
    return head


def read_nodes(lines: list[tuple[int, Json]]) -> dict[tuple[int, int], bytes]:
    nodes: dict[tuple[int, int], bytes] = {}
    reached = 0
    for number, value in lines:
        first, end = value["first"], value["end"]
        need(
            whole(first, reached) and whole(end, first + 1),
            number,
            "nodes are out of order or overlap",
        )
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
        need(
            isinstance(data, dict) and data.get("type") == value["type"],
            number,
            "the data have another type",
        )
        try:
            at = microseconds(value["at"])
        except (TypeError, ValueError) as error:
            raise Unreadable(f"line {number}: {error}") from None
        sealed, previous = (
            value[name] and bytes.fromhex(value[name]) for name in ("sealed", "previous")
        )
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


def read_leaves(lines: list[tuple[int, Json]], head: Json) -> dict[int, list[bytes]]:
    """Parse the leaves of piles: since format 2, and not for an auditor."""
    leaves: dict[int, list[bytes]] = {}
    last = -1
    for number, value in lines:
        need(head["viewer"] != "auditor", number, "this bundle may have no leaves")
        need(whole(value["position"], last + 1), number, "leaves are out of order")
        last, hashes = value["position"], value["hashes"]
        need(
            isinstance(hashes, list) and all(matches(HEX64, each) for each in hashes),
            number,
            "no hashes",
        )
        leaves[last] = [bytes.fromhex(each) for each in hashes]
    return leaves


def read_withheld(lines: list[tuple[int, Json]], head: Json) -> list[Withheld]:
    """Parse the events that the viewer may not read. Nothing is withheld from an auditor."""
    withheld: list[Withheld] = []
    last = -1
    for number, value in lines:
        need(head["viewer"] != "auditor", number, "something is withheld from an auditor")
        need(whole(value["position"], last + 1), number, "withheld events are out of order")
        last = value["position"]
        need(
            matches(STREAM, value["stream"]) and whole(value["version"], 1),
            number,
            "not a place in a stream",
        )
        need(matches(HEX64, value["hash"]), number, "no hash")
        withheld.append(
            Withheld(last, value["stream"], value["version"], bytes.fromhex(value["hash"]))
        )
    return withheld


def read_voided(lines: list[tuple[int, Json]], head: Json) -> list[OutOfFolding]:
    """Parse the voided events. Their parts are for auditors."""
    voided: list[OutOfFolding] = []
    last = -1
    for number, value in lines:
        need(whole(value["position"], last + 1), number, "voided events are out of order")
        last = value["position"]
        in_stream = matches(STREAM, value["stream"]) and whole(value["version"], 1)
        need(in_stream, number, "not a place in a stream")
        need(matches(HEX64, value["hash"]), number, "no hash")
        shown = value["entry"] is not None
        need(shown == (head["viewer"] == "auditor"), number, "only an auditor's bundle has entries")
        entry = read_entry(value, number) if shown else None
        leaf = bytes.fromhex(value["hash"])
        voided.append(OutOfFolding(last, value["stream"], value["version"], leaf, entry))
    return voided


def read_entry(line: Json, number: int) -> Entry:
    """Parse the parts of a damaged event. Only their form is checked."""
    entry = line["entry"]
    members = {"id", "type", "schema_version", "at", "data", "metadata", "sealed"}
    need(isinstance(entry, dict) and set(entry) == members, number, "these are not the parts of an event")
    need(matches(HEX32, entry["id"]) and isinstance(entry["type"], str), number, "no id or type")
    need(type(entry["schema_version"]) is int, number, "no schema version")
    need(matches(HEX64, entry["metadata"]), number, "no hash of the metadata")
    sealed = entry["sealed"]
    need(sealed is None or matches(HEX64, sealed), number, "no hash: sealed")
    try:
        at, data = microseconds(entry["at"]), base64.b64decode(entry["data"], validate=True)
    except (TypeError, ValueError) as error:
        raise Unreadable(f"line {number}: {error}") from None
    need(base64.b64encode(data).decode() == entry["data"], number, "base64 in another form")
    return Entry(
        line["stream"],
        line["version"],
        bytes.fromhex(entry["id"]),
        entry["type"],
        entry["schema_version"],
        at,
        data,
        bytes.fromhex(entry["metadata"]),
        sealed and bytes.fromhex(sealed),
    )


def read_signatures(lines: list[tuple[int, Json]]) -> int:
    """Return the number of players' signatures. The signed text is not defined yet."""
    last = -1
    for number, value in lines:
        need(whole(value["position"], last + 1), number, "signatures are out of order")
        last = value["position"]
        need(matches(re.compile("ent_[0-9a-f]{32}"), value["by"]), number, "a signature names no signer")
        need(
            isinstance(value["key"], str) and isinstance(value["signature"], str),
            number,
            "no signature",
        )
    return len(lines)


def read_openings(lines: list[tuple[int, Json]]) -> dict[tuple[int, str], tuple[bytes, Any]]:
    openings: dict[tuple[int, str], tuple[bytes, Any]] = {}
    last: tuple[int, bytes] = (-1, b"")
    for number, value in lines:
        need(
            whole(value["position"]) and isinstance(value["pointer"], str), number, "an opening names no place"
        )
        place = (value["position"], value["pointer"].encode())
        need(place > last, number, "openings are out of order")
        last = place
        need(matches(HEX64, value["salt"]), number, "no salt")
        openings[value["position"], value["pointer"]] = (
            bytes.fromhex(value["salt"]),
            value["value"],
        )
    return openings


# ---------------------------------------------------------------------------------------------------------------
# 2 Signature: Ed25519 (RFC 8032) on a C2SP checkpoint
# ---------------------------------------------------------------------------------------------------------------

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)
Point = tuple[
    int, int, int, int
]  # extended coordinates X, Y, Z, T with x = X/Z, y = Y/Z, x*y = T/Z


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
    """Verify a signature by RFC 8032, 5.1.7."""
    if len(public) != 32 or len(signature) != 64:
        return False
    a, r = point_decompress(public), point_decompress(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    challenge = (
        int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % L
    )
    left, right = point_mul(s, BASE), point_add(r, point_mul(challenge, a))
    same_x = (left[0] * right[2] - right[0] * left[2]) % P == 0
    return same_x and (left[1] * right[2] - right[1] * left[2]) % P == 0


@dataclass(frozen=True)
class PublicKey:
    """A signed note's verifier key: a name, the first four bytes of its hash, and the Ed25519 key."""

    name: str
    id: bytes
    key: bytes


def read_key(text: str) -> PublicKey:
    """Parse `name+id+key`: a name, 8 hexadecimal digits, and base64 of 0x01 and the key."""
    name, _, rest = text.strip().partition("+")
    number, _, encoded = rest.partition("+")
    try:
        raw = base64.b64decode(encoded, validate=True)
        identity = bytes.fromhex(number)
    except ValueError:
        raise Unreadable(f"this is not a key: {text[:60]}") from None
    due = f"{name}+{identity.hex()}+{base64.b64encode(raw).decode()}"
    in_form = due == text.strip() and bool(name) and not any(sign.isspace() for sign in name)
    ours = len(raw) == 33 and raw[0] == 1 and sha(name.encode() + b"\n" + raw)[:4] == identity
    if not in_form or not ours:
        raise Unreadable(f"this is not an Ed25519 key in the form name+id+key: {text[:60]}")
    return PublicKey(name, identity, raw[1:])


def check_signature(bundle: Bundle, keys: list[PublicKey], report: Report) -> tuple[int, bytes]:
    """Return the checkpoint's tree size and root. *report* records whether a given key signed it."""
    note = bundle.note
    league = bundle.league.hex()
    dashed = f"{league[:8]}-{league[8:12]}-{league[12:16]}-{league[16:20]}-{league[20:]}"
    origin = re.compile(f"holotable/(?:{league}|{dashed})" + r"/(?:0|[1-9][0-9]*)")
    blank = max((number for number, line in enumerate(note[:-1]) if line == ""), default=0)
    # More lines may follow these three. They are signed too, but their content is not checked.
    if blank < 3 or "" in note[:blank] or len(note) < blank + 3 or note[-1] != "":
        raise Unreadable("the checkpoint is not a signed note of at least three lines")
    if origin.fullmatch(note[0]) is None:
        raise Unreadable(
            f"the checkpoint is of another league or of an unknown kind: {note[0][:80]}"
        )
    if re.fullmatch(r"[1-9][0-9]{0,15}", note[1]) is None:
        raise Unreadable("the checkpoint has no tree size")
    root = decode64(note[2])
    if len(root) != 32:
        raise Unreadable("the checkpoint has no root")
    text = "\n".join(note[:blank]).encode() + b"\n"
    for line in note[blank + 1 : -1]:
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
                    report.differ(
                        None, "signature", f"the signature of {name} on the checkpoint is wrong"
                    )
                    return int(note[1]), root
    if not report.authentic:
        report.differ(None, "signature", "no given key signed it")
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


def entry_of(league: bytes, previous: bytes, event: Event | Entry) -> bytes:
    """Return the 253 bytes of bundle.md 3.3."""
    data = canonical(event.data) if isinstance(event, Event) else event.data
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
            sha(data),
            event.metadata,
            event.sealed or bytes(32),
        )
    )


def largest_power_below(n: int) -> int:
    return 1 << (n - 1).bit_length() - 1


def tree_root(leaves: list[bytes]) -> bytes:
    """Return the root over hashed *leaves* by RFC 6962, 2.1."""
    if len(leaves) == 1:
        return leaves[0]
    if not leaves:
        return sha(b"")
    split = largest_power_below(len(leaves))
    return sha(b"\x01" + tree_root(leaves[:split]) + tree_root(leaves[split:]))


def check_hashes(bundle: Bundle, size: int, root: bytes, report: Report) -> None:
    """Check that every leaf of the tree is an event or lies below exactly one given node, and that all give *root*."""
    stored = [*bundle.withheld, *bundle.voided]
    heads = {(each.stream, each.version): each.leaf for each in stored}
    for event in bundle.events:
        previous = event.previous or heads.get((event.stream, event.version - 1))
        if event.version == 1:
            previous = bytes(32)
        event.leaf = sha(b"\x00" + entry_of(bundle.league, previous or bytes(32), event))
        heads[event.stream, event.version] = event.leaf
    leaves = {each.position: each.leaf for each in [*bundle.events, *stored]}
    positions = sorted(leaves)
    if len(positions) < len(bundle.events) + len(stored):
        raise Unreadable("the bundle has an event twice")
    if positions[-1] >= size:
        raise Unreadable("an event lies beyond the signed tree")
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
        raise Unreadable("the bundle has hashes that are not needed")
    report.checked["events in the signed tree"] += len(positions)
    if found != root:
        report.authentic = False
        report.differ(None, "root", "events and hashes do not give the signed root")


# ---------------------------------------------------------------------------------------------------------------
# 4 Chain
# ---------------------------------------------------------------------------------------------------------------


def check_chain(bundle: Bundle, report: Report) -> None:
    for stream, chain in bundle.chains().items():
        before: Link | None = None
        at = -(2**63)
        for link in chain:
            version = before.version if before else 0
            report.check(
                "links of streams",
                link.version > version,
                link.position,
                "chain",
                f"{stream} does not rise",
            )
            if isinstance(link, OutOfFolding):  # versions may leap here: see `Repairs`
                before = link
                continue
            known, given = (
                link.version == version + 1,
                isinstance(link, Event) and link.previous is not None,
            )
            report.check(
                "links of streams",
                known != given,
                link.position,
                "chain",
                f"version {link.version} of {stream} comes after {version or 'nothing'}"
                f" {'with' if given else 'without'} the hash of the event before",
            )
            if isinstance(link, Event):
                report.check(
                    "links of streams",
                    link.at >= at,
                    link.position,
                    "chain",
                    f"time falls in {stream}",
                )
                at = link.at
            before = link


class Repairs:
    """Voided events. The league names each, and each is damaged as far as its bytes are shown."""

    def __init__(self, bundle: Bundle, report: Report) -> None:
        self.bundle, self.report, self.chains = bundle, report, bundle.chains()
        self.voided = {each.position: each for each in bundle.voided}
        self.named: dict[int, Json] = {}
        self.positions = sorted(link.position for chain in self.chains.values() for link in chain)

    def check(self, holds: bool, position: int | None, text: str) -> bool:
        return self.report.check("voided events", holds, position, "voided", text)

    def run(self) -> None:
        for event in self.bundle.events:
            if event.type == "positions_voided":
                self.read(event)
        for link in self.positions_shown():
            self.check(False, link.position, "is named as voided, but the bundle has it as an event")
        for stream in sorted({str(each["stream"]) for each in self.named.values()}):
            self.there(stream)
        for line in self.bundle.voided:
            self.judge(line)

    def read(self, event: Event) -> None:
        league = f"league-{self.bundle.league.hex()}"
        self.check(event.stream == league, event.position, "is not in the league's stream")
        positions = {each["position"]: each for each in event.data["positions"]}
        here = not positions.keys().isdisjoint(self.voided)
        self.check(here, event.position, "names no event that this bundle has as voided")
        for position, each in positions.items():
            text = f"names {position}, which is not before it"
            self.check(0 <= position < event.position, event.position, text)
            known = self.named.setdefault(position, each)
            self.check(known == each, event.position, f"{position} is named in two ways")

    def positions_shown(self) -> list[Link]:
        links = itertools.chain.from_iterable(self.chains.values())
        return [
            each
            for each in links
            if each.position in self.named and not isinstance(each, OutOfFolding)
        ]

    def there(self, stream: str) -> None:
        """Check that everything a bundle's stream names is present. For a hand, only its stretch counts."""
        links = self.chains.get(stream, [])
        if not links or stream.startswith("league-"):
            return
        first, last = -1, LARGEST
        if self.bundle.kind == "hand":
            stretch = [
                link.position
                for link in links
                if not isinstance(link, Event) or link.type != "table_opened"
            ]
            first, last = min(stretch, default=LARGEST), max(stretch, default=-1)
        for position, each in sorted(self.named.items()):
            if each["stream"] == stream and first < position < last:
                text = f"{stream} is named as voided, but the bundle has no such event"
                self.check(position in self.positions, position, text)

    def judge(self, line: OutOfFolding) -> None:
        """Check that *line* is what the league named, and that it is not well formed."""
        due = self.named.get(line.position)
        if not self.check(due is not None, line.position, "no positions_voided names it"):
            return
        assert due is not None
        found = [line.stream, line.version, line.leaf.hex()]
        named = [due["stream"], due["version"], due["hash"]]
        text = f"it is {short(found)}, the named one is {short(named)}"
        self.check(found == named, line.position, text)
        chain = self.chains[line.stream]
        at = chain.index(line)
        fails = self.fails(line, chain[at - 1] if at else None)
        claimed = due["fails"]
        where = f"position {line.position} ({line.stream}, version {line.version})"
        self.report.voided.append(f"{where}: {claimed}")
        text = f"its stated fault is its {claimed}, which is well formed or not the first fault"
        self.check(claimed in fails, line.position, text)

    def fails(self, line: OutOfFolding, before: Link | None) -> tuple[str, ...]:
        """Return the possible causes by bundle.md 3.4, and record the ones that are not checked."""
        version, head, place = 0, bytes(32), -1
        if before is not None:
            version, head, place = before.version, before.leaf, before.position
        holds = line.entry is not None and self.holds(line.entry, head, line.leaf)
        if line.version != version + 1:
            there = bisect.bisect_left(self.positions, line.position)
            there -= bisect.bisect_right(self.positions, place)
            if not holds and there < line.position - place - 1:
                self.report.skip("the events of a stream before a voided event whose version leaps")
            return ("version",)
        if line.entry is None:
            self.report.skip("faults of voided events: the bundle does not show them")
            return "hash", "schema"
        if not holds:
            return ("hash",)
        self.report.skip("the schemas of voided events")
        return ("schema",)

    def holds(self, entry: Entry, head: bytes, leaf: bytes) -> bool:
        try:
            return sha(b"\x00" + entry_of(self.bundle.league, head, entry)) == leaf
        except OverflowError:  # a number that no entry can hold
            return False


# Facts that an event states a second time, by its type: the member, and the prefix of its identifiers.
OWN = {
    "league_created": ("league", "lge"),
    "season_opened": ("season", "ssn"),
    "tournament_drafted": ("tournament", "trn"),
    "terms_revised": ("tournament", "trn"),
    "tournament_announced": ("tournament", "trn"),
    "terms_changed": ("tournament", "trn"),
    "table_opened": ("table", "tbl"),
    "dispute_opened": ("dispute", "dsp"),
}
# Actions that somebody took at that instant. A clock may count from the start or the end of an outage instead.
PROMPT = {
    "selection_committed",
    "improvement_committed",
    "seat_acted",
    "card_turn_taken",
    "cards_fielded",
}
PROMPT |= {
    "hand_called",
    "hand_quit",
    "hand_shown",
    "hand_opened",
    "hand_settled",
    "decision_opened",
}
# The rules of these events compare their players.
COMPARED = {"payment_recorded", "payment_reversed", "refunds_awarded"}
LATEST = (
    120_000_000  # microseconds from the instant an event names to the one at which it was recorded
)


# Actions of a seat in a hand.
BY_SEAT = PROMPT - {"hand_opened", "hand_settled", "decision_opened"}
BY_SEAT |= {"hand_killed", "penalty_paid", "sabacc_pot_awarded"}


class Copies:
    """Check that values recorded twice are equal: in a line and its data, or in two events of a stream."""

    def __init__(self, bundle: Bundle, report: Report) -> None:
        self.bundle, self.report = bundle, report
        self.league = "lge_" + bundle.league.hex()
        self.before = {event.position + 1: event for event in bundle.events}
        self.players: dict[tuple[str, str], str] = {}
        self.hands: dict[str, Event] = {}  # the hand_opened last seen, by stream
        self.currencies: dict[str, Any] = {}

    def same(self, event: Event, name: str, found: object, due: object) -> None:
        text = f"{event.type} {name}"
        self.report.same("copies", found, due, event.position, "copies", text)

    def run(self) -> None:
        for event in self.bundle.events:
            guarded(self.report, "copies", lambda each=event: self.compare(each), event.position)

    def compare(self, event: Event) -> None:
        data = event.data
        member, prefix = OWN.get(event.type, ("", ""))
        if member:
            own = f"{prefix}_{event.stream.rpartition('-')[2]}"
            self.same(event, member, data.get(member), own)
        if "league" in data:
            self.same(event, "league", data["league"], self.league)
        if isinstance(data.get("at"), str):
            check_instant(event, self.before.get(event.position), self.report)
        if event.type not in COMPARED:
            for entrant, player in entries_in(data):
                known = self.players.setdefault((event.stream, entrant), player)
                self.same(event, f"player of {entrant}", player, known)
            if event.stream.startswith("tournament-") and "currency" in data:
                known = self.currencies.setdefault(event.stream, data["currency"])
                self.same(event, "currency", data["currency"], known)
        self.compare_hand(event)

    def compare_hand(self, event: Event) -> None:
        """Check that a hand has one name, and that everybody who acts in it is in the right seat."""
        data = event.data
        if event.type == "hand_opened":
            self.hands[event.stream] = event
        opened = self.hands.get(event.stream)
        if opened is None:
            return
        if event.type in ("hand_settled", "hand_shown", "deal_voided"):
            self.same(event, "hand", data["hand"], opened.data["hand"])
        if event.type in BY_SEAT and data["seat"] is not None:
            seats = {seat["seat"]: seat["entrant"] for seat in opened.data["seats"]}
            self.same(event, "entrant", data["entrant"], seats.get(data["seat"]))


def check_instant(event: Event, before: Event | None, report: Report) -> None:
    """Check that an event never names an instant after its own, nor one long before."""
    try:
        named = microseconds(event.data["at"])
    except ValueError as error:
        report.differ(event.position, "copies", f"{event.type} at: {error}")
        return
    text = f"{event.type} at is later than the event itself"
    report.check("copies", named <= event.at, event.position, "copies", text)
    by_clock = event.type not in PROMPT or bool(event.data.get("timed_out"))
    if by_clock or before is None or event.at - before.at <= 1_000_000:
        return
    # A clock dated the event, and it was not moved behind a later-dated one.
    text = f"{event.type} at is {(event.at - named) // 1_000_000} s before the event itself"
    report.check("copies", event.at - named <= LATEST, event.position, "copies", text)


def members_of(value: object) -> Collection[Any]:
    """Return the direct members of an object or a list."""
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def entries_in(value: object) -> list[tuple[str, str]]:
    """Yield every entrant that *value* names together with a player."""
    found: list[tuple[str, str]] = []
    if isinstance(value, dict):
        entrant, player = value.get("entrant"), value.get("player")
        if isinstance(entrant, str) and isinstance(player, str):
            found.append((entrant, player))
    for member in members_of(value):
        if isinstance(member, (dict, list)):
            found += entries_in(member)
    return found


# ---------------------------------------------------------------------------------------------------------------
# 5 Completeness: bundle.md 2
# ---------------------------------------------------------------------------------------------------------------


def find_ids(value: object, prefix: str) -> set[str]:
    """Yield every identifier `<prefix>_…` in *value*."""
    if isinstance(value, str):
        return {value} if re.fullmatch(prefix + "_[0-9a-f]{32}", value) else set()
    return set().union(*(find_ids(member, prefix) for member in members_of(value)))


def stream_of(identifier: str) -> str:
    names = {
        "trn": "tournament",
        "ssn": "season",
        "tbl": "table",
        "lge": "league",
        "dsp": "dispute",
    }
    return f"{names[identifier[:3]]}-{identifier[4:]}"


def named_tables(events: list[Event]) -> set[str]:
    """Return the tables that a tournament's *events* name from `play_started` on."""
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
        self.chains = bundle.chains()

    def check(self, holds: bool, position: int | None, text: str) -> bool:
        return self.report.check("completeness", holds, position, "completeness", text)

    def whole(self, stream: str) -> list[Event]:
        """Return the events of a stream that must be complete from version 1 on."""
        events = self.streams.get(stream, [])
        if self.check(bool(events), None, f"{stream} is missing"):
            self.check(
                gapless(self.chains[stream], 0),
                events[0].position,
                f"{stream} is not complete from its first version on",
            )
        return events

    def run(self) -> None:
        created = [event for event in self.bundle.events if event.type == "league_created"]
        self.check(len(created) == 1, None, "league_created is missing")
        for event in created:
            league = "lge_" + self.bundle.league.hex()
            self.check(
                event.data.get("league") == league,
                event.position,
                "league_created is of another league",
            )
        wanted = {f"league-{self.bundle.league.hex()}"}
        if self.bundle.kind == "hand":
            wanted |= self.hand()
        elif self.bundle.kind == "tournament":
            wanted |= self.tournament(self.bundle.subject)
        else:
            wanted |= self.season()
        if self.bundle.format >= 3 and self.bundle.kind != "hand":
            wanted |= self.disputes(wanted)
        self.withheld(wanted)
        if self.bundle.by_leaves():
            piles = {
                e.position
                for e in self.bundle.events
                if e.type in ("hand_opened", "pile_committed")
            }
            self.check(
                set(self.bundle.leaves) == piles, None, "the leaves are not those of each pile once"
            )
        voided = {each.stream for each in self.bundle.voided}
        for stream in sorted((set(self.streams) | voided) - wanted):
            self.check(
                False, self.chains[stream][0].position, f"{stream} does not belong to the bundle"
            )
        for event in self.streams.get(f"league-{self.bundle.league.hex()}", []):
            ours = event.type in ("league_created", "positions_voided")
            self.check(ours, event.position, f"{event.type} does not belong to the bundle")

    def hand(self) -> set[str]:
        opened = [
            e
            for e in self.bundle.events
            if e.type == "hand_opened" and e.data["hand"] == self.bundle.subject
        ]
        if not self.check(bool(opened), None, f"{self.bundle.subject} is not here"):
            return set()
        stream = opened[0].stream
        table = self.streams[stream]
        self.check(table[0].type == "table_opened", table[0].position, "table_opened is missing")
        stretch = [event for event in table if event.type != "table_opened"]
        links = self.chains[stream][1:]
        follow = links[0] is stretch[0] and gapless(links, stretch[0].version - 1)
        self.check(follow, stretch[0].position, "the hand's events have gaps")
        others = [
            e for e in stretch if e.type == "hand_opened" and e.data["hand"] != self.bundle.subject
        ]
        self.check(not others, stretch[0].position, "the bundle has another hand")
        self.deals(opened)
        settled = [event for event in stretch if event.type == "hand_settled"]
        self.check(len(settled) == 1, stretch[-1].position, "the hand is not settled exactly once")
        tournament = stream_of(table[0].data["tournament"])
        before = self.whole(tournament)
        last = max(self.bundle.heads(before), default=0) if before else 0
        for event in opened:
            self.check(
                event.data["tournament_version"] <= last,
                event.position,
                "the tournament ends before the hand",
            )
        for event in self.chains.get(tournament, []):
            early = not settled or event.position < settled[0].position
            self.check(early, event.position, "the tournament goes on after the hand was settled")
        return {stream, tournament}

    def deals(self, opened: list[Event]) -> None:
        numbers = [event.data["deal"] for event in opened]
        self.check(
            numbers == list(range(1, len(numbers) + 1)),
            opened[0].position,
            "the deals of a hand have gaps",
        )

    def tournament(self, subject: str) -> set[str]:
        stream = stream_of(subject)
        events = self.whole(stream)
        tables = named_tables(events)
        over = [
            event
            for event in events
            if event.type in ("tournament_finished", "tournament_cancelled")
        ]
        position = events[-1].position if events else None
        self.check(
            len(over) == 1, position, f"{subject} is not finished or cancelled exactly once"
        )
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
        self.check(len(closed) == 1, last.position, f"{table} is not closed exactly once")
        hands: dict[int, list[Event]] = {}
        for event in events:
            if event.type == "hand_opened":
                hands.setdefault(event.data["number"], []).append(event)
        self.check(
            list(hands) == list(range(1, len(hands) + 1)),
            first.position,
            f"hands of {table} have gaps",
        )
        settled = [event.data["number"] for event in events if event.type == "hand_settled"]
        self.check(
            settled == list(hands),
            last.position,
            f"the hands of {table} are not settled once each, in order",
        )
        for opened in hands.values():
            self.deals(opened)

    def season(self) -> set[str]:
        stream = stream_of(self.bundle.subject)
        season = self.whole(stream)
        named = {event.data["tournament"] for event in season if event.type == "points_awarded"}
        if self.bundle.format == 1:
            announced = [
                event for event in self.bundle.events if event.type == "tournament_announced"
            ]
            named |= {
                event.data["tournament"]
                for event in announced
                if event.data["season"] == self.bundle.subject
            }
        found = {stream}
        for tournament in sorted(named):
            found |= self.tournament(tournament)
        for tournament in sorted(announced_for(season) - named) if self.bundle.format >= 3 else []:
            found.add(stream_of(tournament))
            self.announced(tournament)
        return found

    def announced(self, tournament: str) -> None:
        """Check the stream of a tournament that was announced for the season and never counted."""
        events = self.whole(stream_of(tournament))
        seasons = [
            event.data.get("season") for event in events if event.type == "tournament_announced"
        ]
        position = events[0].position if events else None
        self.check(
            self.bundle.subject in seasons,
            position,
            f"{tournament} was not announced for the season",
        )

    def disputes(self, wanted: set[str]) -> set[str]:
        """Check that disputes which froze something here, or whose rulings acted here, are present."""
        found: set[str] = set()
        for event in self.bundle.events:
            if event.stream in wanted and event.type in ("result_frozen", "standings_frozen"):
                found.add(stream_of(event.data["dispute"]))
            acts = event.data["acts"] if event.type == "dispute_ruled" else []
            if any(stream_of(act["subject"]) in wanted for act in acts):
                found.add(event.stream)
        for stream in sorted(found):
            events = self.whole(stream)
            if events:
                opened = [event for event in events if event.type == "dispute_opened"]
                first = len(opened) == 1 and opened[0] is events[0]
                self.check(first, events[0].position, f"{stream} does not begin with its claim")
        return found

    def withheld(self, wanted: set[str]) -> None:
        """Check that withheld events belong to a tournament that can have such events."""
        for stream in sorted({each.stream for each in self.bundle.withheld}):
            kept = self.bundle.withheld_in(stream)
            self.report.unchecked["events that the viewer may not read"] += len(kept)
            events = self.streams.get(stream, [])
            if not self.check(
                stream in wanted, kept[0].position, f"{stream} does not belong to the bundle"
            ):
                continue
            announced = [event for event in events if event.type == "tournament_announced"]
            if not self.check(
                bool(announced), kept[0].position, f"the bundle may not withhold anything in {stream}"
            ):
                continue
            said = [*announced, *(event for event in events if event.type == "terms_changed")]
            entry, fees = (
                [{**BEFORE[name], **event.data.get(name, {})} for event in said]
                for name in ("entry", "fees")
            )
            ends = {event.type: event.version for event in events if event.type in OVER}
            later = [each for each in kept if each.version > announced[0].version]
            if any(each["approval"] for each in entry):  # Players may ask for admission until the end.
                later = [
                    each
                    for each in later
                    if each.version > min(ends.values(), default=each.version)
                ]
            if any(each["payment"] == "recorded" for each in fees):
                later = []
            if "tournament_cancelled" in ends:
                later = later[1:]  # debts, by entrant
            told = [e for e in events if e.type in RESULTS and said[-1].data["currency"]]
            # A prize is handed over, and may be taken back and handed over again.
            paid = next((e.version for e in told if e.data["payouts"]), None)
            for each in later:
                if paid is None or each.version < paid:
                    self.check(False, each.position, f"{stream} has no event that may be withheld here")


OVER = ("tournament_finished", "tournament_cancelled")
RESULTS = ("tournament_finished", "result_corrected")


def announced_for(season: list[Event]) -> set[str]:
    """Return the tournaments that a season's events name as announced for it."""
    added = {event.data["tournament"] for event in season if event.type == "tournament_added"}
    closed = [event.data.get("fates") or [] for event in season if event.type == "season_closed"]
    return added.union(*({fate["tournament"] for fate in fates} for fates in closed))


# ---------------------------------------------------------------------------------------------------------------
# 6 Openings
# ---------------------------------------------------------------------------------------------------------------


def at_pointer(data: object, pointer: str) -> object:
    """Return the value at the RFC 6901 *pointer* in *data*. Raise LookupError if there is none."""
    if pointer and not pointer.startswith("/"):
        raise LookupError(pointer)
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(data, list) and re.fullmatch(r"0|[1-9][0-9]*", name):
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
    """The opened values of the bundle's events, by place; cards also by deal position, pile and place."""

    values: dict[tuple[int, str], Any] = field(default_factory=dict)
    salts: dict[tuple[int, str], bytes] = field(default_factory=dict)
    by_event: dict[int, list[tuple[str, Any]]] = field(default_factory=dict)

    def of(self, position: int) -> list[tuple[str, Any]]:
        """Return the pointers and values that are opened in the event at *position*."""
        return self.by_event.get(position, [])


def check_openings(bundle: Bundle, report: Report) -> Opened:
    """Check the commitments of sealed values. Section 7 compares cards with their pile."""
    events = {event.position: event for event in bundle.events}
    opened = Opened()
    for (position, pointer), (salt, value) in bundle.openings.items():
        event = events.get(position)
        try:
            place: Any = at_pointer(event.data, pointer) if event else None
        except LookupError:
            place = None
        if not isinstance(place, dict) or set(place) not in (
            {"audience", "commitment"},
            {"pile", "position"},
        ):
            report.differ(position, "openings", f"{pointer} is not a hidden place of this event")
            continue
        assert event is not None
        if bundle.viewer != "auditor" and "audience" in place:
            allowed = f"entrant:{bundle.viewer}" in place["audience"]
            over = event.type in ("registration_opened", "season_opened")
            report.check(
                "openings",
                allowed or over,
                position,
                "openings",
                f"{pointer} is not open to {bundle.viewer}",
            )
        report.check(
            "openings",
            not event.stream.startswith("league-"),
            position,
            "openings",
            "the league's values are open",
        )
        opened.values[position, pointer] = value
        opened.salts[position, pointer] = salt
        opened.by_event.setdefault(position, []).append((pointer, value))
        if "commitment" in place:
            found = sealed_commitment(bundle.league, event, pointer, salt, value)
            text = f"the value opened at {pointer} does not match its commitment"
            report.check("openings", found == place["commitment"], position, "openings", text)
    if bundle.format >= 3:
        guarded(report, "openings", lambda: check_due(bundle, report))
    return opened


def check_due(bundle: Bundle, report: Report) -> None:
    """Check that a bundle opens everything the viewer may open, and nothing else. Since format 3."""
    due = due_openings(bundle)
    for position, pointer in sorted(due ^ set(bundle.openings)):
        text = "is not opened" if (position, pointer) in due else "is opened"
        report.check(
            "openings", False, position, "openings", f"{pointer} {text} to {bundle.viewer}"
        )
    report.checked["openings"] += len(due)


def due_openings(bundle: Bundle) -> set[tuple[int, str]]:
    """Return what bundle.md 2 says the viewer may open, by position and pointer."""
    if bundle.viewer == "public":
        return set()
    closed = uncounted(bundle)
    seats: dict[str, dict[int, str]] = {}  # the seats and entrants of the deal, by table
    due: set[tuple[int, str]] = set()
    for event in bundle.events:
        if event.type == "hand_opened":
            seats[event.stream] = {seat["seat"]: seat["entrant"] for seat in event.data["seats"]}
        masters = event.type == "registration_opened" and bundle.kind == "hand"
        if masters or event.stream in closed or event.stream.startswith("league-"):
            continue
        for pointer, place, seat in hidden_in(event.data, "", None):
            own = (
                seats.get(event.stream, {}).get(seat) == bundle.viewer
                if seat is not None
                else False
            )
            if "audience" in place:
                own = f"entrant:{bundle.viewer}" in place["audience"]
            if own or bundle.viewer == "auditor":
                due.add((event.position, pointer))
    return due


def uncounted(bundle: Bundle) -> set[str]:
    """Return the streams of tournaments that were announced for the bundle's season but never counted."""
    if bundle.kind != "season" or bundle.format < 3:
        return set()
    season = bundle.streams().get(stream_of(bundle.subject), [])
    counted = {event.data["tournament"] for event in season if event.type == "points_awarded"}
    return {stream_of(name) for name in announced_for(season) - counted}


def hidden_in(value: Any, pointer: str, seat: int | None) -> list[tuple[str, Json, int | None]]:
    """Yield every hidden place in *value*: its pointer, its content, and the nearest seat named around it."""
    found: list[tuple[str, Json, int | None]] = []
    if isinstance(value, dict):
        if set(value) in ({"audience", "commitment"}, {"pile", "position"}):
            return [(pointer, value, seat)]
        seat = value["seat"] if isinstance(value.get("seat"), int) else seat
    named = value.items() if isinstance(value, dict) else enumerate(value)
    for name, member in named:
        if isinstance(member, (dict, list)):
            found += hidden_in(member, f"{pointer}/{name}", seat)
    return found


# ---------------------------------------------------------------------------------------------------------------
# 7 Deals, the generator: rulebook 10
# ---------------------------------------------------------------------------------------------------------------


def hmac256(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def deck_of(name: str) -> list[str]:
    """Return every card of a deck in deck order (`cards.decks`)."""
    if name == "d62":
        suited = [
            f"{suit}{sign}{value:02}" for suit in "CTS" for sign in "+-" for value in range(1, 11)
        ]
        return [*suited, "Z1", "Z2"]
    suited = [f"{suit}{value:02}" for suit in ("SA", "FL", "CO", "ST") for value in range(1, 16)]
    return suited + [
        f"X{value:02}{copy}" for value in (17, 15, 14, 13, 11, 8, 2, 0) for copy in "ab"
    ]


def master_commitment(tournament: bytes, name: str, master: bytes) -> bytes:
    return sha(b"holotable/master/1" + tournament + name.encode() + b"\0" + master)


def seed_of(master: bytes, use: str, table: int, hand: int, deal: int) -> bytes:
    """`generator.seeds`"""
    return hmac256(
        master, b"holotable/seed/1" + use.encode() + b"\0" + u(table, 4) + u(hand, 4) + u(deal, 4)
    )


def openings_digest(openings: list[tuple[int, bytes]], beacon: bytes | None = None) -> bytes:
    """Digest the openings: `generator.openings`, `generator.beacon`."""
    return mixed(b"".join(u(seat, 2) + value for seat, value in sorted(openings)), beacon)


def commitments_digest(commitments: list[bytes], beacon: bytes | None = None) -> bytes:
    """
    Digest the commitments that draws at table 0 use instead of openings (`entropy.draws`), with the round of a
    *beacon*.
    """
    return mixed(b"".join(commitments), beacon)


def mixed(text: bytes, beacon: bytes | None) -> bytes:
    """Hash with another tag if there is a round of a beacon: `generator.beacon`."""
    return (
        sha(b"holotable/openings/1" + text)
        if beacon is None
        else sha(b"holotable/openings/2" + beacon + text)
    )


def pulse_bytes(chain: Json, pulse: Json) -> bytes:
    return bytes.fromhex(chain["hash"]) + u(pulse["round"], 8) + bytes.fromhex(pulse["randomness"])


NAMED_WITHIN = 60_000_000  # microseconds


def round_due(chain: Json, at: int) -> int:
    """Return the first round at least 3 s after *at*, in microseconds since 1970: `beacon.round`."""
    wait = at + 3_000_000 - chain["genesis"] * 1_000_000
    return max(1, -(-wait // (chain["period"] * 1_000_000)) + 1)


def check_named(event: Event, chain: Json, given: Evidence) -> None:
    """Check that the round follows from the instant, and that the log's time is within 60 s of it: `beacon.round`."""
    asked = microseconds(event.data["at"])
    given.same(event, "beacon.round", "round", event.data["round"], round_due(chain, asked))
    late = (event.at - asked) / 1_000_000
    text = (
        f"the log's instant is {late} s after the one that names the round, so the round may have been known"
    )
    given.check(event, "beacon.round", event.at - asked <= NAMED_WITHIN, text)


def check_pulse(event: Event, chain: Json, pulse: Json, report: Report) -> None:
    """
    Check that the randomness is the hash of the signature, and verify the signature if a BLS library is installed:
    `beacon.value`.
    """
    found = sha(bytes.fromhex(pulse["signature"])).hex()
    text = "the randomness is not the hash of its signature"
    report.check("beacon", pulse["randomness"] == found, event.position, "beacon.value", text)
    holds = bls_holds(chain, pulse)
    if holds is None:
        report.skip(
            "signatures of the beacon (install py-arkworks-bls12381 0.5 to check them)"
        )
        return
    text = "the beacon's key did not sign this round"
    report.check("beacon", holds, event.position, "beacon.value", text)


def bls_holds(chain: Json, pulse: Json) -> bool | None:
    """True if the chain's key signed the pulse. None if no library here can compute pairings."""
    try:
        import py_arkworks_bls12381 as bls
    except ImportError:
        return None
    message = sha(u(pulse["round"], 8))
    suite = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
    try:
        signature = bls.G1Point.from_compressed_bytes(bytes.fromhex(pulse["signature"]))
        key = bls.G2Point.from_compressed_bytes(bytes.fromhex(chain["public_key"]))
    except ValueError:
        return False
    if signature == bls.G1Point.identity():
        return False
    hashed = (
        bls.G1Point.hash_to_curve(message, suite) if hasattr(bls.G1Point, "hash_to_curve") else None
    )
    if hashed is None:
        return None
    return bool(bls.GT.multi_pairing([signature, -hashed], [bls.G2Point(), key]) == bls.GT.one())


class Draws:
    """The stream of one label of a seed, word after word: `generator.stream`."""

    def __init__(self, seed: bytes, label: str, n: int, digest: bytes) -> None:
        self.key = hmac256(seed, label.encode() + b"\0" + u(n, 4) + digest)
        self.word = 0
        self.words = b""  # the block that gives the next word

    def block(self, index: int) -> bytes:
        return hmac256(self.key, u(index, 8))

    def below(self, k: int) -> int:
        while True:
            block, place = divmod(self.word, 4)
            self.word += 1
            if place == 0:
                self.words = self.block(block)
            word = int.from_bytes(self.words[8 * place : 8 * place + 8], "big")
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
    """The cards of a pile in order, their salts, and the root over both: `generator.piles`."""

    cards: list[str]
    salts: list[bytes]
    root: bytes


def make_pile(seed: bytes, n: int, digest: bytes, cards: list[str]) -> Pile:
    """Build pile number *n* from *cards*, which are in deck order."""
    order = Draws(seed, "pile", n, digest).shuffled(cards)
    salting = Draws(seed, "salt", n, digest)
    salts = [salting.block(position) for position in range(len(order))]
    leaves = [
        card_leaf(salt, n, place, card)
        for place, (salt, card) in enumerate(zip(salts, order, strict=True))
    ]
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
    """Return the value of a card of d62."""
    return 0 if card[0] == "Z" else int(card[1:])


def score(cards: list[str], target: int, suit: str) -> tuple[int, int]:
    """Return the distance (smaller wins) and the suit count (larger wins): `showdown.key`."""
    distance = abs(sum(map(value_of, cards)) - target)
    return distance, sum(card[0] == "Z" or SUITS[card[0]] == suit for card in cards)


def rank_key(cards: list[str], target: int, suit: str) -> tuple[int, int]:
    """Return the sort key of a hand. Smaller is better."""
    distance, count = score(cards, target, suit)
    return distance, -count


def clockwise(seats: list[int], after: int) -> list[int]:
    """Return *seats* clockwise from the left of the seat *after*. That seat may be empty, and comes last."""
    ordered = sorted(seats)
    return [seat for seat in ordered if seat > after] + [seat for seat in ordered if seat <= after]


def clock_selection(
    hand: list[str], target: int, suit: str, least: int, order: list[str]
) -> list[str]:
    """
    Return the best key, then the fewest cards, then the lowest, of at least *least* cards and one: `clock.selection`.
    """
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
    """One seat dealt in. *put_in* is its bets in the street, *wager* those in the hand."""

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
    """One street. The seat to the left of *after* is the next to act."""

    betting: Json
    unit: int
    min_open: int
    seats: dict[int, Seat]
    after: int
    current_bet: int = 0
    full_raise: int = 0
    chips: bool = (
        True  # False if only hands are counted. Then every live seat can act (`words.live`).
    )
    revision: int = 1  # revision of the rules (`rulesets.revisions`)

    def can_act(self, seat: Seat) -> bool:
        return seat.live and (seat.stack > 0 or not self.chips)

    def actors(self) -> list[Seat]:
        return [seat for seat in self.seats.values() if self.can_act(seat)]

    def min_raise(self) -> int:
        """Return the smallest full raise: `betting.chip_unit`, `betting.min_bet`, `betting.last_raise`."""
        rule = self.betting["min_raise"]
        return {"chip_unit": self.unit, "min_bet": self.min_open, "last_raise": self.full_raise}[
            rule
        ]

    def is_waiting(self, seat: Seat) -> bool:
        if self.betting["kind"] == "fixed_continue":
            return seat.acted_at is None
        return seat.acted_at is None or self.owed(seat) > 0

    def contestable(self, seat: Seat) -> int:
        """Return the most that another seat has in the street, or can still put in."""
        most = 0
        for other in self.seats.values():
            more = other.stack if other.live else 0
            if self.betting["kind"] == "fixed_continue":
                more = 0 if other.acted_at is not None else min(more, self.betting["cost"])
            if other is not seat:
                most = max(most, other.put_in + more)
        return most

    def owed(self, seat: Seat) -> int:
        """Return the chips that *seat* owes, even if it has less: `betting.call`, `betting.contested`."""
        fixed = self.betting["kind"] == "fixed_continue"
        height = seat.put_in + self.betting["cost"] if fixed else self.current_bet
        if self.revision >= 2:
            height = min(height, self.contestable(seat))
        return max(0, height - seat.put_in)

    def to_act(self) -> int | None:
        """Return the seats to act, in order: `betting.turn`, `betting.street_end`, `betting.fixed_continue`."""
        actors = self.actors()
        live = [seat for seat in self.seats.values() if seat.live]
        fixed = self.betting["kind"] == "fixed_continue"
        if not actors:
            return None
        if len(actors) == 1 and not fixed:
            if actors[0].put_in >= max(seat.put_in for seat in live):
                return None
        if len(actors) == 1 and fixed:
            # A fixed street in progress goes on with the seats still to act. If nobody could act at its start, it is
            # skipped.
            begun = any(seat.acted_at is not None for seat in self.seats.values())
            if not begun or (self.revision >= 2 and not self.owed(actors[0])):
                return None
        for number in clockwise(list(self.seats), self.after):
            if self.can_act(self.seats[number]) and self.is_waiting(self.seats[number]):
                return number
        return None

    def bounds(self, seat: Seat) -> tuple[int, int] | None:
        """Return the least and the largest raise of *seat*, or None: 5.7 to 5.13."""
        top = seat.put_in + seat.stack
        others = any(other is not seat for other in self.actors())
        if self.revision >= 2:
            others = self.contestable(seat) > self.current_bet
        reopened = seat.acted_at is None or self.current_bet - seat.acted_at >= self.min_raise()
        if top <= self.current_bet or not others or not reopened:
            return None
        least = self.current_bet + self.min_raise() if self.current_bet else self.min_open
        return min(least, top), top

    def legal(self, seat: Seat) -> dict[str, tuple[int, int] | None]:
        """Return the legal verbs of *seat*, each with the least and the largest amount."""
        found: dict[str, tuple[int, int] | None] = {"fold": None}
        if self.betting["kind"] == "fixed_continue":
            price = min(self.owed(seat), seat.stack)
            return found | {"stay": (price, price)}
        due = min(self.owed(seat), seat.stack)
        if due > 0:
            found["call"] = (due, due)
        else:
            found["check"] = None
        bounds = self.bounds(seat)
        if bounds is not None:
            found["raise_to"] = bounds
        return found

    def fits(self, amount: int, bounds: tuple[int, int]) -> bool:
        """True if *amount* is within the bounds, and in whole units unless all-in: `betting.units`."""
        low, high = bounds
        return amount == high or (low <= amount < high and amount % self.unit == 0)

    def act(self, seat: Seat, verb: str, amount: int) -> int:
        """Apply a legal action and return the chips paid."""
        paid = 0
        if verb == "fold":
            seat.live = False
        elif verb in ("call", "stay"):
            paid = amount
        elif verb == "raise_to":
            paid = amount - seat.put_in
            grown = amount - self.current_bet
            self.full_raise = max(self.full_raise, grown)  # A short all-in never changes it.
            self.current_bet = amount
        seat.stack -= paid
        seat.put_in += paid
        seat.wager += paid
        seat.acted_at = self.current_bet
        self.after = seat.number
        return paid


def unmatched(wagers: dict[int, int], live: set[int]) -> tuple[int, int] | None:
    """Return the seat and the chips of the uncalled bet: `pots.unmatched`."""
    ordered = sorted(wagers, key=lambda seat: -wagers[seat])
    if not ordered or ordered[0] not in live:
        return None
    rest = wagers[ordered[0]] - (wagers[ordered[1]] if len(ordered) > 1 else 0)
    return (ordered[0], rest) if rest > 0 else None


def make_pots(wagers: dict[int, int], live: set[int], carry: int) -> list[tuple[int, list[int]]]:
    """Return the pots, main pot first: `pots.layers`. *wagers* no longer include the uncalled bet."""
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


def share_pot(
    chips: int, winners: list[int], unit: int, odd_chip: str
) -> tuple[dict[int, int], int]:
    """Return the share of each of *winners* (clockwise from the left of the button), and the carry: `odd_chips`."""
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

Standing = tuple[
    dict[int, tuple[str, int]], "Event | None", set[int]
]  # seats with entrants and stacks, the last hand_opened, newcomers
Place = tuple[int, int]  # pile and position in it


def place_of(card: Json) -> Place:
    return card["pile"], card["position"]


class Deal:
    """The known cards of one deal, from its opened seeds and from single openings."""

    def __init__(
        self,
        event: Event,
        table: int,
        deck: list[str],
        masters: dict[str, bytes],
        given: Evidence,
        beacon: bytes | None = None,
    ) -> None:
        self.event, self.report, self.deck = event, given.report, deck
        self.opened = given.opened
        self.of_hand = given.bundle.kind == "hand"
        data = event.data
        openings = [(entry["seat"], bytes.fromhex(entry["value"])) for entry in data["openings"]]
        self.digest = openings_digest(openings, beacon)
        self.numbers = (table, data["number"], data["deal"])
        self.listed = given.bundle.leaves
        self.by_leaves = given.bundle.by_leaves()
        self.seeds = self.find_seeds(masters)
        self.piles: dict[int, Pile] = {}
        self.sizes = {1: len(deck)}
        self.cards: dict[Place, str] = {}
        self.drawn: Counter[str] = Counter()  # the number of uses of each label in this deal
        self.leaves: dict[int, list[bytes]] = {}  # the leaves of each pile, if no seed is opened
        if self.by_leaves:
            self.add_leaves(event, 1, len(deck), data["deck_root"])
        if "cards" in self.seeds:
            self.add_pile(event, 1, deck, data["deck_root"])
        elif not self.by_leaves:
            self.report.skip("decks: their seed is not opened")

    def find_seeds(self, masters: dict[str, bytes]) -> dict[str, bytes]:
        """
        Find the seeds opened with the hand and those derived from the masters, and compare them: `generator.seeds`.
        """
        event, seeds = self.event, {}
        opened = self.opened.values.get((event.position, "/seeds"), {})
        for use in ("cards", "dice", "draws"):
            found = []
            if use in opened:
                found.append(bytes.fromhex(opened[use]))
            if use in masters:
                found.append(seed_of(masters[use], use, *self.numbers))
            elif not self.of_hand and not (use == "cards" and self.by_leaves):
                self.report.skip(f"seeds from their masters: {use} is not opened")
            for seed in found:
                commitment = sha(b"holotable/seed/1/commitment" + seed).hex()
                due, text = (
                    event.data["commitments"][use],
                    f"the seed of the {use} is not the one committed to",
                )
                self.report.check(
                    "seeds", commitment == due, event.position, "generator.seeds", text
                )
            if found:
                seeds[use] = found[-1]
        salt = self.opened.salts.get((event.position, "/seeds"))
        if salt is not None and "cards" in seeds:
            due_salt = Draws(seeds["cards"], "seeds", 1, b"").block(0)
            text = "the salt of the sealed seeds does not follow from them"
            self.report.check("seeds", salt == due_salt, event.position, "generator.labels", text)
        return seeds

    def add_pile(self, event: Event, n: int, cards: list[str], root: str) -> None:
        pile = make_pile(self.seeds["cards"], n, self.digest, cards)
        self.piles[n] = pile
        text = f"the root of pile {n} does not match the cards that its seed gives"
        self.report.check("piles", pile.root.hex() == root, event.position, "generator.piles", text)

    def add_leaves(self, event: Event, n: int, size: int, root: str) -> None:
        """Check the `leaves` of format 2, one for each card, against the root that the event commits to."""
        leaves = self.listed.get(event.position, [])
        fits = len(leaves) == size and tree_root(leaves).hex() == root
        self.report.check(
            "leaves",
            fits,
            event.position,
            "generator.piles",
            f"the leaves of pile {n} do not give its root",
        )
        if fits:
            self.leaves[n] = leaves

    def see(self, event: Event, place: Place, card: str, salt: bytes) -> None:
        """Record a card that was opened or turned over at *place*."""
        pile, position = place
        known = self.cards.setdefault(place, card)
        again = f"two cards at place {position} of pile {pile}: {known} and {card}"
        self.report.check("cards opened", known == card, event.position, "cards.deal", again)
        if pile in self.leaves:
            leaves = self.leaves[pile]
            same = position < len(leaves) and leaves[position] == card_leaf(
                salt, pile, position, card
            )
            text = f"{card} is not the card of the leaf at place {position} of pile {pile}"
            self.report.check("cards opened", same, event.position, "generator.piles", text)
        if pile not in self.piles and self.by_leaves:
            return
        if pile not in self.piles:
            self.report.skip("opened cards: the seed of their pile is not opened")
            return
        real = self.piles[pile]
        fits = position < len(real.cards) and (real.cards[position], real.salts[position]) == (
            card,
            salt,
        )
        text = f"{card} is not the card at place {position} of pile {pile}"
        self.report.check("cards opened", fits, event.position, "generator.piles", text)

    def see_all(self, event: Event) -> None:
        """Record every card that this event shows, or that is opened in it."""
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
        """Return the next stream of *label*, or None if its seed is not opened."""
        self.drawn[label] += 1
        if use not in self.seeds:
            self.report.skip(f"draws of label {label}: its seed is not opened")
            return None
        return Draws(self.seeds[use], label, self.drawn[label], self.digest)


def open_cards(value: object) -> list[Json]:
    """Yield every card that an event turns over."""
    if isinstance(value, dict) and value.keys() == {"card", "pile", "position", "salt"}:
        return [value]
    found: list[Json] = []
    for member in members_of(value):
        if isinstance(member, (dict, list)):
            found += open_cards(member)
    return found


@dataclass
class Evidence:
    """The data that the checks of the rules use."""

    bundle: Bundle
    opened: Opened
    report: Report

    def same(self, event: Event, rule: str, name: str, found: object, due: object) -> bool:
        what = f"rules: {rule.split('.')[0]}"
        return self.report.same(what, found, due, event.position, rule, f"{event.type} {name}")

    def check(self, event: Event, rule: str, holds: bool, text: str) -> bool:
        return self.report.check(
            f"rules: {rule.split('.')[0]}", holds, event.position, rule, f"{event.type}: {text}"
        )


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
    "table_beacon_mixed",
    "table_beacon_awaited",
}


class Voided(Exception):
    """The deal was voided, so its consequences never came."""


@dataclass
class Player(Seat):
    """
    A seat dealt in, with its cards. *kept* is None until it keeps a selection; *known* is False if its cards are
    hidden.
    """

    held: list[Place] = field(default_factory=list)
    kept: list[Place] = field(default_factory=list)
    count: int = 0
    known: bool = True
    pots: int = 0
    timeouts: int = 0
    key: tuple[int, int] = (0, 0)


class Hand:
    """One deal, from `hand_opened` on, played again by the rules. *next* is the place of the next event to read."""

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
        self.discarded = 0  # the number of cards, even if they are hidden
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
                raise Lost("the events end before the hand is over")
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
        """Handle the events that may happen at any time in a hand."""
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
                self.given.check(
                    event, "absence.timeouts", enough, "fewer than three timeouts in a row"
                )
        elif event.type == "seat_came_back":
            self.table.away[data["seat"]] = False
            if data["seat"] in self.players:
                self.players[data["seat"]].timeouts = 0
        elif event.type == "table_beacon_awaited":
            self.given.check(event, "beacon.deals", False, "a decision is open while a hand is in play")
        elif event.type == "deal_voided":
            self.void(event)
            raise Voided

    def same(self, event: Event, rule: str, name: str, found: object, due: object) -> bool:
        return self.given.same(event, rule, name, found, due)

    # -- words

    def order(self) -> list[int]:
        """Return everyone dealt in, clockwise from the left of the button."""
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
        """Play everything from the forced bets to the award, in the order of the ruleset: `phases`."""
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
            of_players = forced.get("player_ante", 0) > 0
            if amounts["ante"] and of_players:  # `forced.player_ante`: before the blinds
                due = [(seat, "ante", amounts["ante"]) for seat in self.order()]
            if self.data["small_blind"] in self.players:
                due.append((self.data["small_blind"], "small_blind", amounts["small"]))
            due.append((self.data["big_blind"], "big_blind", amounts["big"]))
            if amounts["ante"] and not of_players:
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
        """
        Return the places of cards that the seats of *order* get, one card a pass, from this pile and the next ones.
        """
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
        """Check that *events* deal exactly the places *got*, seat by seat in the order of the deal."""
        found: dict[int, list[Place]] = {}
        for event in events:
            for entry in event.data["dealt"]:
                found.setdefault(entry["seat"], []).extend(
                    place_of(card) for card in entry["cards"]
                )
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
        """Kill the hands of seats that are away or serve a penalty, but never the last live one: `absence.killed`."""
        books = {seat["seat"]: seat for seat in self.data["seats"]}
        due = {seat for seat in self.players if books[seat]["away"] or books[seat]["penalty"]}
        killed = []
        while self.peek().type == "hand_killed":
            event = self.take("hand_killed")
            seat = event.data["seat"]
            killed.append(seat)
            self.given.check(
                event,
                "absence.killed",
                seat in due,
                "a seat that is present and serves no penalty lost the hand",
            )
            self.same(
                event,
                "absence.killed",
                "entrant",
                event.data["entrant"],
                self.players[seat].entrant,
            )
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
        self.same(
            event, "clock", "time to decide", length, self.data["decision_seconds"] * 1_000_000
        )
        return event

    def answer(self, event: Event, decision: Event) -> Player:
        """Check the rules for every answer to a decision, and return its seat."""
        data = event.data
        player = self.players[data["seat"]]
        self.same(
            event, "decisions.binding", "decision", data["decision"], decision.data["decision"]
        )
        self.same(event, "betting.turn", "entrant", data["entrant"], player.entrant)
        at = microseconds(data["at"])
        if data["timed_out"]:
            late = at >= self.deadline + self.data["grace_seconds"] * 1_000_000
            self.given.check(event, "clock", late, "timed out before deadline and grace were over")
            player.timeouts += 1
        else:
            player.timeouts = 0
            self.table.away[player.number] = False  # `absence.stepped_away`: until the seat answers
        return player

    def commits(self, phase: str, kind: str) -> None:
        """Read one answer from every live seat, in any order, then the published counts."""
        decision = self.open_decision(phase, sorted(self.live()))
        waiting = set(self.live())
        while True:
            self.peek()  # Nobody waits for a seat that quits.
            if self.alone() or not waiting & set(self.live()):
                break
            event = self.take(kind)
            seat = event.data["seat"]
            if not self.given.check(
                event, "betting.turn", seat in waiting, f"seat {seat} has nothing to answer"
            ):
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

    def choose(
        self, event: Event, player: Player, cards: list[str] | None, phase: str, rule: str
    ) -> None:
        """Check that a seat selects only its own cards and enough of them, and what the clock would select."""
        if cards is None:
            player.known = False
            self.given.report.skip("selections: not opened")
            return
        names = {self.deal.card(place): place for place in player.held}
        if None in names or not self.given.check(
            event,
            rule,
            len(set(cards)) == len(cards) and set(cards) <= set(names),
            "the cards are another seat's",
        ):
            player.known = False
            return
        least = (
            self.rules["first_selection_min"]
            if phase == "select"
            else self.rules["final_selection_min"]
        )
        total = len(cards) + player.count
        self.given.check(
            event, rule, total >= least, f"{total} cards are selected, {least} is the least"
        )
        if event.data["timed_out"]:
            due = self.clock_choice(player, [name for name in names if name], phase)
            self.same(event, rule, "cards", sorted(cards), sorted(due))
        player.kept += [names[card] for card in cards]
        player.held = [place for place in player.held if place not in player.kept]

    def clock_choice(self, player: Player, hand: list[str], phase: str) -> list[str]:
        deck = self.deal.deck
        if phase == "select":
            return clock_selection(
                hand, self.target, self.suit, self.rules["first_selection_min"], deck
            )
        if player.count:
            return []
        return min(
            ([card] for card in hand),
            key=lambda c: (rank_key(c, self.target, self.suit), deck.index(c[0])),
        )

    def counts(self, kind: str) -> None:
        event = self.take(kind)
        found = {entry["seat"]: entry["cards"] for entry in event.data["counts"]}
        self.same(event, "visibility", "seats", list(found), self.live())
        for seat in self.live():
            player = self.players[seat]
            most = (
                player.count
                + len(player.held)
                + (len(player.kept) - player.count if player.known else 0)
            )
            if player.known:
                self.same(
                    event, "visibility", f"count of seat {seat}", found[seat], len(player.kept)
                )
            self.given.check(
                event,
                "selection.improve",
                player.count <= found[seat] <= most,
                "a count out of range",
            )
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
        """Read the events of *kind* that deal *due* cards, and the piles committed to before or between them."""
        events: list[Event] = []
        while due > 0:
            if self.peek().type == "pile_committed":
                self.new_pile(self.take("pile_committed"))
                continue
            if events and self.peek().type != kind:
                break  # Too few were dealt. The dealt ones are compared next.
            event = self.take(kind)
            events.append(event)
            due -= sum(len(entry["cards"]) for entry in event.data["dealt"])
        return events

    def new_pile(self, event: Event) -> None:
        """Check that a new pile holds all discards and folded hands, and no selection: `cards.recycling`."""
        n = max(self.deal.sizes) + 1
        self.same(event, "cards.recycling", "pile", event.data["pile"], n)
        self.same(event, "cards.recycling", "size", event.data["size"], self.discarded)
        self.deal.sizes[n] = event.data["size"]
        if self.deal.by_leaves:
            self.deal.add_leaves(event, n, event.data["size"], event.data["root"])
        cards = [self.deal.card(place) for place in self.discards]
        if "cards" in self.deal.seeds and len(cards) == self.discarded and None not in cards:
            in_order = sorted((card for card in cards if card), key=self.deal.deck.index)
            self.deal.add_pile(event, n, in_order, event.data["root"])
        elif not self.deal.by_leaves:
            self.given.report.skip("recycled piles: their cards are not opened")
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
        if (
            self.rules["first_actor"][number - 1] == "left_of_big_blind"
            and self.data["big_blind"] is not None
        ):
            after = self.data["big_blind"]
        if number == 2:
            for player in self.players.values():
                player.put_in, player.acted_at = 0, None
        seats: dict[int, Seat] = dict(self.players)
        least = self.min_open()
        street = Street(
            self.rules["betting"], self.rules["chip_unit"], least, seats, after, 0, least
        )
        street.current_bet = self.price if number == 1 else 0
        street.chips = not self.counting
        street.revision = self.rules["revision"]
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
            return  # Somebody left during the decision.
        event = self.take("seat_acted")
        self.given.check(
            event,
            "betting.turn",
            event.data["seat"] == player.number,
            f"it is seat {player.number}'s turn",
        )
        self.answer(event, decision)
        data, legal = event.data, street.legal(player)
        verb, bounds = data["verb"], legal.get(data["verb"])
        rule = action_rule(street, player, data)
        if not self.given.check(
            event, rule, verb in legal, f"{verb} is not legal here; legal are {sorted(legal)}"
        ):
            raise Lost(verb)
        amount = bounds[0] if bounds else 0
        if verb == "raise_to":
            assert bounds is not None
            amount = data["amount"]
            fits = street.fits(amount, bounds)
            self.given.check(
                event, rule, fits, f"a raise to {amount}, legal are {bounds[0]} to {bounds[1]}"
            )
        if data["expected"] is not None:
            self.same(event, "betting.call", "expected price", data["expected"], amount)
        if data["timed_out"]:
            due = "check" if "check" in legal else "fold"
            if "stay" in legal:
                due = "fold" if street.owed(player) else "stay"
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
        self.same(
            event,
            "showdown.reveal",
            "seats",
            [hand["seat"] for hand in event.data["hands"]],
            self.live(),
        )
        for hand in event.data["hands"]:
            player = self.players[hand["seat"]]
            places = [place_of(card) for card in hand["cards"]]
            cards = [card["card"] for card in hand["cards"]]
            self.same(
                event, "showdown.reveal", f"count of seat {player.number}", len(cards), player.count
            )
            if player.known:
                self.same(
                    event,
                    "showdown.reveal",
                    f"cards of {player.number}",
                    sorted(places),
                    sorted(player.kept),
                )
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
            self.same(
                event,
                "pots.unmatched",
                "seat and chips",
                [event.data["seat"], event.data["chips"]],
                list(back),
            )
            wagers[back[0]] -= back[1]
            self.players[back[0]].stack += back[1]
        elif self.peek().type == "unmatched_returned":
            self.given.check(self.peek(), "pots.unmatched", False, "everything was matched")
            self.next += 1
        pots = make_pots(wagers, live, self.data["carry"] + self.dead)
        event = self.take("pots_formed")
        found = [[pot["chips"], sorted(pot["eligible"])] for pot in event.data["pots"]]
        self.same(
            event, "pots.layers", "pots", found, [[chips, eligible] for chips, eligible in pots]
        )
        dead = [event.data["carry"], event.data["dead"]]
        self.same(
            event, "pots.layers", "carry and dead chips", dead, [self.data["carry"], self.dead]
        )
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
        """Return the winners among the *tied* seats, and the rule that decides."""
        tie = self.rules["tie"]
        if tie["kind"] == "split":
            return tied, "ties.split"
        if tuple(tied) in self.table.ranked:
            winner, rule = self.table.ranked[tuple(tied)]
            return [winner], rule
        everyone, rule = tuple(tied), "ties.draw_off"
        limit = 0 if tie["kind"] == "chance_cube" or tie["prefer_cube"] else tie["limit"]
        for _ in range(limit):
            if len(tied) == 1 or not self.can_draw(len(tied)):
                break
            tied = self.draw_off(pot, tied)
        if len(tied) > 1:
            tied, rule = [self.cube(pot, tied)], "ties.cube"
        self.table.ranked[everyone] = (tied[0], rule)
        return tied, rule

    def can_draw(self, cards: int) -> bool:
        pile, position = self.place
        return self.deal.sizes[pile] - position + self.discarded >= cards

    def draw_off(self, pot: int, tied: list[int]) -> list[int]:
        """
        Draw one open card for each seat. If a pile ends, the draw continues from the next one in an event of its own.
        """
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
            values |= {
                entry["seat"]: value_of(entry["card"]["card"]) for entry in event.data["cards"]
            }
        got = self.take_places(order, dict.fromkeys(order, 1))
        self.same(
            event,
            "ties.draw_off",
            "cards",
            found,
            {seat: places[0] for seat, places in got.items()},
        )
        return [seat for seat in order if values.get(seat) == max(values.values())]

    def cube(self, pot: int, tied: list[int]) -> int:
        event = self.take("cube_rolled")
        order = [seat for seat in self.order() if seat in tied]
        self.same(
            event,
            "ties.cube",
            "pot and seats",
            [event.data["pot"], event.data["seats"]],
            [pot, order],
        )
        draws = self.deal.draws("draws", "cube")
        if draws is not None:
            self.same(
                event, "ties.cube", "winner", event.data["winner"], order[draws.below(len(order))]
            )
        self.given.check(
            event, "ties.cube", event.data["winner"] in tied, "the winner is not among the tied"
        )
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
        self.same(
            event,
            "stacks",
            "stacks",
            {entry["seat"]: entry["stack"] for entry in data["stacks"]},
            stacks,
        )
        winners = self.awarded[0][1]
        self.same(event, "showdown.best", "winners", sorted(data["winners"]), sorted(winners))
        self.same(event, "odd_chips", "carry", data["carry"], self.carried)
        moved = sum(chips for chips, _ in self.awarded)
        self.same(event, "stacks", "chips_moved", data["chips_moved"], moved)
        broke = (
            []
            if self.counting
            else [seat for seat in sorted(self.players) if self.players[seat].stack == 0]
        )
        due = [
            {
                "entrant": self.players[seat].entrant,
                "hand_number": self.data["number"],
                "seat": seat,
                "stack_at_start": self.players[seat].start,
            }
            for seat in broke
        ]
        self.same(
            event, "elimination", "busts", sorted(data["busts"], key=lambda bust: bust["seat"]), due
        )
        self.same(event, "completeness", "hands", data["hands"], self.data["number"])

    def void(self, event: Event) -> None:
        """Check that every chip goes back, and that every card is opened: `voiding`."""
        self.deal.see_all(event)
        back = {seat: player.wager for seat, player in self.players.items() if player.wager}
        if self.dead:
            back[self.data["big_blind"]] = back.get(self.data["big_blind"], 0) + self.dead
        found = {entry["seat"]: entry["chips"] for entry in event.data["returned"]}
        self.same(event, "voiding", "returned", found, back)
        kept = [event.data["carry"], event.data["sabacc_pot"]]
        self.same(
            event,
            "voiding",
            "carry and Sabacc pot",
            kept,
            [self.data["carry"], self.data["sabacc_pot"]],
        )
        places = sorted(place_of(card) for card in event.data["cards"])
        due = sorted(
            (pile, position) for pile, size in self.deal.sizes.items() for position in range(size)
        )
        self.same(event, "voiding", "cards opened", places, due)


def action_rule(street: Street, player: Player, data: Json) -> str:
    """Return the rule that allows an action."""
    verb = data["verb"]
    if street.betting["kind"] == "fixed_continue":
        return "betting.fixed_continue" if verb == "stay" else "betting.fold"
    if verb == "fold":
        return "betting.fold" if street.owed(player) else "betting.free_fold"
    if verb != "raise_to":
        return f"betting.{verb}"
    if not street.current_bet:
        return "betting.opening_bet"
    return f"betting.{street.betting['min_raise']}"


# ---------------------------------------------------------------------------------------------------------------
# 8 Rules, a table: rulebook 4, and the rules from hand to hand
# ---------------------------------------------------------------------------------------------------------------


@dataclass
class Books:
    """The state of one seat between hands."""

    entrant: str
    stack: int
    hands_won: int = 0
    pots_won: int = 0
    timeouts: int = 0
    penalty: int = 0
    newcomer: bool = False


BETWEEN = {"table_waiting", "table_held", "table_resumed", "table_closed"}
REVISIONS = (1, 2)  # revision of the rules (`rulesets.revisions`)


def whole_rules(ruleset: Json) -> Json:
    """Return the ruleset with the parameters added later (rulebook 11.1): blinds had no `player_ante`."""
    forced = ruleset.get("forced", {})
    if forced.get("kind") != "blinds":
        return ruleset
    return ruleset | {"forced": {"player_ante": 0} | forced}


class Table:
    """One table's stream, hand by hand."""

    def __init__(self, events: list[Event], given: Evidence, tournament: Tournament | None) -> None:
        self.events, self.given, self.tournament = events, given, tournament
        opened = events[0].data
        self.id: str = opened["table"]
        self.number: int = opened["number"]
        self.ruleset: Json = opened["ruleset"]
        self.known = (
            self.ruleset["variant"] == "coruscant_shift" and self.ruleset["revision"] in REVISIONS
        )
        self.books = {
            seat["seat"]: Books(seat["entrant"], seat["stack"]) for seat in opened["seats"]
        }
        self.away: dict[int, bool] = {}
        self.ranked: dict[
            tuple[int, ...], tuple[int, str]
        ] = {}  # winner and rule of each tie in this hand
        self.before: Event | None = None  # the hand_opened before this one
        self.voided: Event | None = None
        self.carry = 0
        self.restart = True
        self.floor: Json | None = None
        self.busts: list[tuple[Event, Json]] = []
        self.winners: dict[int, list[str]] = {}  # winners of each hand's main pot, in seat order
        self.knockouts: dict[tuple[str, int], list[Any]] = {}
        self.dealt_in: set[str] = set()
        self.gone: dict[str, Books] = {}  # books of entrants who left for no other table
        self.size: int = opened.get("seat_count") or self.ruleset["max_players"]
        self.history: list[
            tuple[int, dict[int, tuple[str, int]]]
        ] = []  # entrants and stacks here, from each position on
        self.last_hand: Hand | None = None
        self.last_winners: list[int] = []
        self.carries: dict[int, int] = {}  # shares of the chips that the table carried at its end, by seat
        self.sound = True  # False once a hand could not be followed

    def run(self) -> None:
        first = self.events[0]
        found = sha(canonical(self.ruleset)).hex()
        self.given.same(first, "rulesets", "hash of the ruleset", first.data["ruleset_hash"], found)
        if not self.known:
            self.given.report.skip(
                f"rules: {self.ruleset['variant']} of revision {self.ruleset['revision']} "
                "is a game this program does not know"
            )
        starts = [place for place, event in enumerate(self.events) if event.type == "hand_opened"]
        self.note(first.position)
        self.between(self.events[1 : starts[0] if starts else len(self.events)])
        for start, end in zip(starts, [*starts, len(self.events)][1:], strict=True):
            self.one_hand(self.events[start:end])

    # -- seats and stacks over time

    def note(self, position: int) -> None:
        self.history.append(
            (position, {seat: (books.entrant, books.stack) for seat, books in self.books.items()})
        )

    def at(self, position: int) -> dict[int, tuple[str, int]]:
        """Return the seats with their stacks before *position*. Bets of a hand in play count as returned."""
        place = bisect.bisect_left(self.history, position, key=lambda entry: entry[0])
        return self.history[place - 1][1] if place else {}

    def seats_at(self, position: int) -> dict[int, str]:
        return {seat: entrant for seat, (entrant, _) in self.at(position).items()}

    def dealt_before(self, position: int) -> set[str]:
        """Return the entrants who were dealt in here before *position*, since they sat down."""
        found: set[str] = set()
        for event in self.events:
            if event.position >= position:
                break
            if event.type == "hand_opened":
                found |= {seat["entrant"] for seat in event.data["seats"] if seat["dealt"]}
            elif event.type == "arrivals_seated":
                found -= {entry["entrant"] for entry in event.data["arrivals"]}
        return found

    def stacks_at(self, position: int) -> dict[str, int]:
        return dict(self.at(position).values())

    def open_at(self, position: int) -> bool:
        closed = [event.position for event in self.events if event.type == "table_closed"]
        return self.events[0].position < position and not any(each < position for each in closed)

    def hands(self) -> list[Event]:
        """Return the first `hand_opened` of each hand here, before which nobody comes or goes."""
        return [
            event
            for event in self.events
            if event.type == "hand_opened" and event.data["deal"] == 1
        ]

    def to_play(self, position: int) -> bool:
        """True if another hand is to follow the one in play at *position*."""
        opened = [e.data for e in self.events if e.type == "hand_opened" and e.position < position]
        if not opened:
            return True
        if opened[-1]["last"] or self.ruleset["end"]["kind"] != "each_dealt_once":
            return not opened[-1]["last"]
        sat = {seat["seat"]: seat for seat in opened[-1]["seats"]}
        ends = ("hand_settled", "deal_voided")
        begun = [
            e.type
            for e in self.events
            if e.type in (*ends, "hand_opened") and e.position < position
        ]
        least = self.least(opened[-1])
        for seat, (entrant, stack) in self.at(position).items():
            if seat in opened[-1]["dealers_left"] and sat[seat]["entrant"] == entrant:
                if stack >= least or (begun[-1] == "hand_opened" and sat[seat]["dealt"]):
                    return True
        return False

    def one_hand(self, events: list[Event]) -> None:
        opened = events[0]
        masters = self.tournament.masters if self.tournament else {}
        beacon = self.beacon_of(opened, events[1:2])
        deal = Deal(opened, self.number, deck_of(self.ruleset["deck"]), masters, self.given, beacon)
        self.check_books(opened)
        self.ranked = {}
        if not self.known:
            for event in events:
                if event.type == "pile_committed" and deal.by_leaves:
                    deal.add_leaves(
                        event, event.data["pile"], event.data["size"], event.data["root"]
                    )
                deal.see_all(event)
            self.sound = False
            return
        checking = Opening(self, opened, deal)
        guarded(self.given.report, "hand_opened", checking.run, opened.position)
        if self.before is None and not checking.continues:
            # A hand's bundle does not show who else has come and gone since the table was opened.
            seats = opened.data["seats"]
            self.books = {seat["seat"]: Books(seat["entrant"], seat["stack"]) for seat in seats}
        hand = Hand(self, events, deal)
        try:
            guarded(self.given.report, "hand", hand.play, opened.position)
        except Lost as lost:
            self.given.report.differ(
                events[min(hand.next, len(events) - 1)].position, "phases", f"lost: {lost}"
            )
        self.last_hand = hand
        self.close(hand)
        self.between(events[hand.next :] if hand.settled or hand.voided else [])
        self.before = opened

    def beacon_of(self, opened: Event, behind: list[Event]) -> bytes | None:
        """Return the round that was named before this deal, with the openings that count: `beacon.deals`."""
        chain = self.tournament.chain if self.tournament else None
        mixed_in = behind[0] if behind and behind[0].type == "table_beacon_mixed" else None
        same = self.given.same
        if chain is None:
            self.given.check(
                opened, "beacon.deals", mixed_in is None, "a beacon that the terms do not name"
            )
            return None
        if not self.given.check(
            opened, "beacon.deals", mixed_in is not None, "no round of the beacon"
        ):
            return None
        assert mixed_in is not None
        pulse = mixed_in.data["pulse"]
        same(mixed_in, "beacon.deals", "chain", mixed_in.data["chain"], chain)
        check_pulse(mixed_in, chain, pulse, self.given.report)
        asked = [
            e
            for e in self.events
            if e.type == "table_beacon_awaited" and e.position < opened.position
        ]
        if self.given.check(
            opened, "beacon.deals", bool(asked), "no round was named before the deal"
        ):
            data = asked[-1].data
            found = [
                data["hand_number"],
                data["deal"],
                data["openings"],
                data["omissions"],
                data["round"],
            ]
            hand = opened.data
            due = [
                hand["number"],
                hand["deal"],
                hand["openings"],
                hand["omissions"],
                pulse["round"],
            ]
            same(asked[-1], "beacon.deals", "hand, deal, openings, omissions, round", found, due)
        return pulse_bytes(chain, pulse)

    def on_table_beacon_awaited(self, event: Event) -> None:
        data = event.data
        chain = self.tournament.chain if self.tournament else None
        self.given.same(event, "beacon.named", "chain", data["chain"], chain)
        check_named(event, data["chain"], self.given)

    def least(self, hand: Json | None) -> int:
        """Return the fewest chips with which a seat is dealt in after *hand* (`forced.short`)."""
        if self.ruleset["score"] == "hands_won":
            return 0
        if (
            self.ruleset["short_forced"] == "not_dealt_in"
            and self.ruleset["forced"]["kind"] == "ante"
            and hand
        ):
            return int(hand["level"]["amounts"]["ante"])
        return 1

    def can_be_dealt(self) -> list[int]:
        """Return the seats that could play another hand."""
        least = self.least(self.before.data if self.before else None)
        return [seat for seat, books in self.books.items() if books.stack >= least]

    def check_books(self, opened: Event) -> None:
        """Check the hand against the tournament's stream."""
        if self.tournament is None:
            return
        version = opened.data["tournament_version"]
        head = self.given.bundle.heads(self.tournament.events).get(version)
        self.given.same(
            opened, "completeness", "head of the tournament", opened.data["tournament_head"], head
        )
        due = self.tournament.terms["ruleset"]
        self.given.same(self.events[0], "rulesets", "ruleset", whole_rules(self.ruleset), whole_rules(due))
        named = self.events[0].data["ruleset_hash"]
        self.given.same(
            opened, "rulesets", "hash of the ruleset", opened.data["ruleset_hash"], named
        )

    def close(self, hand: Hand) -> None:
        """Return the books after a hand, for the next one."""
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
        self.dealt_in |= {player.entrant for player in hand.players.values()}
        for seat in hand.data["seats"]:
            books = self.books.setdefault(seat["seat"], Books(seat["entrant"], seat["stack"]))
            player = hand.players.get(seat["seat"])
            books.newcomer = books.newcomer and player is None
            books.stack = player.stack if player else seat["stack"]
            books.pots_won = seat["pots_won"] + (player.pots if player else 0)
            books.hands_won = seat["hands_won"] + (seat["seat"] in self.last_winners)
            books.timeouts = player.timeouts if player else seat["timeouts"]
            books.penalty = max(books.penalty - 1, 0)
        self.winners[data["number"]] = [hand.players[seat].entrant for seat in self.last_winners]
        for bust in data["busts"]:
            could_win = [n for n, seats in enumerate(hand.eligible) if bust["seat"] in seats]
            pot = could_win[-1] if could_win else 0
            by = [hand.players[seat].entrant for seat in hand.awarded[pot][1]]
            self.busts.append((hand.settled, bust))
            self.knockouts[bust["entrant"], data["number"]] = [pot + 1, sorted(by)]
            self.books.pop(bust["seat"], None)
            self.away.pop(bust["seat"], None)
        self.note(hand.settled.position)

    # -- between hands

    def between(self, events: list[Event]) -> None:
        for event in events:
            handler = getattr(self, f"on_{event.type}", None)
            if handler is not None:
                guarded(
                    self.given.report,
                    event.type,
                    lambda run=handler, e=event: run(e),
                    event.position,
                )
                self.note(event.position)
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
        """Check that only winners by folds turn over cards, and only their own: `showdown.show`."""
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
            if event.data["to_table"] is None and books is not None:
                self.gone[entry["entrant"]] = books
            if books is not None and self.sound:
                found = [entry["entrant"], entry["stack"]]
                self.given.same(event, "stacks", "departure", found, [books.entrant, books.stack])
        if self.sound and self.before is not None:
            # The last entrant takes the carry to the heir. An entrant who leaves without a destination may leave the
            # carry to a later move.
            due = 0 if self.books else self.carry
            stays = event.data["to_table"] is None and event.data["carry"] == 0
            if not stays:
                self.given.same(event, "seating.break_table", "carry", event.data["carry"], due)
            self.carry -= event.data["carry"]

    def on_arrivals_seated(self, event: Event) -> None:
        for entry in event.data["arrivals"]:
            empty = entry["seat"] not in self.books
            self.given.check(
                event, "newcomers", empty or not self.sound, f"seat {entry['seat']} is taken"
            )
            won = (entry["hands_won"], entry["pots_won"], entry["timeouts"])
            self.books[entry["seat"]] = Books(entry["entrant"], entry["stack"], *won, newcomer=True)
            self.gone.pop(entry["entrant"], None)  # A redraw seated the entrant here again.
            self.away[entry["seat"]] = entry["away"]
        self.carry += event.data["carry"]
        self.restart = self.restart or event.data["restart"]
        if event.data["floor"] is not None:
            self.floor = event.data["floor"]

    def on_chips_bought(self, event: Event) -> None:
        data = event.data
        books = self.books.get(data["seat"])
        if books is None:
            books = Books(data["entrant"], 0, newcomer=data["entrant"] not in self.dealt_in)
            self.books[data["seat"]] = books
        books.stack += data["chips"]
        self.given.same(event, "stacks", "stack", data["stack"], books.stack)

    def on_chips_returned(self, event: Event) -> None:
        self.books[event.data["seat"]].stack -= event.data["chips"]
        self.given.same(
            event, "stacks", "stack", event.data["stack"], self.books[event.data["seat"]].stack
        )

    def on_carry_awarded(self, event: Event) -> None:
        """
        Check the carry of a casino: one unit each to the winners of the last main pot, clockwise from the left of the
        button. Without winners it goes to all who sit there, by seat (`casino.carry`).
        """
        winners = [seat for seat in self.last_winners if seat in self.books]
        button = self.last_hand.data["button"] if self.last_hand else 0
        seats = clockwise(winners, button) or sorted(self.books)
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
        self.carries = found
        for seat, chips in found.items():
            if seat in self.books:
                self.books[seat].stack += chips
        stacks = {entry["seat"]: entry["stack"] for entry in event.data["stacks"]}
        for seat, stack in stacks.items():
            if self.sound and seat in self.books:
                self.given.same(
                    event, "stacks", f"stack of seat {seat}", stack, self.books[seat].stack
                )
        self.carry = 0


class Opening:
    """`hand_opened` compared with the hand before: seats, stacks, button, blinds, level, carry."""

    def __init__(self, table: Table, event: Event, deal: Deal) -> None:
        self.table, self.event, self.deal, self.data = table, event, deal, event.data
        self.rules = table.ruleset
        self.dealt: list[int] = [seat["seat"] for seat in self.data["seats"] if seat["dealt"]]
        self.counting = self.rules["score"] == "hands_won"
        before = table.before
        self.first = self.data["number"] == 1 or table.restart
        self.follows = before is not None and before.data["number"] == self.data["number"] - 1
        # In a hand's bundle, events may be missing between the table's opening and its first hand.
        known = all(e.previous is None for e in table.events if e.version <= event.version)
        begins = self.data["number"] == 1 and before is None and known
        self.continues = self.follows or begins

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
                self.table.given.report.skip("hands opened: the previous hand is not in the bundle")
            return
        if not self.table.sound:
            self.table.given.report.skip("hands opened: the previous hand could not be followed")
            return
        self.check_seats()
        self.same("odd_chips", "carry", self.table.carry)
        self.check_button()
        self.check_level()
        self.check_end()

    def check_openings(self) -> None:
        """
        Check the openings against the tournament's stream up to the version that the hand names: `entropy.counts`,
        `entropy.omission`.
        """
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
        due = [
            {"seat": s["seat"], "value": opened[s["entrant"]]}
            for s in seats
            if s["entrant"] in opened
        ]
        self.same("entropy.counts", "openings", due)
        left = sorted(s["entrant"] for s in seats if s["entrant"] in committed - set(opened))
        found = sorted(entry["entrant"] for entry in self.data["omissions"])
        self.table.given.same(self.event, "entropy.omission", "omissions", found, left)

    def replay(self, before: Json) -> None:
        """Check that a voided hand is dealt again with the next deal number: `voiding.replay`."""
        self.same("voiding.replay", "deal", before["deal"] + 1)
        names = (
            "stage",
            "number",
            "hand",
            "button",
            "starter",
            "small_blind",
            "big_blind",
            "level",
            "base",
            "carry",
        )
        for name in (*names, "sabacc_pot", "orbits", "first_dealer", "openings", "omissions"):
            self.same("voiding.replay", name, before[name])
        found = {seat["seat"]: (seat["entrant"], seat["stack"]) for seat in self.data["seats"]}
        due = {seat["seat"]: (seat["entrant"], seat["stack"]) for seat in before["seats"]}
        self.table.given.same(self.event, "voiding.replay", "seats and stacks", found, due)

    def check_seats(self) -> None:
        table = self.table
        found = {seat["seat"]: [seat["entrant"], seat["stack"]] for seat in self.data["seats"]}
        due = {
            number: [books.entrant, books.stack] for number, books in sorted(table.books.items())
        }
        table.given.same(self.event, "stacks", "seats and stacks", found, due)
        for seat in self.data["seats"]:
            books = table.books.get(seat["seat"])
            if books is None:
                continue
            won = [seat["hands_won"], seat["pots_won"], seat["timeouts"], seat["away"]]
            known = [
                books.hands_won,
                books.pots_won,
                books.timeouts,
                table.away.get(seat["seat"], False),
            ]
            name = f"hands and pots won, timeouts, away of seat {seat['seat']}"
            table.given.same(self.event, "absence.timeouts", name, won, known)

    def check_dealt(self) -> None:
        """Check the seats dealt in: `forced.short`."""
        if self.data["stage"] != 1:  # Result.check_played_off compares them (`finish.ties`).
            if self.table.given.bundle.kind == "hand":
                self.table.given.report.skip("the players of a hand that breaks a tie")
            return
        ante = self.data["level"]["amounts"]["ante"]
        spare = (
            self.rules["short_forced"] == "not_dealt_in" and self.rules["forced"]["kind"] == "ante"
        )
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
            moved_from = old["starter"] if starting else old["button"]
            mover = self.next_button(moved_from)
            self.same("button.first", "first_dealer", old["first_dealer"])
            passed = reaches(moved_from, mover, old["first_dealer"])
            self.same("escalation", "orbits", old["orbits"] + passed)
        button = clockwise(self.dealt, mover - 1)[-1] if starting else mover
        self.same("button", "button", button)
        self.same("words.button", "starter", mover if starting else clockwise(self.dealt, mover)[0])

    def next_button(self, moved_from: int) -> int:
        """
        Return the next dealer, never a newcomer. If everyone deals once, the button passes to those who still have to:
        `button`, `newcomers`.
        """
        can = self.can_be_dealt()
        newcomers = self.newcomers()
        seats = [seat for seat in self.dealt if seat not in newcomers]
        if self.rules["end"]["kind"] == "each_dealt_once" and self.table.before is not None:
            old = self.table.before.data
            sat = {seat["seat"]: seat["entrant"] for seat in old["seats"]}
            left = [
                seat
                for seat in old["dealers_left"]
                if seat in can and self.table.books[seat].entrant == sat.get(seat)
            ]
            seats = left or seats
        mover = clockwise(seats or self.dealt, moved_from)[0]
        self.check_waiting(mover, newcomers)
        return mover

    def can_be_dealt(self) -> list[int]:
        """Return the seats that can be dealt in. In the hand that breaks a tie, these are only the tied ones."""
        return self.table.can_be_dealt() if self.data["stage"] == 1 else self.dealt

    def newcomers(self) -> set[int]:
        """Return the seats not dealt in here yet. Return none if fewer than two others can be dealt in."""
        can = self.can_be_dealt()
        new = {seat for seat, books in self.table.books.items() if books.newcomer}
        return new if len([seat for seat in can if seat not in new]) >= 2 else set()

    def check_waiting(self, button: int, newcomers: set[int]) -> None:
        """Check that a newcomer between the button and the small blind waits, if there are blinds: `newcomers`."""
        due: list[int] = []
        if self.rules["forced"]["kind"] == "blinds" and self.rules["button"] == "moving":
            for seat in clockwise(self.can_be_dealt(), button):
                if seat not in newcomers:
                    break
                due.append(seat)
        found = [seat["seat"] for seat in self.data["seats"] if seat["waiting"]]
        self.table.given.same(self.event, "newcomers", "who waits", found, sorted(due))

    def check_dead_button(self) -> None:
        """
        Check that the big blind moves on by one seat, and that the small blind and the button follow it: `button.dead`.
        """
        assert self.table.before is not None
        old, can = self.table.before.data, self.can_be_dealt()
        big = clockwise(can, old["big_blind"])[0]
        self.same("button.dead", "big_blind", big)
        if len(can) == 2:
            small = clockwise(can, big)[0]
            self.same("button.dead", "small_blind", small)
            dealer_small = self.rules["headsup"] == "dealer_small_blind"
            self.same("button.dead", "button", small if dealer_small else big)
        else:
            self.same("button.dead", "small_blind", old["big_blind"])
            if old["small_blind"] in (big, old["button"]):  # The table had two players and now has more.
                others = [
                    seat
                    for seat in clockwise(can, old["big_blind"])
                    if seat != old["big_blind"]
                ]
                self.same("button.dead", "button", others[-1])
            elif old["small_blind"] is not None:
                self.same("button.dead", "button", old["small_blind"])
        new = self.newcomers()
        between = [seat for seat in clockwise(self.can_be_dealt(), self.data["button"])]
        waiting = sorted(
            seat for seat in between[: place_of_seat(between, old["big_blind"])] if seat in new
        )
        found = [seat["seat"] for seat in self.data["seats"] if seat["waiting"]]
        self.table.given.same(self.event, "newcomers", "who waits", found, waiting)
        self.same("button.first", "first_dealer", old["first_dealer"])
        moved = old["button"] != self.data["button"]
        passed = moved and reaches(old["button"], self.data["button"], old["first_dealer"])
        self.same("escalation", "orbits", old["orbits"] + passed)

    def first_dealer(self) -> int | None:
        """Return the first dealer, or the first starting player: `button.first`."""
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
                amounts = {
                    name: value * 2 ** self.data["orbits"] for name, value in amounts.items()
                }
            elif kind == "ante_by_players":
                inc = self.rules["escalation"]["inc"]
                players = sum(seat["stack"] > 0 for seat in self.data["seats"])
                grown = old["level"]["amounts"]["ante"] + inc.get(str(players), inc.get("*", 0))
                amounts = amounts | {"ante": grown}
        found = self.data["level"]["amounts"]
        self.table.given.same(self.event, "escalation", "amounts in force", found, amounts)

    def check_listed_level(self) -> None:
        """Check the level of a list, by the hands of this table or by the tournament's clock: `escalation.levels`."""
        terms, level = self.rules["escalation"], self.data["level"]
        if terms["by"] == "clock":
            self.check_clock_level()
            return
        step, since = 1, 1
        if self.first and self.table.floor is not None:
            names = ("ante", "big", "small")
            same_amounts = [
                {name: each[name] for name in names} == self.table.floor for each in terms["levels"]
            ]
            step = same_amounts.index(True) + 1 if any(same_amounts) else 0
            if not self.table.given.check(
                self.event, "escalation.merged", step > 0, "amounts of no level"
            ):
                return
        elif self.table.before is not None:
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
        """
        Check that the level is the one in force in the tournament's stream when the hand was opened: `levels.clock`.
        """
        if self.table.tournament is None:
            return
        version = self.data["tournament_version"]
        kinds = ("clock_started", "level_raised", "clock_set")
        raised = [event for event in self.table.tournament.events if event.type in kinds]
        in_force = [event.data for event in raised if event.version <= version]
        found = [self.data["level"]["number"], self.data["level"]["amounts"]]
        due = [in_force[-1]["level"], in_force[-1]["amounts"]] if in_force else None
        self.table.given.same(self.event, "levels.clock", "level and amounts", found, due)

    def check_end(self) -> None:
        """
        Check which players still have to deal, and if this hand is the last: `finish.each_dealt_once`,
        `finish.hands_max`.
        """
        tournament = self.table.tournament
        end = self.rules["end"]
        hands = tournament.most_hands(self.table.id) if tournament else None
        once = end["kind"] == "each_dealt_once" or (
            tournament and tournament.of_round(self.table.id) and hands is None
        )
        if once:
            due = self.dealt
            if self.table.before is not None:
                here = {seat["seat"]: seat["entrant"] for seat in self.data["seats"]}
                old = self.table.before.data
                sat = {seat["seat"]: seat["entrant"] for seat in old["seats"]}
                due = [seat for seat in old["dealers_left"] if here.get(seat) == sat.get(seat)]
            due = [seat for seat in due if seat != self.data["button"]]
            self.same("finish.each_dealt_once", "dealers_left", due)
        if self.data["stage"] != 1:
            self.same("finish.ties", "last", True)
            return
        ended = self.follows and self.table.before is not None and self.table.before.data["last"]
        rule = "finish.each_dealt_once" if once else "finish.hands_max"
        self.table.given.check(self.event, rule, not ended, "a hand after the last one")
        if tournament is None or tournament.closes_otherwise():
            return
        most = min(
            filter(None, (hands, tournament.terms["hands_max"], end.get("hands"))), default=None
        )
        for event in tournament.of("last_hands_counted"):
            counted = event.data["last_hand"]
            if event.data["table"] == self.table.id and self.data["number"] > event.data["hand"]:
                if most is None or counted < most:
                    most, rule = counted, "finish.last_hands"
        last = (once and not self.data["dealers_left"]) or bool(
            most and self.data["number"] >= most
        )
        self.same(rule, "last", last)

    def first_amounts(self) -> Json:
        if self.table.floor is not None:
            return self.table.floor
        forced = self.rules["forced"]
        if forced["kind"] == "blinds":
            ante = forced["table_ante"] or forced.get("player_ante", 0)
            return {"ante": ante, "big": forced["big"], "small": forced["small"]}
        return {"ante": forced.get("amount", 0), "big": 0, "small": 0}


def place_of_seat(order: list[int], seat: int) -> int:
    """Return the place that *seat* would have in *order*, which goes clockwise."""
    return (
        (order.index(seat) if seat in order else clockwise([*order, seat], order[-1]).index(seat))
        if order
        else 0
    )


def hands_to_come(
    rules: Json, old: Json, able: list[int], new: set[int]
) -> Iterator[tuple[int, int | None, list[int]]]:
    """
    Yield the hands after *old* without end, as if nobody came, left or went broke.

    Each has the seat of the big blind (of the dealer if there are no blinds), the seat of the small blind, and the
    seats dealt in. *able* can be dealt in. *new* are those of them that came since *old*.
    """
    blinds = rules["forced"]["kind"] == "blinds"
    starts = rules["button"] == "starter"
    marker = old["starter"] if starts else old["button"]
    small, big = old["small_blind"], old["big_blind"]
    dealers = old["dealers_left"] if rules["end"]["kind"] == "each_dealt_once" else []
    small_dealer = rules["headsup"] == "dealer_small_blind"
    while True:
        dealt = sorted(able)
        if rules["button"] == "dead" and small and big:
            next_big = clockwise(able, big)[0]
            if len(able) == 2:
                other = clockwise(able, next_big)[0]
                marker, small = (other if small_dealer else next_big), other
            else:
                others = [seat for seat in clockwise(able, big) if seat != big]
                marker = others[-1] if small in (next_big, marker) else small
                order = clockwise(able, marker)
                waits = {seat for seat in order[: place_of_seat(order, big)] if seat in new}
                small = big
                if len(able) - len(waits) > 1:
                    dealt = [seat for seat in dealt if seat not in waits]
            big = next_big
        else:
            regular = [seat for seat in able if seat not in new]
            regular = regular if len(regular) > 1 else able
            marker = clockwise([seat for seat in dealers if seat in able] or regular, marker)[0]
            dealers = [seat for seat in dealers if seat != marker]
            if blinds:
                order = clockwise(able, marker)
                order = order[order.index(clockwise(regular, marker)[0]) :]
                dealt, small, big = sorted(order), order[0], order[1]
                if len(order) == 2 and small_dealer:
                    small, big = big, small
        turn = big if blinds else clockwise(able, marker - 1)[-1] if starts else marker
        yield turn, small if blinds else None, dealt
        new = new - set(dealt)


def turns_to_come(rules: Json, old: Json, able: list[int], new: set[int]) -> dict[int, int]:
    """Return the number of hands until each seat posts the big blind, or deals. 1 is the next hand."""
    found: dict[int, int] = {}
    if len(able) > 1:
        hands = itertools.islice(hands_to_come(rules, old, able, new), 2 * len(able) + 2)
        for number, (seat, _, _) in enumerate(hands, start=1):
            found.setdefault(seat, number)
    return found


def reaches(before: int, now: int, seat: int) -> bool:
    """True if going clockwise from *before* to *now* reaches or passes *seat*."""
    if now > before:
        return before < seat <= now
    return seat > before or seat <= now


# ---------------------------------------------------------------------------------------------------------------
# 8 Rules, a tournament: its events in their order, each read by the parts below
# ---------------------------------------------------------------------------------------------------------------

# Events of a tournament in which only the place in the chain can be checked.
PLAIN = {
    "tournament_announced",
    "tournament_drafted",
    "terms_revised",
    "registration_opened",
    "tournament_paused",
    "tournament_resumed",
    "announcement_posted",
    "check_in_opened",
    "entry_refused",
    "seeds_published",
    "entropy_committed",
    "entropy_opened",
    "draft_discarded",
    "entrant_warned",
    "table_hold_ordered",
    "table_released",
    "move_ordered",
    "play_closing",
    "break_announced",
    "result_released",
    "rebuy_declared",
    "no_show_seated",
    "tables_recorded",
    "round_closing",
}


NO_FEES = {
    "add_on": None,
    "amounts": [],
    "bounty": 0,
    "buy_in": 0,
    "cancellation": "refund_all",
    "fee": 0,
}
NO_FEES |= {
    "cancellation_in_money": "lowest_unpaid_then_chips",
    "guaranteed": 0,
    "paid_percent": None,
}
NO_FEES |= {"payment": "on_trust", "rebuy": None, "table": [], "unit": 1}
NO_ENTRY = {
    "approval": False,
    "check_in_opens_before_seconds": None,
    "late_registration_level": None,
}
NO_ENTRY |= {
    "late_registration_seconds": None,
    "no_show": "release",
    "offer_seconds": 0,
    "postponements_max": 0,
}
NO_ENTRY |= {"re_entries_max": 0, "waitlist": False}
NO_FLOOR = {
    "breaks": [],
    "final_table_size": None,
    "last_hands": None,
    "redraw_at": [],
    "size_tolerance": 1,
}
NO_FLOOR |= {
    "hand_for_hand": {"at_bubble": False, "at_left": None, "clock_seconds": 0, "ties": "shared"}
}
# Defaults for terms that an older schema announced.
BEFORE: Json = {
    "entry": NO_ENTRY,
    "fees": NO_FEES,
    "floor": NO_FLOOR,
    "format": {"kind": "freezeout"},
}


class Tournament:
    """One tournament's stream. The parts share its state up to the event they read."""

    def __init__(self, events: list[Event], given: Evidence) -> None:
        self.events, self.given = events, given
        announced = [event for event in events if event.type == "tournament_announced"][-1].data
        older = {name: value | announced.get(name, {}) for name, value in BEFORE.items()}
        self.terms: Json = announced | older  # Older announcements lack members that were added later.
        self.id = bytes.fromhex(self.terms["tournament"][4:])
        self.masters: dict[str, bytes] = {}
        self.tables: list[Table] = []
        self.ever: dict[str, Json] = {}  # everybody who was ever registered, in order of registration
        self.entrants: dict[str, Json] = {}  # those of them who have not withdrawn
        self.placed: dict[str, tuple[int, int]] = {}  # each entrant's place, and the number of entrants who share it
        self.order: list[int] = []  # the order in which tables break
        self.started = False
        self.drawn = 0
        self.results: list[tuple[int, Json]] = []  # (position, event data) of each result while it was valid
        self.kinds = {event.type for event in events}
        self.by_kind: dict[str, list[Event]] = {}
        for event in events:
            self.by_kind.setdefault(event.type, []).append(event)
        named = self.of("beacon_named")
        self.chain: Json | None = named[-1].data["chain"] if named else None
        self.is_casino: bool = self.terms["ruleset"]["end"]["kind"] == "open"
        self.find_masters()
        self.entering, self.places, self.money = Entering(self), Places(self), Money(self)
        self.rounds, self.casino = Rounds(self), Casino(self)
        self.parts: list[Part] = [TermsChanges(self), self.entering, self.places, self.money]
        self.parts += [self.casino, self.rounds]
        self.parts += [Seating(self), Clock(self)]
        self.parts += [Floor(self), Beacon(self), Result(self)]

    def of(self, kind: str) -> list[Event]:
        return self.by_kind.get(kind, [])

    def sound(self) -> bool:
        """True if every hand could be followed. A hand that could not is already reported."""
        return all(table.sound for table in self.tables)

    def table(self, identifier: str) -> Table | None:
        return next((table for table in self.tables if table.id == identifier), None)

    def left(self) -> list[str]:
        """Return the entrants without a place, in order of registration."""
        return [name for name in self.entrants if name not in self.placed]

    def run(self) -> None:
        self.check_entropy()
        self.check_recorded()
        hands = [
            (e.data["tournament_version"], e.position, e, table)
            for table in self.tables
            for e in table.hands()
        ]
        hands.sort(key=lambda entry: entry[:2])
        for event in self.events:
            while hands and hands[0][0] < event.version:
                self.before_hand(*hands.pop(0)[2:])
            self.started = self.started or event.type == "play_started"
            handlers = [getattr(part, f"on_{event.type}", None) for part in self.parts]
            for handler in filter(None, handlers):
                guarded(
                    self.given.report,
                    event.type,
                    lambda run=handler, e=event: run(e),
                    event.position,
                )
            if not any(handlers) and event.type not in PLAIN:
                self.given.report.skip(f"events of type {event.type} in a tournament")
        for *_, hand, table in hands:
            self.before_hand(hand, table)
        for part in self.parts:
            guarded(self.given.report, "tournament", part.end, self.events[-1].position)

    def before_hand(self, hand: Event, table: Table) -> None:
        """Check that all work due between two hands was done when *hand* was opened."""
        for part in self.parts:
            guarded(
                self.given.report,
                "hand_opened",
                lambda run=part.before_hand: run(hand, table),
                hand.position,
            )

    def closes_otherwise(self) -> bool:
        """True if a person, or something other than the terms, made a hand the last."""
        kinds = {"play_closing", "payout_deal_made", "tournament_cancelled", "round_closing"}
        return bool(kinds & self.kinds)

    def of_round(self, table: str) -> bool:
        return any(
            seat["table"] == table
            for event in self.of("round_seated")
            for seat in event.data["tables"]
        )

    def most_hands(self, table: str) -> int | None:
        """Return the number of hands after which the terms end a round at *table*, or None if they set none."""
        return self.terms["format"]["hands_per_round"] if self.of_round(table) else None

    def find_masters(self) -> None:
        """Check the masters against their commitments in `registration_opened`."""
        finished = self.of("tournament_finished")
        for event in self.of("registration_opened")[:1]:
            for name, uses in (("cards", ("cards",)), ("open", ("dice", "draws"))):
                opened = self.given.opened.values.get((event.position, f"/{name}"))
                if name == "open" and finished:
                    shown = finished[0].data["open_master"]
                    text = "open_master does not match its commitment"
                    self.given.check(finished[0], "generator.seeds", opened in (None, shown), text)
                    opened = shown
                for published in self.of("seeds_published") if name == "cards" else []:
                    shown = published.data["cards_master"]
                    text = "the published master does not match its commitment"
                    self.given.check(
                        published, "entropy.publication", opened in (None, shown), text
                    )
                    opened = shown
                if opened is None:
                    asked = self.given.bundle.kind != "hand" and not (
                        name == "cards" and self.given.bundle.by_leaves()
                    )
                    if asked:
                        self.given.report.skip(f"the master of {name}: not opened")
                    continue
                master = bytes.fromhex(opened)
                found, due = (
                    master_commitment(self.id, name, master).hex(),
                    event.data[f"{name}_commitment"],
                )
                what = f"the master {name} is not the one committed to"
                self.given.report.check(
                    "masters", found == due, event.position, "generator.seeds", what
                )
                for use in uses:
                    self.masters[use] = master

    # -- draws

    def draws(self, event: Event, label: str, number: int) -> Draws | None:
        """
        Return the stream of the tournament's draw *number* (`generator.labels`), or None if the master is not opened.
        """
        self.drawn += 1
        self.given.same(event, "generator.labels", "number of the draw", number, self.drawn)
        if "draws" not in self.masters:
            self.given.report.skip("seat draws: the master is not opened")
            return None
        seed = seed_of(self.masters["draws"], "draws", 0, number, 1)
        return Draws(
            seed, label, 1, commitments_digest(self.commitments(event), self.seats_beacon(event))
        )

    def seats_beacon(self, event: Event) -> bytes | None:
        """Return the round that the seats were drawn with. Every draw at table 0 uses it: `beacon.seats`."""
        recorded = [e for e in self.of("beacon_recorded") if e.version <= event.version]
        if self.chain is None or not recorded:
            self.given.check(
                event,
                "beacon.seats",
                self.chain is None,
                "drawn before the beacon's round was recorded",
            )
            return None
        return pulse_bytes(self.chain, recorded[-1].data["pulse"])

    def check_draw(self, event: Event, rule: str, candidates: list[str]) -> None:
        """Check that `draw` of *event* has the order that its label gives for *candidates*."""
        draw = event.data["draw"]
        draws = self.draws(event, draw["label"], draw["number"])
        if draws is not None:
            self.given.same(event, rule, "order drawn", draw["order"], draws.shuffled(candidates))

    def commitments(self, event: Event) -> list[bytes]:
        """
        Return the commitments of everybody who registered, in order, including those who are out: `entropy.draws`.
        """
        committed = {e.data["entrant"]: e.data["commitment"] for e in self.of("entropy_committed")}
        if not committed:
            return []
        before = [e for e in self.events if e.version <= event.version]
        gone = {
            e.data["entrant"] for e in before if e.type in ("entrant_withdrawn", "no_show_released")
        }
        names = [e.data["entrant"] for e in before if e.type == "entrant_registered"]
        if any(e.type == "check_in_opened" for e in before):
            since = max([0] + [e.version for e in before if checks_in_again(e)])
            here: set[str] = set()
            for e in before:
                if e.type == "entrant_checked_in" and e.version > since:
                    here.add(e.data["entrant"])
                elif e.type == "check_in_undone":
                    here.discard(e.data["entrant"])
            names = [name for name in names if name in here]
        return [
            bytes.fromhex(committed[name])
            for name in names
            if name in committed and name not in gone
        ]

    def check_entropy(self) -> None:
        """
        Check that each is made once, in time, and that openings match their commitments: `entropy.commit`,
        `entropy.open`, `entropy.late`.
        """
        committed: dict[str, str] = {}
        opened: set[str] = set()
        seated = self.of("seats_drawn") + self.of("round_seated")
        drawn = min((event.version for event in seated), default=None)
        for event in self.of("entropy_committed"):
            entrant = event.data["entrant"]
            early = entrant not in committed and (drawn is None or event.version < drawn)
            self.given.check(
                event, "entropy.commit", early, "committed twice, or after the seat draw"
            )
            committed[entrant] = event.data["commitment"]
        for event in self.of("entropy_opened"):
            entrant = event.data["entrant"]
            found = sha(b"holotable/entropy/1" + bytes.fromhex(event.data["value"])).hex()
            self.given.same(event, "entropy.open", "commitment", found, committed.get(entrant))
            in_time = entrant not in opened and drawn is not None and event.version > drawn
            self.given.check(
                event, "entropy.open", in_time, "opened twice, or before the seat draw"
            )
            late = [
                hand
                for table in self.tables
                for hand in table.events
                if hand.type == "hand_opened" and hand.position < event.position
                if any(seat["entrant"] == entrant for seat in hand.data["seats"])
            ]
            self.given.check(event, "entropy.late", not late, "opened after the first hand")
            opened.add(entrant)

    def check_recorded(self) -> None:
        """Check the last hash and the hands of every table. This finds a table that was dropped or cut."""
        for event in self.of("tables_recorded"):
            opened = sorted(self.tables, key=lambda table: table.events[0].position)
            order = [entry["table"] for entry in event.data["tables"]]
            self.given.same(
                event, "completeness", "order of tables", order, [table.id for table in opened]
            )
            found = {
                entry["table"]: [entry["version"], entry["hash"], entry["hands"]]
                for entry in event.data["tables"]
            }
            due = {}
            for table in self.tables:
                heads = self.given.bundle.heads(table.events)
                until = found.get(table.id, [max(heads)])[0]
                last = max(version for version in heads if version <= until)
                ended = [e for e in table.events if e.type == "hand_settled" and e.version <= last]
                due[table.id] = [last, heads[last], len(ended)]
            self.given.same(event, "completeness", "tables", found, due)


def checks_in_again(event: Event) -> bool:
    """True if everybody has to check in again after *event*."""
    return event.type == "start_postponed" or (
        event.type == "terms_changed" and bool(event.data["check_in_again"])
    )


class Part:
    """One concern of a tournament. `on_<type>` reads an event, and `end` checks the whole."""

    def __init__(self, tournament: Tournament) -> None:
        self.all = tournament
        self.given = tournament.given
        self.terms = tournament.terms

    def same(self, event: Event, rule: str, name: str, found: object, due: object) -> bool:
        return self.given.same(event, rule, name, found, due)

    def check(self, event: Event, rule: str, holds: bool, text: str) -> bool:
        return self.given.check(event, rule, holds, text)

    def skip(self, what: str) -> None:
        self.given.report.skip(what)

    def before_hand(self, hand: Event, table: Table) -> None:
        """Do nothing. A part may check the state of the tournament before each hand."""

    def end(self) -> None:
        """Do nothing. A part may check the end of the tournament."""


# ---------------------------------------------------------------------------------------------------------------
# 8 Rules, entering: rulebook 17
# ---------------------------------------------------------------------------------------------------------------


# Terms that may change after the announcement, each until its time.
CHANGING = (
    "name",
    "starts_at",
    "registration_opens_at",
    "entrants_min",
    "entrants_max",
    "payouts",
    "prize_pool",
    "currency",
    "fees",
    "entry",
    "place",
    "length_seconds",
)
MOVING = ("floor", "format")  # These hold times that move with the start.
PRIZES = ("guaranteed", "table", "amounts", "paid_percent", "unit")
LATE_ENTRY = ("late_registration_level", "late_registration_seconds", "re_entries_max")
MINUTE = 60_000_000  # time between a decision and its event


class TermsChanges(Part):
    """Changes of announced terms by staff: rulebook 17.24 to 17.29. The parts below read the new terms."""

    def on_terms_changed(self, event: Event) -> None:
        old, new = dict(self.terms), event.data
        own = {*CHANGING, *MOVING, "type", "by", "reason", "rule"}
        own |= {"check_in_again", "late_registration_until"}
        for name in set(new) - own:
            if name in old and name != "ruleset":  # Older announcements hold older rulesets.
                self.same(event, "terms.changed", name, new[name], old[name])
        self.check_start(event, old)
        self.check_fees(event, old)
        if self.all.started:
            self.check_in_play(event, old)
        before = self.all.money.prizes()
        for name in (*CHANGING, *MOVING):
            self.terms[name] = new[name]
        closed = self.all.started or self.all.entering.closed
        if closed and old["currency"] is not None:
            self.check_prizes(event, old, before)
        self.check_times(event)

    def check_start(self, event: Event, old: Json) -> None:
        """Check that the start changes only before play begins, and the times that depend on it: `terms.start`."""
        moved = microseconds(event.data["starts_at"]) - microseconds(old["starts_at"])
        self.check(event, "terms.start", not (moved and self.all.started), "play had begun")
        ends, now = old["floor"].get("last_hands_at"), event.data["floor"]["last_hands_at"]
        if ends is not None and now is not None:
            self.same(event, "terms.start", "hours", microseconds(now) - microseconds(ends), moved)
        rounds = zip(
            old["format"].get("starts_at", []), event.data["format"].get("starts_at", []), strict=True
        )
        for was, is_ in rounds:
            self.same(event, "terms.start", "hours", microseconds(is_) - microseconds(was), moved)

    def check_fees(self, event: Event, old: Json) -> None:
        """Check that the price of an entry does not change after the first one: `terms.fees`."""
        if not self.all.ever:
            return
        for name in set(old["fees"]) - set(PRIZES):
            found = event.data["fees"][name]
            self.same(event, "terms.fees", name, found, old["fees"][name])
        kept = old["currency"] in (None, event.data["currency"])
        self.check(event, "terms.fees", kept, "the currency changed after the first entry")

    def check_in_play(self, event: Event, old: Json) -> None:
        """Check that of the terms of entry only late registration changes, while it is open: `terms.late`."""
        self.same(
            event, "terms.changed", "entrants_min", event.data["entrants_min"], old["entrants_min"]
        )
        entry, late = event.data["entry"], self.all.entering.late
        for name in old["entry"]:
            if name in LATE_ENTRY and late:
                missing = (entry[name] is None, old["entry"][name] is None)
                self.same(event, "terms.late", f"null {name}", *missing)
            else:
                self.same(event, "terms.late", name, entry[name], old["entry"][name])

    def check_prizes(self, event: Event, old: Json, before: list[int]) -> None:
        """
        Check that once registration has closed the shares do not change, and no place is worth less: `terms.prizes`.
        """
        self.same(event, "terms.prizes", "payouts", event.data["payouts"], old["payouts"])
        for name in PRIZES[1:]:
            found = event.data["fees"][name]
            self.same(event, "terms.prizes", name, found, old["fees"][name])
        least = event.data["fees"]["guaranteed"] >= old["fees"]["guaranteed"]
        kept = event.data["prize_pool"] >= old["prize_pool"] and least
        self.check(event, "terms.prizes", kept, "the house took money back")
        after = self.all.money.prizes()
        held = all(
            place < len(after) and after[place] >= was for place, was in enumerate(before)
        )
        self.check(event, "terms.prizes", held, "a place is worth less than before")

    def check_times(self, event: Event) -> None:
        """Check check-ins after a postponed start, and the end of late registration."""
        data, entry = event.data, event.data["entry"]
        opens = entry["check_in_opens_before_seconds"]
        ahead = False
        if opens is not None:
            ahead = microseconds(data["starts_at"]) - opens * 1_000_000 > event.at - MINUTE
        again = ahead and not self.all.started and self.all.entering.opened(event)
        self.check(event, "terms.start", again or not data["check_in_again"], "nobody checks in")
        until, seconds = data["late_registration_until"], entry["late_registration_seconds"]
        timed = self.all.started and self.all.entering.late and seconds is not None
        self.same(event, "terms.late", "an end by time", until is not None, timed)
        if until is not None and timed:
            length = microseconds(until) - self.all.of("play_started")[0].at
            near = abs(length - seconds * 1_000_000 - self.all.entering.late_longer) < MINUTE
            self.check(event, "terms.late", near, "it is not as long as the terms say")


class Entering(Part):
    """Registration, the waitlist, and withdrawals before play."""

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.line: dict[str, Json] = {}  # waiting players, in turn
        self.offered: dict[str, Json] = {}
        self.asked: dict[str, Json] = {}
        self.approved: set[str] = set()
        self.here: set[str] = set()
        self.late = False  # True while late registration is allowed
        # Of late registration: the instant from which outages count, and the end.
        self.late_ends: tuple[int, int] | None = None
        # Of each offer: the instant from which outages count, the first end, and the end.
        self.offers_end: dict[str, tuple[int, int, int]] = {}
        self.late_longer = 0  # microseconds that outages have added to late registration
        self.closed = False
        self.postponed = 0
        self.postponed_to: int | None = None  # the start, if it was postponed since the terms last changed
        self.kept = 0  # number of entrants with a place when the terms last changed

    def on_entry_requested(self, event: Event) -> None:
        self.check(
            event, "entry.approval", self.terms["entry"]["approval"], "no approval is needed here"
        )
        self.asked[event.data["entrant"]] = event.data

    def on_entry_request_withdrawn(self, event: Event) -> None:
        self.check(event, "entry.approval", event.data["entrant"] in self.asked, "nobody had asked")
        self.check_by(event, self.player_of(event.data["entrant"]))
        self.asked.pop(event.data["entrant"], None)

    def on_entry_approved(self, event: Event) -> None:
        self.approved.add(event.data["entrant"])
        if self.given.bundle.withheld_in(event.stream):
            self.skip("requests for admission: withheld")
            return
        self.check(event, "entry.approval", event.data["entrant"] in self.asked, "nobody had asked")

    def on_entrant_registered(self, event: Event) -> None:
        data, name = event.data, event.data["entrant"]
        self.same(event, "registration", "number", data["number"], len(self.all.ever) + 1)
        self.check(event, "registration", name not in self.all.ever, "registered twice")
        known = self.asked.get(name) or self.line.get(name) or self.offered.get(name)
        kept = name in self.offered  # the place was reserved until the answer
        if known is not None:
            self.same(event, "registration", "player", data["player"], known["player"])
        self.check_again(event, data["player"])
        self.check_by(event, data["player"])
        self.check_approved(event)
        self.all.ever[name] = self.all.entrants[name] = data
        self.offered.pop(name, None)
        self.line.pop(name, None)
        taken = len(self.all.entrants) + len(self.offered)
        if not self.all.started:
            late = bool(known) or name in self.approved
            self.check(event, "registration", not self.closed or late, "registration had closed")
        late = self.all.started and not self.all.is_casino
        free = taken <= self.terms["entrants_max"]
        self.check(event, "registration", free or late or kept, "no place was free")

    def check_by(self, event: Event, player: str | None) -> None:
        """Check that an event names staff only if they acted for the player: `entry.by_staff`."""
        by = event.data.get("by")
        text = "the member of staff is the player"
        self.check(event, "entry.by_staff", by is None or by != player, text)

    def check_approved(self, event: Event) -> None:
        """Check that a player's first entry was approved, or made by staff: `entry.approval`."""
        data = event.data
        again = any(each["player"] == data["player"] for each in self.all.ever.values())
        waits = self.line.get(data["entrant"]) or self.offered.get(data["entrant"]) or {}
        told = data["entrant"] in self.approved or data.get("by") or waits.get("by")
        needless = not self.terms["entry"]["approval"] or again or self.all.is_casino
        self.check(event, "entry.approval", bool(needless or told), "nobody approved this entry")

    def player_of(self, name: str) -> str | None:
        """Return the player of an entrant or a waiting applicant. None if no event names one."""
        for known in (self.all.ever, self.line, self.offered, self.asked):
            if name in known:
                return str(known[name]["player"])
        return None

    def check_again(self, event: Event, player: str) -> None:
        """Check that a player has one entry at a time, and no more entries than the terms allow: `entry.re_entry`."""
        mine = [name for name, entrant in self.all.entrants.items() if entrant["player"] == player]
        if not mine:
            return
        if self.all.is_casino:
            out = all(name in self.all.casino.gone for name in mine)
            self.check(event, "casino.sit_down", out, "this player has not left")
            return
        out = all(name in self.all.placed for name in mine)
        few = len(mine) <= self.terms["entry"]["re_entries_max"]
        self.check(
            event,
            "entry.re_entry",
            out and few and self.late,
            "this player is still in, or has no entry left",
        )

    def on_entrant_withdrawn(self, event: Event) -> None:
        name = event.data["entrant"]
        self.check(event, "registration", name in self.all.entrants, "this entrant was not registered")
        self.check_by(event, self.player_of(name))
        if not self.all.started:
            self.all.entrants.pop(name, None)
        else:
            self.skip("withdrawals during play")

    # -- the waitlist

    def on_entrant_waitlisted(self, event: Event) -> None:
        data = event.data
        self.check(event, "waitlist", self.terms["entry"]["waitlist"], "there is no waitlist")
        self.check(event, "waitlist", data["entrant"] not in self.line, "already on the waitlist")
        self.check_by(event, data["player"])
        self.line[data["entrant"]] = data

    def first_in_line(self, event: Event, rule: str, present: bool) -> None:
        """Check that offers and places go to the first player on the waitlist, or the first checked in there."""
        names = [name for name in self.line if name not in self.offered]
        if present and self.terms["entry"]["check_in_opens_before_seconds"] is not None:
            names = [name for name in names if name in self.here]
        self.same(event, rule, "first on the waitlist", event.data["entrant"], names[0] if names else None)
        self.same(event, rule, "line", event.data["candidates"], names)

    def on_place_offered(self, event: Event) -> None:
        self.first_in_line(event, "waitlist.offer", present=False)
        until = microseconds(event.data["until"]) - event.at
        text = "an offer is open longer than the terms say"
        self.check(
            event, "waitlist.offer", until <= self.terms["entry"]["offer_seconds"] * 1_000_000, text
        )
        ends = microseconds(event.data["until"])
        self.offers_end[event.data["entrant"]] = (event.at, ends, ends)
        self.offered[event.data["entrant"]] = self.line.get(event.data["entrant"], event.data)
        free = len(self.all.entrants) + len(self.offered) <= self.terms["entrants_max"]
        self.check(event, "waitlist.offer", free, "no place was free")

    def on_offer_extended(self, event: Event) -> None:
        """Check that an offer grows in all by no more time than has passed, and not past the end of registration."""
        name, until = event.data["entrant"], microseconds(event.data["until"])
        self.check(event, "levels.outage", name in self.offered, "nothing was offered")
        since, first, before = self.offers_end.get(name, (event.at, until, until))
        grows = before < until <= first + event.at - since + MINUTE
        self.check(event, "levels.outage", grows, "an offer grows by more time than has passed")
        early = self.terms["entry"]["registration_closes_before_seconds"] * 1_000_000
        starts = self.postponed_to
        if starts is None:
            starts = microseconds(self.terms["starts_at"])
        self.check(event, "levels.outage", until <= starts - early, "an offer outlasts registration")
        self.offers_end[name] = (since, first, until)

    def on_offer_withdrawn(self, event: Event) -> None:
        self.check(
            event,
            "registration.closed",
            event.data["entrant"] in self.offered,
            "nothing was offered",
        )
        self.offered.pop(event.data["entrant"], None)

    def on_waitlist_left(self, event: Event) -> None:
        self.check(event, "waitlist", event.data["entrant"] in self.line, "this player was not on the waitlist")
        self.check_by(event, self.player_of(event.data["entrant"]))
        self.line.pop(event.data["entrant"], None)
        self.offered.pop(event.data["entrant"], None)

    def on_waitlist_taken(self, event: Event) -> None:
        self.first_in_line(event, "waitlist.taken", present=True)
        now = any(other.at == event.at for other in self.all.of("registration_closed"))
        self.check(event, "waitlist.taken", self.closed or now, "registration has not closed")

    # -- check-in and the start

    def on_entrant_checked_in(self, event: Event) -> None:
        name = event.data["entrant"]
        known = name in self.all.entrants or name in self.line
        self.check(event, "check_in", known, "this player is neither registered nor on the waitlist")
        self.check_by(event, self.player_of(name))
        self.here.add(name)

    def on_check_in_undone(self, event: Event) -> None:
        """Check that only check-ins are undone, and only before play: `check_in.undone`."""
        name = event.data["entrant"]
        holds = name in self.here and not self.all.started
        self.check(event, "check_in.undone", holds, "this entrant had not checked in, or plays already")
        self.here.discard(name)

    def on_no_show_released(self, event: Event) -> None:
        name = event.data["entrant"]
        holds = name in self.all.entrants and name not in self.here
        self.check(
            event,
            "no_show.release",
            holds,
            "an entrant lost the place who had checked in or was not registered",
        )
        self.same(event, "no_show.release", "no_show", self.terms["entry"]["no_show"], "release")
        self.all.entrants.pop(name, None)

    def present(self, event: Event) -> int:
        """Return the number of entrants that count at the start. A player who did not check in loses the place."""
        if not self.opened(event) or self.terms["entry"]["no_show"] != "release":
            return len(self.all.entrants)
        entered = sum(name in self.here for name in self.all.entrants)
        here = entered + sum(name in self.here for name in self.line)
        return max(entered, min(here, int(self.terms["entrants_max"])))

    def opened(self, event: Event) -> bool:
        """True if check-in opened before *event* and since the last time that everybody had to check in again."""
        again = [e for e in self.all.events if e.version < event.version and checks_in_again(e)]
        since = again[-1].version if again else 0
        return any(since < e.version < event.version for e in self.all.of("check_in_opened"))

    def on_terms_changed(self, event: Event) -> None:
        """Check that fewer places remove nobody who has a place or an offer of one: `terms.places`."""
        self.postponed_to = None
        self.kept = len(self.all.entrants) + len(self.offered)
        self.approved |= set(self.line)  # They joined the waitlist under the earlier terms.
        if self.late_ends is not None and event.data["late_registration_until"] is not None:
            until = microseconds(event.data["late_registration_until"])
            self.late_ends = (self.late_ends[0], until)
        if event.data["check_in_again"]:
            self.here.clear()

    def on_start_postponed(self, event: Event) -> None:
        self.postponed += 1
        self.postponed_to = microseconds(event.data["until"])
        few = self.present(event) < self.terms["entrants_min"]
        self.here.clear()
        self.closed = False
        self.same(event, "registration.postponed", "number", event.data["number"], self.postponed)
        most = self.terms["entry"]["postponements_max"]
        text = "enough had entered, or it was postponed too often"
        self.check(event, "registration.postponed", few and self.postponed <= most, text)

    def on_registration_closed(self, event: Event) -> None:
        self.closed = True
        self.same(event, "registration", "entrants", event.data["entrants"], len(self.all.entrants))
        few = len(self.all.entrants) <= max(self.terms["entrants_max"], self.kept)
        self.check(event, "registration", few, "more entrants than the terms allow")

    def on_play_started(self, event: Event) -> None:
        self.same(event, "registration", "entrants", event.data["entrants"], len(self.all.entrants))
        enough = len(self.all.entrants) >= self.terms["entrants_min"]
        self.check(
            event, "registration.too_few_entrants", enough, "fewer entrants than the terms ask for"
        )

    def on_tournament_cancelled(self, event: Event) -> None:
        if event.data["rule"] == "registration.too_few_entrants":
            few = self.present(event) < self.terms["entrants_min"]
            self.check(event, "registration.too_few_entrants", few, "enough had entered")

    # -- late entries

    def on_late_registration_opened(self, event: Event) -> None:
        entry = self.terms["entry"]
        found = [event.data["level"], event.data["until"] is not None]
        due = [entry["late_registration_level"], entry["late_registration_seconds"] is not None]
        self.same(event, "entry.late", "end of late registration", found, due)
        if event.data["until"] is not None and self.all.of("play_started"):
            length = microseconds(event.data["until"]) - self.all.of("play_started")[0].at
            due_length = (entry["late_registration_seconds"] or 0) * 1_000_000
            near = abs(length - due_length) < 60_000_000
            self.check(
                event, "entry.late", near, "late registration is not as long as the terms say"
            )
            self.late_ends = (event.at, microseconds(event.data["until"]))
        self.late = True

    def on_late_registration_extended(self, event: Event) -> None:
        """Check that late registration grows in all by no more time than has passed."""
        self.check(event, "levels.outage", self.late, "there was no late registration")
        until = microseconds(event.data["until"])
        since, before = self.late_ends or (event.at, until)
        self.late_longer += until - before
        grows = until > before and self.late_longer <= event.at - since + MINUTE
        text = "late registration grows by more time than has passed"
        self.check(event, "levels.outage", grows, text)
        self.late_ends = (since, until)

    def on_late_registration_closed(self, event: Event) -> None:
        self.check(event, "entry.late_closed", self.late, "there was no late registration")
        self.late = False

    def on_places_lowered(self, event: Event) -> None:
        """Check that an eliminated entrant drops one place for each late entrant: `placing.late_entry`."""
        names = event.data["entrants"]
        self.same(event, "placing.late_entry", "eliminated entrants", sorted(names), sorted(self.all.placed))
        self.check(event, "placing.late_entry", self.late, "there was no late registration")
        for name, (place, shared) in self.all.placed.items():
            self.all.placed[name] = (place + event.data["by"], shared)

    def end(self) -> None:
        """Check that the last place equals the number of entrants, late ones included."""
        won = [
            e for e in self.all.of("tournament_finished") if e.data["rule"] == "finish.last_entrant"
        ]
        if won:
            self.check(won[0], "entry.late", not self.late, "somebody won while others could come")


# ---------------------------------------------------------------------------------------------------------------
# 8 Rules, eliminations and places: rulebook 13, 19.9, 20.10 to 20.16
# ---------------------------------------------------------------------------------------------------------------


class Places(Part):
    """Busts, rebuy windows, eliminations, knock-outs."""

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.bust: dict[str, Json] = {}  # busted entrants who have no place yet
        self.windows: dict[str, Json] = {}
        self.buys: Counter[str] = Counter()
        self.hits: dict[str, Json] = {}  # entrant_knocked_out of each entrant's latest bust
        self.out_by: dict[str, list[str]] = {}  # final knock-outs: the winners, by loser
        self.hand_for_hand = False
        self.group: list[Event] = []
        self.told: set[tuple[str, str, int]] = set()
        self.brought: Counter[tuple[str, str]] = (
            Counter()
        )  # chips bought by (table, cause), as the tournament says
        self.disqualified: set[str] = set()

    def on_entrant_busted(self, event: Event) -> None:
        data = event.data
        due = {
            (bust["entrant"], table.id, bust["hand_number"], bust["stack_at_start"])
            for table in self.all.tables
            for settled, bust in table.busts
        }
        bust = (data["entrant"], data["table"], data["hand"], data["stack_at_start"])
        self.check(
            event,
            "elimination",
            bust in due or not self.all.sound(),
            "this hand took nobody's last chip",
        )
        self.bust[data["entrant"]] = data
        self.told.add((data["entrant"], data["table"], data["hand"]))

    def on_entrant_knocked_out(self, event: Event) -> None:
        """
        Check that the knock-out goes to the winners of the last pot that the busted entrant could have won:
        `bounty.pot`.
        """
        data = event.data
        table = self.all.table(data["table"])
        if table is not None and table.sound:
            due = table.knockouts.get((data["entrant"], data["hand"]))
            found = [data["pot"], sorted(data["by"])]
            self.same(event, "bounty.pot", "pot and who by", found, due)
        self.hits[data["entrant"]] = data

    # -- rebuys, windows

    def on_rebuy_window_opened(self, event: Event) -> None:
        data = event.data
        bust = self.bust.get(data["entrant"], {})
        found = [data["hand"], data["table"], data["stack_at_start"]]
        due = [bust.get("hand"), bust.get("table"), bust.get("stack_at_start")]
        self.same(event, "rebuy.window", "the bust", found, due)
        if data["buys"]:
            self.check_may_buy(event, data["entrant"])
        self.windows[data["entrant"]] = data

    def check_may_buy(self, event: Event, name: str) -> None:
        """Check the number of rebuys, and the level, which is that of the table's last hand: `rebuy`."""
        rebuy = self.terms["ruleset"]["rebuy"]
        often = rebuy["max"] is None or self.buys[name] < rebuy["max"]
        self.check(event, "rebuy", often, "bought more often than the terms allow")

    def on_rebuy_taken(self, event: Event) -> None:
        data, name = event.data, event.data["entrant"]
        self.check(event, "rebuy", name in self.bust, "an entrant with chips bought a rebuy")
        self.all.entering.check_by(event, self.all.entering.player_of(name))
        self.check_may_buy(event, name)
        self.buys[name] += 1
        found = [data["chips"], data["number"]]
        self.same(
            event,
            "rebuy",
            "chips and number",
            found,
            [self.terms["starting_stack"], self.buys[name]],
        )
        if data["rule"] == "rebuy.declared":
            declared = any(
                e.data["entrant"] == name
                for e in self.all.of("rebuy_declared")
                if e.version < event.version
            )
            self.check(event, "rebuy.declared", declared, "nobody had declared it")
        self.comes_back(name)
        self.check_bought(event, "rebuy")

    def check_bought(self, event: Event, cause: str) -> None:
        """Check that the chips came to the table."""
        data = event.data
        table = self.all.table(data["table"])
        due = [data["entrant"], data["seat"], data["chips"] if "chips" in data else data["value"]]
        bought = [
            [e.data["entrant"], e.data["seat"], e.data["chips"]]
            for e in (table.events if table else [])
            if e.type == "chips_bought" and e.data["cause"] == cause and e.at <= event.at
        ]
        self.check(
            event,
            "rebuy" if cause == "rebuy" else "add_on",
            due in bought,
            "the chips did not come to the seat",
        )

    def comes_back(self, name: str) -> None:
        self.bust.pop(name, None)
        self.windows.pop(name, None)
        self.hits.pop(name, None)

    def on_item_staked(self, event: Event) -> None:
        """Check that the item has one of the agreed values, and that its owner is broke: `items.stake`."""
        data = event.data
        agreed = self.terms["ruleset"].get("item_values", [])
        self.check(
            event,
            "items.stake",
            not agreed or data["value"] in agreed,
            "the value is not one of the agreed ones",
        )
        self.check(
            event, "items.stake", data["entrant"] in self.bust, "an entrant with chips staked an item"
        )
        self.comes_back(data["entrant"])
        self.check_bought(event, "item")

    def on_item_passed(self, event: Event) -> None:
        """
        Check that the item went to the winner of the main pot in which its owner went broke. Of several winners it is
        the first by seat: `items.passed`.
        """
        data = event.data
        bust = self.bust.get(data["giver"])
        if (
            not self.check(event, "items.passed", bust is not None, "its owner is not broke")
            or bust is None
        ):
            return
        table = self.all.table(bust["table"])
        winners = table.winners.get(bust["hand"], []) if table is not None else []
        if table is not None and table.sound:
            self.same(
                event, "items.passed", "taker", data["taker"], winners[0] if winners else None
            )

    def on_item_returned(self, event: Event) -> None:
        """Check that the item was bought back for its value, which leaves the table: `items.buy_back`."""
        data = event.data
        table = self.all.table(data["table"])
        back = [
            e.data["chips"]
            for e in (table.events if table else [])
            if e.type == "chips_returned"
            and e.data["entrant"] == data["entrant"]
            and e.at == event.at
        ]
        self.check(
            event, "items.buy_back", data["value"] in back, "its value did not leave the table"
        )

    # -- disqualification, purge

    def on_entrant_disqualified(self, event: Event) -> None:
        name = event.data["entrant"]
        self.check(event, "disqualification", name in self.all.left(), "this entrant was out already")
        player = self.all.entrants.get(name, {}).get("player")
        self.same(event, "disqualification", "player", event.data["player"], player)
        self.disqualified.add(name)
        self.bust.pop(name, None)
        self.windows.pop(name, None)
        self.hits.pop(name, None)

    def on_stack_removed(self, event: Event) -> None:
        """Check that the whole stack was removed, and that no hand was in play: `disqualification.chips`."""
        data = event.data
        self.check(
            event,
            "disqualification.chips",
            data["entrant"] in self.disqualified,
            "this entrant was not disqualified",
        )
        table = self.all.table(data["table"])
        if table is not None and table.sound:
            books = table.gone.get(data["entrant"])
            due = books.stack if books else None
            self.same(event, "disqualification.chips", "chips", data["chips"], due or 0)

    def on_no_show_purged(self, event: Event) -> None:
        data = event.data
        seated = {e.data["entrant"] for e in self.all.of("no_show_seated")}
        since = max([0] + [e.version for e in self.all.of("no_show_seated")])
        came = {
            e.data["entrant"]
            for e in self.all.of("entrant_checked_in")
            if since < e.version < event.version
        }
        self.check(
            event,
            "no_show.purge",
            data["entrant"] in seated - came,
            "this entrant was present, or was not seated as a no-show",
        )
        table = self.all.table(data["table"])
        if table is not None and table.sound:
            books = table.gone.get(data["entrant"])
            self.same(
                event, "no_show.purge", "stack", data["stack"], books.stack if books else None
            )
        if data.get("struck"):
            self.all.entrants.pop(data["entrant"], None)
            self.same(
                event,
                "no_show.purge",
                "who is a place higher",
                sorted(data["raised"]),
                sorted(self.all.placed),
            )
            self.all.placed = {
                name: (place - 1, shared) for name, (place, shared) in self.all.placed.items()
            }
            return
        self.disqualified.add(data["entrant"])

    def before_hand(self, hand: Event, table: Table) -> None:
        """Check that an entrant who has not bought back in is out when the next hand opens: `rebuy.window`."""
        late = sorted(name for name, window in self.windows.items() if window["table"] == table.id)
        self.check(hand, "rebuy.window", not late, f"{late} may still buy a rebuy")

    # -- hand-for-hand

    def on_hand_for_hand_started(self, event: Event) -> None:
        data = event.data
        self.hand_for_hand = True
        self.same(event, "hand_for_hand", "left", data["left"], len(self.all.left()))
        paid = len([prize for prize in self.all.money.prizes() if prize])
        if data["cause"] == "bubble":
            self.same(
                event, "hand_for_hand", "one more than the paid places", data["left"], paid + 1
            )
        elif data["cause"] == "left":
            most = self.terms["floor"]["hand_for_hand"]["at_left"] or 0
            self.check(event, "hand_for_hand", data["left"] <= most, f"{data['left']} are left")
        self.same(event, "hand_for_hand", "paid", data["paid"], paid)

    def on_hand_for_hand_round_opened(self, event: Event) -> None:
        self.check(
            event,
            "hand_for_hand",
            self.hand_for_hand,
            "no round of hand-for-hand play was open",
        )

    def on_hand_for_hand_round_closed(self, event: Event) -> None:
        """
        Check that everybody who busted in the round is placed. Entrants with an open rebuy window are placed later.
        """
        out, over = set(event.data["out"]), self.bust.keys() - self.windows
        later = (
            e
            for e in self.all.of("entrant_eliminated")
            if e.version > event.version and e.at == event.at
        )
        placed = {e.data["entrant"] for e in later}
        due = over | (out & self.bust.keys() & placed)
        self.same(event, "hand_for_hand", "busts of the round", sorted(out), sorted(due))

    def on_hand_for_hand_ended(self, event: Event) -> None:
        self.hand_for_hand = False
        left = len(self.all.left())
        self.same(event, "hand_for_hand", "left", event.data["left"], left)
        if event.data["cause"] == "in_the_money":
            paid = len([prize for prize in self.all.money.prizes() if prize])
            self.check(event, "hand_for_hand", left <= paid, f"{left} are left, {paid} are paid")

    # -- eliminations: consecutive ones are decided together

    def on_entrant_eliminated(self, event: Event) -> None:
        player = self.all.entrants.get(event.data["entrant"], {}).get("player")
        self.same(event, "placing.bust_order", "player", event.data["player"], player)
        self.group.append(event)
        later = [e for e in self.all.events if e.version == event.version + 1]
        follows = later and later[0].type == "entrant_eliminated"
        if not follows or self.key_of(event) != self.key_of(later[0]) or event.at != later[0].at:
            group, self.group = self.group, []
            self.place_group(group)

    def key_of(self, event: Event) -> Any:
        """Return the key that is equal for entrants who share a place."""
        rule, bust = event.data["rule"], self.bust.get(event.data["entrant"])
        if rule.startswith("rounds.") or rule in ("placing.disqualified", "no_show.purge"):
            return rule
        if bust is None:
            return event.version
        return "round" if self.hand_for_hand else (bust["table"], bust["hand"])

    def place_group(self, group: list[Event]) -> None:
        names = [event.data["entrant"] for event in group]
        rule = group[0].data["rule"]
        if rule in ("rounds.out", "rounds.placing"):
            due = self.all.rounds.places_of(names)
        elif names[0] in self.disqualified:
            due = {name: (len(self.all.left()) - turn, 1, rule) for turn, name in enumerate(names)}
        else:
            due = self.places_of_busts(group, names)
        for event in group:
            data, name = event.data, event.data["entrant"]
            found = [data["place"], data["shared"], data["rule"]]
            if name in due:
                self.same(event, data["rule"], "place, shared, rule", found, list(due[name]))
            self.all.placed[name] = (
                due[name][:2] if name in due else (data["place"], data["shared"])
            )
            self.count_knockout(name)
            self.bust.pop(name, None)
            self.windows.pop(name, None)

    def places_of_busts(
        self, group: list[Event], names: list[str]
    ) -> dict[str, tuple[int, int, str]]:
        """`placing.bust_order`, `placing.stack_at_start`, `placing.shared`, `hand_for_hand.shared`."""
        for event in group:
            busted = event.data["entrant"] in self.bust
            self.check(event, "placing.bust_order", busted, "an entrant with chips is out")
        if not all(name in self.bust for name in names):
            return {}
        tables = {(self.bust[name]["table"], self.bust[name]["hand"]) for name in names}
        by_stack = self.terms["floor"]["hand_for_hand"]["ties"] == "stack_at_start"
        several = self.hand_for_hand and len(tables) > 1
        scores = {
            name: self.bust[name]["stack_at_start"] if by_stack or not several else 0
            for name in names
        }
        least = len(self.all.left()) - len(names)
        due = {}
        for place, shared, who in placed(scores):
            for name in who:
                if len(names) == 1:
                    rule = "placing.bust_order"
                elif several:
                    rule = "hand_for_hand." + ("stack_at_start" if by_stack else "shared")
                else:
                    rule = "placing.shared" if shared > 1 else "placing.stack_at_start"
                due[name] = (least + place, shared, rule)
        return due

    def count_knockout(self, name: str) -> None:
        hit = self.hits.pop(name, None)
        if hit is not None:
            self.out_by[name] = hit["by"]

    def end(self) -> None:
        """Check that everybody who busted has a place."""
        if self.all.of("tournament_cancelled") or not self.all.sound():
            return
        rounds = {
            seat["table"] for event in self.all.of("round_seated") for seat in event.data["tables"]
        }
        for table in self.all.tables:
            for settled, bust in table.busts:
                if table.id not in rounds and bust["entrant"] not in self.disqualified:
                    told = (bust["entrant"], table.id, bust["hand_number"]) in self.told
                    text = f"{bust['entrant']} lost the last chip and is not out"
                    self.check(settled, "elimination", told, text)
        over = self.all.of("tournament_finished")
        if over:
            left = sorted(self.bust)
            self.check(
                over[0],
                "placing.bust_order",
                not left,
                f"lost the last chip and have no place: {left}",
            )


# ---------------------------------------------------------------------------------------------------------------
# 8 Rules, money: rulebook 19
# ---------------------------------------------------------------------------------------------------------------


class Money(Part):
    """Charges, the pool, bounties, deals, refunds."""

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.rebuys: Counter[str] = Counter()
        self.add_ons: Counter[str] = Counter()
        self.handed: Counter[str] = Counter()  # prizes handed over so far
        self.paid: Counter[str] = Counter()  # recorded payments less refunds
        self.recorded: Counter[tuple[str, str]] = Counter()  # the same, by purpose
        self.unclaimed = 0
        self.won: dict[str, dict[str, int]] = {}  # bounties won, by loser and winner
        self.nobody: dict[str, int] = {}
        self.proposed: Json | None = None
        self.proposed_version = 1
        self.accepted: set[str] = set()
        self.deals = 0
        self.deal: Json | None = None
        self.dealers: list[str] = []  # parties of the payout deal in force

    @property
    def fees(self) -> Json:
        return self.terms["fees"]

    # -- pool and prizes

    def on_rebuy_taken(self, event: Event) -> None:
        self.rebuys[event.data["entrant"]] += 1

    def on_add_on_taken(self, event: Event) -> None:
        """Check the chips and the number of add-ons against the terms: `add_on`."""
        data, sold = event.data, self.fees["add_on"]
        if not self.check(event, "add_on", sold is not None, "the terms sell no add-on"):
            return
        self.all.entering.check_by(event, self.all.entering.player_of(data["entrant"]))
        self.add_ons[data["entrant"]] += 1
        due = [sold["chips"], self.add_ons[data["entrant"]]]
        self.same(event, "add_on", "chips and number", [data["chips"], data["number"]], due)
        self.check(
            event, "add_on", data["number"] <= sold["max"], "more often than the terms allow"
        )
        self.check(event, "add_on", data["entrant"] in self.all.left(), "this entrant is out")
        self.all.places.check_bought(event, "add_on")

    def on_payment_recorded(self, event: Event) -> None:
        data = event.data
        self.same(event, "payment.recorded", "currency", data["currency"], self.terms["currency"])
        player = self.all.ever.get(data["entrant"], {}).get("player")
        self.same(event, "payment.recorded", "player", data["player"], player)
        self.paid[data["entrant"]] += (
            -data["amount"] if data["kind"] == "refund" else data["amount"]
        )
        self.recorded[data["entrant"], data["kind"]] += data["amount"]

    def on_payment_reversed(self, event: Event) -> None:
        """Check that no more is reversed than was recorded for the purpose: `payment.reversed`."""
        data = event.data
        self.same(event, "payment.reversed", "currency", data["currency"], self.terms["currency"])
        player = self.all.ever.get(data["entrant"], {}).get("player")
        self.same(event, "payment.reversed", "player", data["player"], player)
        known = self.recorded[data["entrant"], data["kind"]]
        self.check(event, "payment.reversed", 0 < data["amount"] <= known, "more than was recorded")
        self.recorded[data["entrant"], data["kind"]] -= data["amount"]
        self.paid[data["entrant"]] -= (
            -data["amount"] if data["kind"] == "refund" else data["amount"]
        )
        there = self.paid[data["entrant"]] >= 0
        self.check(event, "payment.reversed", there, "it had been refunded")

    def on_prize_handed_over(self, event: Event) -> None:
        """Check that the prize is the payout of the valid result, less earlier prizes: `prizes.handed_over`."""
        self.check_prize(event, "prizes.handed_over", self.owed_to(event.data["entrant"]))
        self.handed[event.data["entrant"]] += event.data["amount"]

    def on_prize_returned(self, event: Event) -> None:
        """Check that the returned amount is the part beyond the payout of the valid result: `prizes.returned`."""
        self.check_prize(event, "prizes.returned", -self.owed_to(event.data["entrant"]))
        self.handed[event.data["entrant"]] -= event.data["amount"]

    def on_prize_reversed(self, event: Event) -> None:
        """Check that no more is taken back than was handed over to the entrant: `prizes.reversed`."""
        data, known = event.data, self.handed[event.data["entrant"]]
        self.same(event, "prizes.reversed", "currency", data["currency"], self.terms["currency"])
        self.check(
            event, "prizes.reversed", 0 < data["amount"] <= known, "more than was handed over"
        )
        self.handed[data["entrant"]] -= data["amount"]

    def owed_to(self, name: str) -> int:
        """Return the payout of the valid result, less the amount handed over. It is negative after some corrections."""
        stood = self.all.results[-1][1]["payouts"] if self.all.results else []
        return sum(entry["amount"] for entry in stood if entry["entrant"] == name) - self.handed[name]

    def check_prize(self, event: Event, rule: str, due: int) -> None:
        data = event.data
        self.same(event, rule, "currency", data["currency"], self.terms["currency"])
        self.same(event, rule, "amount", data["amount"], due)
        self.check(event, rule, data["amount"] > 0, "no money was paid")

    def rebuy_cost(self) -> tuple[int, int]:
        """Return the price and the fee of a rebuy. The default is those of an entry: `rebuy.price`."""
        cost = self.fees["rebuy"]
        return (cost["price"], cost["fee"]) if cost else (self.fees["buy_in"], self.fees["fee"])

    def pool(self) -> int:
        """Return the prize pool: `pool`."""
        bought = sum(self.rebuys.values()) * self.rebuy_cost()[0]
        if self.fees["add_on"]:
            bought += sum(self.add_ons.values()) * self.fees["add_on"]["price"]
        paid = len(self.all.entrants) * self.fees["buy_in"] + bought + self.terms["prize_pool"]
        least = max(self.fees["guaranteed"], sum(self.fees["amounts"][: len(self.all.entrants)]))
        own = paid - self.terms["prize_pool"] + self.unclaimed  # money collected
        return int(own + self.terms["prize_pool"] + max(0, least - own - self.terms["prize_pool"]))

    def spent(self, player: str) -> int:
        """Return everything that *player* was charged, over all entries."""
        total = 0
        for name, entrant in self.all.entrants.items():
            if entrant["player"] == player:
                total += self.fees["buy_in"] + self.fees["fee"] + self.fees["bounty"]
                total += self.rebuys[name] * sum(self.rebuy_cost())
                if self.fees["add_on"]:
                    total += self.add_ons[name] * (
                        self.fees["add_on"]["price"] + self.fees["add_on"]["fee"]
                    )
        return int(total)

    def prizes(self, entrants: int | None = None) -> list[int]:
        """
        Return the value of each place, the first place first. Places worth nothing are left out: `payouts`,
        `payouts.table`.
        """
        fees, entries = self.fees, len(self.all.entrants)
        places = entries if entrants is None else entrants
        if fees["amounts"]:
            return fixed_amounts(self.pool(), fees["amounts"][:places])
        shares = self.terms["payouts"]
        rows = [row for row in fees["table"] if row["entrants_from"] <= entries]
        if rows:
            shares = max(rows, key=lambda row: int(row["entrants_from"]))["shares"]
        if fees["paid_percent"] is not None and shares:
            paid = max(1, -(-entries * fees["paid_percent"] // 100))
            shares = [shares[min(place, len(shares) - 1)] for place in range(paid)]
        return by_shares(self.pool(), shares[:places], fees["unit"])

    def payouts(self, placings: list[Json], forfeited: list[str]) -> list[list[Any]]:
        """
        Return [entrant, place, amount] due for *placings*. After a payout deal its amounts come first, and the rest
        goes to its best placed party.
        """
        kept = [entry for entry in placings if entry["entrant"] not in forfeited]
        prizes = self.prizes(len(kept))
        due: Counter[str] = Counter()
        parties = set(self.dealers) if self.deal else set()
        for place in sorted({entry["place"] for entry in kept}):
            names = [entry["entrant"] for entry in kept if entry["place"] == place]
            if not parties & set(names):
                due.update(self.divided(names, sum(prizes[place - 1 : place - 1 + len(names)])))
        if self.deal is not None:
            shares = [share for share in self.deal["shares"] if share["entrant"] not in forfeited]
            for share in shares:
                due[share["entrant"]] += share["amount"]
            rest = sum(prizes[: len(shares)]) - sum(share["amount"] for share in shares)
            best = min(entry["place"] for entry in kept if entry["entrant"] in parties)
            names = [e["entrant"] for e in kept if e["place"] == best and e["entrant"] in parties]
            due.update(self.divided(names, rest))
        places = {entry["entrant"]: entry["place"] for entry in placings}
        return [[name, places.get(name), amount] for name, amount in due.items() if amount]

    def divided(self, names: list[str], total: int) -> dict[str, int]:
        """Divide the prizes of shared places equally. Odd units go in order of registration."""
        names = sorted(names, key=lambda name: self.all.entrants[name]["number"])
        share, odd = divmod(total, len(names))
        return {name: share + (turn < odd) for turn, name in enumerate(names)}

    # -- bounties

    def on_bounty_won(self, event: Event) -> None:
        """
        Check that the winners of the knock-out share the bounty equally, and that an unwon bounty stays with its owner:
        `bounty.won`, `bounty.own`.
        """
        data = event.data
        own = data["by"] == data["entrant"]
        self.same(event, "rule", "rule", data["rule"], "bounty.own" if own else "bounty.won")
        self.same(event, data["rule"], "currency", data["currency"], self.terms["currency"])
        got = self.won.setdefault(data["entrant"], {})
        self.check(event, data["rule"], data["by"] not in got, "won twice")
        got[data["by"]] = data["amount"]
        by = self.all.places.out_by.get(data["entrant"])
        if own:
            text = "the bounty was somebody else's to win"
            self.check(event, "bounty.own", data["entrant"] in self.all.left() or not by, text)
        elif self.check(event, "bounty.won", bool(by), "no knock-out caused this"):
            self.check(event, "bounty.won", data["by"] in (by or []), "somebody won it who did not knock them out")

    def on_bounty_unclaimed(self, event: Event) -> None:
        """Check that an unclaimed bounty joins the pool: `bounty.unclaimed`."""
        data = event.data
        self.same(event, "bounty.unclaimed", "amount", data["amount"], self.fees["bounty"])
        nobody = (
            not self.all.places.out_by.get(data["entrant"]) and data["entrant"] not in self.nobody
        )
        self.check(event, "bounty.unclaimed", nobody, "somebody won it")
        self.nobody[data["entrant"]] = data["amount"]
        self.unclaimed += data["amount"]

    def check_bounties(self, event: Event) -> None:
        """Check at the end that every unit of every bounty was given to somebody."""
        bounty = self.fees["bounty"]
        for name in self.all.entrants if bounty else []:
            winners = self.all.places.out_by.get(name) or [name]
            got = self.won.get(name, {})
            if name in self.nobody:
                self.same(event, "bounty.unclaimed", f"bounty of {name}", sorted(got), [])
                continue
            share, odd = divmod(bounty, len(winners))
            due = {winner: share + (turn < odd) for turn, winner in enumerate(winners)}
            self.same(event, "bounty.won", f"the bounty of {name}", got, due)

    # -- payout deals

    def stacks(self, position: int) -> dict[str, int]:
        """
        Return the chips of all remaining entrants between two hands (`cancellation.stacks`). A broke entrant has 0.
        """
        found = dict.fromkeys(self.all.left(), 0)
        for table in self.all.tables:
            for name, chips in table.stacks_at(position).items():
                if name in found:
                    found[name] = chips
        return found

    def on_their_way(self, position: int) -> dict[str, int]:
        """Return the stacks of late entrants that come only before the next hand."""
        kinds = ("chips_promised", "chips_brought")
        before = [e for kind in kinds for e in self.all.of(kind) if e.position < position]
        brought = {e.data["entrant"] for e in before if e.type == "chips_brought"}
        return {
            e.data["entrant"]: e.data["chips"]
            for e in before
            if e.data.get("newcomer") and e.data["entrant"] not in brought
        }

    def on_payout_deal_proposed(self, event: Event) -> None:
        data = event.data
        self.deals += 1
        self.same(event, "payout_deal", "number", data["number"], self.deals)
        self.same(event, "rule", "rule", data["rule"], f"payout_deal.{data['method']}")
        one = self.proposed is None and self.deal is None
        self.check(event, "payout_deal", one, "another deal is open, or was made")
        self.check(event, "payout_deal", not self.all.entering.late, "players may still enter")
        shares = {share["entrant"]: share["amount"] for share in data["shares"]}
        left = self.all.left()
        self.same(event, "payout_deal", "parties", sorted(shares), sorted(left))
        total = sum(self.prizes()[: len(left)]) - data["play_for"]
        self.same(event, "payout_deal.explicit", "shares in all", sum(shares.values()), total)
        if data["method"] == "equal":
            due = self.divided(left, total)
            self.same(event, "payout_deal.equal", "shares", shares, due)
        elif data["method"] == "by_chips":
            stacks = {stack["entrant"]: stack["stack"] for stack in data["stacks"]}
            if self.all.sound():
                self.same(
                    event, "payout_deal.by_chips", "stacks", stacks, self.stacks(event.position)
                )
            names = sorted(
                left, key=lambda name: (-stacks.get(name, 0), self.all.entrants[name]["number"])
            )
            self.same(
                event, "payout_deal.by_chips", "shares", shares, by_weight(total, names, stacks)
            )
        self.proposed, self.accepted = data, set()
        self.proposed_version = event.schema_version

    def on_payout_deal_accepted(self, event: Event) -> None:
        number = self.proposed["number"] if self.proposed else None
        self.same(event, "payout_deal.made", "number", event.data["number"], number)
        self.check(
            event,
            "payout_deal.made",
            event.data["entrant"] in self.all.left(),
            "an eliminated entrant accepted",
        )
        self.accepted.add(event.data["entrant"])

    def on_payout_deal_made(self, event: Event) -> None:
        waiting = sorted(set(self.all.left()) - self.accepted)
        self.check(event, "payout_deal.made", not waiting, f"have not accepted it: {waiting}")
        number = self.proposed["number"] if self.proposed else None
        self.same(event, "payout_deal.made", "number", event.data["number"], number)
        self.deal, self.proposed, self.dealers = self.proposed, None, self.all.left()

    def on_payout_deal_voided(self, event: Event) -> None:
        rules = {
            "declined": "payout_deal.declined",
            "bust": "payout_deal.bust",
            "disqualified": "payout_deal.bust",
            "eliminated": "payout_deal.bust",
        }
        self.same(event, "rule", "rule", event.data["rule"], rules[event.data["cause"]])
        self.check(event, event.data["rule"], self.proposed is not None, "no deal was open")
        self.proposed = None

    def on_entrant_eliminated(self, event: Event) -> None:
        """
        Check that from version 2 on, a payout deal lapses before one of its parties is eliminated: `payout_deal.bust`.
        """
        if self.proposed is not None and self.proposed_version > 1:
            self.check(event, "payout_deal.bust", False, "the deal proposed is not void")

    on_no_show_purged = on_entrant_eliminated

    def on_entrant_busted(self, event: Event) -> None:
        """Check that a proposed payout deal lapses when somebody busts: `payout_deal.bust`."""
        if self.proposed is not None:
            later = [
                e
                for e in self.all.of("payout_deal_voided")
                if e.version > event.version and e.at == event.at
            ]
            self.check(event, "payout_deal.bust", bool(later), "the deal proposed is not void")

    # -- refunds

    def on_refunds_awarded(self, event: Event) -> None:
        """Check the refunds of a cancellation against its policy: `cancellation`."""
        data = event.data
        if not self.all.started:
            policy = "before_play"
        elif self.deal is not None or len(self.all.left()) <= len(
            [prize for prize in self.prizes() if prize]
        ):
            policy = self.fees["cancellation_in_money"]
        else:
            policy = self.fees["cancellation"]
        self.same(event, "cancellation", "policy", data["policy"], policy)
        names = [entry["entrant"] for entry in data["refunds"]]
        self.check(event, "cancellation", len(set(names)) == len(names), "somebody is in the list twice")
        in_order = [name for name in self.all.entrants if name in names]
        self.check(event, "cancellation", names == in_order, "not in order of registration")
        for entry in data["refunds"]:
            player = self.all.entrants.get(entry["entrant"], {}).get("player")
            self.same(event, "cancellation", "player", entry["player"], player)
        Refunds(self, event).check(data["policy"])


class Refunds:
    """`refunds_awarded` compared with its policy, which says each entrant's share."""

    def __init__(self, money: Money, event: Event) -> None:
        self.money, self.event, self.all = money, event, money.all
        self.fees = money.fees
        self.left = money.all.left()
        self.stacks = {entry["entrant"]: entry["stack"] for entry in event.data["stacks"]}
        self.due: dict[str, Counter[str]] = {name: Counter() for name in self.all.entrants}

    def check(self, policy: str) -> None:
        money, event = self.money, self.event
        pool = 0 if policy == "before_play" else money.pool()
        money.same(event, "cancellation", "pool", event.data["pool"], pool)
        if policy in ("by_chips", "lowest_unpaid_then_chips", "roll_forward") and self.all.sound():
            found = {name: self.stacks.get(name, 0) for name in self.left}
            due_stacks = money.stacks(event.position)
            for name, stack in money.on_their_way(event.position).items():
                if name in found and name in self.stacks:  # the first versions left them out
                    due_stacks[name] = stack
            money.same(event, "cancellation.stacks", "stacks", found, due_stacks)
        getattr(self, f"by_{policy}")()
        parts = ("paid_in", "fee", "bounty", "prize", "equal", "chips")
        found_parts = {
            entry["entrant"]: {part: entry[part] for part in parts}
            for entry in event.data["refunds"]
        }
        due = {
            name: {part: owed[part] for part in parts}
            for name, owed in self.due.items()
            if any(owed.values())
        }
        names = {"lowest_unpaid_then_chips": "lowest_unpaid"}
        for name in sorted(found_parts.keys() | due.keys()):
            rule = "cancellation." + names.get(policy, policy)
            money.same(event, rule, f"refund of {name}", found_parts.get(name), due.get(name))

    def fee(self, name: str) -> int:
        add_on = self.fees["add_on"]
        bought = self.money.add_ons[name] * add_on["fee"] if add_on else 0
        return int(self.fees["fee"] + self.money.rebuys[name] * self.money.rebuy_cost()[1] + bought)

    def paid_in(self, name: str) -> int:
        add_on = self.fees["add_on"]
        bought = self.money.add_ons[name] * add_on["price"] if add_on else 0
        return int(
            self.fees["buy_in"] + self.money.rebuys[name] * self.money.rebuy_cost()[0] + bought
        )

    def by_before_play(self) -> None:
        """Set each entrant's payments: the charges, or the recorded payments less refunds."""
        for name, owed in self.due.items():
            if self.fees["payment"] == "recorded":
                owed.update(paid_in=self.money.paid[name])
                continue
            owed.update(
                paid_in=self.fees["buy_in"], fee=self.fees["fee"], bounty=self.fees["bounty"]
            )

    def by_refund_all(self) -> None:
        for name, owed in self.due.items():
            owed.update(
                paid_in=self.paid_in(name) + self.money.nobody.get(name, 0), fee=self.fee(name)
            )
        self.bounties()

    def bounties(self) -> None:
        for name in self.left:
            self.due[name].update(bounty=self.fees["bounty"])

    def chips(self, total: int) -> None:
        names = sorted(
            self.left,
            key=lambda name: (-self.stacks.get(name, 0), self.all.entrants[name]["number"]),
        )
        for name, amount in by_weight(total, names, self.stacks).items():
            self.due[name].update(chips=amount)

    def by_roll_forward(self) -> None:
        self.bounties()
        pool = self.money.pool()
        for name, amount in self.money.divided(self.left, pool // 2).items():
            self.due[name].update(equal=amount, fee=self.fee(name))
        self.chips(pool - pool // 2)

    def by_lowest_unpaid_then_chips(self) -> None:
        self.in_the_money(lowest=True)

    def by_by_chips(self) -> None:
        self.in_the_money(lowest=False)

    def in_the_money(self, lowest: bool) -> None:
        """
        Give placed entrants their prizes. The others share the rest, or after a payout deal the amount left to play
        for.
        """
        prizes, count = self.money.prizes(), len(self.left)
        deal = self.money.deal
        parties = set(self.money.dealers) if deal else set()
        places: dict[int, list[str]] = {}
        for name, (place, _) in self.all.placed.items():
            places.setdefault(place, []).append(name)
        for place, names in places.items():
            total = sum(prizes[place - 1 : place - 1 + len(names)])
            for name, amount in self.money.divided(names, total).items():
                if name not in parties:
                    self.due[name].update(prize=amount)
        self.bounties()
        total = sum(prizes[:count])
        if deal is not None:
            for share in deal["shares"]:
                self.due[share["entrant"]].update(prize=share["amount"])
            total = sum(prizes[: len(parties)]) - sum(share["amount"] for share in deal["shares"])
        elif lowest and count:
            least = prizes[count - 1] if count <= len(prizes) else 0
            for name in self.left:
                self.due[name].update(prize=least)
            total -= least * count
        self.chips(total)


def by_weight(total: int, names: list[str], weights: dict[str, int]) -> dict[str, int]:
    """
    Divide *total* by *weights*, rounded down. Odd units go one each to *names* from the first on. If all weights are 0,
    the shares are equal.
    """
    whole_weight = sum(weights.get(name, 0) for name in names)
    shares = {
        name: total * weights.get(name, 0) // whole_weight if whole_weight else total // len(names)
        for name in names
    }
    for turn in range(total - sum(shares.values())):
        shares[names[turn % len(names)]] += 1
    return shares


def fixed_amounts(pool: int, amounts: list[int]) -> list[int]:
    """Return the fixed prizes. A surplus goes to the first place, and the house adds what is missing: `payouts`."""
    if not amounts:
        return []
    return [amounts[0] + max(pool - sum(amounts), 0), *amounts[1:]]


def by_shares(pool: int, shares: list[int], unit: int) -> list[int]:
    """Divide in whole units. Odd units go one each from the first place down, and the rest to the first: `payouts`."""
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
    """Return (place, number who share it, entrant), the largest score first."""
    groups: dict[Any, list[str]] = {}
    for name, score_ in scores.items():
        groups.setdefault(score_, []).append(name)
    found = []
    place = 1
    for score_ in sorted(groups, reverse=True):
        found.append((place, len(groups[score_]), groups[score_]))
        place += len(groups[score_])
    return found


# ---------------------------------------------------------------------------------------------------------------
# 8 Rules, a casino: rulebook 13.22 to 13.28
# ---------------------------------------------------------------------------------------------------------------

ANSWERS = {"selection_committed", "improvement_committed", "seat_acted"}


class Casino(Part):
    """A casino. Players bring chips and take chips away, and nobody is eliminated."""

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.gone: dict[str, int] = {}  # chips that departed entrants took away
        self.leaving: dict[str, Event] = {}
        self.promised: Counter[str] = Counter()

    def on_chips_promised(self, event: Event) -> None:
        """
        Check that a newcomer is promised a starting stack at the lowest free seat, and a seated player whole units:
        `casino.sit_down`, `casino.add_on`.
        """
        data, rule = event.data, event.data["rule"]
        if not self.all.is_casino:
            return
        self.same(
            event, "rule", "rule", rule, "casino.sit_down" if data["newcomer"] else "casino.add_on"
        )
        self.check(event, rule, data["entrant"] not in self.gone, "this entrant has left")
        self.promised[data["entrant"]] += data["chips"]
        table = self.all.table(data["table"])
        if not data["newcomer"]:
            unit = self.terms["ruleset"]["chip_unit"]
            self.check(
                event, rule, data["chips"] > 0 and data["chips"] % unit == 0, "not in whole units"
            )
        elif table is not None:
            taken = set(table.seats_at(event.position)) | {
                e.data["seat"] for e in self.on_their_way(event)
            }
            taken |= {window["seat"] for window in self.all.places.windows.values()}
            due = [
                next(seat for seat in range(1, table.size + 2) if seat not in taken),
                self.terms["starting_stack"],
            ]
            if table.sound:
                self.same(event, rule, "seat and chips", [data["seat"], data["chips"]], due)

    def on_their_way(self, event: Event) -> list[Event]:
        """Return the promises before *event* to newcomers who do not sit yet."""
        brought = {
            e.data["entrant"] for e in self.all.of("chips_brought") if e.version < event.version
        }
        before = [
            e
            for e in self.all.of("chips_promised")
            if e.version < event.version and e.data["newcomer"]
        ]
        return [
            e
            for e in before
            if e.data["entrant"] not in brought and e.data["entrant"] not in self.gone
        ]

    def on_chips_brought(self, event: Event) -> None:
        """Check that as many chips came to the table as were promised."""
        data = event.data
        if not self.all.is_casino:
            return
        self.check_left(event)
        self.check(
            event,
            data["rule"],
            0 < data["chips"] <= self.promised[data["entrant"]],
            "more than was promised",
        )
        self.promised[data["entrant"]] -= data["chips"]
        due = [data["seat"], data["entrant"], data["chips"]]
        table = self.all.table(data["table"])
        self.check(
            event,
            data["rule"],
            table is None or due in self.came(table, event.at),
            "these chips did not come",
        )
        self.all.places.comes_back(data["entrant"])

    def came(self, table: Table, at: int | None = None) -> list[list[Any]]:
        """Return [seat, entrant, chips] of everybody who came to *table* from outside, by then or ever."""
        found: list[list[Any]] = []
        for event in table.events:
            if at not in (None, event.at):
                continue
            if event.type == "chips_bought" and event.data["cause"] == "add_on":
                found.append([event.data["seat"], event.data["entrant"], event.data["chips"]])
            elif event.type == "arrivals_seated":
                found += [
                    [each["seat"], each["entrant"], each["stack"]]
                    for each in event.data["arrivals"]
                ]
        return found

    def on_leave_declared(self, event: Event) -> None:
        name = event.data["entrant"]
        text = "who leaves is in, and in a casino"
        self.check(event, "casino.leave", self.all.is_casino and name in self.all.left(), text)
        self.leaving[name] = event

    def on_entrant_cashed_out(self, event: Event) -> None:
        """
        Check that a departing player takes the stack, and the last one also the carry. A broke player takes nothing:
        `casino.cash_out`.
        """
        data, name = event.data, event.data["entrant"]
        once = self.all.is_casino and name in self.all.entrants and name not in self.gone
        self.check(event, "casino.cash_out", once, "this is not a casino, or the entrant had left before")
        table = self.all.table(data["table"])
        due = 0
        left = (
            [e for e in table.events if e.type == "seats_vacated" and e.at == event.at]
            if table
            else []
        )
        left = [e for e in left if any(each["entrant"] == name for each in e.data["departures"])]
        for vacated in left:
            first = min(vacated.data["departures"], key=lambda each: int(each["seat"]))["entrant"]
            due = sum(
                each["stack"] for each in vacated.data["departures"] if each["entrant"] == name
            )
            due += vacated.data["carry"] if name == first else 0
        if not left:
            self.check(event, "casino.cash_out", name in self.all.places.bust, "still has a seat")
            busts = [e for e in self.all.of("entrant_busted") if e.data["entrant"] == name]
            if not any(e.at == event.at for e in busts):  # otherwise no window opened after the hand
                self.check_left(event)
                owed = self.owed()
                self.check(
                    event, "casino.add_on", not owed, f"before {owed} got their promised chips"
                )
        self.same(event, "casino.cash_out", "stack", data["stack"], due)
        declared = name in self.leaving or not left
        self.check(event, "casino.leave", declared, "has not said so")
        self.gone[name] = data["stack"]
        self.all.places.comes_back(name)

    def on_entrant_eliminated(self, event: Event) -> None:
        self.check(event, "casino", not self.all.is_casino, "nobody is eliminated from a casino")

    def on_entrant_disqualified(self, event: Event) -> None:
        self.check(
            event,
            "disqualification",
            not self.all.is_casino,
            "nobody is disqualified from a casino",
        )

    def on_tournament_finished(self, event: Event) -> None:
        """Check that earlier promises and declarations were carried out first."""
        waiting = sorted(set(self.leaving) - set(self.gone))
        self.check(event, "casino.leave", not waiting, f"{waiting} have not left")
        owed = self.owed()
        self.check(event, "casino.add_on", not owed, f"the promised chips of {owed} have not come")

    # -- between two hands: first departures, then promised chips, then windows

    def owed(self) -> list[str]:
        """Return the entrants who are still waiting for their promised chips."""
        return sorted(
            name for name, chips in self.promised.items() if chips and name not in self.gone
        )

    def check_left(self, event: Event) -> None:
        """Check that players who declared to leave go before anybody arrives or brings chips: `casino.leave`."""
        table = self.all.table(event.data["table"])
        if table is not None and table.sound:
            came = self.came(
                table, event.at
            )  # An entrant seated by this very append did not sit before.
            sit = [
                n
                for seat, (n, stack) in table.at(event.position).items()
                if [seat, n, stack] not in came
            ]
            late = sorted(self.leaving.keys() & sit - self.gone.keys())
            self.check(event, "casino.leave", not late, f"before {late} have left")

    def before_hand(self, hand: Event, table: Table) -> None:
        """Check that departing players have gone and promised chips have come: `casino.leave`, `casino.add_on`."""
        sit = {seat["entrant"] for seat in hand.data["seats"]}
        late = sorted(sit & self.leaving.keys() - self.gone.keys())
        self.check(
            hand, "casino.leave", not late, f"{late} have declared to leave but still sit there"
        )
        owed = self.owed()
        self.check(hand, "casino.add_on", not owed, f"the promised chips of {owed} have not come")

    def end(self) -> None:
        if not self.all.is_casino:
            return
        brought = Counter(
            (e.data["seat"], e.data["entrant"], e.data["chips"])
            for e in self.all.of("chips_brought")
        )
        for table in self.all.tables:
            came = Counter((seat, name, chips) for seat, name, chips in self.came(table))
            text = "chips came to the table without a promise"
            self.check(table.events[0], "casino.add_on", came == brought, text)
            self.check_gone(table)

    def check_gone(self, table: Table) -> None:
        """Check that a departed player took the chips away and does nothing more: `casino.leave`."""
        out = {(e.data["entrant"], e.at) for e in self.all.of("entrant_cashed_out")}
        for event in table.events:
            if event.type == "seats_vacated":
                names = [each["entrant"] for each in event.data["departures"]]
                self.check(
                    event,
                    "casino.cash_out",
                    all((name, event.at) in out for name in names),
                    "not cashed out",
                )
            elif event.type in ANSWERS or event.type == "hand_quit":
                said = self.leaving.get(event.data["entrant"])
                left = said is not None and said.position < event.position
                quits = event.type == "hand_quit"
                text = "folds as if it left, but stays" if quits else "plays on after it left"
                self.check(event, "casino.leave", left == quits, text)


# ---------------------------------------------------------------------------------------------------------------
# 8 Rules, the result: rulebook 13.10 to 13.15, 16
# ---------------------------------------------------------------------------------------------------------------


# Endings after which those tied for the first place may play another hand.
PLAYED_OFF = {
    "finish.hands_max",
    "finish.each_dealt_once",
    "finish.too_few_stacks",
    "finish.last_hands",
}


class Result(Part):
    """The end of a tournament, and its corrections."""

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.forfeited: list[str] = []

    def on_tournament_cancelled(self, event: Event) -> None:
        self.check(
            event,
            "cancellation.by_director",
            not self.all.of("tournament_finished"),
            "it was finished before",
        )

    def on_tournament_finished(self, event: Event) -> None:
        self.all.money.check_bounties(event)
        data = event.data
        found = {entry["entrant"]: (entry["place"], entry["shared"]) for entry in data["placings"]}
        rest = self.all.left()
        self.check_finish(event, rest)
        self.check_played_off(event)
        scores = self.final_scores(rest)
        if scores is not None:
            due = dict(self.all.placed)
            for place, shared, names in placed(scores):
                due |= dict.fromkeys(names, (place, shared))
            rule = "rounds.result" if data["rule"] == "rounds.result" else "finish.ties"
            self.same(
                event, rule if len(rest) > 1 else "placing.bust_order", "placings", found, due
            )
        self.check_players(event)
        self.check_payouts(event)
        self.all.results.append((event.position, data))

    def check_players(self, event: Event) -> None:
        players = {entry["entrant"]: entry["player"] for entry in event.data["placings"]}
        known = {name: entrant["player"] for name, entrant in self.all.entrants.items()}
        self.same(event, "registration", "players", players, known)

    def check_payouts(self, event: Event) -> None:
        data = event.data
        due = self.all.money.payouts(data["placings"], self.forfeited)
        found = [[entry["entrant"], entry["place"], entry["amount"]] for entry in data["payouts"]]
        self.same(event, "payouts", "payouts", sorted(found), sorted(due))
        if "currency" in data:
            self.same(event, "payouts", "currency", data["currency"], self.terms["currency"])

    def check_finish(self, event: Event, rest: list[str]) -> None:
        """Check that the rule given for the end could end the tournament."""
        rule = event.data["rule"]
        ends = not self.all.is_casino or rule in (
            "finish.closed",
            "finish.hands_max",
            "finish.last_hands",
        )
        self.check(event, "casino", ends, "a casino ends only when it is closed")
        if rule in ("finish.last_entrant", "finish.nobody_left"):
            due = 1 if rule == "finish.last_entrant" else 0
            self.check(event, rule, len(rest) == due, f"{len(rest)} are left")
        elif rule in ("finish.hands_max", "finish.each_dealt_once"):
            for table in self.all.tables:
                if table.books and table.before is not None and table.sound:
                    data = table.before.data
                    ended = data["last"] or len(table.can_be_dealt()) < 2
                    if (
                        rule == "finish.each_dealt_once"
                    ):  # Eliminated seats are skipped, also after the hand.
                        names = {seat["seat"]: seat["entrant"] for seat in data["seats"]}
                        here = {seat: books.entrant for seat, books in table.books.items()}
                        can = table.can_be_dealt()
                        ended = ended or not any(
                            seat in can and here.get(seat) == names.get(seat)
                            for seat in data["dealers_left"]
                        )
                    self.check(event, rule, ended, f"table {table.number} had more to play")
        elif rule == "finish.last_hands":
            self.check(
                event, rule, bool(self.all.of("last_hands_called")), "no last hands were called"
            )
        elif rule == "finish.deal":
            deal = self.all.money.deal
            self.check(event, rule, bool(deal and deal["ends"]), "no deal said so")
        elif rule == "finish.closed":
            self.check(event, rule, bool(self.all.of("play_closing")), "no event closed it")
        elif rule == "rounds.result":
            closed = bool(self.all.kinds & {"play_closing", "last_hands_called"})
            done = len(self.all.of("round_ended")) >= self.terms["format"].get("rounds", 0)
            few = len(rest) <= 1
            self.check(event, rule, closed or done or few, "more rounds were to be played")
        elif rule != "finish.too_few_stacks":
            self.skip(f"if {rule} ended the tournament in time")

    def final_scores(self, entrants: list[str]) -> dict[str, Any] | None:
        """Return the scores that rank the remaining entrants, the larger the better."""
        ended = self.all.of("round_ended")
        if ended and not self.all.of("final_seated"):
            return {name: self.all.rounds.key(name) for name in entrants}
        scores: dict[str, Any] = {name: (stack, 0) for name, stack in self.all.casino.gone.items()}
        counting = self.terms["ruleset"]["score"] == "hands_won"
        for table in self.all.tables:
            if not table.sound:
                self.skip("placings: stacks at the end could not be followed")
                return None
            for books in table.books.values():
                scores[books.entrant] = (
                    books.hands_won if counting else books.stack,
                    books.pots_won,
                )
        if not set(entrants) <= set(scores):
            self.skip("placings: stacks at the end could not be followed")
            return None
        return {name: scores[name] for name in entrants}

    def check_played_off(self, event: Event) -> None:
        """
        Check that exactly those tied for the first place play one more hand, if the terms allow it: `finish.ties`.
        """
        played = False
        for table in self.all.tables:
            known = all(other.sound for other in self.all.tables if other is not table)
            before = 1
            for opened in table.events:
                if opened.type != "hand_opened":
                    continue
                data, stage = opened.data, opened.data["stage"]
                if stage != 1 and data["deal"] == 1:
                    played = True
                    self.same(
                        opened, "finish.ties", "stage, and that before", [stage, before], [2, 1]
                    )
                    found = sorted(seat["entrant"] for seat in data["seats"] if seat["dealt"])
                    due = (
                        []
                        if self.all.of_round(table.id)
                        else sorted(self.tied_at_one_table(opened))
                    )
                    if known:
                        self.same(opened, "finish.ties", "players of the extra hand", found, due)
                before = stage
        if not played and self.all.sound() and event.data["rule"] in PLAYED_OFF:
            tied = self.tied_at_one_table(None)
            self.check(
                event,
                "finish.ties",
                not tied,
                f"{tied} are tied for the first place and have not played one more hand",
            )

    def tied_at_one_table(self, opened: Event | None) -> list[str]:
        """Return those tied for the first place before *opened*, or at the end, if one more hand may separate them."""
        rules = self.terms["ruleset"]
        counting = rules["score"] == "hands_won"
        sits: dict[str, str] = {}
        scores: dict[str, tuple[int, int, int]] = {}
        for table in self.all.tables:
            if opened is not None and opened.stream == stream_of(table.id):
                seats = [
                    (s["entrant"], s["stack"], s["hands_won"], s["pots_won"])
                    for s in opened.data["seats"]
                ]
            else:  # The carry is awarded afterwards.
                seats = [
                    (b.entrant, b.stack - table.carries.get(seat, 0), b.hands_won, b.pots_won)
                    for seat, b in table.books.items()
                ]
            for name, stack, hands, pots in seats:
                sits[name], scores[name] = table.id, (stack, hands if counting else 0, pots)
        first = [name for name in scores if scores[name] == max(scores.values())]
        if (
            len(first) < 2
            or len({sits[name] for name in first}) > 1
            or rules["final_tie"] != "sudden_death"
        ):
            return []
        if rules["betting"]["kind"] != "fixed_continue" or rules["escalation"]["kind"] != "none":
            return []
        names = ("amount", "table_ante", "player_ante", "small", "big")
        forced = {name: rules["forced"].get(name, 0) for name in names}
        dearest = forced["amount"] + forced["table_ante"] + forced["player_ante"]
        dearest += max(forced["small"], forced["big"])
        dearest += 2 * rules["betting"]["cost"]
        return first if counting or scores[first[0]][0] > dearest else []

    def on_result_frozen(self, event: Event) -> None:
        """Check that a frozen result is not corrected before its release: `disputes.freeze`."""
        released = [
            e for e in self.all.of("result_released") if e.data["dispute"] == event.data["dispute"]
        ]
        until = released[0].version if released else self.all.events[-1].version + 1
        waiting = ("result_corrected", "payout_deal_made", "prize_handed_over", "prize_returned")
        for kind in waiting:
            for other in self.all.of(kind):
                held = event.version < other.version < until and other.at != (
                    released[0].at if released else 0
                )
                self.check(other, "disputes.freeze", not held, "the result was frozen")

    def on_result_corrected(self, event: Event) -> None:
        """`corrections.result`, `corrections.forfeit`, `corrections.reaward`"""
        data = event.data
        self.same(event, "corrections.result", "number", data["number"], len(self.all.results))
        if not self.check(
            event, "corrections.result", bool(self.all.results), "there is no result yet"
        ):
            return
        before = self.all.results[-1][1]
        rules = {"correction": "result", "forfeit": "forfeit", "reaward": "reaward"}
        self.same(event, "rule", "rule", data["rule"], "corrections." + rules[data["kind"]])
        self.check_players(event)
        self.check_places(event)
        if data["kind"] == "reaward":
            paid = [
                sum(entry["amount"] for entry in result["payouts"]) for result in (data, before)
            ]
            self.same(event, "corrections.reaward", "total money", paid[0], paid[1])
            found, due = ({e["entrant"]: e["place"] for e in r["placings"]} for r in (data, before))
            self.same(event, "corrections.reaward", "places", found, due)
        else:
            self.check_forfeits(event, before)
            self.forfeited = data["forfeited"]
            self.check_payouts(event)
        self.all.results.append((event.position, data))

    def check_places(self, event: Event) -> None:
        """Check that places have no gaps, and that each is shared by as many as have it."""
        places = Counter(entry["place"] for entry in event.data["placings"])
        due = 1
        for place in sorted(places):
            self.same(event, "corrections.result", "place", place, due)
            due += places[place]
        shared = {entry["entrant"]: entry["shared"] for entry in event.data["placings"]}
        due_shared = {entry["entrant"]: places[entry["place"]] for entry in event.data["placings"]}
        self.same(event, "corrections.result", "shared", shared, due_shared)

    def check_forfeits(self, event: Event, before: Json) -> None:
        """
        Check that those who forfeit have the last place, and that everybody below moves up: `corrections.forfeit`.
        """
        data, out = event.data, set(event.data["forfeited"])
        self.check(
            event, "corrections.forfeit", set(self.forfeited) <= out, "a forfeit was forgotten"
        )
        if not out:
            return
        places = {entry["entrant"]: entry["place"] for entry in data["placings"]}
        last = len(places) - len(out) + 1
        self.same(
            event, "corrections.forfeit", "last place", {places.get(name) for name in out}, {last}
        )
        if data["kind"] == "forfeit":
            new = out - set(self.forfeited)
            self.same(event, "corrections.forfeit", "how many forfeit", len(new), 1)
            ranks = {
                entry["entrant"]: -entry["place"]
                for entry in before["placings"]
                if entry["entrant"] not in out
            }
            due = {name: place for place, _, names in placed(ranks) for name in names}
            found = {name: place for name, place in places.items() if name not in out}
            self.same(event, "corrections.forfeit", "places of the others", found, due)


# ---------------------------------------------------------------------------------------------------------------
# 8 Rules, rounds: rulebook 21
# ---------------------------------------------------------------------------------------------------------------


@dataclass
class Score:
    """The totals of one entrant over all rounds."""

    points: Fraction = Fraction(0)
    wins: int = 0
    chips: int = 0


class Rounds(Part):
    """Heats, Swiss rounds, round robins, the cut and the final."""

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.scores: dict[str, Score] = {}
        self.stacks: dict[str, int] = {}  # chips of everybody at the end of the last round
        self.met: Counter[frozenset[str]] = Counter()
        self.round = 0
        self.tables = 0
        self.now: dict[str, Json] = {}  # tables of the current round, as seated
        self.cut: list[str] | None = None

    @property
    def format(self) -> Json:
        return self.terms["format"]

    def key(self, name: str) -> tuple[Fraction, int, int]:
        """Return the ranking key. Larger is better: `rounds.ranking`."""
        score_ = self.scores.setdefault(name, Score())
        return score_.points, score_.wins, score_.chips

    def listed(self, names: list[str]) -> dict[str, list[Any]]:
        """Return [chips, points, wins, rank, shared] of each entrant, in the form of `scores` and `candidates`."""
        due = {}
        for place, shared, who in placed({name: self.key(name) for name in names}):
            for name in who:
                points, wins, chips = self.key(name)
                due[name] = [chips, decimal_text(points, 2), wins, place, shared]
        return due

    def check_listed(self, event: Event, rule: str, entries: list[Json], names: list[str]) -> None:
        found = {
            e["entrant"]: [e["chips"], e["points"], e["wins"], e["rank"], e["shared"]]
            for e in entries
        }
        self.same(event, rule, "scores", found, self.listed(names))

    def places_of(self, names: list[str]) -> dict[str, tuple[int, int, str]]:
        """Return places by score, below everybody who is still in: `rounds.out`, `rounds.placing`."""
        rule = "rounds.placing" if self.cut is not None else "rounds.out"
        still = [name for name in self.all.left() if name not in names]
        due = {}
        for place, shared, who in placed({name: self.key(name) for name in names}):
            due |= dict.fromkeys(who, (len(still) + place, shared, rule))
        return due

    # -- a round begins

    def on_round_seated(self, event: Event) -> None:
        data, left = event.data, self.all.left()
        self.round += 1
        self.same(event, "rounds", "round", data["round"], self.round)
        rule = "rounds.first" if self.round == 1 else f"rounds.{self.format['seating']}"
        self.same(event, "rule", "rule", data["rule"], rule)
        self.check_listed(event, "rounds.ranking", data["candidates"], left)
        self.same(
            event,
            "rounds.first",
            "label",
            data["draw"]["label"],
            "seats" if self.round == 1 else "order",
        )
        drawn = self.all.of("seats_drawn")
        if self.round == 1 and drawn:
            self.same(event, rule, "seat draw", data["draw"], drawn[0].data["draw"])
        else:
            self.all.check_draw(event, rule, left)
        self.check_tables(event, len(left))
        order = data["draw"]["order"]
        if rule in ("rounds.first", "rounds.heats"):
            count = len(data["tables"])
            due = [order[place::count] for place in range(count)]
            found = [[seat["entrant"] for seat in table["seats"]] for table in data["tables"]]
            self.same(event, rule, "seats", found, due)
        else:
            self.check_pairing(event, rule, order)
        self.check_meetings(event, left)
        self.now = {table["table"]: table for table in data["tables"]}

    def check_tables(self, event: Event, entrants: int) -> None:
        """
        Check that there are as few tables as possible, with sizes that differ by one at most, consecutive numbers, and
        a seat and chips for everybody: `rounds`.
        """
        tables = event.data["tables"]
        sizes = [len(table["seats"]) for table in tables]
        self.same(
            event,
            "rounds",
            "number of tables",
            len(tables),
            fewest_tables(entrants, self.terms["table_seats"]),
        )
        self.check(
            event, "rounds", max(sizes) - min(sizes) <= 1, f"sizes differ by more than one: {sizes}"
        )
        numbers = [[table["number"], table["place"]] for table in tables]
        due = [[self.tables + place, place] for place in range(1, len(tables) + 1)]
        self.same(event, "rounds", "numbers and places of tables", numbers, due)
        self.tables += len(tables)
        seated = [seat["entrant"] for table in tables for seat in table["seats"]]
        self.same(event, "rounds", "who is seated", sorted(seated), sorted(self.all.left()))
        fresh = self.format["stacks"] == "fresh"
        for table in tables:
            self.same(
                event,
                "rounds",
                "seats",
                [s["seat"] for s in table["seats"]],
                [*range(1, len(table["seats"]) + 1)],
            )
            for seat in table["seats"]:
                due_stack = self.stacks.get(seat["entrant"], self.terms["starting_stack"])
                due_stack = self.terms["starting_stack"] if fresh else due_stack
                self.same(event, "rounds", "stack", seat["stack"], due_stack)
            self.check_opened(
                table["table"],
                table["number"],
                {s["seat"]: [s["entrant"], s["stack"]] for s in table["seats"]},
            )

    def check_opened(self, identifier: str, number: int, seats: dict[int, list[Any]]) -> None:
        table = self.all.table(identifier)
        if table is not None:
            opened = table.events[0]
            found = {
                seat["seat"]: [seat["entrant"], seat["stack"]] for seat in opened.data["seats"]
            }
            self.same(
                opened,
                "seating.draw",
                "number and seats",
                [opened.data["number"], found],
                [number, seats],
            )

    def check_pairing(self, event: Event, rule: str, order: list[str]) -> None:
        """Check that the same exchanges give the same tables. At a table players sit in the order of the draw."""
        found = [[seat["entrant"] for seat in table["seats"]] for table in event.data["tables"]]
        count, least = len(found), len(order) // len(found)
        sizes = [least + (place < len(order) % count) for place in range(count)]
        pairing = Pairing(sizes, self.met)
        if rule == "rounds.swiss":
            ranked = sorted(
                order,
                key=lambda name: (tuple(-value for value in self.key(name)), order.index(name)),
            )
            tables = pairing.swiss(ranked)
        else:
            tables = pairing.round_robin(order)
        due = [sorted(names, key=order.index) for names in tables]
        self.same(event, rule, "seats", found, due)

    def check_meetings(self, event: Event, left: list[str]) -> None:
        again = 0
        for table in event.data["tables"]:
            names = [seat["entrant"] for seat in table["seats"]]
            for place, one in enumerate(names):
                for other in names[:place]:
                    pair = frozenset((one, other))
                    again += self.met[pair] > 0
                    self.met[pair] += 1
        counts = [
            self.met[frozenset((one, other))]
            for place, one in enumerate(left)
            for other in left[:place]
        ]
        due = {"again": again, "fewest": min(counts, default=0), "most": max(counts, default=0)}
        self.same(event, "rounds", "meetings", event.data["meetings"], due)

    # -- a round ends

    def on_round_ended(self, event: Event) -> None:
        data = event.data
        self.same(event, "rounds.end", "round", data["round"], self.round)
        self.same(
            event,
            "rounds.end",
            "tables",
            sorted(r["table"] for r in data["results"]),
            sorted(self.now),
        )
        sound = self.all.sound()
        if not sound:
            self.skip("results of rounds: a hand could not be followed")
        for result in data["results"]:
            if result["table"] in self.now:
                (self.check_result if sound else self.take_over)(
                    event, result, self.now[result["table"]]
                )
        carried = self.format["stacks"] == "carried"
        still = [name for name in self.all.left() if not carried or self.stacks.get(name)]
        self.check_listed(event, "rounds.ranking", data["scores"], still)
        self.now = {}
        self.all.places.bust.clear()

    def take_over(self, event: Event, result: Json, seated: Json) -> None:
        """Copy the places and chips of a table from the log if they could not be computed."""
        sat = {seat["entrant"]: seat["stack"] for seat in seated["seats"]}
        for entry in result["scores"]:
            name, chips = entry["entrant"], entry["stack"] - sat[entry["entrant"]]
            points = Fraction(chips)
            if self.format["points"] == "places":
                points = self.worth(entry["place"], entry["shared"])
            self.same(
                event,
                "rounds.points",
                f"points of {name}",
                entry["points"],
                decimal_text(points, 2),
            )
            self.score(name, points, entry["place"], chips, entry["stack"])

    def score(self, name: str, points: Fraction, place: int, chips: int, stack: int) -> None:
        score_ = self.scores.setdefault(name, Score())
        score_.points += Fraction(decimal_text(points, 2))
        score_.wins += place == 1
        score_.chips += chips
        self.stacks[name] = stack

    def check_result(self, event: Event, result: Json, seated: Json) -> None:
        """`rounds.places`, `rounds.points` at one table."""
        table = self.all.table(result["table"])
        if table is None:
            return
        out = self.out_while_sitting(result["table"])
        sat = {
            seat["entrant"]: seat["stack"] for seat in seated["seats"] if seat["entrant"] not in out
        }
        books = table.gone | {books.entrant: books for books in table.books.values()}
        busts = {
            bust["entrant"]: (bust["hand_number"], bust["stack_at_start"])
            for _, bust in table.busts
        }
        counting = self.terms["ruleset"]["score"] == "hands_won"
        keys: dict[str, Any] = {}
        for name in sat:
            if name in books:
                hands = books[name].hands_won if counting else 0
                keys[name] = (1, books[name].stack, hands, books[name].pots_won)
            else:
                keys[name] = (0, *busts.get(name, (0, 0)), 0)
        due = {}
        for place, shared, who in placed(keys):
            for name in who:
                stack = books[name].stack if name in books else 0
                points = Fraction(stack - sat[name])
                if self.format["points"] == "places":
                    points = self.worth(place, shared)
                due[name] = [place, shared, decimal_text(points, 2), stack]
                self.score(name, points, place, stack - sat[name], stack)
        found = {
            e["entrant"]: [e["place"], e["shared"], e["points"], e["stack"]]
            for e in result["scores"]
        }
        self.same(event, "rounds.places", f"places at table {result['number']}", found, due)

    def out_while_sitting(self, table: str) -> set[str]:
        """Return the entrants placed by a ruling while they still had chips at *table*."""
        ruled = {e.data["entrant"]: e.version for e in self.all.of("entrant_disqualified")}
        busts = [e for e in self.all.of("entrant_busted") if e.data["table"] == table]
        before = {
            e.data["entrant"]
            for e in busts
            if e.version < ruled.get(e.data["entrant"], e.version + 1)
        }
        return self.all.placed.keys() - before

    def worth(self, place: int, shared: int) -> Fraction:
        """Return the points of a place at a table, equal for shared places: `rounds.points`."""
        listed = self.format["place_points"]
        seats = self.terms["table_seats"]
        points = listed or [seats - turn for turn in range(seats)]
        worth = [
            points[each - 1] if each <= len(points) else 0 for each in range(place, place + shared)
        ]
        return Fraction(sum(worth), shared)

    # -- the cut, the final

    def on_cut_made(self, event: Event) -> None:
        """Check that the best go on, and that a lot decides among equals at the line: `rounds.cut`."""
        data, left = event.data, self.all.left()
        self.check_listed(event, "rounds.cut", data["candidates"], left)
        groups = placed({name: self.key(name) for name in left})
        most = self.format["cut"] or len(left)
        going: list[str] = []
        tied: list[str] = []
        for place, shared, who in groups:
            if place + shared - 1 <= most:
                going += who
            elif place <= most:
                tied = [name for name in left if name in who]
        self.same(event, "rounds.cut", "tied", sorted(data["tied"]), sorted(tied))
        if tied and self.check(event, "rounds.cut", data["draw"] is not None, "no lot was drawn"):
            self.all.check_draw(event, "rounds.cut", tied)
            going += data["draw"]["order"][: most - len(going)]
        self.same(event, "rounds.cut", "who advances", sorted(data["going"]), sorted(going))
        self.cut = data["going"]

    def on_final_seated(self, event: Event) -> None:
        """`rounds.final`"""
        data, left = event.data, self.all.left()
        self.same(event, "rounds.final", "who plays", sorted(data["draw"]["order"]), sorted(left))
        self.all.check_draw(event, "rounds.final", left)
        count = tables_for(self.terms, len(left))
        numbers = [self.tables + place for place in range(1, count + 1)]
        due = {}
        for place, name in enumerate(data["draw"]["order"]):
            own = (
                self.stacks.get(name, 0)
                if self.format["stacks"] == "carried"
                else self.terms["starting_stack"]
            )
            stack = self.format["final_stack"] or own
            due[name] = [numbers[place % count], place // count + 1, stack]
        found = {
            e["entrant"]: [e["table_number"], e["seat"], e["stack"]] for e in data["assignments"]
        }
        self.same(event, "rounds.final", "seats and stacks", found, due)
        for number in numbers:
            seats = {
                e["seat"]: [e["entrant"], e["stack"]]
                for e in data["assignments"]
                if e["table_number"] == number
            }
            names = {e["table"] for e in data["assignments"] if e["table_number"] == number}
            for identifier in names:
                self.check_opened(identifier, number, seats)
        self.tables += count
        self.same(
            event, "seating.break_table", "breaking order", data["breaking_order"], numbers[::-1]
        )
        self.all.order = list(data["breaking_order"])


class Pairing:
    """The choice of opponents by `rounds.swiss` and `rounds.round_robin`. At most 100 000 exchanges are weighed."""

    def __init__(self, sizes: list[int], met: Counter[frozenset[str]]) -> None:
        self.sizes = sizes
        self.left = 100_000
        self.met: dict[str, dict[str, int]] = {}
        for pair, times in met.items():
            one, other = pair
            self.met.setdefault(one, {})[other] = self.met.setdefault(other, {})[one] = (
                times * (times + 1) // 2
            )

    def weighs(self, name: str, table: list[str], without: str = "") -> int:
        """Return the weight of those at *table* whom *name* has met. Someone met m times weighs m (m + 1) / 2."""
        known = self.met.get(name, {})
        return sum(known.get(other, 0) for other in table if other not in (name, without))

    def saved(self, upper: list[str], lower: list[str], one: str, other: str) -> int:
        """Return the weight saved if *one* of *upper* and *other* of *lower* change places."""
        now = self.weighs(one, upper) + self.weighs(other, lower)
        return now - self.weighs(one, lower, other) - self.weighs(other, upper, one)

    def swiss(self, ranked: list[str]) -> list[list[str]]:
        tables: list[list[str]] = []
        for size in self.sizes:
            start = sum(len(table) for table in tables)
            tables.append(ranked[start : start + size])
        rank = {name: place for place, name in enumerate(ranked)}
        while self.left > 0:
            best: tuple[int, int, int, int, int] | None = None
            for f in range(len(tables) - 1):
                for i, one in enumerate(tables[f]):
                    for j, other in enumerate(tables[f + 1]):
                        self.left -= 1
                        saved = self.saved(tables[f], tables[f + 1], one, other)
                        key = (-saved, rank[other] - rank[one], f, i, j)
                        if saved > 0 and (best is None or key < best):
                            best = key
            if best is None:
                break
            _, _, f, i, j = best
            tables[f][i], tables[f + 1][j] = tables[f + 1][j], tables[f][i]
        return tables

    def round_robin(self, drawn: list[str]) -> list[list[str]]:
        n = len(drawn)
        steps = [step for step in range(1, max(2, n)) if math.gcd(step, n) == 1]
        best: tuple[int, list[list[str]]] | None = None
        for start in range(40):
            step, offset = steps[start % len(steps)], start // len(steps)
            tables = self.greedy([drawn[(offset + step * j) % n] for j in range(n)])
            self.improve(tables)
            weight = sum(self.weighs(name, table) for table in tables for name in table) // 2
            if best is None or weight < best[0]:
                best = (weight, tables)
            if weight == 0 or self.left <= 0:
                break
        assert best is not None
        return best[1]

    def greedy(self, order: list[str]) -> list[list[str]]:
        """Seat each at the table with room at which the weight is the least."""
        tables: list[list[str]] = [[] for _ in self.sizes]
        for name in order:
            room = [place for place, size in enumerate(self.sizes) if len(tables[place]) < size]
            tables[min(room, key=lambda place: self.weighs(name, tables[place]))].append(name)
        return tables

    def improve(self, tables: list[list[str]]) -> None:
        """Exchange two seats of any two tables, the first of those that save most, as long as an exchange saves."""
        while True:
            best: tuple[int, int, int, int, int] | None = None
            for f in range(len(tables)):
                for g in range(f + 1, len(tables)):
                    for i, one in enumerate(tables[f]):
                        for j, other in enumerate(tables[g]):
                            self.left -= 1
                            saved = self.saved(tables[f], tables[g], one, other)
                            if saved > 0 and (best is None or saved > best[0]):
                                best = (saved, f, g, i, j)
                    if self.left <= 0:
                        return
            if best is None:
                return
            _, f, g, i, j = best
            tables[f][i], tables[g][j] = tables[g][j], tables[f][i]


# ---------------------------------------------------------------------------------------------------------------
# 8 Rules, seating: rulebook 13.3 to 13.6, 17.17, 17.18, 20.1, 20.2, 20.4
# ---------------------------------------------------------------------------------------------------------------


def fewest_tables(entrants: int, seats: int) -> int:
    """Return the fewest tables of so many seats that seat everybody, and 1 for nobody: `seating.draw`."""
    return max(1, -(-entrants // seats))


def tables_for(terms: Json, entrants: int) -> int:
    """Return the number of tables for *entrants* outside of rounds: `seating.final_table`."""
    needed = fewest_tables(entrants, terms["table_seats"])
    final = terms["floor"]["final_table_size"]
    if final is None:
        return needed
    return 1 if entrants <= final else max(2, needed)


class Seating(Part):
    """The draw of seats, late seats, moves, broken tables, redraws."""

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.closed: set[int] = set()
        self.promised: dict[tuple[str, int], str] = {}
        self.draw_numbers: list[int] = []

    def numbers(self, position: int) -> dict[int, Table]:
        """Return the numbers of the tables that are open at *position*."""
        return {table.number: table for table in self.all.tables if table.open_at(position)}

    def on_seats_drawn(self, event: Event) -> None:
        """Check that seats are drawn from the registered entrants and dealt round the tables: `seating.draw`."""
        data = event.data
        drawn = data["draw"]["order"]
        self.same(event, "seating.draw", "entrants", sorted(drawn), sorted(self.all.entrants))
        self.all.check_draw(
            event, "seating.draw", [name for name in self.all.entrants if name in drawn]
        )
        in_rounds = self.terms["format"]["kind"] == "rounds"
        seats = self.terms["table_seats"]
        count = (
            fewest_tables(len(drawn), seats) if in_rounds else tables_for(self.terms, len(drawn))
        )
        due = {
            entrant: [place % count + 1, place // count + 1, self.terms["starting_stack"]]
            for place, entrant in enumerate(drawn)
        }
        found = {
            e["entrant"]: [e["table_number"], e["seat"], e["stack"]] for e in data["assignments"]
        }
        self.same(event, "seating.draw", "assignments", found, due)
        ids = {entry["table"] for entry in data["assignments"]}
        for table in self.all.tables:
            if table.id in ids:
                seats = {
                    e["seat"]: [e["entrant"], e["stack"]]
                    for e in data["assignments"]
                    if e["table"] == table.id
                }
                opened = table.events[0]
                found_seats = {
                    seat["seat"]: [seat["entrant"], seat["stack"]] for seat in opened.data["seats"]
                }
                self.same(opened, "seating.draw", "seats", found_seats, seats)
        self.same(
            event,
            "seating.break_table",
            "breaking order",
            data["breaking_order"],
            list(range(count, 0, -1)),
        )
        self.all.order = list(data["breaking_order"])

    # -- the order in which tables break

    def on_breaking_order_changed(self, event: Event) -> None:
        data = event.data
        opened = self.numbers(event.position)
        self.same(
            event, "directing.breaking_order", "tables", sorted(data["order"]), sorted(opened)
        )
        self.all.order = list(data["order"])

    def on_late_registration_closed(self, event: Event) -> None:
        opened = [number for number in self.all.order if number in self.numbers(event.position)]
        self.same(
            event, "entry.late_closed", "breaking order", event.data["breaking_order"], opened
        )
        self.all.order = list(event.data["breaking_order"])

    # -- late entries

    def free_seats(self, table: Table, position: int) -> list[int]:
        """
        Return the seats that nobody occupies, was promised or may buy back. A disqualified player's seat counts as
        free.
        """
        out = {
            e.data["entrant"] for e in self.all.of("entrant_disqualified") if e.position < position
        }
        taken = {seat for seat, name in table.seats_at(position).items() if name not in out}
        taken |= {seat for name, seat in self.promised if name == table.id}
        taken |= {
            data["seat"] for data in self.all.places.windows.values() if data["table"] == table.id
        }
        seats = table.size if self.all.is_casino else self.terms["table_seats"]
        return [seat for seat in range(1, seats + 1) if seat not in taken]

    def on_late_seat_drawn(self, event: Event) -> None:
        """
        Check that the seat is drawn among the free seats of the tables with the fewest players: `seating.late_entry`.
        """
        data, draw = event.data, event.data["draw"]
        tables = self.numbers(event.position)
        free = {
            number: self.free_seats(table, event.position)
            for number, table in sorted(tables.items())
        }
        most = max(map(len, free.values()), default=0)
        due = [
            {"seat": seat, "table": tables[number].id}
            for number, seats in free.items()
            if len(seats) == most
            for seat in seats
        ]
        if self.all.sound():
            self.same(event, "seating.late_entry", "candidates", draw["candidates"], due)
        draws = self.all.draws(event, "seats", draw["number"])
        if draws is not None and draw["candidates"]:
            first = draws.shuffled(draw["candidates"])[0]
            self.same(
                event,
                "seating.late_entry",
                "seat drawn",
                [data["table"], data["seat"]],
                [first["table"], first["seat"]],
            )

    def on_table_added(self, event: Event) -> None:
        """Check that a table is added only if no seat is free. It breaks before the others: `seating.table_added`."""
        data = event.data
        others = [
            table for table in self.numbers(event.position).values() if table.id != data["table"]
        ]
        if self.all.sound():
            full = not any(self.free_seats(table, event.position) for table in others)
            self.check(event, "seating.table_added", full, "a seat was free")
        highest = max(
            (
                table.number
                for table in self.all.tables
                if table.id != data["table"] and table.number < data["number"]
            ),
            default=0,
        )
        self.same(event, "seating.table_added", "number", data["number"], highest + 1)
        self.same(
            event, "seating.table_added", "chips", data["chips"], self.terms["starting_stack"]
        )
        self.all.order.insert(0, data["number"])

    def on_chips_promised(self, event: Event) -> None:
        data = event.data
        if data["rule"] == "entry.late":
            self.same(event, "entry.late", "chips", data["chips"], self.terms["starting_stack"])
        if data["newcomer"]:
            self.promised[data["table"], data["seat"]] = data["entrant"]

    def on_chips_brought(self, event: Event) -> None:
        data = event.data
        self.promised.pop((data["table"], data["seat"]), None)
        table = self.all.table(data["table"])
        if table is not None and table.sound:
            books = table.seats_at(event.position + 1)
            self.same(
                event, data["rule"], "who sits there", books.get(data["seat"]), data["entrant"]
            )

    def before_hand(self, hand: Event, table: Table) -> None:
        """
        Check that everybody who was promised a seat here has it before the next hand: `entry.late`, `casino.sit_down`.
        """
        late = sorted(entrant for (name, _), entrant in self.promised.items() if name == table.id)
        rule = "casino.sit_down" if self.all.is_casino else "entry.late"
        self.check(hand, rule, not late, f"{late} have no seat although they were promised one")

    # -- moves

    def sizes(self, event: Event) -> dict[str, int]:
        """
        Return the number of players at each open table before the moves of *event*, which come before it in the log.
        """
        found = {
            table.id: len(table.seats_at(event.position))
            for table in self.numbers(event.position).values()
        }
        found.setdefault(event.data["table"], 0)
        for move in event.data["moves"]:
            found[move["from_table"]] = found.get(move["from_table"], 0) + 1
            found[move["to_table"]] = found.get(move["to_table"], 0) - 1
        return found

    def check_moves(self, event: Event) -> None:
        """Check that a moved entrant left one seat and came to the other with the same chips."""
        for move in event.data["moves"]:
            come = self.travelled(event, move, "arrivals_seated", "arrivals", "to")
            gone = self.travelled(event, move, "seats_vacated", "departures", "from")
            text = f"{move['entrant']} did not move with {move['stack']}"
            self.check(event, "seating", come and gone, text)

    def check_tables(self, event: Event) -> None:
        """
        Check that each mover goes to the table with the fewest players, and of several to the lowest number.

        Only tables that receive somebody count, because others may have been in play.
        """
        if not self.all.sound():
            return
        moves, tables = (
            event.data["moves"],
            {table.id: table for table in self.numbers(event.position).values()},
        )
        takes = sorted({move["to_table"] for move in moves} & tables.keys())
        players = self.sizes(event)
        for move in moves:
            room = [
                name
                for name in takes
                if players[name] + self.kept(name) < self.seats(event, tables[name])
            ]
            due = min(room, key=lambda name: (players[name], tables[name].number), default=None)
            self.same(
                event, event.data["rule"], f"table of {move['entrant']}", move["to_table"], due
            )
            players[move["to_table"]] += 1

    def seats(self, event: Event, table: Table) -> int:
        """
        Return the seats that movers may take. Seats beyond `table_seats` are only for the final table:
        `seating.final_table`.
        """
        return table.size if event.data.get("final") else int(self.terms["table_seats"])

    def kept(self, table: str) -> int:
        """Return the number of free seats of *table* that are reserved."""
        windows = self.all.places.windows.values()
        return sum(name == table for name, _ in self.promised) + sum(
            each["table"] == table for each in windows
        )

    def check_seats(self, event: Event) -> None:
        """
        Check the seats of movers.

        By version 2 everybody gets the worst legal seat, by the hands to come. By version 1 it is the first free seat
        after the next small blind, and before a first hand the lowest free one.
        """
        if event.schema_version > 1:
            for place, move in enumerate(event.data["moves"]):
                room = self.room(event, move["to_table"], event.data["moves"][place:])
                if room is not None:
                    name = f"seat of {move['entrant']}"
                    self.same(event, event.data["rule"], name, move["to_seat"], room[0][0])
            return
        moves = event.data["moves"]
        for place, move in enumerate(moves):
            table = self.all.table(move["to_table"])
            if table is None or not self.all.sound():
                continue
            coming = {later["entrant"] for later in moves[place:]}
            taken = sorted(
                seat for seat, name in table.seats_at(event.position).items() if name not in coming
            )
            taken += [seat for name, seat in self.promised if name == table.id]
            free = [seat for seat in range(1, self.seats(event, table) + 1) if seat not in taken]
            opened = [
                e for e in table.events if e.type == "hand_opened" and e.position < event.position
            ]
            after = 0
            if opened and taken:
                order = clockwise(taken, opened[-1].data["button"])
                after = order[1 % len(order)]
            due = clockwise(free, after)[0] if free else None
            self.same(
                event,
                "seating.balance_next_big_blind",
                f"seat of {move['entrant']}",
                move["to_seat"],
                due,
            )

    def standing(self, event: Event, table: Table, coming: list[Json]) -> Standing:
        """
        Return *table* as it was before *coming* arrived, and before anybody left it by *event*.

        That is the seats with their stacks, the last hand opened (none before a first dealer is drawn), and newcomers.
        """
        taken = {
            seat: books
            for seat, books in table.at(event.position).items()
            if books[0] not in {move["entrant"] for move in coming}
        }
        for move in event.data["moves"]:
            if move["from_table"] == table.id:
                taken[move["from_seat"]] = (move["entrant"], move["stack"])
        opened, fresh = None, set[str]()
        movers = {move["entrant"] for move in event.data["moves"]}
        for earlier in table.events:
            if earlier.position >= event.position:
                break
            if earlier.type == "hand_opened":
                opened = earlier
                fresh -= {seat["entrant"] for seat in earlier.data["seats"] if seat["dealt"]}
            elif earlier.type == "arrivals_seated":
                came = {entry["entrant"] for entry in earlier.data["arrivals"]}
                fresh |= came
                now = earlier.at == event.at and bool(came & movers)
                if earlier.data["restart"] and not now:
                    opened = None
        return taken, opened, {seat for seat, (name, _) in taken.items() if name in fresh}

    def room(
        self, event: Event, to: str, coming: list[Json]
    ) -> list[tuple[int, int, int | None]] | None:
        """
        Yield the free seats of a table, the worst legal one first: the seat, how a newcomer begins, and the hands until
        its turn.
        """
        table = self.all.table(to)
        if table is None or not self.all.sound():
            return None
        taken, opened, new = self.standing(event, table, coming)
        kept = [*taken, *(seat for name, seat in self.promised if name == table.id)]
        free = [seat for seat in range(1, self.seats(event, table) + 1) if seat not in kept]
        least = table.least(opened.data if opened else None)
        able = [seat for seat, (_, stack) in taken.items() if stack >= least]
        if opened is None or not able:
            return [(seat, 0, None) for seat in free]
        rules, old = table.ruleset, self.last_of(opened, taken)
        blinds = rules["forced"]["kind"] == "blinds"
        near = clockwise(free, old["starter"] if rules["button"] == "starter" else old["button"])
        found = []
        for seat in free:
            _, small, dealt = next(hands_to_come(rules, old, [*able, seat], {*new, seat}))
            begins = 1 if seat not in dealt else 2 if seat == small else 0
            turn = turns_to_come(rules, old, [*able, seat], {*new, seat}).get(seat)
            found.append((seat, begins, turn))

        def badness(each: tuple[int, int, int | None]) -> tuple[int, float, int]:
            seat, begins, turn = each
            soon = math.inf if turn is None else turn
            return begins, soon if blinds else -soon, near.index(seat)

        return sorted(found, key=badness)

    @staticmethod
    def last_of(opened: Event, taken: dict[int, tuple[str, int]]) -> Json:
        """Return the last hand opened, with the remaining players who still have to deal."""
        sat = {seat["seat"]: seat["entrant"] for seat in opened.data["seats"]}
        here = {seat: name for seat, (name, _) in taken.items()}
        left = [s for s in opened.data["dealers_left"] if here.get(s) == sat.get(s)]
        return opened.data | {"dealers_left": left}

    def check_scores(self, event: Event) -> None:
        """
        Check that mover and seat are chosen by the hands to come: `seating.balance_next_big_blind`,
        `seating.balance_button`.
        """
        data, rule = event.data, event.data["rule"]
        blinds = self.terms["ruleset"].get("forced", {}).get("kind") == "blinds"
        due = "seating.balance_next_big_blind" if blinds else "seating.balance_button"
        self.same(event, due, "rule", rule, due)
        self.same(event, rule, "players moved at once", len(data["moves"]), 1)
        table = self.all.table(data["table"])
        if table is None or not table.known:
            return
        taken, opened, new = self.standing(event, table, [])
        seats = sorted((entry["seat"], entry["entrant"]) for entry in data["candidates"])
        held = sorted((seat, name) for seat, (name, _) in taken.items())
        self.same(event, rule, "candidates", seats, held)
        turns: dict[int, int] = {}
        if opened is not None:
            least = table.least(opened.data)
            able = [seat for seat, (_, stack) in taken.items() if stack >= least]
            turns = turns_to_come(table.ruleset, self.last_of(opened, taken), able, new)
        goes = 0 if opened is None else 1 if blinds else -1
        self.check_candidates(event, turns, new, blinds=blinds, goes=goes)

    def check_candidates(
        self, event: Event, turns: dict[int, int], new: Collection[int], *, blinds: bool, goes: int
    ) -> None:
        """
        Check the scores of every candidate and the order of the candidates.

        `goes` says how a later turn counts: 1 puts a candidate back, -1 forward, 0 neither.
        """
        data, rule = event.data, event.data["rule"]
        moved, rooms, keys = self.moved_before(event), self.rooms(event), []
        self.same(event, rule, "mover and destination", *self.first_of(data))
        for entry in data["candidates"]:
            turn = turns.get(entry["seat"])
            best = min(
                (
                    self.cost(turn, free, blinds=blinds) + (self.number_of(name), place),
                    name,
                    free,
                )
                for name, room in rooms.items()
                for place, free in enumerate(room)
            )
            (begins, lost, _, _), to, (to_seat, _, there) = best
            found = {
                "hands_to_big_blind": turn if blinds else None,
                "hands_to_button": None if blinds else turn,
                "newcomer": entry["seat"] in new,
                "moved": moved[entry["entrant"]],
                "to_table": to,
                "to_seat": to_seat,
                "hands_there": there,
                "positions_lost": lost,
            }
            told = {name: entry[name] for name in found}
            self.same(event, rule, f"scores of {entry['entrant']}", told, found)
            far = math.inf if turn is None else turn
            keys.append(
                (
                    entry["seat"] in new,
                    begins,
                    lost,
                    goes * far if goes else 0,  # 0 times infinity is not a number
                    moved[entry["entrant"]],
                    entry["seat"],
                )
            )
        self.check(event, rule, keys == sorted(keys), "another mover comes first")

    def moved_before(self, event: Event) -> Counter[str]:
        """Return the number of moves of each entrant before `event`."""
        return Counter(
            move["entrant"]
            for kind in ("entrants_moved", "table_broken", "seats_redrawn")
            for earlier in self.all.of(kind)
            if earlier.version < event.version
            for move in earlier.data["moves"]
        )

    def rooms(self, event: Event) -> dict[str, list[tuple[int, int, int | None]]]:
        """Return the free seats of the tables that the candidates of `event` would go to."""
        rooms: dict[str, list[tuple[int, int, int | None]]] = {}
        for name in {entry["to_table"] for entry in event.data["candidates"]}:
            room = self.room(event, name, event.data["moves"])
            if room:
                rooms[name] = room
        return rooms

    @staticmethod
    def first_of(data: Json) -> tuple[Json, Json]:
        """Return the move that was made, and the one due for the first candidate."""
        (move, *_), (first, *_) = data["moves"], data["candidates"]
        made = {name: move[name] for name in ("entrant", "from_seat", "to_table", "to_seat")}
        due = {name: first[name] for name in ("entrant", "to_table", "to_seat")}
        return made, due | {"from_seat": first["seat"]}

    @staticmethod
    def cost(
        turn: int | None, free: tuple[int, int, int | None], *, blinds: bool
    ) -> tuple[int, int]:
        """Return how a mover begins in a free seat, and the cost of the move in hands."""
        _, begins, there = free
        if turn is None or there is None:
            return begins, 0
        return begins, max(0, turn - there if blinds else there - turn)

    def number_of(self, name: str) -> int:
        table = self.all.table(name)
        return table.number if table else 0

    def travelled(self, event: Event, move: Json, kind: str, entries: str, way: str) -> bool:
        table = self.all.table(move[f"{way}_table"])
        due = [move["entrant"], move[f"{way}_seat"], move["stack"]]
        for other in table.events if table else []:
            if other.type == kind and other.at == event.at:
                if due in [[e["entrant"], e["seat"], e["stack"]] for e in other.data[entries]]:
                    return True
        return False

    def check_order(self, event: Event) -> None:
        """Check that the moves follow the draw of the listed candidates."""
        data = event.data
        names = [entry["entrant"] for entry in data["candidates"]]
        moved = [move["entrant"] for move in data["moves"]]
        if data["draw"] is None:
            return
        self.all.check_draw(event, data["rule"], names)
        due = [name for name in data["draw"]["order"] if name in moved]
        self.same(event, data["rule"], "order of moves", moved, due)

    def on_table_broken(self, event: Event) -> None:
        """`seating.break_table`, `seating.final_table`"""
        data = event.data
        self.check_moves(event)
        self.check_order(event)
        self.check_tables(event)
        self.check_seats(event)
        table = self.all.table(data["table"])
        if table is None:
            return
        before = self.numbers(event.position)
        before[table.number] = table
        plays = {
            number
            for number, other in before.items()
            if other is table or other.to_play(event.position)
        }
        first = [number for number in self.all.order if number in plays][:1]
        # A table without players just closes. For a game unknown here, the verifier cannot check it.
        if data["candidates"] or (table.known and table.seats_at(event.position)):
            self.same(event, data["rule"], "table that breaks", [table.number], first)
        rest = {number: other for number, other in before.items() if other is not table}
        if self.all.sound():
            self.same(
                event, "seating.break_table", "carry_to", data["carry_to"], self.heir(event, table)
            )
        self.check_inherited(event, table)
        if data["final"]:
            self.same(event, "seating.final_table", "tables left", len(rest), 1)
            most = self.terms["floor"]["final_table_size"] or self.terms["table_seats"]
            total = sum(self.sizes(event).values())
            self.check(
                event,
                "seating.final_table",
                total <= max(most, 1),
                f"{total} are left, the final table takes {most}",
            )
        self.same(
            event,
            "rule",
            "rule",
            data["rule"],
            "seating.final_table" if data["final"] else "seating.break_table",
        )

    def heir(self, event: Event, breaks: Table) -> str | None:
        """
        Return the heir: of the tables with hands to play and no departures, the lowest number: `seating.break_table`.
        """
        players = self.sizes(event)
        others = {
            number: table
            for number, table in self.numbers(event.position).items()
            if table is not breaks
        }
        tables = {
            number: table for number, table in others.items() if table.to_play(event.position)
        }
        count = sum(players.get(table.id, 0) for table in (*tables.values(), breaks))
        needed = tables_for(self.terms, count)
        if len(tables) < len(others):
            needed = max(needed, fewest_tables(count, self.terms["table_seats"]))
        order = {number: place for place, number in enumerate(self.all.order)}
        stays = sorted(
            tables,
            key=lambda number: (players.get(tables[number].id, 0) > 0, order.get(number, -1)),
        )
        return tables[min(stays[-needed:])].id if stays else None

    def check_inherited(self, event: Event, table: Table) -> None:
        """Check that the chips left by the last entrant of *table* come to the heir: `seating.break_table`."""
        heir = self.all.table(event.data["carry_to"])
        gone = [
            e for e in table.events if e.type == "seats_vacated" and e.position < event.position
        ]
        if heir is None or not gone:
            return
        between = range(gone[-1].position, event.position)
        came = [e for e in heir.events if e.type == "arrivals_seated" and e.position in between]
        for name in ("carry", "sabacc_pot"):
            found = sum(each.data[name] for each in came)
            self.same(
                event, "seating.break_table", f"{name} of the heir", found, gone[-1].data[name]
            )

    def on_entrants_moved(self, event: Event) -> None:
        data = event.data
        self.check_moves(event)
        self.check_order(event)
        sizes = self.sizes(event)
        scored = event.schema_version > 1 and data["rule"].startswith("seating.balance_")
        if data["rule"] != "directing.move" and not scored:
            self.check_seats(event)
        balances = ("seating.balance_next_big_blind", "seating.balance_button")
        if data["rule"] in balances and self.all.sound():
            self.check_tables(event)
            tolerance = self.terms["floor"]["size_tolerance"]
            for move in data["moves"]:
                most, least = max(sizes.values()), min(sizes.values())
                self.check(
                    event,
                    data["rule"],
                    most - least > tolerance,
                    f"sizes are even enough: {sorted(sizes.values())}",
                )
                self.same(
                    event, data["rule"], "from the fullest", sizes.get(move["from_table"]), most
                )
                self.same(
                    event, data["rule"], "to the emptiest", sizes.get(move["to_table"]), least
                )
                sizes[move["from_table"]] -= 1
                sizes[move["to_table"]] += 1
            if scored:
                self.check_scores(event)
            else:
                self.check_next(event)
        elif data["rule"] == "directing.move":
            for move in data["moves"]:
                ordered = [e.data for e in self.all.of("move_ordered") if e.version < event.version]
                due = [
                    o
                    for o in ordered
                    if o["entrant"] == move["entrant"] and o["to_table"] == move["to_table"]
                ]
                seat = bool(due) and due[-1]["to_seat"] in (None, move["to_seat"])
                self.check(event, data["rule"], seat, "nobody ordered this move")

    def check_next(self, event: Event) -> None:
        """
        Check that the player who would post the big blind next goes first, and newcomers last:
        `seating.balance_next_big_blind`.
        """
        data = event.data
        table = self.all.table(data["table"])
        opened = (
            [e for e in table.events if e.type == "hand_opened" and e.position < event.position]
            if table
            else []
        )
        moved = [move["entrant"] for move in data["moves"]]
        listed = [entry["entrant"] for entry in data["candidates"]]
        self.same(event, data["rule"], "who goes", moved, listed[: len(moved)])
        if table is None or not opened:
            return
        seats = table.seats_at(event.position) | {
            m["from_seat"]: m["entrant"] for m in data["moves"]
        }
        order = clockwise(list(seats), opened[-1].data["button"])
        count, first = len(order), 2 if len(order) > 2 else 0
        due = [[seats[seat], (place - first) % count + 1] for place, seat in enumerate(order)]
        new = {name for name in seats.values() if name not in table.dealt_before(event.position)}
        due.sort(key=lambda entry: (entry[0] in new, entry[1]))
        found = [[entry["entrant"], entry["hands_to_big_blind"]] for entry in data["candidates"]]
        self.same(event, data["rule"], "hands until the big blind", found, due)

    def on_seats_redrawn(self, event: Event) -> None:
        """Check that all seats are drawn again and dealt round the tables: `seating.redraw`."""
        data = event.data
        names = [entry["entrant"] for entry in data["candidates"]]
        self.all.check_draw(event, "seating.redraw", names)
        self.check_moves(event)
        tables = self.numbers(event.position)
        self.same(event, "seating.redraw", "tables", data["tables"], len(tables))
        named = data["tables"] in self.terms["floor"]["redraw_at"]
        self.check(event, "seating.redraw", named, "the terms name no redraw at this number of tables")
        numbers = sorted(tables)
        due = {
            name: [tables[numbers[place % len(numbers)]].id, place // len(numbers) + 1]
            for place, name in enumerate(data["draw"]["order"])
        }
        found = {
            name: [table.id, seat]
            for table in tables.values()
            for seat, name in table.seats_at(event.position).items()
        }
        if self.all.sound():
            self.same(event, "seating.redraw", "seats", found, due)


# ---------------------------------------------------------------------------------------------------------------
# 8 Rules, the level clock and breaks: rulebook 8.10 to 8.13
# ---------------------------------------------------------------------------------------------------------------


class Clock(Part):
    """The level in force, and its end."""

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.levels: list[Json] = self.terms["ruleset"].get("escalation", {}).get("levels", [])
        self.level = 0
        self.due: int | None = None
        self.left: int | None = None
        self.running = False
        self.rest: Json | None = None

    def amounts(self, level: int) -> Json:
        return {name: self.levels[level - 1][name] for name in ("ante", "big", "small")}

    def length(self, level: int) -> int | None:
        length = self.levels[level - 1]["length"] if level < len(self.levels) else None
        return None if length is None else length * 1_000_000

    def sliced(self) -> bool:
        """True in hand-for-hand play, where each round takes a slice of the clock. Only its levels are recorded."""
        return self.all.places.hand_for_hand

    def on_clock_started(self, event: Event) -> None:
        data, at = event.data, microseconds(event.data["at"])
        if data["cause"] == "play_started":
            self.level, self.left = 1, self.length(1)
        self.same(
            event,
            "levels.clock",
            "level and amounts",
            [data["level"], data["amounts"]],
            [self.level, self.amounts(self.level)],
        )
        self.check(event, "levels.paused", not self.running, "the clock was running already")
        due = None if self.left is None else at + self.left
        self.compare_due(event, due)
        self.running = True

    def compare_due(self, event: Event, due: int | None) -> None:
        found = None if event.data["due"] is None else microseconds(event.data["due"])
        if not self.sliced():
            self.same(event, "levels.clock", "end of the level", found, due)
        self.due = found

    def on_hand_for_hand_round_opened(self, event: Event) -> None:
        """Check that each round takes a slice of the remaining time: `hand_for_hand.clock`."""
        if self.left is not None and self.level:
            self.left -= self.terms["floor"]["hand_for_hand"]["clock_seconds"] * 1_000_000

    def on_clock_stopped(self, event: Event) -> None:
        data, at = event.data, microseconds(event.data["at"])
        if not self.running and self.sliced():
            if (
                data["rule"] == "levels.break" and self.left is not None
            ):  # The next level starts whole after the break.
                self.left = max(self.left, 0)
            due = [self.level, self.left]
            self.same(
                event,
                "hand_for_hand.clock",
                "level and time left",
                [data["level"], data["left_microseconds"]],
                due,
            )
            return
        self.check(event, "levels.paused", self.running, "the clock was stopped already")
        self.same(event, "levels.paused", "level", data["level"], self.level)
        if self.due is not None and not self.sliced():
            self.same(
                event,
                "levels.paused",
                "time left",
                data["left_microseconds"],
                max(self.due - at, 0),
            )
        self.left = data["left_microseconds"] if self.due is not None else None
        self.running = False

    def on_level_raised(self, event: Event) -> None:
        """
        Check that levels are raised when due and never before, each counted from the due time of the one before:
        `levels.clock`.
        """
        data, at = event.data, microseconds(event.data["at"])
        level = self.level + 1
        if not self.check(
            event, "levels.clock", level <= len(self.levels), "there is no further level"
        ):
            return
        found = [data["level"], data["amounts"]]
        self.same(event, "levels.clock", "level and amounts", found, [level, self.amounts(level)])
        length, self.level = self.length(level), level
        if self.sliced() and not self.running:
            over = self.left is not None and self.left <= 0
            self.check(event, "hand_for_hand.clock", over, "raised before the slices were used up")
            self.left = None if length is None or self.left is None else max(length + self.left, 0)
            return
        if self.running:
            early = self.due is None or at < self.due
            self.check(
                event, "levels.clock", not early or self.sliced(), "raised before it was due"
            )
            start = self.due
        else:
            text = "raised while the clock was stopped"
            self.check(event, "levels.break", self.left == 0 or self.sliced(), text)
            start = at
        self.running = True
        self.compare_due(event, None if length is None or start is None else start + length)

    def on_clock_set(self, event: Event) -> None:
        """
        Check that the level is one of the terms, with its whole or its remaining time, and the change: `levels.set`.
        """
        data, at, level = event.data, microseconds(event.data["at"]), event.data["level"]
        if not self.check(
            event, "levels.set", 1 <= level <= len(self.levels), "there is no such level"
        ):
            return
        self.same(event, "levels.set", "amounts", data["amounts"], self.amounts(level))
        text = "the break after this level is planned"
        over = self.rest is not None and self.rest["after_level"] == self.level
        self.check(event, "levels.set", not over, text)
        before = self.length(level)
        if level == self.level:
            before = self.left
            if self.running:
                before = None if self.due is None else max(self.due - at, 0)
        due = None if before is None else before + data["seconds"] * 1_000_000
        found = data["left_microseconds"]
        if data["due"] is not None:
            self.check(event, "levels.set", found is None, "the clock cannot be stopped and running")
            found = microseconds(data["due"]) - at
        if not self.sliced() or level != self.level:
            self.same(event, "levels.set", "time left", found, due)
        self.level, self.left = level, found
        self.running = data["left_microseconds"] is None
        self.due = None if data["due"] is None else microseconds(data["due"])

    # -- breaks

    def on_break_started(self, event: Event) -> None:
        data = event.data
        self.check(event, "levels.break", self.rest is None, "there was a break already")
        length = microseconds(data["due"]) - microseconds(data["at"])
        if data["cause"] == "schedule":
            named = {entry["level"]: entry["seconds"] for entry in self.terms["floor"]["breaks"]}
            for other in self.all.of("break_announced"):
                if other.version < event.version and other.data["after_level"] is not None:
                    named[other.data["after_level"]] = other.data["seconds"]
            due = named.get(data["after_level"], 0) * 1_000_000
            self.same(event, "levels.break", "after level", data["after_level"], self.level)
        else:
            announced = [
                e.data for e in self.all.of("break_announced") if e.version < event.version
            ]
            due = announced[-1]["seconds"] * 1_000_000 if announced else 0
        self.same(event, "levels.break", "length", length, due)
        self.rest = data

    def on_break_ended(self, event: Event) -> None:
        data = event.data
        if not self.check(event, "levels.break", self.rest is not None, "there was no break"):
            return
        if data["cause"] == "due" and self.rest is not None:
            over = microseconds(data["at"]) >= microseconds(self.rest["due"])
            self.check(event, "levels.break", over, "ended early")
        self.rest = None


# ---------------------------------------------------------------------------------------------------------------
# 8 Rules, orders of directors: rulebook 20
# ---------------------------------------------------------------------------------------------------------------


class Beacon(Part):
    """A public beacon, where the terms name one: rulebook 10.13 to 10.20."""

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.awaited: Event | None = None

    def on_beacon_named(self, event: Event) -> None:
        later = [
            e
            for e in self.all.events
            if e.version < event.version and e.type != "tournament_announced"
        ]
        drafted = {"tournament_drafted", "terms_revised", "beacon_named"}
        early = all(e.type in drafted for e in later)
        self.check(event, "beacon.named", early, "named after the tournament was announced")

    def on_beacon_awaited(self, event: Event) -> None:
        closed = self.all.entering.closed
        self.check(event, "beacon.seats", closed, "requested before registration closed")
        self.check(event, "beacon.round", self.awaited is None, "requested twice")
        if self.check(
            event, "beacon.named", self.all.chain is not None, "the terms name no beacon"
        ):
            assert self.all.chain is not None
            check_named(event, self.all.chain, self.given)
        self.awaited = event

    def on_beacon_recorded(self, event: Event) -> None:
        pulse = event.data["pulse"]
        due = self.awaited.data["round"] if self.awaited else None
        self.same(event, "beacon.round", "round", pulse["round"], due)
        if self.all.chain is not None:
            check_pulse(event, self.all.chain, pulse, self.given.report)

    def between(self, event: Event) -> None:
        """
        Check that nobody registers, withdraws, checks in or commits between the request for a round and the seat draw.
        """
        waits = self.awaited is not None and not any(
            e.version < event.version for e in self.all.of("beacon_recorded")
        )
        self.check(event, "beacon.seats", not waits, "this may not happen while the seat draw waits for the beacon")

    def on_entrant_registered(self, event: Event) -> None:
        self.between(event)

    def on_entrant_withdrawn(self, event: Event) -> None:
        self.between(event)

    def on_entrant_checked_in(self, event: Event) -> None:
        self.between(event)

    def on_check_in_undone(self, event: Event) -> None:
        self.between(event)

    def on_entropy_committed(self, event: Event) -> None:
        self.between(event)


class Floor(Part):
    """Penalties and last hands."""

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self.hands: int | None = None
        self.counted: dict[str, int] = {}

    def on_penalty_given(self, event: Event) -> None:
        """`penalty.hands`, `penalty.rounds`"""
        data = event.data
        rule = "penalty.hands" if data["rounds"] is None else "penalty.rounds"
        self.same(event, "rule", "rule", data["rule"], rule)
        if data["rounds"] is not None:
            self.same(event, rule, "hands", data["hands"], data["rounds"] * data["players"])
        table = self.all.table(data["table"])
        if table is None:
            return
        imposed = [
            e.data["hands"]
            for e in table.events
            if e.type == "penalty_imposed"
            and e.at == event.at
            and e.data["entrant"] == data["entrant"]
        ]
        self.same(event, rule, "notes of the table", imposed[-1:], [data["hands"]])
        if table.sound and data["rounds"] is not None:
            here = [
                name for name in table.seats_at(event.position).values() if name in self.all.left()
            ]
            self.same(event, rule, "players at the table", data["players"], len(here))

    def on_last_hands_called(self, event: Event) -> None:
        """
        Check that the number of hands is the one drawn from the committed seed, or that only hands in play are
        finished: `finish.last_hands`.
        """
        data = event.data
        wanted = self.terms["floor"]["last_hands"]
        draw = data["draw"]
        if wanted is None:
            self.same(event, "finish.last_hands", "hands", data["hands"], 0)
        elif self.check(event, "finish.last_hands", draw is not None, "no number was drawn"):
            bounds = [draw["low"], draw["high"]]
            self.same(event, "finish.last_hands", "bounds", bounds, [wanted["low"], wanted["high"]])
            self.same(event, "finish.last_hands", "hands", data["hands"], draw["drawn"])
            draws = self.all.draws(event, "lot", draw["number"])
            if draws is not None:
                due = wanted["low"] + draws.below(wanted["high"] - wanted["low"] + 1)
                self.same(event, "finish.last_hands", "number drawn", draw["drawn"], due)
        self.hands = data["hands"]

    def on_last_hands_counted(self, event: Event) -> None:
        data = event.data
        due = data["hand"] + (self.hands or 0)
        self.same(event, "finish.last_hands", "last hand", data["last_hand"], due)
        table = self.all.table(data["table"])
        if table is None:
            return
        played = [
            e.data["number"]
            for e in table.events
            if e.type == "hand_settled" and e.position < event.position
        ]
        self.same(event, "finish.last_hands", "hand", data["hand"], played[-1] if played else 0)
        numbers = [e.data["number"] for e in table.events if e.type == "hand_opened"]
        few = not numbers or max(numbers) <= data["last_hand"]
        self.check(event, "finish.last_hands", few, "another hand was played after the last")


# ---------------------------------------------------------------------------------------------------------------
# 8 Rules, a season: rulebook 23
# ---------------------------------------------------------------------------------------------------------------


TOKEN = re.compile(r"\s*(?:([0-9]+(?:\.[0-9]+)?)|([a-z_][a-z0-9_]*)|(<=|>=|==|!=|[-+*/(),<>]))")
COMPARE: dict[str, Callable[[Decimal, Decimal], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
DIGITS = Context(prec=50, rounding=ROUND_HALF_EVEN, Emin=-999, Emax=999)
LARGEST_VALUE = Decimal(10) ** 30


Part = Callable[[dict[str, Decimal]], Decimal]


def combined(apply: Callable[[Decimal, Decimal], Decimal], left: Part, right: Part) -> Part:
    return lambda values: bounded(apply(left(values), right(values)))


def bounded(value: Decimal) -> Decimal:
    """Check that no intermediate value is beyond 10^30."""
    if abs(value) > LARGEST_VALUE:
        raise Overflow
    return value


def power(base: Decimal, exponent: Decimal) -> Decimal:
    return base**exponent if exponent else Decimal(1)


class Formula:
    """
    Version 1 of the formula language of `docs/guides/points.md` (`points.formula`), in decimals of 50 digits.

    Each part is a function of the names' values, so only the taken branch of an `if` is evaluated.
    """

    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        place = 0
        while text[place:].strip():
            match = TOKEN.match(text, place)
            if match is None:
                raise ValueError(f"this is not a formula: {text[place : place + 20]}")
            self.tokens.append(match.group().strip())
            place = match.end()
        self.next = 0
        self.whole = self.sum()
        if self.next != len(self.tokens):
            raise ValueError("this is not a formula: text follows its end")

    def value(self, names: dict[str, Decimal]) -> Decimal:
        with localcontext(DIGITS):
            return self.whole(names)

    def peek(self) -> str:
        return self.tokens[self.next] if self.next < len(self.tokens) else ""

    def take(self, due: str = "") -> str:
        found = self.peek()
        if not found or (due and found != due):
            raise ValueError(f"this is not a formula: {due or 'something'} is due")
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
            "pow": power,
            "min": min,
            "max": max,
        }
        return lambda v: bounded(functions[name](*(part(v) for part in parts)))


class Season:
    """The ledger of a season, event by event, and the standings it gives."""

    def __init__(
        self, events: list[Event], given: Evidence, tournaments: dict[str, Tournament]
    ) -> None:
        self.events, self.given, self.tournaments = events, given, tournaments
        self.terms: Json = events[0].data
        self.awards: dict[str, dict[str, Json]] = {}  # points of each counted tournament, by player
        self.order: list[str] = []  # tournaments in the order they were counted
        self.imported: list[dict[str, Json]] = []  # results that an import states, by player
        self.listed: list[Json] = []  # the tournaments of the newest import
        self.stated_own: str | None = None  # players whose results in it are their own statement
        self.added: set[str] = set()  # tournaments announced for the season
        self.ones: dict[str, str] = {}  # for each merged player, the one for whom everything counts
        self.extras: dict[str, Json] = {}  # bonuses and adjustments in force, by id
        self.frozen: set[str] = set()
        self.lots: dict[str, int] = {}  # the order that lots gave to players who were level
        self.drawn: list[Event] = []
        self.closed = False
        self.revised: set[str] = set()
        self.changes: Counter[str] = Counter()  # number of revisions of each tournament
        self.fields: dict[str, Any] = {}  # the values that a formula last used for a tournament

    def same(self, event: Event, rule: str, name: str, found: object, due: object) -> bool:
        return self.given.same(event, rule, name, found, due)

    def check(self, event: Event, rule: str, holds: bool, text: str) -> bool:
        return self.given.check(event, rule, holds, text)

    def run(self) -> None:
        for event in self.events:
            handler = getattr(self, f"on_{event.type}", None)
            known = event.type in ("season_opened", "season_scheduled") or event.type.startswith(
                "fixture"
            )
            if handler is not None:
                guarded(
                    self.given.report,
                    event.type,
                    lambda run=handler, e=event: run(e),
                    event.position,
                )
            elif not known:
                self.given.report.skip(f"events of type {event.type} in a season")
            ledger = event.type.startswith(
                ("points_", "bonuses_", "award_", "adjustment_", "results_")
            )
            if ledger and self.closed:
                self.check(event, "standings.final", False, "a closed season takes nothing")

    def on_tournament_added(self, event: Event) -> None:
        """Check that a tournament joins the season in the append that announces it: `recomputing.md` 8."""
        name = event.data["tournament"]
        self.added.add(name)
        alone = self.stated_own is None
        self.check(event, "standings.imported", alone, f"{self.stated_own} states own results")
        if self.given.bundle.format < 3:
            return
        there = self.given.bundle.streams().get(stream_of(name), [])
        announced = [
            e.at
            for e in there
            if e.type == "tournament_announced" and e.data.get("season") == self.terms["season"]
        ]
        text = f"{name} had not been announced for the season"
        self.check(event, "standings.uncounted", event.at in announced, text)

    def on_tournaments_recorded(self, event: Event) -> None:
        """
        Check that after the close every counted tournament is recorded once, in the order of counting: `recomputing.md`
        8.
        """
        self.check(event, "completeness", self.closed, "recorded before the season was closed")
        names = [entry["tournament"] for entry in event.data["tournaments"]]
        self.same(event, "completeness", "tournaments", names, self.order)
        for entry in event.data["tournaments"]:
            tournament = self.tournaments.get(entry["tournament"])
            heads = self.given.bundle.heads(tournament.events) if tournament else {}
            found = heads.get(entry["version"])
            ends = ("tournament_finished", "tournament_cancelled")
            over = [e.version for e in tournament.events if e.type in ends] if tournament else []
            late = bool(over) and over[0] <= entry["version"]
            self.check(
                event, "completeness", late, f"{entry['tournament']} was recorded before its end"
            )
            self.same(event, "completeness", f"head of {entry['tournament']}", entry["hash"], found)

    # -- awards

    def finished(self, event: Event) -> Tournament | None:
        """Return the tournament that *event* counts, if it has a result."""
        tournament = self.tournaments.get(event.data["tournament"])
        if tournament is None or not tournament.results:
            self.check(
                event, "completeness", False, "points for a tournament that this bundle does not show as finished"
            )
            return None
        return tournament

    def placings(self, event: Event, tournament: Tournament) -> list[Json]:
        """Return the placings of the result that was valid when *event* was written."""
        held = [data for position, data in tournament.results if position < event.position]
        return without_house_bots((held or [tournament.results[0][1]])[-1]["placings"])

    def on_points_awarded(self, event: Event) -> None:
        name = event.data["tournament"]
        self.check(event, "completeness", name not in self.order, "counted twice")
        self.order.append(name)
        self.awards[name] = {award["player"]: award for award in event.data["awards"]}
        self.fields[name] = event.data.get("field")
        self.check_frozen(event, name)
        self.check_awards(event)

    def check_frozen(self, event: Event, name: str) -> None:
        """Check that frozen points wait for the ruling: `disputes.freeze`."""
        tournament = self.tournaments.get(name)
        frozen: set[str] = set()
        for other in tournament.events if tournament else []:
            if other.position < event.position and other.type == "result_frozen":
                frozen.add(other.data["dispute"])
            elif other.position < event.position and other.type == "result_released":
                frozen.discard(other.data["dispute"])
        self.check(event, "disputes.freeze", not frozen, "the result was frozen")

    def check_awards(self, event: Event) -> None:
        """
        Check the points of each place. Shared places get the average: `points.places_from_end`, `points.table`,
        `points.formula`.
        """
        tournament = self.finished(event)
        if tournament is None:
            return
        rules = {"places_from_end": "points.places_from_end", "points_table": "points.table"}
        rule = rules.get(self.terms["points"]["type"], "points.formula")
        if event.type == "points_awarded":
            self.same(event, "rule", "rule", event.data["rule"], rule)
        placings = self.placings(event, tournament)
        best: dict[str, Json] = {}
        for entry in sorted(placings, key=lambda entry: -entry["place"]):
            best[entry["player"]] = entry
        self.check_field(event, tournament, len(placings))
        knockouts = self.knockouts(tournament)
        awards = self.awards.get(event.data["tournament"], {})
        self.same(event, rule, "players", sorted(awards), sorted(best))
        for player, entry in best.items():
            award = awards.get(player)
            if award is None:
                continue
            found = [award["place"], award["shared"], award["knockouts"], award.get("spent", 0)]
            spent = tournament.money.spent(player) if "spent" in award else 0
            due = [entry["place"], entry["shared"], knockouts[player], spent]
            self.same(event, rule, "place, shared, knockouts and spent", found, due)
            entrants = {
                e["entrant"]
                for e in placings
                if (e["player"], e["place"]) == (player, entry["place"])
            }
            self.check(
                event, rule, award["entrant"] in entrants, "another entry was placed there"
            )
            points = self.points_of(event, award, len(placings))
            self.same(event, rule, f"points of {player}", award["points"], points)

    def check_field(self, event: Event, tournament: Tournament, entrants: int) -> None:
        """Return the values that a formula may use, from the terms and entrants of the tournament."""
        if event.data["field"] is None:
            return
        money = tournament.money
        counted = [n for n, e in tournament.entrants.items() if not is_house_bot(e["player"])]
        entries = len(counted) + sum(money.rebuys.get(name, 0) for name in counted)
        due = {
            "buy_in": money.fees["buy_in"],
            "entrants": entrants,
            "entries": entries,
            "pool": money.pool(),
        }
        found = {name: event.data["field"][name] for name in due}
        self.same(event, "points.formula", "field", found, due)

    def knockouts(self, tournament: Tournament) -> Counter[str]:
        """Return the number of final knock-outs by each player."""
        found: Counter[str] = Counter()
        for out, names in tournament.places.out_by.items():
            if not is_house_bot(tournament.entrants[out]["player"]):
                found.update(tournament.entrants[name]["player"] for name in names)
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
        names |= {
            "spent": Decimal(award["spent"]) / money,
            "knockouts": Decimal(award["knockouts"]),
        }
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
            self.check(
                event,
                "points.formula_failed",
                has,
                "a formula without a value, and no reason for 0",
            )
            return decimal_text(Fraction(0), scale)
        self.check(
            event, "points.formula_failed", award["failure"] is None, "the formula had a value"
        )
        return decimal_text(Fraction(mean), scale)

    def worth(self, place: int, entrants: int) -> Fraction:
        terms = self.terms["points"]
        if terms["type"] == "places_from_end":
            return Fraction(terms["per_place"]) * (entrants - place + 1)
        return (
            Fraction(terms["points"][place - 1]) if place <= len(terms["points"]) else Fraction(0)
        )

    def on_award_revised(self, event: Event) -> None:
        """
        Check that a revision has only the differences between the earlier award and the present result:
        `points.revised`.
        """
        data = event.data
        before = self.awards.get(data["tournament"], {})
        after = dict(before)
        for change in data["changes"]:
            player = change["player"]
            self.same(
                event,
                "points.revised",
                f"award of {player} before",
                change["before"],
                before.get(player),
            )
            self.check(
                event,
                "points.revised",
                change["after"] != change["before"],
                "a change that changes nothing",
            )
            if change["after"] is None:
                after.pop(player, None)
            else:
                after[player] = change["after"]
        self.awards[data["tournament"]] = after
        self.fields[data["tournament"]] = data.get("field")
        self.revised.add(data["tournament"])
        self.changes[data["tournament"]] += 1
        self.check_awards(event)

    def on_award_revoked(self, event: Event) -> None:
        counts = event.data["tournament"] in self.awards
        self.check(event, "points.revoked", counts, "this tournament did not count")
        self.changes[event.data["tournament"]] += 1
        self.awards.pop(event.data["tournament"], None)

    # -- bonuses and adjustments

    def due_bonuses(self, tournament: Tournament) -> list[list[str]]:
        knockouts = self.knockouts(tournament)
        due = []
        for bonus in self.terms["bonuses"]:
            for player in {entrant["player"] for entrant in tournament.entrants.values()}:
                times = 1 if bonus["kind"] == "attendance" else knockouts[player]
                if times:
                    points = decimal_text(Fraction(bonus["points"]) * times, self.terms["scale"])
                    due.append([player, bonus["kind"], points])
        return due

    def on_bonuses_awarded(self, event: Event) -> None:
        """Check that each knock-out, and each player who took part, has one entry: `points.bonus`."""
        name = event.data["tournament"]
        tournament = self.finished(event)
        if tournament is None:
            return
        due = self.due_bonuses(tournament)
        found = [
            [bonus["player"], bonus["kind"], bonus["points"]] for bonus in event.data["bonuses"]
        ]
        if name in self.revised:
            more = [bonus for bonus in found if bonus not in due]
            self.same(event, "points.bonus", "bonuses without a cause", more, [])
        else:
            self.same(event, "points.bonus", "bonuses", sorted(found), sorted(due))
        for bonus in event.data["bonuses"]:
            self.enter(event, bonus)
            self.same(event, "points.bonus", "tournament", bonus["tournament"], name)
            due_id = "adj_" + derived(
                f"{name}/{bonus['player']}/{bonus['kind']}/{self.changes[name]}"
            )
            self.same(event, "points.bonus", "id", bonus["id"], due_id)

    def enter(self, event: Event, adjustment: Json) -> None:
        new = adjustment["id"] not in self.extras
        self.check(event, event.data["rule"], new, f"{adjustment['id']} was entered before")
        self.extras[adjustment["id"]] = adjustment

    def on_points_adjusted(self, event: Event) -> None:
        """
        Check that a penalty takes points and every other kind except `manual` gives some. Nobody adjusts their own
        points: `points.adjusted`.
        """
        adjustment = event.data["adjustment"]
        points = Fraction(adjustment["points"])
        signed = {"penalty": points < 0, "manual": points != 0}.get(adjustment["kind"], points > 0)
        self.check(
            event, "points.adjusted", signed, f"a {adjustment['kind']} of {adjustment['points']}"
        )
        own = self.one(adjustment["player"]) == self.one(event.data["author"])
        self.check(event, "points.adjusted", not own, "the author's own points")
        bot = is_house_bot(adjustment["player"])
        self.check(event, "points.house_bots", not bot, "points for a house bot")
        self.check(event, "disputes.freeze", not self.frozen, "the standings were frozen")
        self.enter(event, adjustment)

    def on_adjustment_voided(self, event: Event) -> None:
        name = event.data["adjustment"]
        self.check(event, "points.voided", name in self.extras, f"{name} does not count")
        self.extras.pop(name, None)

    # -- merged players, and results of tournaments that were not played here

    def one(self, player: str) -> str:
        return self.ones.get(player, player)

    def on_results_merged(self, event: Event) -> None:
        """Check that the two players never met, and that a third person merged them: `standings.merged`."""
        rule, player, into = "standings.merged", event.data["player"], event.data["into"]
        self.check(event, "disputes.freeze", not self.frozen, "the standings were frozen")
        known = self.one(player) == player and self.one(into) == into and player != into
        self.check(event, rule, known, "one of them was merged before")
        third = event.data["author"] not in (player, into)
        self.check(event, rule, third, "the author is one of the two players")
        for results in [*self.imported, *self.awards.values()]:
            there = {self.one(name) for name in results}
            self.check(event, rule, not {player, into} <= there, "they met in a tournament")
        self.ones = {old: into if new == player else new for old, new in self.ones.items()}
        self.ones[player] = into

    def on_results_imported(self, event: Event) -> None:
        """Check that an import does not contradict itself. The newest one counts: `standings.imported`."""
        rule, data = "standings.imported", event.data
        self.check(event, "disputes.freeze", not self.frozen, "the standings were frozen")
        names = [tournament["name"] for tournament in data["tournaments"]]
        self.same(event, rule, "names", len(set(names)), len(names))
        self.check_own(event)
        self.imported = []
        for tournament in data["tournaments"]:
            results = tournament["results"]
            bots = [each["player"] for each in results if is_house_bot(each["player"])]
            self.same(event, "points.house_bots", "house bots in a list", bots, [])
            players = {self.one(result["player"]) for result in results}
            self.same(event, rule, "players", len(players), len(results))
            sharing = Counter(result["place"] for result in results)
            for result in results:
                name = f"result of {result['player']}"
                text = decimal_text(Fraction(result["points"]), self.terms["scale"])
                found = [result["shared"], result["points"], result["place"] >= 1]
                self.same(event, rule, name, found, [sharing[result["place"]], text, True])
            self.imported.append({result["player"]: result for result in results})

    def check_own(self, event: Event) -> None:
        """
        Check which players state their own results. A season that has tournaments allows none: `standings.imported`.
        """
        author, listed = event.data["author"], event.data["tournaments"]
        now, before = self.results_of(author, listed), self.results_of(author, self.listed)
        if self.added or self.order:
            text = "the author changes own results"
            self.check(event, "standings.imported", now == before, text)
        by_another = self.stated_own is None or self.one(self.stated_own) != self.one(author)
        self.stated_own = author if now and not (now == before and by_another) else None
        self.listed = listed

    def results_of(self, player: str, listed: list[Json]) -> list[tuple[str, Json]]:
        """Return an import's statements about a player, by tournament."""
        return [
            (tournament["name"], result)
            for tournament in listed
            for result in tournament["results"]
            if self.one(result["player"]) == self.one(player)
        ]

    def counted(self) -> list[dict[str, Json]]:
        """Return the results of each counted tournament, by the player for whom they count."""
        played = [self.awards[name] for name in self.order if name in self.awards]
        found = []
        for results in [*self.imported, *played]:
            best: dict[str, Json] = {}
            for result in sorted(results.values(), key=lambda each: each["place"]):
                best.setdefault(self.one(result["player"]), result)
            found.append(best)
        return found

    def on_standings_frozen(self, event: Event) -> None:
        self.frozen.add(event.data["dispute"])

    def on_standings_released(self, event: Event) -> None:
        self.check(
            event, "disputes.freeze", event.data["dispute"] in self.frozen, "nothing was waiting for it"
        )
        self.frozen.discard(event.data["dispute"])

    # -- the standings

    def results(self) -> dict[str, list[Fraction]]:
        """Return each player's results, in the order of counted tournaments."""
        found: dict[str, list[Fraction]] = {}
        for results in self.counted():
            for player, award in results.items():
                found.setdefault(player, []).append(Fraction(award["points"]))
        return found

    def total(self, results: list[Fraction], tournaments: int) -> Fraction:
        """Return the total of a player's results by rulebook 23.9 to 23.15."""
        mode, count = self.terms["aggregation"]["mode"], self.terms["aggregation"]["results"]
        ordered = sorted(results, reverse=True)
        if mode in ("best", "best_average"):
            ordered = ordered[:count]
        elif mode == "drop_worst":
            missed = [Fraction(0)] * (tournaments - len(results))
            ordered = sorted(ordered + missed, reverse=True)[: max(tournaments - count, 1)]
        elif mode == "best_series":
            length = min(count, len(results))
            series = [results[start : start + length] for start in range(len(results) - length + 1)]
            ordered = max(series, key=lambda each: sum(each, Fraction(0)), default=[])
        total = sum(ordered, Fraction(0))
        if mode in ("average", "best_average") and ordered:
            total /= len(ordered)
        return self.overall(total, results) if self.terms["overall"] else total

    def overall(self, total: Fraction, results: list[Fraction]) -> Fraction:
        """Return the value of `standings.overall`. It is 0 if the formula has no value."""
        if not results:
            return Fraction(0)
        with localcontext(DIGITS):
            average = sum(results, Fraction(0)) / len(results)
            values = {"total": total, "average": average, "played": Fraction(len(results))}
            names = {
                name: Decimal(value.numerator) / Decimal(value.denominator)
                for name, value in values.items()
            }
            try:
                return Fraction(Formula(self.terms["overall"]).value(names))
            except ArithmeticError:
                return Fraction(0)

    def standings(self) -> list[list[Any]]:
        """Return [player, points, rank, decided_by] of everybody, the first rank first."""
        results = self.results()
        extras: dict[str, Fraction] = {}
        for adjustment in self.extras.values():
            player = self.one(adjustment["player"])
            extras[player] = extras.get(player, Fraction(0)) + Fraction(adjustment["points"])
        tournaments = len(self.counted())
        points: dict[str, str] = {}
        keys: dict[str, Any] = {}
        for player in results.keys() | extras.keys():
            played = results.get(player, [])
            total = self.total(played, tournaments) + extras.get(player, Fraction(0))
            points[player] = decimal_text(total, self.terms["scale"])
            keys[player] = (len(played) >= self.terms["minimum_games"], Fraction(points[player]))
        found: list[list[Any]] = []
        for _, _, names in placed(keys):
            for group, rule in self.untied(sorted(names), None, list(self.terms["tie_breaks"])):
                rank = len(found) + 1
                found += [[player, points[player], rank, rule] for player in group]
        return found

    def untied(
        self, names: list[str], rule: str | None, rules: list[str]
    ) -> list[tuple[list[str], str | None]]:
        """
        Separate *names*, which are level so far, by the next tie-breaks. Each group comes with the last rule that
        separated it.
        """
        if len(names) == 1 or not rules:
            return [(names, rule)]
        groups = placed({name: self.tie_break(rules[0], name, names) for name in names})
        if len(groups) == 1:
            return self.untied(names, rule, rules[1:])
        return [part for _, _, group in groups for part in self.untied(group, rules[0], rules[1:])]

    def tie_break(self, rule: str, player: str, level: list[str]) -> Any:
        """Return a tie-break's value. Larger is better."""
        counted = self.counted()
        mine = [awards[player] for awards in counted if player in awards]
        if rule == "standings.best_result":
            return (
                bool(mine),
                max((Fraction(award["points"]) for award in mine), default=Fraction(0)),
            )
        if rule == "standings.wins":
            return sum(award["place"] == 1 and award["shared"] == 1 for award in mine)
        if rule == "standings.most_recent":
            return tuple(
                Fraction(each[player]["points"]) if player in each else Fraction(0)
                for each in counted[::-1]
            )
        if rule == "standings.head_to_head":
            score_ = 0
            for awards in counted:
                places = [
                    awards[other]["place"] for other in level if other in awards and other != player
                ]
                if player in awards:
                    own = awards[player]["place"]
                    score_ += sum(own < place for place in places) - sum(
                        own > place for place in places
                    )
            return score_
        return -self.lots.get(player, 0)

    def on_lots_drawn(self, event: Event) -> None:
        """
        Check a lot among players who are still level. Once the master is published, the draw is repeated:
        `standings.lot`.
        """
        draw = event.data["draw"]
        self.check(
            event,
            "standings.lot",
            "standings.lot" in self.terms["tie_breaks"],
            "the terms name no lot",
        )
        level: dict[int, list[str]] = {}
        for player, _, rank, _ in self.standings():
            level.setdefault(rank, []).append(player)
        self.same(
            event,
            "standings.lot",
            "players who are level",
            draw["candidates"],
            sorted(level.get(event.data["rank"], [])),
        )
        self.same(event, "standings.lot", "number", draw["number"], len(self.drawn) + 1)
        self.lots |= {player: place for place, player in enumerate(draw["order"])}
        self.drawn.append(event)

    def on_season_closed(self, event: Event) -> None:
        self.check(event, "disputes.freeze", not self.frozen, "the standings were frozen")
        self.check_master(event)
        self.check_bonuses(event)
        guarded(self.given.report, "fates", Fates(self, event).run, event.position)
        found = [
            [e["player"], e["points"], e["rank"], e.get("decided_by")]
            for e in event.data["standings"]
        ]
        due = self.standings()
        self.same(
            event,
            "standings.total",
            "players",
            sorted(e[0] for e in found),
            sorted(e[0] for e in due),
        )
        for place, entry in enumerate(found):
            mine = next((other for other in due if other[0] == entry[0]), None)
            if mine is not None:
                self.same(event, "standings.total", f"points of {entry[0]}", entry[1], mine[1])
                rule = mine[3] or "standings.minimum_games"
                self.same(event, rule, f"rank and rule of {entry[0]}", entry[2:], mine[2:])
            if place:
                self.check(event, "standings.total", found[place - 1][2] <= entry[2], "ranks fall")
        self.closed = True

    def check_bonuses(self, event: Event) -> None:
        """Check at the close that the bonuses follow from the results. A revoked tournament gives none."""
        for name in self.order:
            tournament = self.tournaments.get(name)
            kinds = ("attendance", "knockouts")
            found = [
                [extra["player"], extra["kind"], extra["points"]]
                for extra in self.extras.values()
                if extra["tournament"] == name and extra["kind"] in kinds
            ]
            due = self.due_bonuses(tournament) if tournament and name in self.awards else []
            more = [bonus for bonus in found if bonus not in due]
            self.same(event, "points.bonus", "bonuses without a cause", more, [])

    def check_master(self, event: Event) -> None:
        """Check the master of the lots against its commitment, and every lot against the master."""
        shown, commitment = event.data.get("master"), self.terms.get("master_commitment")
        if commitment is None:
            return
        if shown is None:
            self.check(event, "standings.lot", not self.drawn, "lots whose master is not published")
            return
        master = bytes.fromhex(shown)
        found = master_commitment(bytes.fromhex(self.terms["season"][4:]), "lots", master).hex()
        self.same(event, "standings.lot", "commitment of the master", found, commitment)
        for lot in self.drawn:
            draw = lot.data["draw"]
            draws = Draws(
                seed_of(master, "draws", 0, draw["number"], 1), "lot", 1, openings_digest([])
            )
            self.same(
                lot,
                "standings.lot",
                "order drawn",
                draw["order"],
                draws.shuffled(draw["candidates"]),
            )


class Fates:
    """The fate of every tournament that was announced for a season: `recomputing.md` 8."""

    AWARDS = ("points_awarded", "award_revised", "award_revoked")

    def __init__(self, season: Season, closed: Event) -> None:
        self.season, self.closed = season, closed
        self.streams: dict[
            str, list[Event]
        ] = {}  # events of each tournament of the season, up to its close
        for stream, events in season.given.bundle.streams().items():
            before = [event for event in events if event.position < closed.position]
            for event in before:
                announced = event.type == "tournament_announced"
                if announced and event.data.get("season") == season.terms["season"]:
                    self.streams[f"trn_{stream.rpartition('-')[2]}"] = before
        self.ledger: dict[str, list[Event]] = {}
        for event in season.events:
            if event.type in self.AWARDS and event.position < closed.position:
                self.ledger.setdefault(event.data["tournament"], []).append(event)

    def check(self, holds: bool, text: str) -> bool:
        return self.season.check(self.closed, "standings.uncounted", holds, text)

    def run(self) -> None:
        fates = self.closed.data.get("fates")
        added = [e for e in self.season.events if e.type == "tournament_added"]
        if self.closed.schema_version < 3 and not added:
            return  # The format had no fates yet.
        if not self.check(fates is not None, "the season is closed without fates"):
            return
        if self.season.given.bundle.format < 3:
            self.season.given.report.skip("fates: the format does not hold every tournament")
            return
        names = [fate["tournament"] for fate in fates]
        rule = "standings.uncounted"
        self.season.same(self.closed, rule, "tournaments", names, sorted(self.streams))
        named = {e.data["tournament"] for e in added} | set(self.ledger)
        strangers = sorted(named - set(self.streams))
        self.check(not strangers, f"not announced for the season: {strangers}")
        for fate in fates:
            if fate["tournament"] in self.streams:
                self.check_fate(fate)
        self.check_left_out(fates)

    def check_fate(self, fate: Json) -> None:
        name = fate["tournament"]
        found = [fate["fate"], fate["by"], fate["reason"]]
        due = self.due(name)
        by_person = found[0] == "left_out" and fate["by"] is not None and fate["reason"] is not None
        if due is None or (due[0] == "not_played" and by_person):
            text = f"{name} is neither counted nor left out"
            self.check(by_person, text)
            return
        self.season.same(self.closed, "standings.uncounted", f"fate of {name}", found, due)
        if due[0] == "counted":
            self.check_counted(name)

    def due(self, name: str) -> list[Any] | None:
        """
        Return the fate, author and reason that the events give. None if only a person can leave the tournament out.
        """
        ledger, kinds = self.ledger.get(name, []), {event.type for event in self.streams[name]}
        if ledger and ledger[-1].type == "award_revoked":
            return ["left_out", ledger[-1].data["author"], ledger[-1].data["reason"]]
        if ledger:
            return ["counted", None, None]
        if "tournament_cancelled" in kinds:
            return ["cancelled", None, None]
        players = self.entered(name)
        if "play_started" not in kinds and not players:
            return ["not_played", None, None]
        if "tournament_finished" in kinds and all(map(is_house_bot, players)):
            return ["not_played", None, None]
        return None

    def entered(self, name: str) -> list[str]:
        """Return the players of all entrants."""
        entrants: dict[str, str] = {}
        for event in self.streams[name]:
            struck = event.type == "no_show_purged" and event.data.get("struck", False)
            if event.type == "entrant_registered":
                entrants[event.data["entrant"]] = event.data["player"]
            elif struck or event.type in ("entrant_withdrawn", "no_show_released"):
                entrants.pop(event.data["entrant"], None)
        return list(entrants.values())

    def check_counted(self, name: str) -> None:
        """Check that the present result is the counted one, and that no freeze holds it back."""
        events = self.streams[name]
        finished = any(event.type == "tournament_finished" for event in events)
        if not self.check(finished, f"{name} is counted and was not finished"):
            return
        released = [(e.data["dispute"], e.position) for e in events if e.type == "result_released"]
        held = [
            e.data["dispute"]
            for e in events
            if e.type == "result_frozen"
            and not any(d == e.data["dispute"] and at > e.position for d, at in released)
        ]
        self.check(not held, f"{name} is counted and frozen")
        season, given = self.season, self.season.given
        asked = {"tournament": name, "field": season.fields.get(name)}
        season.given = Evidence(given.bundle, given.opened, Report())
        try:
            season.check_awards(replace(self.closed, data=asked))
            missed = season.given.report.differences
        finally:
            season.given = given
        text = f"{name} is not counted with its present result: {missed[0][2] if missed else ''}"
        self.check(not missed, text)

    def check_left_out(self, fates: list[Json]) -> None:
        """
        Check that the closing command leaves out all tournaments with one reason, and takes points back before any lot:
        `standings.left_out`.
        """
        lots = [event.position for event in self.season.events if event.type == "lots_drawn"]
        late = [
            name for name, ledger in self.ledger.items() if lots and ledger[-1].position > lots[0]
        ]
        rule = "standings.left_out"
        self.season.check(self.closed, rule, not late, f"after lots were drawn: {late}")
        # If a tournament's points were taken back, the log does not say if that was a separate command.
        said = [
            [fate["by"], fate["reason"]]
            for fate in fates
            if fate["fate"] == "left_out" and fate["tournament"] not in self.ledger
        ]
        alike = all(each == said[0] for each in said)
        self.season.check(self.closed, rule, alike, "left out by several, or for several reasons")


# ---------------------------------------------------------------------------------------------------------------
# 8 Rules, disputes: freezes and acts of rulings
# ---------------------------------------------------------------------------------------------------------------

# The event that each act of a ruling causes, in the stream of its subject and in the same append.
LED_TO = {
    "correct_result": "result_corrected",
    "forfeit": "result_corrected",
    "reaward": "result_corrected",
}
LED_TO |= {
    "warn": "entrant_warned",
    "penalise": "penalty_given",
    "disqualify": "entrant_disqualified",
}
LED_TO |= {"adjust_points": "points_adjusted", "revoke_award": "award_revoked"}


def check_disputes(given: Evidence) -> None:
    """Check that each freeze has its dispute, and that every act stated by a ruling was done: `disputes`."""
    streams = given.bundle.streams()
    for event in given.bundle.events:
        if event.type in ("result_frozen", "standings_frozen") and given.bundle.kind != "hand":
            dispute = streams.get(stream_of(event.data["dispute"]), [])
            froze = any(e.type == "dispute_frozen" and e.at == event.at for e in dispute)
            given.check(event, "disputes.freeze", froze, "its dispute froze nothing")
        if event.type == "dispute_ruled":
            due = Counter(
                (stream_of(act["subject"]), LED_TO.get(act["command"]))
                for act in event.data["acts"]
            )
            for (stream, kind), number in due.items():
                if stream in streams:
                    there = [e for e in streams[stream] if (e.type, e.at) == (kind, event.at)]
                    done = sum(e.position > event.position for e in there)
                    given.check(
                        event,
                        "disputes.ruling",
                        done >= number,
                        f"{kind} did not follow in {stream}",
                    )


def derived(name: str) -> str:
    """Return the 32 digits of the version 8 UUID derived from *name*."""
    data = bytearray(sha(b"holotable/derived/1" + name.encode())[:16])
    data[6] = data[6] & 0x0F | 0x80
    data[8] = data[8] & 0x3F | 0x80
    return data.hex()


def is_house_bot(player: str) -> bool:
    """True if an identifier is that of a house bot: `recomputing.md` 7."""
    return re.fullmatch(r"plr_686f7573656280(01|02|03)8[0-9a-f]{15}", player) is not None


def without_house_bots(placings: list[Json]) -> list[Json]:
    """Remove house bots from the placings. The others move up to their places: `points.house_bots`."""
    people = [entry for entry in placings if not is_house_bot(entry["player"])]
    if len(people) == len(placings):
        return placings
    places = [entry["place"] for entry in people]
    return [
        {
            **entry,
            "place": 1 + len([place for place in places if place < entry["place"]]),
            "shared": places.count(entry["place"]),
        }
        for entry in people
    ]


def decimal_text(value: Fraction, scale: int) -> str:
    """Format *value*, rounded half to even, with exactly *scale* digits."""
    number = round(value * 10**scale)
    sign, digits = "-" if number < 0 else "", str(abs(number)).rjust(scale + 1, "0")
    return sign + (f"{digits[:-scale]}.{digits[-scale:]}" if scale else digits)


class Rules:
    """Sections 7 and 8 applied to the whole bundle."""

    def __init__(self, bundle: Bundle, opened: Opened, report: Report) -> None:
        self.bundle, self.report = bundle, report
        self.given = Evidence(bundle, opened, report)

    def run(self) -> None:
        streams = self.bundle.streams()
        tournaments: dict[str, Tournament] = {}
        others = uncounted(self.bundle)
        for stream, events in streams.items():
            announced = any(event.type == "tournament_announced" for event in events)
            if stream.startswith("tournament-") and announced and stream not in others:
                guarded(
                    self.report, "tournament_announced", lambda e=events: self.add(e, tournaments)
                )
        for stream, events in streams.items():
            if stream.startswith("table-") and events[0].type == "table_opened":
                guarded(self.report, "table_opened", lambda e=events: self.table(e, tournaments))
        for tournament in tournaments.values():
            if self.bundle.kind != "hand":
                guarded(self.report, "tournament", tournament.run, tournament.events[0].position)
        for stream, events in streams.items():
            if stream.startswith("season-") and events[0].type == "season_opened":
                guarded(self.report, "season", Season(events, self.given, tournaments).run)
        if self.bundle.format >= 3:
            guarded(self.report, "disputes", lambda: check_disputes(self.given))
        if self.bundle.signatures:
            self.report.unchecked["signatures of players"] += self.bundle.signatures

    def add(self, events: list[Event], tournaments: dict[str, Tournament]) -> None:
        tournament = Tournament(events, self.given)
        tournaments[tournament.terms["tournament"]] = tournament

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
    """Run every check of bundle.md 3 in order. Raise Unreadable if the form, the note or the tree is malformed."""
    report = Report()
    bundle = read_bundle(raw)
    size, root = check_signature(bundle, keys, report)
    check_hashes(bundle, size, root, report)
    check_chain(bundle, report)
    guarded(report, "voided", Repairs(bundle, report).run)
    Copies(bundle, report).run()
    guarded(report, "completeness", Completeness(bundle, report).run)
    opened = check_openings(bundle, report)
    Rules(bundle, opened, report).run()
    return report


def guarded(report: Report, what: str, run: Any, position: int | None = None) -> None:
    """
    Call *run*. Record events of an unexpected shape as a difference, so that a crash never hides other differences.
    """
    try:
        run()
    except (
        ArithmeticError,
        AssertionError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        report.differ(
            position, what, f"an event has an unexpected shape: {type(error).__name__}: {error}"
        )


def print_report(report: Report) -> None:
    for position, rule, text in report.differences:
        where = "        -" if position is None else f"{position:>9}"
        print(f"{where}  {rule}: {text}")
    if report.voided:
        print("voided events, as the league states:")
    for line in report.voided:
        print(f"        -  {line}")
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
        PASS: "PASS: a given key signed the bundle, and nothing differs",
        DIFFERENT: f"FAIL: {count} difference{'s' if count != 1 else ''}",
        UNREADABLE: f"NOT AUTHENTIC: no given key signed this; {count} differences as well",
        INCOMPLETE: "NO PASS: nothing differs, but not everything could be checked",
    }
    print(verdicts[report.status()])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Check a Holotable bundle without Holotable.")
    parser.add_argument("file", help="the bundle")
    parser.add_argument(
        "--key", action="append", default=[], help="a signer's public key: name+id+key"
    )
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
