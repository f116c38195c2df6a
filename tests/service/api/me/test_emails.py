"""An e-mail address is confirmed by a code, and a confirmed one resets a password."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest

from service.base.settings import environment
from service.cli.account.reset import offer_reset
from service.cli.doctor import examine
from tests.service.api.conftest import PASSWORD, Api, Person
from tests.support.databases import TestDatabase
from tests.support.mailboxes import HANGS_UP, MailServer, mail_server
from tests.support.receivers import Worker, working
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio

SEND = "notice.send"
FROM = "Cloud City <night@league.example>"
ADDRESS = "Lando@Bespin.example"


def mailing(server: MailServer) -> dict[str, str]:
    """Return the settings of an installation that sends mail."""
    return {"smtp_url": server.url, "mail_from": FROM, "public_url": "https://league.example"}


@asynccontextmanager
async def post_office(
    database: TestDatabase, serving: Callable[..., Any]
) -> AsyncIterator[tuple[MailServer, Api, Worker]]:
    """Open a mail server, an API and a worker that send by it."""
    async with mail_server() as server:
        told = mailing(server)
        async with serving(**told) as api, working(database, **told) as worker:
            yield server, api, worker


async def put(person: Person, email: str | None, password: str = PASSWORD) -> Any:
    """Ask for another address."""
    asked = {"email": email, "password": password}
    return await person.http.put("/v1/me/email", json=asked, headers=person.headers)


async def confirmed(person: Person, worker: Worker, server: MailServer, email: str) -> None:
    """Confirm an address."""
    assert (await put(person, email)).status_code == 200

    await until_awaited(lambda: _mailed(worker, server))
    code = server.got.pop().code
    answer = await person.post("/v1/me/email/verification", {"code": code})
    assert answer.status_code == 200, answer.text


async def ask(api: Api, account: str, **headers: str) -> None:
    """Ask for a reset code."""
    path = "/v1/password-resets/request"
    answer = await api.http.post(path, json={"account": account}, headers=headers)
    assert (answer.status_code, answer.json()) == (202, {"from": FROM})


def rows(database: TestDatabase, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query, as the worker reads them."""
    with psycopg.connect(database.url("holotable_worker"), autocommit=True) as connection:
        return connection.execute(query).fetchall()


def due_now(database: TestDatabase) -> None:
    """Make every waiting notice due, as if its wait were over."""
    with psycopg.connect(database.url("holotable_worker"), autocommit=True) as connection:
        connection.execute(
            "UPDATE notice SET next_at = service_time() - interval '1 s' WHERE state = 'waiting'"
        )


async def test_an_address_is_confirmed_by_its_code_and_kept_sealed(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    async with post_office(database, serving) as (server, api, worker):
        lando = await api.person("Lando")
        none = {"email": None, "verified_at": None, "waiting": None, "waiting_until": None}
        assert (await lando.get("/v1/me/email")).json() == none
        assert (await put(lando, ADDRESS, "wrong horse")).json()["code"] == "wrong_password"
        assert (await put(lando, "no address")).status_code == 400

        shown = (await put(lando, ADDRESS)).json()
        assert (shown["email"], shown["waiting"]) == (None, ADDRESS)
        assert await worker.work(SEND) == 1
        [mail] = server.got
        assert mail.recipient == ADDRESS
        assert mail.message["from"] == FROM
        assert mail.message["auto-submitted"] == "auto-generated"
        assert lando.login in mail.text
        assert "https://league.example" in mail.text

        other = await api.person()
        for person, code in ((other, mail.code), (lando, "x")):
            refused = await person.post("/v1/me/email/verification", {"code": code})
            assert refused.status_code == 404
        shown = (await lando.post("/v1/me/email/verification", {"code": mail.code})).json()
        assert (shown["email"], shown["waiting"]) == (ADDRESS, None)
        again = await lando.post("/v1/me/email/verification", {"code": mail.code})
        assert again.status_code == 404

        await ask(api, ADDRESS)
        kept = ("account_email", "notice", "reset_request")
        stored = str([rows(database, f"SELECT * FROM {each}") for each in kept])
        assert "espin" not in stored
        assert mail.code not in stored

        # The confirmed address holds until another one is confirmed.
        shown = (await put(lando, "second@bespin.example")).json()
        assert (shown["email"], shown["waiting"]) == (ADDRESS, "second@bespin.example")
        assert (await put(lando, None)).json() == none


async def test_whoever_made_no_choice_is_told_in_the_language_and_zone_of_their_browser(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    path, verification = "/v1/me/notifications", "/v1/me/email/verification"
    german = {"Accept-Language": "de-AT, en;q=0.5"}

    async def chosen(person: Person, **headers: str) -> tuple[str, str]:
        shown = (await person.http.get(path, headers=person.headers | headers)).json()
        return shown["language"], shown["zone"]

    async with post_office(database, serving) as (server, api, worker):
        lando = await api.person("Lando")
        assert await chosen(lando) == ("en", "UTC")
        for zone, status, kept in (("Bespin/Cloud_City", 400, None), ("Europe/Vienna", 200, "de")):
            assert (await put(lando, ADDRESS)).status_code == 200
            await until_awaited(lambda: _mailed(worker, server))
            code = {"code": server.got.pop().code, "zone": zone}
            answer = await lando.http.post(verification, json=code, headers=lando.headers | german)
            assert answer.status_code == status, answer.text
            assert await chosen(lando, **german) == ((kept, zone) if kept else ("en", "UTC"))

        # What the person chose stays.
        wanted = {"language": "en", "zone": "Europe/London"}
        await lando.http.put(path, json=wanted, headers=lando.headers)
        assert (await put(lando, "second@bespin.example")).status_code == 200
        await until_awaited(lambda: _mailed(worker, server))
        code = {"code": server.got.pop().code, "zone": "Europe/Vienna"}
        answer = await lando.http.post(verification, json=code, headers=lando.headers | german)
        assert answer.status_code == 200, answer.text
        assert await chosen(lando, **german) == ("en", "Europe/London")


async def _mailed(worker: Worker, server: MailServer) -> bool:
    await worker.work(SEND)
    return bool(server.got)


async def test_a_forgotten_password_is_reset_by_mail_in_the_readers_language(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    async with post_office(database, serving) as (server, api, worker):
        lando, nobody = await api.person("Lando"), await api.person()
        await confirmed(lando, worker, server, ADDRESS)
        await put(nobody, "not-confirmed@bespin.example")
        await worker.work(SEND)
        server.got.clear()

        # Everybody gets the same answer. Only a confirmed address gets a mail.
        for account in ("unknown", "unknown@bespin.example", nobody.login):
            await ask(api, account)
        await ask(api, "not-confirmed@bespin.example")
        await worker.work(SEND)
        assert server.got == []

        await ask(api, ADDRESS.lower(), **{"Accept-Language": "de-AT, en;q=0.5"})
        await worker.work(SEND)
        [mail] = server.got
        assert mail.recipient == ADDRESS
        assert mail.message["subject"] == f"Ein neues Passwort für {lando.login}"
        asked = {"code": mail.code, "password": "another horse"}
        reset = await api.http.post("/v1/password-resets", json=asked)
        assert reset.json() == {"login": lando.login, "email": ADDRESS}
        assert (await lando.get("/v1/me")).status_code == 401
        assert (await api.http.post("/v1/password-resets", json=asked)).status_code == 404

        # By login too, and at most three mails an hour for one account.
        server.got.clear()
        for _ in range(4):
            await ask(api, lando.login)
        await worker.work(SEND)
        assert len(server.got) == 2


async def test_a_mailed_code_does_not_end_one_that_a_person_handed_out(
    database: TestDatabase, serving: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """Anybody may request a mailed code. A newer code of the same origin ends the older one."""
    async with (
        mail_server() as server,
        serving(**mailing(server)) as api,
        working(database, **mailing(server)) as worker,
    ):
        lando = await api.person("Lando")
        await confirmed(lando, worker, server, ADDRESS)
        codes = []
        for _ in range(2):
            assert await offer_reset(database.settings("holotable_api"), lando.login) == 0
            codes.append(capsys.readouterr().out.strip())
        await ask(api, lando.login)
        await worker.work(SEND)
        [mail] = server.got
        for code, status in ((codes[0], 404), (codes[1], 200), (mail.code, 404)):
            asked = {"code": code, "password": "another horse"}
            reset = await api.http.post("/v1/password-resets", json=asked)
            assert reset.status_code == status, reset.text


async def test_a_former_address_is_told_and_a_new_password_shows_the_one_that_stays(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    """A thief who knew the password may have entered an address that resets the next one."""
    async with (
        mail_server() as server,
        serving(**mailing(server)) as api,
        working(database, **mailing(server)) as worker,
    ):
        lando = await api.person("Lando")
        for email in (ADDRESS, ADDRESS, "thief@jabba.example"):
            await confirmed(lando, worker, server, email)
        assert "espin" not in str(rows(database, "SELECT * FROM notice"))
        await worker.work(SEND)
        [told] = server.got
        assert told.recipient == ADDRESS
        assert told.message["subject"] == f"This address no longer belongs to {lando.login}"
        assert "jabba" not in told.text
        assert rows(database, "SELECT DISTINCT state, recipient FROM notice") == [("sent", None)]

        change = {"password": PASSWORD, "new_password": "another horse"}
        answer = await lando.http.put("/v1/me/password", json=change, headers=lando.headers)
        assert answer.json()["email"] == "thief@jabba.example"
        change = {"password": "another horse", "new_password": PASSWORD, "remove_email": True}
        answer = await lando.http.put("/v1/me/password", json=change, headers=lando.headers)
        assert answer.json()["email"] is None
        server.got.clear()
        await worker.work(SEND)
        assert [each.recipient for each in server.got] == ["thief@jabba.example"]
        await ask(api, "thief@jabba.example")
        await worker.work(SEND)
        assert len(server.got) == 1


async def test_requests_for_mail_are_limited_by_address_and_by_account(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    async with (
        mail_server() as server,
        serving(**mailing(server), address_mails=7, account_mails=2) as api,
    ):
        path, found = "/v1/password-resets/request", []
        for account in ["a", "a", "A", "b", "c", "d", "e", "f"]:
            found.append(await api.http.post(path, json={"account": account}))
        assert [each.status_code for each in found] == [202, 202, 429, 202, 202, 202, 202, 429]
        limits = [each.json().get("limit") for each in found if each.status_code == 429]
        assert limits == ["mails_to", "mails"]


async def test_without_a_mail_server_nobody_is_promised_a_mail(
    serving: Callable[..., Any],
) -> None:
    async with serving() as api:
        person = await api.person()
        answers = [
            await put(person, ADDRESS),
            await api.http.post("/v1/password-resets/request", json={"account": "a"}),
        ]
        assert [each.status_code for each in answers] == [409, 409]
        assert {each.json()["code"] for each in answers} == {"mail_unavailable"}
        assert (await put(person, None)).status_code == 200


async def test_a_mail_that_was_not_taken_is_sent_again_and_one_handed_over_never(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    async with post_office(database, serving) as (server, api, worker):
        await put(await api.person(), ADDRESS)
        server.answers["greeting"] = ["421 closed"]
        server.answers["RCPT"] = ["451 later"]
        for _ in range(3):  # no conversation, no for now, taken
            await worker.work(SEND)
            due_now(database)
        assert len(server.got) == 1
        assert rows(database, "SELECT state, attempts FROM notice") == [("sent", 2)]

        await put(await api.person(), ADDRESS)
        server.answers["RCPT"] = ["550 nobody"]
        await worker.work(SEND)
        due_now(database)
        await worker.work(SEND)
        [(error,)] = rows(database, "SELECT error FROM notice WHERE state = 'failed'")
        assert error == "the mail server answered 550"
        assert len(server.got) == 1


async def test_a_recipient_at_whom_the_server_hangs_up_holds_back_no_other(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    async with post_office(database, serving) as (server, api, worker):
        await put(await api.person(), "hangs@falcon.example")
        await put(await api.person(), ADDRESS)
        server.answers["RCPT"] = [HANGS_UP]

        await worker.work(SEND)

        assert [each.recipient for each in server.got] == [ADDRESS]
        states = rows(database, "SELECT state, attempts FROM notice ORDER BY state")
        assert states == [("sent", 1), ("waiting", 1)]


async def test_a_server_that_hangs_up_at_every_recipient_costs_one_mail_an_attempt(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    async with post_office(database, serving) as (server, api, worker):
        for number in range(3):
            await put(await api.person(), f"{number}@falcon.example")
        server.answers["RCPT"] = [HANGS_UP] * 6

        await worker.work(SEND)

        assert rows(database, "SELECT attempts FROM notice ORDER BY 1") == [(0,), (0,), (1,)]


@pytest.mark.parametrize(("stalls", "mails"), [("RCPT", 1), ("content", 1)])
async def test_a_killed_worker_doubles_no_mail_and_loses_none_that_was_not_handed_over(
    database: TestDatabase, serving: Callable[..., Any], stalls: str, mails: int
) -> None:
    async with post_office(database, serving) as (server, api, worker):
        await put(await api.person(), ADDRESS)
        server.answers[stalls] = [""]
        settings = database.settings("holotable_worker", **mailing(server))
        killed = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.support.sending", env=os.environ | environment(settings)
        )
        async with asyncio.timeout(30):
            await server.stalled.wait()
        killed.send_signal(signal.SIGKILL)
        await killed.wait()
        assert len(server.got) == (stalls == "content")

        await worker.work(SEND)
        due_now(database)
        await worker.work(SEND)
        assert len(server.got) == mails
        told = {"RCPT": "sent", "content": "begun"}
        assert rows(database, "SELECT state FROM notice") == [(told[stalls],)]


async def test_the_doctor_asks_the_mail_server(
    database: TestDatabase, capsys: pytest.CaptureFixture[str]
) -> None:
    async with mail_server() as server:
        settings = database.settings("holotable_worker", **mailing(server))
        await examine(environment(settings))
        server.answers["greeting"] = ["421 closed"]
        assert await examine(environment(settings)) == 1
        assert server.got == []
    said = capsys.readouterr().out
    assert "mail: the mail server answers" in said
    assert "mail: the conversation with the mail server failed: SMTPConnectError" in said


async def test_an_erased_person_gets_nothing_that_still_waits(
    database: TestDatabase, serving: Callable[..., Any]
) -> None:
    async with post_office(database, serving) as (server, api, worker):
        lando = await api.person("Lando")
        await confirmed(lando, worker, server, ADDRESS)
        await ask(api, lando.login)
        await put(lando, "second@bespin.example")
        asked = {"player": lando.player, "password": PASSWORD}
        erased = await lando.http.request("DELETE", "/v1/me", json=asked, headers=lando.headers)
        assert erased.status_code == 200, erased.text
        await worker.work(SEND)
        assert server.got == []
        assert rows(database, "SELECT account FROM account_email") == []
