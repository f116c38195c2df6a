"""The elements of a rendered page, with the places of their tags, to change single tags of it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from markupsafe import escape

_VOID = frozenset({"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source"})


@dataclass(eq=False, slots=True)
class Element:
    """An element of a page."""

    tag: str
    attributes: dict[str, str | None]
    above: "Element | None"
    start: int
    """The place of the start tag in the text."""

    inner: int
    """The place after the start tag."""

    close: int = 0
    """The place of the end tag, or after the start tag if there is none."""

    end: int = 0
    """The place after the element."""

    content: "list[str | Element]" = field(default_factory=list)

    def get(self, name: str) -> str:
        """Return an attribute, or nothing if it is absent or has no value."""
        return self.attributes.get(name) or ""

    @property
    def classes(self) -> frozenset[str]:
        """The element's classes."""
        return frozenset(self.get("class").split())

    def inside(self) -> "Iterator[Element]":
        """Return every element inside this one, in the order of the page."""
        for each in self.content:
            if isinstance(each, Element):
                yield each
                yield from each.inside()

    def around(self) -> "Iterator[Element]":
        """Return every element around this one, the nearest first."""
        here = self.above
        while here is not None:
            yield here
            here = here.above

    def words(self, without: frozenset[str]) -> str:
        """Return the text, without elements that have one of these tags or classes."""
        parts = [
            each if isinstance(each, str) else each.words(without)
            for each in self.content
            if isinstance(each, str) or not without & {each.tag, *each.classes}
        ]
        return " ".join(" ".join(parts).split())

    def start_tag(self) -> str:
        """Return the start tag with the present attributes."""
        written = (
            f" {name}" if value is None else f' {name}="{escape(value)}"'
            for name, value in self.attributes.items()
        )
        return f"<{self.tag}{''.join(written)}>"


def elements_of(text: str) -> Element:
    """Return the root of a page's elements."""
    reader = _Reader(text)
    reader.feed(text)
    reader.close()
    return reader.root


class _Reader(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.root = self._here = Element("", {}, None, 0, 0, len(text), len(text))
        self._lines = [0]
        for line in text.split("\n"):
            self._lines.append(self._lines[-1] + len(line) + 1)

    def _place(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._begin(tag, attrs, tag in _VOID)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._begin(tag, attrs, empty=True)

    def _begin(self, tag: str, attrs: list[tuple[str, str | None]], empty: bool) -> None:
        start = self._place()
        inner = start + len(self.get_starttag_text() or "")
        found = Element(tag, dict(attrs), self._here, start, inner, inner, inner)
        self._here.content.append(found)
        if not empty:
            self._here = found

    def handle_endtag(self, tag: str) -> None:
        mine = next((each for each in (self._here, *self._here.around()) if each.tag == tag), None)
        if mine is None or mine.above is None:
            return
        mine.close = self._place()
        mine.end = mine.close + len(tag) + len("</>")
        self._here = mine.above

    def handle_data(self, data: str) -> None:
        self._here.content.append(data)
