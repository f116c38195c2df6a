"""
Preconditions: ``If-Match`` names the version that the caller has read.

An ETag (``service.api.http.reading.etags``) holds the version of the aggregate that the path names
first.
The writer compares it in the order's own turn. So two edits of one version cannot both pass, and a
retry is answered before its version is compared (ADR 0036).
"""

import re

import msgspec
from msgspec.structs import replace

from engine.values import stream_of
from service.api.http.access.rights import KINDS, Place
from service.api.http.declaring.declaration import Further, Method
from service.api.http.reading.etags import version_in
from service.api.http.shell import Asked, operation_of
from service.base.errors import BadRequest, StreamVersionConflict
from service.log.orders import Expected, Order, demand

UNLOGGED = frozenset(
    {
        "sign_receipt", "start_audit", "offer_password_reset", "renew_claim", "issue_claims",
        "make_screen_key", "make_webhook",
    }
)  # fmt: skip
"""Operations that change something beside the log. The writer's turn cannot compare for them."""

ORDERING = frozenset(
    {"make_token", "open_account", "claim_player", "import_members", "import_past_season"}
)
"""The operations whose handlers make their order themselves."""

_FIRST = re.compile(r"[^{]*\{(\w+)")
_PARAMETERS = frozenset(kind.parameter for kind in KINDS.values())
_TAGS = re.compile(r'\s*(?:W/)?"[^"]*"\s*(?:,\s*(?:W/)?"[^"]*"\s*)*')
_TAG = re.compile(r'"[^"]*"')


def as_read(place: Place[msgspec.Struct], order: Order) -> Order:
    """
    Return *order*, which expects the version that was read here unless ``If-Match`` named one.

    This is for changes whose left-out members keep the values read here.
    """
    read = Expected(place.stream, (place.loaded.version,))
    return replace(order, expected=order.expected or read)


def honoured(method: Method, path: str, further: Further) -> Further:
    """Return *further*, with ``If-Match`` honoured by a command on an aggregate."""
    found = _FIRST.match(path)
    if method == "GET" or found is None or found[1] not in _PARAMETERS:
        return further
    return {"precondition": "honoured", **further}


def expected_of(request: Asked, *, rehearse: bool) -> Expected | None:
    """
    Return the versions that the caller's ``If-Match`` names, or None if any version will do.

    ``*`` stands for any version. A dry run needs no ``If-Match``, but honours one.

    Raises:
        BadRequest: ``precondition_required`` if the operation needs the header,
            ``precondition_invalid`` if it is no list of tags.
        StreamVersionConflict: If the path names nothing that has an ETag.
    """
    given = request.headers.get("if-match")
    if given is None:
        if operation_of(request).precondition == "demanded" and not rehearse:
            detail = "read it first, and send its ETag in the header If-Match"
            raise BadRequest("precondition_required", detail)
        return None
    versions = _versions(given)
    if versions is None:
        return None
    name, identifier = next(iter(request.scope["path_params"].items()), ("", ""))
    if name not in _PARAMETERS:
        raise StreamVersionConflict("there is no ETag to compare with: send no If-Match here")
    return Expected(stream_of(identifier), versions)


def compare(request: Asked, place: object) -> None:
    """
    Compare the caller's ``If-Match`` with what the request has loaded, outside any order.

    Args:
        place: The object that the path names, if it names one.

    Raises:
        BadRequest: ``precondition_invalid`` if the header is no list of tags.
        StreamVersionConflict: If the object has another version, or the path names nothing that
            has an ETag.
    """
    given = request.headers.get("if-match")
    versions = None if given is None else _versions(given)
    if versions is None:
        return
    if isinstance(place, Place):
        demand(place.loaded, versions)
    elif request.method not in ("GET", "HEAD"):
        raise StreamVersionConflict("there is no ETag to compare with: send no If-Match here")


def _versions(given: str) -> tuple[int, ...] | None:
    """Return the versions that an ``If-Match`` names, or None for ``*``."""
    if given.strip() == "*":
        return None
    if _TAGS.fullmatch(given) is None:
        raise BadRequest("precondition_invalid", "If-Match is * or a list of quoted ETags")
    found = (version_in(each) for each in _TAG.findall(given))
    return tuple(each for each in found if each is not None)
