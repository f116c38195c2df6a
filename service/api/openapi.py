"""
The OpenAPI document, made from the declarations that the routes and their checks use.

msgspec makes the component schemas from the types that requests are decoded into.
"""

import re

import msgspec
import yaml

from service.api.http.declaration import Operation
from service.api.http.problems import MEDIA_TYPE, catalogue
from service.api.http.queries import Query
from service.api.http.rehearsing import WouldChange
from service.api.routes import ROUTES
from service.base.documents import Document, Json

VERSION = "1.0.0"
_PARAMETER = re.compile(r"\{(\w+):\w+\}")
_ALWAYS = ("internal_error", "store_unavailable", "too_many_requests")
_CLOSED = ("unauthenticated", "forbidden")
_BODY = (
    "validation_failed",
    "invalid_json",
    "invalid_unicode",
    "unsupported_media_type",
    "body_too_large",
)

_PAGE = re.compile(r"\bPage[_\[](\w+)[_\]]")

_PROBLEM: Document = {
    "type": "object",
    "description": "An RFC 9457 problem. Further members are facts that belong to the code.",
    "required": ["type", "title", "status", "detail", "instance", "code"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "instance": {"type": "string"},
        "code": {"type": "string"},
        "errors": {"type": "array", "items": {"type": "object"}},
        "legal_actions": {"type": "array", "items": {"type": "object"}},
    },
}


def openapi_document() -> str:
    """Return the document as YAML. The same code always gives the same bytes."""
    return yaml.safe_dump(_document(), sort_keys=True, allow_unicode=True, width=100)


def _document() -> Document:
    found = [(handler, handler.opt["operation"]) for handler in ROUTES]
    shapes = [
        shape
        for _, described in found
        for shape in (described.body, described.answer)
        if shape is not None
    ] + [WouldChange]
    schemas, components = msgspec.json.schema_components(
        shapes, ref_template="#/components/schemas/{name}"
    )
    by_shape = {repr(shape): _plain(schema) for shape, schema in zip(shapes, schemas, strict=True)}
    paths: Document = {}
    for handler, described in found:
        for path in handler.paths:
            method = next(each for each in sorted(handler.http_methods) if each != "HEAD")
            written = _PARAMETER.sub(r"{\1}", path)
            paths.setdefault(written, {})[method.lower()] = _operation(path, described, by_shape)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Holotable",
            "version": VERSION,
            "description": "League server for Sabacc. Clients ignore unknown members.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            "contact": {"name": "Holotable", "url": "https://holotable.example"},
        },
        "servers": [{"url": "/"}],
        "security": [{"bearer": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
            "schemas": {**_plain(components), "Problem": _PROBLEM},
        },
    }


def _shape_of(query: Query) -> Document:
    """Return the schema of a query parameter's value, with its default."""
    shown: Document = _plain(msgspec.json.schema(query.shape))
    return shown if query.default in (None, "") else {**shown, "default": query.default}


def _plain(schema: Json) -> Json:
    """
    Return *schema* in the form that generators of clients read.

    A pair is an array of two. A default that is an object or an array is left out. A page is named
    after its items.
    """
    if isinstance(schema, list):
        return [_plain(each) for each in schema]
    if isinstance(schema, str):
        return _PAGE.sub(r"\1Page", schema)
    if not isinstance(schema, dict):
        return schema
    plain = {
        _PAGE.sub(r"\1Page", name): _plain(held)
        for name, held in schema.items()
        if name != "default" or not isinstance(held, dict | list | tuple)
    }
    if plain.get("items") is False:
        parts = plain.pop("prefixItems")
        same = all(each == parts[0] for each in parts)
        plain["items"] = parts[0] if same else {"anyOf": parts}
    return plain


def _operation(path: str, described: Operation, by_shape: Document) -> Document:
    parameters: list[Document] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in _PARAMETER.findall(path)
    ]
    parameters += [
        {
            "name": each.name,
            "in": "query",
            "required": each.required,
            "description": each.about,
            "schema": _shape_of(each),
        }
        for each in described.query
    ]
    if described.body is not None:
        parameters.append(
            {
                "name": "Idempotency-Key",
                "in": "header",
                "required": described.key_required,
                "schema": {"type": "string", "maxLength": 255},
            }
        )
    written: Document = {
        "operationId": described.name,
        "summary": described.summary,
        "parameters": parameters,
        "responses": _responses(path, described, by_shape),
    }
    if described.open:
        written["security"] = [{}, {"bearer": []}]
    if described.scope is not None:
        written["x-required-scope"] = described.scope
    if described.body is not None:
        schema = by_shape[repr(described.body)]
        written["requestBody"] = {"content": {described.takes: {"schema": schema}}}
    return written


def _responses(path: str, described: Operation, by_shape: Document) -> Document:
    codes = {*_ALWAYS, *described.problems}
    if not described.open:
        codes |= {*_CLOSED}
    if described.body is not None:
        codes |= {*_BODY, "idempotency_key_reused", "idempotency_key_invalid"}
    if described.key_required:
        codes.add("idempotency_key_required")
    if _PARAMETER.search(path):
        codes.add("not_found")
    by_status: dict[int, list[str]] = {}
    known = catalogue()
    for code in sorted(codes):
        by_status.setdefault(known[code][0], []).append(code)
    success: Document = {"description": "Done."}
    if described.answer is not None:
        success["content"] = {described.media: {"schema": by_shape[repr(described.answer)]}}
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        **_tried(described, success, by_shape),
        **{
            str(status): {
                "description": "Codes: " + ", ".join(listed) + ".",
                "content": {MEDIA_TYPE: {"schema": schema}},
            }
            for status, listed in sorted(by_status.items())
        },
    }


def _tried(described: Operation, success: Document, by_shape: Document) -> Document:
    """Return the success responses by status. A route with a dry run also answers 200."""
    done = {str(described.status): success}
    if not described.dry_run:
        return done
    tried = by_shape[repr(WouldChange)]
    if described.status == 200:
        tried = {"oneOf": [success["content"][described.media]["schema"], tried]}
    content = {described.media: {"schema": tried}}
    return done | {"200": {"description": "The changes found by a dry run.", "content": content}}
