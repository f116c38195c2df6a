"""A small league night, played through the writer by players who see their own cards only."""

from collections.abc import Sequence
from itertools import count
from typing import Any
from uuid import UUID, uuid5

from engine.coordination import policies, season_points
from engine.coordination.aggregates import DECIDERS
from engine.coordination.next_hand import plan_next_hand
from engine.hand.showdown import best_selection
from engine.league.commands import AddMember, CreateLeague
from engine.rulesets import preset, ruleset_hash
from engine.season.commands import OpenSeason
from engine.table.decide.turns import legal_on_turn
from engine.table.model.commands import (
    Act,
    CallHand,
    FieldCards,
    Improve,
    Select,
    TakeCardTurn,
    VoidCause,
    VoidDeal,
)
from engine.table.model.events import HandSettled
from engine.table.model.state import Table
from engine.table.model.wagers import legal_wagers
from engine.tournament.model.commands import Announce, OpenRegistration, Register, StartPlay
from engine.tournament.model.values import Masters
from engine.values import identifier, stream_of
from service.log.codec import category_of
from service.log.store import PostgresStore
from service.log.writer import Order, States, StreamEvents, Writer
from tests.support.databases import SECRET_KEY, TestDatabase
from tests.support.logs import utcnow

NAMES = UUID(int=0x5ABACC)
PLAYERS = 5
HANDS_MAX = 6
VOIDED_AFTER = 2
"""The number of steps before the voided deal, too few for substantial action."""


def named(prefix: str, name: str) -> Any:
    """Return an identifier with *prefix* that is the same in every run."""
    return identifier(prefix, uuid5(NAMES, name))


class Night:
    """A league with one season and one tournament on two tables."""

    def __init__(self, writer: Writer, name: str = "night", ruleset: str = "better_simple") -> None:
        self._writer = writer
        self._ruleset = ruleset
        self._numbers = count(1)
        self._name = name
        self.league = named("lge", name)
        self.season = named("ssn", name)
        self.tournament = named("trn", name)
        self.tables = tuple(named("tbl", f"{name} {number}") for number in (1, 2))
        self.players = tuple(named("plr", f"{name} {n}") for n in range(PLAYERS))

    async def ask(self, *asked: tuple[str, Any], guard: str | None = None) -> None:
        """Decide the commands of each stream, and append all their events at once."""

        async def decide(states: States) -> Sequence[StreamEvents]:
            entries: list[StreamEvents] = []
            for stream, commands in asked:
                decider = DECIDERS[category_of(stream)]
                state = (await states.load(stream)).state
                events, after = policies.decide_in_turn(decider, state, commands)
                entries.append(StreamEvents(stream, events))
                if any(isinstance(event, HandSettled) for event in events):
                    entries += await self._busts(states, after, events)
            return [*entries, *([StreamEvents(guard)] if guard else [])]

        number = next(self._numbers)
        await self._writer.submit(
            self.league,
            Order(
                command_id=uuid5(NAMES, f"{self._name} {number}"),
                actor="test",
                received_at=utcnow(),
                request=b"{}",
            ),
            decide,
        )

    async def _busts(
        self, states: States, table: Table, events: Sequence[Any]
    ) -> list[StreamEvents]:
        bust = policies.busts_of(table, events)
        if bust is None:
            return []
        floor = stream_of(self.tournament)
        decided = DECIDERS["tournament"].decide((await states.load(floor)).state, bust)
        return [StreamEvents(floor, decided)]

    async def found(self, members: int = 0) -> None:
        """Make the league with its players and *members* others, and its season."""
        others = [named("plr", f"{self._name} member {number}") for number in range(members)]
        await self.ask(
            (
                stream_of(self.league),
                [
                    CreateLeague(
                        league=self.league,
                        name="Cloud City",
                        owner=self.players[0],
                        sandbox=True,
                    ),
                    *(
                        AddMember(player=player, now=utcnow())
                        for player in (*self.players[1:], *others)
                    ),
                ],
            )
        )
        await self.ask(
            (
                stream_of(self.season),
                [
                    OpenSeason(
                        season=self.season,
                        league=self.league,
                        name="One",
                        master="5e" * 32,
                        salt="33" * 32,
                        now=utcnow(),
                    )
                ],
            )
        )

    async def start(self) -> None:
        """Announce the tournament, enter everyone, draw the seats and open the tables."""
        rules = preset(self._ruleset)
        floor = stream_of(self.tournament)
        announce = Announce(
            tournament=self.tournament,
            league=self.league,
            season=self.season,
            name="Open",
            ruleset=rules,
            ruleset_name=self._ruleset,
            ruleset_hash=ruleset_hash(rules),
            table_seats=3,
            starting_stack=30,
            entrants_max=8,
            starts_at=utcnow(),
            decision_seconds=20,
            payouts=(70, 30),
            prize_pool=1001,
            currency="EUR",
            hands_max=HANDS_MAX,
        )
        masters = Masters(cards="c5" * 32, open="0b" * 32)
        opening = OpenRegistration(masters=masters, salts=("11" * 32, "22" * 32), now=utcnow())
        await self.ask((floor, [announce, opening]))
        for index, player in enumerate(self.players):
            entrant = named("ent", f"{self._name} {index}")
            await self.ask((floor, [Register(entrant=entrant, player=player, now=utcnow())]))
        await self.ask((floor, [StartPlay(table_ids=self.tables, now=utcnow())]))
        running = (await self._writer.load(self.league, floor)).state
        opened = policies.tables_of(running, now=utcnow())
        await self.ask(*((stream_of(table.table), [table]) for table in opened))

    async def play(self, steps_max: int = 5_000) -> None:
        """Play until the tournament is over and its tables are closed, or for *steps_max* steps."""
        for _ in range(steps_max):
            tables = [await self.table(table) for table in self.tables]
            deciding = next((table for table in tables if table.decision is not None), None)
            if deciding is not None:
                await self._answer(deciding)
            elif not await self._next_hands(tables):
                break
        state = (await self._writer.load(self.league, stream_of(self.tournament))).state
        if type(state).__name__ == "Finished" and steps_max >= 5_000:
            points = season_points.points_of(state, now=utcnow())
            await self.ask((stream_of(self.season), [points]))

    async def void(self, cause: VoidCause) -> None:
        """Void the deal of the first table in play, as a director can."""
        tables = [await self.table(table) for table in self.tables]
        playing = next(table for table in tables if table.decision is not None)
        void = VoidDeal(cause=cause, reason="card_shown", now=utcnow())
        await self.ask((stream_of(playing.table), [void]))

    async def table(self, table: str) -> Table:
        """Return a table's state."""
        state: Table = (await self._writer.load(self.league, stream_of(table))).state
        return state

    async def _next_hands(self, tables: Sequence[Table]) -> bool:
        """Carry out the first plan of a table that changes anything. Return False if none does."""
        floor = await self._writer.load(self.league, stream_of(self.tournament))
        live = {table.table: table for table in tables if not table.closed}
        for table, its in live.items():
            plan = plan_next_hand(
                floor.state,
                live,
                table,
                now=utcnow(),
                hand=named("hnd", f"{table} {its.next_hand_number}"),
                tournament_version=floor.version,
                tournament_head=floor.hash.hex(),
            )
            entries = [(planned.stream, planned.commands) for planned in plan.entries]
            if plan.outcome == "nothing" or (plan.outcome == "hold" and its.wait):
                continue
            await self.ask(*entries, guard=plan.guard)
            return True
        return False

    async def _answer(self, table: Table) -> None:
        decision = table.decision
        assert decision is not None
        seat = decision.seats[0]
        place = next(place for place in table.places if place.seat == seat)
        about: dict[str, Any] = {
            "entrant": place.entrant,
            "decision": decision.token,
            "now": utcnow(),
        }
        hand, held = table.hand, place.hand
        assert hand is not None and held is not None
        command: Any
        if decision.phase == "bet":
            command = Act(**about, **_wager(table, seat))
        elif decision.phase == "card":
            command = _turn(table, seat, about)
        elif decision.phase == "select":
            cards = [card.card for card in held.cards]
            kept = best_selection(cards, hand.target or 0, hand.suit or "circle")
            command = Select(**about, cards=kept, salt="5a" * 32)
        else:
            command = Improve(**about, cards=(), salt="a5" * 32)
        await self.ask((stream_of(table.table), [command]))


def _wager(table: Table, seat: int) -> dict[str, Any]:
    """Choose a bet from the table's numbers alone: mostly a call, now and then the maximum."""
    legal = {action.verb: action for action in legal_wagers(table, seat)}
    assert table.hand is not None
    mood = (table.hand_number * 7 + seat * 3 + table.hand.turn) % 9
    if mood == 0 and "raise_to" in legal:
        return {"verb": "raise_to", "amount": legal["raise_to"].max}
    if mood == 1 and "fold" in legal and "check" not in legal:
        return {"verb": "fold"}
    verb = "check" if "check" in legal else "call" if "call" in legal else next(iter(legal))
    return {"verb": verb}


def _turn(table: Table, seat: int, about: dict[str, Any]) -> Any:
    """Choose a legal card action from the table's numbers alone."""
    legal = {action.verb: action for action in legal_on_turn(table, seat)}
    assert table.hand is not None
    mood = (table.hand_number * 5 + seat * 3 + table.hand.turn) % 7
    field = table.at(seat).hand
    if mood == 0 and "field" in legal and field is not None and not field.field:
        return FieldCards(**about, cards=(legal["field"].cards or ())[:1])
    if mood == 1 and "call_hand" in legal:
        return CallHand(**about)
    for wished, verb in ((2, "draw"), (3, "trade"), (4, "gain"), (5, "swap")):
        if mood == wished and verb in legal:
            card = next(iter(legal[verb].cards or ()), None)
            source = legal[verb].source
            return TakeCardTurn(**about, verb=verb, card=card, source=source, salt="7a" * 32)
    return TakeCardTurn(**about, verb="stand", salt="7a" * 32)


async def played(
    database: TestDatabase,
    name: str = "night",
    steps_max: int = 5_000,
    ruleset: str = "better_simple",
    void: VoidCause | None = None,
    members: int = 0,
) -> Night:
    """Play a night into *database*, and return it."""
    writer = Writer(PostgresStore(database.url(), SECRET_KEY), DECIDERS, utcnow)
    await writer.start()
    try:
        night = Night(writer, name, ruleset)
        await night.found(members)
        await night.start()
        if void is not None:
            await night.play(VOIDED_AFTER)
            await night.void(void)
        await night.play(steps_max)
    finally:
        await writer.aclose()
    return night
