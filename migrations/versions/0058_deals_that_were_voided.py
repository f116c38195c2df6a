"""
Index the voided deals, so that the news of a floor finds them without reading the whole league.

There are few, so the index is small. Every other event costs one comparison.
"""

from alembic import op

revision = "0058"
down_revision = "0057"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "CREATE INDEX ix_events_deal_voided ON events (league, position) WHERE type = 'deal_voided'"
    )


def downgrade() -> None:
    op.execute("DROP INDEX ix_events_deal_voided")
