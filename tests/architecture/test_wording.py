"""Docstrings begin with their subject, and texts hold no words that a learner has to look up."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = [
    *(path for folder in ("engine", "service", "bench") for path in (ROOT / folder).rglob("*.py")),
    ROOT / "api-spec" / "verifier" / "verify.py",
]
PAGES = [
    *ROOT.glob("*.md"),
    *(path for path in (ROOT / "docs").rglob("*.md") if path.name != "rulebook.md"),
]
CLAUSE = re.compile(r"(What|How|Who|Whom|Whose|Which|Whoever|Whatever)\b[^?]*$", re.DOTALL)
ODD = re.compile(r"\b(anew|lest|reckon\w*|mend(s|ed|ing)?|whilst|am?idst)\b", re.IGNORECASE)


def docstrings(path: Path) -> list[tuple[int, str]]:
    """Return the docstrings of a file, those of attributes included, with their lines."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    bodies = [body for node in nodes if isinstance(body := getattr(node, "body", None), list)]
    return [
        (each.lineno, each.value.value.strip())
        for body in bodies
        for each in body
        if isinstance(each, ast.Expr)
        and isinstance(each.value, ast.Constant)
        and isinstance(each.value.value, str)
    ]


def test_no_docstring_begins_with_a_clause_in_place_of_a_noun() -> None:
    """``The members of a view`` is read once, ``What a view may show`` twice."""
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {text.splitlines()[0]}"
        for path in CODE
        for line, text in docstrings(path)
        if CLAUSE.match(text.split("\n\n")[0])
    ]
    assert wrong == []


def test_no_docstring_and_no_page_holds_an_old_word() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {found[0]}"
        for path in CODE
        for line, text in docstrings(path)
        if (found := ODD.search(text))
    ]
    wrong += [
        f"{path.relative_to(ROOT)}: {found[0]}"
        for path in PAGES
        if (found := ODD.search(re.sub(r"`[^`]*`", "", path.read_text(encoding="utf-8"))))
    ]
    assert wrong == []
