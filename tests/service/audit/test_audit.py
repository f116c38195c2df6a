"""An audit proves a whole night, and names the first position that was tampered with."""

import json
from datetime import timedelta

import asyncpg
import pytest

from engine.values import number_of
from service.audit.report import Report
from service.audit.run import units
from service.audit.run.league import audit_league
from service.base.database import async_engine
from service.log.keys import Keys
from service.projections.following.runner import Runner
from service.projections.models.all import ALL
from service.projections.schema import standing
from tests.service.league_night import Night, played
from tests.support.databases import SECRET_KEY, TestDatabase

pytestmark = pytest.mark.anyio


async def audited(database: TestDatabase, league: str, tournament: str | None = None) -> Report:
    """Audit as the auditor's role, after the projections have caught up."""
    projecting = async_engine(database.url("holotable_project"), 2)
    engine = async_engine(database.url("holotable_audit"), 2)
    try:
        await Runner(projecting).catch_up()
        async with engine.connect() as connection:
            return await audit_league(connection, Keys(SECRET_KEY), league, tournament=tournament)
    finally:
        await engine.dispose()
        await projecting.dispose()


async def tamper(database: TestDatabase, night: Night, statement: str) -> int:
    """Rewrite the log as a superuser who has switched the triggers off. Return the position."""
    connection = await asyncpg.connect(database.url("postgres"))
    try:
        await connection.execute("ALTER TABLE events DISABLE TRIGGER ALL")
        changed = await connection.fetch(statement, number_of(night.league))
    finally:
        await connection.close()
    return int(changed[0]["position"])


def faults(report: Report) -> dict[str, int]:
    """Return the number of failures of each check that failed."""
    return {check.name: check.failed for check in report.checks if check.failed}


async def test_a_whole_night_passes_every_check(database: TestDatabase) -> None:
    """Every check of a played night is made at least once, and passes."""
    night = await played(database)

    report = await audited(database, night.league)

    assert faults(report) == {}, report.text()
    assert report.passed
    assert report.hands >= 2
    made = {check.name: check.checked for check in report.checks}
    assert {name for name, times in made.items() if times == 0} <= {
        "cubes",
        "fates",
        "heads",
        "jobs",
        "levels",
        "moves",
        "randomness",
        "rounds",
        "rulings",
        "texts",
        "tree",
        "voided",
    }  # no signer runs here
    assert {made[name] for name in ("positions", "chains", "readable")} == {report.events}
    assert report.sandbox
    assert "passed" in report.text()


async def test_a_night_of_card_turns_passes_every_check(database: TestDatabase) -> None:
    """Shifts, the static field, penalties and the Sabacc pot are proved too."""
    night = await played(database, ruleset="traditional")

    report = await audited(database, night.league)

    assert faults(report) == {}, report.text()
    assert report.hands >= 2
    unmade = {check.name for check in report.checks if check.checked == 0}
    assert unmade <= {
        "cubes",
        "fates",
        "heads",
        "jobs",
        "levels",
        "randomness",
        "rounds",
        "rulings",
        "texts",
        "tree",
        "voided",
    }  # no signer runs here


@pytest.mark.parametrize("ruleset", ["better_simple", "traditional", "spike"])
async def test_a_night_with_a_voided_deal_passes_every_check(
    database: TestDatabase, ruleset: str
) -> None:
    night = await played(database, ruleset=ruleset, void="mis_deal")

    report = await audited(database, night.league)

    assert faults(report) == {}, report.text()
    assert report.voided_deals == 1
    assert "1 deals were voided" in report.text()


async def test_a_deck_called_fouled_that_is_as_committed_is_found(database: TestDatabase) -> None:
    night = await played(database, void="fouled_deck")

    report = await audited(database, night.league)

    assert faults(report) == {"deals": 1}
    assert report.first_bad is not None and "called fouled" in report.first_bad


async def test_an_audit_of_one_tournament_proves_its_hands(database: TestDatabase) -> None:
    """Only one tournament is decided again, but the bytes of the whole log are proved."""
    night = await played(database)

    report = await audited(database, night.league, night.tournament)

    assert report.passed, report.text()
    assert report.tournament == night.tournament


async def test_a_changed_chip_is_found_and_its_position_named(database: TestDatabase) -> None:
    """The owner of the database can switch off triggers, but the chain still shows the change."""
    night = await played(database)
    position = await tamper(
        database,
        night,
        """
        UPDATE events SET data = replace(data::text, '"paid":2', '"paid":3')::json
        WHERE league = $1 AND position = (
            SELECT min(position) FROM events
            WHERE league = $1 AND type = 'seat_acted' AND data::text LIKE '%"paid":2,%')
        RETURNING position
        """,
    )

    report = await audited(database, night.league)

    assert not report.passed
    assert report.first_bad_position == position
    assert {"chains", "decisions"} <= faults(report).keys()


async def test_a_swapped_hash_is_found(database: TestDatabase) -> None:
    """A wrong hash breaks the chain at its position."""
    night = await played(database, steps_max=40)
    position = await tamper(
        database,
        night,
        """
        UPDATE events SET hash = sha256(hash) WHERE league = $1 AND position = 12
        RETURNING position
        """,
    )

    report = await audited(database, night.league)

    assert report.first_bad_position == position
    assert "chains" in faults(report)


async def test_a_missing_event_leaves_a_gap_in_the_positions(database: TestDatabase) -> None:
    """Positions are dense, so a missing event leaves a gap."""
    night = await played(database, steps_max=40)
    position = await tamper(
        database,
        night,
        "DELETE FROM events WHERE league = $1 AND position = 20 RETURNING position",
    )

    report = await audited(database, night.league)

    assert report.first_bad_position == position + 1
    assert "positions" in faults(report)


async def test_a_box_that_was_exchanged_does_not_open(database: TestDatabase) -> None:
    """Sealed bytes are bound to their stream and version, and covered by the hash."""
    night = await played(database, steps_max=40)
    position = await tamper(
        database,
        night,
        """
        UPDATE events SET sealed = set_byte(sealed, 80, get_byte(sealed, 80) # 1)
        WHERE league = $1 AND position = (
            SELECT min(position) FROM events WHERE league = $1 AND type = 'cards_dealt')
        RETURNING position
        """,
    )

    report = await audited(database, night.league)

    assert report.first_bad_position == position
    assert {"chains", "commitments", "readable"} <= faults(report).keys()


@pytest.mark.parametrize(
    ("one", "other"),
    [('"place":1', '"place":2'), ('"amount":701', '"amount":300')],
    ids=["places", "payouts"],
)
async def test_a_result_that_was_exchanged_is_found(
    database: TestDatabase, one: str, other: str
) -> None:
    """First and second exchange places or prizes, so every sum stays the same."""
    night = await played(database)
    position = await tamper(
        database,
        night,
        f"""
        UPDATE events SET data = replace(replace(replace(data::text,
            '{one}', 'one'), '{other}', '{one}'), 'one', '{other}')::json
        WHERE league = $1 AND type = 'tournament_finished'
        RETURNING position
        """,
    )

    report = await audited(database, night.league)

    [check] = [check for check in report.checks if check.name == "money"]
    assert [each.position for each in check.faults] == [position], report.text()


async def test_a_knockout_given_to_somebody_else_is_found(database: TestDatabase) -> None:
    """The pots of the hand show who won the last chips."""
    night = await played(database)
    position = await tamper(
        database,
        night,
        """
        UPDATE events SET data = replace(data::text, '"pot":', '"pot":1')::json
        WHERE league = $1 AND position = (SELECT max(position) FROM events
            WHERE league = $1 AND type = 'entrant_knocked_out')
        RETURNING position
        """,
    )

    report = await audited(database, night.league)

    [check] = [check for check in report.checks if check.name == "money"]
    assert [each.position for each in check.faults] == [position], report.text()


async def test_points_that_no_placing_earned_are_found(database: TestDatabase) -> None:
    """Even with the right hashes, the points must follow from the placings."""
    night = await played(database)
    position = await tamper(
        database,
        night,
        """
        UPDATE events SET data = replace(data::text, '"points":"', '"points":"1')::json
        WHERE league = $1 AND type = 'points_awarded'
        RETURNING position
        """,
    )

    report = await audited(database, night.league)

    assert faults(report)["points"] == 1
    [check] = [check for check in report.checks if check.name == "points"]
    assert check.faults[0].position == position


async def test_a_forged_read_model_is_found(
    database: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version keeps forged rows from being compared only for a day, and the report says."""
    night = await played(database)
    await audited(database, night.league)
    connection = await asyncpg.connect(database.url("postgres"))
    await connection.execute("UPDATE reads.standing SET points = points + 1")
    assert faults(await audited(database, night.league)) == {"projections": 1}

    changed = "UPDATE reads.checkpoint SET version = version + $1, position = position + $2"
    model = next(model for model in ALL if standing in model.relations)
    changed += f" WHERE name = '{model.name}'"
    await connection.execute(changed, -1, -1)
    report = await audited(database, night.league)
    assert report.passed, report.text()
    assert report.not_compared == (model.name,)
    assert report.text().endswith(f"passed, but not compared: {model.name}\n")
    with monkeypatch.context() as patched:
        patched.setattr(units, "REBUILT_WITHIN", timedelta(0))
        report = await audited(database, night.league)
        assert faults(report) == {"projections": 1}
        assert "it waits for a rebuild, and follows no event since" in report.text()
        # Time does not stand still in a league that somebody says is suspended.
        closed = "UPDATE append_turn SET suspended_at = $1::timestamptz - interval '1 day'"
        await connection.execute(closed, await connection.fetchval("SELECT max(at) FROM events"))
        assert "projections" in faults(await audited(database, night.league))
        await connection.execute("UPDATE append_turn SET suspended_at = NULL")
        # A newer version is another one, too.
        await connection.execute(changed, 2, 0)
        assert faults(await audited(database, night.league)) == {"projections": 1}
        await connection.execute(changed, -2, 0)
    await connection.execute(changed, 1 - model.version, 0)
    report = await audited(database, night.league)
    assert faults(report) == {"projections": 1}
    assert "no program makes rows of version 0" in report.text()
    await connection.execute(changed, model.version - 1, 10**12)
    report = await audited(database, night.league)
    assert faults(report) == {"projections": 1}
    assert "where no projector has put it" in report.text()
    await connection.execute(changed, 1, 1 - 10**12)
    await connection.close()
    assert faults(await audited(database, night.league)) == {"projections": 1}


async def test_a_report_shows_no_hidden_value(database: TestDatabase) -> None:
    """A report may be published: it names seeds and masters but never shows them."""
    night = await played(database, steps_max=60)
    await tamper(
        database,
        night,
        """
        UPDATE events SET sealed = NULL WHERE league = $1 AND type = 'cards_dealt'
        RETURNING position
        """,
    )

    report = await audited(database, night.league)

    assert not report.passed
    assert "c5c5c5c5" not in json.dumps([check.faults for check in report.checks], default=str)
