"""Invalid and hostile requests. Each gets its code, and none causes a defect."""

import asyncio

import asyncpg
import pytest

from service.api.http.problems.answers import catalogue
from service.api.routes import ROUTES
from service.base.addresses import asyncpg_dsn
from tests.service.api.table.test_commands import answer_to, turn

pytestmark = pytest.mark.anyio

NO_NAMES = ("x", "%00", "%ff", "%0a", "..%2f", "tbl_" + "0" * 32, "hnd_" + "A" * 32, "9" * 3000)


async def in_phase(people, table, phase):
    """
    Play legal actions until a player has to decide in *phase*. Return that player and the view.
    """
    for step in range(100):
        person, view = await turn(people, table)
        if view["phase"] == phase:
            return person, view
        path = f"/v1/tables/{table}/actions"
        done = await person.post(path, answer_to(view), key=f"to {phase} {step}")
        assert done.status_code == 200, done.text
    raise AssertionError(f"no {phase}")


async def refused(person, table, action, key):
    """
    Return status and code of the refusal of *action*. The refusal must list the legal actions.
    """
    answer = await person.post(f"/v1/tables/{table}/actions", action, key=key)
    assert "legal_actions" in answer.json(), answer.text
    return answer.status_code, answer.json()["code"]


async def test_acting_out_of_turn_is_refused(serving) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing()
        person, view = await in_phase(people, table, "bet")
        [other] = [each for each in people if each is not person]
        assert await refused(other, table, answer_to(view), "k") == (409, "not_your_turn")
        after = (await person.get(f"/v1/tables/{table}")).json()
        assert (after["version"], after["my_turn"]) == (view["version"], True)


async def test_acting_twice_on_one_decision_is_refused(serving) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing()
        person, view = await in_phase(people, table, "bet")
        action = answer_to(view)
        first = await person.post(f"/v1/tables/{table}/actions", action, key="once")
        assert first.status_code == 200
        assert await refused(person, table, action, "twice") == (409, "stale_decision")


async def test_an_action_in_a_finished_hand_is_refused(serving) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing()
        person, view = await in_phase(people, table, "bet")
        fold = {"type": "fold", "decision": view["decision"]["token"]}
        ended = await person.post(f"/v1/tables/{table}/actions", fold, key="fold")
        assert any(each["type"] == "hand_settled" for each in ended.json()["events"])
        late = {**fold, "type": "check"}
        status, code = await refused(person, table, late, "late")
        assert (status, code in ("no_decision_open", "stale_decision")) == (409, True)
        await turn(people, table)
        for each in people:
            assert await refused(each, table, late, "later") == (409, "stale_decision")


@pytest.mark.parametrize(
    ("action", "code", "said"),
    [
        ({"type": "fold", "amount": 5}, "unknown_field", "unknown field `amount`"),
        ({"type": "draw", "card": None}, "unknown_field", "unknown field `card`"),
        ({"type": "dance"}, "invalid_value", "'dance'"),
        ({}, "invalid_value", "`type`"),
    ],
)
async def test_an_action_has_the_members_of_its_type_and_no_others(
    serving, action, code, said
) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing()
        path = f"/v1/tables/{table}/actions"
        answer = await people[0].post(path, {"decision": "1.1.1", **action}, key="k")
        (fault,) = answer.json()["errors"]
        assert (answer.status_code, fault["code"]) == (400, code)
        assert said in fault["detail"]


@pytest.mark.parametrize("code", ["amount_missing", "bet_too_small", "bet_too_large"])
async def test_an_amount_that_is_illegal_is_refused(serving, code) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing()
        person, view = await in_phase(people, table, "bet")
        [raised] = [each for each in view["legal"] if each["verb"] == "raise_to"]
        amount = {
            "amount_missing": None,
            "bet_too_small": raised["min"] - 1,
            "bet_too_large": raised["max"] + 1,
        }[code]
        action = {"type": "raise_to", "decision": view["decision"]["token"], "amount": amount}
        assert await refused(person, table, action, "k") == (409, code)


async def test_a_call_of_another_amount_than_expected_is_refused(serving) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing()
        person, view = await in_phase(people, table, "bet")
        action = {"type": "call", "decision": view["decision"]["token"], "expected": 1}
        assert await refused(person, table, action, "k") == (409, "call_amount_changed")


async def test_cards_one_does_not_hold_cannot_be_selected(serving) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing()
        person, view = await in_phase(people, table, "select")
        mine, decision = view["me"]["cards"], view["decision"]["token"]
        ones = ("C+01", "T+01", "S+01", "C+02", "T+02", "S+02")  # a hand has five cards
        foreign = next(each for each in ones if each not in mine)
        for number, cards in enumerate(([foreign], [mine[0], foreign], ["nothing"], ["\u00e9"])):
            action = {"type": "select", "decision": decision, "cards": cards}
            assert await refused(person, table, action, f"k{number}") == (409, "card_not_held")
        twice = {"type": "select", "decision": decision, "cards": [mine[0], mine[0]]}
        assert await refused(person, table, twice, "twice") == (409, "cards_duplicated")


async def test_two_requests_at_once_for_one_turn_make_one_action(serving) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing(3)
        person, view = await in_phase(people, table, "bet")
        decision, path = view["decision"]["token"], f"/v1/tables/{table}/actions"
        fold, call = ({"type": verb, "decision": decision} for verb in ("fold", "call"))
        answers = await asyncio.gather(
            person.post(path, fold, key="fold"), person.post(path, call, key="call")
        )
        assert [each.status_code for each in answers] == [200, 409]
        assert answers[1].json()["code"] == "stale_decision"


async def test_one_key_from_two_clients_of_a_person_is_one_action(serving) -> None:
    async with serving() as api, serving() as elsewhere:
        _, _, _, people, table = await api.playing()
        person, view = await turn(people, table)
        path, action = f"/v1/tables/{table}/actions", answer_to(view)
        headers = {**person.headers, "Idempotency-Key": "same"}
        answers = await asyncio.gather(
            *(each.http.post(path, json=action, headers=headers) for each in (api, elsewhere))
        )
        assert [each.status_code for each in answers] == [200, 200]
        assert answers[0].json() == answers[1].json()
        assert len([each for each in answers if "idempotent-replayed" in each.headers]) == 1


async def test_one_key_from_two_people_is_two_commands(serving) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing()
        path = f"/v1/tables/{table}/actions"
        for _ in people:
            person, view = await turn(people, table)
            done = await person.post(path, answer_to(view), key="same")
            assert (done.status_code, "idempotent-replayed" in done.headers) == (200, False)


async def test_an_expired_or_under_scoped_token_opens_no_table(serving, database) -> None:
    async with serving() as api:
        _, _, _, people, table = await api.playing()
        person, view = await turn(people, table)
        ended, narrow = [
            (await person.post("/v1/tokens", {"scopes": ["leagues:read"]}, key=key)).json()
            for key in ("ended", "narrow")
        ]
        connection = await asyncpg.connect(asyncpg_dsn(database.url("postgres")))
        await connection.execute(
            "UPDATE token SET expires_at = now() - interval '1 second' WHERE id = $1::uuid",
            ended["id"].removeprefix("tok_"),
        )
        await connection.close()
        path = f"/v1/tables/{table}"
        for way in ("", "/"):
            expired = {"Authorization": f"Bearer {ended['token']}"}
            shown = await api.http.get(path + way, headers=expired)
            assert (shown.status_code, shown.json()["code"]) == (401, "unauthenticated")
            assert shown.headers["www-authenticate"] == "Bearer"
            scoped = {"Authorization": f"Bearer {narrow['token']}", "Idempotency-Key": "k"}
            acted = await api.http.post(
                path + "/actions" + way, json=answer_to(view), headers=scoped
            )
            assert (acted.status_code, acted.json()["code"]) == (403, "forbidden")
            assert acted.json()["required_scopes"] == ["tables:play"]


async def test_no_name_in_a_path_is_a_defect(serving) -> None:
    async with serving() as api:
        person = await api.person()
        for handler in ROUTES:
            [path], [method, *_] = handler.paths, sorted(handler.http_methods)
            for name in NO_NAMES if "{" in path else ():
                parts = [name if part.startswith("{") else part for part in path.split("/")]
                answer = await person.http.request(
                    method, "/".join(parts), headers={**person.headers, "Idempotency-Key": "k"}
                )
                by_key = "key" in handler.opt["operation"].query_names
                expected = (401,) if by_key else (400, 404)
                assert answer.status_code in expected, (method, parts, answer.text)
                assert answer.json()["code"] in catalogue()


async def test_a_season_is_shown_and_closed_by_its_name(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        made = (await owner.post(f"/v1/leagues/{league}/seasons", {"name": "Autumn"})).json()
        path = f"/v1/seasons/{made['id']}"
        shown = await owner.get(path)
        assert (shown.status_code, shown.json()["name"]) == (200, "Autumn")
        closed = await owner.post(f"{path}/close", {}, key="close")
        assert (closed.status_code, closed.json()["name"]) == (200, "Autumn")
        again = await owner.post(f"{path}/close", {}, key="close")
        assert again.json() == closed.json()


async def test_an_instant_of_any_zone_is_kept_as_utc(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        asked = {"name": "Night", "ruleset": "better", "starts_at": "2030-01-01T20:00:00+02:00"}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        assert (made.status_code, made.json().get("starts_at")) == (201, "2030-01-01T18:00:00Z")


@pytest.mark.parametrize("field", ["starts_at", "registration_opens_at"])
@pytest.mark.parametrize(
    "instant", ["2030-01-01T20:00:00", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"]
)
async def test_an_instant_that_is_none_is_refused(serving, field, instant) -> None:
    async with serving() as api:
        owner, league = await api.league()
        asked = {"name": "Night", "ruleset": "better", field: instant}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        assert (made.status_code, made.json()["code"]) == (400, "validation_failed")


@pytest.mark.parametrize("name", ["a\nb", "a\x01", "\x7f\x1b[2J", "2026-01-01T00:00:00+02:00"])
async def test_a_name_that_no_log_can_keep_is_refused(serving, name) -> None:
    async with serving() as api:
        owner, league = await api.league()
        answers = [
            await owner.post(path, {"name": name, **more})
            for path, more in (
                ("/v1/leagues", {}),
                (f"/v1/leagues/{league}/seasons", {}),
                (f"/v1/leagues/{league}/tournaments", {"ruleset": "better"}),
            )
        ]
        assert {each.status_code for each in answers} == {400}
        assert {each.json()["code"] for each in answers} <= {"validation_failed", "invalid_unicode"}


async def test_a_line_feed_at_the_end_is_no_part_of_a_word(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        asked = {"name": "Night", "ruleset": "better", "prize_pool": 7, "currency": "EUR\n"}
        made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
        assert (made.status_code, made.json()["code"]) == (400, "invalid_unicode")
        login = {"login": "leia\n", "password": "correct horse"}
        signed = await api.http.post("/v1/accounts", json=login)
        assert (signed.status_code, signed.json()["code"]) == (400, "invalid_unicode")
