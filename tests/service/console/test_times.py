"""Times on pages: the server writes them as the scripts do."""

from datetime import UTC, datetime

import pytest

from service.base.languages import Language
from service.console.languages import spoken
from service.console.words import Words


@pytest.mark.parametrize(("language", "said"), [("en", "Thu 19:00"), ("de", "Do., 19:00")])
def test_a_weekday_and_a_time_stand_as_scripts_write_them(language: Language, said: str) -> None:
    at = datetime(2026, 12, 3, 19, tzinfo=UTC)
    words = Words(spoken(language))
    assert f">{said} UTC</time>" in words.when(at, shown="hour")
    assert f">{said} London</time>" in words.when(at, "Europe/London", "hour")
