"""Bundles of a repaired league show each voided event, and the event must fail by its bytes."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from engine.kit.audiences import AUDITOR, PUBLIC
from engine.league.repairing import Failing
from engine.values import number_of, stream_of
from service.bundles.lines import Kind
from service.bundles.log import HeldLog, StoredLog
from service.bundles.writing import Wanted, bundle_of
from service.cli import repair
from service.director.runtime import Runtime, open_runtime
from service.log.keys import LeagueKeys
from service.log.read import read_league
from service.log.record import Recorded
from service.transparency.note import Checkpoint
from service.transparency.tree import root_of
from tests.service.cli.test_repair import (
    a_leap_with_a_wrong_hash,
    a_wrong_hash,
    an_opening_hand_after_a_leap,
    begun,
    last_of,
    plant,
)
from tests.service.director.test_directing import played
from tests.support.databases import TestDatabase
from tests.verifier.forging import KEY, Forgery, Line
from tests.verifier.forging import PUBLIC as VOUCHED
from tests.verifier.loading import verifier

pytestmark = pytest.mark.anyio

DAMAGES = [a_leap_with_a_wrong_hash, a_wrong_hash, an_opening_hand_after_a_leap]
FAILS = ["version", "hash", "version"]


@dataclass
class League:
    """A league with one finished tournament, and its log."""

    tournament: str
    table: str
    log: list[Recorded]
    keys: LeagueKeys
    runtime: Runtime

    async def bundle(self, kind: Kind = "tournament", viewer: str = AUDITOR) -> bytes:
        subject = self.tournament
        if kind == "hand":
            rows = (row for row in self.log if row.stream == stream_of(self.table))
            opened = next(row for row in rows if row.type == "hand_opened")
            subject = json.loads(opened.data)["hand"]
        root = root_of(each.hash for each in self.log)
        number = self.log[0].league
        head = Checkpoint(origin=f"holotable/{number}/0", size=len(self.log), root=root)
        wanted = Wanted(kind=kind, subject=subject, viewer=viewer)
        signed = KEY.sign(head.text()), len(self.log)
        log, stored = HeldLog(self.log), StoredLog(self.runtime.pool, number)
        assert await log.voidings() == await stored.voidings() != []
        lines = await bundle_of(log, self.keys, wanted, signed, self.table)
        return b"".join([line async for line in lines])


async def over(runtime: Runtime, league: str, tournament: str, table: str) -> League:
    """Return the league once its tournament has been played and its table is closed."""
    await played(runtime, league, tournament)
    keys = await runtime.writer.store.keys(number_of(league))
    for _ in range(1000):
        async with runtime.pool.acquire() as connection:
            log = await read_league(connection, league, limit=10_000)
        if any(row.type == "table_closed" for row in log):
            return League(tournament, table, log, keys, runtime)
        await asyncio.sleep(0.01)
    raise AssertionError("the table is not closed")


def checked(raw: bytes) -> Any:
    report = verifier.verify(raw, [VOUCHED])
    assert report.authentic
    return report


def voided(raw: bytes) -> list[Line]:
    lines: Iterator[Line] = (json.loads(line) for line in raw.splitlines())
    return [line for line in lines if line["line"] == "voided"]


async def test_a_repaired_league_passes_and_names_what_is_out_of_folding(
    database: TestDatabase, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = database.settings("holotable_api")
    async with open_runtime(settings) as runtime:
        league, tournament, table = await begun(runtime)
        stream, planted = stream_of(table), []
        for damage in DAMAGES:
            row = await last_of(runtime, league, stream)
            await plant(database, row, damage(row))
            await repair.void_failing(settings, league, "Bib", "a disk that lied", dry_run=False)
            planted.append(await last_of(runtime, league, stream))
        repaired = await over(runtime, league, tournament, table)
        whole, hand, public = [
            await repaired.bundle(),
            await repaired.bundle("hand"),
            await repaired.bundle(viewer=PUBLIC),
        ]
    capsys.readouterr()
    for raw in (whole, hand):
        report = checked(raw)
        assert (report.differences, report.status()) == ([], verifier.PASS), report.unchecked
        verifier.print_report(report)
        said = capsys.readouterr().out
        for row, fails in zip(planted, FAILS, strict=True):
            place = f"position {row.position} ({stream}, version {row.stream_version}): {fails}"
            assert place in said

    report = checked(public)
    assert (report.differences, len(report.voided)) == ([], 3)
    assert report.unchecked["faults of voided events: the bundle does not show them"] == 1
    assert [line["entry"] for line in voided(public)] == [None] * 3
    faults(whole, planted)


def faults(raw: bytes, planted: list[Recorded]) -> None:
    """Plant faults in a valid bundle of a repaired league. The verifier must find each."""
    first, second, _ = (row.position for row in planted)

    def found(change: Any) -> set[str]:
        forged = Forgery(raw)
        change(forged)
        return {rule for _, rule, _ in checked(forged.write()).differences}

    def named(forged: Forgery, nth: int) -> Line:
        position: Line = forged.events("positions_voided")[nth]["data"]["positions"][0]
        return position

    def line(forged: Forgery, position: int) -> Line:
        return next(
            each
            for each in forged.lines
            if each["line"] == "voided" and each["position"] == position
        )

    assert found(lambda forged: None) == set()
    assert found(lambda forged: named(forged, 1).update(fails="version")) == {"voided"}
    assert found(lambda forged: named(forged, 0).update(fails="hash")) == {"voided"}
    assert "voided" in found(lambda forged: named(forged, 1).update(hash="0" * 64))
    assert "voided" in found(lambda forged: named(forged, 0).update(position=second))
    assert "voided" in found(lambda forged: named(forged, 0).update(position=0))
    assert "voided" in found(lambda forged: named(forged, 0).update(position=first - 1))
    assert "voided" in found(lambda forged: named(forged, 0).update(version=7))
    assert "voided" in found(
        lambda forged: forged.events("positions_voided")[0].update(
            stream=planted[0].stream, version=1_000_000
        )
    )

    def sound(forged: Forgery) -> None:
        """Store the correct hash of the event's parts, so that the event no longer fails."""
        it = line(forged, second)
        entry = verifier.read_entry(it, 0)
        before = bytes.fromhex(line(forged, first)["hash"])
        leaf = verifier.sha(b"\0" + verifier.entry_of(forged.league, before, entry)).hex()
        it["hash"] = named(forged, 1)["hash"] = leaf

    assert "voided" in found(sound)

    def hides(forged: Forgery) -> None:
        """Leave out the event before the version leap."""
        [it] = [each for each in forged.events() if each["position"] == first - 1]
        it["stream"] = gone = f"table-{0:032x}"
        forged.leave_out(gone)

    forged = Forgery(raw)
    hides(forged)
    skipped = "the events of a stream before a voided event whose version leaps"
    assert checked(forged.write()).unchecked[skipped] == 1


async def test_a_well_formed_event_that_is_voided_fails(database: TestDatabase) -> None:
    settings = database.settings("holotable_api")
    claims: list[Failing] = ["hash", "version"]
    for claimed in claims:
        async with open_runtime(settings) as runtime:
            league, tournament, table = await begun(runtime)
            row = await last_of(runtime, league, stream_of(table))
            sound = repair.VoidedPosition(
                position=row.position,
                stream=row.stream,
                version=row.stream_version,
                hash=row.hash.hex(),
                fails=claimed,
            )
            await repair._void(runtime, league, [sound])
            raw = await (await over(runtime, league, tournament, table)).bundle()
        texts = [(at, text) for at, rule, text in checked(raw).differences if rule == "voided"]
        text = f"its stated fault is its {claimed}, which is well formed or not the first fault"
        assert texts == [(row.position, text)]
