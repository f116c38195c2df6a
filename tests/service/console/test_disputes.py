"""Disputes: the queue, what a claimant and a referee see, the ruling and the appeal."""

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.service.api.proof.test_disputes import claim, run_audits, with_office
from tests.service.api.proof.test_evidence import project
from tests.service.api.tournament.test_corrections import a_night, entrants
from tests.service.console.conftest import Browser
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio
Serving = Callable[..., Any]


def form_of(browser: Browser) -> dict[str, str]:
    return {"csrf": browser.hidden("/scheme")["csrf"], "key": "huge", "outcome": "for"}


async def test_a_claim_is_filed_ruled_on_and_appealed(
    serving: Serving, database: TestDatabase
) -> None:
    async with serving() as console:
        api = console.api
        owner, league, _, tournament, people = await a_night(api, database)
        referee = await with_office(api, owner, league)
        hand = await api.app.shell.pool.fetchval("SELECT hand FROM reads.hand")
        of_hand = await claim(people[0], kind="step", hand=hand, step=4, rules=["showdown.best"])
        await run_audits(database)
        await project(database)

        # The claimant files another claim from the queue.
        mine = await console.signed_in(people[0].login)
        queue = await mine.get(f"/leagues/{league}/disputes")
        assert "filed by you" in queue.text
        filed = await mine.submit(
            f"/leagues/{league}/disputes/claim",
            subject=f"payout {tournament}",
            claim="<b>The winner</b> folded.",
        )
        assert "Your claim is filed" in filed.text
        assert "&lt;b&gt;The winner&lt;/b&gt; folded." in filed.text
        assert "The evidence" not in filed.text
        assert 'id="rule-part"' not in filed.text
        path = str(filed.url.path)

        # The referee sees the hand beside the evidence.
        desk = await console.signed_in(referee.login)
        beside = await desk.get(f"/disputes/{of_hand}")
        assert f'/hands/{hand}?step=4" aria-current="step"' in beside.text
        first = re.search(r'id="rules\.0"[^>]*', beside.text)
        assert first is not None and 'value="7.4"' in first[0]
        assert '<option value="7.4">The best hand' in beside.text
        listed = beside.text.partition('class="evidence"')[2]
        assert "The hand opens." in listed and "has the button." in listed
        assert "hand opened" not in listed and "seat acted" not in listed
        german = await desk.get(f"/disputes/{of_hand}", headers={"Accept-Language": "de"})
        assert "Die Hand beginnt." in german.text.partition('class="evidence"')[2]
        assert "Audit passed" in beside.text

        # A ruling shows before and after, and needs a second press.
        await desk.get(path)
        refused = await desk.submit(f"{path}/rule", outcome="for", reason="", **{"rules[]": "5.6"})
        assert refused.status_code == 400
        assert 'id="reason-error"' in refused.text
        winner, second = (await entrants(owner, tournament))[:2]
        wrong = {"outcome": "for", "reason": "Why", "rules[]": "5.6", f"place.{winner['id']}": "x"}
        refused = await desk.submit(f"{path}/rule", **wrong)
        assert f'<a href="#place.{winner["id"]}">' in refused.text
        # A number of any length is refused at once, before anybody asks who sent it.
        named = ("place", "prize")
        huge = [{f"{each}.{winner['id']}": "9e999999"} for each in named]
        huge.append({f"act.{winner['id']}": "penalise", "hands": "9e999999"})
        async with asyncio.timeout(10):
            for wrong in huge:
                assert (await mine.post(f"{path}/rule", form_of(mine) | wrong)).status_code == 400
        frozen = await desk.submit(f"{path}/freeze", why="Prizes wait.")
        assert "Prizes and points wait for the ruling." in frozen.text
        form = {
            "outcome": "for", "reason": "The log shows it.", "rules[]": ["5.6", ""],
            f"place.{winner['id']}": "2", f"place.{second['id']}": "1",
        }  # fmt: skip
        tried = await desk.submit(f"{path}/rule", **form)
        assert tried.status_code == 200, tried.text
        assert "Rule for" in tried.text and "Places" in tried.text
        assert (await owner.get(f"/v1{path}")).json()["rulings"] == []
        done = await desk.submit(f"{path}/rule")
        assert "The ruling is given." in done.text
        assert "For the claimant" in done.text and "5.6</span>&nbsp;Call</span>" in done.text
        assert "The order of finish was corrected" in done.text
        assert (await entrants(owner, tournament))[0]["id"] == second["id"]

        # Somebody who played may appeal, and the first referee may not rule again.
        other = await console.signed_in(people[1].login)
        await other.get(path)
        appealed = await other.submit(f"{path}/appeal", reason="It was a misdeal.")
        assert "Your appeal is filed." in appealed.text
        assert 'id="rule-part"' not in (await desk.get(path)).text
