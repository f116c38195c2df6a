"""
Make the append function check its input, under a lock that only a writer can take.

Every written stream needs a head that is compared with the log, or that an earlier append of
the call leaves. Versions continue from it, and each hash is computed again over the entry's
parts. The function compares and never computes what it stores. Its signature stays, so
processes of the version before can go on appending.

Any login may take any advisory lock. So a league's turn is a row that belongs to the function's
owner, and no login has a right on its relation.
"""

from alembic import op

from service.base.migrations import load

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

TURNS = (
    "CREATE TABLE append_turn (league uuid NOT NULL CONSTRAINT pk_append_turn PRIMARY KEY)",
    "CREATE TABLE entering_turn (league text NOT NULL CONSTRAINT pk_entering_turn PRIMARY KEY)",
    "GRANT SELECT, INSERT, UPDATE ON entering_turn TO holotable_api",
    load("take_append_turn", revision),
    "REVOKE ALL ON FUNCTION take_append_turn FROM PUBLIC",
)

CHECKS = (
    load("append_events", revision),
    load("raise_epoch", revision),
    load("close_database", revision),
)


def upgrade() -> None:
    for statement in (*TURNS, *CHECKS):
        op.execute(statement)


def downgrade() -> None:
    raise NotImplementedError("a migration does not remove the checks of the log")
