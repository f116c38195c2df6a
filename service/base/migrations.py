"""
Migrating a database, and the SQL files beside the migrations.

Each function of the database has a file
``migrations/sql/<function>.<revision>.sql``, named after the migration that loads it. The highest
revision is in force. A file never changes. A new version of a function is a new file, with a
new migration.
"""

from alembic import command
from alembic.config import Config

from service.base import revisions

STATEMENTS = revisions.FOLDER / "sql"


def config() -> Config:
    """Return Alembic's configuration, without the address of a database."""
    made = Config()
    made.set_main_option("script_location", str(revisions.FOLDER))
    return made


def migrate(migrator_url: str, revision: str = "head", *, restoring: bool = False) -> None:
    """
    Migrate the schema to *revision*, as ``holotable_migrate``.

    Args:
      restoring: True for a restore, which alone may migrate the database that it has closed.

    Raises:
      ServerRefused: If a restore has closed the database and not opened it again.
    """
    chosen = config()
    chosen.attributes |= {"url": migrator_url, "restoring": restoring}
    command.upgrade(chosen, revision)


def newest() -> str:
    """Return the revision of the schema that this program needs."""
    return revisions.known()[-1]


def unknown(revision: str) -> bool:
    """Return whether this program has no migration *revision*."""
    return revision not in revisions.known()


def load(name: str, revision: str) -> str:
    """Return the SQL statement *name* as migration *revision* executes it."""
    return (STATEMENTS / f"{name}.{revision}.sql").read_text(encoding="utf-8")
