"""
The standing sandbox: a league of the house in which every account finds opponents at once.

Each ruleset has a chain of tournaments, of which only the newest takes entries. The identifier of
each tournament follows from the one before it. So every process finds the same newest one, and two
processes that announce the next one announce the same.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, Literal, get_args

from engine import tournament
from engine.coordination import policies
from engine.kit.house_bots import HOUSE
from engine.league import decider
from engine.league.banning import demand_unbanned
from engine.league.commands import AddMember, CreateLeague
from engine.league.describing import DescribeLeague, Face, SetVisibility
from engine.league.state import Created, created_of
from engine.tournament.entering.staff import counts_as_entered
from engine.tournament.model.commands import Register
from engine.tournament.model.state import Registering, State, Unannounced
from engine.tournament.model.terms import SingleTable
from engine.values import EntrantId, LeagueId, PlayerId, TournamentId, identifier, number_of
from service.announcing.sandbox_leagues import league_of
from service.announcing.terms import TournamentWanted, announcing
from service.base.errors import SandboxEntered
from service.base.uuids import uuid5
from service.director.admission import table_ids
from service.director.runtime import Runtime
from service.director.submitting import decided_with_tables
from service.log.streams import league_stream, tournament_stream
from service.log.writer import Loaded, Order, Receipt, States, StreamEvents

Offered = Literal[
    "official", "halcyon_10", "halcyon_100", "holo", "better", "better_simple", "cantina",
    "traditional", "spike",
]  # fmt: skip
OFFERED: Final[tuple[Offered, ...]] = get_args(Offered)
"""The rulesets that are played. A casino has no end, and house bots may not play in it."""

TABLE_SEATS: Final = 4
DECISION_SECONDS: Final = 5
HANDS_MAX: Final = 10
"""The hands after which stacks decide. One of ``traditional`` has up to 100 decisions."""

_AHEAD: Final = timedelta(days=90)
"""
The announced start. Play begins as soon as somebody has entered. If nobody enters until then, the
clock cancels the tournament, and the next one is announced.
"""

_NAME: Final = "Sandbox"
_ABOUT: Final = (
    "Programs find opponents here at any time: POST /v1/sandbox/entries. Nothing here counts for a "
    "season."
)
_NEWEST: Final = """
    SELECT tournament FROM reads.tournament
     WHERE league = $1 AND ruleset_name = $2 ORDER BY announced_position DESC LIMIT 1
"""


class Sandbox:
    """
    The sandbox league, as one process finds it.

    Args:
        runtime: The tools of the process.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._newest: dict[Offered, TournamentId] = {}
        self._founded: LeagueId | None = None

    @property
    def league(self) -> LeagueId:
        """The league of this month."""
        return league_of(self._runtime.clock.now())

    async def open_now(self, league: LeagueId, ruleset: Offered) -> Registering:
        """
        Return the tournament of *ruleset* that takes entries.

        Announce it if it does not exist.
        """
        if league != self._founded:
            await self._found(league)
            self._founded, self._newest = league, {}
        here = self._newest.get(ruleset) or await self._look(league, ruleset)
        while not isinstance((loaded := await self._load(league, here)).state, Registering):
            if isinstance(loaded.state, Unannounced):
                await self._announce(league, here, ruleset)
            else:
                here = _after(here)
        if league == self._founded:
            self._newest[ruleset] = here
        return loaded.state

    async def end(self, league: LeagueId) -> None:
        """Restrict a league of an earlier month to its members. Its games stay public."""
        runtime, stream = self._runtime, league_stream(league)
        hidden = SetVisibility(visibility="members", by=HOUSE)
        state = (await runtime.writer.load(league, stream)).state
        if not isinstance(state, Created) or state.publicity.visibility == "members":
            return

        async def decide(states: States) -> Sequence[StreamEvents]:
            before = created_of((await states.load(stream)).state)
            return [StreamEvents(stream, *policies.decide_in_turn(decider, before, (hidden,)))]

        await runtime.writer.submit(league, runtime.order(f"sandbox/end/{league}"), decide)

    async def enter(
        self, ruleset: Offered, player: PlayerId, order: Order, *, bot: bool, plays: str | None
    ) -> Receipt:
        """
        Enter *player* in the open tournament of *ruleset*. A stranger also joins the league.

        Args:
            bot: True if a program will play.
            plays: A tournament of the league in which the player is still in play, or None.

        Raises:
            SandboxEntered: If the player still plays in the league.
            CommandRejected: If the tournament or the league refuses the player.
        """
        here = self.league
        opened = [(await self.open_now(here, each)).terms for each in OFFERED]
        streams = {each.ruleset_name: tournament_stream(each.tournament) for each in opened}
        wanted, others = streams.pop(ruleset), tuple(streams.values())
        house = league_stream(here)
        command = Register(
            entrant=EntrantId(identifier("ent", order.new_id(0))),
            player=player,
            bot=bot,
            table_ids=table_ids(order),
            now=order.received_at,
        )

        async def decide(states: States) -> Sequence[StreamEvents]:
            before = created_of((await states.load(house)).state)
            joining = AddMember(player=player, now=order.received_at)
            joined, after = policies.decide_in_turn(decider, before, (joining,))
            demand_unbanned(before, player, order.received_at)
            if plays is not None:
                raise _entered(plays)
            for stream in others:
                state = (await states.load(stream)).state
                if isinstance(state, Registering) and counts_as_entered(state, player):
                    raise _entered(state.terms.tournament)
            now = order.received_at
            entries = await decided_with_tables(self._runtime, states, wanted, [command], now)
            # The guards prevent two simultaneous requests from entering two tournaments.
            return [*entries, StreamEvents(house, joined, after), *map(StreamEvents, others)]

        return await self._runtime.writer.submit(here, order, decide)

    async def _found(self, league: LeagueId) -> None:
        """Found the league if it does not exist."""
        name = f"{_NAME} {league[-6:-2]}-{league[-2:]}"
        created = CreateLeague(league=league, name=name, owner=HOUSE, sandbox=True)
        described = DescribeLeague(name=name, face=Face(description=_ABOUT), by=HOUSE)
        shown = SetVisibility(visibility="public", by=HOUSE)
        stream = league_stream(league)

        async def decide(states: States) -> Sequence[StreamEvents]:
            before = (await states.load(stream)).state
            commands = (created, described, shown)
            events, after = policies.decide_in_turn(decider, before, commands)
            return [StreamEvents(stream, events, after)]

        order = self._runtime.order(f"sandbox/{league}")
        await self._runtime.writer.submit(league, order, decide)

    async def _load(self, league: LeagueId, here: TournamentId) -> Loaded[State]:
        return await self._runtime.writer.load(league, tournament_stream(here))

    async def _look(self, league: LeagueId, ruleset: Offered) -> TournamentId:
        """Return a tournament of the chain. The read models may lag behind the newest one."""
        found: str | None = await self._runtime.pool.fetchval(_NEWEST, league, ruleset)
        if found is not None:
            return TournamentId(found)
        return TournamentId(identifier("trn", uuid5(number_of(league), ruleset)))

    async def _announce(self, league: LeagueId, here: TournamentId, ruleset: Offered) -> None:
        """Announce a tournament, unless another process has done so."""
        runtime, now, stream = self._runtime, self._runtime.clock.now(), tournament_stream(here)
        terms, draw = _terms(ruleset, now), runtime.entropy.token
        commands = announcing(terms, here, league, now, draw, runtime.pulses, "public")

        async def decide(states: States) -> Sequence[StreamEvents]:
            before = (await states.load(stream)).state
            if not isinstance(before, Unannounced):
                return [StreamEvents(stream)]
            return [
                StreamEvents(stream, *policies.decide_in_turn(tournament.decider, before, commands))
            ]

        order = runtime.order(f"sandbox/announce/{here}")
        await runtime.writer.submit(league, order, decide)


def _terms(ruleset: Offered, now: datetime) -> TournamentWanted:
    return TournamentWanted(
        name=f"Sandbox: {ruleset}",
        ruleset=ruleset,
        starts_at=now + _AHEAD,
        format=SingleTable(),
        table_seats=TABLE_SEATS,
        decision_seconds=DECISION_SECONDS,
        grace_seconds=1,
        hands_between_seconds=0,
        hands_max=HANDS_MAX,
    )


def _after(here: TournamentId) -> TournamentId:
    """Return the tournament that follows in the chain."""
    return TournamentId(identifier("trn", uuid5(number_of(here), "next")))


def _entered(tournament: str) -> SandboxEntered:
    detail = "you still play in the sandbox league; enter again when you are out"
    return SandboxEntered(detail, tournament=tournament)
