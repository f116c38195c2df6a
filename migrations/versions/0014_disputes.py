"""
Create the read models of disputes, and of rulings by rule.

The projector fills both from the log.
"""

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

RELATIONS = ("dispute", "dispute_rule")
STATEMENTS = (
    """
    CREATE TABLE reads.dispute (
        dispute text NOT NULL,
        league text NOT NULL,
        kind text NOT NULL,
        tournament text,
        season text,
        hand text,
        claimant text NOT NULL,
        state text NOT NULL,
        outcome text,
        frozen boolean NOT NULL,
        opened_at timestamptz NOT NULL,
        opened_position bigint NOT NULL,
        PRIMARY KEY (dispute)
    )
    """,
    "CREATE INDEX ix_dispute_league ON reads.dispute (league, opened_position)",
    """
    CREATE TABLE reads.dispute_rule (
        league text NOT NULL,
        rule text NOT NULL,
        dispute text NOT NULL,
        ruled_position bigint NOT NULL,
        PRIMARY KEY (league, rule, dispute)
    )
    """,
    *(
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON reads.{relation} TO holotable_project"
        for relation in RELATIONS
    ),
    *(
        f"GRANT SELECT ON reads.{relation} TO holotable_api, holotable_worker, holotable_audit"
        for relation in RELATIONS
    ),
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    raise NotImplementedError("read models are rebuilt, not migrated down")
