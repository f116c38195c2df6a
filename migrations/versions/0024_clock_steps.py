"""
Record the steps of the database's clock that are in doubt.

``service_time()`` is the database's clock without the step in doubt. All processes read it, so they
agree. A step is settled when the clock returns, when the step has held for ten minutes, or by order
of an operator. A believed step is an outage: open decisions get their full time again, and level
clocks count as stopped.
"""

from alembic import op

from service.base.migrations import load

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_LOGINS = "holotable_api, holotable_worker, holotable_project, holotable_audit"
_WRITERS = "holotable_api, holotable_worker"

STATEMENTS = (
    """
    CREATE TABLE clock_step (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_clock_step PRIMARY KEY,
        noticed_at timestamptz NOT NULL,
        ahead_us bigint NOT NULL,
        settled_at timestamptz,
        settled text CONSTRAINT ck_clock_step_settled
            CHECK (settled IN ('returned', 'changed', 'believed')),
        settled_by text,
        reason text,
        CONSTRAINT ck_clock_step_open CHECK ((settled_at IS NULL) = (settled IS NULL))
    )
    """,
    "CREATE UNIQUE INDEX uq_clock_step_open ON clock_step ((true)) WHERE settled_at IS NULL",
    f"GRANT SELECT ON clock_step TO {_LOGINS}",
    load("service_time", revision),
    load("read_clock", revision),
    load("doubt_clock", revision),
    load("believe_clock", revision),
    "REVOKE ALL ON FUNCTION service_time, read_clock, doubt_clock, believe_clock FROM PUBLIC",
    f"GRANT EXECUTE ON FUNCTION service_time, read_clock TO {_LOGINS}",
    f"GRANT EXECUTE ON FUNCTION doubt_clock, believe_clock TO {_WRITERS}",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    raise NotImplementedError("believed steps of the clock are never removed by a migration")
