"""The messages that leave the service, made of the table of their kinds."""

import msgspec

from service.base.documents import Document
from service.webhooks.kinds import KINDS, TRIAL, TRIED

_HEADERS = {
    "webhook-id": (
        {"type": "string", "pattern": "^dlv_[0-9a-f]{32}$"},
        "The delivery. It is the same in every attempt to send this message.",
    ),
    "webhook-timestamp": (
        {"type": "integer"},
        "The instant of the attempt, in seconds since 1970.",
    ),
    "webhook-signature": (
        {"type": "string"},
        "Signatures after Standard Webhooks, separated by spaces: `v1,…` or `v1a,…`.",
    ),
}
_PARAMETERS: list[Document] = [
    {"name": each, "in": "header", "required": True, "description": text, "schema": schema}
    for each, (schema, text) in _HEADERS.items()
]
_TIMESTAMP: Document = {
    "type": "string",
    "format": "date-time",
    "description": "The instant of the event.",
}
_RESPONSES: Document = {
    "2XX": {"description": "The message was received."},
    "410": {"description": "The receiver is gone for good. The webhook is disabled."},
    "default": {"description": "The message is sent again later."},
}


def facts() -> list[type[msgspec.Struct]]:
    """Return the types of the contents of all messages, each once."""
    return list(dict.fromkeys([*(kind.facts for kind in KINDS.values()), TRIAL[1]]))


def webhooks(shapes: Document) -> Document:
    """
    Return the message of each kind.

    Args:
        shapes: The schemas of contents, by the ``repr`` of their type.
    """
    known = [(name, kind.says, kind.facts) for name, kind in KINDS.items()]
    return {
        name: {"post": _message(name, says, shapes[repr(shape)])}
        for name, says, shape in [*known, (TRIED, *TRIAL)]
    }


_CALLING = ("make_webhook",)
"""The operations that name an address to which messages are sent later."""


def callbacks_of(operation: str) -> Document:
    """Return the member ``callbacks`` of an operation, or no member."""
    if operation not in _CALLING:
        return {}
    content = {
        "type": "object",
        "required": ["type", "timestamp", "data"],
        "properties": {
            "type": {
                "type": "string",
                "enum": [*KINDS, TRIED],
                "description": "The kind of the message. There will be more kinds.",
            },
            "timestamp": _TIMESTAMP,
            "data": {
                "type": "object",
                "description": "The facts of this kind, as in the webhook of the same name.",
                "additionalProperties": True,
            },
        },
    }
    sent: Document = {
        "operationId": "receive_message",
        "summary": "Receive a message of a kind that the webhook subscribes to",
        "description": "Each kind has its own entry in `webhooks`, with the shape of its `data`.",
        "tags": ["Webhooks"],
        "security": [{}],
        "parameters": _PARAMETERS,
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": content}},
        },
        "responses": _RESPONSES,
    }
    return {"callbacks": {"message": {"{$request.body#/url}": {"post": sent}}}}


def _message(name: str, says: str, data: Document) -> Document:
    return {
        "operationId": "on_" + name.replace(".", "_"),
        "summary": says.removesuffix("."),
        "description": f"{says} Sent to webhooks that subscribe to `{name}`."
        if name != TRIED
        else f"{says} Every webhook gets this message.",
        "tags": ["Webhooks"],
        "security": [{}],
        "parameters": _PARAMETERS,
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": _schema(name, data)}},
        },
        "responses": _RESPONSES,
    }


def _schema(name: str, data: Document) -> Document:
    return {
        "type": "object",
        "required": ["type", "timestamp", "data"],
        "properties": {
            "type": {
                "type": "string",
                "enum": [name],
                "description": "The kind of the message.",
            },
            "timestamp": _TIMESTAMP,
            "data": data,
        },
    }
