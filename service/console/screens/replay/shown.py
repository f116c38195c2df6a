"""What the page of a replay shows: all steps in words, and one of them drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from engine.kit.audiences import AUDITOR, PUBLIC
from engine.table.read.replay import Step
from engine.table.read.view_parts import OwnView, RevealedView
from service.api.table.replays import ReplayShown
from service.console.asking import Ask
from service.console.screens.replay.said import OWNERS, Saying, Sentence
from service.console.screens.table.felt import Felt, felt_of

_SHOWDOWN = frozenset({"hands_revealed", "hands_ranked", "hand_settled"})


@dataclass(frozen=True, slots=True)
class Line:
    """A step in the list."""

    number: int
    phase: str | None
    """The phase that begins with the step, or None."""

    street: int
    said: Sentence


@dataclass(frozen=True, slots=True)
class Judged:
    """A hand at the showdown, and what decided."""

    name: str
    cards: tuple[str, ...]
    total: int
    distance: int | None
    suited: int | None
    hand: str | None
    won: bool


@dataclass(frozen=True, slots=True)
class ReplayScreen:
    """A hand at one of its steps."""

    id: str
    number: int
    table: str
    tournament: str
    perspective: str
    seen_as: str
    """The value of ``as`` in the address, or nothing for the reader's own perspective."""

    viewer: str | None
    """The name of the player whose perspective it is, or None for the public or an auditor."""

    names: dict[str, str]
    over: bool
    lines: tuple[Line, ...]
    step: Step
    said: Sentence
    felt: Felt
    judged: tuple[Judged, ...]
    suit: str | None
    private: bool
    """True if the step moves cards that only their owner sees."""

    phase_back: int | None
    phase_on: int | None
    keys: str
    """The public keys that the server publishes, one in a line."""

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.lines)

    @property
    def at(self) -> datetime:
        """The instant of the step."""
        return self.step.at


def replay_screen(
    ask: Ask, replay: ReplayShown, number: int, seen_as: str, keys: Sequence[str]
) -> ReplayScreen:
    """Return the page of *replay* at the step *number*, or at its nearest step."""
    at = max(1, min(number, len(replay.steps)))
    step = replay.steps[at - 1]
    entrants = {each.seat: each.entrant for each in replay.steps[0].view.seats}
    names = {seat: replay.names.get(entrant, entrant) for seat, entrant in entrants.items()}
    saying = Saying(ask.language, names)
    lines = _lines(replay.steps, saying)
    starts = [each.number for each in lines if each.phase]
    mine = next((s for s, each in entrants.items() if each == replay.perspective), None)
    known = {each.seat: _held(each) for each in _own(step)}
    return ReplayScreen(
        id=replay.hand,
        number=replay.number,
        table=replay.table,
        tournament=replay.tournament,
        perspective=replay.perspective,
        seen_as=seen_as,
        viewer=None if mine is None else names[mine],
        names=replay.names,
        over=replay.over,
        lines=lines,
        step=step,
        said=lines[at - 1].said,
        felt=felt_of(step.view, replay.names, mine, chips=_chips(replay), known=known),
        judged=_judged(replay, step, names),
        suit=step.view.suit,
        private=step.event in OWNERS,
        phase_back=max((each for each in starts if each < at), default=None),
        phase_on=min((each for each in starts if each > at), default=None),
        keys="\n".join(keys),
    )


def perspectives(screen: ReplayScreen) -> tuple[tuple[str, str | None], ...]:
    """Return the values of ``as`` that everybody may try, each with the player's name."""
    own = () if screen.viewer is None else ((screen.perspective, screen.viewer),)
    return (*own, (PUBLIC, None))


def _chips(replay: ReplayShown) -> bool:
    """Return whether the hand is played for chips."""
    last = replay.steps[-1].view
    return any(each.stack for each in last.seats)


def _own(step: Step) -> tuple[OwnView, ...]:
    return step.hands or (() if step.view.me is None else (step.view.me,))


def _held(own: OwnView) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*own.selection, *own.cards, *own.new_cards)))


def _lines(steps: Sequence[Step], saying: Saying) -> tuple[Line, ...]:
    lines, before = [], ""
    for step in steps:
        phase, street = _phase(step, before)
        key = f"{phase} {street}" if phase in ("bet", "card") else phase
        begins = key != before
        before = key
        lines.append(Line(step.number, phase if begins else None, street, saying.of(step)))
    return tuple(lines)


def _phase(step: Step, before: str) -> tuple[str, int]:
    """Return the phase of a step, and its street or card round."""
    here = before.partition(" ")
    street = int(here[2] or 0)
    if step.event in ("hand_opened", "table_beacon_awaited"):
        return "open", 0
    if step.event in _SHOWDOWN or here[0] == "showdown":
        return "showdown", 0
    if step.event in ("replacements_dealt", "shift_rolled", "shift_dealt"):
        return "shift", 0
    decision = step.view.decision
    if step.event == "decision_opened" and decision is not None:
        rounds = step.view.rounds
        return decision.phase, decision.street if rounds is None else rounds.round
    return here[0] or "open", street


def _judged(replay: ReplayShown, step: Step, names: dict[int, str]) -> tuple[Judged, ...]:
    """Return the hands that were compared, from the reveal on."""
    revealed = [each.revealed for each in step.view.seats if each.revealed]
    last = step.view.last_hand
    if step.view.hand is None and last is not None and last.hand == replay.hand:
        revealed = list(last.revealed)
    won = set(last.winners) if step.view.hand is None and last is not None else set[int]()
    return tuple(_judgement(each, names, won) for each in revealed)


def _judgement(shown: RevealedView, names: dict[int, str], won: set[int]) -> Judged:
    return Judged(
        name=names.get(shown.seat, f"#{shown.seat}"),
        cards=shown.cards,
        total=shown.total,
        distance=shown.distance,
        suited=shown.suit_count,
        hand=None if shown.name == "total" else shown.name,
        won=shown.seat in won,
    )


def is_auditor(screen: ReplayScreen) -> bool:
    """Return whether the replay shows every card."""
    return screen.perspective == AUDITOR
