"""Refusals in words: every code that the API declares is told in the language of the reader."""

import ast
import itertools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

import engine
import service
from engine.dispute.values import Kind
from engine.errors import CommandRejected, Wording
from engine.kit.denominations import flaw
from engine.rulesets import resolve
from engine.rulesets.errors import RulesetInvalid
from engine.rulesets.levels import contradiction_in
from engine.rulesets.validation import contradiction
from engine.season.expression.evaluation import Cause
from service.api.http.problems.answers import STATUSES, catalogue
from service.base.languages import LANGUAGES
from service.console.calling import Problem
from service.console.languages import spoken
from service.console.pages import environment
from service.console.problems import failure_of, fault_in_words, sentence
from service.console.refusals import NO_SENTENCE, REASONS, SENTENCES, WORDED, told
from service.console.wordings import WORDINGS

RULES = {each.code: each for each in STATUSES if issubclass(each, CommandRejected)}


def fields(kind: type[CommandRejected]) -> tuple[object, ...]:
    """Return the types of a refusal's fields."""
    return tuple(kind._fields.values())


FACTS = {
    code: {name for name, kind in each._fields.items() if kind is not Wording} - {"rule"}
    for code, each in RULES.items()
}
"""The facts of each refusal by the rules, by its code."""

NO_WORDS = "Dieser Wert passt hier nicht."
"""What a page says of a fault that it has no words for."""

EXAMPLES = {
    "role": "director", "phase": "running", "reason": "Spilt soup.", "known": "500, 2000",
    "tournament": "Thursday", "until": "2026-11-28T19:30:00+00:00",
    "opens_at": "2026-11-28T19:30:00+00:00", "starts_at": "2026-11-28T19:30:00+00:00",
}  # fmt: skip
"""Values of the facts that are no numbers."""


def refusal(code: str, facts: Mapping[str, object] | None = None) -> Problem:
    """Return a problem as the API sends it, in English."""
    status, title = catalogue()[code]
    return Problem(status, {**(facts or {}), "code": code, "title": title, "detail": "in English"})


@pytest.mark.parametrize("language", LANGUAGES[1:])
@pytest.mark.parametrize("code", catalogue())
def test_every_code_is_told_in_the_language_of_the_page(code: str, language: Any) -> None:
    english, there = spoken("en"), spoken(language)
    told_here = sentence(refusal(code), there)
    failure = failure_of(refusal(code), "form", {}, there)
    summary = environment(language).get_template("parts/told.html").make_module({})
    page = str(summary.error_summary(failure.message, failure.listed))  # type: ignore[attr-defined]

    assert told_here in page
    assert told_here != sentence(refusal(code), english)
    assert "English" not in page
    assert catalogue()[code][1] not in page


def test_a_code_without_a_translation_would_be_seen() -> None:
    unknown = Problem(409, {"code": "new", "title": "A title that nobody has translated"})
    assert sentence(unknown, spoken("de")) == sentence(unknown, spoken("en"))


def test_every_refusal_with_facts_has_a_sentence_or_needs_none() -> None:
    with_facts = {code for code, facts in FACTS.items() if facts}
    told_with_facts = SENTENCES.keys() | REASONS.keys() | WORDED.keys()
    assert with_facts == told_with_facts | NO_SENTENCE
    assert not told_with_facts & NO_SENTENCE


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", SENTENCES)
def test_a_sentence_is_filled_with_the_facts(code: str, language: Any) -> None:
    facts = {name: EXAMPLES.get(name, 1500) for name in FACTS[code]}
    said = told(refusal(code, facts), spoken(language))
    assert said
    assert "%(" not in said
    assert sentence(refusal(code, facts), spoken(language)).endswith(said)
    assert told(refusal(code), spoken(language)) == ""  # an optional fact may be missing


def test_facts_are_written_as_the_reader_writes_them() -> None:
    de = spoken("de")
    too_large = refusal("bet_too_large", {"offered": 9000, "maximum": 1500})
    assert told(too_large, de) == "Höchstens 1.500 Chips sind möglich."
    assert told(refusal("not_a_draft", {"phase": "running"}), de).endswith(": Läuft.")
    banned = refusal("player_banned", {"until": EXAMPLES["until"]})
    assert told(banned, de) == "Die Sperre endet am Sa., 28. Nov., 19:30 UTC."
    assert told(refusal("player_banned", {"until": None}), de) == ""


def reasons(kind: type[CommandRejected]) -> Iterator[str]:
    """Yield the reasons that the engine gives for a refusal, as written in its code."""
    for path in Path(next(iter(engine.__path__))).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == kind.__name__:
                for each in node.keywords:
                    found = ast.walk(each.value) if each.arg == "reason" else ()
                    yield from (str(one.value) for one in found if isinstance(one, ast.Constant))


@pytest.mark.parametrize("code", REASONS)
def test_every_reason_of_the_engine_has_a_sentence(code: str) -> None:
    given = {each for each in reasons(RULES[code]) if each != "None"}
    assert given
    assert given <= REASONS[code].keys()
    for reason in given:
        problem = refusal(code, {"reason": reason})
        assert told(problem, spoken("de")) != told(problem, spoken("en")) != ""


GAPS = {
    "none.cause": get_args(Cause),
    "self.kind": get_args(Kind),
    "advice": ("end it earlier", "add UNTIL or COUNT, so that it ends"),
    "name or 'an empty part'": ("an empty part", "BYDAY"),
}
"""The values of gaps that are words of ours, by their expressions. Every other gap is a 7 here."""


def wordings() -> Iterator[str]:
    """Yield every wording that the engine and the service write, with its gaps filled."""
    for root in (engine, service):
        for path in sorted(Path(next(iter(root.__path__))).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == Wording.__name__:
                    yield from filled_in(node.args[0])


def filled_in(text: ast.expr) -> Iterator[str]:
    """Yield a text as the program could make it. It must be a literal."""
    if isinstance(text, ast.Constant):
        yield text.value
        return
    assert isinstance(text, ast.JoinedStr), ast.unparse(text)
    parts: list[tuple[str, ...]] = []
    for each in text.values:
        if isinstance(each, ast.FormattedValue):
            quote = "'" if each.conversion == ord("r") else ""
            fills = GAPS.get(ast.unparse(each.value), ("7",))
            parts.append(tuple(f"{quote}{fill}{quote}" for fill in fills))
        else:
            assert isinstance(each, ast.Constant)
            parts.append((each.value,))
    yield from ("".join(each) for each in itertools.product(*parts))


def row_of(wording: str) -> list[str]:
    """Return the rows that a wording fits."""
    gap = re.compile(r"%\\\(\w+\\\)s")
    return [each for each in WORDINGS if re.fullmatch(gap.sub("(.+)", re.escape(each)), wording)]


def test_every_wording_of_a_refusal_is_told_in_the_language_of_the_page() -> None:
    """The types prove that a refusal takes only a ``Wording``, and each is made of a literal."""
    untold, used = [], set()
    for wording in wordings():
        there, here = (fault_in_words(wording, spoken(each)) for each in ("de", "en"))
        if there in (NO_WORDS, here) or here == wording:
            untold.append(wording)
        used |= {*row_of(wording)[:1]}
    assert untold == []
    assert used == WORDINGS.keys()


def test_every_contradiction_of_rules_is_a_wording() -> None:
    """The types prove it of the functions that return one."""
    given = {
        ast.unparse(each.value)
        for root in (engine, service)
        for path in Path(next(iter(root.__path__))).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "RulesetInvalid"
        for each in node.keywords
    }
    assert {each for each in given if not each.startswith("Wording(")} == {
        "reason", "older", "found",
    }  # fmt: skip
    for found in (contradiction, contradiction_in, flaw):
        assert get_type_hints(found)["return"] == Wording | None


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ({"starting_stack": 3}, "Pflichteinsätze und Start-Stack sind Vielfache von 5 Chips."),
        ({"starting_stack": "x"}, "Eine der Regeln hat einen Wert, den sie nicht haben kann."),
    ],
)
def test_a_contradiction_of_rules_is_told_after_the_title(
    overrides: dict[str, object], said: str
) -> None:
    with pytest.raises(RulesetInvalid) as raised:
        resolve("better", overrides)
    problem = refusal("invalid_ruleset", raised.value.facts)
    assert sentence(problem, spoken("de")).endswith(said)
    assert raised.value.reason not in sentence(problem, spoken("en"))


@pytest.mark.parametrize("kind", [each for each in RULES.values() if Wording in fields(each)])
def test_a_wording_is_found_in_its_detail(kind: type[CommandRejected]) -> None:
    named = {name: name.title() for name, of in kind._fields.items() if of is not Wording}
    refused = kind(**named, problem=Wording("must lie in the future"))
    problem = refusal(kind.code, refused.facts)
    problem.detail = refused.detail

    assert problem.wording == "must lie in the future"
    assert "Wähle eine Zeit, die noch kommt." in told(problem, spoken("de"))
    if "field" not in named:
        return
    failure = failure_of(problem, "form", {}, spoken("de"))
    assert failure.fields == {"Field": "Wähle eine Zeit, die noch kommt."}
    assert "Wähle" not in failure.message


def test_a_fault_of_a_field_that_has_no_words_is_told_in_the_language_of_the_page() -> None:
    assert fault_in_words("two moons are needed", spoken("en")) == "two moons are needed"
    assert fault_in_words("two moons are needed", spoken("de")) == NO_WORDS


@pytest.mark.parametrize(
    ("detail", "said"),
    [
        ("must have 1 to 200 characters", "Benutze 1 bis 200 Zeichen."),
        ("must be 2 to 8", "Nimm eine Zahl von 2 bis 8."),
        ("must be between 600 and 86400", "Nimm eine Zahl von 600 bis 86400."),
        ("must be a multiple of 25", "Nimm ein Vielfaches von 25."),
        ("must lie in the future", "Wähle eine Zeit, die noch kommt."),
        ("Expected `int` <= 50", "Das Höchste ist 50."),
    ],
)
def test_a_fault_of_a_field_is_told_with_its_numbers(detail: str, said: str) -> None:
    assert fault_in_words(detail, spoken("de")) == said
