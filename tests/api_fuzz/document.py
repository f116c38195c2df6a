"""The API's document with the identifiers of one league, so that requests reach its code."""

import json

from service.api.examples import ids
from service.base.documents import Document
from tests.service.api.matrix import NAMED, QUERIES, World

UNSENT = {"cursor", "after", "as_of", "min_position", "Min-Position", "Last-Event-ID", "wait"}
"""
Optional parameters that are not sent. Only an earlier answer can give most of them, and none of
these has a form of its own that a schema could tell. ``wait`` costs only time.
"""

OWN = {("bundle_season", "entrant")}
"""A parameter that must name an entry of the caller's own. The league has none that counts."""


def with_identifiers(document: Document, world: World, caller: str) -> Document:
    """
    Let parameters and examples name what is in *world*.

    A request that breaks a pattern on purpose still breaks it. An edit's ``If-Match`` accepts any
    version, because a tool cannot know the version that it is about to read.
    """
    text = json.dumps(document)
    for example, place in NAMED.items():
        text = text.replace(example, place.format_map(world.names))
    known: Document = json.loads(text.replace(ids.STRANGER, world.names["entrant_id"]))
    parts = known["components"]
    for name in ("If-Match", "If-Match-Optional"):
        parts["parameters"][name]["schema"] = {"type": "string", "enum": ["*"]}
    parts["schemas"]["ErasureWanted"]["properties"]["player"]["enum"] = [caller]
    for path in known["paths"].values():
        for operation in path.values():
            operation["parameters"] = [
                _narrowed(operation["operationId"], parameter, world)
                for parameter in operation.get("parameters", ())
                if _name(parameter) not in UNSENT
                and (operation["operationId"], _name(parameter)) not in OWN
            ]
    return known


def _name(parameter: Document) -> str:
    return str(parameter.get("name") or parameter["$ref"].rpartition("/")[2])


def _narrowed(operation: str, parameter: Document, world: World) -> Document:
    name = _name(parameter)
    values: list[str] = []
    if parameter.get("in") == "path":
        values = [world.names[name], *([world.coming] if name == "tournament_id" else [])]
    elif name in QUERIES.get(operation, {}):
        values = [QUERIES[operation][name].format_map(world.names)]
    if not values:
        return parameter
    whole = parameter["schema"].get("type") == "integer"
    return parameter | {
        "schema": {
            "type": "integer" if whole else "string",
            "enum": [int(each) if whole else each for each in values],
        }
    }
