"""No chain of up to three calls gives anybody a right that nobody gave them."""

import asyncio
from typing import Any

import pytest

from engine.league import decisions
from engine.league.roles import Role
from service.api.http.access import rights as access
from service.api.league import claim_codes, players
from service.api.me import passwords
from service.people import entered_players
from tests.service.api.conftest import ANY
from tests.service.api.escalation import Attack, Chain, Step, chains
from tests.service.api.league.test_players import director
from tests.service.api.matrix import routes

pytestmark = pytest.mark.anyio

OLD_HOLE = (Step("renew_claim", "auditor"), Step("claim_player", "another account"))
"""A director renews the claim code of an entered auditor and becomes the auditor."""


async def successes(serving, role: Role, tried: list[Chain]) -> list[Chain]:
    """Return the chains with which *role* succeeds against the service."""
    async with serving(account_leagues=1_000) as api:  # each chain has its own league
        attack = Attack(api)
        await attack.meet()
        return [chain for chain in tried if await attack.succeeds(role, chain)]


@pytest.mark.parametrize("role", ["director", "owner"])
async def test_no_chain_of_calls_gives_anybody_a_right_that_nobody_gave_them(
    serving, role: Role
) -> None:
    tried = chains(role)
    assert len(tried) > 40
    assert await successes(serving, role, tried) == []


def test_only_who_lets_people_in_could_come_to_more() -> None:
    # The matrix of roles refuses these roles the first route of any chain.
    assert [role for role in ("referee", "scorer", "auditor", "player") if chains(role)] == []


async def test_without_the_check_of_offices_the_search_finds_the_old_hole(
    serving, monkeypatch
) -> None:
    for module in (access, claim_codes, players):
        monkeypatch.setattr(module, "needed_over", lambda *roles: "manage_players")
    tried = [chain for chain in chains("director") if len(chain) == 2]
    assert OLD_HOLE in tried
    assert OLD_HOLE in await successes(serving, "director", tried)


async def test_without_the_check_of_the_giver_the_search_finds_a_promotion(
    serving, monkeypatch
) -> None:
    monkeypatch.setattr(claim_codes, "STAFF", frozenset())
    chain = (
        Step("renew_claim", "player"),
        Step("an owner promotes", "auditor"),
        Step("claim_player", "another account"),
    )
    assert chain in chains("director")
    assert await successes(serving, "director", [chain]) == [chain]


async def test_without_the_end_of_invitations_the_search_finds_a_former_owner(
    serving, monkeypatch
) -> None:
    monkeypatch.setattr(decisions, "_ended_with", lambda *_: ())
    chain = (
        Step("invite", "auditor"),
        Step("an owner demotes me"),
        Step("accept_invitation", "another account"),
    )
    assert chain in chains("owner")
    assert await successes(serving, "owner", [chain]) == [chain]


async def test_without_the_check_of_a_resets_giver_the_search_finds_a_former_owner(
    serving, monkeypatch
) -> None:
    async def always(*_: object) -> bool:
        return True

    monkeypatch.setattr(passwords, "_given_rightly", always)
    chain = (
        Step("offer_password_reset", "auditor"),
        Step("an owner demotes me"),
        Step("reset_password", "another account"),
    )
    assert chain in chains("owner")
    assert await successes(serving, "owner", [chain]) == [chain]


async def test_a_promotion_while_a_claim_code_is_being_used_voids_the_code(
    serving, monkeypatch
) -> None:
    """A director issues the code for a player, who becomes an auditor before the code is used."""
    async with serving() as api:
        owner, league = await api.league()
        head = await director(api, owner, league)
        made = (await head.post(f"/v1/leagues/{league}/players", {"name": "Han"})).json()
        joining, attacker = entered_players.join_player, await api.person()

        async def promoted_meanwhile(*asked: Any) -> None:
            await joining(*asked)
            member = f"/v1/leagues/{league}/members/{made['player']}"
            body = {"role": "auditor"}
            # In a task of its own, as requests are: the claim holds a connection meanwhile.
            asked_for = api.http.put(member, json=body, headers=owner.headers | ANY)
            promoted = await asyncio.create_task(asked_for)
            assert promoted.status_code == 200, promoted.text

        monkeypatch.setattr(entered_players, "join_player", promoted_meanwhile)
        taken = await attacker.post("/v1/me/claims", {"code": made["claim"]})
        assert (taken.status_code, taken.json()["code"]) == (404, "not_found")
        assert (await attacker.get(f"/v1/leagues/{league}")).status_code == 404
        monkeypatch.undo()
        # A refusal does not use up the code: it is valid again once an owner demotes the player.
        member = f"/v1/leagues/{league}/members/{made['player']}"
        await api.http.put(member, json={"role": "player"}, headers=owner.headers | ANY)
        joined = await attacker.post("/v1/me/claims", {"code": made["claim"]})
        assert (joined.status_code, joined.json()["role"]) == (201, "player")


def test_every_route_that_names_a_person_says_what_it_does_to_people() -> None:
    reading = {"read_record", "read_public_record", "read_rating_history"}
    named = {
        name
        for name, (_, path, _) in routes().items()
        if any(each in path for each in ("{player_id}", "invitation", "claims", "password-reset"))
    }
    confidential = {each for each in named if "confidential" in each}
    declared = {name for name, (*_, each) in routes().items() if each.on_people is not None}
    undeclared = named - declared - reading - confidential
    assert undeclared == {"list_claims", "list_invitations", "request_password_reset"}
