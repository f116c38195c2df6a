"""The forms of a replay are written as the guide shows them."""

import re
import tomllib
from pathlib import Path

from engine.kit.audiences import AUDITOR, PUBLIC
from engine.table.model.events import Event
from engine.table.read.replay import Happened, Replay, replayed
from service.replays import phh, text
from service.replays.forms import SINGLE, TEXT
from service.replays.phrases import PHRASES
from tests.engine.table.tables import START, Floor, entrant

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "guides" / "replay.md"


def played() -> Floor:
    """Play the hand of the guide: a raise, a fold in the second street, and no cards shown."""
    floor = Floor("better_simple", (100, 100), seed=3)
    floor.open_hand()
    floor.select(1, "S+05", "T+05")
    floor.select(2, "C-02", "S-02")
    floor.act(2, "raise_to", 20)
    floor.act(1, "call")
    floor.improve(1)
    floor.improve(2, *floor.view(2).me.new_cards[:1])  # type: ignore[union-attr]
    floor.act(2, "raise_to", 40)
    floor.act(1, "fold")
    return floor


def seen_as(floor: Floor, perspective: str) -> Replay:
    happened = [
        Happened(event=event, version=2 + index, at=START)
        for index, event in enumerate(floor.events[1:])
    ]
    found = replayed(floor.events[0], happened, perspective)
    assert found is not None
    return found


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S)


def test_the_guide_shows_a_hand_as_it_is_written() -> None:
    written = [f"{line}\n" for line in text.lines(seen_as(played(), entrant(1)))]
    assert blocks("text") == ["".join(written)]


def test_the_guide_shows_the_form_after_phh_as_it_is_written() -> None:
    document = phh.document(seen_as(played(), PUBLIC))
    assert blocks("toml") == [document]
    assert tomllib.loads(document)["variant"] == "_coruscant_shift"


def test_every_event_with_a_card_or_a_chip_in_it_has_its_own_words() -> None:
    tags = {
        str(each.__struct_config__.tag)
        for each in Event.__args__
        if {"chips", "cards", "card", "dealt", "dice", "paid", "shares"}
        & set(each.__struct_fields__)
    }
    between_hands = {"chips_bought", "chips_returned", "carry_awarded"}
    assert tags - set(PHRASES) == between_hands


def test_one_step_is_told_with_all_that_it_left() -> None:
    replay = seen_as(played(), AUDITOR)
    [step] = [each for each in replay.steps if each.data.get("amount") == 20]
    told = SINGLE[TEXT](step).decode().splitlines()
    assert told[0].split()[:3] == [str(step.number), "seat", "2"]
    assert "raise to 20, pays" in told[0] and told[0].endswith(f"[{step.rule}]")
    held = [line.split() for line in told if " holds " in line]
    assert held[0][:3] == ["seat", "1", "holds"] and {"S+05", "T+05"} <= set(held[0])
    assert held[1][:3] == ["seat", "2", "holds"] and {"C-02", "S-02"} <= set(held[1])


def test_a_pot_that_is_paid_out_is_empty_at_once() -> None:
    """Chips that leave a pot are in a stack, at each step and for each viewer."""
    for perspective in (PUBLIC, AUDITOR, entrant(1)):
        steps = seen_as(played(), perspective).steps
        shown = {each.event: each for each in steps}
        formed, awarded = shown["pots_formed"], shown["pot_awarded"]
        assert [pot.chips for pot in formed.view.pots] == [formed.pot]
        assert [pot.chips for pot in awarded.view.pots] == [0]
        assert (awarded.pot, awarded.moved[0].chips) == (0, formed.pot)
