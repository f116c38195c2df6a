"""
People get one message about each event that concerns them, by the channels and at the hours they
choose.
"""

import asyncio
import base64
import json
import os
import quopri
import re
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import http_ece
import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from py_vapid import Vapid02

from engine.coordination.aggregates import DECIDERS
from engine.league.auditing import RecordAudit
from engine.values import number_of
from service.base.settings import environment
from service.log.streams import league_stream
from service.log.writer import States, StreamEvents
from service.notices import browsers, smtp
from service.notices.kinds import Kind
from service.notices.preferences import turn_off
from service.notices.push import new_private_key, public_key
from service.people.sealed_addresses import AddressKeys
from tests.service.api.conftest import PASSWORD, Api, Person
from tests.service.api.me.test_emails import FROM, confirmed, due_now, rows
from tests.service.api.nights import start_by_clock
from tests.service.api.proof.test_disputes import ask, with_office
from tests.service.api.proof.test_evidence import project
from tests.service.api.test_suspending import WHY, told
from tests.service.api.tournament.test_corrections import entrants
from tests.service.console.conftest import Browser as Console
from tests.support.databases import TestDatabase
from tests.support.mailboxes import Mail, MailServer, mail_server
from tests.support.receivers import LOOPBACK, Received, Receiver, Worker, receiving, working
from tests.support.waiting import until_awaited
from tests.support.webhooks import announce, play

pytestmark = pytest.mark.anyio

SEND = "notice.send"
KEY = new_private_key()
BLOCKED = """
    SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
     WHERE NOT granted AND pg_stat_activity.datname = current_database()
"""
OPERATOR = "operator@league.example"
SITE = "https://league.example"


@dataclass
class Town:
    """An installation that can mail and push, with a league and its people."""

    api: Api
    worker: Worker
    server: MailServer
    receiver: Receiver
    database: TestDatabase
    owner: Person
    league: str
    settings: dict[str, Any]

    async def member(self, name: str) -> Person:
        """Let somebody with a confirmed address join the league."""
        person = await self.api.join(self.owner, self.league)
        await confirmed(person, self.worker, self.server, f"{name}@falcon.example")
        return person

    async def mails(self) -> dict[str, list[Mail]]:
        """Send everything that is due, and return the mails by recipient."""
        await self.worker.work(SEND)
        found: dict[str, list[Mail]] = {}
        for mail in self.server.got:
            found.setdefault(mail.recipient.partition("@")[0], []).append(mail)
        self.server.got.clear()
        return found


@pytest.fixture
def town(database: TestDatabase, serving: Callable[..., Any]) -> Callable[[], Any]:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Town]:
        async with mail_server() as server, receiving() as receiver:
            settings = {
                "smtp_url": server.url,
                "mail_from": FROM,
                "public_url": SITE,
                "operator_email": OPERATOR,
                "push_key": KEY,
                "push_contact": f"mailto:{OPERATOR}",
            }
            async with (
                serving(**settings, webhook_networks=LOOPBACK) as api,
                working(database, **settings) as worker,
            ):
                owner, league = await api.league()
                yield Town(api, worker, server, receiver, database, owner, league, settings)

    return opened


class Browser:
    """A browser that has subscribed, and can read what is sent to it."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._auth = b"0123456789abcdef"

    def subscription(self, endpoint: str) -> dict[str, Any]:
        """Return the result that ``PushSubscription.toJSON()`` has."""
        number = self._key.private_numbers().private_value.to_bytes(32, "big")
        point = public_key(_text(number))
        keys = {"p256dh": point, "auth": _text(self._auth)}
        return {"endpoint": endpoint, "expirationTime": None, "keys": keys}

    def read(self, got: Received) -> dict[str, Any]:
        """Return the message, decrypted by the published library."""
        plain = http_ece.decrypt(
            got.body, private_key=self._key, auth_secret=self._auth, version="aes128gcm"
        )
        found: dict[str, Any] = json.loads(plain)
        return found


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


async def choose(person: Person, **choices: Any) -> None:
    """Make choices of notices."""
    path = "/v1/me/notifications"
    answer = await person.http.put(path, json=choices, headers=person.headers)
    assert answer.status_code == 200, answer.text


async def enter(tournament: str, *people: Person) -> None:
    for person in people:
        entered = await person.post(f"/v1/tournaments/{tournament}/registrations")
        assert entered.status_code == 201, entered.text


async def test_players_hear_of_their_seat_and_their_result_by_mail(
    town: Callable[[], Any],
) -> None:
    async with town() as here:
        han, leia = await here.member("han"), await here.member("leia")
        await choose(leia, language="de", zone="Europe/Berlin")
        night = await announce(here.owner, here.league, name="Night", hands_between_seconds=0)
        await enter(night, han, leia)
        await here.owner.post(f"/v1/tournaments/{night}/start")
        mails = await here.mails()
        [to_han], [to_leia] = mails.pop("han"), mails.pop("leia")
        assert mails == {}
        assert to_han.message["subject"] == "Night: your seat"
        assert re.search(r"is seat \d+ at table 1\.", to_han.text)
        assert f"{SITE}/tournaments/{night}" in to_han.text
        assert "Du sitzt bei Night an Tisch 1 auf Sitz" in to_leia.text

        # A second search and a second job make nothing twice.
        with psycopg.connect(here.database.url("holotable_worker"), autocommit=True) as connection:
            connection.execute("UPDATE notice_checkpoint SET position = 0")
        due_now(here.database)
        assert await here.mails() == {}

        assert rows(here.database, "SELECT count(*) FROM notice_occasion") == [(0,)]


async def test_the_result_and_its_disputes_are_told_to_those_who_played(
    town: Callable[[], Any],
) -> None:
    async with town() as here:
        han, leia = await here.member("han"), await here.member("leia")
        night = await announce(
            here.owner, here.league, name="Night", hands_between_seconds=0, hands_max=1
        )
        await enter(night, han, leia)
        await here.owner.post(f"/v1/tournaments/{night}/start")
        table = (await here.owner.get(f"/v1/tournaments/{night}")).json()["tables"][0]["id"]
        await play([han, leia], table)
        mails = await here.mails()
        subjects = {name: [each.message["subject"] for each in got] for name, got in mails.items()}
        assert subjects == {
            "han": ["Night: the result"],
            "leia": ["Night: the result"],  # and nothing of a seat that is gone
        }
        assert re.search(r"Your place: [12]\.", mails["han"][0].text)

        claim = {"kind": "payout", "tournament": night, "claim": "She folded."}
        filed = await han.post("/v1/disputes", claim)
        assert filed.status_code == 201, filed.text
        mails = await here.mails()
        assert list(mails) == ["leia"]
        assert mails["leia"][0].message["subject"] == "A dispute that concerns you"
        assert f"{SITE}/disputes/{filed.json()['id']}" in mails["leia"][0].text
        assert "She folded." not in mails["leia"][0].text

        # A ruling that corrects the result twice is one piece of news, with the last places.
        referee = await with_office(here.api, here.owner, here.league)
        winner, second = [each["id"] for each in await entrants(here.owner, night)]
        ruling = {
            "outcome": "for", "rules": ["payouts"], "reason": "Both looked at the cards.",
            "acts": [
                {"act": "correct_result", "order": [[second], [winner]]},
                {"act": "forfeit", "entrant": second},
            ],
        }  # fmt: skip
        path = f"/v1/disputes/{filed.json()['id']}/rulings"
        tried = await ask(referee, f"{path}?dry_run=true", ruling, key="rule")
        events = tried.json()["events"]
        assert events == ["dispute_ruled", "result_corrected", "result_corrected"], tried.text
        ruling |= {"dry_run": tried.json()["digest"]}
        done = await ask(referee, path, ruling, key="rule")
        assert done.status_code == 201, done.text
        mails = await here.mails()
        for name in ("han", "leia"):
            subjects = sorted(each.message["subject"] for each in mails[name])
            assert subjects == ["A ruling that concerns you", "Night: the result was corrected"]
        places = {
            re.findall(r"Your place is now: (\d)\.", each.text)[0]
            for name in ("han", "leia")
            for each in mails[name]
            if "corrected" in each.message["subject"]
        }
        assert places == {"1", "2"}
        shown = await entrants(here.owner, night)
        assert [each["id"] for each in shown] == [winner, second], "the one who forfeited is last"


async def test_check_in_and_a_free_place_are_told_while_they_help(
    town: Callable[[], Any],
) -> None:
    async with town() as here:
        people = [await here.member(name) for name in ("han", "leia", "lando")]
        han, leia, _ = people
        night = await announce(
            here.owner,
            here.league,
            name="Night",
            starts_at=(datetime.now(UTC) + timedelta(hours=1)).isoformat(),
            entrants_max=2,
            entry={"waitlist": True, "check_in_opens_before_seconds": 7200},
        )
        await enter(night, *people)
        await han.post(f"/v1/tournaments/{night}/check-ins")
        await here.worker.work("tournament.check_in", SEND)
        mails = await here.mails()
        assert {name: [each.message["subject"] for each in got] for name, got in mails.items()} == {
            "leia": ["Night: check-in is open"],
            "lando": ["Night: check-in is open"],
        }
        left = await leia.post(f"/v1/tournaments/{night}/withdrawals")
        assert left.is_success, left.text
        [mail] = (await here.mails())["lando"]
        assert mail.message["subject"] == "Night: a place for you"

        # The offer was answered before the mail went out, so no mail is sent.
        await han.post(f"/v1/tournaments/{night}/withdrawals")
        assert await here.mails() == {}


async def test_a_start_that_waits_and_a_cancelled_evening_are_told_to_who_is_entered(
    town: Callable[[], Any], database: TestDatabase
) -> None:
    async with town() as here:
        han = await here.member("han")
        await choose(han, language="de")
        night = await announce(
            here.owner,
            here.league,
            name="Night",
            starts_at=(datetime.now(UTC) + timedelta(hours=1)).isoformat(),
            entrants_min=2,
            entry={"too_few": "postpone", "postpone_seconds": 900},
        )
        await enter(night, han)
        await start_by_clock(database, here.owner, night)
        [[mail]] = (await here.mails()).values()
        assert mail.message["subject"] == "Night: Der Beginn wartet"
        assert "Es waren zu wenige da. Night beginnt deshalb später: " in mail.text

        await start_by_clock(database, here.owner, night)
        [[mail]] = (await here.mails()).values()
        assert mail.message["subject"] == "Night fällt aus"
        assert f"{SITE}/tournaments/{night}" in mail.text


async def test_a_start_that_waits_is_told_only_while_it_holds_and_to_who_is_still_entered(
    town: Callable[[], Any], database: TestDatabase
) -> None:
    async with town() as here:
        han, leia = await here.member("han"), await here.member("leia")
        terms = {
            "starts_at": (datetime.now(UTC) + timedelta(hours=1)).isoformat(),
            "entrants_min": 3,
            "entry": {"too_few": "postpone", "postpone_seconds": 900},
        }
        later, off = [
            await announce(here.owner, here.league, name=name, **terms) for name in ("Late", "Off")
        ]
        for each in (later, off):
            await enter(each, han, leia)
            await start_by_clock(database, here.owner, each)
        gone = await leia.post(f"/v1/tournaments/{later}/withdrawals")
        assert gone.is_success, gone.text
        await start_by_clock(database, here.owner, off)
        mails = await here.mails()
        subjects = {who: {each.message["subject"] for each in got} for who, got in mails.items()}
        assert subjects == {
            "han": {"Late: the start waits", "Off is cancelled"},
            "leia": {"Off is cancelled"},
        }


async def test_a_turn_is_told_in_slow_games_only_and_shows_no_card(
    town: Callable[[], Any],
) -> None:
    async with town() as here:
        han, leia = await here.member("han"), await here.member("leia")
        for person in (han, leia):
            await choose(person, zone="Europe/Berlin", kinds={"seat_drawn": {"mail": False}})
        fast = await announce(here.owner, here.league, name="Fast", hands_between_seconds=0)
        slow = await announce(
            here.owner, here.league, name="Slow", hands_between_seconds=0, decision_seconds=86400
        )
        for night in (fast, slow):
            await enter(night, han, leia)
            await here.owner.post(f"/v1/tournaments/{night}/start")
        table = (await here.owner.get(f"/v1/tournaments/{slow}")).json()["tables"][0]["id"]
        views = {}
        async with asyncio.timeout(20):
            while not any(each.get("my_turn") for each in views.values()):
                for name, person in (("han", han), ("leia", leia)):
                    views[name] = (await person.get(f"/v1/tables/{table}")).json()
        mails = await here.mails()
        assert set(mails) == {name for name, view in views.items() if view["my_turn"]}
        cards = {card for view in views.values() for card in view["me"]["cards"]}
        for [mail] in mails.values():
            assert mail.message["subject"] == "Slow: your turn"
            assert "(Europe/Berlin)" in mail.text
            assert f"{SITE}/tables/{table}" in mail.text
            assert [card for card in cards if card in mail.text] == []
        facts = str(rows(here.database, "SELECT facts FROM notice WHERE kind = 'your_turn'"))
        assert "cards" not in facts


async def test_quiet_hours_choices_bans_and_one_click_hold_mail_back(
    town: Callable[[], Any],
) -> None:
    async with town() as here:
        people = [await here.member(name) for name in ("han", "leia", "lando", "greedo")]
        han, _, lando, greedo = people
        now = datetime.now(UTC)
        hours = [f"{now + timedelta(hours=each):%H:%M}" for each in (-1, 1)]
        await choose(lando, quiet_hours={"begin": hours[0], "end": hours[1]})
        nights = []
        for name in ("One", "Two"):
            night = await announce(here.owner, here.league, name=name, hands_between_seconds=0)
            nights.append(night)
            await enter(night, *people)
        await here.owner.post(f"/v1/tournaments/{nights[0]}/start")
        path = f"/v1/leagues/{here.league}/bans/{greedo.player}"
        why = {"reason": "Shot first."}
        banned = await here.owner.http.put(path, json=why, headers=here.owner.headers)
        assert banned.is_success, banned.text
        mails = await here.mails()
        assert sorted(mails) == ["han", "leia"]
        waiting = "SELECT next_at > service_time() + interval '50 min' FROM notice"
        assert rows(here.database, f"{waiting} WHERE state = 'waiting'") == [(True,)]

        [mail] = mails["han"]
        assert mail.message["list-unsubscribe-post"] == "List-Unsubscribe=One-Click"
        link = mail.message["list-unsubscribe"].strip("<>")
        assert link.replace("/v1/opt-outs/", "/opt-outs/") in mail.text  # the page, not the route
        out = link.removeprefix(SITE)
        asked = await here.api.http.get(out)
        assert (asked.json()["kind"], asked.json()["wanted"]) == ("seat_drawn", True)
        broken = out[:-2] + ("A" if out[-2] != "A" else "B") + out[-1]
        assert (await here.api.http.post(broken)).status_code == 404
        clicked = await here.api.http.post(out, data={"List-Unsubscribe": "One-Click"})
        assert clicked.status_code == 200, clicked.text
        chosen = (await han.get("/v1/me/notifications")).json()
        assert chosen["kinds"]["seat_drawn"] == {"mail": False, "push": True}
        assert chosen["kinds"]["result"] == {"mail": True, "push": True}
        await here.owner.post(f"/v1/tournaments/{nights[1]}/start")
        assert sorted(await here.mails()) == ["leia"]

        # What waits for the end of the quiet hours is looked at again then.
        ended = await here.owner.post(f"/v1/tournaments/{nights[1]}/cancel", why)
        assert ended.is_success, ended.text
        await choose(lando)
        due_now(here.database)
        assert sorted(each.message["subject"] for each in (await here.mails())["lando"]) == [
            "One: your seat",
            "Two is cancelled",
        ]


async def test_a_browser_gets_what_only_it_can_read(town: Callable[[], Any]) -> None:
    async with town() as here:
        han, leia = await here.member("han"), await here.member("leia")
        phone, laptop = Browser(), Browser()
        push = "/v1/me/push-subscriptions"
        for url in ("ftp://push.example/", "https://10.0.0.1/", "https://u:p@push.example/"):
            refused = await han.post(push, laptop.subscription(url))
            assert refused.json()["errors"][0]["pointer"] == "/endpoint", url
        odd = phone.subscription(here.receiver.url)
        odd["keys"]["auth"] = "A" * 30
        assert (await han.post(push, odd)).json()["errors"][0]["pointer"] == "/keys"
        made = []
        for person, browser, path in ((han, phone, "a"), (han, laptop, "b"), (leia, phone, "c")):
            wanted = browser.subscription(f"{here.receiver.url}/{path}")
            answer = await person.post(push, wanted)
            assert answer.status_code == 201, answer.text
            made.append(answer.json())
        await choose(leia, kinds={"seat_drawn": {"push": False}})
        chosen = (await han.get("/v1/me/notifications")).json()
        assert [each["id"] for each in chosen["browsers"]] == [each["id"] for each in made[:2]]
        assert chosen["push_key"] == public_key(KEY)
        stored = str(rows(here.database, "SELECT * FROM push_subscription"))
        assert "/hook/a" not in stored

        night = await announce(here.owner, here.league, name="Night", hands_between_seconds=0)
        await enter(night, han, leia)
        await here.owner.post(f"/v1/tournaments/{night}/start")
        here.receiver.answers = [201, 410]
        await here.worker.work(SEND)
        got = {each.path.rpartition("/")[2]: each for each in here.receiver.got}
        assert sorted(got) == ["a", "b"]
        for path, browser in (("a", phone), ("b", laptop)):
            told = browser.read(got[path])
            assert told["title"] == "Night: your seat"
            assert told["path"] == f"/tournaments/{night}"
            assert b"Night" not in got[path].body
            headers = got[path].headers
            assert Vapid02.verify(headers["authorization"])
            assert (headers["content-encoding"], headers["urgency"]) == ("aes128gcm", "normal")
            assert 0 < int(headers["ttl"]) <= 12 * 3600
        states = rows(here.database, "SELECT state FROM notice WHERE channel = 'push' ORDER BY 1")
        assert states == [("failed",), ("sent",)]
        [kept] = (await han.get("/v1/me/notifications")).json()["browsers"]
        removed = await han.http.delete(f"{push}/{kept['id']}", headers=leia.headers)
        assert removed.status_code == 404
        removed = await han.http.delete(f"{push}/{kept['id']}", headers=han.headers)
        assert removed.status_code == 204


async def test_reading_leagues_is_no_right_to_addresses_browsers_or_choices(
    town: Callable[[], Any],
) -> None:
    async with town() as here:
        han = await here.member("han")
        wanted = {"login": han.login, "password": PASSWORD, "scopes": ["leagues:read"]}
        token = (await here.api.http.post("/v1/tokens", json=wanted)).json()["token"]
        headers = {"Authorization": f"Bearer {token}"}
        push = "/v1/me/push-subscriptions"
        subscription = Browser().subscription(f"{here.receiver.url}/a")
        for method, path, body in (
            ("GET", "/v1/me/notifications", None),
            ("PUT", "/v1/me/notifications", {}),
            ("POST", push, subscription),
            ("DELETE", f"{push}/psh_{'0' * 32}", None),
        ):
            answer = await here.api.http.request(method, path, json=body, headers=headers)
            assert answer.status_code == 403, (method, path)
            assert answer.json()["required_scopes"] == ["tokens:manage"]


@pytest.mark.parametrize("then", ["change", "sign out"])
async def test_a_new_password_and_signing_out_everywhere_end_the_browsers(
    town: Callable[[], Any], then: str
) -> None:
    """Otherwise the browser of a thief would still get every message."""
    async with town() as here:
        han = await here.member("han")
        wanted = Browser().subscription(f"{here.receiver.url}/thief")
        assert (await han.post("/v1/me/push-subscriptions", wanted)).status_code == 201
        if then == "change":
            body = {"password": PASSWORD, "new_password": "another horse"}
            done = await han.http.put("/v1/me/password", json=body, headers=han.headers)
        else:
            done = await han.http.delete("/v1/tokens", headers=han.headers)
        assert done.status_code == 200, done.text
        assert rows(here.database, "SELECT count(*) FROM push_subscription") == [(0,)]


async def test_signing_out_of_a_shared_phone_ends_its_messages_and_no_others(
    town: Callable[[], Any],
) -> None:
    async with town() as here:
        han = await here.member("han")
        asked = {"login": han.login, "password": PASSWORD, "scopes": ["tokens:manage"]}
        session = (await here.api.http.post("/v1/tokens", json=asked)).json()
        for headers, path in (
            ({"Authorization": f"Bearer {session['token']}"}, "shared"),
            (han.headers, "own"),
        ):
            wanted = Browser().subscription(f"{here.receiver.url}/{path}")
            push = "/v1/me/push-subscriptions"
            made = await here.api.http.post(push, json=wanted, headers=headers)
            assert made.status_code == 201, made.text
        out = await han.http.delete(f"/v1/tokens/{session['id']}", headers=han.headers)
        assert out.is_success, out.text
        [kept] = (await han.get("/v1/me/notifications")).json()["browsers"]
        assert kept["id"] == made.json()["id"]


async def test_the_messages_of_a_session_end_when_it_expires(town: Callable[[], Any]) -> None:
    async with town() as here:
        han, other = [await here.api.join(here.owner, here.league) for _ in range(2)]
        for person in (han, other):
            wanted = Browser().subscription(f"{here.receiver.url}/{person.login}")
            assert (await person.post("/v1/me/push-subscriptions", wanted)).status_code == 201
        night = await announce(here.owner, here.league, name="Night", hands_between_seconds=0)
        await enter(night, han, other)
        expire = "UPDATE token SET expires_at = now() WHERE account = $1 RETURNING id"
        pool = here.api.app.shell.pool
        assert await pool.fetchval(expire, number_of(han.player))
        asked = {"login": han.login, "password": PASSWORD, "scopes": ["tokens:manage"]}
        token = (await here.api.http.post("/v1/tokens", json=asked)).json()["token"]
        bearer = {"Authorization": f"Bearer {token}"}
        shown = await here.api.http.get("/v1/me/notifications", headers=bearer)
        assert shown.json()["browsers"] == []
        await here.owner.post(f"/v1/tournaments/{night}/start")
        # An occasion of another version holds back no other.
        strange = (
            "INSERT INTO notice_occasion (event, league, position, facts, ends_at)"
            " VALUES (gen_random_uuid(), %s, 0, '{}', now() + interval '1 minute')"
        )
        with psycopg.connect(here.database.url("postgres")) as connection:
            connection.execute(strange, [number_of(here.league)])
        await here.worker.work(SEND)
        assert [each.path.rpartition("/")[2] for each in here.receiver.got] == [other.login]
        forget = "DELETE FROM token WHERE account = %s"
        with psycopg.connect(here.database.url("postgres")) as connection:
            connection.execute(forget, [number_of(han.player)])
        assert rows(here.database, "SELECT count(*) FROM push_subscription") == [(1,)]


async def test_a_suspended_person_is_told_nothing_and_a_restored_one_again(
    town: Callable[[], Any],
) -> None:
    """Neither messages waiting in the outbox nor new ones are sent."""
    async with town() as here:
        han, leia = await here.member("han"), await here.member("leia")
        await choose(han, quiet_hours={"begin": "00:00", "end": "23:59"})
        nights = []
        for name in ("One", "Two", "Three"):
            night = await announce(here.owner, here.league, name=name, hands_between_seconds=0)
            await enter(night, han, leia)
            nights.append(night)
        await here.owner.post(f"/v1/tournaments/{nights[0]}/start")
        assert sorted(await here.mails()) == ["leia"]

        done = await told(here.database, "account", "suspend", han.login, *WHY)
        assert done.returncode == 0, done.stderr
        with psycopg.connect(here.database.url("postgres")) as connection:
            connection.execute("UPDATE notice_settings SET quiet_from = NULL, quiet_until = NULL")
        await here.owner.post(f"/v1/tournaments/{nights[1]}/start")
        due_now(here.database)
        assert sorted(await here.mails()) == ["leia"]

        done = await told(here.database, "account", "restore", han.login, *WHY)
        assert done.returncode == 0, done.stderr
        await here.owner.post(f"/v1/tournaments/{nights[2]}/start")
        assert sorted(await here.mails()) == ["han", "leia"]


async def test_two_requests_with_one_browser_at_once_make_one_subscription(
    town: Callable[[], Any],
) -> None:
    async with town() as here:
        han = await here.member("han")
        wanted = Browser().subscription(f"{here.receiver.url}/phone")
        target = browsers.Target(wanted["endpoint"], **wanted["keys"])
        other = browsers.Browser(uuid4(), "push.example", datetime.now(UTC))
        keys = AddressKeys(*here.api.app.shell.settings.secret_keys)
        async with here.api.app.shell.engine.begin() as connection:
            await browsers.add(connection, keys, number_of(here.owner.player), other, target)
            asking = asyncio.create_task(han.post("/v1/me/push-subscriptions", wanted))

            async def blocked() -> bool:
                return rows(here.database, BLOCKED) == [(1,)]

            await until_awaited(blocked)
        answer = await asking
        assert answer.status_code == 201, answer.text
        stored = rows(here.database, "SELECT id FROM push_subscription")
        assert [each[0].hex for each in stored] == [answer.json()["id"][4:]]


async def test_a_browser_that_cannot_be_read_holds_back_no_other(town: Callable[[], Any]) -> None:
    async with town() as here:
        han = await here.api.join(here.owner, here.league)
        other = await here.api.join(here.owner, here.league)
        for path in ("a", "b", "c"):
            wanted = Browser().subscription(f"{here.receiver.url}/{path}")
            assert (await han.post("/v1/me/push-subscriptions", wanted)).status_code == 201
        with psycopg.connect(here.database.url("holotable_migrate")) as connection:
            connection.execute(
                "UPDATE push_subscription SET target = repeat('x', 100)::bytea WHERE id ="
                " (SELECT id FROM push_subscription ORDER BY created_at LIMIT 1)"
            )
        night = await announce(here.owner, here.league, name="Night", hands_between_seconds=0)
        await enter(night, han, other)
        await here.owner.post(f"/v1/tournaments/{night}/start")

        await here.worker.work(SEND)

        assert sorted(each.path[-1] for each in here.receiver.got) == ["b", "c"]
        states = rows(here.database, "SELECT state FROM notice WHERE channel = 'push' ORDER BY 1")
        assert states == [("failed",), ("sent",), ("sent",)]


async def test_neither_slow_mail_nor_a_slow_browser_holds_back_the_messages_of_others(
    town: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(smtp, "SECONDS", 60.0)
    async with town() as here:
        han, leia = await here.member("han"), await here.api.join(here.owner, here.league)
        for person, path in ((han, "han/1"), (han, "han/2"), (han, "han/3"), (leia, "leia")):
            wanted = Browser().subscription(f"{here.receiver.url}/{path}")
            answer = await person.post("/v1/me/push-subscriptions", wanted)
            assert answer.status_code == 201, answer.text
        night = await announce(here.owner, here.league, name="Night", hands_between_seconds=0)
        await enter(night, han, leia)
        await here.owner.post(f"/v1/tournaments/{night}/start")
        here.server.answers["RCPT"] = [""]
        here.receiver.answers = [0] * 4

        sending = asyncio.create_task(here.worker.work(SEND))
        await here.server.stalled.wait()
        await here.receiver.has(3)

        first = [each.path.removeprefix("/hook/").partition("/")[0] for each in here.receiver.got]
        assert sorted(first) == ["han", "han", "leia"]
        here.server.let_go.set()
        here.receiver.let_go.set()
        await sending


async def test_two_first_opt_outs_at_once_both_hold(town: Callable[[], Any]) -> None:
    async with town() as here:
        han = await here.api.join(here.owner, here.league)
        engine, person = here.api.app.shell.engine, UUID(han.player[4:])
        kinds: tuple[Kind, ...] = ("result", "seat_drawn")

        async def turned_off(kind: Kind) -> None:
            async with engine.begin() as connection:
                await turn_off(connection, person, kind, "mail")

        async with engine.begin() as first:
            await turn_off(first, person, kinds[0], "mail")
            second = asyncio.create_task(turned_off(kinds[1]))

            async def blocked() -> bool:
                return rows(here.database, BLOCKED) == [(1,)]

            await until_awaited(blocked)
        await second

        chosen = (await han.get("/v1/me/notifications")).json()["kinds"]
        assert [chosen[each]["mail"] for each in kinds] == [False, False]


async def test_a_push_is_repeated_after_a_refusal_and_never_after_a_death(
    town: Callable[[], Any],
) -> None:
    async with town() as here:
        han, leia = [await here.api.join(here.owner, here.league) for _ in range(2)]
        for person, path in ((han, "han"), (leia, "leia")):
            wanted = Browser().subscription(f"{here.receiver.url}/{path}")
            answer = await person.post("/v1/me/push-subscriptions", wanted)
            assert answer.status_code == 201, answer.text
        await choose(leia, kinds={"seat_drawn": {"push": False}})
        night = await announce(here.owner, here.league, name="Night", hands_between_seconds=0)
        await enter(night, han, leia)
        await here.owner.post(f"/v1/tournaments/{night}/start")
        state = "SELECT state FROM notice"
        here.receiver.answers = [503, 0]
        await here.worker.work(SEND)
        assert rows(here.database, state) == [("waiting",)]
        due_now(here.database)

        settings = environment(here.worker.runtime.settings)
        killed = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.support.sending", env=os.environ | settings
        )
        await here.receiver.has(2)
        killed.send_signal(signal.SIGKILL)
        await killed.wait()
        due_now(here.database)
        await here.worker.work(SEND)
        assert [each.path for each in here.receiver.got] == ["/hook/han"] * 2
        assert rows(here.database, state) == [("begun",)]


async def test_a_failed_audit_is_told_to_the_owners_and_the_operator(
    town: Callable[[], Any],
) -> None:
    async with town() as here:
        await here.member("han")
        await confirmed(here.owner, here.worker, here.server, "owner@falcon.example")
        stream = league_stream(here.league)
        writer, runtime = here.worker.runtime.writer, here.worker.runtime
        for number, passed in enumerate((True, False)):
            command = RecordAudit(
                report=f"rep_{number}", scope=here.league, passed=passed, events=1, hands=0,
                last_position=0, failed=() if passed else ("chips",), first_bad_position=None,
                digest="0" * 64, now=runtime.clock.now(),
            )  # fmt: skip

            async def decide(states: States, command: RecordAudit = command) -> list[StreamEvents]:
                state = (await states.load(stream)).state
                return [StreamEvents(stream, DECIDERS["league"].decide(state, command))]

            await writer.submit(here.league, runtime.order(f"audit/{number}"), decide)
        mails = await here.mails()
        assert sorted(mails) == ["operator", "owner"]
        assert mails["owner"][0].message["subject"] == "An audit of Cloud City has failed"
        assert here.league in mails["operator"][0].text


async def test_a_tampered_log_is_audited_and_told_in_the_language_of_each_owner(
    town: Callable[[], Any],
) -> None:
    """Nothing here is only pretended: the log is changed, a real audit finds it, and mails go."""
    async with town() as here:
        await confirmed(here.owner, here.worker, here.server, "owner@falcon.example")
        leia = await here.member("leia")
        path = f"/v1/leagues/{here.league}/members/{leia.player}"
        headers = here.owner.headers | {"If-Match": "*"}
        promoted = await here.api.http.put(path, json={"role": "owner"}, headers=headers)
        assert promoted.is_success, promoted.text
        await choose(leia, language="de")
        await here.member("han")
        await announce(here.owner, here.league, name="Night")
        assert await here.mails() == {}
        with psycopg.connect(here.database.url("postgres")) as connection:
            connection.execute("ALTER TABLE events DISABLE TRIGGER ALL")
            connection.execute(
                "UPDATE events SET data = replace(data::text, '\"Night\"', '\"Fight\"')::json "
                "WHERE type = 'tournament_announced'"
            )
        asked = await here.owner.post(f"/v1/leagues/{here.league}/audits", {})
        assert asked.status_code == 202, asked.text

        async def reported() -> bool:
            await here.worker.work("audit.run", "audit.unit", "audit.close", SEND)
            return bool(rows(here.database, "SELECT FROM events WHERE type = 'audit_reported'"))

        await until_awaited(reported)
        mails = await here.mails()
        assert sorted(mails) == ["leia", "operator", "owner"]
        [english], [german], [operator] = (mails[each] for each in ("owner", "leia", "operator"))
        page = f"{SITE}/leagues/{here.league}/audits"
        assert english.message["subject"] == "An audit of Cloud City has failed"
        assert english.text.replace("\r", "").startswith(
            "An audit of Cloud City found something that does not fit together. Read its report "
            f"before the next evening.\n\nOpen it: {page}\n"
        )
        assert german.message["subject"] == "Eine Prüfung von Cloud City ist fehlgeschlagen"
        assert german.text.replace("\r", "").startswith(
            "Eine Prüfung von Cloud City hat etwas gefunden, das nicht zusammenpasst. Lies den "
            "Bericht vor dem nächsten Abend.\n\n"
        )
        assert page in german.text
        assert "Open it" not in german.text
        assert operator.message["subject"] == english.message["subject"]
        assert f"holotable audit {here.league}" in operator.text
        assert "list-unsubscribe" not in operator.message


async def test_a_failed_audit_of_a_league_that_cannot_be_read_is_told_too(
    town: Callable[[], Any],
) -> None:
    """The audit is in no log, and nobody can ask the league's own stream who its owners are."""
    async with town() as here:
        await confirmed(here.owner, here.worker, here.server, "owner@falcon.example")
        await here.member("han")
        assert await here.mails() == {}
        await project(here.database)
        with psycopg.connect(here.database.url("postgres")) as connection:
            connection.execute("ALTER TABLE events DISABLE TRIGGER ALL")
            broken = connection.execute(
                "UPDATE events SET data = replace(data::text, 'member_added', 'member_aded')::json"
                " WHERE type = 'member_added'"
            )
            assert broken.rowcount
        asked = await here.owner.post(f"/v1/leagues/{here.league}/audits", {})
        assert asked.status_code == 202, asked.text
        async with working(here.database, **here.settings) as here.worker:  # it knows no state

            async def ended() -> bool:
                await here.worker.work("audit.run", "audit.unit", "audit.close", SEND)
                return bool(rows(here.database, "SELECT FROM audit_report WHERE state = 'failed'"))

            await until_awaited(ended)
            mails = await here.mails()
        assert rows(here.database, "SELECT FROM events WHERE type = 'audit_reported'") == []
        assert sorted(mails) == ["operator", "owner"]
        assert mails["owner"][0].message["subject"] == "An audit of Cloud City has failed"
        assert f"holotable audit {here.league}" in mails["operator"][0].text


async def test_one_click_on_the_bytes_of_a_mail_leads_to_the_settings_page(
    town: Callable[[], Any],
) -> None:
    """As RFC 8058 asks of a mail program, and then as a person does it with the link below."""
    async with town() as here:
        han, leia = await here.member("han"), await here.member("leia")
        night = await announce(here.owner, here.league, name="Night", hands_between_seconds=0)
        await enter(night, han, leia)
        await here.owner.post(f"/v1/tournaments/{night}/start")
        [mail] = (await here.mails())["han"]
        head, _, body = mail.raw.partition(b"\r\n\r\n")
        header = dict(re.findall(rb"(?m)^([\w-]+): ((?:.*)(?:\r\n[ \t].*)*)", head))
        uri = b"".join(header[b"List-Unsubscribe"].split()).decode()
        assert re.fullmatch(rf"<{re.escape(SITE)}/v1/opt-outs/[\w-]+>", uri), uri
        assert header[b"List-Unsubscribe-Post"].strip() == b"List-Unsubscribe=One-Click"
        path = uri.strip("<>").removeprefix(SITE)

        # The mail program has no cookie and no token, and is led nowhere.
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        clicked = await here.api.http.post(
            path, content=header[b"List-Unsubscribe-Post"].strip(), headers=form
        )
        assert clicked.status_code == 200, clicked.text
        assert clicked.json() == {"kind": "seat_drawn", "channel": "mail", "wanted": False}

        # The person follows the link at the foot of the same mail, signs in and changes their mind.
        text = quopri.decodestring(body).decode()
        [link] = re.findall(rf"{re.escape(SITE)}(/opt-outs/[\w-]+)", text)
        browser = Console(here.api.app)
        page = await browser.get(link)
        assert "You will get no more of these mails" in page.text
        assert "Your seat is drawn" in page.text
        assert 'href="/account/notices"' in page.text
        assert (await browser.get("/account/notices")).url.path == "/sign-in"
        await browser.sign_in(han.login)
        page = await browser.get("/account/notices")
        box = r'<input type="checkbox" name="(\w+)\[\]" value="(\w+)"[^>]*?( checked)?>'
        boxes = re.findall(box, page.text)
        assert ("mail", "seat_drawn", "") in boxes
        assert ("mail", "result", " checked") in boxes
        again: dict[str, Any] = {
            f"{name}[]": [kind for by, kind, on in boxes if by == name and (on or name == "mail")]
            for name in ("mail", "push")
        }
        page = await browser.submit(
            "/account/notices", **again, zone="Europe/Berlin", language="en"
        )
        assert "Your choices are saved." in page.text, page.text
        chosen = (await han.get("/v1/me/notifications")).json()["kinds"]
        assert chosen["seat_drawn"] == {"mail": True, "push": True}
        await browser.http.aclose()
