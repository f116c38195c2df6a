"""Commands of staff for a player over HTTP, one by one and in bulk."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import asyncpg
import pytest

from service.director.submitting import start_tournament
from service.people.tokens import SCOPES_OF_PEOPLE
from tests.service.api.conftest import ANY, PASSWORD
from tests.service.api.proof.test_evidence import KEY, signing
from tests.service.api.tournament.test_casino import play_out
from tests.service.api.tournament.test_entering import announced, at, enter, entry_of, refused
from tests.service.api.tournament.test_money import FEES, TERMS, one_folds
from tests.service.audit.test_audit import audited, faults
from tests.support.databases import TestDatabase
from tests.support.waiting import until_awaited
from tests.verifier.loading import verifier

pytestmark = pytest.mark.anyio

__all__ = ["signing"]

WHY = {"reason": "The evening is short."}
LEVELS = [{"small": 5, "big": 10, "length": 600}, {"small": 10, "big": 20, "length": None}]
OPEN = {"starts_at": at(3600), "entry": {"check_in_opens_before_seconds": 7200}}


async def feed(person: Any, path: str, kind: str) -> list[dict[str, Any]]:
    """Return the data of a tournament's events of one type."""
    items = (await person.get(f"{path}/events?limit=200")).json()["items"]
    return [each["data"] for each in items if each["type"] == kind]


async def test_staff_enter_check_in_and_withdraw_a_player(serving, database: TestDatabase) -> None:
    async with serving() as api:
        terms = {"starts_at": at(3600)}
        terms["entry"] = OPEN["entry"] | {"approval": True}
        owner, league, tournament, people = await announced(api, 3, **terms)
        path = f"/v1/tournaments/{tournament}"
        named = {"player": people[0].player}
        entered = await owner.post(f"{path}/registrations/by-staff", named, key="a")
        assert (entered.status_code, entered.json()["status"]) == (201, "registered")
        again = await owner.post(f"{path}/registrations/by-staff", named, key="a")
        assert again.json() == entered.json()
        assert refused(await owner.post(f"{path}/registrations/by-staff", named), "already_entered")
        stranger = {"player": (await api.person()).player}
        gone = await owner.post(f"{path}/registrations/by-staff", stranger)
        assert (gone.status_code, gone.json()["code"]) == (404, "not_found")
        mine = await people[1].post(f"{path}/registrations/by-staff", named)
        assert (mine.status_code, mine.json()["code"]) == (403, "forbidden")

        entry = f"{path}/registrations/{entered.json()['entrant']}"
        assert (await owner.post(f"{entry}/check-in")).json()["events"][-1] == "entrant_checked_in"
        assert (await entry_of(owner_of(owner, people[0]), tournament))["checked_in"]
        undone = await owner.http.delete(f"{entry}/check-in", headers=owner.headers)
        assert undone.json()["events"] == ["check_in_undone"], undone.text
        assert not (await entry_of(owner_of(owner, people[0]), tournament))["checked_in"]
        left = await owner.post(f"{entry}/withdraw")
        assert left.json()["events"] == ["entrant_withdrawn"]
        for kind in ("entrant_registered", "entrant_checked_in", "entrant_withdrawn"):
            assert [each["by"] for each in await feed(owner, path, kind)] == [owner.player], kind
        report = await audited(database, league)
    assert faults(report) == {}, report.text()


def owner_of(owner: Any, person: Any) -> Any:
    """Return a reader of *person*'s entry who is the owner."""

    class Reader:
        player, get = person.player, owner.get

    return Reader()


async def test_changes_in_bulk_are_all_made_or_none(serving, database: TestDatabase) -> None:
    async with serving() as api:
        owner, league, tournament, people = await announced(api, 3, **OPEN)
        path = f"/v1/tournaments/{tournament}/registrations"
        first = (await enter(people[0], tournament)).json()["entrant"]
        new = [{"type": "enter", "player": each.player} for each in people[1:]]
        unknown = {"type": "check_in", "entrant": "ent_" + "0" * 32}
        no = await owner.post(f"{path}/bulk", {"changes": [*new, unknown]})
        assert refused(no, "entrant_unknown")
        assert no.json()["change"] == 2
        stranger = {"type": "enter", "player": (await api.person()).player}
        no = await owner.post(f"{path}/bulk", {"changes": [new[0], stranger]})
        assert (no.status_code, no.json()["change"]) == (404, 1)
        assert len((await owner.get(path)).json()["items"]) == 1

        changes = [*new, {"type": "check_in", "entrant": first}]
        made = await owner.post(f"{path}/bulk", {"changes": changes}, key="all")
        assert made.status_code == 200, made.text
        found = made.json()["changes"]
        assert [each["events"] for each in found] == [
            ["entrant_registered"], ["entrant_registered"], ["entrant_checked_in"],
        ]  # fmt: skip
        again = await owner.post(f"{path}/bulk", {"changes": changes}, key="all")
        assert again.json() == made.json()
        more = [
            {"type": "undo_check_in", "entrant": first},
            {"type": "withdraw", "entrant": found[0]["entrant"]},
            {"type": "check_in", "entrant": found[1]["entrant"]},
        ]
        assert (await owner.post(f"{path}/bulk", {"changes": more})).status_code == 200
        items = (await owner.get(path)).json()["items"]
        assert {each["entrant"]: each["checked_in"] for each in items} == {
            first: False,
            found[1]["entrant"]: True,
        }
        report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_staff_take_a_rebuy_and_an_add_on_for_an_entrant(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        fees = FEES | {"add_on": {"price": 500, "chips": 20}}
        overrides = TERMS.get("overrides", {}) | {"rebuy": {"max": 1, "until_level": None}}
        terms = TERMS | {"starting_stack": 100, "fees": fees, "overrides": overrides}
        owner, league, tournament, people, table = await api.playing(2, **terms)
        path = f"/v1/tournaments/{tournament}"
        entrant = (await owner.get(path)).json()["entrants"][0]["id"]
        declared = await owner.post(f"{path}/rebuys/by-staff", {"entrant": entrant})
        assert declared.json()["events"] == ["rebuy_declared"], declared.text
        await owner.post(f"{path}/pause", {}, key="break")
        await one_folds(people, table)
        bought = await owner.post(f"{path}/add-ons/by-staff", {"entrant": entrant})
        assert bought.json()["events"] == ["add_on_taken", "chips_bought"], bought.text
        (taken,) = await feed(owner, path, "add_on_taken")
        assert (taken["entrant"], taken["by"]) == (entrant, owner.player)
        assert (await owner.get(path)).json()["money"]["pool"] == 2500
        no = await people[0].post(f"{path}/add-ons/by-staff", {"entrant": entrant})
        assert no.json()["code"] == "forbidden"
        report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_a_walk_in_is_a_member_entered_and_seated_in_one_step(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        late = {"entry": {"late_registration_seconds": 3600, "approval": False}}
        owner, league, tournament, people, table = await api.playing(
            2, table_seats=3, starting_stack=100, **late
        )
        path = f"/v1/tournaments/{tournament}"
        body = {"name": "Wedge Antilles"}
        came = await owner.post(f"{path}/walk-ins", body, key="wedge")
        assert came.status_code == 201, came.text
        told = came.json()
        assert (told["status"], told["table"]) == ("registered", table)
        assert told["seat"] in (1, 2, 3)
        assert told["claim"] is not None
        again = (await owner.post(f"{path}/walk-ins", body, key="wedge")).json()
        assert again == told | {"claim": None}
        assert refused(await owner.post(f"{path}/walk-ins", body), "already_entered")
        members = (await owner.get(f"/v1/leagues/{league}/members")).json()["items"]
        assert told["player"] in [each["player"] for each in members]
        (entered,) = [
            each
            for each in await feed(owner, path, "entrant_registered")
            if each["player"] == told["player"]
        ]
        assert entered["by"] == owner.player

        no = await people[0].post(f"{path}/walk-ins", {"name": "Biggs"})
        assert no.json()["code"] == "forbidden"
        await owner.post(f"{path}/registration/close")
        late_comer = await owner.post(f"{path}/walk-ins", {"name": "Biggs"})
        assert refused(late_comer, "registration_closed")
        claims = (await owner.get(f"/v1/leagues/{league}/claims")).json()["items"]
        assert [each["name"] for each in claims] == ["Wedge Antilles"]
        report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_a_walk_in_comes_in_the_time_that_an_outage_gave_back(serving) -> None:
    async with serving() as api:
        late = {"entry": {"late_registration_seconds": 600}, "table_seats": 3}
        owner, league, tournament, people = await announced(api, 2, **late)
        for person in people:
            assert (await enter(person, tournament)).is_success
        runtime = api.app.shell.runtime
        began = runtime.clock.now() - timedelta(hours=1)
        await start_tournament(runtime, league, tournament, began)
        path = f"/v1/tournaments/{tournament}/walk-ins"
        assert refused(await owner.post(path, {"name": "Biggs"}), "registration_closed")
        await runtime.pool.execute(
            "INSERT INTO outage VALUES ('api', $1, clock_timestamp())", began
        )
        came = await owner.post(path, {"name": "Biggs"})
        assert (came.status_code, came.json()["status"]) == (201, "registered"), came.text


async def test_two_desks_that_enter_one_walk_in_make_one_player(
    serving, database: TestDatabase
) -> None:
    """Both searched for the name before either stored it."""
    turns = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    connection = await asyncpg.connect(database.url("postgres"))
    try:
        async with serving() as api:
            owner, league, tournament, _ = await announced(api, 0, **OPEN)
            path = f"/v1/tournaments/{tournament}/walk-ins"

            async def come(key: str) -> Any:
                return await owner.post(path, {"name": "Wedge Antilles"}, key=key)

            async def both_wait() -> bool:
                return await connection.fetchval(turns) >= 2

            async with connection.transaction():
                await connection.execute("INSERT INTO entering_turn (league) VALUES ($1)", league)
                desks = [asyncio.create_task(come(key)) for key in ("first", "second")]
                await until_awaited(both_wait)
            answers = await asyncio.gather(*desks)
            assert sorted(each.status_code for each in answers) == [201, 409]
            (no,) = (each for each in answers if each.status_code == 409)
            assert refused(no, "already_entered")
            assert len((await owner.get(f"/v1/leagues/{league}/members")).json()["items"]) == 2
    finally:
        await connection.close()


async def played_by_staff(api: Any) -> tuple[Any, str, str, list[Any]]:
    """Play an evening at which staff do everything. Return owner, league, its path and people."""
    rules = {"escalation": {"kind": "levels", "by": "clock", "levels": LEVELS}}
    rules["rebuy"] = {"max": 1, "until_level": 1, "seconds": 0}
    terms = {"starting_stack": 100, "currency": "EUR", "payouts": [70, 30], "fees": FEES}
    terms |= {"overrides": rules, "table_seats": 4, "hands_between_seconds": 0}
    entry = OPEN["entry"] | {"approval": True, "late_registration_level": 1}
    more = terms | {"starts_at": at(3600), "entry": entry | {"no_show": "release"}}
    owner, league, tournament, people = await announced(api, 3, **more)
    path = f"/v1/tournaments/{tournament}"
    changes = [{"type": "enter", "player": each.player} for each in people]
    made = await owner.post(f"{path}/registrations/bulk", {"changes": changes})
    entrants = [each["entrant"] for each in made.json()["changes"]]
    for entrant in entrants:
        await owner.post(f"{path}/registrations/{entrant}/check-in")
    undone = f"{path}/registrations/{entrants[2]}/check-in"
    assert (await owner.http.delete(undone, headers=owner.headers)).is_success
    assert (await owner.post(f"{path}/start")).is_success
    late = {"player": people[2].player}
    assert (await owner.post(f"{path}/registrations/by-staff", late)).is_success
    await owner.post(f"{path}/rebuys/by-staff", {"entrant": entrants[0]})
    for body in ({"seconds": 60}, {"level": 2}, {"level": 1, "seconds": -30}):
        assert (await owner.post(f"{path}/clock", WHY | body)).is_success
    table = (await owner.get(path)).json()["tables"][0]["id"]

    await play_out(owner, tournament, people, table)
    return owner, league, path, people


async def payouts(owner: Any, path: str) -> dict[str, int]:
    """Return the payout of each entrant, smallest first."""
    shown = (await owner.get(path)).json()["entrants"]
    found = {each["id"]: each["payout"] or 0 for each in shown}
    return dict(sorted(found.items(), key=lambda each: each[1]))


async def turned_round(owner: Any, path: str) -> tuple[dict[str, int], dict[str, int]]:
    """Hand all prizes over, and reverse the result. Return the payouts before and after."""
    before = await payouts(owner, path)
    assert {each: await handed_over(owner, path, each) for each in before} == before
    assert sum(map(bool, before.values())) >= 2  # equal players share a place
    body = WHY | {"order": [[each] for each in before]}
    corrected = await owner.post(f"{path}/corrections", body, headers=ANY)
    assert corrected.status_code == 201, corrected.text
    assert any([await handed_over(owner, path, each) for each in before])
    return before, await payouts(owner, path)


async def test_a_bundle_of_a_tournament_run_by_staff_is_verified(
    serving, signing: Callable[[], Any], database: TestDatabase
) -> None:
    """The clock, an undone check-in, and prizes that were handed over before a correction too."""
    async with serving() as api, signing() as sign:
        owner, league, path, people = await played_by_staff(api)
        was, now = await turned_round(owner, path)
        for entrant, got in was.items():
            back = await owner.post(f"{path}/prizes/{entrant}/returned", key=f"back {entrant}")
            if got <= now[entrant]:
                assert refused(back, "prize_not_owed_back")
                continue
            assert back.json()["amount"] == got - now[entrant], back.text
            again = await owner.post(f"{path}/prizes/{entrant}/returned", key=f"back {entrant}")
            assert again.json() == back.json()
        assert any(got > now[entrant] for entrant, got in was.items())
        no = await people[0].post(f"{path}/prizes/{next(iter(was))}/returned")
        assert no.json()["code"] == "forbidden"
        books = (await owner.get(f"{path}/ledger")).json()["accounts"]
        assert {each["entrant"]: each["handed_over"] for each in books} == now
        report = await audited(database, league)
        assert faults(report) == {}, report.text()
        await sign(league)
        bundle = (await owner.get(f"{path}/bundle")).content
        found = verifier.verify(bundle, [verifier.read_key(KEY.verifier_key())])
        assert found.authentic and found.differences == []


async def handed_over(owner: Any, path: str, entrant: str) -> int:
    """Hand a prize over. Return its amount, or 0 if there is none."""
    answer = await owner.post(f"{path}/prizes/{entrant}/handed-over")
    assert answer.is_success or refused(answer, "prize_not_due"), answer.text
    return int(answer.json().get("amount", 0))


async def test_staff_who_walk_in_themselves_wait_for_approval(serving) -> None:
    """The director is a player whom the league had entered before, under the same address."""
    async with serving() as api:
        owner, league, tournament, _ = await announced(api, 0, entry={"approval": True})
        leia = {"name": "Leia Organa", "email": "leia@alderaan.example"}
        made = (await owner.post(f"/v1/leagues/{league}/players", leia)).json()
        account = {"code": made["claim"], "login": "leia-organa", "password": PASSWORD}
        claimed = await api.http.post("/v1/claims", json=account)
        assert claimed.is_success, claimed.text
        signing_in = {"login": "leia-organa", "password": PASSWORD, "scopes": SCOPES_OF_PEOPLE}
        token = (await api.http.post("/v1/tokens", json=signing_in)).json()["token"]
        path = f"/v1/leagues/{league}/members/{made['player']}"
        promoted = await api.http.put(path, json={"role": "director"}, headers=owner.headers | ANY)
        assert promoted.is_success, promoted.text
        herself = {"Authorization": f"Bearer {token}", "Idempotency-Key": "leia"}
        came = await api.http.post(
            f"/v1/tournaments/{tournament}/walk-ins", json=leia, headers=herself
        )
        assert came.status_code == 201, came.text
        assert (came.json()["status"], came.json()["player"]) == ("requested", made["player"])
