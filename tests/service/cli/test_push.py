"""The key of push messages is made once, for its owner's eyes only."""

import stat
from pathlib import Path

import rich_click as click
from click.testing import CliRunner

from service.base.settings import read
from service.cli.push import push
from service.notices.push import public_key


def test_a_key_is_written_once_and_read_by_the_settings(tmp_path: Path) -> None:
    file = tmp_path / "push.key"
    assert isinstance(push, click.Group)
    made = CliRunner().invoke(push, ["new-key", str(file)])
    assert made.exit_code == 0, made.output
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    settings = read(
        {
            "HOLOTABLE_DATABASE_URL": "postgresql://db/league",
            "HOLOTABLE_SECRET_KEY": "k" * 32,
            "HOLOTABLE_PUSH_KEY_FILE": str(file),
            "HOLOTABLE_PUSH_CONTACT": "mailto:operator@league.example",
        }
    )
    assert settings.push_key is not None
    assert public_key(settings.push_key) in made.output
    before = file.read_text()
    assert CliRunner().invoke(push, ["new-key", str(file)]).exit_code == 1
    assert file.read_text() == before
