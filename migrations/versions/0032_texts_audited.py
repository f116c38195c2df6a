"""
Let audits compare texts with their digests in the log.

They may read texts as they read sealed values. Of an account they learn only whether it was
erased.
"""

from alembic import op

from service.base.migrations import load

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

_RIGHT = "SELECT (id, league, author, subject, salt, body) ON text"
_AUDITING = "holotable_audit, holotable_worker"


def upgrade() -> None:
    op.execute(load("erased_among", revision))
    op.execute("REVOKE ALL ON FUNCTION erased_among(uuid[]) FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION erased_among(uuid[]) TO {_AUDITING}")
    op.execute(f"GRANT {_RIGHT} TO {_AUDITING}")


def downgrade() -> None:
    op.execute(f"REVOKE {_RIGHT} FROM {_AUDITING}")
    op.execute("DROP FUNCTION erased_among(uuid[])")
