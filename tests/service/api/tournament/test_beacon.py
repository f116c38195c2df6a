"""A tournament with a public beacon over HTTP, from its terms to its audit."""

import json
from typing import Any

import pytest

from service.audit.play import generator
from tests.journeys.test_fair_dealing import lines
from tests.service.api.conftest import ANY, Person
from tests.service.api.proof.test_evidence import signing
from tests.service.api.tournament.test_casino import play_until
from tests.service.api.tournament.test_entering import announced, enter, refused
from tests.service.api.tournament.test_fairness import commit, feed, first_hand, opened
from tests.service.audit.test_audit import audited, faults
from tests.support.databases import TestDatabase
from tests.support.drand import Holders, relaying, settings_of
from tests.support.projecting import projecting
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio

__all__ = ["signing"]

Item = dict[str, Any]


async def entered(owner: Person, league: str, tournament: str, people: list[Person]) -> None:
    """Enter everybody with a commitment. A beacon that is not configured is refused."""
    asked = {"name": "Night", "ruleset": "better", "beacon": "00" * 32}
    unknown = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
    assert (unknown.status_code, unknown.json()["code"]) == (400, "beacon_unknown")
    for person in people:
        await enter(person, tournament)
        await commit(person, tournament)


async def start_while_away(owner: Person, tournament: str, chain: str) -> int:
    """Start while no relay answers, and return the number of the pulse that the seat draw needs."""
    started = await owner.post(f"/v1/tournaments/{tournament}/start")
    assert started.json()["state"] == "registration_closed"
    late = await owner.post(f"/v1/tournaments/{tournament}/registrations")
    assert refused(late, "seats_being_drawn")
    shown = (await owner.get(f"/v1/tournaments/{tournament}/fairness")).json()["beacon"]
    assert (shown["chain"]["hash"], shown["seats"]) == (chain, None)
    return int(shown["seats_round"])


async def table_of(owner: Person, tournament: str) -> str:
    """Return the table, which opens once the seats are drawn."""

    async def opened_table() -> Any:
        tables = (await owner.get(f"/v1/tournaments/{tournament}")).json()["tables"]
        return tables[0]["id"] if tables else None

    return str(await until_awaited(opened_table))


def dealt(items: list[Item]) -> Item:
    """Return the mixed pulse of the first deal, which was named just before the hand opened."""
    kinds = [each["type"] for each in items]
    at = kinds.index("hand_opened")
    around = ["table_beacon_awaited", "hand_opened", "table_beacon_mixed"]
    assert kinds[at - 1 : at + 2] == around
    awaited, mixed = items[at - 1]["data"], items[at + 1]["data"]
    assert mixed["pulse"]["round"] == awaited["round"]
    return dict(mixed)


async def dealt_again(
    owner: Person, player: Person, tournament: str, table: str, hand: Item, mixed: Item
) -> None:
    """Deal the first hand again as the guide explains, and compare it with the cards seen."""
    guide = lines()
    await owner.post(f"/v1/tournaments/{tournament}/seeds/publish")
    known = (await owner.get(f"/v1/tournaments/{tournament}/fairness")).json()
    cards = guide["deal"](tournament, known, 1, hand, guide["with_beacon"](mixed))
    seen = [
        card for item in await feed(player, f"/v1/tables/{table}") for card in guide["seen"](item)
    ]
    assert len(seen) >= 5
    assert all(cards[each["position"]] == each["card"] for each in seen)


async def shown_again(owner: Person, league: str, hand: Item, signing: Any) -> None:
    """Check that the decks, the replay and the bundle of the hand show the beacon."""
    path = f"/v1/hands/{hand['hand']}"
    decks = (await owner.get(f"{path}/decks")).json()["decks"]
    leaves = [bytes.fromhex(each) for each in decks[0]["leaves"]]
    assert generator.root(leaves).hex() == hand["deck_root"]
    replay = (await owner.get(f"{path}/replay")).json()
    steps = {each["event"]: each for each in replay["steps"]}
    assert steps["table_beacon_mixed"]["rule"] == "beacon.value"
    async with signing() as sign:
        await sign(league)
    bundle = (await owner.get(f"{path}/bundle")).content.decode()
    told = [json.loads(line) for line in bundle.splitlines()]
    (leaves_told,) = (each["hashes"] for each in told if each["line"] == "leaves")
    assert leaves_told == decks[0]["leaves"]
    within = [each["type"] for each in told if each.get("type", "").startswith("table_b")]
    assert within == ["table_beacon_awaited", "table_beacon_mixed"]


async def test_a_beacon_is_named_with_the_terms_over_http_and_mixed_into_every_deal(
    serving, signing: Any, database: TestDatabase
) -> None:
    holders = Holders()
    with relaying(holders) as relay:
        async with serving(**settings_of(holders, relay)) as api:
            chain = holders.chain.hash
            terms = {"beacon": chain, "hands_max": 1, "hands_between_seconds": 0}
            owner, league, tournament, people = await announced(api, 3, **terms)
            await entered(owner, league, tournament, people)
            relay.trick = lambda *_: (503, b"down")
            seats_round = await start_while_away(owner, tournament, chain)
            relay.trick = None
            table = await table_of(owner, tournament)
            said = (await owner.get(f"/v1/tournaments/{tournament}/fairness")).json()["beacon"]
            assert said["seats"]["randomness"] == holders.said(seats_round).randomness
            for person in people:
                assert (await opened(person, tournament)).status_code == 201
            hand = await first_hand(owner, table)
            mixed = dealt(await feed(owner, f"/v1/tables/{table}"))
            assert len(hand["openings"]) == 3

            async def over() -> bool:
                known = (await owner.get(f"/v1/tournaments/{tournament}")).json()
                return bool(known["state"] == "finished")

            await play_until(people, table, over)
            await dealt_again(owner, people[0], tournament, table, hand, mixed)
            async with projecting(database) as projections:
                await projections.catch_up()
                await shown_again(owner, league, hand, signing)
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
            answer = await owner.http.put(
                f"{path}/terms", json=revised, headers=owner.headers | ANY
            )
            assert answer.status_code == 200, answer.text
            assert "beacon_named" not in answer.json()["events"]
            out = await owner.post(f"{path}/announce")
            assert out.json()["events"] == ["tournament_announced", "registration_opened"]
            shown = (await owner.get(f"{path}/fairness")).json()
            assert shown["beacon"]["chain"]["public_key"] == holders.chain.public_key
