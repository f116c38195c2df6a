"""Let the API delete tokens and calendar keys, so that an erased player leaves none behind."""

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("GRANT DELETE ON token, calendar_key TO holotable_api")


def downgrade() -> None:
    op.execute("REVOKE DELETE ON token, calendar_key FROM holotable_api")
