"""
Leave no right behind after a rebuild of read models. Until now its relations could be truncated for
ever.
"""

from alembic import op

from service.base.migrations import load

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(load("reads_begin_rebuild", revision))
    op.execute("REVOKE TRUNCATE ON ALL TABLES IN SCHEMA reads FROM holotable_project")


def downgrade() -> None:
    op.execute(
        load("reads_begin_rebuild", "0004").replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
    )
