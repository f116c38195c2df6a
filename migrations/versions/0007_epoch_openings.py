"""
Record the operator and the reason of each epoch of a league.

``raise_epoch`` demands a reason and writes a row that nobody can change. Only the owner of the
relations may execute it, through the login ``holotable_migrate``. No process of the service has
that login.

An epoch begins after events were lost, so stored subtrees may cover lost events. The function
drops the subtrees, which can be computed again, so they are no longer append-only for their
owner. It also sets the tickers back to the last event. They then notice what follows, and the
epoch's first head is signed.
"""

from alembic import op

from service.base.migrations import load

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE epoch_opening (
        league uuid NOT NULL,
        epoch integer NOT NULL CONSTRAINT ck_epoch_opening_epoch CHECK (epoch >= 1),
        operator text NOT NULL CONSTRAINT ck_epoch_opening_operator CHECK (operator ~ '\\S'),
        reason text NOT NULL CONSTRAINT ck_epoch_opening_reason CHECK (reason ~ '\\S'),
        size bigint NOT NULL CONSTRAINT ck_epoch_opening_size CHECK (size >= 0),
        opened_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT pk_epoch_opening PRIMARY KEY (league, epoch)
    )
    """,
    """
    CREATE TRIGGER epoch_opening_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE
    ON epoch_opening FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite()
    """,
    "ALTER TABLE epoch_opening ENABLE ALWAYS TRIGGER epoch_opening_is_append_only",
    "GRANT SELECT ON epoch_opening TO holotable_api, holotable_worker, holotable_audit",
    "DROP TRIGGER tree_node_is_append_only ON tree_node",
    """
    CREATE TRIGGER tree_node_is_never_changed BEFORE UPDATE OR TRUNCATE
    ON tree_node FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite()
    """,
    "ALTER TABLE tree_node ENABLE ALWAYS TRIGGER tree_node_is_never_changed",
    "DROP FUNCTION raise_epoch(uuid, text)",
    load("raise_epoch", revision),
    "REVOKE ALL ON FUNCTION raise_epoch(uuid, text, text) FROM PUBLIC",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    raise NotImplementedError("the openings of epochs are never removed by a migration")
