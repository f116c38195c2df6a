"""Fair dealing over HTTP: entropy of entrants, decks that can be checked, seeds published."""

import hmac
from hashlib import sha256
from typing import Any

import asyncpg
import pytest

from engine.values import number_of
from service.audit.play import generator
from tests.service.api.conftest import ANY
from tests.service.api.tournament.test_casino import play_until
from tests.service.api.tournament.test_entering import announced, at, enter, refused
from tests.service.audit.test_audit import audited, faults
from tests.support.databases import TestDatabase
from tests.support.projecting import projecting
from tests.support.waiting import until_awaited

pytestmark = pytest.mark.anyio


def own(person: Any) -> bytes:
    """Return the entropy that this person adds."""
    return sha256(person.player.encode()).digest()


def commitment(value: bytes) -> dict[str, str]:
    return {"commitment": sha256(b"holotable/entropy/1" + value).hexdigest()}


async def commit(person: Any, tournament: str) -> Any:
    return await person.post(f"/v1/tournaments/{tournament}/entropy", commitment(own(person)))


async def opened(person: Any, tournament: str, value: bytes | None = None) -> Any:
    body = {"value": (value or own(person)).hex()}
    return await person.post(f"/v1/tournaments/{tournament}/entropy/open", body)


async def feed(person: Any, path: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = (await person.get(f"{path}/events?limit=200")).json()["items"]
    return items


async def first_hand(person: Any, table: str) -> dict[str, Any]:
    """Return the data of the table's first ``hand_opened``, waiting until it is in the feed."""

    async def found() -> Any:
        items = await feed(person, f"/v1/tables/{table}")
        return next((each["data"] for each in items if each["type"] == "hand_opened"), None)

    hand: dict[str, Any] = await until_awaited(found)
    return hand


async def drawn(owner: Any, tournament: str) -> str:
    """Start the tournament and return its first table."""
    assert (await owner.post(f"/v1/tournaments/{tournament}/start")).status_code == 202
    shown = (await owner.get(f"/v1/tournaments/{tournament}")).json()
    return str(shown["tables"][0]["id"])


async def test_a_table_waits_for_openings_and_its_deck_counts_them(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, tournament, people = await announced(api, 3)
        for person in people:
            await enter(person, tournament)
            taken = await commit(person, tournament)
            assert (taken.status_code, taken.json()["events"]) == (201, ["entropy_committed"])
        assert refused(await commit(people[0], tournament), "entropy_committed_already")
        assert refused(await opened(people[0], tournament), "entropy_too_early")
        table = await drawn(owner, tournament)
        assert refused(await opened(people[0], tournament, bytes(32)), "entropy_mismatch")
        for person in people:
            assert (await feed(owner, f"/v1/tables/{table}"))[-1]["type"] == "table_opened"
            assert (await opened(person, tournament)).status_code == 201
            assert refused(await opened(person, tournament), "entropy_opened_already")
        hand = await first_hand(owner, table)
        seats = {each["entrant"]: each["seat"] for each in hand["seats"]}
        shown = (await owner.get(f"/v1/tournaments/{tournament}/fairness")).json()
        due = {seats[each["entrant"]]: each["value"] for each in shown["entropy"]}
        assert {each["seat"]: each["value"] for each in hand["openings"]} == due
        assert sorted(due.values()) == sorted(own(person).hex() for person in people)
        assert (len(due), hand["omissions"], shown["cards_master"]) == (3, [], None)
        assert refused(await commit(people[0], tournament), "entropy_too_late")
        assert refused(await opened(owner, tournament), "entrant_unknown")
    report = await audited(database, league)
    assert (faults(report), report.openings, report.omissions) == ({}, 3, 0)


async def test_an_opening_that_does_not_come_is_listed_and_counted(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, tournament, people = await announced(api, 3, decision_seconds=1)
        entries = [(await enter(person, tournament)).json()["entrant"] for person in people]
        for person in people[:2]:
            await commit(person, tournament)
        table = await drawn(owner, tournament)
        assert (await opened(people[0], tournament)).status_code == 201
        assert refused(await opened(people[2], tournament), "entropy_not_committed")
        hand = await first_hand(owner, table)
        assert [each["value"] for each in hand["openings"]] == [own(people[0]).hex()]
        assert hand["omissions"] == [{"entrant": entries[1], "reason": "not_opened"}]
        assert refused(await opened(people[1], tournament), "entropy_too_late")
    report = await audited(database, league)
    assert (faults(report), report.openings, report.omissions) == ({}, 1, 1)
    assert "1 openings of entrants in decks, 1 omissions." in report.text()


async def test_only_who_has_checked_in_commits_where_entrants_check_in(serving) -> None:
    async with serving() as api:
        terms = {"starts_at": at(3600), "entry": {"check_in_opens_before_seconds": 7200}}
        _, _, tournament, (person,) = await announced(api, 1, **terms)
        await enter(person, tournament)
        assert refused(await commit(person, tournament), "not_checked_in")
        await person.post(f"/v1/tournaments/{tournament}/check-ins")
        assert (await commit(person, tournament)).status_code == 201


async def test_a_player_finds_every_card_it_was_dealt_in_the_deck_that_was_committed_to(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing(3)
        hand = await first_hand(people[0], table)
        async with projecting(database) as projections:
            await projections.catch_up()
        decks = (await people[0].get(f"/v1/hands/{hand['hand']}/decks")).json()["decks"]
        leaves = [bytes.fromhex(leaf) for leaf in decks[0]["leaves"]]
        assert (len(leaves), decks[0]["root"]) == (62, hand["deck_root"])
        assert generator.root(leaves).hex() == hand["deck_root"]
        mine = 0
        for item in await feed(people[0], f"/v1/tables/{table}"):
            for pointer, card in item["opened"].items():
                place: Any = item["data"]
                for step in pointer.split("/")[1:]:
                    place = place[int(step)] if isinstance(place, list) else place[step]
                salt = bytes.fromhex(item["salts"][pointer])
                where = (place["pile"] << 16 | place["position"]).to_bytes(4, "big")
                leaf = sha256(b"\0holotable/card/1" + salt + where + card.encode()).digest()
                assert leaf == leaves[place["position"]]
                mine += 1
        assert mine == 5
        stranger = await api.person()
        assert (await stranger.get(f"/v1/hands/{hand['hand']}/decks")).status_code == 404


async def test_published_seeds_let_anybody_deal_again(serving, database: TestDatabase) -> None:
    async with serving() as api:
        owner, league, tournament, people, table = await api.playing(
            2, starting_stack=20, decision_seconds=60
        )
        path = f"/v1/tournaments/{tournament}"
        assert refused(await owner.post(f"{path}/seeds/publish"), "seeds_still_needed")

        async def over() -> bool:
            return bool((await owner.get(path)).json()["state"] == "finished")

        await play_until(people, table, over)
        assert (await owner.get(f"{path}/fairness")).json()["cards_master"] is None
        assert (await people[0].post(f"{path}/seeds/publish")).status_code == 403
        for role in ("director", "owner"):
            # An office does not let its holder open the hands of a tournament they played in.
            office = f"/v1/leagues/{league}/members/{people[0].player}"
            given = await api.http.put(office, json={"role": role}, headers=owner.headers | ANY)
            assert given.is_success, given.text
            playing = await people[0].post(f"{path}/seeds/publish")
            assert (playing.status_code, playing.json()["code"]) == (403, "forbidden")
        done = await owner.post(f"{path}/seeds/publish", key="once")
        assert (done.status_code, done.json()["events"]) == (201, ["seeds_published"])
        assert (await owner.post(f"{path}/seeds/publish")).json()["events"] == []
        shown = (await people[0].get(f"{path}/fairness")).json()
        master = bytes.fromhex(shown["cards_master"])
        text = b"holotable/master/1" + bytes.fromhex(tournament[4:]) + b"cards\0" + master
        assert sha256(text).hexdigest() == shown["cards_commitment"]
        hand = await first_hand(people[0], table)
        numbers = b"".join(n.to_bytes(4, "big") for n in (1, 1, 1))
        seed = hmac.digest(master, b"holotable/seed/1cards\0" + numbers, "sha256")
        assert hand["commitments"]["cards"] == generator.seed_commitment(seed)
    assert faults(await audited(database, league)) == {}


async def test_a_hand_outlives_the_process_that_dealt_it(serving, database: TestDatabase) -> None:
    """The next process needs only the log: cards in hand and deck are the same."""
    async with serving() as api:
        owner, league, _, people, table = await api.playing(2, decision_seconds=600)
        hand = await first_hand(owner, table)
        before = [(await each.get(f"/v1/tables/{table}")).json()["me"] for each in people]
    async with serving() as api:
        for person in (*people, owner):
            person.http = api.http
        after = [(await each.get(f"/v1/tables/{table}")).json()["me"] for each in people]
        assert [each["cards"] for each in after] == [each["cards"] for each in before]

        async def settled() -> bool:
            items = await feed(owner, f"/v1/tables/{table}")
            return any(each["type"] == "hand_settled" for each in items)

        await play_until(people, table, settled)
        assert (await first_hand(owner, table))["deck_root"] == hand["deck_root"]
    report = await audited(database, league)
    assert (faults(report), report.hands > 0) == ({}, True)


async def test_an_opening_exchanged_in_the_log_is_found(serving, database: TestDatabase) -> None:
    async with serving() as api:
        owner, league, tournament, people = await announced(api, 2)
        for person in people:
            await enter(person, tournament)
            await commit(person, tournament)
        table = await drawn(owner, tournament)
        for person in people:
            await opened(person, tournament)
        await first_hand(owner, table)
    connection = await asyncpg.connect(database.url("postgres"))
    await connection.execute("ALTER TABLE events DISABLE TRIGGER ALL")
    changed = await connection.execute(
        "UPDATE events SET data = replace(data::text, $2, $3)::json "
        "WHERE league = $1 AND type = 'hand_opened'",
        number_of(league),
        own(people[0]).hex(),
        "00" * 32,
    )
    await connection.close()
    assert changed == "UPDATE 1"
    found = faults(await audited(database, league))
    assert {"entropy", "chains", "decks"} <= set(found)
