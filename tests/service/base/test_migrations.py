"""A migrated database has the relations that the code describes and the functions of the files."""

import re
from pathlib import Path
from typing import Any

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from service.base import migrations, revisions
from service.base.database import OWNER, sync_engine
from service.log import schema as log
from service.people import schema
from service.projections import schema as reads
from tests.support.databases import TestDatabase

DESCRIBED = {
    "log": log.metadata,
    "beside the log": schema.metadata,
    "read models": reads.metadata,
    "reports": reads.outside,
}


@pytest.mark.parametrize("name", DESCRIBED)
def test_the_migrated_schema_is_the_one_the_code_describes(
    database: TestDatabase, name: str
) -> None:
    """Columns, types, keys and indexes match: a migration would have nothing to change."""
    metadata = DESCRIBED[name]
    known = {(table.schema, table.name) for table in metadata.tables.values()}

    def described(thing: Any, label: str | None, kind: str, *_: Any) -> bool:
        return kind != "table" or (thing.schema, label) in known

    engine = sync_engine(database.url("postgres"))
    with engine.connect() as connection:
        options = {"include_schemas": True, "include_object": described, "compare_type": True}
        context = MigrationContext.configure(connection, opts=options)
        differences = compare_metadata(context, metadata)
    engine.dispose()

    assert known
    assert differences == []


CREATE = re.compile(r"^CREATE (?:OR REPLACE )?FUNCTION (\w+)\(", re.M)

DEFINITIONS = """
    SELECT proname, pg_get_functiondef(pg_proc.oid)
      FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
     WHERE nspname NOT IN ('pg_catalog', 'information_schema')
"""


def functions_of_the_files() -> dict[str, Path]:
    """Return the file of each function that is in force, which is that of the highest revision."""
    files = sorted(migrations.STATEMENTS.glob("*.sql"))
    return {file.name.partition(".")[0]: file for file in files if CREATE.search(file.read_text())}


def test_a_migrated_database_has_the_functions_of_the_newest_files(database: TestDatabase) -> None:
    """Making each function again from its file changes nothing, and every function has a file."""
    files = functions_of_the_files()
    with psycopg.connect(database.url("postgres")) as connection:
        migrated = connection.execute(DEFINITIONS).fetchall()
        connection.execute(f"SET LOCAL ROLE {OWNER}")
        for file in files.values():
            connection.execute(CREATE.sub(r"CREATE OR REPLACE FUNCTION \1(", file.read_text()))
        made_again = connection.execute(DEFINITIONS).fetchall()
        connection.rollback()

    assert sorted(name for name, _ in migrated) == sorted(files)
    assert sorted(made_again) == sorted(migrated)


def test_each_file_makes_the_function_it_is_named_after() -> None:
    """Each file holds one function, and a migration loads it."""
    for file in migrations.STATEMENTS.glob("*.sql"):
        name, revision, _ = file.name.split(".")
        text = file.read_text()
        (migration,) = (revisions.FOLDER / "versions").glob(f"{revision}_*.py")

        assert f'load("{name}", revision)' in migration.read_text()
        assert CREATE.findall(text) == [name] or "\nDO $$" in text
