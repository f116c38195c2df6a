"""A tournament with a public beacon over HTTP, from its terms to its audit."""

import json
from typing import Any

import pytest

from service.audit import generator
from tests.journeys.test_fair_dealing import lines
from tests.service.api.test_casino import play_until
from tests.service.api.test_entering import announced, enter, refused
from tests.service.api.test_evidence import signing
from tests.service.api.test_fairness import commit, feed, first_hand, opened
from tests.service.test_audit import audited, faults
from tests.support.databases import TestDatabase
from tests.support.drand import Holders, relaying, settings_of
from tests.support.projecting import projecting
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio

__all__ = ["signing"]


async def test_a_beacon_is_named_with_the_terms_over_http_and_mixed_into_every_deal(
    serving, signing: Any, database: TestDatabase
) -> None:
    holders = Holders()
    with relaying(holders) as relay:
        async with serving(**settings_of(holders, relay)) as api:
            chain = holders.chain.hash
            terms = {"beacon": chain, "hands_max": 1, "hands_between_seconds": 0}
            owner, league, tournament, people = await announced(api, 3, **terms)
            asked = {"name": "Night", "ruleset": "better", "beacon": "00" * 32}
            unknown = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
            assert (unknown.status_code, unknown.json()["code"]) == (400, "beacon_unknown")
            for person in people:
                await enter(person, tournament)
                await commit(person, tournament)
            relay.trick = lambda *_: (503, b"down")
            started = await owner.post(f"/v1/tournaments/{tournament}/start")
            assert started.json()["state"] == "registration_closed"
            late = await owner.post(f"/v1/tournaments/{tournament}/registrations")
            assert refused(late, "seats_being_drawn")
            shown = (await owner.get(f"/v1/tournaments/{tournament}/fairness")).json()["beacon"]
            assert (shown["chain"]["hash"], shown["seats"]) == (chain, None)
            relay.trick = None

            async def table_of() -> Any:
                tables = (await owner.get(f"/v1/tournaments/{tournament}")).json()["tables"]
                return tables[0]["id"] if tables else None

            table = await until_awaited(table_of)
            said = (await owner.get(f"/v1/tournaments/{tournament}/fairness")).json()["beacon"]
            assert said["seats"]["randomness"] == holders.said(shown["seats_round"]).randomness
            for person in people:
                assert (await opened(person, tournament)).status_code == 201
            hand = await first_hand(owner, table)
            items = await feed(owner, f"/v1/tables/{table}")
            kinds = [each["type"] for each in items]
            at = kinds.index("hand_opened")
            assert kinds[at - 1 : at + 2] == [
                "table_beacon_awaited",
                "hand_opened",
                "table_beacon_mixed",
            ]
            assert len(hand["openings"]) == 3
            assert items[at + 1]["data"]["pulse"]["round"] == items[at - 1]["data"]["round"]

            async def over() -> bool:
                known = (await owner.get(f"/v1/tournaments/{tournament}")).json()
                return bool(known["state"] == "finished")

            await play_until(people, table, over)
            guide = lines()
            await owner.post(f"/v1/tournaments/{tournament}/seeds/publish")
            known = (await owner.get(f"/v1/tournaments/{tournament}/fairness")).json()
            prefix = guide["with_beacon"](items[at + 1]["data"])
            cards = guide["deal"](tournament, known, 1, hand, prefix)
            seen = [
                card
                for item in await feed(people[0], f"/v1/tables/{table}")
                for card in guide["seen"](item)
            ]
            assert len(seen) >= 5
            assert all(cards[each["position"]] == each["card"] for each in seen)
            async with projecting(database) as projections:
                await projections.catch_up()
                decks = (await owner.get(f"/v1/hands/{hand['hand']}/decks")).json()["decks"]
                leaves = [bytes.fromhex(each) for each in decks[0]["leaves"]]
                assert generator.root(leaves).hex() == hand["deck_root"]
                replay = await owner.get(f"/v1/hands/{hand['hand']}/replay")
                steps = {each["event"]: each for each in replay.json()["steps"]}
                assert steps["table_beacon_mixed"]["rule"] == "beacon.value"
                async with signing() as sign:
                    await sign(league)
                bundle = (await owner.get(f"/v1/hands/{hand['hand']}/bundle")).content.decode()
                told = [json.loads(line) for line in bundle.splitlines()]
                (leaves_told,) = (each["hashes"] for each in told if each["line"] == "leaves")
                assert leaves_told == decks[0]["leaves"]
                within = [
                    each["type"] for each in told if each.get("type", "").startswith("table_b")
                ]
                assert within == ["table_beacon_awaited", "table_beacon_mixed"]
    report = await audited(database, league)
    assert (faults(report), report.openings) == ({}, 3)


async def test_a_draft_keeps_its_beacon_until_it_is_revised(serving) -> None:
    holders = Holders()
    with relaying(holders) as relay:
        async with serving(**settings_of(holders, relay)) as api:
            terms = {"draft": True, "beacon": holders.chain.hash}
            owner, _, tournament, _ = await announced(api, 0, **terms)
            revised = {"name": "Night", "ruleset": "better", "beacon": holders.chain.hash}
            path = f"/v1/tournaments/{tournament}"
            answer = await owner.http.put(f"{path}/terms", json=revised, headers=owner.headers)
            assert answer.status_code == 200, answer.text
            assert "beacon_named" not in answer.json()["events"]
            out = await owner.post(f"{path}/announce")
            assert out.json()["events"] == ["tournament_announced", "registration_opened"]
            shown = (await owner.get(f"{path}/fairness")).json()
            assert shown["beacon"]["chain"]["public_key"] == holders.chain.public_key
