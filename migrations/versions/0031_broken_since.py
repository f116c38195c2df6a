"""Record when a read model stopped in a league, for `holotable quarantine show`."""

from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for schema in ("reads", "reads_next"):
        op.execute(f"ALTER TABLE {schema}.checkpoint ADD COLUMN broken_since timestamptz")


def downgrade() -> None:
    for schema in ("reads", "reads_next"):
        op.execute(f"ALTER TABLE {schema}.checkpoint DROP COLUMN broken_since")
