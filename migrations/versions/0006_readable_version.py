"""
Let every process read the version of the schema and check that it fits.

The relation is Alembic's own. Without a grant only its owner can read it.
"""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_READERS = "holotable_api, holotable_worker, holotable_project, holotable_audit"


def upgrade() -> None:
    op.execute(f"GRANT SELECT ON alembic_version TO {_READERS}")


def downgrade() -> None:
    op.execute(f"REVOKE SELECT ON alembic_version FROM {_READERS}")  # noqa: S608 - a constant
