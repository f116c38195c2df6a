"""The page of a replay: all steps in words, and one of them drawn."""

from dataclasses import dataclass
from datetime import datetime

import msgspec

from engine.kit.audiences import AUDITOR, PUBLIC
from engine.rulesets import CorellianSpike, Ruleset
from engine.table.read.replay import Step
from engine.table.read.view_parts import OwnView, RevealedView
from service.api.table.replays import ReplayShown
from service.console import links
from service.console.asking import Ask
from service.console.rules.titles import ALONE, RuleNamed, rule_named
from service.console.screens.replay.said import OWNERS, Saying, Sentence
from service.console.screens.table.ended import spike_reason
from service.console.screens.table.felt import Felt, felt_of

_COMPARED = frozenset({"hands_revealed", "hands_ranked"})
_SHOWDOWN = _COMPARED | {"hand_settled"}


@dataclass(frozen=True, slots=True)
class Line:
    """A step in the list."""

    number: int
    phase: str | None
    """The phase that begins with the step, or None."""

    street: int
    said: Sentence


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase in the list of steps. Only the phase shown lists its steps."""

    name: str
    street: int
    first: int
    """The number of its first step."""

    lines: tuple[Line, ...]
    """Its steps, or nothing if another phase is shown."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A hand at the showdown, and the facts that decided."""

    name: str
    cards: tuple[str, ...]
    total: int
    distance: int | None
    suited: int | None
    hand: str | None
    won: bool


class Entered(msgspec.Struct):
    """An entry of the tournament."""

    id: str
    player: str


class _Mine(msgspec.Struct):
    """The reader's entry."""

    entrant: str


class Evening(msgspec.Struct):
    """The members of the hand's tournament that the page reads."""

    league: str
    name: str
    entrants: tuple[Entered, ...]
    ruleset: Ruleset
    my: _Mine | None = None
    league_name: str | None = None
    """The league's name, if the reader is a stranger. Only replays of public evenings have it."""


@dataclass(frozen=True, slots=True)
class Eyes:
    """A perspective that the reader may choose."""

    seen_as: str
    """The value of ``as`` in the address, or nothing for the reader's own perspective."""

    name: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class ReplayScreen:
    """A hand at one of its steps."""

    id: str
    number: int
    table: str
    tournament: str
    evening: str
    """The name of the tournament."""

    league: str
    league_name: str | None
    """The league's name for a stranger, who gets no link to pages of members."""

    seen_as: str
    """The value of ``as`` in the address, or nothing for the reader's own perspective."""

    eyes: tuple[Eyes, ...]
    """The perspectives to choose from."""

    audits: bool
    """True if the reader may open every card of the hand."""

    sealed: bool
    """True if the reader asked for every card, and has to open the hand first."""

    claims: bool
    """True if the reader asked for the form of a dispute."""

    names: dict[str, str]
    over: bool
    phases: tuple[Phase, ...]
    last: int
    """The number of the last step."""

    step: Step
    rule: RuleNamed | None
    """The rule behind the step."""

    said: Sentence
    felt: Felt
    judged: tuple[Judged, ...]
    why: str
    """The comparison of Spike that decided the main pot, or nothing."""

    suit: str | None
    private: bool
    """True if the step moves cards that only their owner sees."""

    phase_back: int | None
    phase_on: int | None

    @property
    def at(self) -> datetime:
        """The instant of the step."""
        return self.step.at


def replay_screen(
    ask: Ask,
    replay: ReplayShown,
    number: int,
    seen_as: str,
    evening: Evening,
    *,
    audits: bool,
    sealed: bool,
) -> ReplayScreen:
    """Return the page of *replay* at the step *number*, or at its nearest step."""
    at = max(1, min(number, len(replay.steps)))
    step = replay.steps[at - 1]
    entrants = {each.seat: each.entrant for each in replay.steps[0].view.seats}
    names = _names(replay)
    lines = lines_of(ask, replay)
    starts = [each.number for each in lines if each.phase]
    mine = next((s for s, each in entrants.items() if each == replay.perspective), None)
    pages = {each.id: links.player(evening.league, each.player) for each in evening.entrants}
    known = {each.seat: _held(each) for each in _own(step)}
    return ReplayScreen(
        id=replay.hand,
        number=replay.number,
        table=replay.table,
        tournament=replay.tournament,
        evening=evening.name,
        league=evening.league,
        league_name=evening.league_name,
        seen_as=seen_as,
        eyes=_eyes(ask, replay, evening, audits=audits),
        audits=audits,
        sealed=sealed,
        claims=bool(ask.query("claim")),
        names=replay.names,
        over=replay.over,
        phases=_phases(lines, at),
        last=len(lines),
        step=step,
        rule=_rule(ask, replay, step),
        said=lines[at - 1].said,
        felt=felt_of(step.view, replay.names, mine, chips=_chips(replay), known=known, pages=pages),
        judged=_judged(replay, step, names),
        why=_why(replay, step, evening.ruleset),
        suit=step.view.suit,
        private=step.event in OWNERS,
        phase_back=max((each for each in starts if each < at), default=None),
        phase_on=min((each for each in starts if each > at), default=None),
    )


def _rule(ask: Ask, replay: ReplayShown, step: Step) -> RuleNamed | None:
    """Return the rule behind a step. Without a showdown, no pot goes to the best hand."""
    compared = any(each.event in _COMPARED and each.deal == step.deal for each in replay.steps)
    name = ALONE if step.event == "pot_awarded" and not compared else step.rule
    return None if name is None else rule_named(name, ask.language)


def _phases(lines: tuple[Line, ...], at: int) -> tuple[Phase, ...]:
    """Return the phases of a hand, with the steps of the one that the step *at* belongs to."""
    starts = [each for each in lines if each.phase]
    ends = [each.number for each in starts[1:]] + [len(lines) + 1]
    return tuple(
        Phase(
            name=str(start.phase),
            street=start.street,
            first=start.number,
            lines=lines[start.number - 1 : end - 1] if start.number <= at < end else (),
        )
        for start, end in zip(starts, ends, strict=True)
    )


def _eyes(ask: Ask, replay: ReplayShown, evening: Evening, *, audits: bool) -> tuple[Eyes, ...]:
    """Return the perspectives open to the reader. An auditor who has opened the hand sees all."""
    seated = [each.entrant for each in replay.steps[0].view.seats]
    here = replay.perspective
    played = evening.my is not None and evening.my.entrant in seated
    found = [Eyes(PUBLIC if played else "", ask.gettext("Everybody"), here == PUBLIC)]
    if played:
        found.insert(0, Eyes("", ask.gettext("With my cards"), here in seated))
    if audits:
        found.append(Eyes(AUDITOR, ask.gettext("Every card"), here == AUDITOR))
    if audits and here != PUBLIC:
        found += [Eyes(each, replay.names.get(each, each), here == each) for each in seated]
    return tuple(found)


def _chips(replay: ReplayShown) -> bool:
    """Return whether the hand is played for chips."""
    last = replay.steps[-1].view
    return any(each.stack for each in last.seats)


def _own(step: Step) -> tuple[OwnView, ...]:
    return step.hands or (() if step.view.me is None else (step.view.me,))


def _held(own: OwnView) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*own.selection, *own.cards, *own.new_cards)))


def _names(replay: ReplayShown) -> dict[int, str]:
    """Return the names of the players by seat."""
    seats = replay.steps[0].view.seats
    return {each.seat: replay.names.get(each.entrant, each.entrant) for each in seats}


def lines_of(ask: Ask, replay: ReplayShown) -> tuple[Line, ...]:
    """Return all steps in words."""
    saying = Saying(ask.language, _names(replay))
    lines, before = [], ""
    for step in replay.steps:
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
        return ("open" if step.deal == 1 else "redeal"), 0
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


def _why(replay: ReplayShown, step: Step, rules: Ruleset) -> str:
    """Return the comparison that decided the main pot of a hand of Spike that is over."""
    last = step.view.last_hand
    if step.view.hand is not None or last is None or last.hand != replay.hand:
        return ""
    best = any(each.pot == 1 and each.rule == "showdown.best" for each in last.awards)
    if not isinstance(rules, CorellianSpike) or not best:
        return ""
    return spike_reason(rules, last.revealed, last.winners) or ""


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
