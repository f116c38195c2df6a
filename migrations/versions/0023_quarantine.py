"""
Create the quarantine: leagues that a consumer of the log has stopped following.

A consumer that cannot go on writes a row with the event. An operator with the login
``holotable_migrate`` deletes the row after a look. The index makes queries for dead jobs cheap,
because readiness asks all the time.
"""

from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE quarantine (
        league uuid NOT NULL,
        consumer text NOT NULL,
        position bigint NOT NULL,
        reason text NOT NULL,
        since timestamptz NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT pk_quarantine PRIMARY KEY (league, consumer)
    )
    """,
    "GRANT SELECT, INSERT ON quarantine TO holotable_worker",
    "GRANT SELECT ON quarantine TO holotable_api, holotable_audit, holotable_project",
    "CREATE INDEX ix_job_dead ON job (task) WHERE state = 'dead'",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    op.execute("DROP INDEX ix_job_dead")
    op.execute("DROP TABLE quarantine")
