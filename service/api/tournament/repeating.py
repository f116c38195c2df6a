"""The terms of a tournament as an announcement takes them, to announce another like it."""

from typing import Annotated

import msgspec
from litestar import Response

from engine.rulesets import PRESETS, UNLIMITED, preset
from engine.rulesets.differences import differences
from engine.tournament.model.terms.announced import Terms
from engine.tournament.model.terms.formats import Rounds
from service.announcing.defaults import Content
from service.announcing.terms import TournamentWanted
from service.api.http.access.rights import AS_KNOWN, TournamentPlace
from service.api.http.operations import operation
from service.api.http.reading.etags import Tags
from service.base.documents import Document, Json

_OF_ONE_NIGHT = ("season", "starts_at", "registration_opens_at")


class TermsShown(msgspec.Struct, kw_only=True):
    """The terms of a tournament, without members that belong to one evening only."""

    id: str
    """The tournament, `trn_…`."""

    body: Content
    """The body of an announcement, without season, times and masters."""


@operation(
    "GET", "/v1/tournaments/{tournament_id:str}/terms", "read_terms",
    "Read a tournament's terms as an announcement takes them, to announce another like it.",
    needs="read_league", scope="leagues:read", answer=TermsShown,
)  # fmt: skip
async def read_terms(place: Annotated[TournamentPlace, AS_KNOWN], tags: Tags) -> Response[bytes]:
    """Read the terms from the aggregate."""
    shown = TermsShown(id=place.id, body=repeated(place.state.terms))
    return tags.answer(shown, place.loaded.version, whole=True)


def repeated(terms: Terms) -> Content:
    """Return the announcement of another tournament with *terms*, at another time."""
    known = TournamentWanted.__struct_fields__
    whole: Document = msgspec.to_builtins(terms)
    body: Document = {
        name: value
        for name, value in whole.items()
        if name in known and name not in _OF_ONE_NIGHT and value is not None
    }
    body["ruleset"] = terms.ruleset_name
    if terms.ruleset_name in PRESETS:
        body["overrides"] = _overrides(terms)
    floor = dict(body["floor"])
    if floor.pop("last_hands_at", None) is not None and terms.floor.last_hands_at is not None:
        after = terms.floor.last_hands_at - terms.starts_at
        floor["last_hands_after_minutes"] = max(1, round(after.total_seconds() / 60))
    body["floor"] = floor
    if isinstance(terms.format, Rounds):
        body["format"] = dict(body["format"]) | {"starts_at": ()}
    return body


def _overrides(terms: Terms) -> Document:
    """Return the overrides that make the preset of *terms* their ruleset."""
    found: Document = {}
    for each in differences(preset(terms.ruleset_name), terms.ruleset):
        *above, last = each.parameter.split(".")
        if each.parameter == "revision":
            continue  # a new tournament uses the newest one
        inside = found
        for name in above:
            inside = _member(inside, name)
        value: Json = each.other
        if each.parameter == "rebuy.max" and value is None:
            value = UNLIMITED  # a null would take the member away
        inside[last] = value
    return found


def _member(content: Document, name: str) -> Document:
    found = content.setdefault(name, {})
    if not isinstance(found, dict):
        raise TypeError(f"the parameter {name} has both a value and members")
    return found
