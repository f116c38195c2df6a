"""
One league in the middle of a night, built with given hidden values.

All public events are equal in every scene: sign-ups, entries, actions, folds and wins. Only the
values of ``Hidden`` differ.
"""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import httpx
import psycopg

from engine.values import number_of
from service.base.database import async_engine
from service.director import submitting
from service.director.runtime import open_runtime
from service.notices.opting_out import OptOut, code_of
from service.people.tokens import SCOPES_OF_PEOPLE
from service.process.signer import signing_app
from service.projections.following.runner import Runner
from service.tasks import telling
from service.transparency.note import SigningKey
from service.transparency.signer import Memory, Signer
from service.transparency.signing import sign_head
from service.webhooks.kinds import KINDS
from tests.noninterference.asking import (
    APPLICANT,
    AUDITOR,
    DIRECTOR,
    NO_TOKEN,
    OTHER,
    OWNER,
    PLAYER,
    PLAYING_DIRECTOR,
    REFEREE,
    SCORER,
    SPECTATOR,
    STRANGER,
    Asker,
    Exchange,
)
from tests.noninterference.entitled import Hidden, Secrets
from tests.service.api.conftest import PASSWORD
from tests.service.api.matrix import BODIES
from tests.support.databases import SECRET_KEY, TestDatabase

KEY = SigningKey("holotable.example", bytes(range(32)))
SPARES = ("spare one", "spare two")
"""Two members. One is the applicant in the first world, the other in the second."""
BANNED = "banned"
OFFICES = {
    SPECTATOR: "player", PLAYER: "player", OTHER: "player", PLAYING_DIRECTOR: "director",
    SCORER: "scorer", AUDITOR: "auditor", REFEREE: "referee", DIRECTOR: "director",
    "spare one": "player", "spare two": "player", BANNED: "player",
}  # fmt: skip
PLAYERS = (PLAYER, OTHER, PLAYING_DIRECTOR)
OPEN_MASTER = "0f" * 32
NIGHT = {
    "name": "Night", "ruleset": "better_simple", "hands_between_seconds": 0, "hands_max": 1,
    "decision_seconds": 3600, "entry": {"approval": True}, "starting_stack": 60,
    "prize_pool": 900, "currency": "EUR", "payouts": [6, 3], "starts_at": "2098-12-29T19:00:00Z",
}  # fmt: skip

HOOK = {"name": "Site", "url": "https://site.example/hook", "kinds": list(KINDS)}


@dataclass
class Scene:
    """A built league, with the identifiers of everything in it."""

    asker: Asker
    database: TestDatabase
    secrets: Secrets
    players: dict[str, str]
    """The identifiers (``plr_…``) of all players by name."""

    names: dict[str, str]
    """The values of path parameters, for the night that is over and its hand."""

    live: dict[str, str]
    """The values for the night in its last street, in which two players are all-in."""

    selecting: dict[str, str]
    """The values for the night in which cards are being selected."""

    coming: dict[str, str]
    """The values for the night that takes applications."""

    draft: dict[str, str]
    cancelled: dict[str, str]
    """The values for a night that had other drafts and was cancelled."""


class Builder:
    """The builder of a scene. It uses the application's own API."""

    def __init__(self, asker: Asker, database: TestDatabase, hidden: Hidden) -> None:
        self.asker = asker
        self.database = database
        self.hidden = hidden
        self.players: dict[str, str] = {}
        self.league = ""
        self.secrets = Secrets()
        self.secrets.add("claim", hidden.claim)
        self.secrets.add("bans", hidden.ban)
        self.secrets.add("refusals", hidden.refusal)
        self.secrets.add("drafts", *map(str, hidden.draft.values()), hidden.refusal)
        pool = hidden.draft["prize_pool"]
        self.secrets.add("drafts", f"{pool // 100:,}.{pool % 100:02}")
        self.draft = {"ruleset": "better", "currency": "EUR", "draft": True} | hidden.draft

    async def made(self, who: str, path: str, body: Any = None, method: str = "POST") -> Any:
        """Send a command and return the decoded answer. Fail if it is refused."""
        answer = await self.asker.ask(who, "the scene", method, path, body=body or {})
        assert answer.is_success, (who, path, answer.text)
        return answer.json()

    async def got(self, who: str, path: str) -> Any:
        """Read without keeping the answer, because the number of reads depends on timing."""
        headers = {"Authorization": f"Bearer {self.asker.tokens[who]}"}
        answer = await self.asker.http.get(path, headers=headers)
        assert answer.is_success, (who, path, answer.text)
        found = answer.json()
        if isinstance(found, dict) and "me" in found:
            self.secrets.held(who, found["me"])
        return found

    async def build(self, directory: Path) -> Scene:
        """Build the league in a fixed order and return the scene."""
        await self._people()
        season = (await self.made(OWNER, f"/v1/leagues/{self.league}/seasons", {"name": "One"}))[
            "id"
        ]
        over = await self._over(season)
        live = await self._begun("Live")
        await self._all_in(live)
        selecting = await self._begun("Selecting")
        await self._selected(selecting)
        await self.seen(live, selecting)
        screen = await self.made(OWNER, f"/v1/tournaments/{live['tournament_id']}/screen-keys")
        coming = await self._coming()
        draft = await self.made(
            DIRECTOR,
            f"/v1/leagues/{self.league}/tournaments",
            self.draft,
        )
        cancelled = await self._drafted()
        names = over | await self._beside(season, over["tournament_id"])
        names |= {"screen_key": screen["key"], "screen_key_id": screen["id"]}
        names |= await self._webhook()
        await self.followed(over["tournament_id"])
        self.told(names["webhook_id"])
        await self.signed(directory)
        return Scene(
            self.asker, self.database, self.secrets, self.players, names,
            names | live, names | selecting, names | coming,
            names | {"tournament_id": draft["id"]}, names | cancelled,
        )  # fmt: skip

    async def _people(self) -> None:
        everybody = (STRANGER, OWNER, *OFFICES)
        for name in everybody:
            login = name.replace(" ", "-")
            answer = await self.asker.ask(
                NO_TOKEN, "the scene", "POST", "/v1/accounts",
                body={"login": login, "password": PASSWORD},
            )  # fmt: skip
            assert answer.is_success, answer.text
            self.players[name] = answer.json()["id"]
            signed_in = {"login": login, "password": PASSWORD, "scopes": SCOPES_OF_PEOPLE}
            token = await self.made(NO_TOKEN, "/v1/tokens", signed_in)
            self.asker.tokens[name] = token["token"]
            self.asker.sessions[name] = f"{token['id']}.{token['token']}"
        self.asker.tokens[APPLICANT] = self.asker.tokens[self.hidden.spare]
        for spare in SPARES:
            self.secrets.add("applicants", self.players[spare], spare.replace(" ", "-"))
        asked = {"name": "Cloud City", "sandbox": True}
        self.league = (await self.made(OWNER, "/v1/leagues", asked))["id"]
        await self.made(OWNER, f"/v1/leagues/{self.league}/webhooks", HOOK)
        # Everything announced from now on is public, so strangers read it without a token too.
        shown = f"/v1/leagues/{self.league}/visibility"
        await self.made(OWNER, shown, {"visibility": "public"}, "PUT")
        for name, role in OFFICES.items():
            invited = await self.made(
                OWNER, f"/v1/leagues/{self.league}/invitations", {"role": role}
            )
            await self.made(name, f"/v1/invitations/{invited['code']}/accept")

    def _terms(self, **more: Any) -> dict[str, Any]:
        return NIGHT | {"masters": {"cards": self.hidden.cards, "open": OPEN_MASTER}} | more

    async def _over(self, season: str) -> dict[str, str]:
        """Play a night with a refused applicant to its end. All fold, so no card is shown."""
        found = await self._begun("Over", season=season)
        while await self._asked(found["table_id"]):
            await self._answered(found["table_id"], fold=True)
        return found

    async def _drafted(self) -> dict[str, str]:
        """Draft a night, revise it twice, announce it, refuse the applicant, and cancel it."""
        about = f"/v1/leagues/{self.league}/tournaments"
        drafted = await self.made(DIRECTOR, about, self.draft)
        path = f"/v1/tournaments/{drafted['id']}"
        anew = self.draft | {"name": self.hidden.refusal, "draft": False}
        await self.made(DIRECTOR, f"{path}/terms", anew, "PUT")
        await self.made(DIRECTOR, f"{path}/terms", NIGHT | {"name": "Called off"}, "PUT")
        await self.made(DIRECTOR, f"{path}/announce")
        entrant = (await self.made(APPLICANT, f"{path}/registrations"))["entrant"]
        self.secrets.add("applicants", entrant)
        why = {"reason": self.hidden.refusal}
        await self.made(DIRECTOR, f"{path}/registrations/{entrant}/refuse", why)
        await self.made(OWNER, f"{path}/cancel")
        return {"tournament_id": drafted["id"], "entrant_id": entrant}

    async def _asked(self, table: str) -> bool:
        """Wait for a decision or for the table's end. Return whether the table is open."""
        async with asyncio.timeout(20):
            while True:
                view = await self.got(OWNER, f"/v1/tables/{table}")
                if view["closed"] or view["decision"] is not None:
                    return not view["closed"]
                await asyncio.sleep(0.01)

    async def _entered(self, tournament: str) -> dict[str, str]:
        """Approve three players, refuse the applicant, and start the tournament."""
        path = f"/v1/tournaments/{tournament}"
        for name in (*PLAYERS, APPLICANT):
            entrant = (await self.made(name, f"{path}/registrations"))["entrant"]
            if name == APPLICANT:
                self.secrets.add("applicants", entrant)
            verdict = "approve" if name in PLAYERS else "refuse"
            reason = {} if name in PLAYERS else {"reason": self.hidden.refusal}
            await self.made(DIRECTOR, f"{path}/registrations/{entrant}/{verdict}", reason)
        await self.made(OWNER, f"{path}/start")
        table = (await self.got(OWNER, path))["tables"][0]["id"]
        _, view = await self._turn(table)
        return {"tournament_id": tournament, "table_id": table, "hand_id": view["hand"]}

    async def _begun(self, name: str, **more: Any) -> dict[str, str]:
        about = f"/v1/leagues/{self.league}/tournaments"
        made = await self.made(DIRECTOR, about, self._terms(name=name, **more))
        return await self._entered(made["id"])

    async def _turn(self, table: str) -> tuple[str, Any]:
        """Wait for a player's turn and return the player with the view."""
        async with asyncio.timeout(20):
            while True:
                for name in PLAYERS:
                    view = await self.got(name, f"/v1/tables/{table}")
                    if view["my_turn"]:
                        return name, view
                await asyncio.sleep(0.01)

    async def _act(self, name: str, table: str, view: Any, **action: Any) -> None:
        asked = {"decision": view["decision"]["token"], **action}
        answer = await self.asker.ask(
            name, "act", "POST", f"/v1/tables/{table}/actions", body=asked
        )
        assert answer.is_success, answer.text

    async def _answered(self, table: str, *, fold: bool = False) -> tuple[str, Any]:
        """Answer for the next player in turn, and return the player with the view."""
        name, view = await self._turn(table)
        if view["phase"] == "select":
            await self._act(name, table, view, type="select", cards=view["me"]["cards"][:1])
        elif view["phase"] == "improve":
            await self._act(name, table, view, type="improve", cards=[])
        else:
            verbs = {each["verb"] for each in view["legal"]}
            order = ("fold", "check") if fold else ("check", "call")
            await self._act(name, table, view, type=next(each for each in order if each in verbs))
        return name, view

    async def _all_in(self, night: dict[str, str]) -> None:
        """Play to the last street, in which two go all-in and the third has to decide."""
        improved = False
        while True:
            name, view = await self._turn(night["table_id"])
            improved = improved or view["phase"] == "improve"
            if improved and view["phase"] == "bet":
                break
            await self._answered(night["table_id"])
        most = next(each["max"] for each in view["legal"] if each["verb"] == "raise_to")
        await self._act(name, night["table_id"], view, type="raise_to", amount=most)
        name, view = await self._turn(night["table_id"])
        await self._act(name, night["table_id"], view, type="call")
        _, view = await self._turn(night["table_id"])
        mine = view["me"]["seat"]
        night["entrant_id"] = next(
            each["entrant"] for each in view["seats"] if each["seat"] == mine
        )

    async def seen(self, *nights: dict[str, str]) -> None:
        """Record the cards that each player holds."""
        for night in nights:
            for name in PLAYERS:
                await self.got(name, f"/v1/tables/{night['table_id']}")

    async def _selected(self, night: dict[str, str]) -> None:
        """Let two players select. One of them selects the number of cards that is hidden."""
        for name, count in ((PLAYER, self.hidden.chosen), (OTHER, 1)):
            view = await self.got(name, f"/v1/tables/{night['table_id']}")
            await self._act(
                name, night["table_id"], view, type="select", cards=view["me"]["cards"][:count]
            )
        view = await self.got(PLAYING_DIRECTOR, f"/v1/tables/{night['table_id']}")
        mine = view["me"]["seat"]
        night["entrant_id"] = next(
            each["entrant"] for each in view["seats"] if each["seat"] == mine
        )

    async def _coming(self) -> dict[str, str]:
        about = f"/v1/leagues/{self.league}/tournaments"
        # House bots enter only where no money is played for.
        free = {"currency": None, "prize_pool": 0}
        made = await self.made(DIRECTOR, about, self._terms(name="Coming", **free))
        path = f"/v1/tournaments/{made['id']}/registrations"
        entrant = (await self.made(APPLICANT, path))["entrant"]
        self.secrets.add("applicants", entrant)
        return {"tournament_id": made["id"], "entrant_id": entrant}

    async def _beside(self, season: str, tournament: str) -> dict[str, str]:
        """Make all other things that a league can have, and return their identifiers."""
        league, about = self.league, {"kind": "payout", "tournament": tournament}
        dispute = await self.made(SPECTATOR, "/v1/disputes", about | {"claim": "He folded."})
        told = await self.made(
            PLAYER, "/v1/confidential-claims", about | {"claim": self.hidden.claim}
        )
        banned = self.players[BANNED]
        await self.made(
            OWNER, f"/v1/leagues/{league}/bans/{banned}", {"reason": self.hidden.ban}, "PUT"
        )
        command = dict(self.asker.exchanges[-1].headers)["command-id"]
        feed = await self.got(OWNER, f"/v1/tournaments/{tournament}/events?limit=200")
        texts = [
            each["data"]["reason"] for each in feed["items"] if each["type"] == "entry_refused"
        ]
        everything = await self.got(OWNER, f"/v1/leagues/{league}/events?limit=200")
        for each in everything["items"]:
            if each["type"] == "entry_refused":
                self.secrets.add("refusals", each["data"]["reason"]["text"])
        invited = await self.made(OWNER, f"/v1/leagues/{league}/invitations", {"uses": 100})
        weekly = {"rrule": "FREQ=WEEKLY", "zone": "Etc/UTC", "starts": "2098-12-29T19:00",
                  "tournament": {"name": "Weekly", "ruleset": "better"}}  # fmt: skip
        plan = await self.made(OWNER, f"/v1/seasons/{season}/fixtures", weekly)
        saved = await self.made(
            OWNER, f"/v1/leagues/{league}/templates", {"name": "T", "body": {"ruleset": "better"}}
        )
        key = await self.made(SPECTATOR, "/v1/me/calendar-keys")
        browser = BODIES["add_push_subscription"] | {"endpoint": "https://push.example/send/own"}
        pushed = await self.made(SPECTATOR, "/v1/me/push-subscriptions", browser)
        wanted = OptOut(UUID(hex=self.players[SPECTATOR][4:]), "mail", "result")
        token = await self.made(SPECTATOR, "/v1/tokens")
        codes = [
            (await self.made(OWNER, f"/v1/leagues/{league}/players", {"name": each}))["claim"]
            for each in ("Han Solo", "Chewie", "Lando")
        ]
        taken = {"code": codes.pop(), "login": "lando", "password": PASSWORD}
        lando = (await self.made(NO_TOKEN, "/v1/claims", taken))["id"]
        reset = await self.made(OWNER, f"/v1/leagues/{league}/players/{lando}/password-reset")
        audit = await self.made(OWNER, f"/v1/leagues/{league}/audits", {"tournament": tournament})
        adjusted = {"player": self.players[PLAYER], "points": "5", "reason": "High hand"}
        points = await self.made(OWNER, f"/v1/seasons/{season}/adjustments", adjusted)
        return {
            "league_id": league, "season_id": season, "ruleset_id": "better",
            "code": invited["code"], "invitation_id": invited["id"],
            "player_id": self.players[SPECTATOR], "operation_id": audit["operation"],
            "member_id": self.players[PLAYER],
            "text_id": texts[0]["text"], "adjustment_id": points["adjustment"],
            "entrant_id": "ent_" + "0" * 32, "template_id": saved["id"],
            "subscription_id": pushed["id"], "opt_out": code_of(wanted, SECRET_KEY),
            "calendar_key": key["key"], "key_id": key["id"], "token_id": token["id"],
            "reset": reset["code"], "claim": codes[0], "claim_to_join": codes[1],
            "dispute_id": dispute["id"], "claim_id": told["id"], "command_id": command,
            "occurrence": "2099-01-05T19:00", "number": "1", "recurrence_id": plan["id"],
        }  # fmt: skip

    async def _webhook(self) -> dict[str, str]:
        """Return the identifiers of the league's webhook and of a delivery to it."""
        listed = await self.got(OWNER, f"/v1/leagues/{self.league}/webhooks")
        webhook = listed["items"][0]["id"]
        tried = await self.made(OWNER, f"/v1/webhooks/{webhook}/try")
        return {"webhook_id": webhook, "delivery_id": tried["id"]}

    def told(self, webhook: str) -> None:
        """Make the messages of the webhook, and keep each as an answer to the public."""
        url = self.database.url("holotable_worker")
        with psycopg.connect(url, autocommit=True) as worker:
            while telling.follow(worker, datetime.now(UTC)):
                pass
            found = worker.execute(
                "SELECT delivery.kind, delivery.body FROM webhook_delivery delivery"
                " JOIN events ON event_id = event WHERE webhook = %s ORDER BY position",
                [number_of(webhook)],
            ).fetchall()
        kinds = {kind for kind, _ in found}
        assert {"hand.settled", "tournament.finished", "tournament.cancelled"} <= kinds
        self.asker.exchanges += [
            Exchange(NO_TOKEN, "a webhook's message", kind, 200, (), body) for kind, body in found
        ]

    async def followed(self, tournament: str) -> None:
        """Do a worker's and a projector's work after a result: award points, update read models."""
        async with open_runtime(self.database.settings("holotable_worker")) as runtime:
            await submitting.award_points(runtime, self.league, tournament)
        engine = async_engine(self.database.url("holotable_project"), 2)
        try:
            await Runner(engine).catch_up()
        finally:
            await engine.dispose()

    async def signed(self, directory: Path) -> None:
        """Have the league's head signed, because bundles need a signed head."""
        connection = await asyncpg.connect(self.database.url("holotable_worker"))
        with Memory(directory) as memory:
            transport = httpx.ASGITransport(app=signing_app(Signer(KEY, memory)))
            async with httpx.AsyncClient(transport=transport, base_url="http://signer") as client:
                await sign_head(connection, client, number_of(self.league))
        await connection.close()
