"""Quiet hours are those of the person's zone, also over midnight and when clocks change."""

from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

from service.base.settings import given_to_up
from service.notices.opting_out import OptOut, code_of, opened
from service.notices.preferences import Preferences

NIGHT = Preferences(zone="Europe/Berlin", quiet_from=22 * 60, quiet_until=7 * 60 + 30)
SMALL = Preferences(zone="Europe/Berlin", quiet_from=22 * 60, quiet_until=2 * 60 + 30)
NOON = Preferences(zone="Europe/Berlin", quiet_from=12 * 60, quiet_until=13 * 60)
ALWAYS = Preferences(zone="UTC", quiet_from=60, quiet_until=60)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("chosen", "now", "until"),
    [
        (NIGHT, "2026-11-23T20:59", None),
        (NIGHT, "2026-11-23T21:00", "2026-11-24T06:30"),
        (NIGHT, "2026-11-24T06:29", "2026-11-24T06:30"),
        (NIGHT, "2026-11-24T06:30", None),
        (NIGHT, "2027-03-27T22:00", "2027-03-28T05:30"),  # summer time begins in this night
        (NIGHT, "2027-10-30T21:00", "2027-10-31T06:30"),  # and ends in this one
        (SMALL, "2027-10-31T00:15", "2027-10-31T00:30"),  # 2:15 for the first time
        (SMALL, "2027-10-31T01:15", "2027-10-31T01:30"),  # and for the second
        (NOON, "2026-11-23T11:30", "2026-11-23T12:00"),
        (NOON, "2026-11-23T12:00", None),
        (ALWAYS, "2026-11-23T01:00", None),
        (Preferences(), "2026-11-23T03:00", None),
    ],
)
def test_quiet_hours_end_at_the_persons_own_time(
    chosen: Preferences, now: str, until: str | None
) -> None:
    assert chosen.quiet_until_after(at(now)) == (None if until is None else at(until))


def test_an_opt_out_is_read_with_the_keys_of_the_settings_only() -> None:
    wanted = OptOut(UUID(int=7), "mail", "result")
    code = code_of(wanted, "new key", "old key")
    assert opened(code, "newer key", "new key") == wanted
    assert opened(code, "other key") is None
    for broken in ("", "x", "%", "ü", code[:-4], code + "A", "A" + code[1:]):
        assert opened(broken, "new key") is None, broken


def test_up_passes_on_the_settings_of_messages_and_of_the_way_to_its_pages(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("secret\n")
    given = {
        "HOLOTABLE_SMTP_URL": "smtps://mail.example",
        "HOLOTABLE_PUSH_KEY_FILE": str(file),
        "HOLOTABLE_TRUSTED_PROXIES": "127.0.0.1",
        "HOLOTABLE_PLAIN_HTTP": "1",
        "HOLOTABLE_CORS_ORIGINS": "*",
        "HOLOTABLE_PORT": "1",
    }
    found = given_to_up(given)
    assert found == {
        "smtp_url": "smtps://mail.example",
        "push_key": "secret",
        "trusted_proxies": "127.0.0.1",
        "plain_http": "1",
        "cors_origins": "*",
    }
