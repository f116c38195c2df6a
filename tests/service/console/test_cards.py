"""The drawings of cards and dice: all of them, once, and told apart without colour."""

import re
import xml.etree.ElementTree as ET

import pytest

from engine.kit.cards import DECKS, VALUES
from service.console.drawing import sprite
from service.console.drawing.cards import CARDS, face, suit_of
from service.console.drawing.drawn import Drawn
from service.console.drawing.spoken import spoken as name_of
from service.console.drawing.strokes import signed, written
from service.console.languages import spoken

DICE = 5 + 3 + 6


def colourless(drawing: str) -> str:
    return re.sub(r"var\([^)]*\)|#[0-9a-f]{3,6}", "ink", drawing)


def test_every_card_and_die_is_drawn_once() -> None:
    names = [name for name, _, _ in sprite.symbols()]

    assert len(names) == len(set(names))
    assert set(CARDS) == set(DECKS["d62"]) | set(DECKS["d76"])
    assert set(CARDS) <= set(names)
    assert len(names) == len(CARDS) + 1 + sprite.BACKS_MAX + DICE


def test_cards_and_dice_differ_without_colour() -> None:
    drawings = [colourless(drawing) for _, _, drawing in sprite.symbols()]

    assert len(set(drawings)) == len(drawings)


@pytest.mark.parametrize("deck", sorted(DECKS))
def test_suits_of_one_value_differ_by_their_pips_and_not_by_colour_alone(deck: str) -> None:
    for value in (1, 5, 10):
        same = [each for each in DECKS[deck] if VALUES[each] == value]
        bodies = {colourless(face(each)) for each in same}

        assert len(bodies) == len(same) == len({suit_of(each) for each in same})


def test_a_card_shows_its_value_with_its_sign() -> None:
    for card in CARDS:
        shown = signed(VALUES[card])
        height = 30 if abs(VALUES[card]) < 10 else 26

        assert shown[0] in "+-" or shown == "0"
        assert written(shown, 10, 25 - height / 2, height) in face(card)


def test_colours_are_properties_of_the_page() -> None:
    """Both schemes use the same drawing. The ink on a metal die is dark in both."""
    raw = set(re.findall(r'(?:fill|stroke)="(#[0-9a-f]+)"', sprite.sprite()))

    assert raw == {"#13201b"}


def test_the_file_is_the_drawing() -> None:
    """Made by ``python -m service.console.drawing.sprite``."""
    assert sprite.FILE.read_text(encoding="utf-8") == sprite.sprite()
    assert ET.fromstring(sprite.sprite()).tag.endswith("svg")


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_card_has_a_name_of_its_own(language: str) -> None:
    """The two copies of a face, and the two sylops, are the same to a player."""
    names = {card: name_of(card, spoken(language).gettext) for card in CARDS}  # type: ignore[arg-type]

    assert len(set(names.values())) == len(CARDS) - 8 - 1


def test_names_are_said_as_a_player_says_them() -> None:
    english = Drawn(spoken("en"))

    assert english.name("C-05") == "minus five of circles"
    assert english.name("Z1") == "sylop, zero"
    assert english.name("SA13") == "Mistress of sabers, plus thirteen"
    assert english.name("X17a") == "The Star, minus seventeen"
    assert 'aria-label="minus five of circles"' in english.card("C-05")
