"""
A refused form in its page: what was typed, each fault beside its field, and all of them above.

Templates write a form as if nothing had been sent. The rendered page is changed afterwards, so
every form shows its faults alike. The summary names a field by the label that the reader sees.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from markupsafe import Markup, escape

from service.console.elements import Element, elements_of
from service.console.problems import Failure

SUMMARY = "errors"
"""The id of the summary. Its list is written here."""

_ABOUT = "data-of"
"""
The attribute of a field whose name differs from the member of the API's body. It holds the member.
"""

_CONTROLS = frozenset({"input", "select", "textarea"})
_CHOICES = frozenset({"checkbox", "radio"})
_SECTION = "details"
"""The element around fields that are at fault together."""

_UNTYPED = frozenset({"hidden", "password", "submit", "button", "image", "reset", "file", "range"})
_TITLES = frozenset({"legend", "summary"})
_NO_LABEL = frozenset({"optional", "hint", "select", "textarea", "button", "svg"})


Fault = Callable[[str, str], Markup]
"""Returns the line beside a field, by the field's id and the fault."""


def marked(text: str, path: str, failure: Failure, fault: Fault) -> str:
    """
    Return a page with the faults of its refused form.

    Args:
        path: The path that the form was sent to.
    """
    page = _Marking(text, fault)
    form = _sent(page.root, path, failure.values)
    if form is not None:
        page.unfold(form)
    if form is not None and failure.values:
        page.fill(form, failure.values)
    page.summarise([page.mark(form, name, said) for said, name in failure.listed])
    return page.changed()


def _sent(root: Element, path: str, values: Mapping[str, Sequence[str]]) -> Element | None:
    """Return the form that was sent. Forms of one path differ by their hidden fields."""

    def fits(form: Element) -> int:
        hidden = (each for each in form.inside() if each.get("type") == "hidden")
        return sum(each.get("value") in values.get(each.get("name"), ()) for each in hidden)

    def leads(form: Element) -> bool:
        buttons = (each.get("formaction") for each in form.inside() if each.tag == "button")
        return path in (urlsplit(each).path for each in (form.get("action"), *buttons) if each)

    forms = [each for each in root.inside() if each.tag == "form" and leads(each)]
    return max(forms, key=fits, default=None)


def _fields(form: Element) -> Iterator[Element]:
    for each in form.inside():
        if each.tag in _CONTROLS and each.get("name") and each.get("type") != "hidden":
            yield each


def _field_of(form: Element, name: str) -> Element | None:
    """Return the field that a member of the API's body is about, or the member around it."""
    fields = [each for each in form.inside() if each.get(_ABOUT)] + list(_fields(form))
    above, _, last = name.rpartition(".")
    for each in fields:
        if name == each.get("name") or name in each.get(_ABOUT).split():
            return each if each.tag == _SECTION else next(_fields(each), each)
    listed = [each for each in fields if each.get("name") == f"{above}[]"]
    if last.isdecimal() and int(last) < len(listed):
        return listed[int(last)]
    for each in fields:
        if each.get("name") == f"{name}[]" or each.get("name").startswith(f"{name}."):
            return each
    return _field_of(form, above) if above else None


class _Marking:
    """The changes of one page."""

    def __init__(self, text: str, fault: Fault) -> None:
        self.root = elements_of(text)
        self._text = text
        self._fault = fault
        self._tags: dict[int, Element] = {}
        """The elements whose attributes have changed, by the place of the start tag."""

        self._texts: dict[int, tuple[int, str]] = {}
        """The new contents of elements, by their place, each with the end of the old one."""

        self._added: defaultdict[int, str] = defaultdict(str)
        self._labels = {each.get("for"): each for each in self.root.inside() if each.tag == "label"}
        self._ids = {each.get("id"): each for each in self.root.inside() if each.get("id")}
        self._marks = 0
        self._faulty: set[str] = set()

    def _set(self, element: Element, **attributes: str | None) -> None:
        element.attributes |= {name.replace("_", "-"): it for name, it in attributes.items()}
        self._tags[element.start] = element

    def _switch(self, element: Element, name: str, *, on: bool) -> bool:
        """Set or remove an attribute without a value. Return whether anything changed."""
        if on == (name in element.attributes):
            return False
        if on:
            element.attributes[name] = None
        else:
            del element.attributes[name]
        self._tags[element.start] = element
        return True

    def unfold(self, element: Element) -> None:
        """Open the folds around an element."""
        for each in (element, *element.around()):
            if each.tag == _SECTION:
                self._switch(each, "open", on=True)

    def fill(self, form: Element, values: Mapping[str, Sequence[str]]) -> None:
        """Put what was typed into the fields of a form again, and open the folds around it."""
        seen: defaultdict[str, int] = defaultdict(int)
        for each in _fields(form):
            name, kind = each.get("name"), each.get("type")
            typed = values.get(name, ())
            if kind in _CHOICES:
                if self._switch(each, "checked", on=(each.get("value") or "on") in typed):
                    self.unfold(each)
                continue
            number = seen[name]
            seen[name] += 1
            if kind not in _UNTYPED and number < len(typed) and self._put(each, typed[number]):
                self.unfold(each)

    def _put(self, field: Element, typed: str) -> bool:
        """Set the value of a field. Return whether it was another one."""
        if field.tag == "textarea":
            self._texts[field.inner] = (field.close, str(escape(typed)))
            return field.words(frozenset()) != " ".join(typed.split())
        if field.tag == "input":
            before = field.get("value")
            self._set(field, value=typed)
            return before != typed
        options = [each for each in field.inside() if each.tag == "option"]
        if typed not in (each.get("value") for each in options):
            return False
        changed = [
            self._switch(each, "selected", on=each.get("value") == typed) for each in options
        ]
        return any(changed)

    def mark(self, form: Element | None, name: str, said: str) -> Markup:
        """Mark the field of a fault. Return the fault's line of the summary."""
        found = None if form is None else _field_of(form, name)
        if found is None:
            return Markup("<li>{}</li>").format(said)
        if not found.get("id"):
            self._marks += 1
            self._set(found, id=f"field-{self._marks}")
        where = found.get("id")
        label = self._label(found)
        self._beside(found, said)
        named = f"{label}: {said}" if label else said
        return Markup('<li><a href="#{}">{}</a></li>').format(where, named)

    def _label(self, found: Element) -> str:
        """Return the name of a field as the page shows it."""
        over = found if found.tag == _SECTION else self._group(found)
        titles = () if over is None else (each for each in over.inside() if each.tag in _TITLES)
        around = (each for each in found.around() if each.tag == "label")
        named = self._labels.get(found.get("id"))
        for each in (next(iter(titles), None), named, next(around, None)):
            if each is not None and (words := each.words(_NO_LABEL)):
                return words
        return found.get("aria-label") or found.get("placeholder")

    def _group(self, found: Element) -> Element | None:
        """Return the group of one of several choices, or None for a field of its own."""
        several = found.get("type") == "radio" or found.get("name").endswith("[]")
        if found.get("type") not in _CHOICES or not several:
            return None
        return next((each for each in found.around() if each.tag == "fieldset"), None)

    def _beside(self, found: Element, said: str) -> None:
        """Put a fault beside its field. A field shows its first fault."""
        self.unfold(found)
        marks, where = self._group(found) or found, found.get("id")
        if where in self._faulty:
            return
        self._faulty.add(where)
        if marks.tag != _SECTION:
            told = f"{marks.get('aria-describedby')} {where}-error".strip()
            self._set(marks, aria_describedby=told, aria_invalid="true")
        self._added[self._place_beside(marks)] += self._fault(where, said)

    def _place_beside(self, marks: Element) -> int:
        """Return the place at the end of a field, after its label, hint and unit."""
        if marks.tag in ("fieldset", _SECTION):
            return marks.close
        place = marks.end
        for each in marks.around():
            if each.tag == "form":
                break
            if each.tag == "label" or "joined" in each.classes:
                place = each.end
            elif "field" in each.classes:
                return each.close
        return place

    def summarise(self, lines: Sequence[Markup]) -> None:
        """Write the lines of the summary, if the page has one."""
        summary = self._ids.get(SUMMARY)
        lists = () if summary is None else (each for each in summary.inside() if each.tag == "ul")
        for each in lists:
            self._texts[each.inner] = (each.close, Markup().join(lines))

    def changed(self) -> str:
        """Return the text with every change."""
        edits = [(each.start, each.inner, each.start_tag()) for each in self._tags.values()]
        edits += [(start, end, text) for start, (end, text) in self._texts.items()]
        edits += [(place, place, text) for place, text in self._added.items()]
        parts, done = [], 0
        for start, end, text in sorted(edits):
            parts += [self._text[done:start], text]
            done = end
        return "".join([*parts, self._text[done:]])
