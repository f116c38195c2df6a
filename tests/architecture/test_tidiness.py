"""Faults that a reviewer should not have to look for."""

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from service.cli.main import cli

ROOT = Path(__file__).resolve().parents[2]
LINES_MAX = 400
FUNCTION_LINES_MAX = 50
ANY_LINES_MAX = 86
"""The present lines of the service with ``Any``. Lower it when lines go, and never raise it."""
SOURCES = sorted(
    path
    for folder in ("engine", "service", "migrations", "bench", "tests")
    for path in (ROOT / folder).rglob("*.py")
    if path != Path(__file__)
)
CODE = [path for path in SOURCES if path.relative_to(ROOT).parts[0] != "tests"]
SERVICE = [path for path in SOURCES if path.relative_to(ROOT).parts[0] == "service"]
ENGINE = [path for path in SOURCES if path.relative_to(ROOT).parts[0] == "engine"]
DOCUMENTS = [
    path for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")) if path.is_file()
]
POOLS = "service/base/pools.py"
PROXIES = "service/api/http/wire/proxies.py"
CLOCKS = {"now", "utcnow", "today", "time", "monotonic", "perf_counter"}


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(text_of(path))))


def longest_function(path: Path) -> tuple[int, str]:
    functions = [
        node for node in nodes_of(path) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    lengths = [((node.end_lineno or 0) - node.lineno + 1, node.name) for node in functions]
    return max(lengths, default=(0, ""))


def clock_reads(path: Path) -> list[str]:
    return [
        ast.unparse(node)
        for node in nodes_of(path)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in CLOCKS
        and ast.unparse(node.func.value) in {"datetime", "datetime.datetime", "date", "time"}
    ]


def found(paths: Iterable[Path], what: Callable[[Path], object]) -> dict[str, object]:
    """Return the findings of *what* by file, without the files in which it finds nothing."""
    return {str(path.relative_to(ROOT)): it for path in paths if (it := what(path))}


def matches(pattern: str) -> Callable[[Path], list[str]]:
    return lambda path: re.findall(pattern, text_of(path))


def test_a_file_can_be_known_whole() -> None:
    """A file above the limit holds more than one idea."""

    def above(path: Path) -> int | None:
        lines = len(text_of(path).splitlines())
        return lines if lines > LINES_MAX else None

    assert found(CODE, above) == {}


def test_a_function_fits_on_a_screen() -> None:
    """A long function hides a part that deserves its own name."""

    def above(path: Path) -> tuple[int, str] | None:
        longest = longest_function(path)
        return longest if longest[0] > FUNCTION_LINES_MAX else None

    assert found(CODE, above) == {}


def test_the_engine_reads_no_clock() -> None:
    """Time enters as a field of commands. A rule that read a clock could not be decided again."""
    assert found(ENGINE, clock_reads) == {}


def test_threads_are_taken_from_bounded_pools_only() -> None:
    """All work shares asyncio's own threads, so one client's heavy work would stop everything."""
    unbounded = matches(r"\bto_thread\(|\.run_in_executor\b|\bThreadPoolExecutor\b")

    assert list(found(SERVICE, unbounded)) == [POOLS]


def test_forwarded_addresses_are_read_in_one_place() -> None:
    """Other code that read these headers would believe what any client writes."""
    assert list(found(SERVICE, matches(r"b?\"[a-z-]*forwarded"))) == [PROXIES]


def test_an_exception_from_a_check_names_it() -> None:
    """An exception that names no check would also hide faults that appear later."""
    assert found(SOURCES, matches(r"#\s*noqa(?!:)|#\s*type:\s*ignore(?!\[)")) == {}


def test_nothing_is_left_for_later() -> None:
    """Missing work belongs in the tracker, not in the code."""
    assert found(SOURCES, matches(r"\b(TODO|FIXME)\b")) == {}


def test_every_link_in_the_documents_leads_somewhere() -> None:
    """A dead link loses readers."""
    links = matches(r"\]\((?!https?:|#)([^)#]+)")

    def dead(path: Path) -> list[str]:
        return [target for target in links(path) if not (path.parent / target).exists()]

    assert found(DOCUMENTS, dead) == {}


def test_decisions_are_numbered_one_by_one() -> None:
    numbers = [int(path.name[:4]) for path in sorted((ROOT / "docs/adr").glob("*.md"))]
    assert numbers == list(range(1, len(numbers) + 1))


def test_every_command_in_the_readme_exists() -> None:
    """The first command that a new reader types must run."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    used = set(re.findall(r"(?:^|\s|`)holotable ([a-z]+)", text))

    assert used <= set(cli.commands)


def test_every_make_target_in_the_documents_exists() -> None:
    """Targets are the same on a laptop and in CI."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, flags=re.MULTILINE))
    used = {
        target
        for path in DOCUMENTS
        for target in re.findall(r"(?:^|`)make ([a-z-]+)", path.read_text("utf-8"), re.MULTILINE)
    }

    assert used <= targets


def untyped_lines(path: Path) -> dict[int, str]:
    """Return the lines that use ``Any``, by number. Prose does not count, an import does."""
    names = tokenize.generate_tokens(io.StringIO(text_of(path)).readline)
    return {
        token.start[0]: token.line
        for token in names
        if token.type == tokenize.NAME and token.string == "Any"
    }


def says_why(path: Path, number: int) -> bool:
    """Return whether a comment or a docstring stands at line *number*, above it or below it."""
    above, line, below = [*text_of(path).splitlines(), ""][number - 2 : number + 1]
    starts = (above.lstrip()[:1], below.lstrip()[:1])
    return "  # " in line or starts[0] == "#" or starts[1] in {'"', "#"}


def test_little_of_the_service_is_untyped() -> None:
    """A line with ``Any`` hides a type. Each one that is left has a reason."""
    lines = {path: untyped_lines(path) for path in SERVICE}
    bare = [
        f"{path.relative_to(ROOT)}:{number}"
        for path, found in lines.items()
        for number, line in found.items()
        if not line.startswith(("from ", "import ")) and not says_why(path, number)
    ]

    assert sum(map(len, lines.values())) <= ANY_LINES_MAX
    assert bare == []
