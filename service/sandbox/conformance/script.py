"""
The script: games of each ruleset, with a situation at each of the client's decisions.

The engine plays the games, as for ``selfplay``. So views, legal actions and refusals are those of a
server. Everything around them is staged.
"""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from service.base.documents import Document
from service.sandbox.conformance.exchange import CUT, Act, Exchange, Reply, problem
from service.sandbox.conformance.judging import Judge, Report
from service.sandbox.conformance.scenes import STAGED, Scene
from service.sandbox.conformance.stage import ClientGone, Silent, Stage, Turn
from service.sandbox.selfplay.game import Fault, Game, NoAnswer, Player
from service.sandbox.selfplay.players import HousePlayer

EVERYWHERE: Final[tuple[Scene, ...]] = (
    "plain", "double", "reorder", "unknown", "closed", "gone", "plain",
)  # fmt: skip
"""The situations that arise in every ruleset."""

ONCE: Final[tuple[Scene, ...]] = ("quiet", "lost", "busy", "away", "slow", "cut", "ends", "refused")
"""The slow situations, which take seconds. Each arises in one ruleset."""

SLOW_SECONDS: Final = 1.5
FIRST_SECONDS: Final = 60.0
"""The time in which a client has to connect at the beginning."""

AFTER_END_MAX: Final = 5
"""A client that sends more requests than this after 401 does not stop."""

_GAMES_MAX: Final = 60
_ENTRANT: Final = f"ent_{1:032x}"


class Part(NamedTuple):
    """The situations in the games of one ruleset."""

    ruleset: str
    scenes: tuple[Scene, ...]


def plan(rulesets: Sequence[str]) -> list[Part]:
    """Return the parts of a whole test."""
    slow: dict[str, list[Scene]] = {each: [] for each in rulesets}
    for index, scene in enumerate(ONCE):
        slow[rulesets[index % len(rulesets)]].append(scene)
    return [Part(each, (*EVERYWHERE, *slow[each], "plain")) for each in rulesets]


class _Over(Exception):
    """The part is over, in the middle of a game."""


class _Accepted(NamedTuple):
    """An action that the engine has accepted, or is about to get."""

    act: Act
    turn: Turn
    scene: Scene


class Script:
    """
    Plays all parts against the client at *exchange*, from the first seat of each table.

    Args:
        seconds: The time for a decision, and for reconnecting after a cut.
        ended: Returns why the client has ended, or None while it runs.
        patience: The time in which it has to connect at the beginning.
    """

    def __init__(
        self,
        exchange: Exchange,
        parts: Sequence[Part],
        seconds: float,
        ended: Callable[[], str | None] = lambda: None,
        patience: float = FIRST_SECONDS,
    ) -> None:
        self._exchange = exchange
        self._parts = parts
        self._patience = patience
        self._judge = Judge()
        self._stage = Stage(exchange, self._judge, seconds, ended)
        self._scenes: deque[Scene] = deque()
        self._ruleset = ""
        self._answered: Counter[str] = Counter()
        self._told = 0
        self._accepted: _Accepted | None = None

    def run(self) -> Report:
        """Play everything, and return what was seen."""
        why: str | None = None
        try:
            self._begin()
            number = 0
            for part in self._parts:
                number = self._play(part, number)
            self._finish()
        except ClientGone as gone:
            why = str(gone)
        self._judge_connects()
        self._stage.closing_words()
        rulesets = {each.ruleset: self._answered[each.ruleset] for each in self._parts}
        return Report(
            verdicts=self._judge.verdicts(),
            rulesets=rulesets,
            unplayed=tuple(each for each, count in rulesets.items() if not count),
            requests=self._stage.acts,
            decisions=self._told,
            asked_elsewhere=dict(self._exchange.elsewhere),
            ended=why,
        )

    # The game asks for an action, and reports those that it refused.

    def choose(self, view: Document) -> Document:
        """Stage the next situation at this decision, and return the client's action."""
        self._settle()
        if not self._scenes:
            raise _Over
        turn, scene = self._stage.turn_of(view), self._scenes.popleft()
        self._told += 1
        act = self._staged(turn, scene)
        self._accepted = _Accepted(act, turn, scene)
        if not isinstance(act.body, dict):
            raise NoAnswer("malformed", "an action is a JSON object")
        return act.body

    def told(self, fault: Fault) -> None:
        """Refuse the action that the engine has refused."""
        accepted, self._accepted = self._accepted, None
        if accepted is None:
            return  # there was no action, or the situation itself refused it
        refused = fault.kind == "refused"
        code = fault.code if refused else "validation_failed"
        self._stage.shut(accepted.turn, accepted.act)
        accepted.act.answer(problem(409 if refused else 400, code, fault.detail))
        said = f"{self._ruleset}, phase {fault.phase}: {code}: {fault.detail}"
        self._judge.wrong("legal", f"{said}; legal were {', '.join(fault.legal)}")

    def _staged(self, turn: Turn, scene: Scene) -> Act:
        """Play a situation, and note whether the client passed it."""
        staged = STAGED[scene]
        try:
            act = staged.play(self._stage, turn)
        except (Silent, ClientGone) as error:
            self._judge.wrong("in_time", f"{self._ruleset}, {scene}: {error}")
            if staged.check is not None:
                self._judge.wrong(staged.check, f"{self._ruleset}: {error}")
            raise
        self._judge.right("in_time")
        if staged.check is not None and staged.after is None:
            self._judge.right(staged.check)
        return act

    def _settle(self) -> None:
        """Answer the action that the engine has accepted, as the situation requires."""
        accepted, self._accepted = self._accepted, None
        if accepted is None:
            return
        act, turn, scene = accepted
        told = {"table": turn.table, "version": self._told, "events": [], "position": None}
        done = Reply(200, told)
        self._answered[self._ruleset] += 1
        self._judge.right("legal")
        self._judge.right("key")
        self._stage.answered(turn, act, done)
        if scene == "lost":
            self._lose(act)
            return
        if scene == "slow":
            self._stage.serve(SLOW_SECONDS)
        act.answer(done)
        if (after := STAGED[scene].after) is not None:
            after(self._stage)

    def _lose(self, act: Act) -> None:
        """Close the connection without an answer. The client has to ask again."""
        act.answer(CUT)
        again = False
        try:
            again = self._stage.serve(self._stage.seconds, until=act.key)
        finally:
            if again:
                self._judge.right("retries")
            else:
                said = "the answer of an action was lost, and it was not sent again with its key"
                self._judge.wrong("retries", said)

    # The course of the test

    def _begin(self) -> None:
        self._stage.say("tournament", holds=True, state="running", check_in=False)
        self._stage.say("entry", holds=True, entrant=_ENTRANT, status="entered", place=None)
        if not self._stage.until_connected(self._patience):
            raise ClientGone(f"nobody connected in {self._patience:g} s")

    def _play(self, part: Part, number: int) -> int:
        """Play games until every situation of the part has arisen. Return the last number."""
        self._ruleset = part.ruleset
        self._scenes = deque(part.scenes)
        for _ in range(_GAMES_MAX):
            number += 1
            others: list[Player] = [HousePlayer("steady", f"{number}/{each}") for each in "abc"]
            try:
                Game(part.ruleset, number, [self, *others]).play()
            except _Over:
                return number
            self._settle()
        raise ClientGone(f"{part.ruleset}: the games ended before every situation had arisen")

    def _finish(self) -> None:
        """End the tournament, and check that the client stops."""
        stage, exchange = self._stage, self._exchange
        stage.tell_closing()
        stage.say("entry", entrant=_ENTRANT, status="out", place=1)
        stage.say("tournament", state="finished", check_in=False)
        acts = stage.acts
        try:
            stage.serve(1.0)
            exchange.end()
            stage.serve(2.0)
        except ClientGone:
            self._judge.right("stops")  # it has ended by itself
            return
        if stage.acts > acts:
            self._judge.wrong("stops", "an action came after the end of the tournament")
        elif exchange.late_requests > AFTER_END_MAX:
            said = f"{exchange.late_requests} requests came in 2 s after the token had ended (401)"
            self._judge.wrong("stops", said)
        else:
            self._judge.right("stops")

    def _judge_connects(self) -> None:
        exchange, judge = self._exchange, self._judge
        if exchange.strangers:
            judge.wrong("connects", f"{exchange.strangers} requests had no token, or another one")
        if exchange.connects:
            judge.right("connects")
        else:
            judge.wrong("connects", "it neither opened a stream nor read a page of turns")
        for index, each in enumerate(exchange.connects[1:], 1):
            if each.after is None:
                judge.wrong("resumes", f"connection {index + 1} came without a cursor")
            elif each.after < each.proved:
                said = "came with the cursor of an item before a turn that it had answered"
                judge.wrong("resumes", f"connection {index + 1} {said}")
            else:
                judge.right("resumes")
