"""House rules and templates supply the members that an announcement leaves out."""

from typing import Any

import httpx
import pytest

from engine.rulesets import resolve, ruleset_hash
from tests.service.api.conftest import ANY, Person

pytestmark = pytest.mark.anyio


async def put(person: Person, path: str, body: Any) -> httpx.Response:
    """Send a PUT request."""
    return await person.http.put(path, json=body, headers=person.headers | ANY)


async def house(owner: Person, league: str, **body: Any) -> None:
    """Set the house rules of the league to *body*."""
    answer = await put(owner, f"/v1/leagues/{league}/house-rules", {"body": body})
    assert answer.status_code == 200, answer.text


async def template(owner: Person, league: str, name: str = "Weekly", **body: Any) -> str:
    """Save a template."""
    answer = await owner.post(f"/v1/leagues/{league}/templates", {"name": name, "body": body})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def announced(owner: Person, league: str, **body: Any) -> dict[str, Any]:
    """Announce a tournament and return its terms."""
    made = await owner.post(f"/v1/leagues/{league}/tournaments", {"name": "Night", **body})
    assert made.status_code == 201, made.text
    shown: dict[str, Any] = (await owner.get(f"/v1/tournaments/{made.json()['id']}")).json()
    return shown


async def test_the_house_says_what_an_announcement_leaves_out(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        await house(owner, league, ruleset="better", decision_seconds=45, table_seats=4)
        night = await announced(owner, league, table_seats=5)
    assert (night["ruleset_name"], night["decision_seconds"], night["table_seats"]) == (
        "better",
        45,
        5,
    )


async def test_a_template_stands_over_the_house_and_under_the_announcement(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        await house(owner, league, ruleset="better", decision_seconds=45, grace_seconds=7)
        weekly = await template(owner, league, decision_seconds=20, entrants_max=12)
        night = await announced(owner, league, template=weekly, entrants_max=24)
    assert (night["grace_seconds"], night["decision_seconds"], night["entrants_max"]) == (7, 20, 24)


async def test_null_takes_away_what_a_layer_below_says(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        await house(owner, league, ruleset="better", hands_max=9)
        assert (await announced(owner, league))["hands_max"] == 9
        assert (await announced(owner, league, hands_max=None))["hands_max"] is None


async def test_overrides_are_merged_over_those_below_unless_another_game_is_named(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        below = {"starting_stack": 500}
        await house(owner, league, ruleset="better", overrides=below, entrants_max=6)
        both = await announced(owner, league, overrides={"button": "moving"})
        other = await announced(owner, league, ruleset="better_simple")
    expected = resolve("better", {**below, "button": "moving"})
    assert both["ruleset_hash"] == ruleset_hash(expected)
    assert other["ruleset_hash"] == ruleset_hash(resolve("better_simple", {}))


async def test_what_was_announced_stays_as_it_was(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        await house(owner, league, ruleset="better", decision_seconds=45)
        weekly = await template(owner, league, table_seats=4)
        before = await announced(owner, league, template=weekly)
        await house(owner, league, ruleset="better_simple", decision_seconds=5)
        gone = await owner.http.delete(
            f"/v1/leagues/{league}/templates/{weekly}", headers=owner.headers
        )
        assert gone.status_code == 200
        after = (await owner.get(f"/v1/tournaments/{before['id']}")).json()
    assert after == before


async def test_a_retry_finds_its_template_and_its_tournament(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        asked = {"name": "Weekly", "body": {"ruleset": "better"}}
        path = f"/v1/leagues/{league}/templates"
        first, again = [await owner.post(path, asked, key="k") for _ in range(2)]
        assert first.json() == again.json()
        assert again.headers["Idempotent-Replayed"] == "true"
        by = {"name": "Night", "template": first.json()["id"]}
        path = f"/v1/leagues/{league}/tournaments"
        made = await owner.post(path, by, key="t")
        await put(
            owner,
            f"/v1/leagues/{league}/templates/{first.json()['id']}",
            {"name": "Weekly", "body": {"ruleset": "better", "decision_seconds": 5}},
        )
        assert (await owner.post(path, by, key="t")).json() == made.json()


async def test_a_template_is_listed_read_changed_and_removed(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        player = await api.join(owner, league)
        weekly = await template(owner, league, ruleset="better")
        path = f"/v1/leagues/{league}/templates/{weekly}"
        changed = await put(
            owner, path, {"name": "Monthly", "body": {"ruleset": "better"}, "version": 1}
        )
        assert (changed.status_code, changed.json()["version"]) == (200, 2)
        shown = (await player.get(path)).json()
        assert (shown["name"], shown["version"], shown["body"]) == (
            "Monthly",
            2,
            {"ruleset": "better"},
        )
        (listed,) = (await player.get(f"/v1/leagues/{league}/templates")).json()["items"]
        assert listed == shown
        await owner.http.delete(path, headers=owner.headers)
        assert (await owner.get(path)).status_code == 404
        by = {"name": "Night", "template": weekly}
        missing = await owner.post(f"/v1/leagues/{league}/tournaments", by)
        assert (missing.status_code, missing.json()["code"]) == (409, "template_unknown")


async def test_two_who_change_a_template_do_not_overwrite_each_other(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        weekly = await template(owner, league, ruleset="better")
        path = f"/v1/leagues/{league}/templates/{weekly}"
        body = {"ruleset": "better", "decision_seconds": 10}
        assert (await put(owner, path, {"name": "W", "body": body, "version": 1})).is_success
        late = await put(owner, path, {"name": "V", "body": body, "version": 1})
        assert (late.status_code, late.json()["code"], late.json()["version"]) == (
            409,
            "template_changed",
            2,
        )


async def test_a_foreign_leagues_template_is_unknown(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        other, elsewhere = await api.league()
        foreign = await template(other, elsewhere, ruleset="better")
        by = {"name": "Night", "template": foreign}
        answer = await owner.post(f"/v1/leagues/{league}/tournaments", by)
        assert (answer.status_code, answer.json()["code"]) == (409, "template_unknown")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 400, "validation_failed"),
        ({"ruleset": "no such"}, 409, "unknown_ruleset"),
        ({"ruleset": "better", "overrides": {"starting_stack": -1}}, 409, "invalid_ruleset"),
        ({"ruleset": "better", "entrants_min": 9, "entrants_max": 3}, 409, "terms_invalid"),
        ({"ruleset": "better", "colour": 1}, 400, "validation_failed"),
        ({"ruleset": "better", "table_seats": "six"}, 400, "validation_failed"),
        ({"ruleset": "better", "starts_at": "2030-01-01T20:00:00Z"}, 400, "validation_failed"),
        ({"ruleset": "better", "template": "tpl_" + "1" * 32}, 400, "validation_failed"),
        ({"ruleset": "better", "time_scale": 60}, 400, "not_a_sandbox"),
    ],
)
async def test_a_template_that_could_not_be_announced_is_not_kept(
    serving, body, status, code
) -> None:
    async with serving() as api:
        owner, league = await api.league()
        answer = await owner.post(
            f"/v1/leagues/{league}/templates", {"name": "Weekly", "body": body}
        )
        assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
        assert (await owner.get(f"/v1/leagues/{league}/templates")).json()["items"] == []


async def test_an_announcement_without_a_ruleset_says_what_is_missing(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        answer = await owner.post(f"/v1/leagues/{league}/tournaments", {"name": "Night"})
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")
    assert "ruleset" in answer.json()["errors"][0]["detail"]


async def test_two_templates_do_not_share_a_name(serving: Any) -> None:
    async with serving() as api:
        owner, league = await api.league()
        await template(owner, league, ruleset="better")
        asked = {"name": "Weekly", "body": {"ruleset": "better"}}
        answer = await owner.post(f"/v1/leagues/{league}/templates", asked)
        assert (answer.status_code, answer.json()["code"]) == (409, "template_name_taken")


async def test_the_house_has_no_overrides_without_their_game(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        body = {"overrides": {"starting_stack": 500}}
        answer = await put(owner, f"/v1/leagues/{league}/house-rules", {"body": body})
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")
    assert answer.json()["errors"][0]["pointer"] == "/body/overrides"


async def test_what_was_played_otherwise_than_the_preset_is_told(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        await house(owner, league, ruleset="cantina", entrants_max=6)
        plain = await announced(owner, league)
        other = await announced(owner, league, overrides={"odd_chip": "carry"})
    assert plain["ruleset_overrides"] == []
    assert other["ruleset_overrides"] == [
        {"parameter": "odd_chip", "one": "seat_order", "other": "carry"}
    ]
