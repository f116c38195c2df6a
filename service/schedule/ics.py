"""Calendars in the format of RFC 5545, with stable identifiers and growing sequence numbers."""

from collections.abc import Iterable
from datetime import UTC, datetime

from engine.league.describing import Face
from service.schedule.items import ScheduledItem
from service.schedule.listing import expected_end

MEDIA_TYPE = "text/calendar"

NOTHING = Face()
"""The description of a league that has written none, or of several leagues."""

_OCTETS_MAX = 75
_STATUSES = {"planned": "TENTATIVE", "cancelled": "CANCELLED", "missed": "CANCELLED"}


def calendar(name: str, items: Iterable[ScheduledItem], usually: Face = NOTHING) -> bytes:
    """
    Return a calendar called *name*. The same arguments give the same bytes.

    Args:
        usually: The league's description. It gives the events their text and page. It also gives a
            place and a length to those that have none of their own.
    """
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Holotable//Holotable//EN",
        "CALSCALE:GREGORIAN",
        f"NAME:{_text(name)}",
        f"X-WR-CALNAME:{_text(name)}",
        "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
    ]
    for item in items:
        lines += _event(item, usually)
    lines.append("END:VCALENDAR")
    return b"".join(_folded(line) for line in lines)


def _event(item: ScheduledItem, usually: Face) -> list[str]:
    place = item.place or usually.place
    written = [
        "BEGIN:VEVENT",
        f"UID:{item.uid}",
        f"DTSTAMP:{_instant(item.since)}",
        f"SEQUENCE:{item.sequence}",
        f"STATUS:{_STATUSES.get(item.standing, 'CONFIRMED')}",
        f"DTSTART:{_instant(item.starts_at)}",
        f"SUMMARY:{_text(item.name)}",
    ]
    ends_at = expected_end(item.starts_at, item.length_seconds, usually.length_seconds)
    if ends_at is not None:
        written.append(f"DTEND:{_instant(ends_at)}")
    if place is not None:
        written.append(f"LOCATION:{_text(place)}")
    if usually.description is not None:
        written.append(f"DESCRIPTION:{_text(usually.description)}")
    if usually.url is not None:
        written.append(f"URL:{usually.url}")
    if item.tournament is not None:
        written.append(f"X-HOLOTABLE-TOURNAMENT:{item.tournament}")
    return [*written, "END:VEVENT"]


def _instant(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    return escaped.replace("\r\n", "\\n").replace("\n", "\\n")


def _folded(line: str) -> bytes:
    """Return a content line, folded at 75 octets without splitting a character."""
    parts: list[bytes] = []
    part = b""
    for character in line:
        octets = character.encode()
        room = _OCTETS_MAX if not parts else _OCTETS_MAX - 1
        if len(part) + len(octets) > room:
            parts.append(part)
            part = b""
        part += octets
    parts.append(part)
    return b"\r\n ".join(parts) + b"\r\n"
