"""Every route, rule, scope, code and command that the guides name exists."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import rich_click as click

from service.api.http.declaring.rule_names import NAMES
from service.api.routes import ROUTES
from service.cli.common import Lazily
from service.cli.main import cli
from service.people.tokens import SCOPES

ROOT = Path(__file__).resolve().parents[2]
GUIDES = [
    *sorted((ROOT / "docs" / "guides").glob("*.md")),
    *sorted((ROOT / "docs" / "operating").glob("*.md")),
    *(ROOT / each for each in ("README.md", "docs/rulebook.md", "CONTRIBUTING.md")),
    *(ROOT / "api-spec" / each for each in ("bundle.md", "recomputing.md")),
]
CHAPTERS = {each.partition(".")[0] for each in NAMES if "." in each}
SOURCES = [
    *(path for folder in ("engine", "service") for path in (ROOT / folder).rglob("*.py")),
    *(ROOT / each for each in ("api-spec/openapi.yaml", "docs/events.md", "pyproject.toml")),
    *(ROOT / "tests").rglob("*.py"),
]

_ROUTE = re.compile(r"\b(GET|POST|PUT|DELETE) (/v1/|/livez|/readyz|…/)([^\s`?'\"),;\]]*)")
_CODE = re.compile(r"`([a-z]+(?:_[a-z]+)+)`")
_DOTTED = re.compile(r"`([a-z]+\.[a-z_]+)`|\"rules\": \[\"([a-z_.]+)\"")
_SCOPE = re.compile(r"`([a-z]+:[a-z]+)`")
_COMMAND = re.compile(r"\bholotable ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?")


def named(path: Path, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Yield the matches of *pattern* in *path*."""
    return pattern.finditer(path.read_text(encoding="utf-8"))


def shape(path: str) -> str:
    """Return a route's path without the names of its parameters."""
    return re.sub(r"\{[^}]*\}|\$[A-Z]+|'\$[A-Z]+'", "{}", path).rstrip("./:*")


ASKED = {
    (method, shape(path))
    for handler in ROUTES
    for method in handler.http_methods
    for path in handler.paths
}


@pytest.mark.parametrize("guide", GUIDES, ids=lambda each: each.name)
def test_every_route_that_a_guide_names_is_served(guide: Path) -> None:
    missing = set()
    for found in named(guide, _ROUTE):
        method, begin, rest = found.groups()
        path = shape(rest)
        there = (
            any(one == method and whole.endswith(f"/{path}") for one, whole in ASKED)
            if begin == "…/"
            else (method, f"{begin}{path}") in ASKED
        )
        if not there:
            missing.add(found[0])
    assert missing == set()


@pytest.mark.parametrize("guide", GUIDES, ids=lambda each: each.name)
def test_every_rule_and_scope_that_a_guide_names_is_there(guide: Path) -> None:
    if guide.parent.name == "api-spec":
        return  # dotted names there are members of a ruleset
    dotted = {one or two for one, two in (each.groups() for each in named(guide, _DOTTED))}
    rules = {
        each for each in dotted if each.partition(".")[0] in CHAPTERS and not each.endswith(".py")
    }
    scopes = {each[1] for each in named(guide, _SCOPE)}
    assert rules - set(NAMES) - _members(rules) == set()
    assert scopes - set(SCOPES) == set()


@pytest.mark.parametrize("guide", GUIDES, ids=lambda each: each.name)
def test_every_name_in_code_that_a_guide_names_is_in_the_code(
    guide: Path, words: frozenset[str]
) -> None:
    assert {each[1] for each in named(guide, _CODE)} - words == set()


@pytest.mark.parametrize("guide", GUIDES, ids=lambda each: each.name)
def test_every_command_that_a_guide_names_is_there(guide: Path) -> None:
    missing = set()
    for found in named(guide, _COMMAND):
        listed = cli.commands.get(found[1])
        command = listed.load() if isinstance(listed, Lazily) else listed
        if command is None or (
            isinstance(command, click.Group) and found[2] and found[2] not in command.commands
        ):
            missing.add(found[0])
    assert missing == set()


@pytest.fixture(scope="module")
def words() -> frozenset[str]:
    """Return every name with an underscore in the sources."""
    found: set[str] = set()
    for path in SOURCES:
        if path != Path(__file__):
            found |= set(re.findall(r"[a-z]+(?:_[a-z]+)+", path.read_text(encoding="utf-8")))
    return frozenset(found)


def _members(dotted: set[str]) -> set[str]:
    """Return the names of nested members in the API description, such as ``fees.rebuy``."""
    document = (ROOT / "api-spec" / "openapi.yaml").read_text(encoding="utf-8")
    known = set(re.findall(r"^ +([a-z_]+):", document, re.MULTILINE))
    return {each for each in dotted if set(each.split(".")) <= known}
