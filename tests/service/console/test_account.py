"""The account: address, a forgotten password, notices, browsers, sign-ins and tokens."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from service.notices.push import public_key
from tests.service.console.conftest import Browser
from tests.support.databases import TestDatabase
from tests.support.mailboxes import mail_server
from tests.support.receivers import working
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]
PASSWORD = "correct horse"
MAIL = {"smtp_url": "smtp://127.0.0.1:1", "mail_from": "house@example.org"}
PUSH_KEY = "jzYiCScEm3OvGb0bHGAt2Tfa-bQxSAoh7pm7uQBVnyo"
PUSH = {"push_key": PUSH_KEY, "push_contact": "mailto:house@example.org"}


async def test_an_address_is_added_and_removed_with_the_password(serving: Serving) -> None:
    async with serving(**MAIL) as console:
        person = await console.api.person()
        browser = await console.signed_in(person.login)
        await browser.get("/account/email")
        wrong = await browser.submit("/account/email", email="mara@example.org", password="no")
        assert wrong.status_code in (400, 401)
        assert 'value="mara@example.org"' in wrong.text

        added = await browser.submit("/account/email", email="mara@example.org", password=PASSWORD)
        assert "A code was mailed to mara@example.org." in added.text
        refused = await browser.submit("/account/email/confirm", code="no code")
        assert refused.status_code == 400
        assert "This code is not valid" in refused.text

        await browser.get("/account/email")
        gone = await browser.submit("/account/email", email="", password=PASSWORD, remove="yes")
        assert "The address is removed." in gone.text
        assert "mara@example.org" not in gone.text


@pytest.mark.parametrize(
    ("language", "asked", "or_type"),
    [
        ("en", "and press “Confirm the address”", "Or enter this code"),
        ("de", "und drücke „Adresse bestätigen“", "Oder gib in deinem Konto"),
    ],
)
async def test_an_address_is_confirmed_by_one_press_behind_the_link_in_its_mail(
    serving: Serving, database: TestDatabase, language: str, asked: str, or_type: str
) -> None:
    spoken = {"Accept-Language": language}
    async with mail_server() as server:
        told = MAIL | {"smtp_url": server.url, "public_url": "https://league.example"}
        async with serving(**told) as console, working(database, **told) as worker:
            person = await console.api.person()
            wanted = {"email": "mara@example.org", "password": PASSWORD}
            await console.api.http.put("/v1/me/email", json=wanted, headers=person.headers | spoken)

            async def arrived() -> bool:
                await worker.work("notice.send")
                return bool(server.got)

            await until_awaited(arrived)
            mail = server.got.pop()
            assert asked in mail.text and or_type in mail.text
            [path] = re.findall(rf"https://league\.example(/\S+/{mail.code})\s", mail.text)

            assert (await console.browser().get(path)).url.path == "/sign-in"
            stranger = await console.signed_in((await console.api.person()).login)
            assert "No address of the account" in (await stranger.get(path)).text
            browser = await console.signed_in(person.login)
            page = await browser.get(path)
            assert "mara@example.org" in page.text
            assert f"the account {person.login}." in page.text
            assert (await person.get("/v1/me/email")).json()["email"] is None

            elsewhere = await console.signed_in(person.login)
            await elsewhere.get(path)
            page = await browser.submit(path, zone="Europe/Berlin")
            assert "The address is confirmed." in page.text
            assert (await person.get("/v1/me/notifications")).json()["zone"] == "Europe/Berlin"
            assert (await person.get("/v1/me/email")).json()["email"] == "mara@example.org"
            page = await elsewhere.submit(path, zone="Europe/Berlin")
            assert "The address is confirmed." in page.text, "pressed a second time"


async def test_a_mailed_code_may_be_typed_with_spaces(
    serving: Serving, database: TestDatabase
) -> None:
    async with mail_server() as server:
        told = MAIL | {"smtp_url": server.url}
        async with serving(**told) as console, working(database, **told) as worker:
            person = await console.api.person()
            browser = await console.signed_in(person.login)
            await browser.get("/account/email")
            await browser.submit("/account/email", email="mara@example.org", password=PASSWORD)

            async def arrived() -> bool:
                await worker.work("notice.send")
                return bool(server.got)

            await until_awaited(arrived)
            mail = server.got.pop()
            assert "http" not in mail.text
            spaced = f" {mail.code[:4]} {mail.code[4:]} "
            page = await browser.submit("/account/email/confirm", code=spaced)
            assert "The address is confirmed." in page.text


async def test_a_forgotten_password_is_replaced_with_a_code(serving: Serving) -> None:
    async with serving(**MAIL) as console:
        browser = console.browser()
        await browser.get("/forgotten")
        asked = await browser.submit("/forgotten", account="nobody")
        assert "a mail from house@example.org is coming" in asked.text
        refused = await browser.submit(
            "/forgotten/code", code="no code", password="never shown again"
        )
        assert refused.status_code == 400
        assert "This code is not valid" in refused.text
        assert "never shown again" not in refused.text


async def test_mail_is_turned_off_at_once_and_is_no_choice_in_a_house_without_it(
    serving: Serving,
) -> None:
    chosen = {"zone": "Europe/Berlin", "language": "en"}
    async with serving() as console:
        person = await console.api.person()
        browser = await console.signed_in(person.login)
        page = await browser.get("/account/notices")
        assert "This server sends no mail." in page.text
        assert "This server sends no messages to browsers." in page.text
        assert 'type="checkbox"' not in page.text
        await browser.submit("/account/notices", **chosen)
        kinds = (await person.get("/v1/me/notifications")).json()["kinds"].values()
        assert all(each["mail"] and each["push"] for each in kinds)
    async with serving(**MAIL) as console:
        browser = await console.signed_in(person.login)
        page = await browser.get("/account/notices")
        assert 'type="checkbox" name="mail[]"' in page.text
        assert 'type="checkbox" name="push[]"' not in page.text
    async with serving(**MAIL, **PUSH) as console:
        browser = await console.signed_in(person.login)
        await browser.get("/account/notices")
        ticked = {"mail[]": ["result"], "push[]": ["result"], "no_mail": "true"}
        page = await browser.submit("/account/notices", **chosen, **ticked)
        assert "Your choices are saved." in page.text
        assert page.text.count(" checked") == 1


async def test_notices_are_chosen_by_kind_and_channel_with_quiet_hours(serving: Serving) -> None:
    async with serving(**MAIL, **PUSH) as console:
        person = await console.api.person()
        browser = await console.signed_in(person.login)
        page = await browser.get("/account/notices")
        assert page.text.count(" checked") == 16
        kept = await browser.submit(
            "/account/notices",
            **{
                "mail[]": ["your_turn"], "push[]": ["your_turn", "result"], "zone": "Europe/Berlin",
                "quiet_hours.begin": "22:00", "quiet_hours.end": "07:30", "language": "de",
            },
        )  # fmt: skip
        assert "Your choices are saved." in kept.text
        chosen = (await person.get("/v1/me/notifications")).json()
        assert chosen["quiet_hours"] == {"begin": "22:00", "end": "07:30"}
        assert chosen["kinds"]["result"] == {"mail": False, "push": True}
        assert chosen["kinds"]["dispute"] == {"mail": False, "push": False}
        wrong = await browser.submit("/account/notices", zone="Middle/Earth", language="de")
        assert wrong.status_code == 400
        assert 'id="zone-error"' in wrong.text


async def test_a_browser_is_added_by_its_own_keys_and_removed(serving: Serving) -> None:
    async with serving(push_key=PUSH_KEY, push_contact="mailto:house@example.org") as console:
        person = await console.api.person()
        browser = await console.signed_in(person.login)
        await browser.get("/account/notices")
        action = "/account/notices/browsers"
        refused = await browser.submit(action, endpoint="http://127.0.0.1/x")
        assert refused.status_code == 400
        taken = {
            "endpoint": "https://push.example.org/x", "keys.p256dh": public_key(PUSH_KEY),
            "keys.auth": "c2l4dGVlbiBieXRlcyEhIQ",
        }  # fmt: skip
        fields = browser.hidden(action) | taken
        assert (await browser.post(action, fields)).status_code == 303
        page = await browser.get("/account/notices")
        assert "push.example.org" in page.text
        (held,) = (await person.get("/v1/me/notifications")).json()["browsers"]
        stopped = await browser.submit(f"{action}/{held['id']}/remove")
        assert "push.example.org" not in stopped.text
        worker = await browser.http.get("/service-worker.js")
        assert worker.headers["content-type"].startswith("text/javascript")
        assert "showNotification" in worker.text


async def test_a_token_for_a_program_is_shown_once(serving: Serving) -> None:
    async with serving() as console:
        person = await console.api.person()
        browser: Browser = await console.signed_in(person.login)
        await browser.get("/account/tokens")
        made = await browser.submit(
            "/account/tokens", name="<b>Scorer</b>", expires_in_days="30", password=PASSWORD,
            **{"scopes[]": ["leagues:read"]},
        )  # fmt: skip
        assert made.status_code == 200, made.text
        secret = made.text.partition("data-secret>")[2].partition("<")[0]
        assert secret.startswith("holo_pat_")
        page = await browser.get("/account")
        assert secret not in page.text
        assert "&lt;b&gt;Scorer&lt;/b&gt;" in page.text
        assert "Signed in with the password" in page.text
