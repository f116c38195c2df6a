"""
The situations. Each is staged at one decision, and returns the action that the engine gets.

A situation that closes the decision instead raises NoAnswer, and the clock answers.
"""

from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple

from service.sandbox.conformance.exchange import Act, problem
from service.sandbox.conformance.judging import Check
from service.sandbox.conformance.stage import ClientGone, Stage, Turn
from service.sandbox.selfplay.game import NoAnswer

Scene = Literal[
    "plain", "double", "reorder", "unknown", "closed", "gone",
    "quiet", "lost", "busy", "away", "slow", "cut", "ends", "refused",
]  # fmt: skip

RETRY_SECONDS: Final = 1
EARLY_SECONDS: Final = 0.1
"""A client may be this much earlier than Retry-After says, because clocks differ."""


QUIET_SECONDS: Final = 1.0
EMPTY_MAX: Final = 10
"""A client that gets more empty pages in this time polls without waiting."""


def plain(stage: Stage, turn: Turn) -> Act:
    """Send the turn. ``lost`` and ``slow`` begin like this; they differ in the answer."""
    stage.tell(turn)
    return stage.awaited(turn)


def double(stage: Stage, turn: Turn) -> Act:
    """Send the turn twice."""
    stage.tell(turn)
    stage.tell_only(turn)
    return stage.awaited(turn)


def reorder(stage: Stage, turn: Turn) -> Act:
    """Send the end of the previous decision after the new turn."""
    stage.tell_only(turn)
    stage.tell_closing()
    return stage.awaited(turn)


def unknown(stage: Stage, turn: Turn) -> Act:
    """Send an item of an unknown type, and a turn with unknown members."""
    stage.tell_closing()
    stage.say("weather", sky="two suns")
    stage.tell_only(turn, mood="tense", view={**turn.item["view"], "lamp": {"lit": True}})
    return stage.awaited(turn)


def closed(stage: Stage, turn: Turn) -> Act:
    """Close the decision when the action arrives."""
    act = plain(stage, turn)
    stage.shut(turn, act)
    act.answer(problem(409, "stale_decision", "the decision is closed"))
    raise NoAnswer("late", "the decision was closed")


def gone(stage: Stage, turn: Turn) -> Act:
    """Close the decision as soon as its turn was sent."""
    stage.tell(turn)
    stage.exchange.flush()
    stage.shut(turn)
    stage.tell_closing()
    raise NoAnswer("late", "the decision was closed")


def quiet(stage: Stage, turn: Turn) -> Act:
    """Send nothing for a while before the turn."""
    stage.tell_closing()
    before = stage.exchange.empty
    stage.serve(QUIET_SECONDS)
    count = stage.exchange.empty - before
    if count > EMPTY_MAX:
        said = f"it read {count} empty pages in {QUIET_SECONDS:g} s, without `wait`"
        stage.judge.wrong("patient", said)
    else:
        stage.judge.right("patient")
    return plain(stage, turn)


def busy(stage: Stage, turn: Turn) -> Act:
    """Refuse the action with 429 at first."""
    act = plain(stage, turn)
    act.answer(problem(429, "too_many_requests", "too many requests", RETRY_SECONDS))
    return _tried_again(stage, turn, act)


def away(stage: Stage, turn: Turn) -> Act:
    """Refuse the action with 503 at first. The client cannot know whether it was stored."""
    act = plain(stage, turn)
    act.answer(problem(503, "store_unavailable", "the database is away", RETRY_SECONDS))
    again = _tried_again(stage, turn, act)
    if again.key == act.key:
        stage.judge.right("retries")
    else:
        stage.judge.wrong("retries", "after 503 the action came again with another key")
    return again


def cut(stage: Stage, turn: Turn) -> Act:
    """Break all connections off after the turn was sent."""
    return _back(stage, turn, cleanly=False)


def ends(stage: Stage, turn: Turn) -> Act:
    """End the stream as at the end of its life. Polling clients have none."""
    return _back(stage, turn, cleanly=True) if stage.exchange.streams() else plain(stage, turn)


def refused(stage: Stage, turn: Turn) -> Act:
    """Break off, and refuse the next connection with 503."""
    return _back(stage, turn, cleanly=False, refuse=1)


def came_back(stage: Stage) -> None:
    """Check that the client connects again. It may first wait for the answer to its action."""
    if stage.until_connected(stage.seconds):
        stage.judge.right("reconnects")
    else:
        stage.judge.wrong("reconnects", f"no new connection in {stage.seconds:g} s")
        raise ClientGone("the client did not connect again")


def came_back_later(stage: Stage) -> None:
    """Check that the client waits before it connects again."""
    came_back(stage)
    at, last = stage.exchange.refused_at, stage.exchange.connects[-1].at
    if at is not None and last - at < RETRY_SECONDS - EARLY_SECONDS:
        stage.judge.wrong("waits", f"it connected again {last - at:.1f} s after 503")
    else:
        stage.judge.right("waits")


def _tried_again(stage: Stage, turn: Turn, first: Act) -> Act:
    again = stage.awaited(turn)
    pause = again.at - first.at
    if pause < RETRY_SECONDS - EARLY_SECONDS:
        said = f"it tried again after {pause:.1f} s; Retry-After was {RETRY_SECONDS} s"
        stage.judge.wrong("waits", said)
    else:
        stage.judge.right("waits")
    return again


def _back(stage: Stage, turn: Turn, *, cleanly: bool, refuse: int = 0) -> Act:
    stage.tell(turn)
    stage.cut(cleanly=cleanly, refuse=refuse)
    return stage.awaited(turn)


class Staged(NamedTuple):
    """A situation."""

    play: Callable[[Stage, Turn], Act]
    check: Check | None = None
    """The check that fails if the client does not answer in it."""

    after: Callable[[Stage], None] | None = None
    """Checks the client after its action was answered."""


STAGED: Final[Mapping[Scene, Staged]] = {
    "plain": Staged(plain),
    "double": Staged(double, "once"),
    "reorder": Staged(reorder, "order"),
    "unknown": Staged(unknown, "unknown"),
    "closed": Staged(closed),
    "gone": Staged(gone),
    "quiet": Staged(quiet),
    "lost": Staged(plain),
    "busy": Staged(busy, "waits"),
    "away": Staged(away, "waits"),
    "slow": Staged(plain),
    "cut": Staged(cut, "reconnects", came_back),
    "ends": Staged(ends, "reconnects", came_back),
    "refused": Staged(refused, "reconnects", came_back_later),
}
