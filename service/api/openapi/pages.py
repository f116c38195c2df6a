"""
The pages about the API: its document, a reference to browse, and a page for each problem.

They need no token, and are the same for everybody. Everything that the reference loads comes from
this server: Swagger UI lies in an installed package, of which only two files are served.
"""

import hashlib
from collections.abc import Callable
from functools import cache
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import ParamSpec, TypeVar

import msgspec
from litestar import Response
from litestar.handlers import HTTPRouteHandler

from service.api.http.declaring.declaration import JSON
from service.api.http.operations import operation
from service.api.http.problems.answers import DOCUMENTATION, catalogue
from service.api.http.reading.clients import Address
from service.api.http.reading.encoding import encoded
from service.api.http.reading.etags import Tagging, Tags, not_modified
from service.api.http.shell import Asked
from service.api.http.wire.negotiating import best
from service.api.openapi import answers_with, openapi_document, openapi_json
from service.base import pools
from service.base.errors import StreamNotFound

YAML = "application/yaml"
HTML = "text/html"
_P = ParamSpec("_P")
Made = TypeVar("Made")
_FORMS = (JSON, "text/html")

ASSETS = {
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
    "reference.css": "text/css",
    "start.js": "text/javascript",
    "page.css": "text/css",
}
"""The media type of each file that the pages load."""

_OWN = {
    "start.js": b"""\
SwaggerUIBundle({
  url: "openapi.json", dom_id: "#reference", validatorUrl: null,
  deepLinking: true, docExpansion: "none", filter: true,
});
""",
    "reference.css": b"""\
/* Swagger UI lays out answers as tables. On a phone they would be wider than the page. */
body { margin: 0; }
@media (max-width: 45rem) {
  .swagger-ui .wrapper { padding: 0 0.5rem; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; padding: 0.6rem 0.3rem; }
  .swagger-ui .opblock-tag small { flex-basis: 100%; order: 3; padding: 0; }
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-path-description-wrapper { padding: 0 0.3rem; }
  .swagger-ui .opblock-body { overflow-x: auto; }
  .swagger-ui .opblock-description-wrapper, .swagger-ui .opblock-section-header,
  .swagger-ui .parameters-container, .swagger-ui .responses-inner { padding: 0.5rem; }
  .swagger-ui table.parameters, .swagger-ui table.responses-table { table-layout: fixed; }
  .swagger-ui table.parameters :is(thead, tbody, tr, td),
  .swagger-ui table.responses-table > :is(thead, tbody),
  .swagger-ui table.responses-table > * > tr,
  .swagger-ui table.responses-table > * > tr > td { display: block; width: auto; max-width: none; }
  .swagger-ui table > thead { display: none !important; }
  .swagger-ui .response-col_links, .swagger-ui table.headers { overflow-x: auto; }
  .swagger-ui :is(input, select) { max-width: 100%; }
  .swagger-ui pre, .swagger-ui code { overflow-wrap: anywhere; }
}
""",
    "page.css": b"""\
body { font: 1rem/1.5 sans-serif; margin: 2rem auto; max-width: 45rem; padding: 0 1rem; }
h1 { overflow-wrap: anywhere; }
""",
}

_POLICY = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
        "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
}
_CACHED = {"Cache-Control": "public, max-age=300"}

_REFERENCE = b"""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Holotable API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/assets/swagger-ui.css">
<link rel="stylesheet" href="docs/assets/reference.css">
</head>
<body>
<div id="reference"></div>
<noscript>Read <a href="openapi.json">the document</a> instead.</noscript>
<script src="docs/assets/swagger-ui-bundle.js"></script>
<script src="docs/assets/start.js"></script>
</body>
</html>
"""


class ProblemShown(msgspec.Struct, kw_only=True):
    """The meaning of a problem's code."""

    type: str
    """The path of this page, as in the problem's `type`."""

    code: str
    """The code. It never changes its meaning."""

    status: int
    """The status of the answers that carry the code."""

    title: str
    """The meaning, for people."""

    operations: tuple[str, ...]
    """The operations that may answer with it, by their `operationId`."""


@operation(
    "GET", "/openapi.json", "read_openapi_json", "Read the OpenAPI document as JSON.",
    needs="anyone", answer=str, produces=(JSON,), public=True,
)  # fmt: skip
async def read_openapi_json(address: Address, tags: Tags) -> Response[bytes]:
    """Make the document in a thread at the first request, and keep it."""
    return _kept(tags, await _made(address, _json), JSON)


@operation(
    "GET", "/openapi.yaml", "read_openapi_yaml", "Read the OpenAPI document as YAML.",
    needs="anyone", answer=str, produces=(YAML,), public=True,
)  # fmt: skip
async def read_openapi_yaml(address: Address, tags: Tags) -> Response[bytes]:
    """Answer the text of ``api-spec/openapi.yaml``."""
    return _kept(tags, await _made(address, _yaml), YAML)


@operation(
    "GET", "/docs", "read_reference", "Browse the reference of the API.",
    needs="anyone", answer=str, produces=("text/html",), public=True,
)  # fmt: skip
async def read_reference(tags: Tags) -> Response[bytes]:
    """Answer a page that loads ``/openapi.json``."""
    return _kept(tags, _REFERENCE, HTML)


@operation(
    "GET", "/docs/assets/{name:str}", "read_asset", "Read a file that a page loads.",
    needs="anyone", answer=str, produces=("text/javascript", "text/css"), public=True,
)  # fmt: skip
async def read_asset(address: Address, name: str, tags: Tags) -> Response[bytes]:
    """Answer one of the known files and nothing else of the package."""
    if name not in ASSETS:
        raise StreamNotFound("there is no such file")
    return _kept(tags, await _made(address, _asset, name), ASSETS[name])


@operation(
    "GET", "/problems/{code:str}", "read_problem", "Read what the code of a problem means.",
    needs="anyone", answer=ProblemShown, produces=_FORMS, public=True,
)  # fmt: skip
async def read_problem(request: Asked, address: Address, code: str, tags: Tags) -> Response[bytes]:
    """Answer JSON, or a page if the client likes HTML better."""
    if code not in catalogue():
        raise StreamNotFound("there is no problem with this code")
    status, title = catalogue()[code]
    names = await _made(address, answers_with, code)
    shown = ProblemShown(
        type=f"{DOCUMENTATION}{code}", code=code, status=status, title=title, operations=names
    )
    if best(request.headers.get("accept", ""), _FORMS) == JSON:
        return _kept(tags, encoded(shown).content, JSON)
    return _kept(tags, _page(shown).encode(), HTML)


PAGES: tuple[HTTPRouteHandler, ...] = (
    read_openapi_json,
    read_openapi_yaml,
    read_reference,
    read_asset,
    read_problem,
)
"""The handlers of this module. They are not part of the versioned API."""


async def _made(
    address: str, make: Callable[_P, Made], *args: _P.args, **kwargs: _P.kwargs
) -> Made:
    """Return what *make* makes, in a thread. The document takes too long for the event loop."""
    return await pools.PAGES.run(address, make, *args, **kwargs)


def _kept(tags: Tagging, content: bytes, media: str) -> Response[bytes]:
    """Answer *content*, which caches may keep, or 304 if the client has it."""
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {**_POLICY, **_CACHED, "Vary": "Accept, Accept-Encoding, Origin"}
    if tags.unchanged(tag):
        return not_modified(tag, headers)
    return Response(content, headers={**headers, "ETag": tag}, media_type=media)


@cache
def _json() -> bytes:
    return openapi_json()


@cache
def _yaml() -> bytes:
    return openapi_document().encode()


@cache
def _asset(name: str) -> bytes:
    """Return a file of the pages. The package with Swagger UI is read, and never imported."""
    if name in _OWN:
        return _OWN[name]
    found = find_spec("swagger_ui")
    if found is None or found.origin is None:
        raise StreamNotFound("the package swagger-ui-py is not installed; run `make install`")
    return (Path(found.origin).parent / "static" / name).read_bytes()


def _page(shown: ProblemShown) -> str:
    code, title = escape(shown.code), escape(shown.title)
    routes = "".join(f"<li><code>{escape(name)}</code></li>" for name in shown.operations)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{code}</title>'
        '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">'
        '<link rel="stylesheet" href="../docs/assets/page.css"></head><body>'
        f"<h1><code>{code}</code></h1><p>{title}.</p><p>Status {shown.status}.</p>"
        '<p>These operations of <a href="../docs">the API</a> may answer with it:</p>'
        f"<ul>{routes}</ul></body></html>\n"
    )
