"""
The words of notices, in the language and the zone of the person.

A notice says what happened, what to do, and until when. People choose the names of tournaments and
leagues, so no name reaches a header unchecked.
"""

from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_time

from service.base.languages import N_, Language, texts
from service.notices.about import About
from service.notices.kinds import Kind
from service.notices.letters import Letter
from service.notices.preferences import Preferences

_WORDS: Final[dict[Kind, tuple[str, str]]] = {
    "check_in_open": (
        N_("{name}: check-in is open"),
        N_("Check-in for {name} is open. Say that you are here, or your place may become free."),
    ),
    "start_changed": (
        N_("{name}: the start waits"),
        N_(
            "Too few players were there, so {name} begins later: {until}. If it has a check-in, "
            "check in again."
        ),
    ),
    "seat_drawn": (
        N_("{name}: your seat"),
        N_("Your seat in {name} is seat {seat} at table {number}."),
    ),
    "place_offered": (
        N_("{name}: a place for you"),
        N_("A place in {name} is free. It is yours if you accept it by {until}."),
    ),
    "your_turn": (
        N_("{name}: your turn"),
        N_("Table {number} of {name} waits for you until {until}. Then the clock answers for you."),
    ),
    "result": (
        N_("{name}: the result"),
        N_("{name} is over. Your place: {place}."),
    ),
    "dispute": (
        N_("A dispute that concerns you"),
        N_("Somebody has filed a claim about {name} in {league}, and you played in it."),
    ),
    "audit_failed": (
        N_("An audit of {league} has failed"),
        N_(
            "An audit of {league} found something that does not fit together. Read its report "
            "before the next evening."
        ),
    ),
}
_VARIANTS: Final[dict[Kind, tuple[str, str]]] = {
    "start_changed": (
        N_("{name} is cancelled"),
        N_("{name} is cancelled. Its page says why."),
    ),
    "result": (
        N_("{name}: the result was corrected"),
        N_("The result of {name} was corrected. Your place is now: {place}."),
    ),
    "dispute": (
        N_("A ruling that concerns you"),
        N_("There is a ruling on a claim about {name} in {league}."),
    ),
}
_SEASON: Final = N_("the season's standings")

_OPEN: Final = N_("Open it: {link}")
_WHY: Final = N_(
    "You get this mail because your account at {place} has this address. To get no more mails of "
    "this kind, open this page: {link}"
)


def told(kind: Kind, about: About, chosen: Preferences) -> Letter:
    """Return the subject and the body of a notice."""
    written = _VARIANTS[kind] if about.variant and kind in _VARIANTS else _WORDS[kind]
    found = texts(chosen.language)
    values = {
        "name": about.name or found.gettext(_SEASON),
        "league": about.league_name,
        "seat": str(about.seat),
        "number": str(about.number),
        "place": str(about.place),
        "until": "" if about.until is None else instant(about.until, chosen),
    }
    subject, body = (found.gettext(each).format(**values) for each in written)
    return Letter(subject, body)


def with_link(letter: Letter, language: Language, link: str) -> Letter:
    """Return a letter with a link to the page where the person can act."""
    line = texts(language).gettext(_OPEN).format(link=link)
    return Letter(letter.subject, f"{letter.body}\n\n{line}")


def with_reason(letter: Letter, language: Language, place: str, link: str) -> Letter:
    """Return a letter with the reason why it comes, and how to stop such letters."""
    line = texts(language).gettext(_WHY).format(place=place, link=link)
    return Letter(letter.subject, f"{letter.body}\n\n-- \n{line}")


def instant(at: datetime, chosen: Preferences) -> str:
    """Return an instant in words, in the person's language and zone."""
    local = at.astimezone(ZoneInfo(chosen.zone))
    day = format_date(local, "full", locale=chosen.language)
    return f"{day}, {format_time(local, 'short', locale=chosen.language)} ({chosen.zone})"
