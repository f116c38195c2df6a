"""A league night from the first account to the audit, using only the public API."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from typing import Final

import httpx

from service.base.documents import Document
from service.base.sources import Clock
from service.sandbox.bots.client import Client
from service.sandbox.bots.player import Player
from service.sandbox.demo.counters import Tally, counted
from service.sandbox.demo.floor import Floor
from service.sandbox.demo.options import Options, tournament_request
from service.sandbox.demo.teller import Story, Teller
from service.transparency.note import signers_of

ORGANISER: Final = "mothma"
PASSWORD: Final = "a long night ahead"  # noqa: S105 - of accounts that live for a minute
PLANNED: Final = timedelta(hours=1)
"""The time from an announcement to the announced start. The organiser starts when all are in."""

POLL_SECONDS: Final = 0.2
PATIENCE_SECONDS: Final = 60.0
SLEEPY: Final = 1
"""The number of the tournament in which bots fall asleep until their seats are away."""


class NightFailed(Exception):
    """The night did not finish. The message says where it stopped."""


@dataclass(slots=True, kw_only=True)
class Outcome:
    """The results of a night, for the summary and the exit code."""

    tally: Tally = field(default_factory=Tally)
    audits: list[Document] = field(default_factory=list)
    standings: list[Document] = field(default_factory=list)
    head: Document = field(default_factory=dict)
    season: str = ""
    signers: list[str] = field(default_factory=list)
    """The signers' public keys as the API lists them. An auditor gets them from another source."""

    proved: bool | None = None
    """The independent verifier's result, or None before it has run."""

    refusals: list[str] = field(default_factory=list)
    passed: bool = True

    def summary(self) -> Document:
        """Return the document that ``--json`` writes."""
        return {
            "counters": asdict(self.tally),
            "audits": self.audits,
            "standings": self.standings,
            "head": self.head,
            "proved": self.proved,
            "refusals": self.refusals,
            "passed": self.passed,
        }


class Night:
    """
    The organiser and the bots of one night.

    Args:
        http: The connections to the API.
        options: The options of the night.
        teller: The printer of the story.
        clock: The house's clock, from which starting times are computed.
        announced: Called with each tournament once it is announced.
    """

    def __init__(
        self,
        http: httpx.AsyncClient,
        options: Options,
        teller: Teller,
        clock: Clock,
        announced: Callable[[str], Awaitable[None]] | None = None,
    ) -> None:
        self._http = http
        self._options = options
        self._teller = teller
        self._clock = clock
        self._announced = announced
        self._organiser = Client(http, ORGANISER)
        self._bots: dict[str, Client] = {}
        self._names: dict[str, str] = {}
        self._outcome = Outcome()

    async def play(self) -> Outcome:
        """
        Play all tournaments, audit the league, and return the results.

        Raises:
            NightFailed: If points, a signed head or the audit do not come in time.
            Problem: If the API refuses a request.
        """
        league, season = await self._gather()
        self._outcome.season = season
        for number in range(1, self._options.tournaments + 1):
            await self._tournament(league, season, number)
        await self._standings(season)
        await self._signed_head(league)
        await self._audit(league)
        return self._outcome

    async def _gather(self) -> tuple[str, str]:
        self._teller.heading("A league gathers")
        first, _ = await self._sign_up(ORGANISER)
        # The token of a sign-up may only read and play. A token for the password may found leagues.
        token = await first.post("/v1/tokens", {"login": first.name, "password": PASSWORD})
        self._organiser = Client(self._http, first.name, token["token"])
        league = await self._organiser.post(
            "/v1/leagues", {"name": "Cloud City League", "sandbox": True}
        )
        season = await self._organiser.post(
            f"/v1/leagues/{league['id']}/seasons", {"name": "First season"}
        )
        names = self._options.names()
        invitation = await self._organiser.post(
            f"/v1/leagues/{league['id']}/invitations", {"role": "player", "uses": len(names)}
        )
        await asyncio.gather(*(self._join(name, invitation["code"]) for name in names))
        self._teller.say(f"{len(names)} members by invitation: {', '.join(names)}")
        return str(league["id"]), str(season["id"])

    async def _join(self, name: str, code: str) -> None:
        client, player = await self._sign_up(name)
        await client.post(f"/v1/invitations/{code}/accept", {})
        self._bots[name] = client
        self._names[player] = name

    async def _sign_up(self, name: str) -> tuple[Client, str]:
        login = name.lower().replace(" ", "_")
        account = await Client(self._http, login).post(
            "/v1/accounts", {"login": login, "password": PASSWORD, "name": name}
        )
        return Client(self._http, login, account["token"]["token"]), str(account["id"])

    async def _tournament(self, league: str, season: str, number: int) -> None:
        ruleset = self._options.ruleset_of(number)
        self._teller.heading(f"Tournament {number} of {self._options.tournaments}: {ruleset}")
        tournament, players = await self._started(league, season, number)
        story = Story(self._teller, {entrant: bot.name for entrant, bot in players.items()})
        floor = Floor(
            watcher=self._organiser,
            players=players,
            story=story,
            sleepy=number == SLEEPY,
            thinking_seconds=self._options.thinking_seconds,
        )
        finished = await floor.follow(tournament)
        await self._count(tournament, story, finished)
        self._outcome.refusals += [text for bot in players.values() for text in bot.refused]
        self._results(story, finished)

    async def _started(
        self, league: str, season: str, number: int
    ) -> tuple[str, dict[str, Player]]:
        """Announce a tournament, have every bot enter, and start it. Return it and its players."""
        starts_at = (self._clock.now() + PLANNED).isoformat()
        announced = await self._organiser.post(
            f"/v1/leagues/{league}/tournaments",
            tournament_request(self._options, number, season, starts_at),
        )
        tournament = str(announced["id"])
        if self._announced is not None:
            await self._announced(tournament)
        players = await self._register(tournament, number)
        await asyncio.sleep(self._options.looking_seconds)
        await self._organiser.post(f"/v1/tournaments/{tournament}/start", {})
        return tournament, players

    async def _register(self, tournament: str, number: int) -> dict[str, Player]:
        async def one(name: str, client: Client) -> tuple[str, Player]:
            answer = await client.post(f"/v1/tournaments/{tournament}/registrations", {"bot": True})
            player = Player(
                client=client,
                name=name,
                seed=self._options.seed,
                entropy=self._options.entropy_of(number, name),
            )
            await player.commit(tournament)
            return str(answer["entrant"]), player

        # The bots register one after the other, so that the same seed draws the same seats.
        return dict([await one(name, self._bots[name]) for name in self._options.names_of(number)])

    async def _count(self, tournament: str, story: Story, finished: Document) -> None:
        feeds = {
            table: await self._organiser.items(f"/v1/tables/{table}/events", by="after", limit=200)
            for table in story.tables
        }
        own = await self._organiser.items(
            f"/v1/tournaments/{tournament}/events", by="after", limit=200
        )
        for feed in (own, *feeds.values()):
            self._outcome.tally += counted(feed)
        winner = finished["placings"][0]["entrant"]
        last = max(feeds.values(), key=lambda feed: _settled_last(feed, winner))
        story.final_hand(last)

    def _results(self, story: Story, finished: Document) -> None:
        paid = {payout["entrant"]: payout["amount"] for payout in finished["payouts"]}
        self._teller.say("[bold]placings[/]")
        for placing in finished["placings"]:
            money = paid.get(placing["entrant"])
            prize = f"  {money / 100:.2f} credits" if money else ""
            name = story.name(placing["entrant"])
            self._teller.say(f"  {placing['place']:>3}  {name:<12}{prize}")
        self._teller.advance()

    async def _standings(self, season: str) -> None:
        self._teller.heading("League standings")
        rows: list[Document] = []
        for _ in range(int(PATIENCE_SECONDS / POLL_SECONDS)):
            rows = (await self._organiser.get(f"/v1/seasons/{season}/standings"))["items"]
            if rows and max(row["played"] for row in rows) >= self._options.tournaments:
                break
            await asyncio.sleep(POLL_SECONDS)
        else:
            raise NightFailed("the points of the season were not awarded in time")
        for row in rows:
            name = self._names.get(row["player"], row["player"])
            self._teller.say(f"{row['rank']:>3}  {name:<12} {row['points']:>8}")
        self._outcome.standings = rows

    async def _signed_head(self, league: str) -> None:
        self._teller.heading("Signed head")
        for _ in range(int(PATIENCE_SECONDS / POLL_SECONDS)):
            heads = await self._organiser.get(f"/v1/leagues/{league}/checkpoints?limit=1")
            if heads["items"]:
                break
            await asyncio.sleep(POLL_SECONDS)
        else:
            raise NightFailed("no head of the league's tree was signed in time")
        (head,) = heads["items"]
        by = ", ".join(signers_of(head["note"]))
        self._teller.say(f"{head['size']} events, root {head['root'][:16]}…, signed by {by}")
        self._outcome.head = head
        keys = (await self._organiser.get("/v1/signers"))["items"]
        self._outcome.signers = [each["verifier_key"] for each in keys]

    async def _audit(self, league: str) -> None:
        self._teller.heading("Audit")
        started = await self._organiser.post(f"/v1/leagues/{league}/audits", {})
        for _ in range(int(PATIENCE_SECONDS / POLL_SECONDS)):
            operation = await self._organiser.get(f"/v1/operations/{started['operation']}")
            if operation["state"] in ("done", "passed", "failed", "broken"):
                break
            await asyncio.sleep(POLL_SECONDS)
        else:
            raise NightFailed("the audit did not end in time")
        result = operation["result"] or {}
        for line in figures(result):
            self._teller.say(line)
        self._outcome.audits.append(result)
        self._outcome.passed = operation["state"] in ("done", "passed") and bool(
            result.get("passed")
        )
        self._teller.say("[bold green]passed[/]" if self._outcome.passed else "[bold red]failed[/]")


def figures(report: Document) -> list[str]:
    """
    Return an audit's figures as lines: a line of totals, then each check with its count.

    >>> check = {"title": "dice rolled again", "checked": 7, "failed": 0, "faults": []}
    >>> figures({"hands": 3, "events": 90, "seconds": 0.5, "checks": [check]})
    ['3 hands, 90 events in 0.5 s', '      7  dice rolled again']
    """
    seconds = f"{report.get('seconds', 0):.1f} s"
    lines = [f"{report.get('hands')} hands, {report.get('events')} events in {seconds}"]
    for check in report.get("checks", ()):
        failed = f"  FAILED {check['failed']}: {check['faults']}" if check["failed"] else ""
        lines.append(f"{check['checked']:>7}  {check['title']}{failed}")
    return lines


def _settled_last(feed: list[Document], winner: str) -> str:
    """Return the instant at which *winner*'s last hand in *feed* was settled, or ""."""
    settled = [item for item in feed if item["type"] == "hand_settled"]
    at_table = [s for s in settled if winner in {x["entrant"] for x in s["data"]["stacks"]}]
    return str(at_table[-1]["at"]) if at_table else ""
