"""Routes are closed unless declared open: scopes, roles, and the answers to strangers."""

import base64
import re

import pytest

from service.api.routes import ROUTES
from service.base.database import async_engine
from service.people.tokens import token_text, well_formed
from service.projections.following.runner import Runner

pytestmark = pytest.mark.anyio

OPEN = {
    "/v1/accounts",
    "/v1/claims",
    "/v1/codes/{code:str}",
    "/v1/password-resets",
    "/v1/password-resets/request",
    "/v1/points-formulas",
    "/v1/tokens",
    "/v1/rulesets",
    "/v1/rulesets/{ruleset_id:str}",
    "/v1/rulesets/{ruleset_id:str}/evaluate",
    "/v1/structures",
    "/v1/sandbox",
    "/v1/screen",
    "/v1/signers",
    "/v1/terms-presets",
    "/v1/opt-outs/{opt_out:str}",
    "/v1/public/tables/{table_id:str}",
    "/v1/public/hands/{hand_id:str}/replay",
    "/v1/public/leagues/{league_id:str}",
    "/v1/public/leagues/{league_id:str}/calendar.ics",
    "/v1/public/leagues/{league_id:str}/players/{player_id:str}",
    "/v1/public/leagues/{league_id:str}/schedule",
    "/v1/public/leagues/{league_id:str}/seasons",
    "/v1/public/leagues/{league_id:str}/tournaments",
    "/v1/public/seasons/{season_id:str}",
    "/v1/public/seasons/{season_id:str}/standings",
    "/v1/public/tournaments/{tournament_id:str}",
    "/v1/public/tournaments/{tournament_id:str}/floor",
    "/v1/public/tournaments/{tournament_id:str}/hands",
    "/livez",
    "/readyz",
}


async def test_every_route_asks_for_a_token(serving) -> None:
    seen = set()
    async with serving() as api:
        for handler in ROUTES:
            for path in handler.paths:
                for method in handler.http_methods:
                    if path in OPEN and not (path == "/v1/tokens" and method != "POST"):
                        continue
                    target = re.sub(r"\{\w+:\w+\}", "x", re.sub(r"\{\w+:int\}", "1", path))
                    answer = await api.http.request(method, target)
                    assert (method, path, answer.status_code) == (method, path, 401)
                    assert answer.json()["code"] == "unauthenticated"
                    assert answer.headers["www-authenticate"] == "Bearer"
                    seen.add(path)
    assert len(seen) > 20


async def test_which_methods_a_path_has_is_no_secret(serving) -> None:
    async with serving() as api:
        for path, methods in (("/v1/me", {"GET", "OPTIONS"}), ("/v1/tables/x/actions", {"POST"})):
            answer = await api.http.request("OPTIONS", path)
            assert (answer.status_code, answer.content) == (204, b"")
            assert methods <= set(answer.headers["allow"].split(", "))


async def test_a_mistyped_or_revoked_token_is_nobody(serving) -> None:
    async with serving() as api:
        person = await api.person()
        tokens = (await person.get("/v1/tokens")).json()["items"]
        garbled = {"Authorization": f"Bearer {token_text(b'x' * 32)}"}
        assert (await api.http.get("/v1/me", headers=garbled)).status_code == 401
        gone = await api.http.delete(f"/v1/tokens/{tokens[0]['id']}", headers=person.headers)
        assert gone.status_code == 204
        assert (await person.get("/v1/me")).status_code == 401


async def test_a_missing_scope_is_named(serving) -> None:
    async with serving() as api:
        person = await api.person()
        made = await person.post("/v1/tokens", {"scopes": ["leagues:read"]})
        narrow = {"Authorization": f"Bearer {made.json()['token']}"}
        answer = await api.http.post("/v1/leagues", json={"name": "x"}, headers=narrow)
        assert (answer.status_code, answer.json()["required_scopes"]) == (403, ["leagues:manage"])
        child = await api.http.post("/v1/tokens", json={}, headers=narrow)
        assert (child.status_code, child.json()["required_scopes"]) == (403, ["tokens:manage"])


async def test_a_foreign_league_looks_like_none(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        stranger = await api.person()
        foreign = await stranger.get(f"/v1/leagues/{league}")
        absent = await stranger.get(f"/v1/leagues/lge_{'0' * 32}")
        malformed = await stranger.get("/v1/leagues/lge_xyz")
        for answer in (foreign, absent, malformed):
            assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
        assert foreign.json()["detail"] == absent.json()["detail"]
        assert (await owner.get(f"/v1/leagues/{league}")).json()["role"] == "owner"


async def test_an_invitation_does_not_say_which_leagues_there_are(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        code = (await owner.post(f"/v1/leagues/{league}/invitations", {})).json()["code"]
        wrong_secret = base64.urlsafe_b64encode(base64.urlsafe_b64decode(code)[:16] + bytes(20))
        no_league = base64.urlsafe_b64encode(bytes(16) + bytes(20))
        stranger = await api.person()
        answers = [
            await stranger.post(f"/v1/invitations/{each.decode()}/accept")
            for each in (wrong_secret, no_league, b"x" * 48, b"x")
        ]
        assert [(each.status_code, each.json()["code"]) for each in answers] == [
            (404, "not_found")
        ] * 4
        assert len({each.json()["detail"] for each in answers}) == 1


async def test_a_referee_who_plays_audits_neither_the_tournament_nor_the_league(
    serving, database
) -> None:
    async with serving() as api:
        owner, league = await api.league()
        invited = await owner.post(f"/v1/leagues/{league}/invitations", {"role": "referee"})
        referee = await api.person()
        assert (await referee.post(f"/v1/invitations/{invited.json()['code']}/accept")).is_success
        made = await owner.post(
            f"/v1/leagues/{league}/tournaments", {"name": "Night", "ruleset": "better"}
        )
        tournament = made.json()["id"]
        projecting = async_engine(database.url("holotable_project"), 2)
        await Runner(projecting).catch_up()
        free = await referee.post(f"/v1/leagues/{league}/audits")
        assert (free.status_code, free.json().get("code")) == (202, None)

        entered = await referee.post(f"/v1/tournaments/{tournament}/registrations")
        assert entered.is_success
        await Runner(projecting).catch_up()
        whole = await referee.post(f"/v1/leagues/{league}/audits")
        part = await referee.post(f"/v1/leagues/{league}/audits", {"tournament": tournament})
        await projecting.dispose()
        for answer in (whole, part):
            assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


async def test_a_player_may_not_announce(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        player = await api.join(owner, league)
        answer = await player.post(
            f"/v1/leagues/{league}/tournaments", {"name": "x", "ruleset": "better"}
        )
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


async def test_a_wrong_password_does_not_say_which_half_is_wrong(serving) -> None:
    async with serving() as api:
        await api.http.post("/v1/accounts", json={"login": "lando", "password": "correct horse"})
        wrong = {"login": "lando", "password": "wrong"}
        unknown = {"login": "nobody", "password": "wrong"}
        answers = [await api.http.post("/v1/tokens", json=each) for each in (wrong, unknown)]
        assert [each.status_code for each in answers] == [401, 401]
        assert answers[0].json()["detail"] == answers[1].json()["detail"]


def test_a_token_knows_when_it_was_mistyped() -> None:
    text = token_text(bytes(range(32)))
    assert re.fullmatch(r"holo_pat_[0-9A-Za-z]{36}", text)
    assert well_formed(text)
    assert not well_formed(text[:-1] + ("0" if text[-1] != "0" else "1"))


async def test_a_hand_may_be_looked_at_where_people_play_and_bots_wait_for_nothing(serving) -> None:
    async with serving() as api:
        owner, league = await api.league()
        waits = []
        for terms in ({}, {"bots": "forbidden"}, {"bots": "only"}, {"hands_between_seconds": 7}):
            asked = {"name": "Night", "ruleset": "better"} | terms
            made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
            shown = (await owner.get(f"/v1/tournaments/{made.json()['id']}")).json()
            waits.append(shown["hands_between_seconds"])
        assert waits == [3, 3, 0, 7]
