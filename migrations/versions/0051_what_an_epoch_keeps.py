"""
Let an operator say how many events of the ended epoch are still the same.

If play went on after an older copy was restored, the log may be longer than the lost one. Its
events at the same positions are others, and clients must not read on between them.
"""

from alembic import op

from service.base.migrations import load

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(load("raise_epoch", revision))
    op.execute("REVOKE ALL ON FUNCTION raise_epoch(uuid, text, text, bigint) FROM PUBLIC")


def downgrade() -> None:
    op.execute("DROP FUNCTION raise_epoch(uuid, text, text, bigint)")
