"""
Let the worker delete old rows of relations in which it may not delete, by a function of the owner.

``prune`` knows how long each kind of row is kept at least, so no setting and no login can delete
younger ones. It never touches an event.
"""

from alembic import op

from service.base.migrations import load

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None

STATEMENTS = (
    load("prune", revision),
    "REVOKE ALL ON FUNCTION prune(text, timestamptz, integer) FROM PUBLIC",
    "GRANT EXECUTE ON FUNCTION prune(text, timestamptz, integer) TO holotable_worker",
    load("refuse_to_forget", revision),
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    op.execute("DROP FUNCTION prune(text, timestamptz, integer)")
    op.execute("DROP FUNCTION refuse_to_forget() CASCADE")
    op.execute(load("refuse_to_forget", "0002"))
    op.execute(
        """
        CREATE TRIGGER refused_commands_are_append_only
        BEFORE UPDATE OR DELETE OR TRUNCATE ON refused_command
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_forget()
        """
    )
