"""Path parameters, query parameters and header parameters of the routes."""

import re

import msgspec

from service.api.http.declaring.declaration import Operation
from service.api.http.declaring.queries import Query
from service.api.openapi import headers
from service.api.openapi.repairs import as_markdown, repaired
from service.base.documents import Document

_PARAMETER = re.compile(r"\{(\w+):\w+\}")


def _id(prefix: str) -> Document:
    return {
        "type": "string",
        "pattern": f"^{prefix}_[0-9a-f]{{32}}$",
        "example": f"{prefix}_{'0' * 31}1",
    }


PATHS: dict[str, tuple[Document, str]] = {
    "league_id": (_id("lge"), "The league."),
    "season_id": (_id("ssn"), "The season."),
    "tournament_id": (_id("trn"), "The tournament."),
    "table_id": (_id("tbl"), "The table."),
    "hand_id": (_id("hnd"), "The hand."),
    "player_id": (_id("plr"), "The player."),
    "entrant_id": (_id("ent"), "The entry of a player in the tournament."),
    "dispute_id": (_id("dsp"), "The dispute."),
    "adjustment_id": (_id("adj"), "The adjustment of points."),
    "recurrence_id": (_id("rec"), "The recurring tournament."),
    "template_id": (_id("tpl"), "The template."),
    "text_id": (_id("txt"), "The text."),
    "token_id": (_id("tok"), "The token."),
    "key_id": (_id("cal"), "The calendar key."),
    "screen_key_id": (_id("scr"), "The screen key."),
    "operation_id": (_id("opr"), "The operation that an earlier answer named."),
    "claim_id": (_id("cnf"), "The confidential claim."),
    "webhook_id": (_id("whk"), "The webhook."),
    "subscription_id": (_id("psh"), "The subscription of a browser."),
    "opt_out": ({"type": "string"}, "The code from a mail."),
    "delivery_id": (_id("dlv"), "The delivery of a message to a webhook."),
    "invitation_id": (
        {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "The invitation, as the list of invitations names it.",
    ),
    "code": ({"type": "string"}, "The code of the invitation."),
    "ruleset_id": ({"type": "string", "example": "better"}, "The name of the preset."),
    "number": ({"type": "integer", "minimum": 1}, "The number of the offer, from 1."),
    "occurrence": (
        {"type": "string", "example": "2026-12-29T19:00"},
        "The local time of the occurrence, as its rule names it.",
    ),
}
"""The schema and the text of each path parameter. Their names mean the same on every route."""


def parameters(path: str, described: Operation) -> list[Document]:
    """Return the parameters of a route."""
    return [
        *(_in_path(name) for name in _PARAMETER.findall(path)),
        *(_in_query(each) for each in described.query),
        *({"$ref": f"#/components/parameters/{name}"} for name in headers.asked(described)),
    ]


def _in_path(name: str) -> Document:
    schema, text = PATHS[name]
    return {"name": name, "in": "path", "required": True, "description": text, "schema": schema}


def _in_query(query: Query) -> Document:
    schema: Document = repaired(msgspec.json.schema(query.shape))
    if query.default not in (None, ""):
        schema = {**schema, "default": query.default}
    return {
        "name": query.name,
        "in": "query",
        "required": query.required,
        "description": as_markdown(query.about),
        "schema": schema,
    }
