"""
Record the acts of operators and owners beside the log, for the staff log.

Rows are only added. ``size`` is the size of the league's log at that time.
"""

from alembic import op

revision = "0019"
down_revision = "0017"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE operator_deed (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_operator_deed PRIMARY KEY,
        league uuid NOT NULL,
        size bigint NOT NULL,
        at timestamptz NOT NULL,
        actor text NOT NULL,
        kind text NOT NULL,
        about text NOT NULL
    )
    """,
    "CREATE INDEX ix_operator_deed_league ON operator_deed (league, size)",
    "GRANT SELECT, INSERT ON operator_deed TO holotable_api",
    # Someone who looks at a hand with the auditor's login leaves a trace too.
    "GRANT INSERT ON operator_deed TO holotable_audit",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    op.execute("DROP TABLE operator_deed")
