"""Forms: their senders, a second sending, and refusals."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.service.api.conftest import Person
from tests.service.console.conftest import Browser, Console

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


async def evening(console: Console, **terms: Any) -> tuple[Person, str, str]:
    """Announce an evening. Return the owner, the league and the tournament."""
    owner, league = await console.api.league()
    asked = {"name": "Thursday", "ruleset": "better"} | terms
    made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
    assert made.status_code == 201, made.text
    return owner, league, made.json()["id"]


async def entrants(owner: Person, tournament: str) -> int:
    return len((await owner.get(f"/v1/tournaments/{tournament}")).json()["entrants"])


async def poster(console: Console, owner: Person, tournament: str) -> tuple[Browser, str]:
    """Open the poster. Return the browser, and the action of the form that enters."""
    browser = await console.signed_in(owner.login)
    await browser.get(f"/tournaments/{tournament}")
    return browser, f"/tournaments/{tournament}/enter"


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost:8000"},
        {"Sec-Fetch-Site": "same-site", "Origin": "http://localhost:8000"},
        {"Sec-Fetch-Site": "none", "Origin": "http://localhost:8000"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
        {"Sec-Fetch-Site": "", "Origin": "http://localhost:8001"},
        {"Sec-Fetch-Site": "", "Origin": ""},
    ],
)
async def test_a_form_of_another_site_does_nothing(
    serving: Serving, headers: dict[str, str]
) -> None:
    async with serving() as console:
        owner, _, tournament = await evening(console)
        browser, action = await poster(console, owner, tournament)
        fields = browser.hidden(action)

        given = {name: value for name, value in headers.items() if value}
        answer = await browser.http.post(action, data=fields, headers=given)

        assert answer.status_code == 403
        assert "did not come from this site" in answer.text
        assert await entrants(owner, tournament) == 0


async def test_a_form_without_the_token_of_its_session_does_nothing(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament = await evening(console)
        browser, action = await poster(console, owner, tournament)
        other = await console.signed_in((await console.api.person()).login)
        await other.get("/account")
        stolen = other.hidden("/sign-out")["csrf"]

        for token in ("", "00" * 32, "no hexadecimal", stolen):
            answer = await browser.post(action, browser.hidden(action) | {"csrf": token})
            assert answer.status_code == 400
            assert "out of date" in answer.text
        assert await entrants(owner, tournament) == 0


async def test_the_tokens_of_two_pages_differ_and_both_hold(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament = await evening(console)
        browser, action = await poster(console, owner, tournament)
        first = browser.hidden(action)
        await browser.get(f"/tournaments/{tournament}")
        second = browser.hidden(action)

        assert first["csrf"] != second["csrf"]
        assert first["key"] != second["key"]
        assert (await browser.post(action, first)).status_code == 303


async def test_a_form_sent_twice_is_carried_out_once(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament = await evening(console)
        browser, action = await poster(console, owner, tournament)
        fields = browser.hidden(action)

        first, second = await browser.post(action, fields), await browser.post(action, fields)

        assert (first.status_code, second.status_code) == (303, 303)
        assert await entrants(owner, tournament) == 1


async def test_somebody_who_was_faster_is_told_of(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament = await evening(console)
        browser, action = await poster(console, owner, tournament)
        old = (await owner.get(f"/v1/tournaments/{tournament}")).headers["etag"]
        await owner.post(f"/v1/tournaments/{tournament}/registrations")
        await owner.post(f"/v1/tournaments/{tournament}/withdrawals")

        answer = await browser.post(action, browser.hidden(action) | {"if_match": old})

        assert answer.status_code == 412
        assert "Somebody else was faster." in answer.text
        assert await entrants(owner, tournament) == 0


async def test_a_refusal_shows_what_was_typed_and_each_error_at_its_field(
    serving: Serving,
) -> None:
    async with serving() as console:
        browser = console.browser()
        await browser.get("/sign-up")

        page = await browser.submit(
            "/sign-up", name='Mara <b>"x"</b>', login="no spaces allowed", password="short"
        )

        assert page.status_code == 400
        assert 'value="Mara &lt;b&gt;&#34;x&#34;&lt;/b&gt;"' in page.text
        assert 'id="login-error"' in page.text
        assert "Some of these characters are not allowed here." in page.text
        assert "Use at least 8 characters." in page.text
        assert "short" not in page.text
        assert '<a href="#login">' in page.text


async def test_a_refusal_of_the_rules_is_told_in_words(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament = await evening(console)
        browser, action = await poster(console, owner, tournament)
        fields = browser.hidden(action)
        await owner.post(f"/v1/tournaments/{tournament}/cancel")

        answer = await browser.post(action, fields)

        assert answer.status_code == 409
        assert 'role="alert"' in answer.text
        assert "Cancelled" in answer.text


async def test_a_step_that_is_not_small_shows_its_dry_run_first(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament = await evening(console)
        browser, _ = await poster(console, owner, tournament)
        action = f"/tournaments/{tournament}/cancel"

        asked = await browser.submit(action, reason="Rain & <wind>")
        assert asked.status_code == 200
        assert "Cancel this evening?" in asked.text
        assert "Open for entries" in asked.text
        assert 'name="reason" value="Rain &amp; &lt;wind&gt;"' in asked.text
        state = (await owner.get(f"/v1/tournaments/{tournament}")).json()["state"]
        assert state == "registering"

        done = await browser.submit(action)
        assert "The evening is cancelled." in done.text
        state = (await owner.get(f"/v1/tournaments/{tournament}")).json()["state"]
        assert state == "cancelled"


async def test_a_dry_run_is_shown_again_if_its_effect_has_changed(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament = await evening(console)
        browser, _ = await poster(console, owner, tournament)
        action = f"/tournaments/{tournament}/cancel"
        await browser.submit(action, reason="Rain")
        seen = browser.hidden(action)

        changed = await browser.post(action, seen | {"digest": "0" * 64})

        assert changed.status_code == 200
        assert "Something has changed since you looked." in changed.text
        state = (await owner.get(f"/v1/tournaments/{tournament}")).json()["state"]
        assert state == "registering"


async def test_names_are_escaped_wherever_they_stand(serving: Serving) -> None:
    async with serving() as console:
        evil = "<script>alert(1)</script>"
        owner, league, tournament = await evening(console, name=evil)
        await owner.post(f"/v1/tournaments/{tournament}/registrations")
        browser = await console.signed_in(owner.login)
        for path in ("/", f"/leagues/{league}", f"/tournaments/{tournament}"):
            page = await browser.get(path)
            assert evil not in page.text
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page.text


async def test_a_step_that_is_confirmed_twice_is_carried_out_once(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament, *_ = await console.api.playing(4, decision_seconds=3600)
        browser = await console.signed_in(owner.login)
        path = f"/tournaments/{tournament}/floor"
        await browser.get(path)
        asked = await browser.post(
            f"{path}/penalty", browser.hidden(f"{path}/warn") | {"hands": "2"}
        )
        browser.page = asked
        fields = browser.hidden(f"{path}/penalty")

        answers = [await browser.post(f"{path}/penalty", fields) for _ in range(2)]

        assert [each.status_code for each in answers] == [303, 303], answers[1].text
        tables = (await owner.get(f"/v1/tournaments/{tournament}/floor")).json()["floor"]["tables"]
        owed = [seat["penalty"] for each in tables for seat in each["seats"] if seat["penalty"]]
        assert owed == [2]


async def test_the_colours_of_a_page_that_answers_a_form_lead_back_to_it(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament = await evening(console)
        browser = await console.signed_in(owner.login)
        await browser.get("/account")
        csrf = browser.hidden("/sign-out")["csrf"]
        fields = {"csrf": csrf, "key": "k", "amount": "much", "kind": "buy_in", "entrant": "x"}
        path = f"/tournaments/{tournament}/money"

        browser.page = await browser.post(f"{path}/payment", fields)

        assert browser.page.status_code == 400
        assert f'data-here="{path}"' in browser.page.text
        page = await browser.submit("/scheme", scheme="dark")
        assert (page.status_code, page.url.path) == (200, path)
        await browser.get(f"{path}?only=owed&x=%22")
        page = await browser.submit("/scheme", scheme="light")
        assert str(page.url).endswith(f"{path}?only=owed&x=%22")


async def test_the_page_of_a_refusal_says_the_reason(serving: Serving) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        player = await console.signed_in((await console.api.join(owner, league)).login)
        page = await player.get(f"/leagues/{league}/staff-log")
        assert page.status_code == 403
        assert "Your role in this league does not allow this." in page.text
        made = await owner.post(
            f"/v1/leagues/{league}/tournaments", {"name": "Night", "ruleset": "better"}
        )
        path = f"/tournaments/{made.json()['id']}/hands?cursor=nonsense"
        page = await player.get(path)
        assert page.status_code == 400
        assert '<p class="quiet">' in page.text
        # The API gives its reason in English, so pages in other languages leave it out.
        page = await player.get(path, headers={"Accept-Language": "de"})
        assert page.status_code == 400
        assert '<p class="quiet">' not in page.text
