"""A message in the form that a channel of Discord shows."""

import re
from datetime import datetime

import msgspec

from service.base.documents import Document
from service.webhooks.kinds import KINDS, TRIAL, TRIED
from service.webhooks.messages import Message

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~@:])")
_SAYS: dict[str, str] = {name: kind.says for name, kind in KINDS.items()} | {TRIED: TRIAL[0]}
_TITLE_MAX = 256
"""Characters of a title. Discord refuses a message with a longer one."""

_FOOTERS = ("hand", "tournament", "season", "dispute", "webhook")


class _Shown(msgspec.Struct, kw_only=True):
    """The facts that are shown. Each kind has some of them."""

    name: str | None = None
    starts_at: datetime | None = None
    place: int | None = None
    level: int | None = None
    round: int | None = None


def discord_of(body: str) -> bytes:
    """Return the message of *body* as Discord takes it. It mentions nobody."""
    message = msgspec.json.decode(body, type=Message)
    facts = msgspec.json.decode(message.data, type=_Shown)
    known: Document = msgspec.json.decode(message.data)
    says = _SAYS[message.type]
    name = None if facts.name is None else _plain(facts.name)
    embed: Document = {
        # Each character may need an escape before it.
        "title": _plain((facts.name or "Holotable")[: _TITLE_MAX // 2]),
        "description": says,
        "timestamp": message.timestamp.isoformat(),
        "footer": {"text": next((known[each] for each in _FOOTERS if each in known), "")},
        "fields": [
            {"name": title, "value": value, "inline": True} for title, value in _fields(facts)
        ],
    }
    return msgspec.json.encode(
        {
            "content": says if name is None else f"**{name}**: {says}",
            "embeds": [embed],
            "allowed_mentions": {"parse": []},
        }
    )


def _fields(facts: _Shown) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if facts.starts_at is not None:
        # Discord shows such a mark as the reader's local time.
        found.append(("Start", f"<t:{round(facts.starts_at.timestamp())}:F>"))
    numbers = (("Place", facts.place), ("Level", facts.level), ("Round", facts.round))
    return found + [(title, str(number)) for title, number in numbers if number is not None]


def _plain(text: str) -> str:
    """Return *text* escaped, so that Discord finds no mark-up in it."""
    return _MARKDOWN.sub(r"\\\1", text)
