"""The texts that stand below the members of classes, as descriptions for documents."""

import ast
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from inspect import cleandoc, getsource
from itertools import pairwise
from types import MappingProxyType

_NONE: Mapping[str, str] = MappingProxyType({})


@cache
def members_of(kind: type) -> Mapping[str, str]:
    """
    Return the text below each member of *kind*, on one line. Members without a text are left out.

    A class without source, such as one made by ``defstruct``, names in ``TEXTS_OF`` the class that
    has the texts. A text of a subclass replaces that of its base.
    """
    source: type = vars(kind).get("TEXTS_OF", kind)
    found: dict[str, str] = {}
    for each in reversed(source.__mro__):
        found |= own_members_of(each)
    return MappingProxyType(found)


def own_members_of(kind: type) -> Mapping[str, str]:
    """Return the texts of the members that *kind* itself declares."""
    if not kind.__module__.startswith(("engine.", "service.")):
        return _NONE
    # A class that was made by a call has no text below its members.
    return _texts_in(kind.__module__).get(kind.__qualname__, _NONE)


@cache
def _texts_in(module: str) -> Mapping[str, Mapping[str, str]]:
    """Return the texts in the classes of *module*, by their names. It is parsed only once."""
    tree = ast.parse(getsource(sys.modules[module]))
    return {name: MappingProxyType(_texts(each)) for name, each in _classes(tree)}


def _classes(
    within: ast.Module | ast.ClassDef, prefix: str = ""
) -> Iterator[tuple[str, ast.ClassDef]]:
    for each in within.body:
        if isinstance(each, ast.ClassDef):
            yield f"{prefix}{each.name}", each
            yield from _classes(each, f"{prefix}{each.name}.")


def _texts(kind: ast.ClassDef) -> dict[str, str]:
    return {
        member.target.id: " ".join(cleandoc(below.value.value).split())
        for member, below in pairwise(kind.body)
        if isinstance(member, ast.AnnAssign)
        and isinstance(member.target, ast.Name)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    }
