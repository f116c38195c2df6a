"""The migrations that the code knows."""

from alembic.script import ScriptDirectory

from service.base import migrations, revisions


def test_the_migrations_are_those_that_alembic_finds() -> None:
    script = ScriptDirectory.from_config(migrations.config())
    newest_first = [each.revision for each in script.walk_revisions()]

    assert revisions.known() == tuple(reversed(newest_first))
