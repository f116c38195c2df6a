"""What comes with a league, what stays, and that nothing is sent or done twice in between."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import psycopg
import pytest

from engine.values import number_of
from service.base.database import pool
from service.base.heartbeats import outages_since
from service.base.settings import Settings, environment
from service.notices import outbox
from service.people.sealed_addresses import AddressKeys
from service.tasks import arming, jobs, noticing, telling
from service.tasks.duties import GOING_ON
from tests.service.league_night import Night, played
from tests.service.relocating.cells import WHY, Cell, moved
from tests.service.relocating.test_refusals import file, night
from tests.support.commands import begun
from tests.support.waiting import until

__all__ = ["file", "night"]

MINUTE = timedelta(minutes=1)
MAIL = "leia@alderaan.example"


def insert(cell: Cell, relation: str, **values: object) -> None:
    """Insert a row as a superuser."""
    names, places = ", ".join(values), ", ".join(f"%({name})s" for name in values)
    with psycopg.connect(cell.database.url("postgres")) as connection:
        connection.execute(f"INSERT INTO {relation} ({names}) VALUES ({places})".encode(), values)


@pytest.fixture
def full(old: Cell, night: Night) -> Night:
    """The league, with people, messages and jobs. Its last player is known elsewhere too."""
    now, league = datetime.now(UTC), number_of(night.league)
    keys = AddressKeys(old.secret_key)
    for index, player in enumerate(night.players):
        number = number_of(player)
        insert(
            old, "account_email", account=number, verified_at=now,
            address=keys.close("account_email", number, MAIL), digest=keys.digests(MAIL)[0],
        )  # fmt: skip
        insert(old, "token", **_token(index, number, now))
    staff = _token(7, number_of(night.players[0]), now) | {"scopes": ["admin"]}
    insert(old, "token", **staff)
    child = _token(8, number_of(night.players[0]), now) | {"parent": staff["id"]}
    insert(old, "token", **child)
    elsewhere = uuid4()
    insert(old, "key", league=elsewhere, key_id=uuid4(), wrapped=b"")
    insert(old, "entered_player", account=number_of(night.players[-1]), league=elsewhere,
           identity="Leia", entered_at=now, made_account=False)  # fmt: skip
    target = json.dumps({"endpoint": "https://push.example/1", "p256dh": "x", "auth": "y"})
    browser = UUID(int=5)
    insert(
        old, "push_subscription", id=browser, account=number_of(night.players[0]),
        host="push.example", target=keys.close("push_subscription", browser, target),
        digest=keys.digests("https://push.example/1")[0], failures=0, created_at=now,
    )  # fmt: skip
    for channel, digit in (("mail", 1), ("push", 2)):
        insert(
            old, "notice", id=UUID(int=digit), account=number_of(night.players[0]),
            channel=channel, kind="your_turn", occasion=uuid4(), league=league, facts="{}",
            state="waiting", attempts=0, next_at=now, ends_at=now + 60 * MINUTE, created_at=now,
            target=browser if channel == "push" else None,
        )  # fmt: skip
    hook = UUID(int=6)
    insert(
        old, "webhook", id=hook, league=league, name="Site", kinds=["hand.settled"], form="v1",
        url=b"sealed with the league's key", since=0, created_by=number_of(night.players[0]),
        created_at=now,
    )  # fmt: skip
    insert(
        old, "webhook_delivery", id=UUID(int=9), webhook=hook, event=uuid4(),
        kind="hand.settled", body="{}", state="waiting", attempts=2, next_at=now, created_at=now,
    )  # fmt: skip
    for task, state in (
        ("table.watch", "sent"),
        ("tournament.start", "done"),
        ("audit.run", "ready"),
    ):
        insert(
            old, "job", occurrence=f"{task}:1", task=task, state=state, due_at=now - MINUTE,
            args=json.dumps({"league": night.league}),
            lease_until=now - MINUTE if state == "sent" else None,
        )  # fmt: skip
    insert(old, "outage", process="api", since_at=now, until_at=now + MINUTE)
    return night


def _token(number: int, account: UUID, now: datetime) -> dict[str, object]:
    return {
        "id": UUID(int=100 + number), "account": account, "hash": bytes([number]) * 32,
        "name": "phone", "scopes": ["tables:play"], "created_at": now,
        "expires_at": now + timedelta(days=1),
    }  # fmt: skip


def test_people_come_with_their_credentials_unless_another_league_shares_them(
    old: Cell, new: Cell, full: Night, file: Path
) -> None:
    old.rows("UPDATE account SET founds_leagues = true RETURNING 1")
    said = old.suspended_and_packed(full.league, file)
    assert "5 accounts (1 of them also in other leagues here), 4 tokens" in said
    moved(old, new, full.league, file)
    held = {number for (number,) in new.rows("SELECT id FROM token")}
    assert held == {UUID(int=100 + n) for n in range(4)}, "no operator's token, and no child of it"
    keys = AddressKeys(new.secret_key)
    mails = new.rows("SELECT account, address, digest FROM account_email")
    assert len(mails) == len(full.players)
    for account, address, digest in mails:
        assert keys.opened("account_email", account, address) == MAIL
        assert digest == keys.digests(MAIL)[0]
    [(target, digest)] = new.rows("SELECT target, digest FROM push_subscription")
    assert "push.example/1" in keys.opened("push_subscription", UUID(int=5), target)
    assert digest == keys.digests("https://push.example/1")[0]
    assert new.rows("SELECT DISTINCT founds_leagues FROM account") == [(False,)]


def test_jobs_and_messages_come_as_they_are_and_are_due_in_one_cell_only(
    old: Cell, new: Cell, full: Night, file: Path
) -> None:
    old.done("league", "suspend", full.league, *WHY)
    assert due(old) == {"audit.run", "mail", "notice.send", "webhook.deliver"}
    old.done(*old.packing(full.league, file))
    assert due(old) == set()
    moved(old, new, full.league, file)
    assert due(old) == set()
    states = dict(new.rows("SELECT occurrence, state FROM job WHERE occurrence LIKE '%%:1'"))
    assert states == {
        "table.watch:1": "ready",
        "tournament.start:1": "done",
        "audit.run:1": "ready",
    }
    assert due(new) == {"audit.run", "mail", "notice.send", "table.watch", "webhook.deliver"}
    assert new.rows("SELECT attempts FROM webhook_delivery") == [(2,)]
    query = "SELECT position FROM {} WHERE league = %s"
    for each in ("ticker_checkpoint", "notice_checkpoint"):
        here, there = (cell.rows(query.format(each), number_of(full.league)) for cell in (new, old))
        assert here == there != [], each


def due(cell: Cell) -> set[str]:
    """Return the tasks and channels that this cell would work on now, as its worker finds them."""
    told: Settings = cell.settings(
        "holotable_worker", smtp_url="smtp://127.0.0.1:1", mail_from="x@y.example", signer_url=None
    )
    now = datetime.now(UTC)
    with psycopg.connect(told.database_url, autocommit=True) as connection:
        while arming.follow(connection, now, told) or noticing.follow(connection, now, told):
            pass
        with connection.transaction(force_rollback=True):
            # Leave the jobs that the log itself asks for out of this.
            connection.execute(
                "UPDATE job SET state = 'done', lease_until = NULL WHERE occurrence NOT LIKE '%:1'"
            )
            telling.arm_delivery(connection, now)
            noticing.arm_sending(connection, now, told)
            claimed = jobs.claim(connection, MINUTE, now=now, going_on=GOING_ON)
            found = {each.task for each in claimed}

    async def mails() -> bool:
        async with await pool(told.database_url) as connections:
            return bool(await outbox.due(connections, "mail", now, 9))

    return found | ({"mail"} if asyncio.run(mails()) else set())


def test_outages_of_the_old_cell_come_and_earlier_ones_of_the_new_cell_do_not_count(
    old: Cell, new: Cell, full: Night, file: Path
) -> None:
    long_ago = datetime.now(UTC) - 60 * MINUTE
    insert(new, "outage", process="api", since_at=long_ago, until_at=long_ago + MINUTE)
    old.suspended_and_packed(full.league, file)
    moved(old, new, full.league, file)

    async def outages(league: str) -> int:
        async with await pool(new.database.url("holotable_worker")) as connections:
            return len(await outages_since(connections, number_of(league), long_ago - MINUTE))

    assert asyncio.run(outages(full.league)) == 2, "the old cell's, and the move itself"
    other = asyncio.run(played(new.database, "afterwards", steps_max=2))
    assert asyncio.run(outages(other.league)) == 1, "the new cell's own"


def test_a_second_move_brings_outages_of_the_cell_between_only_from_the_arrival_there(
    old: Cell, new: Cell, full: Night, file: Path
) -> None:
    league, came = number_of(full.league), datetime.now(UTC) - 30 * MINUTE
    insert(old, "outage", process="maintenance", since_at=came - MINUTE, until_at=came + MINUTE)
    insert(
        old, "outage", process="before", since_at=came - 9 * MINUTE, until_at=came - MINUTE,
        league=league,
    )  # fmt: skip
    old.done("league", "suspend", full.league, *WHY)
    old.rows("UPDATE append_turn SET here_since = %s WHERE league = %s RETURNING 1", came, league)
    old.done(*old.packing(full.league, file))
    moved(old, new, full.league, file)

    found = new.rows(
        "SELECT since_at, until_at FROM outage WHERE until_at < %s ORDER BY 1", came + 2 * MINUTE
    )
    assert found == [(came - 9 * MINUTE, came - MINUTE), (came, came + MINUTE)]


def test_a_row_comes_that_was_written_by_someone_who_had_found_the_league_open(
    old: Cell, new: Cell, full: Night, file: Path
) -> None:
    """The transaction looked at the door before the suspension, and writes after the packing."""
    league, account = number_of(full.league), number_of(full.players[0])
    asked = environment(old.settings("holotable_migrate"))
    with psycopg.connect(old.database.url("holotable_api")) as writing:
        writing.execute("SET idle_in_transaction_session_timeout = 0")
        look = "SELECT suspended_at FROM append_turn WHERE league = %s"
        assert writing.execute(look, (league,)).fetchall() in ([], [(None,)])
        old.done("league", "suspend", full.league, *WHY)
        with begun(old.packing(full.league, file), asked) as command:
            waits = (
                "SELECT 1 FROM pg_stat_activity"
                " WHERE strpos(query, 'virtualxid') > 0 AND pid <> pg_backend_pid()"
            )
            until(lambda: bool(old.rows(waits)))
            writing.execute(
                "INSERT INTO text (id, league, digest, salt, body, author, audience, written_at)"
                " VALUES (%s, %s, %s, %s, 'late', %s, 'staff', now())",
                (UUID(int=77), league, bytes(32), bytes(32), account),
            )
            writing.commit()
            assert command.end().returncode == 0
    moved(old, new, full.league, file)
    assert new.rows("SELECT body FROM text WHERE id = %s", UUID(int=77)) == [("late",)]


def test_the_two_operators_logs_say_where_the_league_went(
    old: Cell, new: Cell, full: Night, file: Path
) -> None:
    old.suspended_and_packed(full.league, file)
    moved(old, new, full.league, file)
    kinds = "SELECT kind FROM operator_deed ORDER BY id"
    before = ["league_suspended", "league_packed"]
    assert [each for (each,) in old.rows(kinds)] == [*before, "league_released"]
    assert [each for (each,) in new.rows(kinds)] == [*before, "league_unpacked", "league_restored"]
    [(reason,)] = old.rows("SELECT reason FROM operator_deed WHERE kind = 'league_released'")
    assert reason.startswith("to cell 2, arr_") and reason.endswith(": a drill")
    assert "league restore" not in old.told("doctor").stdout
