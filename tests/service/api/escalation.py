"""
A search for privilege escalation: a model of roles and routes, with each chain tried over HTTP.

The model is built from the declarations of the routes. It assumes that anybody who may use a route
may use it on everybody, so it finds more chains than are possible. The service decides.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, get_args
from uuid import uuid4

import httpx

from engine.league.roles import STAFF, Capability, Role, may
from service.api.http.declaring.declaration import Effect
from tests.service.api.conftest import ANY, Api, Person
from tests.service.api.matrix import routes

ROLES: tuple[Role, ...] = get_args(Role)
CAPABILITIES: tuple[Capability, ...] = get_args(Capability)
STEPS_MAX = 3
TAKEN_BY: dict[Effect, Effect] = {
    "invitation": "by_invitation",
    "claim": "by_claim",
    "reset": "by_reset",
}


class Step(NamedTuple):
    """One call: an operation by the attacker, or an act of a well-meaning owner."""

    name: str
    about: str = ""


PROMOTE, DEMOTE, REMOVE = "an owner promotes", "an owner demotes me", "an owner removes me"

Chain = tuple[Step, ...]


class Code(NamedTuple):
    """A code that the attacker knows, and the role that it gives now."""

    kind: Effect
    role: Role


@dataclass(frozen=True)
class Situation:
    """The roles and the code that the attacker has."""

    mine: Role | None
    rightful: Role | None
    """The role that the owners want the attacker to have."""
    code: Code | None = None
    others: frozenset[Role] = field(default_factory=frozenset)
    """The roles of further accounts that the attacker controls."""

    @property
    def gained(self) -> bool:
        """
        Return True if the attacker has a right of an office that nobody gave them.

        The rights of every player do not count: a ban keeps somebody out, a removal does not.
        """
        rightful: Role = self.rightful or "player"
        held = (self.mine, *self.others)
        return any(
            may(role, each) and not may(rightful, each) for role in held for each in CAPABILITIES
        )


def moves(now: Situation) -> Iterator[tuple[Step, Situation]]:
    """Yield the possible next steps, each with the situation after it."""
    for name, (_, _, described) in routes().items():
        declared = described.on_people
        if declared is None:
            continue
        if declared.effect in TAKEN_BY and now.code is None:
            wanted = ROLES if declared.offices != "nobody" else ("player",)
            if may(now.mine, described.capability or "manage_league"):
                for role in wanted:
                    yield Step(name, role), replace(now, code=Code(declared.effect, role))
        if now.code is not None and declared.effect == TAKEN_BY[now.code.kind]:
            taken = replace(now, code=None)
            # An owner may give away any role while they are an owner.
            theirs = frozenset[Role]() if now.rightful == "owner" else {now.code.role}
            yield Step(name, "another account"), replace(taken, others=now.others | theirs)
            if now.mine is None and described.needs == "account":
                yield Step(name, "mine"), replace(taken, mine=now.code.role)
        if (declared.effect, declared.offices) == ("removal", "caller") and now.mine is not None:
            yield Step(name), replace(now, mine=None)
    if now.code is not None and now.code.kind in ("claim", "reset"):
        for role in ROLES:
            if role != now.code.role:
                yield Step(PROMOTE, role), replace(now, code=Code(now.code.kind, role))
    if now.mine in STAFF:
        yield Step(DEMOTE), replace(now, mine="player", rightful="player")
    if now.mine is not None:
        yield Step(REMOVE), replace(now, mine=None, rightful=None)


def chains(role: Role) -> list[Chain]:
    """Return all chains that might give *role* a right it was not given, shortest first."""
    found: list[Chain] = []
    ends: list[tuple[Chain, Situation]] = [((), Situation(role, role))]
    for _ in range(STEPS_MAX):
        reached = [
            ((*chain, step), after) for chain, situation in ends for step, after in moves(situation)
        ]
        found += [chain for chain, after in reached if after.gained]
        ends = [(chain, after) for chain, after in reached if not after.gained]
    return found


@dataclass
class League:
    """A league with an attacker in it."""

    founder: Person
    me: Person
    name: str
    code: str = ""
    target: str = ""
    """The player of the code: entered by hand, or signed up by a claim code."""


@dataclass
class Attack:
    """Tries chains over HTTP. Accounts are reused, leagues are not."""

    api: Api
    people: dict[str, Person] = field(default_factory=dict)
    refused: set[Chain] = field(default_factory=set)
    """Beginnings of chains that the service refused."""
    tried: int = 0

    async def meet(self) -> None:
        """Sign up all accounts."""
        for each in ("founder", "me", "other"):
            self.people[each] = await self.api.person()

    async def succeeds(self, role: Role, chain: Chain) -> bool:
        """Return whether *chain* gives a person with *role* a right that nobody gave them."""
        if any(chain[:length] in self.refused for length in range(1, len(chain))):
            return False
        self.tried += 1
        league = await self._league(role, chain)
        before = await self._members(league)
        for number, step in enumerate(chain, 1):
            answer = await self._carry_out(league, step)
            assert answer.status_code < 500, (chain, answer.text)
            if not answer.is_success:
                self.refused.add(chain[:number])
                return False
        after = await self._members(league)
        given = after.get(league.me.player) if DEMOTE in {each.name for each in chain} else role
        rightful = None if REMOVE in {each.name for each in chain} else given
        hostile = {player: held for player, held in after.items() if player not in before}
        if league.me.player in after:
            hostile[league.me.player] = after[league.me.player]
        hostile.pop(league.target, None)
        if {"claim_player", "reset_password"} & {each.name for each in chain}:
            hostile[league.target] = after[league.target]
        return Situation(None, rightful, others=frozenset(hostile.values())).gained

    async def _league(self, role: Role, chain: Chain) -> League:
        founder, me = self.people["founder"], self.people["me"]
        name = (await founder.post("/v1/leagues", {"name": "Cloud City"})).json()["id"]
        league = League(founder, me, name)
        entry = "player" if role == "owner" else role
        code = (await founder.post(f"/v1/leagues/{name}/invitations", {"role": entry})).json()
        await me.post(f"/v1/invitations/{code['code']}/accept")
        if role == "owner":
            await self._change(league, me.player, "owner")
        for step in chain:
            if step.name in ("renew_claim", "issue_claims", "offer_password_reset"):
                made = await founder.post(f"/v1/leagues/{name}/players", {"name": "Somebody"})
                league.target = made.json()["player"]
                if step.name == "offer_password_reset":
                    await self._sign_up(made.json()["claim"], f"target{self.tried}")
                if step.about != "player":
                    await self._change(league, league.target, step.about)
        return league

    async def _members(self, league: League) -> dict[str, Role]:
        listed = await league.founder.get(f"/v1/leagues/{league.name}/members?limit=200")
        return {each["player"]: each["role"] for each in listed.json()["items"]}

    async def _carry_out(self, league: League, step: Step) -> httpx.Response:
        match step.name:
            case "claim_player":
                return await self._sign_up(league.code, f"hostile{self.tried}")
            case "reset_password":
                body = {"code": league.code, "password": "another horse"}
                return await self.api.http.post("/v1/password-resets", json=body)
            case "an owner promotes":
                return await self._change(league, league.target, step.about)
            case "an owner demotes me":
                return await self._change(league, league.me.player, "player")
            case "an owner removes me":
                member = f"/v1/leagues/{league.name}/members/{league.me.player}"
                return await self.api.http.delete(member, headers=league.founder.headers)
        return await self._call(league, step)

    async def _sign_up(self, code: str, login: str) -> httpx.Response:
        body = {"code": code, "login": login, "password": "correct horse"}
        return await self.api.http.post("/v1/claims", json=body)

    async def _call(self, league: League, step: Step) -> httpx.Response:
        """Call the route with this operation name."""
        method, path, described = routes()[step.name]
        who = league.me if step.about != "another account" else self.people["other"]
        named = {"league_id": league.name, "player_id": league.target, "code": league.code}
        if "{tournament_id}" in path:
            named["tournament_id"] = await self._tournament(league)
        body: Any = {}
        fields = getattr(described.body, "__struct_fields__", ())
        for member, value in (("role", step.about), ("name", "Somebody"), ("code", league.code)):
            if member in fields:
                body[member] = value
        sent: dict[str, Any] = {"json": body}
        headers = who.headers | ANY | {"Idempotency-Key": uuid4().hex}
        if described.takes == "text/csv":
            sent = {"content": f"name,role\nSomebody,{step.about}\n".encode()}
            headers["Content-Type"] = "text/csv"
        answer = await self.api.http.request(
            method, path.format_map(named), headers=headers, **sent
        )
        if answer.is_success:
            _keep(league, answer.json())
        return answer

    async def _tournament(self, league: League) -> str:
        """Announce a tournament that players may enter."""
        asked = {"name": "Night", "ruleset": "better"}
        path = f"/v1/leagues/{league.name}/tournaments"
        made = await league.founder.post(path, asked, key=uuid4().hex)
        return str(made.json()["id"])

    async def _change(self, league: League, player: str, role: str) -> httpx.Response:
        member = f"/v1/leagues/{league.name}/members/{player}"
        return await self.api.http.put(
            member, json={"role": role}, headers=league.founder.headers | ANY
        )


def _keep(league: League, content: dict[str, Any]) -> None:
    """Keep the code of an answer, under any of its names."""
    (row,) = content.get("rows") or content.get("claims", [content]) or [{}]
    code = row.get("code") or row.get("claim")
    if code:
        league.code, league.target = code, row.get("player", "")
