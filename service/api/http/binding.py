"""
The parameters of handlers, and the functions that provide them from a request.

A handler names what it needs in its signature and is given exactly that. Signatures are read once,
when the module is imported. A handler that asks for something its declaration does not give stops
the start.

Parameters are provided from left to right, which is also the order of refusals. ``body, place,
order`` checks the body first, then the rights, then the key.
"""

import inspect
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType, UnionType
from typing import Annotated, TypeGuard, get_args, get_origin, get_type_hints

import msgspec
from litestar import Response
from litestar.response import Stream

from service.api.http.access.rights import AS_KNOWN, BELIEVED, KINDS, Place, reach
from service.api.http.declaring.by import By
from service.api.http.declaring.declaration import Body, Operation
from service.api.http.declaring.queries import Query, demand_known
from service.api.http.reading.bodies import read_body
from service.api.http.reading.etags import tagging
from service.api.http.reading.event_versions import event_set
from service.api.http.reading.positions import BEHIND
from service.api.http.shell import Asked, Shell, principal_of, shell_of
from service.api.http.writing.preconditions import ORDERING, UNLOGGED, compare
from service.api.http.writing.rehearsing import tried
from service.api.http.writing.submitting import Order, key_of, order_of
from service.log.rehearsal import Rehearsed
from service.people.tokens import Principal

Answer = Response[bytes] | Stream | None
Handler = Callable[..., Awaitable[Answer]]

_PARAMETER = re.compile(r"\{(\w+):str\}")


@dataclass(slots=True)
class _Given:
    """A request and the values that have been read from it."""

    request: Asked
    raw: bytes = b""
    """The canonical bytes of the body, once it has been read."""

    values: dict[str, object] = field(default_factory=dict)
    """The values already provided to the handler, by parameter name."""


_EMPTY: Mapping[str, str] = MappingProxyType({})
_Provide = Callable[[_Given], Awaitable[object]]


def bound(
    declared: Operation, path: str, handler: Handler
) -> tuple[Operation, Callable[[Asked], Awaitable[Answer]]]:
    """
    Return the declaration with the body that *handler* takes, and the function that answers.

    Raises:
        TypeError: If *handler* asks for something that the declaration does not give.
    """
    asked = _asked(handler)
    described = _with_query(_with_body(declared, asked.get("body")), asked)
    described = _with_providers(described, set(_providers(asked)))
    _demand_order(described, tuple(asked))
    steps = _steps(described, _PARAMETER.findall(path), asked)
    first = None if "body" in asked else _struct(described)
    unordered = "order" not in asked and described.name not in ORDERING
    compares = unordered or described.name in UNLOGGED
    known = described.query_names
    keyed = described.changes and "order" not in asked

    async def provided(request: Asked) -> Answer:
        if request.scope["query_string"]:
            demand_known(known, request.scope["query_string"])
        if keyed:
            key_of(request)  # it has its form even if no order is made
        given = _Given(request)
        if first is not None:
            _, given.raw = await read_body(request, first)
        for name, provide in steps:
            given.values[name] = await provide(given)
        if compares:
            compare(request, given.values.get("place"))
        answer = await handler(**given.values)
        if BEHIND in request.scope["state"] and answer is not None:
            answer.headers[BEHIND] = "true"
        if described.deprecated is not None and answer is not None:
            answer.headers.update(described.deprecated.headers)
        return answer

    async def rehearsed(request: Asked) -> Answer:
        try:
            return await provided(request)
        except Rehearsed as found:
            return await tried(request, found)

    answered = rehearsed if described.dry_run else provided
    answered.__name__, answered.__doc__ = handler.__name__, handler.__doc__
    answered.__module__ = handler.__module__
    answered.__annotations__ = {"request": Asked, "return": get_type_hints(handler)["return"]}
    return described, answered


def _struct(described: Operation) -> Body | None:
    """Return the type of a JSON body, or None. A handler reads other bodies itself."""
    body = described.body
    if body is None or isinstance(body, UnionType):
        return body
    return body if issubclass(body, msgspec.Struct) else None


def _asked(function: Callable[..., Awaitable[object]]) -> dict[str, object]:
    """Return the annotations of a function's parameters, in order."""
    hints = get_type_hints(function, include_extras=True)
    return {name: hints[name] for name in inspect.signature(function).parameters}


def _with_body(declared: Operation, wanted: object) -> Operation:
    """
    Return the declaration with the type of the handler's parameter ``body``.

    Raises:
        TypeError: If the declaration already names a body, or the type is not a struct.
    """
    if wanted is None:
        return declared
    if declared.body is not None:
        raise TypeError(f"{declared.name} says twice which body it takes")
    if isinstance(wanted, UnionType):
        if all(_is_struct(each) for each in get_args(wanted)):
            return replace(declared, body=wanted)
    elif _is_struct(wanted):
        return replace(declared, body=wanted)
    raise TypeError(f"{declared.name} takes a body that is not a struct")


def _is_struct(shape: object) -> TypeGuard[type[msgspec.Struct]]:
    return isinstance(shape, type) and issubclass(shape, msgspec.Struct)


def _with_query(declared: Operation, asked: dict[str, object]) -> Operation:
    """Return the declaration with the query parameters that the handler's parameters need."""
    named = {each.name: each for each in (*declared.query, *_queries(asked))}
    return replace(declared, query=tuple(named.values()))


def _queries(asked: dict[str, object]) -> Iterator[Query]:
    """Yield the query parameters that these parameters need, and those of their functions."""
    yield from (hint for hint in _hints(asked) if isinstance(hint, Query))
    for by in _bys(asked):
        yield from _queries(_asked(by.function))


def _with_providers(declared: Operation, by: set[Callable[..., Awaitable[object]]]) -> Operation:
    """Return the declaration with what follows from the functions that provide parameters."""
    return replace(declared, etag=tagging in by, events=event_set in by)


def _providers(asked: dict[str, object]) -> Iterator[Callable[..., Awaitable[object]]]:
    """Yield the functions that provide parameters, and those that provide theirs."""
    for by in _bys(asked):
        yield by.function
        yield from _providers(_asked(by.function))


def _bys(asked: dict[str, object]) -> Iterator[By]:
    return (hint for hint in _hints(asked) if isinstance(hint, By))


def _hints(asked: dict[str, object]) -> Iterator[object]:
    for wanted in asked.values():
        yield from get_args(wanted)[1:] if get_origin(wanted) is Annotated else ()


def _demand_order(described: Operation, names: tuple[str, ...]) -> None:
    """
    Check that the handler's parameters allow its order to be made.

    Raises:
        TypeError: If a dry run has no order, an open route has one, or the order comes before the
            body.
    """
    if "order" not in names:
        if described.dry_run:
            raise TypeError(f"{described.name} has a dry run but takes no order")
        return
    if described.open:
        raise TypeError(f"{described.name} is open, so its order would have no actor")
    if "body" in names and names.index("body") > names.index("order"):
        raise TypeError(f"{described.name} takes its order before the body")


def _steps(
    described: Operation, parts: list[str], asked: dict[str, object]
) -> list[tuple[str, _Provide]]:
    return [(name, _provider(described, parts, name, wanted)) for name, wanted in asked.items()]


def _provider(described: Operation, parts: list[str], name: str, wanted: object) -> _Provide:
    """
    Return the function that provides the parameter *name*, annotated *wanted*.

    Raises:
        TypeError: If no function provides it.
    """
    shape, *hints = get_args(wanted) if get_origin(wanted) is Annotated else (wanted,)
    for hint in hints:
        if isinstance(hint, Query):
            return _query(hint)
        if isinstance(hint, By):
            return _found(hint, _steps(described, parts, _asked(hint.function)))
    if get_origin(shape) is Place:
        return _reached(described, parts, shape, hints)
    if name in parts and wanted is str:
        return _part(name)
    struct = _struct(described)
    if name == "body" and struct is not None:
        return _body(struct)
    if wanted is Principal and described.open:
        raise TypeError(f"{described.name} is open, so there may be no principal")
    if (name, wanted) not in _PLAIN:
        raise TypeError(f"{described.name} gives no {name}: {wanted}")
    return _PLAIN[name, wanted]


def _found(by: By, steps: list[tuple[str, _Provide]]) -> _Provide:
    async def provide(given: _Given) -> object:
        known = given.values
        return await by.function(
            **{name: known[name] if name in known else await each(given) for name, each in steps}
        )

    return provide


def _reached(
    described: Operation, parts: list[str], shape: object, hints: list[object]
) -> _Provide:
    """Return the function that loads the object named by the first parameter of the path."""
    kind = KINDS.get(get_args(shape)[0])
    if kind is None or not parts or parts[0] != kind.parameter:
        raise TypeError(f"the path of {described.name} does not lead to {shape}")
    if described.capability is None:
        raise TypeError(f"{described.name} asks for no role, and looks into a league")
    parameter, fresh, believe = kind.parameter, AS_KNOWN not in hints, BELIEVED in hints

    async def provide(given: _Given) -> object:
        identifier = given.request.scope["path_params"][parameter]
        return await reach(given.request, identifier, kind, fresh=fresh, believe=believe)

    return provide


def _part(name: str) -> _Provide:
    async def provide(given: _Given) -> object:
        return given.request.scope["path_params"][name]

    return provide


def _query(query: Query) -> _Provide:
    async def provide(given: _Given) -> object:
        if not given.request.scope["query_string"]:
            return query.of(_EMPTY)
        return query.of(given.request.query_params)

    return provide


def _body(shape: Body) -> _Provide:
    async def provide(given: _Given) -> object:
        body, given.raw = await read_body(given.request, shape)
        return body

    return provide


async def _order(given: _Given) -> object:
    return order_of(given.request, given.raw)


async def _now(given: _Given) -> object:
    return shell_of(given.request).now()


async def _shell(given: _Given) -> object:
    return shell_of(given.request)


async def _principal(given: _Given) -> object:
    return principal_of(given.request)


async def _request(given: _Given) -> object:
    return given.request


async def _raw(given: _Given) -> object:
    return given.raw


_PLAIN: dict[tuple[str, object], _Provide] = {
    ("order", Order): _order,
    ("now", datetime): _now,
    ("shell", Shell): _shell,
    ("principal", Principal): _principal,
    ("request", Asked): _request,
    ("raw", bytes): _raw,
}
"""The providers that every route has, by name and type. ``raw`` is the canonical body."""
