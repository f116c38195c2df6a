"""Static files, the icon and the manifest."""

from litestar import Response

from service.api.http.reading.etags import matches, not_modified
from service.api.http.wire.negotiating import takes_gzip
from service.console.asking import Ask
from service.console.assets import Asset, assets, digest
from service.console.calling import Problem
from service.console.declaring import page

_YEAR = "public, max-age=31536000, immutable"
_SHORT = "public, max-age=300"


@page("/static/{version:str}/{name:str}", open=True, file=True)
async def read_static(ask: Ask, version: str, name: str) -> Response[bytes]:
    """Answer a file. A copy under an old digest is kept only for a while."""
    return _found(ask, version, name)


@page("/static/{version:str}/{folder:str}/{name:str}", open=True, file=True)
async def read_static_in_folder(ask: Ask, version: str, folder: str, name: str) -> Response[bytes]:
    """Answer a file of a folder."""
    return _found(ask, version, f"{folder}/{name}")


@page("/static/{version:str}/{folder:str}/{inner:str}/{name:str}", open=True, file=True)
async def read_static_deeper(
    ask: Ask, version: str, folder: str, inner: str, name: str
) -> Response[bytes]:
    """Answer a file of a folder in a folder."""
    return _found(ask, version, f"{folder}/{inner}/{name}")


@page("/favicon.ico", open=True, file=True)
async def favicon(ask: Ask) -> Response[bytes]:
    """Answer the icon, for browsers that ask for it by its old name."""
    return _sent(ask, assets()["favicon.svg"], _SHORT)


@page("/service-worker.js", open=True, file=True)
async def service_worker(ask: Ask) -> Response[bytes]:
    """Answer the script that shows push messages. It must lie above the pages it serves."""
    return _sent(ask, assets()["js/service-worker.js"], "private, no-store")


@page("/manifest.webmanifest", open=True, file=True)
async def manifest(ask: Ask) -> Response[bytes]:
    """Answer the manifest that a phone needs to install the console."""
    return _sent(ask, assets()["holotable.webmanifest"], _SHORT)


def _found(ask: Ask, version: str, path: str) -> Response[bytes]:
    asset = assets().get(path)
    if asset is None:
        raise Problem(404, {"code": "not_found"})
    return _sent(ask, asset, _YEAR if version == digest() else _SHORT)


def _sent(ask: Ask, asset: Asset, kept: str) -> Response[bytes]:
    headers = {"Cache-Control": kept, "Vary": "Accept-Encoding", "ETag": asset.etag}
    known = ask.request.headers.get("if-none-match")
    if known is not None and matches(known, asset.etag):
        return not_modified(asset.etag, headers)
    content = asset.content
    if asset.compressed is not None and takes_gzip(ask.request.headers.get("accept-encoding", "")):
        content = asset.compressed
        headers["Content-Encoding"] = "gzip"
    return Response(content, headers=headers, media_type=asset.media)
