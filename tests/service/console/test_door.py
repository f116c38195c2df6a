"""The door: check in and undo, money, search, walk-ins, the waitlist, and who may use it."""

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import segno

from tests.service.api.conftest import PASSWORD
from tests.service.console.conftest import Browser, Console

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


async def opened(
    console: Console, *, visibility: str = "members", **terms: Any
) -> tuple[Any, str, str]:
    """Announce an evening with check-in and a price. Return owner, league and tournament."""
    owner, league = await console.api.league(visibility)
    asked = {
        "name": "Thursday", "ruleset": "better", "currency": "EUR",
        "starts_at": (datetime.now(UTC) + timedelta(hours=1)).isoformat(),
        "fees": {"buy_in": 1000, "fee": 200, "payment": "recorded"},
        "entry": {"check_in_opens_before_seconds": 7200, "waitlist": True},
    } | terms  # fmt: skip
    made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
    assert made.status_code == 201, made.text
    return owner, league, made.json()["id"]


async def entry(owner: Any, tournament: str, number: int = 0) -> dict[str, Any]:
    shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()
    found: dict[str, Any] = shown["entrants"][number]
    return found


async def test_one_tap_checks_in_another_undoes_it_and_one_takes_the_money(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console)
        person = await console.api.join(owner, league)
        await person.post(f"/v1/tournaments/{tournament}/registrations")
        entrant = (await entry(owner, tournament))["id"]
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"

        page = await browser.get(door)
        assert "€12.00 due" in page.text.replace("\xa0", " ").replace(
            '<span class="num">', ""
        ).replace("</span>", "")
        page = await browser.submit(f"{door}/{entrant}/here", here="true")
        assert page.url.path == door
        assert (await entry(owner, tournament))["checked_in"]
        assert 'aria-pressed="true"' in page.text
        page = await browser.submit(f"{door}/{entrant}/here", here="false")
        assert not (await entry(owner, tournament))["checked_in"]
        page = await browser.submit(f"{door}/{entrant}/paid", paid="true")

        ledger = (await owner.get(f"/v1/tournaments/{tournament}/ledger")).json()
        assert [each["amount"] for each in ledger["accounts"][0]["payments"]] == [1000, 200]
        assert f"{door}/{entrant}/paid" not in page.text

        # Taken by mistake: another entry takes it back, and it can be taken again.
        page = await browser.submit(f"{door}/{entrant}/unpaid", reason="<b>Wrong</b> line")
        assert page.url.path == door
        ledger = (await owner.get(f"/v1/tournaments/{tournament}/ledger")).json()
        amounts = [each["amount"] for each in ledger["accounts"][0]["payments"]]
        assert amounts == [1000, 200, -1000, -200]
        assert (ledger["totals"]["paid"], ledger["totals"]["owed"]) == (0, 1200)
        await browser.submit(f"{door}/{entrant}/paid", paid="true")
        ledger = (await owner.get(f"/v1/tournaments/{tournament}/ledger")).json()
        assert ledger["totals"]["paid"] == 1200


async def test_a_name_finds_entrants_and_members_who_may_be_entered(serving: Serving) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console)
        ada = (await owner.post(f"/v1/leagues/{league}/players", {"name": "<b>Ada</b>"})).json()
        await owner.post(f"/v1/tournaments/{tournament}/walk-ins", {"name": "Boba"})
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"

        page = await browser.get(f"{door}?q=ada")
        assert "<b>Ada" not in page.text
        assert "&lt;b&gt;Ada" in page.text
        assert "Boba" not in page.text
        await browser.submit(f"{door}/enter", player=ada["player"])
        assert (await entry(owner, tournament, 1))["player"] == ada["player"]
        page = await browser.get(f"{door}?only=absent")
        assert "Boba" not in page.text  # a walk-in is here
        assert "&lt;b&gt;Ada" in page.text


async def test_a_walk_in_gets_a_slip_and_the_line_is_shown_in_order(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament = await opened(console, entrants_max=2)
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"

        for name in ("Lando", "Qira", "Rey"):
            await browser.get(door)
            page = await browser.submit(f"{door}/walk-in", name=name)
            assert page.status_code == 200
            assert name in page.text
            assert 'aria-label="Link of the player"' in page.text
        page = await browser.get(door)
        assert "On the waitlist" in page.text
        assert "Rey" in page.text[page.text.index("On the waitlist") :]
        page = await browser.get(f"{door}?q=rey")
        assert "Nobody on the list" not in page.text
        assert page.text.count('data-name="rey"') == 1

        await browser.get(door)
        refused = await browser.submit(f"{door}/walk-in", name="")
        assert refused.status_code == 400
        assert 'role="alert"' in refused.text


async def test_a_walk_in_whom_the_league_knows_gets_a_card_if_they_have_not_signed_up(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console)
        await owner.post(f"/v1/leagues/{league}/players", {"name": "Lando"})
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"

        await browser.get(door)
        page = await browser.submit(f"{door}/walk-in", name="Lando")
        assert "Lando has not signed up." in page.text, page.text
        assert 'aria-label="Link of the player"' not in page.text
        player = (await entry(owner, tournament))["player"]
        page = await browser.submit(f"/leagues/{league}/people/{player}/card", name="Lando")
        code = re.search(r"/join/([\w-]+)", page.text)
        assert code is not None, page.text


async def test_a_walk_in_is_entered_though_nobody_can_tell_whether_they_need_a_card(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console)
        await owner.post(f"/v1/leagues/{league}/players", {"name": "Lando"})
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"
        tokens, now = console.app.shell.limits._tokens, time.monotonic()
        monkeypatch.setattr(tokens, "_now", lambda: now)
        await browser.get(door)
        token = next(reversed(tokens._full))
        for _ in range(tokens.left(token) - 3):  # for the reader, the walk-in and the evening
            tokens.take(token)

        page = await browser.submit(f"{door}/walk-in", name="Lando")
        assert page.status_code == 200, page.text
        assert "Lando" in page.text and "has not signed up" not in page.text
        assert tokens.left(token) == 0


async def test_the_door_shows_seats_while_money_is_due(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament = await opened(console)
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"
        for name in ("Lando", "Qira"):
            await browser.get(door)
            await browser.submit(f"{door}/walk-in", name=name)
        assert "Not here 0" in (await browser.get(door)).text
        assert (await owner.post(f"/v1/tournaments/{tournament}/start")).status_code < 300

        page = await browser.get(door)
        assert "table 1, seat 1" in page.text
        assert page.text.count("</span> due") == 2, "the money is due beside the seats"
        assert "Not here" not in page.text, "nobody checks in any more"


async def test_a_code_leads_staff_to_the_line_and_others_to_the_poster(serving: Serving) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console)
        person = await console.api.join(owner, league)
        await person.post(f"/v1/tournaments/{tournament}/registrations")
        code = f"/tournaments/{tournament}/here/{person.player}"

        page = await (await console.signed_in(owner.login)).get(code)
        assert page.url.path == f"/tournaments/{tournament}/door"
        assert person.player in page.text
        browser = await console.signed_in(person.login)
        page = await browser.get(code)
        assert page.url.path == f"/tournaments/{tournament}"
        page = await browser.get(f"/tournaments/{tournament}/door")
        assert page.url.path == f"/tournaments/{tournament}"
        phone = console.browser()
        page = await phone.get(code)
        assert page.status_code == 404
        assert "Sign in first, if you do." in page.text
        assert await signed_in_at(phone, owner.login) == f"/tournaments/{tournament}/door"


async def signed_in_at(phone: Browser, login: str) -> str:
    """Sign in by the link of the page about the code. Return the page that this leads to."""
    assert phone.page is not None
    [address] = re.findall(r'href="(/sign-in\?then=[^"]+)"', phone.page.text)
    await phone.get(address)
    page = await phone.submit(address, login=login, password=PASSWORD)
    assert page.status_code == 200, page.text
    return str(page.url.path)


async def test_a_code_on_a_seat_card_of_a_public_evening_leads_staff_who_sign_in_to_the_line(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console, visibility="public")
        person = await console.api.join(owner, league)
        await person.post(f"/v1/tournaments/{tournament}/registrations")
        desk = await console.signed_in(owner.login)
        cards = (await desk.get(f"/tournaments/{tournament}/prints?what=cards")).text
        code = f"/tournaments/{tournament}/here/{person.player}"
        drawn = segno.make(f"http://localhost:8000{code}", error="m", micro=False)
        [path] = re.findall(r'd="(M[^"]+)"', drawn.svg_inline(omitsize=True, border=2))
        assert f'src="{code}/code.svg"' in cards
        image = (await desk.get(f"{code}/code.svg")).text
        assert path in image, "a camera reads the address that is opened below"

        phone = console.browser()
        page = await phone.get(code)
        assert page.url.path == f"/tournaments/{tournament}"
        assert await signed_in_at(phone, owner.login) == f"/tournaments/{tournament}/door"
        assert f'data-player="{person.player}"' in phone.page.text
        theirs = console.browser()
        await theirs.get(code)
        assert await signed_in_at(theirs, person.login) == f"/tournaments/{tournament}"


async def test_taking_somebody_out_asks_first_and_frees_the_place(serving: Serving) -> None:
    async with serving() as console:
        owner, _, tournament = await opened(console, entrants_max=2)
        for name in ("<b>Lando</b>", "Qira", "Rey"):
            await owner.post(f"/v1/tournaments/{tournament}/walk-ins", {"name": name})
        entrant = (await entry(owner, tournament))["id"]
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"

        page = await browser.get(door)
        assert page.text.count("Take out") == 3, "the waitlist too"
        page = await browser.submit(f"{door}/{entrant}/out")
        assert "Take &lt;b&gt;Lando&lt;/b&gt; out?" in page.text
        assert (await entry(owner, tournament))["id"] == entrant
        page = await browser.submit(f"{door}/{entrant}/out")
        assert page.url.path == door
        assert "is off the list." in page.text
        assert f"{door}/{entrant}/out" not in page.text
        cards = (await browser.get(f"/tournaments/{tournament}/prints")).text
        assert "Lando" not in cards
        assert "Qira" in cards

        assert (await owner.post(f"/v1/tournaments/{tournament}/registrations")).is_success
        assert "Take out" not in (await browser.get(door)).text, "the host plays"


async def test_a_host_who_plays_is_offered_only_what_the_api_allows(serving: Serving) -> None:
    async with serving() as console:
        for allowed in (False, True):
            owner, league, tournament = await opened(console, staff_may_play=allowed)
            other = await console.api.join(owner, league)
            for person in (owner, other):
                path = f"/v1/tournaments/{tournament}/registrations"
                assert (await person.post(path)).is_success
            browser = await console.signed_in(owner.login)
            door = f"/tournaments/{tournament}/door"
            page = await browser.get(door)
            assert "Walk-ins, entries and money are for staff who do not play." in page.text
            for refused in ("walk-in", "paid", "out"):
                assert f'/{refused}"' not in page.text
            (entrant,) = [
                each["id"]
                for each in (await owner.get(f"/v1/tournaments/{tournament}")).json()["entrants"]
                if each["player"] == other.player
            ]
            here = f"{door}/{entrant}/here"
            assert (f'action="{here}"' in page.text) == allowed
            walked = await owner.post(f"/v1/tournaments/{tournament}/walk-ins", {"name": "Rey"})
            assert walked.status_code == 403
            if allowed:
                page = await browser.submit(here, here="true")
                assert page.status_code == 200, page.text
                assert f'action="{here}"' not in page.text, "only others undo it"


async def test_a_code_that_is_not_on_the_list_is_told_in_words(serving: Serving) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console, entrants_max=2)
        member = (await owner.post(f"/v1/leagues/{league}/players", {"name": "Ada"})).json()
        browser = await console.signed_in(owner.login)
        door = f"/tournaments/{tournament}/door"

        page = await browser.get(f"{door}?q={member['player']}")
        assert "Ada is in the league but not entered." in page.text
        await browser.submit(f"{door}/enter", player=member["player"])
        assert (await entry(owner, tournament))["player"] == member["player"]

        # A code is used twice: the second time it shows the same line.
        for _ in range(2):
            page = await browser.get(f"{door}?q={member['player']}")
            assert 'value="Ada"' in page.text
            assert "notice" not in page.text.split('id="people"')[1].split("</main>")[0]
        for other in (f"plr_{'0' * 32}", "plr_<b>"):
            page = await browser.get(f"{door}?q={other}")
            assert "This code belongs to nobody in this league." in page.text
            assert 'name="q" value=""' in page.text or other not in page.text
            assert f"{door}/walk-in" in page.text and ">Ada<" in page.text

        for name in ("Boba", "Cad"):
            await browser.get(door)
            await browser.submit(f"{door}/walk-in", name=name)
        waiting = await entry(owner, tournament, 2)
        assert waiting["status"] == "waitlisted"
        page = await browser.get(f"{door}?q={waiting['player']}")
        assert "This code belongs to nobody" not in page.text
        assert "On the waitlist" in page.text


async def test_a_code_of_another_league_says_whose_it_is_and_what_to_do(serving: Serving) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console, name="<i>Thursday</i>")
        person = await console.api.join(owner, league)
        await person.post(f"/v1/tournaments/{tournament}/registrations")
        code = f"/tournaments/{tournament}/here/{person.player}"
        other, _ = await console.api.league()
        elsewhere = await console.signed_in(other.login)

        page = await elsewhere.get(code)
        assert page.status_code == 404
        assert "A code for another door" in page.text
        assert "Thursday" not in page.text, "the league is for its members only"
        name = (await other.get("/v1/me")).json()["name"]
        assert f"You are signed in as {name}." in page.text
        missing = await elsewhere.get(f"/tournaments/trn_{'0' * 32}/here/{person.player}")
        assert missing.status_code == 404
        cut = [each.text.partition("<main")[2].partition("</main>")[0] for each in (page, missing)]
        assert cut[0] == cut[1], "nobody learns whether the evening exists"
        page = await console.browser().get(code)
        assert page.status_code == 404
        assert f"/sign-in?then={code}" in page.text

        seen = {"visibility": "public"}
        path = f"/v1/leagues/{league}/visibility"
        assert (await owner.http.put(path, json=seen, headers=owner.headers)).is_success
        asked = {"name": "<i>Friday</i>", "ruleset": "better"}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        code = f"/tournaments/{made.json()['id']}/here/{person.player}"
        page = await elsewhere.get(code)
        assert page.status_code == 200
        assert "&lt;i&gt;Friday&lt;/i&gt;" in page.text and "Cloud City" in page.text
        page = await elsewhere.get(code, headers={"Accept-Language": "de"})
        assert "Ein Code für einen anderen Einlass" in page.text
        assert (await console.browser().get(code)).url.path == code.partition("/here/")[0]


async def test_who_waits_in_line_checks_in_and_gets_the_place_of_a_no_show(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console, entrants_max=2)
        people = [await console.api.join(owner, league) for _ in range(4)]
        for each in people:
            await each.post(f"/v1/tournaments/{tournament}/registrations")
        han, _, rey, finn = people
        await han.post(f"/v1/tournaments/{tournament}/check-ins")
        poster, door = f"/tournaments/{tournament}", f"/tournaments/{tournament}/door"

        # By the own phone, and at the door.
        phone = await console.signed_in(rey.login)
        page = await phone.get(poster)
        assert f"{poster}/check-in" in page.text
        await phone.submit(f"{poster}/check-in")
        assert f"{poster}/check-in" not in (await phone.get(poster)).text
        desk = await console.signed_in(owner.login)
        await desk.get(door)
        last = (await entry(owner, tournament, 3))["id"]
        await desk.submit(f"{door}/{last}/here", here="true")
        await desk.submit(f"{door}/{last}/here", here="false")
        await owner.post(f"/v1/tournaments/{tournament}/start")

        shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()["entrants"]
        playing = {each["player"] for each in shown if each["status"] == "playing"}
        assert playing == {han.player, rey.player}
        assert finn.player not in {each["player"] for each in shown if each["checked_in"]}


async def test_who_was_seated_absent_and_who_waits_in_late_registration_check_in(
    serving: Serving,
) -> None:
    async with serving() as console:
        entering = {
            "check_in_opens_before_seconds": 7200, "waitlist": True, "no_show": "seat_absent",
            "late_registration_seconds": 3600,
        }  # fmt: skip
        owner, league, tournament = await opened(console, entrants_max=2, entry=entering)
        han, leia, rey = people = [await console.api.join(owner, league) for _ in range(3)]
        for each in people:
            await each.post(f"/v1/tournaments/{tournament}/registrations")
        await han.post(f"/v1/tournaments/{tournament}/check-ins")
        await owner.post(f"/v1/tournaments/{tournament}/start")
        poster, door = f"/tournaments/{tournament}", f"/tournaments/{tournament}/door"

        for each in (leia, rey):
            [waits] = (await each.get("/v1/me/waiting")).json()["items"]
            assert waits["type"] == "check_in"
            phone = await console.signed_in(each.login)
            await phone.get(poster)
            await phone.submit(f"{poster}/check-in")
            assert "check_in" not in (await each.get("/v1/me/waiting")).text
            assert f"{poster}/check-in" not in (await phone.get(poster)).text
        shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()["entrants"]
        assert [(each["checked_in"], each["absent"]) for each in shown] == [(True, False)] * 3
        desk = await console.signed_in(owner.login)
        assert f"{door}/{shown[2]['id']}/here" not in (await desk.get(door)).text


async def test_an_evening_cancelled_because_few_were_there_says_so_and_is_planned_again(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, league, tournament = await opened(console)
        for number in range(3):
            person = await console.api.join(owner, league)
            await person.post(f"/v1/tournaments/{tournament}/registrations")
            if not number:
                assert (await person.post(f"/v1/tournaments/{tournament}/check-ins")).is_success
        started = await owner.post(f"/v1/tournaments/{tournament}/start")
        assert started.is_success, started.text
        browser = await console.signed_in(owner.login)
        page = await browser.get(f"/tournaments/{tournament}")
        said = "At the start, only 1 of 3 entered players had checked in. 2 were needed."
        assert said in page.text, page.text
        again = f"/leagues/{league}/new-evening/plan?often=once&amp;like={tournament}"
        assert again in page.text
        page = await browser.get(again.replace("&amp;", "&"))
        assert page.status_code == 200
        assert (
            "If fewer than 2 players are here at the start, the evening is cancelled." in page.text
        )
        player = await console.signed_in(person.login)
        page = await player.get(f"/tournaments/{tournament}")
        assert said in page.text
        assert again not in page.text
