"""The texts that stand below the members of classes, as descriptions for documents."""

import ast
from collections.abc import Mapping
from functools import cache
from inspect import cleandoc, getsource
from itertools import pairwise
from textwrap import dedent
from types import MappingProxyType


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


@cache
def own_members_of(kind: type) -> Mapping[str, str]:
    """Return the texts of the members that *kind* itself declares."""
    if not kind.__module__.startswith(("engine.", "service.")):
        return MappingProxyType({})
    body = ast.parse(dedent(_source(kind))).body
    lines = body[0].body if body and isinstance(body[0], ast.ClassDef) else []
    return MappingProxyType(
        {
            member.target.id: " ".join(cleandoc(below.value.value).split())
            for member, below in pairwise(lines)
            if isinstance(member, ast.AnnAssign)
            and isinstance(member.target, ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
            and isinstance(below.value.value, str)
        }
    )


def _source(kind: type) -> str:
    try:
        return getsource(kind)
    except OSError:  # made by a call, so no text stands below its members
        return ""
