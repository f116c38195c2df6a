"""The engine names only rules of the rulebook. Every rule there is named and tested."""

import re
from collections import Counter
from pathlib import Path

import pytest

from engine.kit.cards import DECKS, VALUES

ROOT = Path(__file__).parents[2]
BOOK = (ROOT / "docs" / "rulebook.md").read_text(encoding="utf-8")
ENGINE = {
    path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "engine").rglob("*.py"))
}
RULE = re.compile(r"^\| (\d+)\.\d+ \| `([a-z_.]+)` \| .* \| ([A-Z, ]+) \| (.*) \|$", re.M)
ROW = re.compile(r"^\| ([A-D]\d+b?) \| (.*) \|$", re.M)
EXAMPLE = re.compile(r"^\| (\d+) \| (`test_.*) \|$", re.M)
TEST = re.compile(r"`(test_[a-z0-9_]+)`")

RULES = RULE.findall(BOOK)
SLUGS = {slug for _, slug, _, _ in RULES}
TESTS = {
    name
    for path in (ROOT / "tests").rglob("test_*.py")
    for name in re.findall(r"^(?:async )?def (test_\w+)", path.read_text("utf-8"), re.M)
}
POKER = [
    *(f"A{number}" for number in range(1, 15)),
    *(f"B{number}" for number in range(1, 14)),
    *(f"C{number}" for number in range(1, 17)),
    "C4b",
    *(f"D{number}" for number in range(1, 13)),
]
"""The rows of blinds and presence, acting, raises and pots."""

EXAMPLES = range(1, 34)


CARD = re.compile(r"^\| (X\d\d) \| [A-Z][A-Za-z ]+ \| (−?\d+) \|$", re.M)
CITED = re.compile(r"rulebook ((?:``[a-z_.]+``(?:, | and |,\n *| and\n *)?)+)")
NUMBERED = re.compile(r"rulebook,?\s+(?:rule |section |chapter )?(\d+(?:\.\d+)?)")


def sections() -> str:
    return "|".join({slug.partition(".")[0] for slug in SLUGS})


def test_every_rule_that_the_engine_names_stands_in_the_rulebook() -> None:
    """A slug is a string of two words, of which the first is a chapter of rules."""
    literal = re.compile(rf"\"((?:{sections()})\.[a-z_]+)\"")
    named = {slug for text in ENGINE.values() for slug in literal.findall(text)}
    # Paths of parameters in doctests look like slugs.
    assert named
    assert named - SLUGS - {"roll.when"} == set()


def test_every_rule_of_the_rulebook_is_named_where_the_engine_plays_it() -> None:
    """The engine names a rule in an event, a refusal or a docstring."""
    text = "\n".join(ENGINE.values())
    unnamed = {slug for slug in SLUGS if f'"{slug}"' not in text and f"``{slug}``" not in text}
    assert unnamed == set()


def test_no_rule_has_two_names_and_no_name_two_rules() -> None:
    assert [slug for slug, times in Counter(s for _, s, _, _ in RULES).items() if times > 1] == []
    assert BOOK.count("\n| ") > len(RULES) > 80


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule[1])
def test_every_rule_names_a_test_that_exists(rule: tuple[str, str, str, str]) -> None:
    named = TEST.findall(rule[3])
    assert named
    assert set(named) - TESTS == set()


def test_every_row_of_the_poker_rules_has_a_test_or_a_reason() -> None:
    rows = dict(ROW.findall(BOOK))
    assert set(rows) == set(POKER)
    for number, cells in rows.items():
        named = TEST.findall(cells)
        assert set(named) - TESTS == set(), number
        assert named or "does not apply" in cells or "not built" in cells, number


def test_every_worked_example_names_the_test_that_plays_it() -> None:
    played = {int(number): TEST.findall(cells) for number, cells in EXAMPLE.findall(BOOK)}
    assert set(played) <= set(EXAMPLES)
    for number, named in played.items():
        assert named, number
        assert set(named) - TESTS == set(), number


def test_the_coverage_at_the_head_says_what_the_tables_say() -> None:
    head = BOOK[: BOOK.index("## 1 ")]
    chapters = Counter(number for number, _, _, _ in RULES)
    for number, rules in chapters.items():
        assert re.search(rf"^\| {number} [^|]*\| {rules} \|", head, re.M), (number, rules)
    played = len(EXAMPLE.findall(BOOK))
    tested = sum(bool(TEST.search(cells)) for _, cells in ROW.findall(BOOK))
    assert f"{played} of the 33 worked examples" in head
    assert f"{tested} of the {len(POKER)} rows" in head


def test_every_face_has_its_name_and_value_in_the_rulebook() -> None:
    told = {card: int(value.replace("−", "-")) for card, value in CARD.findall(BOOK)}
    faces = {card[:3]: VALUES[card] for card in DECKS["d76"] if card.startswith("X")}
    assert told == faces


def test_chapters_come_in_the_order_of_their_numbers() -> None:
    numbers = [int(number) for number in re.findall(r"^## (\d+) ", BOOK, re.M)]
    assert numbers == sorted(numbers)
    missing = set(range(1, numbers[-1])) - set(numbers)
    assert all(f"There is no chapter {number}." in BOOK for number in missing)


def test_code_cites_rules_by_names_that_exist_and_never_by_number() -> None:
    """
    A number may change with a chapter. A name in stored events never does. A docstring in a

    committed schema never changes either.
    """
    schemas = (ROOT / "api-spec" / "events").glob("*.json")
    committed = "".join(each.read_text(encoding="utf-8") for each in schemas)
    known = SLUGS | {slug.partition(".")[0] for slug in SLUGS}
    wrong = []
    for folder in ("engine", "service", "tests"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            names = {
                name for found in CITED.findall(text) for name in re.findall(r"[a-z_.]+", found)
            }
            numbered = (found.group() for found in NUMBERED.finditer(text))
            wrong += [f"{path.name}: {each}" for each in numbered if each not in committed]
            wrong += [f"{path.name}: {each}" for each in names - known - {"and"}]
    assert wrong == []


def test_documents_cite_rules_by_numbers_that_exist() -> None:
    numbers = set(re.findall(r"^\| (\d+\.\d+) \|", BOOK, re.M))
    texts = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "api-spec").glob("*.md")]
    texts.append(ROOT / "api-spec" / "verifier" / "verify.py")
    cited = {each for path in texts for each in NUMBERED.findall(path.read_text("utf-8"))}
    assert {each for each in cited if "." in each} - numbers == set()
