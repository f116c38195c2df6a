"""
Let only the operator's login believe a step of the clock before its ten minutes are over.

The API and workers could do so under any name. They can still believe a step that has held.
"""

from alembic import op

from service.base.migrations import load

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

_WRITERS = "holotable_api, holotable_worker"

STATEMENTS = (
    f"REVOKE EXECUTE ON FUNCTION believe_clock FROM {_WRITERS}",
    load("believe_held_clock", revision),
    "REVOKE ALL ON FUNCTION believe_held_clock FROM PUBLIC",
    f"GRANT EXECUTE ON FUNCTION believe_held_clock TO {_WRITERS}",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    op.execute("DROP FUNCTION believe_held_clock")
    op.execute(f"GRANT EXECUTE ON FUNCTION believe_clock TO {_WRITERS}")
