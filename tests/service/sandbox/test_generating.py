"""Generated seasons repeat byte by byte from their seeds, and the audit finds no fault."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.rulesets import resolve, ruleset_hash
from engine.table.model.commands import VoidDeal
from engine.tournament.model.commands import Announce, RaiseLevels
from engine.tournament.model.commands.floor import Penalise
from engine.values import PlayerId, TextId, TextRef, TournamentId, number_of
from service.audit.bytes.chain import Places
from service.audit.event.acts import ActsAudit
from service.audit.report import Findings
from service.audit.run.streams import StreamAudit
from service.log.keys import LeagueKeys
from service.log.record import Recorded
from service.people.text_refs import refs_in
from service.people.texts import matches
from service.sandbox.generating.broken import DEFECTS, broken
from service.sandbox.generating.chance import Dice
from service.sandbox.generating.night import Night
from service.sandbox.generating.seasons import MadeUp, Season, made
from service.sandbox.generating.world import VirtualLoop, open_world

PLAYERS = 6
ODD = range(1, 13)
"""Seeds of seasons that are generated with the highest chaos."""


def audited(season: Season) -> tuple[list[str], int]:
    return faults_in(season.rows, season.keys)


def faults_in(rows: Sequence[Recorded], keys: LeagueKeys) -> tuple[list[str], int]:
    """Return the faults that the audit finds, and the number of hands that it has read."""
    findings = Findings()
    streams = StreamAudit(keys, findings, {row.stream for row in rows})
    places, acts = Places(findings), ActsAudit(findings)
    for row in rows:
        acts.follow(row, places.follow(row))
        streams.read(row)
    acts.end()
    streams.end(rows[-1].at)
    faults = [str(fault) for check in findings.checks.values() for fault in check.faults]
    return faults, streams.figures().hands


@pytest.mark.parametrize("chaos", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("seed", [1, 2, *(pytest.param(n, marks=pytest.mark.long) for n in (3, 4))])
def test_our_own_audit_finds_nothing(seed: int, chaos: float) -> None:
    season = made(seed, PLAYERS, chaos)
    faults, hands = audited(season)

    assert faults == []
    assert hands >= 2
    named = {ref for row in season.rows for ref in refs_in(json.loads(row.data))}
    kept = {each.number: each for each in season.texts}
    assert named or chaos < 1
    for ref in named:
        _, salt, body = kept[number_of(ref.text)]
        assert matches(salt, body, ref.digest)


async def voided_in_between() -> list[str]:
    """Raise the level and impose a penalty during a deal that is then voided. Return the faults."""
    owner = PlayerId("plr_" + "1" * 32)
    ruling: Any = {"by": owner, "reason": TextRef(text=TextId("txt_" + "0" * 32), digest="ab" * 32)}
    async with open_world("voided") as runtime:
        dice = Dice("voided")
        season = MadeUp(runtime, dice, 4)
        await season.open()
        name = TournamentId("trn_" + "2" * 32)
        night = Night(runtime, dice, season.league, name, owner)
        steps = [{"small": 1, "big": 2, "length": 60}, {"small": 2, "big": 4}]
        levels = {"kind": "levels", "by": "clock", "levels": steps}
        rules = resolve("better_simple", {"escalation": levels})
        await night.announce(
            Announce(
                tournament=name, league=season.league, name="Night", ruleset=rules,
                ruleset_name="better_simple", ruleset_hash=ruleset_hash(rules), table_seats=4,
                starting_stack=40, entrants_max=4, decision_seconds=300,
                starts_at=night.now + timedelta(hours=1),
            )
        )  # fmt: skip
        await night.enter(season.players)
        await night.begin()
        await night.open_entropy()
        await night.pass_time(1)
        (table,) = await night.tables()
        assert await night.answer(table)
        await night.pass_time(61)
        assert await night.ask(RaiseLevels(now=night.now))
        seat = (await night.state(table)).places[0]
        assert await night.ask(Penalise(entrant=seat.entrant, hands=2, now=night.now, **ruling))
        void = VoidDeal(cause="mis_deal", reason="card_shown", now=night.now)
        assert await night.at_table(table, void)
        await night.play()
        store, number = runtime.writer.store, number_of(season.league)
        rows = await store.league(number, limit=1_000_000)
        keys = await store.keys(number)
    seen = {row.type for row in rows}
    assert {"level_raised", "penalty_imposed", "deal_voided", "tournament_finished"} <= seen
    return faults_in(rows, keys)[0]


def test_a_hand_dealt_anew_keeps_its_level_and_counts_new_penalties() -> None:
    """Rulebook `voiding.replay`: after both changes the audit accepts the hand's next deal."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        assert runner.run(voided_in_between()) == []


@pytest.mark.long
def test_odd_seasons_hold_what_happens_on_odd_evenings() -> None:
    """Together they contain rounds, rebuys, late entrants, casinos, rulings and corrections."""
    rows = [row for seed in ODD for row in made(seed, PLAYERS, 1.0).rows]
    happened = {row.type for row in rows}

    assert happened >= {
        "award_revised", "bonuses_awarded", "bounty_won", "break_started", "chips_brought",
        "deal_voided", "dispute_appealed", "dispute_frozen", "dispute_opened", "dispute_ruled",
        "dispute_unfrozen", "entrant_cashed_out", "entrant_disqualified", "entrants_moved",
        "entropy_opened", "final_seated", "fixture_changed", "fixture_materialised",
        "hand_for_hand_started", "hand_quit", "last_hands_called", "late_seat_drawn",
        "leave_declared", "level_raised", "move_ordered", "no_show_released", "no_show_seated",
        "payout_deal_made", "penalty_imposed", "points_adjusted", "rebuy_taken",
        "result_corrected", "result_frozen", "result_released", "round_seated", "seats_redrawn",
        "standings_frozen", "standings_released", "table_broken", "tournament_paused",
    }  # fmt: skip
    rulings = [json.loads(row.data) for row in rows if row.type == "dispute_ruled"]
    assert {(each["instance"], bool(each["acts"])) for each in rulings} == {
        (1, False), (1, True), (2, False), (2, True),
    }  # fmt: skip
    acts = {act["command"] for each in rulings for act in each["acts"]}
    assert acts >= {"warn", "penalise", "disqualify", "correct_result", "forfeit", "adjust_points"}


def test_where_nothing_is_odd_nothing_odd_happens() -> None:
    happened = {row.type for seed in range(1, 5) for row in made(seed, PLAYERS, 0.0).rows}

    odd = {"round_seated", "rebuy_taken", "late_seat_drawn", "deal_voided", "result_corrected"}
    assert happened.isdisjoint({*odd, "dispute_opened", "fixtures_planned"})


def written(folder: Path, hash_seed: str) -> dict[str, bytes]:
    """Run the command with *hash_seed* for Python's hashes. Return the bytes of every file."""
    ran = subprocess.run(
        [
            sys.executable, "-c", "from service.cli.main import main; main()", "generate",
            "--seed", "7", "--players", "4", "--chaos", "0.7", "--broken", "-o", str(folder),
        ],
        env=os.environ | {"PYTHONHASHSEED": hash_seed}, check=True, capture_output=True,
        timeout=300,
    )  # fmt: skip
    assert b"signed by holotable.generated/1+" in ran.stdout
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.long
def test_the_same_numbers_give_the_same_bytes(tmp_path: Path) -> None:
    one, other = (written(tmp_path / each, each) for each in ("1", "2"))

    assert one == other
    index = json.loads(one["broken/index.json"])
    assert {f"broken/{each['file']}" for each in index} | {
        "broken/index.json", "keys.txt", "season.bundle",
    } == set(one)  # fmt: skip


def test_another_seed_is_another_season() -> None:
    assert made(1, 4, 0.0).lines != made(2, 4, 0.0).lines


@pytest.mark.long
def test_every_defect_changes_something_and_says_what() -> None:
    found: set[str] = set()
    for seed in (1, 2, 5):
        season = made(seed, 5, 0.5)
        whole = b"".join(season.lines)
        for about, data in broken(season, str(seed)):
            assert data != whole
            assert (about.position is None) == (about.status == 2)
            assert about.rule
            found.add(about.defect)
    # Ties without a split, and odd chips, are rare.
    assert len(found & {each.__name__ for each in DEFECTS}) >= len(DEFECTS) - 8
