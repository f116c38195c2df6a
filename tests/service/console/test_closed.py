"""Pages while an operator has closed something: signing up, founding, a league, everything."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import psycopg
import pytest

from tests.service.api.test_suspending import WHY, told
from tests.service.console.test_clock import CLOCKED
from tests.support.databases import TestDatabase
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

CLOSED = {"sign_up": "closed", "found_leagues": "closed"}


async def known(doors: Callable[[], bool]) -> None:
    """Wait until the process has heard of it."""

    async def heard() -> bool:
        return doors()

    await until_awaited(heard)


async def test_a_closed_installation_offers_neither_an_account_nor_a_league(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        code = (await owner.post(f"/v1/leagues/{league}/invitations", {})).json()["code"]
        outsider = await console.api.person()
    async with serving(**CLOSED) as console:
        stranger = console.browser()
        for path in ("/", "/sign-in", "/sign-up", f"/join/{code}"):
            page = await stranger.get(path)
            assert "Nobody can sign up here. The operator makes accounts." in page.text, path
            assert 'href="/sign-up' not in page.text, path
            assert 'name="password"' not in page.text or path == "/sign-in", path
        for person in (owner, outsider):
            browser = await console.signed_in(person.login)
            home = await browser.get("/")
            assert 'href="/new-league"' not in home.text
            page = await browser.get("/new-league")
            assert "Only the operator lets people found leagues here." in page.text
            assert "<form" not in page.text.split('id="main"')[1].split("<footer")[0]
        assert "Ask a league for an invitation link." in (await browser.get("/")).text
    async with serving(sign_up="invite", found_leagues="invite") as console:
        page = await console.browser().get(f"/join/{code}")
        assert 'name="invitation"' in page.text
        assert (await told(database, "account", "founder", owner.login)).returncode == 0
        browser = await console.signed_in(owner.login)
        assert 'href="/new-league"' in (await browser.get("/")).text
        assert 'name="name"' in (await browser.get("/new-league")).text


async def test_members_read_a_suspended_league_and_every_form_says_why_it_does_nothing(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league, tournament, people, table = await console.api.playing()
        browser = await console.signed_in(owner.login)
        assert "is suspended" not in (await browser.get(f"/leagues/{league}")).text
        made = await owner.post(f"/v1/tournaments/{tournament}/screen-keys")
        screen = f"/screen/{made.json()['key']}"
        assert "is suspended" not in (await console.browser().get(screen)).text
        assert (await told(database, "league", "suspend", league, *WHY)).returncode == 0
        doors = console.api.app.shell.doors
        await known(lambda: league in doors.suspended)

        pages = (f"/leagues/{league}", f"/leagues/{league}/people", f"/tournaments/{tournament}")
        for path in (*pages, f"/tournaments/{tournament}/floor"):
            page = await browser.get(path)
            assert page.status_code == 200, path
            assert "This league is suspended" in page.text, path
        for clock in (
            f"/tournaments/{tournament}/clock",
            f"/tournaments/{tournament}/clock?part=clock",
        ):
            assert "This league is suspended" in (await browser.get(clock)).text, clock
        # The TV of the room has no account, and knows by its key.
        assert "This league is suspended" in (await console.browser().get(screen)).text
        assert "suspended</span>" in (await browser.get("/")).text
        await browser.get(f"/tournaments/{tournament}/floor")
        refused = await browser.submit(f"/tournaments/{tournament}/floor/pause")
        assert refused.status_code == 403
        assert 'role="alert"' in refused.text
        assert "The operator has suspended the league" in refused.text

        # A player at a table still sees the cards and what they count.
        for person in people:
            player = await console.signed_in(person.login)
            page = await player.get(f"/tables/{table}")
            assert page.status_code == 200
            assert "This league is suspended" in page.text
        assert (await told(database, "league", "restore", league, *WHY)).returncode == 0
        await known(lambda: league not in doors.suspended)
        assert "is suspended" not in (await browser.get(f"/leagues/{league}")).text


async def test_during_maintenance_pages_are_read_and_forms_answer_with_a_page(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league, tournament, people, table = await console.api.playing()
        browser = await console.signed_in(owner.login)
        player = await console.signed_in(people[0].login)
        on = await told(database, "maintenance", "on", "--retry-after", "90", *WHY)
        assert on.returncode == 0, on.stderr
        doors = console.api.app.shell.doors
        await known(lambda: doors.maintenance is not None)

        for path in ("/", f"/leagues/{league}", f"/tournaments/{tournament}/floor"):
            page = await browser.get(path)
            assert page.status_code == 200
            assert "Nothing can be changed until the operator is done." in page.text
        refused = await browser.submit(f"/tournaments/{tournament}/floor/pause")
        assert refused.status_code == 503
        assert refused.headers["content-type"].startswith("text/html")
        assert "under maintenance" in refused.text
        assert (await player.get(f"/tables/{table}")).status_code == 200
        assert (await told(database, "maintenance", "off", *WHY)).returncode == 0
        await known(lambda: doors.maintenance is None)
        await browser.get(f"/tournaments/{tournament}/floor")
        done = await browser.submit(f"/tournaments/{tournament}/floor/pause")
        assert done.status_code == 200


@pytest.mark.parametrize("closed", [("league", "suspend"), ("maintenance", "on")])
async def test_every_clock_stands_while_nobody_can_act(
    serving: Serving, database: TestDatabase, closed: tuple[str, str]
) -> None:
    async with serving() as console:
        owner, league, tournament, people, table = await console.api.playing(
            3, visibility="public", **CLOCKED
        )
        made = await owner.post(f"/v1/tournaments/{tournament}/screen-keys")
        room, floor = f"/tournaments/{tournament}/clock", f"/tournaments/{tournament}/floor"
        stranger, player = console.browser(), await console.signed_in(people[0].login)
        clocks = [(player, room), (stranger, room), (stranger, f"/screen/{made.json()['key']}")]
        clocks += [(browser, f"{path}?part=clock") for browser, path in clocks]
        for browser, path in clocks:
            assert "data-until=" in (await browser.get(path)).text, path
        assert "data-until=" in (await player.get(floor)).text
        assert "data-deadline=" in (await player.get(f"/tables/{table}?part=table")).text

        what, verb = closed
        about = [league] if what == "league" else []
        assert (await told(database, what, verb, *about, *WHY)).returncode == 0
        doors = console.api.app.shell.doors
        await known(lambda: doors.closed_since(league) is not None)
        shut = doors.closed_since(league)
        since = shut.isoformat().replace("+00:00", "Z")
        due = (await owner.get(f"/v1/tournaments/{tournament}")).json()["clock"]["due"]
        minutes, rest = divmod(round((datetime.fromisoformat(due) - shut).total_seconds()), 60)
        time_left = f"{minutes}:{rest:02}"
        for browser, path in clocks:
            page = (await browser.get(path)).text
            assert "data-until=" not in page, path
            assert "data-in=" not in page, path
            assert "Clock stopped" in page, path
            [left] = re.findall(r'class="countdown-text">([^<]+)<', page)
            assert left == time_left, path
        for browser in (player, stranger):
            page = (await browser.get(floor)).text
            assert "data-until=" not in page
        assert "Clock stopped" in (await player.get(floor)).text
        page = (await player.get(f"/tables/{table}?part=table")).text
        assert "data-deadline=" not in page
        assert "The clock stands still." in page
        for shown in (
            await owner.get(f"/v1/tournaments/{tournament}/floor"),
            await console.api.http.get(f"/v1/public/tournaments/{tournament}/floor"),
            await owner.get(f"/v1/tables/{table}"),
        ):
            assert shown.json()["closed_since"] == since

        opened = ("restore", league) if what == "league" else ("off",)
        assert (await told(database, what, *opened, *WHY)).returncode == 0
        await known(lambda: doors.closed_since(league) is None)
        for browser, path in clocks:
            assert "data-until=" in (await browser.get(path)).text, path
        assert "data-deadline=" in (await player.get(f"/tables/{table}?part=table")).text


async def test_closures_without_a_gap_are_one(serving: Serving, database: TestDatabase) -> None:
    async with serving() as console:
        owner, league, tournament, people, _ = await console.api.playing(3, **CLOCKED)
        doors = console.api.app.shell.doors

        async def told_of(*command: str) -> datetime | None:
            """Run an operator's command, and return since when the league stands still."""
            before = (doors.maintenance, set(doors.suspended))
            assert (await told(database, *command, *WHY)).returncode == 0
            await known(lambda: (doors.maintenance, set(doors.suspended)) != before)
            return doors.closed_since(league)

        first = await told_of("maintenance", "on")
        assert first is not None
        assert await told_of("league", "suspend", league) == first
        assert await told_of("maintenance", "off") == first, "it still stands"
        player = await console.signed_in(people[0].login)
        due = (await owner.get(f"/v1/tournaments/{tournament}")).json()["clock"]["due"]
        left = round((datetime.fromisoformat(due) - first).total_seconds())
        page = (await player.get(f"/tournaments/{tournament}/clock")).text
        assert f'countdown-text">{left // 60}:{left % 60:02}<' in page
        second = await told_of("maintenance", "on")
        assert second == first
        assert await told_of("league", "restore", league) == first
        assert await told_of("maintenance", "off") is None

        begun = await told_of("league", "suspend", league)
        assert begun is not None and begun > first, "it was open meanwhile"
        assert doors.closed_since(f"lge_{'0' * 32}") is None


async def test_a_break_stands_still_and_is_longer_by_the_time_that_nobody_could_act(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        owner, league, tournament, people, _ = await console.api.playing(3, visibility="public")
        path = f"/v1/tournaments/{tournament}"
        assert (await owner.post(f"{path}/breaks", {"seconds": 600, "reason": "Dinner"})).is_success
        ends = (await owner.get(f"{path}/floor")).json()["floor"]["break_ends"]
        player, stranger = await console.signed_in(people[0].login), console.browser()
        clock, floor = f"/tournaments/{tournament}/clock", f"/tournaments/{tournament}/floor"
        for browser in (player, stranger):
            assert "data-until=" in (await browser.get(clock)).text
            assert "Break until" in (await browser.get(floor)).text

        assert (await told(database, "league", "suspend", league, *WHY)).returncode == 0
        doors = console.api.app.shell.doors
        await known(lambda: doors.closed_since(league) is not None)
        since = doors.closed_since(league)
        left = round((datetime.fromisoformat(ends) - since).total_seconds())
        for browser in (player, stranger):
            page = (await browser.get(clock)).text
            assert "data-until=" not in page
            assert "Clock stopped" in page
            assert f'countdown-text">{left // 60}:{left % 60:02}<' in page
            page = (await browser.get(floor)).text
            assert "Break until" not in page
            assert "Clock stopped" in page

        assert (await told(database, "league", "restore", league, *WHY)).returncode == 0
        await known(lambda: doors.closed_since(league) is None)
        shown = [
            (await owner.get(f"{path}/floor")).json()["floor"],
            (await console.api.http.get(f"/v1/public/tournaments/{tournament}/floor")).json(),
        ]
        with psycopg.connect(database.url("postgres")) as connection:
            row = connection.execute("SELECT until_at - since_at FROM outage").fetchone()
        assert row is not None
        later = {datetime.fromisoformat(each["break_ends"]) for each in shown}
        assert later == {datetime.fromisoformat(ends) + row[0]}


async def test_late_entry_and_offers_end_later_by_the_time_that_nobody_could_act(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        late = {"late_registration_seconds": 600}
        owner, league, tournament, _, _ = await console.api.playing(3, entry=late)
        terms = {"entrants_max": 2, "entry": {"waitlist": True, "offer_seconds": 600}}
        starts_at = (console.api.app.shell.now() + timedelta(days=1)).isoformat()
        asked = {"name": "Next", "ruleset": "better", "starts_at": starts_at} | terms
        path = f"/v1/tournaments/{tournament}"
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        other = f"/v1/tournaments/{made.json()['id']}"
        people = [await console.api.join(owner, league) for _ in range(3)]
        for person in people:
            assert (await person.post(f"{other}/registrations")).is_success
        assert (await people[0].post(f"{other}/withdrawals")).is_success

        async def ends() -> list[datetime]:
            """Return each end, wherever it is shown."""
            entries = (await owner.get(f"{other}/registrations")).json()["items"]
            shown = (await people[2].get(other)).json()["entrants"]
            waiting = (await people[2].get("/v1/me/waiting")).json()["items"]
            found = [(await owner.get(path)).json()["late_registration_until"]]
            found += [each["offered_until"] for each in (*entries, *shown) if each["offered_until"]]
            found += [each["until"] for each in waiting]
            return [datetime.fromisoformat(each) for each in found]

        before = await ends()
        assert len(before) == 4
        doors = console.api.app.shell.doors
        for closed, opened in (
            (("league", "suspend", league), ("league", "restore", league)),
            (("maintenance", "on"), ("maintenance", "off")),
        ):
            assert (await told(database, *closed, *WHY)).returncode == 0
            await known(lambda: doors.closed_since(league) is not None)
            assert await ends() == before
            assert (await told(database, *opened, *WHY)).returncode == 0
            await known(lambda: doors.closed_since(league) is None)
            with psycopg.connect(database.url("postgres")) as connection:
                row = connection.execute(
                    "SELECT until_at - since_at FROM outage ORDER BY until_at DESC LIMIT 1"
                ).fetchone()
            assert row is not None
            before = [each + row[0] for each in before]
            assert await ends() == before
        # The next command records them. A player takes the place after the end that the log held.
        answered = await people[2].post(f"{other}/offers", {"accepted": True})
        assert answered.json()["events"] == ["offer_extended", "entrant_registered"]
        assert (await people[0].post(f"{path}/registrations")).is_success
        assert (await ends())[0] == before[0]
