"""Paper: seat cards with codes, sheets of tables, the result."""

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


async def test_papers_name_seats_and_codes(serving: Serving) -> None:
    async with serving(public_url="https://league.example") as console:
        owner, _, tournament, people, _ = await console.api.playing(3, name="<i>Night</i>")
        browser = await console.signed_in(owner.login)
        path = f"/tournaments/{tournament}/prints"

        cards = (await browser.get(path)).text
        assert cards.count('class="seat-card"') == len(people)
        assert cards.count('<svg role="img" aria-label="Code of the player"') == len(people)
        assert "<i>Night" not in cards
        assert "A phone cannot open this address." not in cards
        sheets = (await browser.get(f"{path}?what=tables")).text
        assert sheets.count('class="sheet"') == 1
        assert "Knocked out by" in sheets
        assert "No result yet" in (await browser.get(f"{path}?what=result")).text
        assert "Seat cards" in (await browser.get(f"{path}?what=nothing")).text
