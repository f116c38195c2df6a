"""The terms of a tournament can be announced again for another one."""

import pytest

pytestmark = pytest.mark.anyio

TERMS = {
    "name": "Night",
    "ruleset": "better",
    "overrides": {
        "rebuy": {"max": 2},
        "escalation": {
            "kind": "levels",
            "by": "clock",
            "levels": [
                {"small": 10, "big": 20, "ante": 0, "length": 600},
                {"small": 20, "big": 40, "ante": 0, "length": None},
            ],
        },
    },
    "table_seats": 5,
    "starting_stack": 1500,
    "entrants_max": 10,
    "payouts": [60, 40],
    "currency": "EUR",
    "fees": {"buy_in": 500, "bounty": 100},
    "entry": {"waitlist": True, "late_registration_level": 1},
    "floor": {"breaks": [{"level": 1, "seconds": 300}], "last_hands_after_minutes": 200},
    "staff_may_play": True,
    "place": "Café",
    "length_seconds": 7200,
}


async def test_a_tournament_is_announced_again_by_its_terms(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        path = f"/v1/leagues/{league}/tournaments"
        first = await owner.post(path, TERMS)
        assert first.status_code == 201, first.text
        read = await owner.get(f"/v1/tournaments/{first.json()['id']}/terms")
        assert read.status_code == 200, read.text
        body = read.json()["body"]
        assert body["overrides"] == TERMS["overrides"]
        assert "starts_at" not in body

        second = await owner.post(path, body)

        assert second.status_code == 201, second.text
        again = await owner.get(f"/v1/tournaments/{second.json()['id']}/terms")
        assert again.json()["body"] == body
        stranger = await api.person()
        hidden = await stranger.get(f"/v1/tournaments/{first.json()['id']}/terms")
        assert hidden.status_code == 404


@pytest.mark.parametrize("ruleset", ["spike", "casino", "official", "cantina"])
async def test_every_game_can_be_repeated(serving, ruleset: str) -> None:
    async with serving() as api:
        owner, league = await api.league()
        path = f"/v1/leagues/{league}/tournaments"
        first = await owner.post(path, {"name": "Night", "ruleset": ruleset})
        assert first.status_code == 201, first.text
        one = f"/v1/tournaments/{first.json()['id']}"
        body = (await owner.get(f"{one}/terms")).json()["body"]

        second = await owner.post(path, body)

        assert second.status_code == 201, second.text
        other = (await owner.get(f"/v1/tournaments/{second.json()['id']}")).json()
        assert other["ruleset_hash"] == (await owner.get(one)).json()["ruleset_hash"]


async def test_rebuys_without_a_limit_are_a_word_because_null_takes_a_member_away(serving) -> None:
    """RFC 7396: a null in house rules, templates and announcements removes the member below it."""
    async with serving() as api:
        owner, league = await api.league()
        path = f"/v1/leagues/{league}/tournaments"

        async def most(sold: object) -> object:
            asked = {"name": "Night", "ruleset": "better", "overrides": {"rebuy": {"max": sold}}}
            made = await owner.post(path, asked)
            assert made.status_code == 201, made.text
            one = f"/v1/tournaments/{made.json()['id']}"
            body = (await owner.get(f"{one}/terms")).json()["body"]
            again = await owner.post(path, body)
            assert again.status_code == 201, again.text
            other = (await owner.get(f"/v1/tournaments/{again.json()['id']}")).json()
            shown = (await owner.get(one)).json()
            assert other["ruleset_hash"] == shown["ruleset_hash"]
            return shown["ruleset"]["rebuy"]["max"]

        assert [await most(each) for each in ("unlimited", 2, None)] == [None, 2, 0]
        asked = {"name": "Night", "ruleset": "better", "overrides": {"rebuy": {"max": "many"}}}
        assert (await owner.post(path, asked)).json()["code"] == "invalid_ruleset"
