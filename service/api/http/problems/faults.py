"""
All faults of a body at once.

msgspec stops at the first fault. After a refusal, this module therefore compares the body with its
type, and converts each faulty part on its own. A body without faults never comes here.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from types import UnionType
from typing import Annotated, Literal, NamedTuple, NewType, Union, get_args, get_origin

import msgspec
from msgspec.structs import fields

from service.base.errors import BadRequest
from service.people.names import named

FAULTS_MAX = 50
"""The largest number of faults that one refusal names."""

Code = Literal["unknown_field", "invalid_value"]

_PLACE = re.compile(r"^(?P<detail>.*?)(?: - at `(?P<path>.+)`)?$", re.DOTALL)
_STEP = re.compile(r"\.(\w+)|\[(\d+|\.\.\.)\]")
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_LISTS = (list, tuple, set, frozenset, Sequence)
_MAPPINGS = (dict, Mapping)
_NOTHING = (type(None), msgspec.UnsetType)


class Fault(NamedTuple):
    """One fault of a request."""

    pointer: str
    """The place of the fault, as a JSON pointer into the body."""

    detail: str
    code: Code


def faults_of(content: object, shape: object, inside: str = "") -> list[Fault]:
    """
    Return the faults of *content* as *shape*, at most :data:`FAULTS_MAX`, in the body's order.

    Args:
        inside: The pointer of *content* in the body.
    """
    found = (*_names(content, inside), *islice(_walk(content, shape, inside), FAULTS_MAX))
    return list(dict.fromkeys(found))[:FAULTS_MAX]


def refused(found: Sequence[Fault]) -> BadRequest:
    """Return the refusal that names *found*."""
    listed = [each._asdict() for each in found]
    return BadRequest("validation_failed", "the request is invalid", errors=listed)


def fault(message: str, inside: str = "") -> Fault:
    """
    Return the fault in a message of msgspec.

    >>> fault("Object contains unknown field `nam` - at `$.tournament`")
    Fault(pointer='/tournament/nam', detail='Object contains unknown field `nam`', \
code='unknown_field')
    >>> fault("Expected `int`, got `str` - at `$.order[1]`").pointer
    '/order/1'
    """
    found = _PLACE.match(message)
    detail, path = (found["detail"], found["path"] or "") if found else (message, "")
    pointer = inside + "".join("/" + (name or index) for name, index in _STEP.findall(path))
    unknown = _UNKNOWN.fullmatch(detail)
    if unknown is None:
        return Fault(pointer, detail, "invalid_value")
    return Fault(_below(pointer, unknown[1]), detail, "unknown_field")


def _walk(content: object, shape: object, at: str) -> Iterator[Fault]:
    """Yield the faults of *content*. If no part of it is at fault, the whole is."""
    try:
        msgspec.convert(content, shape, strict=True)
    except msgspec.ValidationError as error:
        parts = _within(content, _shape_for(content, shape), at)
        first = next(parts, None)
        yield first or fault(str(error), at)
        yield from parts


def _within(content: object, shape: object, at: str) -> Iterator[Fault]:
    """Yield the faults of the parts of *content*."""
    kind, arguments = get_origin(shape) or shape, get_args(shape)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        if isinstance(content, dict):
            yield from _members(content, kind, at)
    elif kind in _LISTS and isinstance(content, list) and arguments:
        several = kind is not tuple or arguments[-1] is Ellipsis
        for index, item in enumerate(content):
            if several or index < len(arguments):
                wanted = arguments[0] if several else arguments[index]
                yield from _walk(item, wanted, f"{at}/{index}")
    elif kind in _MAPPINGS and isinstance(content, dict) and arguments:
        for name, value in content.items():
            yield from _walk(value, arguments[1], _below(at, name))


def _members(content: dict[str, object], kind: type[msgspec.Struct], at: str) -> Iterator[Fault]:
    config = kind.__struct_config__
    known = {each.encode_name: each for each in fields(kind)}
    for name, value in content.items():
        if name in known:
            yield from _walk(value, known[name].type, _below(at, name))
        elif config.forbid_unknown_fields and name != config.tag_field:
            yield fault(f"Object contains unknown field `{name}`", at)
    for name, each in known.items():
        if each.required and name not in content:
            detail = f"Object missing required field `{name}`"
            yield Fault(_below(at, name), detail, "invalid_value")


def _shape_for(content: object, shape: object) -> object:
    """Return the type meant for *content*: without annotations, and one type of a union."""
    while get_origin(shape) is Annotated or isinstance(shape, NewType):
        shape = shape.__supertype__ if isinstance(shape, NewType) else get_args(shape)[0]
    if get_origin(shape) not in (Union, UnionType):
        return shape
    choices = [_shape_for(content, each) for each in get_args(shape) if each not in _NOTHING]
    if len(choices) == 1:
        return choices[0]
    for each in choices:
        kind = get_origin(each) or each
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            config = kind.__struct_config__
            if isinstance(content, dict) and (
                config.tag_field is None or content.get(config.tag_field) == config.tag
            ):
                return each
        elif isinstance(content, list) and kind in _LISTS:
            return each
    return None


def _names(content: object, at: str) -> Iterator[Fault]:
    """Yield the faults of members ``name``, which are names of something in every body."""
    if isinstance(content, dict):
        for name, value in content.items():
            yield from _names(value, _below(at, name))
        called = content.get("name")
        if isinstance(called, str):
            try:
                named(called)
            except ValueError as error:
                yield Fault(f"{at}/name", str(error), "invalid_value")
    elif isinstance(content, list):
        for index, value in enumerate(content):
            yield from _names(value, f"{at}/{index}")


def _below(pointer: str, name: str) -> str:
    """Return the pointer of a member (RFC 6901)."""
    return f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
