"""The tables in a bundle, and the leaves in it that prove every card that its viewer opens."""

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest

from engine.coordination.aggregates import DECIDERS
from engine.kit.audiences import AUDITOR, PUBLIC
from engine.tournament.model.events import PlayStarted
from engine.tournament.model.events.entering import TableAdded
from engine.tournament.model.events.rounds import FinalSeated
from engine.tournament.model.values import SeatAssignment
from engine.tournament.model.values.rounds import RoundDraw
from engine.values import Seat, number_of
from service.bundles.gathering import tables_of
from service.bundles.lines import Kind
from service.bundles.log import HeldLog
from service.bundles.writing import Wanted, bundle_of
from service.log.keys import LeagueKeys
from service.log.memory import MemoryStore
from service.log.record import Recorded
from service.log.writer import Writer
from service.transparency.note import Checkpoint, SigningKey
from service.transparency.tree import root_of
from tests.engine.tournament.floor import entrant, table
from tests.service.league_night import Night, named, utcnow

KEY = SigningKey("holotable.example", bytes(range(32)))
Line = dict[str, Any]


def test_a_table_that_was_opened_late_or_for_the_final_belongs_to_its_tournament() -> None:
    started = PlayStarted(tables=(table(1), table(2)), entrants=8)
    added = TableAdded(
        table=table(3), number=3, entrant=entrant(9), seat=Seat(1), chips=100, rule="late.table"
    )
    final = FinalSeated(
        draw=RoundDraw(number=2, label="final", order=(entrant(1), entrant(2))),
        assignments=tuple(
            SeatAssignment(
                entrant=entrant(number), table=table(4), table_number=4, seat=Seat(number),
                stack=100,
            )
            for number in (1, 2)
        ),
        breaking_order=(4,),
        rule="rounds.final",
    )  # fmt: skip
    assert tables_of([started, added, final]) == [table(number) for number in (1, 2, 3, 4)]


async def played(ruleset: str, *, voided: bool) -> tuple[Night, list[Recorded], LeagueKeys]:
    """Return a night, its league's whole log and the keys that open it."""
    store = MemoryStore(now=utcnow)
    writer = Writer(store, DECIDERS, utcnow)
    await writer.start()
    try:
        night = Night(writer, ruleset, ruleset)
        await night.found()
        await night.start()
        if voided:
            await night.play(2)
            await night.void("fouled_deck")
        await night.play()
        league = number_of(night.league)
        return night, await store.league(league, limit=10_000), await store.keys(league)
    finally:
        await writer.aclose()


async def bundled(
    log: list[Recorded], keys: LeagueKeys, kind: Kind, subject: str, viewer: str
) -> list[Line]:
    root = root_of(each.hash for each in log)
    head = Checkpoint(origin=f"holotable/{log[0].league}/0", size=len(log), root=root)
    wanted = Wanted(kind=kind, subject=subject, viewer=viewer)
    lines = await bundle_of(HeldLog(log), keys, wanted, (KEY.sign(head.text()), len(log)))
    return [json.loads(line) async for line in lines]


def tree(hashes: list[bytes]) -> bytes:
    """Return the root by the definition of RFC 6962, 2.1."""
    if len(hashes) == 1:
        return hashes[0]
    middle = 1 << ((len(hashes) - 1).bit_length() - 1)
    return sha256(b"\1" + tree(hashes[:middle]) + tree(hashes[middle:])).digest()


def shown(value: Any) -> Iterator[Line]:
    """Yield every card that an event itself shows with its salt."""
    if isinstance(value, dict):
        if {"card", "pile", "position", "salt"} <= value.keys():
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from shown(each)


def at(data: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        data = data[int(part)] if isinstance(data, list) else data[part]
    return data


def proven(lines: list[Line]) -> tuple[int, int]:
    """Return the number of piles and of proved cards. Fail if a pile or a card is not proved."""
    leaves = {each["position"]: each["hashes"] for each in lines if each["line"] == "leaves"}
    opened: dict[int, list[Line]] = {}
    for each in lines:
        if each["line"] == "opening":
            opened.setdefault(each["position"], []).append(each)
    piles: dict[tuple[str, int], list[str]] = {}
    committed, cards = [], 0
    for event in (each for each in lines if each["line"] == "event"):
        data, stream, position = event["data"], event["stream"], event["position"]
        root = {"hand_opened": "deck_root", "pile_committed": "root"}.get(event["type"])
        if root is not None:
            committed.append(position)
            hashes = piles[stream, data.get("pile", 1)] = leaves[position]
            assert tree([bytes.fromhex(each) for each in hashes]).hex() == data[root]
            assert len(hashes) == data.get("size", len(hashes))
        found = list(shown(data))
        for opening in opened.get(position, []):
            place = at(data, opening["pointer"])
            if "pile" in place:
                found.append({**place, "card": opening["value"], "salt": opening["salt"]})
        for card in found:
            place = card["pile"].to_bytes(2, "big") + card["position"].to_bytes(2, "big")
            body = bytes.fromhex(card["salt"]) + place + card["card"].encode()
            leaf = sha256(b"\0holotable/card/1" + body).hexdigest()
            assert piles[stream, card["pile"]][card["position"]] == leaf, position
            cards += 1
    assert list(leaves) == sorted(leaves) == committed
    return len(leaves), cards


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("ruleset", "voided", "new_piles"),
    [("better_simple", True, False), ("traditional", False, True), ("spike", False, False)],
)
async def test_every_card_that_a_viewer_opens_is_proven_by_the_leaves_of_its_pile(
    ruleset: str, voided: bool, new_piles: bool
) -> None:
    night, log, keys = await played(ruleset, voided=voided)
    public = await bundled(log, keys, "tournament", night.tournament, PUBLIC)
    mine = named("ent", f"{ruleset} 0")
    own = await bundled(log, keys, "tournament", night.tournament, mine)

    seen, known = proven(public), proven(own)
    opened = [each for each in own if each["line"] == "opening"]
    secret = [each for each in opened if at(_data(own, each), each["pointer"]).get("audience")]

    kinds = [each.type for each in log]
    assert seen[0] == known[0] == kinds.count("hand_opened") + kinds.count("pile_committed")
    assert ("pile_committed" in kinds, "deal_voided" in kinds) == (new_piles, voided)
    # The entrant's other openings are selections, which have commitments of their own.
    assert known[1] - seen[1] == len(opened) - len(secret) > 0
    assert all(f"entrant:{mine}" in _audience(own, each) for each in secret)


def _data(lines: list[Line], opening: Line) -> Any:
    where = opening["position"]
    return next(
        each["data"] for each in lines if each["line"] == "event" and each["position"] == where
    )


def _audience(lines: list[Line], opening: Line) -> list[str]:
    found: list[str] = at(_data(lines, opening), opening["pointer"])["audience"]
    return found


@pytest.mark.anyio
async def test_an_auditor_opens_the_seeds_and_is_given_no_leaves() -> None:
    night, log, keys = await played("better_simple", voided=False)
    lines = await bundled(log, keys, "season", night.season, AUDITOR)
    opened = [each["pointer"] for each in lines if each["line"] == "opening"]
    assert not [each for each in lines if each["line"] == "leaves"]
    assert opened.count("/seeds") == [each.type for each in log].count("hand_opened")
    assert lines[0]["format"] == "holotable/bundle/3"


@pytest.mark.anyio
async def test_a_season_holds_the_tournaments_that_its_stream_names() -> None:
    night, log, keys = await played("better_simple", voided=False)
    lines = await bundled(log, keys, "season", night.season, PUBLIC)
    awarded = next(each.position for each in log if each.type == "points_awarded")
    early = await bundled(log[:awarded], keys, "season", night.season, PUBLIC)
    streams = [{each["stream"] for each in it if each["line"] == "event"} for it in (lines, early)]
    kinds = [sorted(stream.partition("-")[0] for stream in found) for found in streams]
    assert kinds == [["league", "season", "table", "table", "tournament"], ["league", "season"]]
