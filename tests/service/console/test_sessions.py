"""Sessions: where they begin, what ends them, and over which connections they travel."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from service.process.people import organiser, sign_in_code
from tests.service.api.conftest import PASSWORD
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


async def test_a_session_is_a_token_whose_end_ends_it(serving: Serving) -> None:
    async with serving() as console:
        person = await console.api.person("Mara")
        browser = await console.signed_in(person.login)
        listed = (await person.get("/v1/tokens")).json()["items"]
        session = next(each["id"] for each in listed if each["name"] == "console")

        await console.api.http.delete(f"/v1/tokens/{session}", headers=person.headers)

        assert (await browser.get("/account")).url.path == "/sign-in"
        assert "Mara" not in (await browser.get("/")).text


async def test_the_account_names_browsers_by_their_device_and_programs_by_their_name(
    serving: Serving,
) -> None:
    phone = "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0"
    async with serving() as console:
        person = await console.api.person("Mara")
        await person.post("/v1/tokens", {"name": "<b>bot</b>"})
        browser = console.browser()
        browser.http.headers["User-Agent"] = phone
        assert (await browser.sign_in(person.login)).status_code == 200
        page = await browser.get("/account")

    named = re.findall(r'class="line-name">([^<]*)<', page.text.split('id="sessions"')[1])
    assert "Firefox, Android" in named
    assert "&lt;b&gt;bot&lt;/b&gt;" in named
    assert not {"console", "token"} & set(named)


@pytest.mark.parametrize("way", ["account", "invitation", "claim"])
async def test_a_newcomer_is_signed_in_once(serving: Serving, way: str) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        path = "/sign-up"
        if way == "invitation":
            made = await owner.post(f"/v1/leagues/{league}/invitations", {"uses": 1})
            path = f"/join/{made.json()['code']}"
        elif way == "claim":
            made = await owner.post(f"/v1/leagues/{league}/players", {"name": "Han Solo"})
            path = f"/join/{made.json()['claim']}"
        browser = console.browser()
        await browser.get(path)
        sent = path if way == "account" else f"{path}/new"
        await browser.submit(sent, login="han", password=PASSWORD)
        page = await browser.get("/account")

    listed = page.text.split('id="sessions"')[1].split('id="sign-ins"')[0]
    assert re.findall(r'class="line-name">([^<]*)<', listed) == ["Browser"]


async def test_signing_out_revokes_the_token_in_the_cookie(serving: Serving) -> None:
    async with serving() as console:
        person = await console.api.person("Mara")
        browser = await console.signed_in(person.login)
        cookie = browser.http.cookies["holotable-plain"]
        await browser.get("/account")
        await browser.submit("/sign-out")
        assert "holotable-plain" not in browser.http.cookies

        thief = console.browser()
        thief.http.cookies.set("holotable-plain", cookie)

        assert (await thief.get("/account")).url.path == "/sign-in"


async def test_the_api_reads_no_cookie(serving: Serving) -> None:
    async with serving() as console:
        person = await console.api.person()
        browser = await console.signed_in(person.login)

        assert (await browser.http.get("/v1/me")).status_code == 401


async def test_a_wrong_password_signs_nobody_in(serving: Serving) -> None:
    async with serving() as console:
        person = await console.api.person()
        browser = console.browser()

        page = await browser.sign_in(person.login, "wrong horse")

        assert page.status_code == 401
        assert "The login or the password is wrong." in page.text
        assert f'value="{person.login}"' in page.text
        assert not browser.http.cookies


@pytest.mark.parametrize("then", ["//evil.example/", "https://evil.example/", "/\\evil.example"])
async def test_a_sign_in_leads_nowhere_else(serving: Serving, then: str) -> None:
    async with serving() as console:
        person = await console.api.person()
        browser = console.browser()
        await browser.get("/sign-in", params={"then": then})

        answer = await browser.sent("/sign-in", login=person.login, password=PASSWORD)

        assert answer.headers["location"] == "/"


async def test_a_sign_in_leads_back_to_the_page_that_was_asked_for(serving: Serving) -> None:
    async with serving() as console:
        person = await console.api.person()
        browser = console.browser()
        page = await browser.get("/account")
        assert page.url.path == "/sign-in"

        fields = {"login": person.login, "password": PASSWORD}
        page = await browser.submit("/sign-in?then=/account", **fields)

        assert page.url.path == "/account"


async def test_over_tls_the_cookie_belongs_to_this_host_alone(serving: Serving) -> None:
    async with serving() as console:
        person = await console.api.person()
        browser = console.browser("https://league.example", "192.0.2.7")
        await browser.get("/sign-in")

        answer = await browser.sent("/sign-in", login=person.login, password=PASSWORD)

        cookie = answer.headers["set-cookie"]
        assert cookie.startswith("__Host-holotable=tok_")
        for each in ("; Path=/", "; HttpOnly", "; Secure", "; SameSite=Lax"):
            assert each in cookie
        assert "Domain" not in cookie


async def test_over_plain_http_nobody_signs_in_from_elsewhere(serving: Serving) -> None:
    async with serving() as console:
        person = await console.api.person()
        for host, address in (
            ("http://league.example", "192.0.2.7"),
            ("http://league.example", "127.0.0.1"),  # through a proxy that nobody named
            ("http://localhost:8000", "192.0.2.7"),
        ):
            browser = console.browser(host, address)
            page = await browser.get("/sign-in")
            assert "This connection is not encrypted" in page.text
            fields = {"login": person.login, "password": PASSWORD}
            answer = await browser.post("/sign-in", fields)
            assert answer.status_code in (400, 403)
            assert "set-cookie" not in answer.headers


async def test_a_room_without_tls_is_a_setting_and_every_page_says_so(serving: Serving) -> None:
    async with serving(plain_http=True) as console:
        person = await console.api.person()
        browser = console.browser("http://192.0.2.1:8000", "192.0.2.7")

        page = await browser.sign_in(person.login)

        assert page.url.path == "/"
        assert "plain HTTP" in page.text


async def test_a_proxy_with_a_name_says_that_the_line_is_encrypted(serving: Serving) -> None:
    async with serving(trusted_proxies="10.0.0.0/8") as console:
        person = await console.api.person()
        for address, proto, signs_in in (
            ("10.0.0.1", "https", True),
            ("10.0.0.1", "http", False),
            ("192.0.2.7", "https", False),
        ):
            browser = console.browser("http://league.example", address)
            browser.http.headers["X-Forwarded-Proto"] = proto
            page = await browser.get("/sign-in")
            assert ("This connection is not encrypted" not in page.text) == signs_in
            if signs_in:
                answer = await browser.sent("/sign-in", login=person.login, password=PASSWORD)
                assert answer.headers["set-cookie"].startswith("__Host-holotable=")


async def test_a_sign_in_link_works_once_and_only_when_it_is_pressed(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        person = await console.api.person("Mara")
        code = await sign_in_code(database.settings("holotable_api"), person.login)
        first, second = console.browser(), console.browser()
        for browser in (first, second):
            assert (await browser.get(f"/sign-in/{code}")).status_code == 200

        page = await first.submit(f"/sign-in/{code}")
        assert "Hello, Mara" in page.text

        page = await second.submit(f"/sign-in/{code}")
        assert page.status_code == 401
        assert "This link was used already" in page.text
        assert not second.http.cookies

        await first.get(f"/sign-in/{code}")
        page = await first.submit(f"/sign-in/{code}")
        assert page.status_code == 401
        assert (await first.get("/account")).url.path == "/account", "still signed in"


async def test_another_session_ends_on_the_account_page(serving: Serving) -> None:
    async with serving() as console:
        person = await console.api.person("Mara")
        phone, desk = [await console.signed_in(person.login) for _ in range(2)]
        other = phone.http.cookies["holotable-plain"].partition(".")[0]

        await desk.get("/account")
        page = await desk.submit(f"/account/sessions/{other}/end")

        assert "That sign-in has ended." in page.text
        assert (await phone.get("/account")).url.path == "/sign-in"
        assert (await desk.get("/account")).url.path == "/account"


async def test_a_new_password_ends_every_other_session(serving: Serving) -> None:
    async with serving() as console:
        person = await console.api.person("Mara")
        phone, desk = [await console.signed_in(person.login) for _ in range(2)]

        await desk.get("/account")
        fields = {"password": PASSWORD, "new_password": "another horse"}
        page = await desk.submit("/account/password", **fields)

        assert "Your password is changed." in page.text
        assert (await phone.get("/account")).url.path == "/sign-in"
        assert (await desk.get("/account")).url.path == "/account"


async def test_malformed_cookies_of_others_do_not_sign_out(serving: Serving) -> None:
    async with serving() as console:
        browser = await console.signed_in((await console.api.person()).login)
        own = f"holotable-plain={browser.http.cookies['holotable-plain']}"
        browser.http.cookies.clear()
        for given in (f"bad[name]=1; {own}", f'{own}; "', f"=; a b; {own}", f'x={{"a":1}}; {own}'):
            page = await browser.http.get("/account", headers={"Cookie": given})
            assert page.status_code == 200, given


async def test_pages_count_for_the_limits_and_once_only(serving: Serving) -> None:
    async with serving(open_requests=1, token_requests=1) as console:
        stranger = console.browser(address="127.0.0.2")
        busy = await console.signed_in((await console.api.person()).login)
        codes = [(await stranger.http.get("/sign-in")).status_code for _ in range(11)]
        assert codes == [200] * 10 + [429]
        refused = await stranger.get("/nothing/here", headers={"Accept": "text/html"})
        assert "That was too much at once. Try again in" in refused.text
        assert (await stranger.http.get("/favicon.ico")).status_code == 200

        # The page and the one call that it makes are one request.
        codes = [(await busy.http.get("/sign-in")).status_code for _ in range(12)]
        assert codes.count(303) >= 8 and codes[-1] == 429


async def test_an_account_without_a_password_is_urged_to_set_one_until_it_has(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        settings = database.settings("holotable_api")
        program = await organiser(settings, "lando", "Lando")
        code = await sign_in_code(settings, "lando")
        browser = console.browser()
        await browser.get(f"/sign-in/{code}")
        page = await browser.submit(f"/sign-in/{code}")
        assert "This account has no password yet." in page.text

        wanted = {"new_password": PASSWORD}
        for_program = {"Authorization": f"Bearer {program}"}
        refused = await console.api.http.put("/v1/me/password", json=wanted, headers=for_program)
        assert (refused.status_code, refused.json()["code"]) == (401, "wrong_password")

        page = await browser.get("/account")
        assert 'name="password"' not in page.text
        page = await browser.submit("/account/password", new_password=PASSWORD)
        assert "Your password is set." in page.text
        assert 'name="password"' in page.text
        assert "This account has no password yet." not in (await browser.get("/")).text

        await console.signed_in("lando")
        # The next password needs this one, and the program's token lives on.
        page = await browser.get("/account")
        page = await browser.submit("/account/password", new_password="another horse")
        assert page.status_code == 401
        me = await console.api.http.get("/v1/me", headers=for_program)
        assert me.status_code == 200
        assert (await console.browser().sign_in("lando")).status_code == 200


async def test_a_token_made_with_a_token_sets_no_first_password(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        settings = database.settings("holotable_api")
        await organiser(settings, "lando", "Lando")
        secret = (await sign_in_code(settings, "lando")).partition(".")[2]
        http, root = console.api.http, {"Authorization": f"Bearer {secret}"}
        asked = {"name": "program", "scopes": ["tokens:manage"]}
        child = (await http.post("/v1/tokens", json=asked, headers=root)).json()["token"]
        headers = {"Authorization": f"Bearer {child}"}
        wanted = {"new_password": PASSWORD}
        refused = await http.put("/v1/me/password", json=wanted, headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (401, "wrong_password")
        done = await http.put("/v1/me/password", json=wanted, headers=root)
        assert done.status_code == 200, done.text
