"""Paper: seat cards with codes, sheets of tables, the result."""

from collections.abc import Callable
from typing import Any

import pytest

from service.console.pages import environment

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


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("Wilhuff Tarkin-Motti", ""),
        ("Friederike Schwarzenberger", ""),
        ("Llanfairpwllgwyngyll Schwarz", ' class="long"'),
        ("Anna Maria Josephine von Hohenstaufen", ' class="long"'),
        ("Konstantinopolitanischer Dudelsackpfeifer", ' class="longer"'),
        ("Hubert Blaine der Dritte von und zu Irgendwo im Land", ' class="longer"'),
    ],
)
def test_a_long_name_is_smaller_so_that_no_word_is_broken(name: str, size: str) -> None:
    prints = environment("en").get_template("parts/prints.html").make_module({})
    assert str(prints.name_size(name)) == size  # type: ignore[attr-defined]
    card = prints.seat_card(name, 1, 2, {"table": "Table", "seat": "Seat"}, "")  # type: ignore[attr-defined]
    assert f"<h3{size}>{name}</h3>" in card
