"""Files that a page hands on as the API wrote them."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.service.api.proof.test_bundles import a_night
from tests.service.api.proof.test_evidence import signing
from tests.support.databases import TestDatabase

__all__ = ["signing"]

pytestmark = pytest.mark.anyio


async def test_evidence_is_the_same_in_every_language(
    serving: Callable[..., Any], signing: Callable[[], Any], database: TestDatabase
) -> None:
    """A name in it that a page would translate is part of what the hashes cover."""
    async with serving() as console, signing() as sign:
        found = await a_night(console.api, database, sign, name="Bot 3, calm")
        owner, tournament, hand = found[0], found[2], found[4]
        browser = await console.signed_in(owner.login)
        browser.http.headers["Accept-Language"] = "de"
        assert "Bot 3, ruhig" in (await browser.get(f"/tournaments/{tournament}")).text
        told = (await owner.get(f"/v1/hands/{hand}/bundle")).content
        assert b'"Bot 3, calm"' in told
        taken = await browser.get(f"/hands/{hand}/bundle")
        assert taken.content == told
