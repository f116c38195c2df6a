"""What the code says of relations, and what the migrations make of them."""

from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from service.base.database import sqlalchemy_url
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
    """Columns, types, keys, indexes: a migration would have nothing to change."""
    metadata = DESCRIBED[name]
    known = {(table.schema, table.name) for table in metadata.tables.values()}

    def described(thing: Any, label: str | None, kind: str, *_: Any) -> bool:
        return kind != "table" or (thing.schema, label) in known

    engine = sa.create_engine(sqlalchemy_url(database.url("postgres"), "psycopg"))
    with engine.connect() as connection:
        options = {"include_schemas": True, "include_object": described, "compare_type": True}
        context = MigrationContext.configure(connection, opts=options)
        differences = compare_metadata(context, metadata)
    engine.dispose()

    assert known
    assert differences == []
