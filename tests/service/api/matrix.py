"""A league with every persona in it, and the answer that each of them gets on each route."""

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from uuid import UUID, uuid4

import httpx
import msgspec
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from engine.values import identifier, number_of
from service.api.examples import REQUESTS, ids
from service.api.examples.season import FIXTURES
from service.api.http.declaring.declaration import Operation
from service.api.routes import ROUTES
from service.api.table.streaming import EVENT_STREAM
from service.base.database import async_engine
from service.notices.opting_out import OptOut, code_of
from service.people import emails, resetting
from service.people.schema import text
from service.people.sealed_addresses import AddressKeys
from service.process.app import build
from service.projections.following.runner import Runner
from tests.service.api.conftest import ANY, Api, Person
from tests.service.api.truth import check
from tests.support.databases import TestDatabase
from tests.support.streams import following

ROLES = ("player", "scorer", "auditor", "referee", "director", "owner")
NO_TOKEN, STRANGER = "no token", "stranger"
PERSONAS = (NO_TOKEN, STRANGER, *ROLES, *(f"entered {role}" for role in ROLES))
"""The callers, least rights first, because their requests leave the league unchanged."""

NAMED = {
    ids.TOURNAMENT: "{tournament_id}",
    ids.PLAYER: "{player_id}",
    ids.ENTRANT: "{entrant_id}",
    ids.TABLE: "{table_id}",
    ids.COMMAND: "{command_id}",
}
"""The identifiers in examples, and the path parameters that take their place."""


def filled(value: Any, text: Callable[[str], str]) -> Any:
    """Return *value* with *text* applied to each string in it, at any depth."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, list | tuple):
        return [filled(each, text) for each in value]
    if isinstance(value, dict):
        return {member: filled(each, text) for member, each in value.items()}
    return value


BODIES: dict[str, dict[str, Any]] = {
    name: filled(body, lambda said: NAMED.get(said, said)) for name, body in REQUESTS.items()
}
"""The examples of bodies. Values may name path parameters in braces."""

MAILING: dict[str, str | bool] = {
    "smtp_url": "smtp+plain://127.0.0.1:1",
    "mail_from": "night@league.example",
    "push_key": "A" * 42 + "E",
    "push_contact": "mailto:operator@league.example",
    "sandbox": True,
}
"""The settings of an installation that sends notices and has a standing sandbox."""

QUERIES = {
    "prove_inclusion": {"index": "0", "size": "1"},
    "prove_consistency": {"old": "1", "new": "1"},
    "read_league_calendar": {"key": "{calendar_key}"},
    "read_my_calendar": {"key": "{calendar_key}"},
    "read_screen": {"key": "{screen_key}"},
    "import_past_season": {"name": "Past"},
}
"""Query parameters that some routes need."""

ENDING = {"change_password", "sign_out_everywhere"}
"""Routes that end tokens or change a password. Each is called by a person made for it."""

BEFORE_PLAY = {
    "register_entrant",
    "enter_by_staff",
    "walk_in",
    "seat_house_bots",
    "withdraw_entrant",
    "start_tournament",
}
"""Routes that are called for the tournament that has not begun."""

READING = {"open_hand"}
"""Commands that look into the read models."""

APART = {
    "open_account", "make_token", "offer_password_reset", "reset_password", "set_my_email",
    "verify_my_email", "request_password_reset", "choose_my_notifications",
    "add_push_subscription", "remove_push_subscription", "opt_out", "create_league", "invite",
    "enter_player", "claim_player", "join_player", "save_template", "open_season",
    "make_calendar_key", "try_points_formula", "try_season_terms", "announce_tournament",
    "make_screen_key", "post_announcement", "suggest_structure", "evaluate_hands",
    "simulate_evenings", "evaluate_tournament_hands", "set_house_rules", "enter_sandbox",
    "set_dispute_windows", "change_webhook", "try_webhook", "redeliver", "sign_receipt",
}  # fmt: skip
"""Commands that change nothing that another request reads. They share a world."""

Routes = dict[str, tuple[str, str, Operation]]


@cache
def routes() -> Routes:
    """Return method, path and declaration of each operation, by name."""
    found: Routes = {}
    for handler in ROUTES:
        described: Operation = handler.opt["operation"]
        method = next(each for each in sorted(handler.http_methods) if each != "HEAD")
        (path,) = handler.paths
        found[described.name] = (method, re.sub(r"\{(\w+):\w+\}", r"{\1}", path), described)
    return found


@dataclass(frozen=True)
class Answer:
    """The answer to one request."""

    status: int
    code: str | None
    undeclared: str | None = None
    """The part of the answer that the document does not allow."""


def undeclared(answer: httpx.Response, described: Operation) -> str | None:
    """Return the status of a successful answer if its route declares another one."""
    if not answer.is_success or answer.status_code == described.status:
        return None
    return f"status {answer.status_code}"


@dataclass
class World:
    """One league in the middle of a tournament."""

    names: dict[str, str]
    """The values of path parameters."""

    coming: str
    """The tournament that has not started."""


@dataclass
class Asker:
    """Makes worlds and sends requests in them."""

    api: Api
    projecting: AsyncEngine
    people: dict[str, Person] = field(default_factory=dict)
    commands: dict[str, str] = field(default_factory=dict)
    """For each persona, the last command that let them into a league."""

    calendar_key: str = ""
    """The key of another person, who may read the calendar of any league."""

    async def meet(self) -> None:
        """Sign up all personas, once for all worlds."""
        for persona in (*PERSONAS[1:], "somebody else"):
            self.people[persona] = await self.api.person()
        other = self.people["somebody else"]
        self.calendar_key = await self._made(other, "/v1/me/calendar-keys", {}, "key")

    async def world(self, *, shown: bool = True) -> World:
        """
        Found a league in which every persona has their role, and half of them play.

        Args:
            shown: False if nobody is to read it from the read models.
        """
        owner = self.people["owner"]
        league = await self._made(owner, "/v1/leagues", {"name": "Cloud City"}, "id")
        public = await self.api.http.put(
            f"/v1/leagues/{league}/visibility", json={"visibility": "public"}, headers=owner.headers
        )
        assert public.is_success, public.text  # so that persons without a token read it too
        await self._let_in(owner, league)
        about = f"/v1/leagues/{league}"
        night, coming = [
            await self._made(
                owner,
                f"{about}/tournaments",
                {"name": name, "ruleset": "better", "hands_between_seconds": 0},
                "id",
            )
            for name in ("Night", "Coming")
        ]
        for tournament in (coming, night):
            entering = f"/v1/tournaments/{tournament}/registrations"
            for role in ROLES:
                entrant = await self._made(self.people[f"entered {role}"], entering, {}, "entrant")
        await self._made(owner, f"/v1/tournaments/{night}/start", {}, "state")
        table = (await owner.get(f"/v1/tournaments/{night}")).json()["tables"][0]["id"]
        invited = await owner.post(f"{about}/invitations", {"uses": 100})
        names = {
            "league_id": league,
            "season_id": await self._made(owner, f"{about}/seasons", {"name": "One"}, "id"),
            "tournament_id": night,
            "table_id": table,
            "hand_id": await self._hand(owner, table),
            "ruleset_id": "better",
            "code": invited.json()["code"],
            "invitation_id": invited.json()["id"],
            "player_id": self.people["somebody else"].player,
            "operation_id": await self._made(
                owner, f"{about}/audits", {"tournament": night}, "operation"
            ),
            "adjustment_id": "adj_" + "0" * 32,
            "entrant_id": entrant,
            "template_id": await self._made(
                owner, f"{about}/templates", {"name": "T", "body": {"ruleset": "better"}}, "id"
            ),
            "calendar_key": self.calendar_key,
            "dispute_id": await self._dispute(night),
            "claim_id": await self._dispute(night, "/v1/confidential-claims"),
            "command_id": self.commands["somebody else"],
            "occurrence": "2099-01-05T19:00",
            "number": "1",
        }
        names["opt_out"] = self._opt_out()
        names["text_id"] = await self._text(league)
        names["screen_key"] = await self._screen_key(night, "key")
        names["webhook_id"] = await self._webhook(league)
        trying = f"/v1/webhooks/{names['webhook_id']}/try"
        names["delivery_id"] = await self._made(owner, trying, {}, "id")
        planning = f"/v1/seasons/{names['season_id']}/fixtures"
        names["recurrence_id"] = await self._made(owner, planning, FIXTURES, "id")
        if shown:
            await Runner(self.projecting).catch_up()
        return World(names, coming)

    async def ask(self, persona: str, name: str, world: World) -> Answer:
        """Return the answer that *persona* gets on the route *name*."""
        method, path, sent = await self.request(persona, name, world)
        headers = sent.pop("headers") | ANY | {"Idempotency-Key": str(uuid4())}
        if routes()[name][2].produces[0] == EVENT_STREAM:
            return await self._first_item(path, headers, routes()[name][2])
        answer = await self.api.http.request(method, path, headers=headers, **sent)
        code = None
        with suppress(ValueError):
            code = answer.json().get("code") if answer.status_code >= 400 else None
        return Answer(answer.status_code, code, undeclared(answer, routes()[name][2]))

    async def request(
        self, persona: str, name: str, world: World
    ) -> tuple[str, str, dict[str, Any]]:
        """
        Return method, path and further arguments of the request by *persona* to the route *name*.
        """
        method, path, _ = routes()[name]
        named = dict(world.names)
        if name in BEFORE_PLAY:
            named["tournament_id"] = world.coming
        person = self.people.get(persona)
        if "{key_id}" in path:
            own = person or self.people["somebody else"]
            named["key_id"] = await self._made(own, "/v1/me/calendar-keys", {}, "id")
        if "{token_id}" in path:
            own = person or self.people["somebody else"]
            named["token_id"] = await self._made(own, "/v1/tokens", {}, "id")
        if "{screen_key_id}" in path:
            named["screen_key_id"] = await self._screen_key(named["tournament_id"], "id")
        if "{subscription_id}" in path:
            own = person or self.people["somebody else"]
            browser = BODIES["add_push_subscription"]
            named["subscription_id"] = await self._made(
                own, "/v1/me/push-subscriptions", browser, "id"
            )
        if name == "remove_webhook":
            named["webhook_id"] = await self._webhook(named["league_id"])
        if person is not None and name in ENDING:
            person = await self.api.person()
        headers = {} if person is None else person.headers
        body = filled(BODIES.get(name, {}), lambda said: said.format_map(named))
        if name == "make_token":
            body = {"login": self.people["somebody else"].login, "password": "correct horse"}
        if name == "reset_password":
            body = {"code": await self._reset(), "password": "correct horse"}
        if name == "verify_my_email" and person is not None:
            body = {"code": await self._email_code(person)}
        if name == "claim_player":
            entered = f"/v1/leagues/{named['league_id']}/players"
            code = await self._made(self.people["owner"], entered, {"name": persona}, "claim")
            login = persona.replace(" ", "-")
            body = {"code": code, "login": login, "password": "correct horse"}
        if name == "join_player":
            # This request needs its own league, because the caller stays a member.
            apart = await self._made(self.people["owner"], "/v1/leagues", {"name": persona}, "id")
            entered = f"/v1/leagues/{apart}/players"
            code = await self._made(self.people["owner"], entered, {"name": persona}, "claim")
            body = {"code": code}
        sent: dict[str, Any] = {
            "params": {key: it.format_map(named) for key, it in QUERIES.get(name, {}).items()},
            "headers": dict(headers),
        }
        if body or method not in ("GET", "DELETE"):
            sent["json"] = body
        return method, path.format_map(named), sent

    async def _first_item(self, path: str, headers: dict[str, str], described: Operation) -> Answer:
        """Return the answer of a route that always streams, checked by its first item."""
        async with following(self.api.app, path, headers) as stream:
            await stream.until_begun()
            if stream.status != described.status:
                return Answer(stream.status or 0, stream.problem)
            await stream.until(1)
        try:
            msgspec.convert(stream.items[0], described.answer)
        except msgspec.ValidationError as error:
            return Answer(described.status, None, f"{error}: {stream.items[0]}")
        return Answer(described.status, None)

    async def _screen_key(self, tournament: str, member: str) -> str:
        """Return a member of a new screen key, and revoke the one before: there may be few."""
        owner, path = self.people["owner"], f"/v1/tournaments/{tournament}/screen-keys"
        made = await self._made(owner, path, {}, member)
        listed = (await owner.get(path)).json()["items"]
        for each in [each for each in listed if each["revoked_at"] is None][5:]:
            await owner.http.delete(f"{path}/{each['id']}", headers=owner.headers)
        return made

    async def _let_in(self, owner: Person, league: str) -> None:
        for role in ROLES:
            asked = {"role": "player" if role == "owner" else role, "uses": 3}
            code = await self._made(owner, f"/v1/leagues/{league}/invitations", asked, "code")
            comers = [f"entered {role}"]
            if role != "owner":
                comers.append(role)
            if role == "player":
                comers.append("somebody else")
            for each in comers:
                joined = await self.people[each].post(f"/v1/invitations/{code}/accept")
                assert joined.is_success, joined.text
                self.commands[each] = joined.headers["command-id"]
        second = self.people["entered owner"].player
        promoted = await self.api.http.put(
            f"/v1/leagues/{league}/members/{second}",
            json={"role": "owner"},
            headers=owner.headers | ANY,
        )
        assert promoted.is_success, promoted.text

    async def _hand(self, owner: Person, table: str) -> str:
        async with asyncio.timeout(20):
            while True:
                shown = (await owner.get(f"/v1/tables/{table}")).json()
                if shown["hand"] is not None:
                    return str(shown["hand"])
                tag = {"If-None-Match": f'"{shown["version"]}"'}
                await owner.get(f"/v1/tables/{table}?wait=5", headers=tag)

    async def _dispute(self, tournament: str, path: str = "/v1/disputes") -> str:
        about = {"kind": "payout", "tournament": tournament, "claim": "The winner folded."}
        claimed = await self.people["somebody else"].post(path, about, key=str(uuid4()))
        assert claimed.is_success, claimed.text
        return str(claimed.json()["id"])

    async def _reset(self) -> str:
        """Return a reset code issued by the operator for a person made for it."""
        shell, person = self.api.app.shell, await self.api.person()
        code = resetting.code_text(shell.runtime.entropy.bytes(resetting.SECRET_BYTES))
        number = UUID(hex=person.player[4:])
        async with shell.engine.begin() as connection:
            await resetting.offer(connection, number, code, shell.now(), league=None)
        return code

    async def _email_code(self, person: Person) -> str:
        """Return the code for an address that this person wants."""
        shell, number = self.api.app.shell, UUID(hex=person.player[4:])
        keys, code = AddressKeys(*shell.settings.secret_keys), f"code of {person.login}"
        async with shell.engine.begin() as connection:
            await emails.want(connection, keys, number, "han@falcon.example", shell.now())
        await emails.keep_code(shell.pool, keys, number, code, shell.now())
        return code

    def _opt_out(self) -> str:
        """Return the code with which somebody else turns off one kind of mail."""
        number = UUID(hex=self.people["somebody else"].player[4:])
        wanted = OptOut(number, "mail", "result")
        return code_of(wanted, *self.api.app.shell.settings.secret_keys)

    async def _text(self, league: str) -> str:
        """
        Return the claim text of the dispute. A text must be named by an event, or nobody may read
        it.
        """
        shell = self.api.app.shell
        claims = sa.select(text.c.id).where(text.c.league == number_of(league)).limit(1)
        async with shell.engine.connect() as connection:
            return identifier("txt", (await connection.execute(claims)).scalar_one())

    async def _webhook(self, league: str) -> str:
        path = f"/v1/leagues/{league}/webhooks"
        return await self._made(self.people["owner"], path, BODIES["make_webhook"], "id")

    async def _made(self, person: Person, path: str, body: dict[str, Any], member: str) -> str:
        answer = await person.post(path, body)
        assert answer.is_success, (path, answer.text)
        return str(answer.json()[member])


async def every_answer(database: TestDatabase) -> dict[tuple[str, str], Answer]:
    """Return the answer of each route to each persona."""
    # Each request is sent in its own league, and few people own them all.
    many = {
        "account_audits": 10_000,
        "account_leagues": 10_000,
        "account_mails": 10_000,
        "address_mails": 10_000,
    }
    settings = database.settings("holotable_api", own_writes_milliseconds=0, **many, **MAILING)
    app = build(settings)
    projecting = async_engine(database.url("holotable_project"), 2)
    found: dict[tuple[str, str], Answer] = {}
    async with app.lifespan():
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://test", event_hooks={"response": [check]}
        ) as http:
            asker = Asker(Api(http, app), projecting)
            await asker.meet()
            world = await asker.world()
            # What needs the read models comes first: reads, which leave a world as it was.
            order = sorted(routes(), key=lambda it: (routes()[it][0] != "GET", it not in READING))
            for name in order:
                method = routes()[name][0]
                answers = {each: await asker.ask(each, name, world) for each in PERSONAS}
                found.update({(persona, name): it for persona, it in answers.items()})
                left = method == "GET" or name in APART
                if not left and any(it.status < 400 for it in answers.values()):
                    world = await asker.world(shown=False)
    await projecting.dispose()
    return found
