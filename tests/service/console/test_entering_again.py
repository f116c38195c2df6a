"""The button to enter: only for somebody who may, and only while the evening takes entries."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.service.api.public.test_public import night
from tests.service.api.tournament.test_rebuys import GAME, bust_at, statuses

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


@pytest.mark.parametrize("again", [0, 1])
async def test_who_is_out_may_enter_again_only_as_often_as_the_terms_say(
    serving: Serving, again: int
) -> None:
    async with serving() as console:
        entry = {"late_registration_seconds": 3600, "re_entries_max": again}
        owner, _, tournament, people, table = await console.api.playing(
            2,
            ruleset="better_simple",
            overrides=GAME | {"special_item": False, "item_values": []},
            starting_stack=10,
            entry=entry,
        )
        broke, _ = await bust_at(owner, tournament, table, people)
        assert (await statuses(owner, tournament))[broke.player] == "eliminated"
        phone, path = await console.signed_in(broke.login), f"/tournaments/{tournament}"
        assert (f'action="{path}/enter"' in (await phone.get(path)).text) == bool(again)


async def test_nobody_is_asked_to_sign_in_for_an_evening_that_is_over(serving: Serving) -> None:
    async with serving() as console:
        found = await night(console.api, "public")
        stranger, path = console.browser(), f"/tournaments/{found.tournament}"
        assert "Sign in to enter" in (await stranger.get(path)).text
        await found.owner.post(f"/v1{path}/cancel", {"reason": "Snow"})
        assert "Sign in to enter" not in (await stranger.get(path)).text
