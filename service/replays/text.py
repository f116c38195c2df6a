"""A replay as plain text, in lines of at most :data:`WIDTH` characters."""

from collections.abc import Iterator
from textwrap import wrap

from engine.table.read.replay import Actor, Replay, Step
from engine.table.read.view_parts import OwnView, SeatView
from service.replays.phrases import cards, phrase

WIDTH = 100
_INDENT = " " * 20
_NOTHING = "no cards"


def lines(replay: Replay) -> Iterator[str]:
    """Yield the lines of a replay."""
    yield f"Hand {replay.number} ({replay.game}), as {replay.perspective}"
    yield f"{replay.hand} at {replay.table}"
    first = replay.steps[0].view
    for seat in first.seats:
        yield f"  seat {seat.seat}  {seat.entrant}"
    before: Step | None = None
    for step in replay.steps:
        if before is None or step.deal != before.deal:
            yield f"-- deal {step.deal}"
        yield from step_lines(step, before)
        before = step
    yield "-- over" if replay.over else "-- still in play"


def step_lines(step: Step, before: Step | None = None) -> Iterator[str]:
    """
    Yield the lines of a step: the event and its rule, then the changes.

    Args:
        before: The step before. Without it, everything counts as changed.
    """
    rule = "" if step.rule is None else f" [{step.rule}]"
    head = f"{step.number:4} {_actor(step.actor):14} "
    said = phrase(step.event, step.data) + rule
    yield from _wrapped(said, head)
    for told in _changes(step, before):
        yield from _wrapped(told, _INDENT)


def _wrapped(text: str, head: str) -> Iterator[str]:
    yield from wrap(
        text,
        WIDTH,
        initial_indent=head,
        subsequent_indent=_INDENT,
        break_on_hyphens=False,
        break_long_words=False,
    )


def _actor(actor: Actor) -> str:
    if actor.seat is None:
        return actor.kind
    return f"seat {actor.seat}" if actor.kind == "entrant" else f"{actor.kind} (seat {actor.seat})"


def _changes(step: Step, before: Step | None) -> Iterator[str]:
    if before is None or _chips(step) != _chips(before):
        yield _chips(step)
    held = _held(step)
    known = {} if before is None else _held(before)
    for seat, own in held.items():
        if own != known.get(seat, _NOTHING):
            yield f"seat {seat} holds {own}"


def _chips(step: Step) -> str:
    view = step.view
    parts = [pot.chips for pot in view.pots if pot.chips]
    layered = len(parts) > 1 and sum(parts) == step.pot
    layers = f" ({' + '.join(map(str, parts))})" if layered else ""
    sabacc = f", Sabacc pot {view.sabacc_pot}" if view.sabacc_pot else ""
    stacks = ", ".join(f"{each.seat}: {each.stack}{_state(each)}" for each in view.seats)
    return f"pot {step.pot}{layers}{sabacc} | stacks {stacks}"


def _state(seat: SeatView) -> str:
    return " all-in" if seat.all_in else ""


def _held(step: Step) -> dict[int, str]:
    """Return the viewer's own cards by seat, or for an auditor the cards of every seat."""
    mine = () if step.view.me is None else (step.view.me,)
    return {each.seat: _own(each) for each in (*mine, *step.hands)}


def _own(own: OwnView) -> str:
    parts = [cards(own.cards)] if own.cards else []
    if own.selection:
        parts.append(f"selected {cards(own.selection)}")
    if own.new_cards:
        parts.append(f"new {cards(own.new_cards)}")
    return ", ".join(parts) or _NOTHING
