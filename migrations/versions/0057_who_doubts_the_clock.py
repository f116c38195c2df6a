"""
Keep how long the process that doubts the clock has counted.

A process that starts within a short leap takes the leapt time for the right one, and doubts the
clock when it is set right. A process that has counted for longer knows better. The version before
this one calls ``read_clock`` and ``doubt_clock``, which stay for it.
"""

from alembic import op

from service.base.migrations import load

revision = "0057"
down_revision = "0056"
branch_labels = None
depends_on = None

_LOGINS = "holotable_api, holotable_worker, holotable_project, holotable_audit"
_WRITERS = "holotable_api, holotable_worker"

STATEMENTS = (
    "ALTER TABLE clock_step ADD COLUMN counted_since timestamptz",
    load("measure_clock", revision),
    load("record_clock_step", revision),
    "REVOKE ALL ON FUNCTION measure_clock, record_clock_step FROM PUBLIC",
    f"GRANT EXECUTE ON FUNCTION measure_clock TO {_LOGINS}",
    f"GRANT EXECUTE ON FUNCTION record_clock_step TO {_WRITERS}",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    op.execute("DROP FUNCTION measure_clock")
    op.execute("DROP FUNCTION record_clock_step")
    op.execute("ALTER TABLE clock_step DROP COLUMN counted_since")
