"""The time of the last hands stands wherever people look for the end of the evening."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest

from tests.service.api.tournament.test_money import one_folds

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]

_GERMAN = {"Accept-Language": "de"}


def text(page: Any) -> str:
    """Return the words of a page."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page.text)).split())


async def test_every_page_of_play_says_when_the_last_hands_come(serving: Serving) -> None:
    async with serving() as console:
        at = datetime.now(UTC) + timedelta(hours=2)
        owner, _, tournament, people, table = await console.api.playing(
            2, decision_seconds=3600, floor={"last_hands_at": at.isoformat()}
        )
        player = await console.signed_in(people[0].login)
        path, when = f"/tournaments/{tournament}", f"{at:%H:%M} UTC"
        day = f"{at:%a} {at.day} {at:%b}, {when}"
        sentence = "The hands in play are then the last, and the chips decide."
        for each in (path, f"{path}/rules", f"{path}/floor"):
            page = text(await player.get(each))
            assert f"Last hands: {day} . " in page or f"Last hands {day} . " in page, each
            assert sentence in page, each
        rules = text(await player.get(f"{path}/rules", headers=_GERMAN))
        dated = rf"Letzte Hände: \w\w\., {at.day}\. \w+\.?, {when} \. Die Hände"
        assert re.search(dated, rules), rules
        assert f"last hands {at:%a} {when}" in text(await player.get(f"/tables/{table}"))
        assert f"Last hands {at:%a} {when}" in text(await player.get(f"{path}/clock"))
        german = await player.get(f"/tables/{table}", headers=_GERMAN)
        assert re.search(rf"letzte Hände \w\w\., {when}", text(german))

        made = await owner.post(f"/v1{path}/screen-keys")
        assert made.is_success, made.text
        room = await console.browser().get(f"/screen/{made.json()['key']}")
        assert f"Last hands {at:%a} {when}" in text(room)


async def test_who_has_chips_at_the_end_reads_that_the_chips_decided(serving: Serving) -> None:
    async with serving() as console:
        _, _, _, people, table = await console.api.playing(
            2, hands_max=1, decision_seconds=3600, starting_stack=100
        )
        await one_folds(people, table)
        told = []
        for each in people:
            browser = await console.signed_in(each.login)
            told.append(text(await browser.get(f"/tables/{table}")))
        said = "The last hand is played, and the chips decided: you are in place 2 of 2."
        assert sum(said in each for each in told) == 1, told
        assert sum("You have won." in each for each in told) == 1
        assert not any("You are out" in each for each in told)
