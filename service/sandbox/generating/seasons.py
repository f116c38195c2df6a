"""A generated season, and its bundle."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from engine import league, season
from engine.decider import AnyDecider
from engine.kit.audiences import AUDITOR
from engine.league.commands import AddMember, CreateLeague
from engine.season.commands import (
    AdjustPoints,
    LeaveOut,
    OpenSeason,
    RevokeAward,
    VoidAdjustment,
)
from engine.season.errors import SeasonUncounted
from engine.season.values import Adjustment, AdjustmentKind
from engine.values import (
    AdjustmentId,
    LeagueId,
    PlayerId,
    SeasonId,
    TournamentId,
    identifier,
    number_of,
)
from service.base.documents import Document
from service.bundles.log import HeldLog
from service.bundles.writing import Wanted, bundle_of
from service.director import closing_heads, season_ends, submitting
from service.director.runtime import Runtime
from service.log.keys import LeagueKeys
from service.log.record import Recorded
from service.log.writer import States, StreamEvents
from service.sandbox.generating import claims, incidents
from service.sandbox.generating.chance import Dice
from service.sandbox.generating.disputes import Court
from service.sandbox.generating.evening import decided
from service.sandbox.generating.night import Night
from service.sandbox.generating.recurring import recurred
from service.sandbox.generating.terms import announcement, season_terms
from service.sandbox.generating.world import (
    SeededEntropy,
    Text,
    VirtualLoop,
    open_world,
    store_of,
)
from service.transparency.note import Checkpoint, SigningKey
from service.transparency.signing import origin_of
from service.transparency.tree import root_of

SIGNER = "holotable.generated/1"


@dataclass(frozen=True, slots=True)
class Season:
    """
    A generated season: its bundle, and the log that it comes from.

    Args:
        rows: The league's whole log.
        texts: The texts that its events name.
    """

    subject: str
    key: SigningKey
    lines: list[bytes] = field(repr=False)  # ``asyncio`` builds the repr of results
    rows: list[Recorded] = field(repr=False)
    keys: LeagueKeys
    texts: list[Text] = field(repr=False)


def made(seed: int, players: int, chaos: float) -> Season:
    """Return the season for these arguments. Equal arguments give equal bytes."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(_made(f"{seed}/{players}/{chaos}", players, chaos))


async def _made(seed: str, players: int, chaos: float) -> Season:
    dice = Dice(f"{seed}/dice", chaos)
    async with open_world(seed) as runtime:
        played = MadeUp(runtime, dice, players)
        await played.open()
        for number in range(1, dice.between(2, 4) + 1):
            await played.night(number)
        if Dice(f"{seed}/fixtures", chaos).odd(0.4):
            await played.fixture()
        waiting = Dice(f"{seed}/waiting", chaos)
        if waiting.odd(0.4):
            await played.unplayed(len(played.counted) + 1, waiting)
        final = Dice(f"{seed}/final table", chaos)
        if final.odd(0.5):
            night = await played.announced(len(played.counted) + 1, final, final_table=True)
            await played.played(night)
        await played.close()
        return await _kept(runtime, seed, played.league, played.season)


class MadeUp:
    """A league, its players and its season, while they are being generated."""

    def __init__(self, runtime: Runtime, dice: Dice, players: int) -> None:
        self.runtime = runtime
        self.dice = dice
        entropy = runtime.entropy
        self.league = LeagueId(identifier("lge", entropy.uuid()))
        self.season = SeasonId(identifier("ssn", entropy.uuid()))
        self.owner = PlayerId(identifier("plr", entropy.uuid()))
        self.players = [PlayerId(identifier("plr", entropy.uuid())) for _ in range(players)]
        self.counted: list[str] = []

    async def open(self) -> None:
        """Create the league, add all players, and open the season."""
        make = CreateLeague(league=self.league, name="Coruscant", owner=self.owner, sandbox=True)
        await self._decide(self.league, league.decider, make)
        for player in self.players:
            member = AddMember(player=player, now=self.runtime.clock.now())
            await self._decide(self.league, league.decider, member)
        entropy = self.runtime.entropy
        begin = OpenSeason(
            season=self.season,
            league=self.league,
            name="Spring",
            **season_terms(self.dice),
            master=entropy.token(),
            salt=entropy.token(),
            now=self.runtime.clock.now(),
        )
        await self._decide(self.season, season.decider, begin)

    async def night(self, number: int) -> None:
        """Announce and play one tournament of the season."""
        await self.played(await self.announced(number, self.dice))

    async def unplayed(self, number: int, dice: Dice) -> None:
        """Announce a tournament that will not have been played when the season closes."""
        night = await self.announced(number, dice)
        for player in self.players[: dice.between(0, 2)]:
            await night.register(player)

    async def announced(self, number: int, dice: Dice, *, final_table: bool = False) -> Night:
        """Announce a tournament with random terms, and return its night."""
        name = TournamentId(identifier("trn", self.runtime.entropy.uuid()))
        night = Night(self.runtime, dice, self.league, name, self.owner)
        terms = announcement(
            dice,
            len(self.players),
            tournament=name,
            league=self.league,
            season=self.season,
            number=number,
            now=self.runtime.clock.now(),
            final_table=final_table,
        )
        await night.announce(terms)
        return night

    async def fixture(self) -> None:
        """Play the first fixture of a recurrence."""
        night = Night(self.runtime, self.dice, self.league, self.season, self.owner)
        name = await recurred(night, self.season, season.decider)
        await self.played(Night(self.runtime, self.dice, self.league, name, self.owner))

    async def played(self, night: Night) -> None:
        """Play a tournament with open registration, and count it in the season."""
        await night.enter(self.players)
        await night.begin()
        await night.play()
        if not await night.end():
            return
        self.counted.append(night.tournament)
        if self.dice.odd(0.4) and await incidents.correct(night):
            await submitting.award_points(self.runtime, self.league, night.tournament)
        await asyncio.sleep(3_600)

    async def close(self) -> None:
        """Adjust points, revoke an award or hear a dispute, by chance, then close the season."""
        if self.counted and self.dice.odd(0.4):
            await self._adjust()
        if len(self.counted) > 1 and self.dice.odd(0.2):
            revoke = RevokeAward(tournament=TournamentId(self.counted[0]), **self._ruling())
            await self._decide(self.season, season.decider, revoke)
        court = Court(self.runtime, self.league, self.season, self.owner, self.dice.chaos)
        if self.counted and court.dice.odd(0.5):
            await claims.on_standings(court, self.season, self.players)
        try:
            await self._close(None)
        except SeasonUncounted as refusal:
            stuck = tuple(each["tournament"] for each in refusal.facts["tournaments"])
            reason = self._ruling()["reason"]
            await self._close(LeaveOut(tournaments=stuck, reason=reason, author=self.owner))
        await asyncio.sleep(1)
        await closing_heads.record_tournaments(self.runtime, self.league, self.season)

    async def _close(self, leave_out: LeaveOut | None) -> None:
        now = self.runtime.clock.now()

        async def decide(states: States) -> Sequence[StreamEvents]:
            return await season_ends.decided(states, self.season, (), leave_out=leave_out, now=now)

        night = Night(self.runtime, self.dice, self.league, self.season, self.owner)
        await self.runtime.writer.submit(self.league, night.order(self.owner), decide)

    async def _adjust(self) -> None:
        kinds: tuple[AdjustmentKind, ...] = ("manual", "penalty", "high_hand")
        kind = self.dice.one(kinds)
        for voided in (False, self.dice.happens(0.3)):
            adjustment = Adjustment(
                id=AdjustmentId(identifier("adj", self.runtime.entropy.uuid())),
                player=self.dice.one(self.players),
                kind=kind,
                points="-2" if kind == "penalty" else "1.5",
                tournament=None,
            )
            asked = AdjustPoints(adjustment=adjustment, **self._ruling())
            await self._decide(self.season, season.decider, asked)
            if voided:
                void = VoidAdjustment(adjustment=adjustment.id, **self._ruling())
                await self._decide(self.season, season.decider, void)

    def _ruling(self) -> Document:
        reason = Night(self.runtime, self.dice, self.league, self.season, self.owner).reason()
        return {"reason": reason, "author": self.owner, "now": self.runtime.clock.now()}

    async def _decide(self, subject: str, decider: AnyDecider, asked: msgspec.Struct) -> None:
        night = Night(self.runtime, self.dice, self.league, subject, self.owner)
        order = night.order(self.owner)
        await decided(self.runtime, self.league, subject, decider, asked, order)


async def _kept(runtime: Runtime, seed: str, league_id: str, subject: str) -> Season:
    """Sign a head of the league's log, and write the season's bundle."""
    store, number = store_of(runtime), number_of(league_id)
    rows = await store.league(number, limit=10_000_000)
    leaves = [row.hash for row in rows]
    key = SigningKey(SIGNER, SeededEntropy(f"{seed}/signer").bytes(32))
    head = Checkpoint(origin=origin_of(number, 0), size=len(rows), root=root_of(leaves))
    keys = await store.keys(number)

    wanted = Wanted(kind="season", subject=subject, viewer=AUDITOR)
    signed = (key.sign(head.text()), len(rows))
    lines = [line async for line in await bundle_of(HeldLog(rows), keys, wanted, signed)]
    return Season(subject, key, lines, rows, keys, store.texts)
