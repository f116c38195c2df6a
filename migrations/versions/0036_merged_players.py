"""
Record which player counts for which after a merge, and the names of imported tournaments.

Relations and columns of read models. Earlier logs hold no merges and no imports, so no rebuild is
needed.
"""

from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        """
        CREATE TABLE reads.member_alias (
            league text NOT NULL,
            player text NOT NULL,
            "into" text NOT NULL,
            at timestamptz NOT NULL,
            PRIMARY KEY (league, player)
        )
        """
    )
    op.execute("CREATE INDEX ix_member_alias_player ON reads.member_alias (player)")
    op.execute('CREATE INDEX ix_member_alias_into ON reads.member_alias ("into")')
    op.execute(
        """
        CREATE TABLE reads.rating_alias (
            league text NOT NULL,
            player text NOT NULL,
            "into" text NOT NULL,
            PRIMARY KEY (league, player)
        )
        """
    )
    both = "reads.member_alias, reads.rating_alias"
    op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {both} TO holotable_project")
    op.execute(f"GRANT SELECT ON {both} TO holotable_api, holotable_worker, holotable_audit")
    op.execute("ALTER TABLE reads.ledger ADD COLUMN title text")
    op.execute("ALTER TABLE reads.ledger ADD COLUMN counts_for text")


def downgrade() -> None:
    op.execute("ALTER TABLE reads.ledger DROP COLUMN counts_for")
    op.execute("ALTER TABLE reads.ledger DROP COLUMN title")
    op.execute("DROP TABLE reads.rating_alias")
    op.execute("DROP TABLE reads.member_alias")
