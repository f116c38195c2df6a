"""A rebuy by staff is declared for a player who has chips only after a question."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.service.console.test_floor import evening

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


async def test_a_rebuy_of_a_player_with_chips_is_declared_after_a_question(
    serving: Serving,
) -> None:
    async with serving() as console:
        browser, path, (owner, _, _) = await evening(console, 2, overrides={"rebuy": {"max": 2}})
        seat = browser.hidden(f"{path}/warn")
        events = f"/v1{path.removesuffix('/floor')}/events"

        browser.page = await browser.post(f"{path}/rebuy", seat)
        assert f"Declare a rebuy for {seat['name']}?" in browser.page.text, browser.page.text
        assert "once the last chip is lost, and is owed then" in browser.page.text
        assert "In the last hand it is not taken." in browser.page.text
        assert "rebuy_declared" not in (await owner.get(events)).text

        page = await browser.submit(f"{path}/rebuy")
        assert f"The rebuy for {seat['name']} is declared." in page.text, page.text
        assert f"{seat['name']} takes a rebuy once the last chip is lost" in page.text
        assert "rebuy_declared" in (await owner.get(events)).text
