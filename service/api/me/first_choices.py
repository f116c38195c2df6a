"""The language and the zone of notices for a person who has not chosen them."""

from typing import Annotated
from zoneinfo import available_timezones

from msgspec import Meta

from service.api.http.reading.bodies import invalid
from service.base.languages import Language
from service.notices.preferences import Preferences

Zone = Annotated[str, Meta(max_length=64)]
"""A zone of the time zone database, such as ``Europe/Berlin``."""


def demand_zone(zone: str) -> None:
    """
    Check a zone that a client named.

    Raises:
        BadRequest: ``validation_failed``, if there is no such zone.
    """
    if zone not in available_timezones():
        raise invalid("Expected a zone of the time zone database - at `$.zone`")


def first_choice(language: Language, zone: str | None) -> Preferences:
    """
    Return the choices of a person who has made none, from what the person's client says.

    Raises:
        BadRequest: ``validation_failed``, if there is no such zone.
    """
    if zone is None:
        return Preferences(language=language)
    demand_zone(zone)
    return Preferences(language=language, zone=zone)
