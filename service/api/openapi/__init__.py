"""
The OpenAPI document, made of the declarations that the routes and their checks use.

msgspec makes the schemas from the types that bodies are decoded into and answers are encoded from.
Nothing is written twice: texts stand below the members of these types.
"""

import re

import msgspec
import yaml
from litestar.handlers import HTTPRouteHandler

from service.announcing.overrides import RulesetOverrides
from service.api.examples import request_of
from service.api.http.declaring.declaration import Operation
from service.api.http.writing.rehearsing import WouldChange
from service.api.openapi import headers, outgoing, texts
from service.api.openapi.answers import (
    FAULT,
    PROBLEM,
    codes_of,
    refusals,
    responses,
    shown,
    types_of,
)
from service.api.openapi.components import Components, Undescribed, components
from service.api.openapi.parameters import parameters
from service.api.openapi.repairs import used
from service.api.routes import ROUTES
from service.base.docstrings import members_of
from service.base.documents import Document
from service.base.limits import LimitSettings

VERSION = "1.0.0"
_PARAMETER = re.compile(r"\{(\w+):\w+\}")


def openapi_document() -> str:
    """Return the document as YAML. The same code always gives the same bytes."""
    return yaml.dump(_document(), Dumper=_Whole, sort_keys=True, allow_unicode=True, width=100)


def openapi_json() -> bytes:
    """Return the document as JSON."""
    return msgspec.json.encode(_document(), order="sorted")


def made() -> Components:
    """Return the schemas of all bodies and answers."""
    declared = [_operation_of(handler) for handler in ROUTES]
    return components(
        [*(each.body for each in declared if each.body is not None), RulesetOverrides],
        [
            *(shape for each in declared for shape in types_of(each.answer)),
            WouldChange,
            *outgoing.facts(),
        ],
    )


def _demanded(described: Operation) -> bool:
    """Return whether an empty body is refused. It stands for an object without members."""
    body = described.body
    if not (isinstance(body, type) and issubclass(body, msgspec.Struct)):
        return True
    return any(each.required for each in msgspec.structs.fields(body))


def answers_with(code: str) -> tuple[str, ...]:
    """Return the operations that may answer with the problem *code*."""
    return tuple(
        described.name
        for handler in ROUTES
        for described in (_operation_of(handler),)
        if code in codes_of(described, any(_PARAMETER.search(each) for each in handler.paths))
    )


class _Whole(yaml.CSafeDumper):
    """Writes every part where it stands, without references between parts."""

    def ignore_aliases(self, data: object) -> bool:
        """Return True, because tools show references badly."""
        return True


def _operation_of(handler: HTTPRouteHandler) -> Operation:
    found: Operation = handler.opt["operation"]
    return found


def _document() -> Document:
    shapes = made()
    if shapes.undescribed:
        raise Undescribed(shapes.undescribed)
    paths: Document = {}
    for handler in ROUTES:
        described = _operation_of(handler)
        for path in handler.paths:
            methods = paths.setdefault(_PARAMETER.sub(r"{\1}", path), {})
            methods[described.method.lower()] = _operation(path, handler, described, shapes)
    document: Document = {
        "openapi": "3.1.0",
        "info": {
            "title": "Holotable",
            "version": VERSION,
            "description": texts.INFO,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            "contact": {"name": "Holotable", "url": "https://holotable.example"},
        },
        "servers": [{"url": "/", "description": "The server that serves this document."}],
        "security": [{"bearer": []}],
        "tags": texts.tags(),
        "x-rate-limits": _limits(),
        "paths": paths,
        "webhooks": outgoing.webhooks(shapes.answers),
        "components": {
            "securitySchemes": {
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A token of `POST /v1/tokens`. Each route names its scope in "
                    "`x-required-scope`.",
                }
            },
            "parameters": headers.PARAMETERS,
            "headers": headers.HEADERS,
            "responses": refusals(),
            "schemas": {**shapes.schemas, "Fault": FAULT, "Problem": PROBLEM},
        },
    }
    used(document)
    return document


def _limits() -> Document:
    """Return the limits on one client, by the name of the setting, with their defaults."""
    described = members_of(LimitSettings)
    return {
        each.name: {
            "default": each.default,
            "description": described[each.name],
            "setting": f"HOLOTABLE_{each.name.upper()}",
        }
        for each in msgspec.structs.fields(LimitSettings)
    }


def _operation(
    path: str, handler: HTTPRouteHandler, described: Operation, shapes: Components
) -> Document:
    written: Document = {
        "operationId": described.name,
        "summary": described.summary.removesuffix("."),
        "description": texts.description(described),
        "tags": [texts.tag_of(handler, described)],
        "parameters": parameters(path, described),
        "responses": responses(described, bool(_PARAMETER.search(path)), shapes.answers),
    }
    if described.open:
        written["security"] = [{}, {"bearer": []}]
    if described.scope is not None:
        written["x-required-scope"] = described.scope
    if described.deprecated is not None:
        written["deprecated"] = True
    if described.body is not None:
        schema = shapes.bodies[repr(described.body)]
        written["requestBody"] = {
            "required": _demanded(described),
            "content": {described.takes: {"schema": schema, **shown(request_of(described.name))}},
        }
    return written | outgoing.callbacks_of(described.name)
