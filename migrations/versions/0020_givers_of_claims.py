"""
Record the giver of each claim code. A code works only while its giver may still give it.

Older codes have no giver and hold only for players without an office.
"""

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

STATEMENTS = (
    "ALTER TABLE entered_player ADD COLUMN claim_by uuid",
    "GRANT UPDATE (claim_by) ON entered_player TO holotable_api",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    op.execute("ALTER TABLE entered_player DROP COLUMN claim_by")
