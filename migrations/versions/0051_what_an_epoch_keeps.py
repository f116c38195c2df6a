"""
Let an operator say how many events of the ended epoch are still the same.

If play went on after an older copy was restored, the log may be longer than the lost one. Its
events at the same positions are different ones, so clients must not continue from the old ones. The
function `raise_epoch` stays for the version before.
"""

from alembic import op

from service.base.migrations import load

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(load("open_epoch", revision))
    op.execute("REVOKE ALL ON FUNCTION open_epoch(uuid, text, text, bigint) FROM PUBLIC")


def downgrade() -> None:
    op.execute("DROP FUNCTION open_epoch(uuid, text, text, bigint)")
