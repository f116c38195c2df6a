"""The people of a league: invitations, roles, bans, lists and cards."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.service.console.conftest import Console

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]
_CODE = re.compile(r"<br>([\w -]+)</small>")
_LINK = re.compile(r'value="http://localhost:8000(/join/[^"]+)"')


async def opened(console: Console) -> tuple[Any, str, Any, str]:
    """Found a league, and open its people as the owner."""
    owner, league = await console.api.league()
    browser = await console.signed_in(owner.login)
    path = f"/leagues/{league}/people"
    page = await browser.get(path)
    assert page.status_code == 200, page.text
    return owner, league, browser, path


async def test_an_invitation_is_a_link_with_a_qr_code(serving: Serving) -> None:
    async with serving() as console:
        owner, league, browser, path = await opened(console)
        page = await browser.submit(f"{path}/invite", uses="3", expires_in_hours="24")
        assert page.status_code == 200, page.text
        assert 'aria-label="QR code of the link"' in page.text
        assert " style=" not in page.text
        assert "A phone cannot open this address." in page.text
        (link,) = _LINK.findall(page.text)

        guest = await console.signed_in((await console.api.person("<b>Guest</b>")).login)
        await guest.get(link)
        await guest.submit(link)
        members = (await owner.get(f"/v1/leagues/{league}/members")).json()["items"]
        assert len(members) == 2

        page = await browser.get(path)
        assert "&lt;b&gt;Guest&lt;/b&gt;" in page.text
        (revoking,) = re.findall(r'action="([^"]+/revoke)"', page.text)
        page = await browser.submit(revoking)
        assert "The link no longer works." in page.text


async def test_roles_bans_and_removals(serving: Serving) -> None:
    async with serving() as console:
        owner, league, browser, path = await opened(console)
        player = (await console.api.join(owner, league)).player
        await browser.get(path)
        page = await browser.submit(f"{path}/{player}/role", role="director")
        assert "The role is changed." in page.text, page.text
        page = await browser.submit(f"{path}/{player}/role", role="player")
        page = await browser.submit(f"{path}/{player}/ban", reason="cards in a <sleeve>")
        assert "cards in a &lt;sleeve&gt;" in page.text
        page = await browser.submit(f"{path}/{player}/lift-ban")
        assert "The ban is lifted." in page.text
        page = await browser.submit(f"{path}/{player}/remove")
        assert "from the league?" in page.text
        members = f"/v1/leagues/{league}/members"
        assert len((await owner.get(members)).json()["items"]) == 2
        page = await browser.submit(f"{path}/{player}/remove")
        assert "Removed. The results stay." in page.text
        assert len((await owner.get(members)).json()["items"]) == 1


async def test_cards_count_only_members(serving: Serving) -> None:
    async with serving() as console:
        owner, league, browser, path = await opened(console)
        ada = (await owner.post(f"/v1/leagues/{league}/players", {"name": "Ada"})).json()["player"]
        assert "1 player was entered" in (await browser.get(path)).text
        await browser.submit(f"{path}/{ada}/remove")
        page = await browser.submit(f"{path}/{ada}/remove")
        assert "Removed. The results stay." in page.text
        assert "was entered and has not signed up" not in page.text


async def test_a_list_is_shown_before_it_is_entered_and_gives_cards(serving: Serving) -> None:
    async with serving() as console:
        owner, league, browser, path = await opened(console)
        page = await browser.submit(f"{path}/import", list="Mara\n<b>Jön</b>\nTendra, the Elder")
        assert "Import this list?" in page.text, page.text
        assert "&lt;b&gt;Jön&lt;/b&gt;" in page.text
        members = (await owner.get(f"/v1/leagues/{league}/members")).json()["items"]
        assert len(members) == 1

        names = 'name\nMara\n<b>Jön</b>\n"Tendra, the Elder"\n'
        page = await browser.submit(f"{path}/import", list=names, seen="yes")
        assert "The list is imported." in page.text, page.text
        page = await browser.submit(f"{path}/cards")
        assert page.text.count('class="seat-card"') == 3
        assert "Tendra, the Elder" in page.text
        code = _CODE.findall(page.text)[0].replace(" ", "")
        assert (await console.browser().get(f"/join/{code}")).status_code == 200


async def test_a_wrong_row_enters_nobody(serving: Serving) -> None:
    async with serving() as console:
        _, _, browser, path = await opened(console)
        page = await browser.submit(f"{path}/import", list="name,role\nMara,emperor\nJon,player")
        assert "Nothing is imported while a row is wrong." in page.text, page.text
        page = await browser.get(path)
        page = await browser.submit(f"{path}/import", list="name,shoe\nMara,44")
        assert page.status_code == 400
        assert "name,shoe" in page.text


async def test_a_row_shows_a_character_that_would_turn_it_around_by_its_name(
    serving: Serving,
) -> None:
    async with serving() as console:
        owner, league = await console.api.league()
        browser = await console.signed_in(owner.login)
        path = f"/leagues/{league}/people"
        await browser.get(path)
        page = await browser.submit(f"{path}/import", list="name\nLeia\u202eanagrO")
        listed = page.text.partition("<table")[2].partition("</table>")[0]
        assert "Leia(U+202E)anagrO" in listed
        assert "\u202e" not in listed


async def test_twenty_wrong_rows_of_five_hundred_stand_first_in_the_readers_language(
    serving: Serving,
) -> None:
    """As a spreadsheet in German writes them, with semicolons."""
    async with serving() as console:
        _, _, browser, path = await opened(console)
        await browser.get(path, headers={"Accept-Language": "de"})
        rows = [f"Person Nr {n};{'kaiser' if n % 25 == 7 else 'player'}" for n in range(500)]
        fields = browser.hidden(f"{path}/import") | {"list": "\n".join(["Name;Role", *rows])}
        page = await browser.post(f"{path}/import", fields, **{"Accept-Language": "de"})
        assert "20 von 500 Zeilen sind falsch." in page.text
        first, rest = page.text.split("480 Zeilen sind gut")
        assert first.count("Das ist keine Rolle, oder nur Inhaber") == 20
        assert "Person Nr 7,kaiser" in first
        assert "Person Nr 8,player" in rest
        assert 'name="seen"' not in page.text


async def test_a_player_gets_the_list_of_players(serving: Serving) -> None:
    async with serving() as console:
        owner, league, _, path = await opened(console)
        player = await console.api.join(owner, league)
        page = await (await console.signed_in(player.login)).get(path)
        assert page.url.path == f"/leagues/{league}/players"
        assert f'action="{path}' not in page.text


async def test_a_director_finds_somebody_among_many(serving: Serving) -> None:
    async with serving() as console:
        owner, league, browser, path = await opened(console)
        director = await console.api.join(owner, league)
        role = {"role": "director"}
        await owner.http.put(
            f"/v1/leagues/{league}/members/{director.player}",
            json=role,
            headers=owner.headers | {"If-Match": "*", "Idempotency-Key": "role"},
        )
        for number in range(8):
            await owner.post(f"/v1/leagues/{league}/players", {"name": f"Guest {number}"})
        browser = await console.signed_in(director.login)
        everybody = await browser.get(path)
        found = await browser.get(f"{path}?q=GUEST+3")
        staff = await browser.get(f"{path}?show=staff")
        unclaimed = await browser.get(f"{path}?show=unclaimed")
        nobody = await browser.get(f"{path}?q=nobody")

    assert names(everybody.text)[2:] == [f"Guest {number}" for number in range(8)]
    assert names(found.text) == ["Guest 3"]
    assert len(names(staff.text)) == 2 and ">Owner</span>" in staff.text
    assert names(unclaimed.text) == [f"Guest {number}" for number in range(8)]
    assert names(nobody.text) == [] and "Nobody has that name" in nobody.text
    # A director acts on people without an office only, and gives no roles.
    assert everybody.text.count('<details class="line-fold"') == 8
    assert f"/people/{owner.player}/" not in everybody.text
    assert re.findall(r"/people/plr_[0-9a-f]{32}/(role|remove)", everybody.text) == []


async def test_one_card_is_made_for_one_player(serving: Serving) -> None:
    async with serving() as console:
        owner, league, browser, path = await opened(console)
        made = await owner.post(f"/v1/leagues/{league}/players", {"name": "<b>Ada</b>"})
        await browser.get(path)
        page = await browser.submit(f"{path}/{made.json()['player']}/card")
        assert page.text.count('class="seat-card"') == 1
        assert "<h3>&lt;b&gt;Ada&lt;/b&gt;</h3>" in page.text
        (code,) = _CODE.findall(page.text)
        assert "Ada" in (await console.browser().get(f"/join/{code.replace(' ', '')}")).text


def names(page: str) -> list[str]:
    """Return the people in the list, in its order."""
    listed = page.partition('class="aside')[0]
    return re.findall(r'class="line-name">([^<]*)<', listed)
