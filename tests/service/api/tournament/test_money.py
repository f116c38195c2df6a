"""The money of a tournament over HTTP: entries, payments, bounties, deals, refunds, the audit."""

import asyncio
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import psycopg
import pytest

from tests.service.api.league.test_exports import table_of
from tests.service.api.proof.test_evidence import project
from tests.service.api.tournament.test_rebuys import answer
from tests.service.audit.test_audit import audited, faults
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

FEES = {"buy_in": 1000, "fee": 100, "bounty": 50}
TERMS: dict[str, Any] = {
    "ruleset": "better_simple",
    "overrides": {
        "first_dealer": "host_choice",
        "tie": {"kind": "chance_cube"},
        "escalation": {"kind": "none"},
    },
    "starting_stack": 10,
    "currency": "EUR",
    "payouts": [70, 30],
}


async def ledger(person: Any, tournament: str) -> dict[str, Any]:
    """Return the books as *person* sees them, after a check that they balance."""
    answered = await person.get(f"/v1/tournaments/{tournament}/ledger")
    assert answered.status_code == 200, answered.text
    books: dict[str, Any] = answered.json()
    totals = books["totals"]
    came = sum(totals[each] for each in ("paid", "added", "owed"))
    assert came == sum(totals.values()) - came
    return books


async def shown(person: Any, tournament: str) -> dict[str, Any]:
    found: dict[str, Any] = (await person.get(f"/v1/tournaments/{tournament}")).json()
    return found


async def played_out(people: list[Any], tournament: str, table: str) -> None:
    """Go all-in with everybody until the tournament is finished."""
    for _ in range(400):
        if (await shown(people[0], tournament))["state"] == "finished":
            return
        for person in people:
            await answer(person, table)
    raise AssertionError("the tournament does not come to its end")


async def one_folds(people: list[Any], table: str) -> None:
    """Fold the hand of the first person who may fold."""
    for _ in range(20):
        for person in people:
            view = (await person.get(f"/v1/tables/{table}")).json()
            verbs = [action["verb"] for action in view["legal"]]
            if "fold" in verbs:
                body = {"type": "fold", "decision": view["decision"]["token"]}
                folded = await person.post(f"/v1/tables/{table}/actions", body, key="fold")
                assert folded.status_code == 200, folded.text
                return
            if view["my_turn"]:
                await answer(person, table)
    raise AssertionError("nobody may fold")


async def test_a_tournament_pays_its_pool_and_its_bounties_and_the_audit_adds_it_up(
    serving, database: TestDatabase
) -> None:
    """There are two entries of 11.50. The winner gets the larger payout and both bounties."""
    async with serving() as api:
        owner, league, tournament, people, table = await api.playing(2, **TERMS, fees=FEES)
        before = await shown(people[0], tournament)
        assert before["money"] == {
            "pool": 2000, "entries": 2, "rebuys": 0, "add_ons": 0, "prizes": [1400, 600],
        }  # fmt: skip
        assert before["fees"]["bounty"] == 50
        await played_out(people, tournament, table)

        entrants = (await shown(owner, tournament))["entrants"]
        assert sorted(each["payout"] for each in entrants) == [600, 1400]
        books = await ledger(owner, tournament)
        assert books["totals"]["prizes"] == 2000
        assert (books["totals"]["bounties_won"], books["totals"]["fees"]) == (100, 200)
        winner = next(each["id"] for each in entrants if each["payout"] == 1400)
        mine = next(each for each in books["accounts"] if each["entrant"] == winner)
        assert (mine["bounties"], mine["knockouts"], mine["paid"]) == (100, 1, 1150)
        prize = f"/v1/tournaments/{tournament}/prizes/{winner}/handed-over"
        assert (await owner.post(prize, key="envelope")).json()["amount"] == 1400
        assert (await owner.post(prize, key="envelope")).json()["amount"] == 1400
        assert (await owner.post(prize)).json()["code"] == "prize_not_due"
        assert (await people[0].post(prize)).json()["code"] == "forbidden"
        books = await ledger(owner, tournament)
        got = {each["entrant"]: each["handed_over"] for each in books["accounts"]}
        assert sorted(got.values()) == [0, 1400] and got[winner] == 1400
        mistake = prize.replace("handed-over", "reversals")
        why = {"reason": "It was another Han"}
        assert (await people[0].post(mistake, why)).json()["code"] == "forbidden"
        part = why | {"amount": 100, "recorded": 1400}
        for _ in range(2):
            assert (await owner.post(mistake, part, key="part")).json()["amount"] == 100
        again = (await owner.post(mistake, part)).json()
        assert (again["code"], again["recorded"]) == ("prize_not_handed_over", 1300)
        assert (await owner.post(prize)).json()["amount"] == 100
        for _ in range(2):
            assert (await owner.post(mistake, why, key="mistake")).json()["amount"] == 1400
        assert (await owner.post(mistake, why)).json()["code"] == "prize_not_handed_over"
        with psycopg.connect(database.url("holotable_migrate")) as connection:
            kept = connection.execute("SELECT count(*) FROM text").fetchone()
        assert kept == (2,), "refused words are kept"
        assert (await owner.post(prize)).json()["amount"] == 1400
        report = await audited(database, league)
        assert faults(report) == {}, report.text()
        assert {check.name: check.checked for check in report.checks}["money"] >= 3


async def test_staff_see_every_account_and_others_their_own(serving) -> None:
    """Payments of other entrants are between them and the house."""
    async with serving() as api:
        owner, _, tournament, people, _ = await api.playing(3, **TERMS, fees=FEES)

        whole = await ledger(owner, tournament)
        own = await ledger(people[1], tournament)

        assert len(whole["accounts"]) == 3
        assert [each["player"] for each in own["accounts"]] == [people[1].player]
        assert own["totals"] == whole["totals"]


async def test_staff_record_what_was_paid_and_nobody_else_does(serving) -> None:
    """The books show each debt and each payment to the smallest unit of money."""
    async with serving() as api:
        fees = FEES | {"payment": "recorded"}
        owner, _, tournament, people, _ = await api.playing(2, **TERMS, fees=fees)
        entrant = (await shown(owner, tournament))["entrants"][0]["id"]
        path = f"/v1/tournaments/{tournament}/payments"
        body = {"entrant": entrant, "kind": "buy_in", "amount": 1000}

        recorded = await owner.post(path, body, key="paid")
        assert recorded.status_code == 201, recorded.text
        assert recorded.json()["position"]
        again = await owner.post(path, body, key="paid")
        assert again.json() == recorded.json()

        twice = await owner.post(path, body, key="twice")
        assert (twice.status_code, twice.json()["code"]) == (409, "payment_not_due")
        assert twice.json()["rule"] == "payment.recorded"
        refused = await people[0].post(path, body, key="own")
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
        totals = (await ledger(owner, tournament))["totals"]
        assert (totals["paid"], totals["owed"], totals["pool"]) == (1000, 1300, 2000)
        then = {"as_of": recorded.json()["position"]}
        await owner.post(path, body | {"kind": "fee", "amount": 100}, key="fee")
        past = (await owner.get(f"/v1/tournaments/{tournament}/ledger", params=then)).json()
        assert past["totals"] == totals
        books = await ledger(owner, tournament)
        assert books["totals"]["paid"] == 1100
        assert books["accounts"][0]["payments"] == [
            {"kind": "buy_in", "amount": 1000},
            {"kind": "fee", "amount": 100},
        ]


async def test_terms_of_money_that_contradict_themselves_are_refused(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        asked = {"name": "Night", **TERMS, "fees": {"buy_in": 5, "unit": 0}}

        refused = await owner.post(f"/v1/leagues/{league}/tournaments", asked)

        assert (refused.status_code, refused.json()["code"]) == (409, "terms_invalid")
        assert refused.json()["field"] == "fees.unit"


async def test_those_left_agree_on_a_deal_and_play_ends_with_it(
    serving, database: TestDatabase
) -> None:
    """Each entrant agrees in person. The hand in play is the last, and payouts are as agreed."""
    async with serving() as api:
        owner, league, tournament, people, table = await api.playing(3, **TERMS, fees=FEES)
        path = f"/v1/tournaments/{tournament}/deals"
        body = {"method": "equal", "ends": True}

        offered = await people[0].post(path, body, key="offer")
        assert offered.status_code == 201, offered.text
        assert offered.json()["events"] == ["payout_deal_proposed"]
        other = await people[1].post(path, body, key="another")
        assert (other.status_code, other.json()["code"]) == (409, "deal_pending")
        nobody = await owner.post(f"{path}/1/accept", {}, key="for-them")
        assert nobody.status_code == 404
        pending = (await owner.get(path)).json()
        assert sum(pending["offer"]["shares"].values()) == 3000
        assert pending["made"] is None
        for person in people[:2]:
            await person.post(f"{path}/1/accept", {}, key="yes")
        made = await people[2].post(f"{path}/1/accept", {}, key="yes")
        assert made.json()["events"] == ["payout_deal_accepted", "payout_deal_made", "play_closing"]

        await played_out(people, tournament, table)

        entrants = (await shown(owner, tournament))["entrants"]
        assert [each["payout"] for each in entrants] == [1000, 1000, 1000]
        await ledger(owner, tournament)
        report = await audited(database, league)
        assert faults(report) == {}, report.text()


async def test_a_deal_by_chips_is_proposed_by_a_director_and_declined(serving) -> None:
    """The stacks are those between hands, so they are equal until the first hand is over."""
    async with serving() as api:
        owner, _, tournament, people, _ = await api.playing(3, **TERMS, fees=FEES)
        path = f"/v1/tournaments/{tournament}/deals"
        body = {"method": "by_chips", "play_for": 300}

        offered = await owner.post(f"{path}/by-director", body, key="offer")
        assert offered.status_code == 201, offered.text
        shares = (await owner.get(path)).json()["offer"]["shares"]
        assert list(shares.values()) == [900, 900, 900]

        declined = await people[0].post(f"{path}/1/decline", {}, key="no")
        assert declined.json()["events"] == ["payout_deal_voided"]
        late = await people[1].post(f"{path}/1/accept", {}, key="yes")
        assert (late.status_code, late.json()["code"]) == (409, "deal_not_open")


@pytest.mark.parametrize(
    ("policy", "payouts", "due"),
    [("roll_forward", [1], 1150), ("refund_all", [1], 1150), ("refund_all", [1, 1, 1], 1050)],
)
async def test_a_tournament_cancelled_in_play_owes_by_its_policy(
    serving, database: TestDatabase, policy: str, payouts: list[int], due: int
) -> None:
    """A cancellation during a hand returns the bets, so all stacks are equal."""
    async with serving() as api:
        terms = TERMS | {"payouts": payouts, "fees": FEES | {"cancellation": policy}}
        owner, league, tournament, people, _ = await api.playing(3, **terms)

        path = f"/v1/tournaments/{tournament}/cancel"
        tried = (await owner.post(f"{path}?dry_run=true", {}, key="try")).json()
        (change,) = tried["tournaments"].values()
        assert [each["after"] for each in change["payouts"]] == [due, due, due]
        cancelled = await owner.post(f"/v1/tournaments/{tournament}/cancel", {}, key="storm")
        assert cancelled.status_code == 200, cancelled.text

        books = await ledger(owner, tournament)
        owed = [
            sum(part for part in each["refund"].values() if isinstance(part, int))
            for each in books["accounts"]
        ]
        assert owed == [due, due, due]
        assert books["totals"]["pool"] == 0
        mine = (await ledger(people[2], tournament))["accounts"]
        assert [each["player"] for each in mine] == [people[2].player]
        table = await table_of(owner, f"/v1/tournaments/{tournament}/refunds.csv")
        assert [row["amount_minor"] for row in table] == [str(due)] * 3
        in_money = len(payouts) == 3
        assert {row["policy"] for row in table} == {
            "lowest_unpaid_then_chips" if in_money else policy
        }
        parts = ("paid_in", "fee", "bounty", "prize", "equal", "chips")
        for row, account in zip(table, books["accounts"], strict=True):
            assert {each: int(row[f"{each}_minor"]) for each in parts} == {
                each: account["refund"][each] for each in parts
            }
        (own,) = await table_of(people[2], f"/v1/tournaments/{tournament}/refunds.csv")
        assert own["player"] == people[2].player
        await project(database)
        archive = await owner.get(f"/v1/leagues/{league}/archive")
        with ZipFile(BytesIO(archive.content)) as taken:
            apart = await owner.get(f"/v1/tournaments/{tournament}/refunds.csv")
            assert taken.read("csv/refunds.csv") == apart.content
        report = await audited(database, league)
        assert faults(report) == {}, report.text()


async def test_an_add_on_is_bought_at_a_break(serving, database: TestDatabase) -> None:
    """One append puts the chips at the seat and the price into the pool."""
    async with serving() as api:
        fees = FEES | {"add_on": {"price": 500, "chips": 20}}
        terms = TERMS | {"starting_stack": 100, "fees": fees}
        owner, league, tournament, people, table = await api.playing(2, **terms)
        path = f"/v1/tournaments/{tournament}/add-ons"
        early = await people[0].post(path, {}, key="early")
        assert (early.status_code, early.json()["code"]) == (409, "add_on_not_allowed")
        await owner.post(f"/v1/tournaments/{tournament}/pause", {}, key="break")
        await one_folds(people, table)
        bought = await people[0].post(path, {}, key="add")
        assert bought.json()["events"] == ["add_on_taken", "chips_bought"], bought.text
        assert (await shown(owner, tournament))["money"]["pool"] == 2500
        report = await audited(database, league)
        assert faults(report) == {}, report.text()


async def test_a_payment_is_taken_back_once_however_many_ask(
    serving, database: TestDatabase
) -> None:
    """A payment that was given back after a withdrawal is not reversed too, in either order."""
    async with serving() as api:
        owner, league = await api.league()
        people = [await api.join(owner, league) for _ in range(2)]
        terms = {"name": "Night", "ruleset": "better", "currency": "EUR", "payouts": [1]}
        fees = {"buy_in": 1000, "payment": "recorded"}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", terms | {"fees": fees})
        night = f"/v1/tournaments/{made.json()['id']}"
        entered = [(await each.post(f"{night}/registrations")).json() for each in people]
        entrant = entered[0]["entrant"]
        paid = {"entrant": entrant, "kind": "buy_in", "amount": 1000}
        back = paid | {"reason": "It was the player next to him."}
        assert (await owner.post(f"{night}/payments", paid)).status_code == 201

        taken = await owner.post(f"{night}/payments/reversals", back)
        assert (taken.status_code, taken.json()["amount"]) == (201, -1000)
        assert (await owner.post(f"{night}/payments", paid)).status_code == 201
        assert (await people[0].post(f"{night}/withdrawals")).status_code == 200
        asked = [
            owner.post(f"{night}/payments/reversals", back),
            owner.post(f"{night}/payments", paid | {"kind": "refund"}),
            owner.post(f"{night}/payments/reversals", back),
            owner.post(f"{night}/payments", paid | {"kind": "refund"}),
        ]
        codes = sorted(each.status_code for each in await asyncio.gather(*asked))

        assert codes == [201, 409, 409, 409]
        totals = (await ledger(owner, made.json()["id"]))["totals"]
        assert (totals["credit"], totals["owed"]) == (0, 1000)
    assert faults(await audited(database, league)) == {}


async def test_a_tournament_tells_what_happened_last(serving) -> None:
    async with serving() as api:
        owner, _, tournament, _, table = await api.playing(5, table_seats=3)
        seats = (await owner.get(f"/v1/tables/{table}")).json()["seats"]
        asked = {"entrant": seats[0]["entrant"], "hands": 2, "reason": "Late for the hand."}
        given = await owner.post(f"/v1/tournaments/{tournament}/penalties", asked)
        assert given.status_code == 201, given.text

        told = (await owner.get(f"/v1/tournaments/{tournament}/happenings")).json()["items"]

        assert (told[0]["type"], told[0]["hands"]) == ("penalty_given", 2)
        assert told[0]["by"] == owner.login
