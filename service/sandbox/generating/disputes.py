"""
The disputes of a generated season: claims, freezes, rulings with acts, and appeals.

Disputes have their own dice and entropy, so they do not change the rest of an evening's draws.
"""

import asyncio
import hashlib
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from engine.coordination.aggregates import DECIDERS
from engine.coordination.policies import decide_in_turn
from engine.dispute.commands import Appeal, AttachEvidence, Claim, Freeze, Rule, Unfreeze
from engine.dispute.state import State as DisputeState
from engine.dispute.values import Evidence, Recorded, Subject
from engine.errors import CommandRejected
from engine.kit import windows
from engine.league.commands import AddMember
from engine.values import (
    DisputeId,
    LeagueId,
    PlayerId,
    Stream,
    TextRef,
    identifier,
    number_of,
    stream_of,
)
from service.api.http.writing.rehearsing import would_change
from service.base.documents import Document
from service.director.disputes.evidence import EVENTS_MAX
from service.director.disputes.ruling import Acts, frozen, ruled, taken
from service.director.next_hand import lead_on
from service.director.runtime import Runtime
from service.log.codec import category_of
from service.log.orders import HOUSE, Decide
from service.log.record import Metadata
from service.log.record import Recorded as Row
from service.log.rehearsal import Certain, carried_out
from service.log.states import State
from service.log.streams import dispute_stream, league_stream, tournament_stream
from service.log.writer import Order, States, StreamEvents
from service.sandbox.generating.chance import Dice
from service.sandbox.generating.world import SeededEntropy, store_of

ActsOf = Callable[[Document], Acts]
"""Returns the acts of a ruling, given its author, reason and time."""

_SETTLING = ("hand_settled", "tournament_finished", "tournament_cancelled", "result_corrected")


class Court:
    """
    The referees who hear and decide the claims about one tournament or season.

    Args:
        about: The identifier of the tournament or season.
        referee: The player who rules first. Another referee makes the second ruling.
    """

    def __init__(
        self, runtime: Runtime, league: str, about: str, referee: PlayerId, chaos: float
    ) -> None:
        self.dice = Dice(f"{about}/disputes", chaos)
        self.entropy = SeededEntropy(f"{about}/disputes")
        self._runtime = runtime
        self._league = LeagueId(league)
        self._referee = referee
        self._second: PlayerId | None = None

    async def hear(
        self, subject: Subject, claimant: PlayerId, rule: str, acts_of: ActsOf | None = None
    ) -> None:
        """
        Take a claim through its dispute: evidence, sometimes a freeze, the ruling, and an appeal.

        Args:
            rule: The slug of the rule that the claimant says was broken.
            acts_of: Returns the acts of a ruling. Without it, rulings have no acts.
        """
        stream = await self._claim(subject, claimant, rule)
        if self.dice.happens(0.6):
            await self._frozen(stream, Freeze(**self._signed(self._referee)))
            await asyncio.sleep(60)
            if self.dice.happens(0.2):
                await self._frozen(stream, Unfreeze(**self._signed(self._referee)))
        await self._rule(stream, subject, self._referee, rule, acts_of)
        if self.dice.happens(0.4):
            await asyncio.sleep(300)
            await self._decided(stream, claimant, Appeal(**self._signed(claimant)))
            if self.dice.happens(0.3):
                await self._frozen(stream, Freeze(**self._signed(self._referee)))
            await self._rule(stream, subject, await self._another(), rule, acts_of)

    def _signed(self, by: PlayerId) -> Document:
        return {"by": by, "reason": self._words(), "now": self._runtime.clock.now()}

    def _words(self) -> TextRef:
        return store_of(self._runtime).invent_text(self.entropy)

    async def _submit(self, actor: str, decide: Decide) -> None:
        command = Order(
            command_id=self.entropy.uuid(),
            actor=actor,
            received_at=self._runtime.clock.now(),
            request=b"{}",
        )
        await self._runtime.writer.submit(self._league, command, decide)

    async def _decided(
        self, stream: Stream[State], actor: PlayerId, *asked: msgspec.Struct
    ) -> None:
        decider = DECIDERS[category_of(stream)]

        async def decide(states: States) -> list[StreamEvents]:
            state = (await states.load(stream)).state
            return [StreamEvents(stream, *decide_in_turn(decider, state, asked))]

        await self._submit(actor, decide)

    async def _claim(self, subject: Subject, claimant: PlayerId, rule: str) -> Stream[DisputeState]:
        name = DisputeId(identifier("dsp", self.entropy.uuid()))
        now = self._runtime.clock.now()
        evidence = await self._evidence(subject)
        over = [each.at for each in evidence.events if each.type in _SETTLING]
        settled = windows.Settled(at=over[-1]) if over else None
        claim = Claim(
            dispute=name,
            league=self._league,
            subject=subject,
            by=claimant,
            claim=self._words(),
            rules=(rule,),
            closes_at=windows.closes_at(windows.in_force((), now), subject.kind, settled),
            now=now,
        )
        attached = AttachEvidence(evidence=evidence, salt=self.entropy.token(), now=now)
        stream = dispute_stream(name)
        await self._decided(stream, claimant, claim, attached)
        return stream

    async def _evidence(self, subject: Subject) -> Evidence:
        """Return the evidence as the service would attach it, with no signed head or refusal."""
        named = subject.table if subject.hand is not None else subject.tournament or subject.season
        stream = stream_of(str(named))
        store, number = self._runtime.writer.store, number_of(self._league)
        rows = await store.stream(number, stream, 0, 1_000_000)
        if subject.hand is not None:
            begun = next(at for at, row in enumerate(rows) if subject.hand.encode() in row.data)
            rows = rows[begun:]
            ends = (at for at, row in enumerate(rows) if row.type == "hand_settled")
            rows = rows[: next(ends, len(rows)) + 1]
        last = rows[-EVENTS_MAX:]
        return Evidence(
            stream=stream,
            events=tuple(_recorded(row) for row in last),
            left_out=len(rows) - len(last),
            digest=hashlib.sha256(b"".join(row.hash for row in last)).hexdigest(),
            refused=(),
            epoch=None,
            size=None,
            root=None,
            earlier=(),
            replay=None if subject.hand is None else f"/v1/hands/{subject.hand}/replay",
        )

    async def _frozen(self, stream: Stream[DisputeState], command: Freeze | Unfreeze) -> None:
        async def decide(states: States) -> list[StreamEvents]:
            return await frozen(states, stream, command)

        await self._submit(self._referee, decide)

    async def _rule(
        self,
        stream: Stream[DisputeState],
        subject: Subject,
        by: PlayerId,
        rule: str,
        acts_of: ActsOf | None,
    ) -> None:
        """Rule for the claimant, with acts, or against. If an act is refused, rule against."""
        if acts_of is not None and self.dice.happens(0.7):
            signed = self._signed(by)
            acts = acts_of(signed)
            command = Rule(outcome="for", rules=(rule,), acts=taken(subject, acts), **signed)
            try:
                await self._submit(by, self._as_shown(stream, command, acts))
            except CommandRejected:
                pass
            else:
                await self._lead_on(subject)
                return
        against = Rule(outcome="against", rules=(rule,), **self._signed(by))

        async def decide(states: States) -> list[StreamEvents]:
            return await ruled(self._runtime, states, stream, against, Acts())

        await self._submit(by, decide)

    def _as_shown(self, stream: Stream[DisputeState], command: Rule, acts: Acts) -> Decide:
        """Return the decision of a ruling that names the dry run of its acts."""
        asked = msgspec.json.encode([stream, command.outcome, command.rules, command.acts])

        async def decide(states: States) -> list[StreamEvents]:
            async def load(_: str, other: Stream[Any]) -> Any:  # any state
                return (await states.load(other)).state

            async def rule(seen: States) -> list[StreamEvents]:
                return await ruled(self._runtime, seen, stream, command, acts)

            found = await carried_out(DECIDERS, Certain(states), rule)
            found.asked = asked
            digest = (await would_change(found, load, command.now)).digest
            return await ruled(
                self._runtime, states, stream, replace(command, dry_run=digest), acts
            )

        return decide

    async def _lead_on(self, subject: Subject) -> None:
        if subject.tournament is not None:
            above = await self._runtime.writer.load(
                self._league, tournament_stream(subject.tournament), fresh=False
            )
            lead_on(self._runtime, self._league, above.state)

    async def _another(self) -> PlayerId:
        """Return a second referee, who joins the league at the first call."""
        if self._second is None:
            self._second = PlayerId(identifier("plr", self.entropy.uuid()))
            joins = AddMember(player=self._second, role="referee", now=self._runtime.clock.now())
            await self._decided(league_stream(self._league), self._referee, joins)
        return self._second


def _recorded(row: Row) -> Recorded:
    sent = msgspec.json.decode(row.metadata, type=Metadata)
    return Recorded(
        position=row.position,
        version=row.stream_version,
        type=row.type,
        hash=row.hash.hex(),
        at=row.at,
        received_at=None if sent.actor == HOUSE else sent.received_at,
    )
