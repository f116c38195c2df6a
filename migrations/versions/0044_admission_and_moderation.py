"""
Let operators say who is admitted, suspend accounts and leagues, and hold the installation.

`append_turn.closed` is the reason why a league takes no commands. The append function reads it in
the row that it locks anyway, so no command passes a suspension that was committed before its
append. Audits still report, and an operator may still repair. An outage may now be one league's,
for the time of its suspension.

The operators' log gets entries of the whole installation, and reasons.

`schema_support.oldest` is the oldest head of a code that may run on this schema. A migration that
takes something away raises it.
"""

from alembic import op

from service.base.migrations import load

revision = "0044"
down_revision = "0041"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE maintenance (
        id boolean DEFAULT true CONSTRAINT pk_maintenance PRIMARY KEY,
        since_at timestamptz NOT NULL,
        retry_seconds integer NOT NULL,
        CONSTRAINT ck_maintenance_one CHECK (id),
        CONSTRAINT ck_maintenance_retry CHECK (retry_seconds BETWEEN 1 AND 86400)
    )
    """,
    "GRANT SELECT ON maintenance TO holotable_api, holotable_worker",
    """
    ALTER TABLE append_turn
        ADD COLUMN suspended_at timestamptz,
        ADD COLUMN maintenance boolean NOT NULL DEFAULT false,
        ADD COLUMN closed text GENERATED ALWAYS AS (
            CASE WHEN maintenance THEN 'maintenance'
                 WHEN suspended_at IS NOT NULL THEN 'suspended' END) STORED
    """,
    "CREATE INDEX ix_append_turn_closed ON append_turn (league) WHERE closed IS NOT NULL",
    "GRANT SELECT ON append_turn TO holotable_api, holotable_worker",
    load("append_events", revision),
    load("take_append_turn", revision),
    "ALTER TABLE outage ADD COLUMN league uuid",
    "ALTER TABLE account ADD COLUMN suspended_at timestamptz",
    "ALTER TABLE account ADD COLUMN founds_leagues boolean NOT NULL DEFAULT false",
    "ALTER TABLE text ADD COLUMN taken_down boolean NOT NULL DEFAULT false",
    "ALTER TABLE operator_deed ALTER COLUMN league DROP NOT NULL",
    """
    ALTER TABLE operator_deed ADD COLUMN reason text
        CONSTRAINT ck_operator_deed_reason CHECK (length(reason) BETWEEN 1 AND 500)
    """,
    """
    CREATE TABLE sign_up_invitation (
        id uuid CONSTRAINT pk_sign_up_invitation PRIMARY KEY,
        hash bytea NOT NULL CONSTRAINT ck_sign_up_invitation_hash CHECK (length(hash) = 32),
        uses_left integer NOT NULL,
        founds_leagues boolean NOT NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT uq_sign_up_invitation_hash UNIQUE (hash),
        CONSTRAINT ck_sign_up_invitation_uses CHECK (uses_left >= 0)
    )
    """,
    "GRANT SELECT, UPDATE (uses_left) ON sign_up_invitation TO holotable_api",
    """
    CREATE TABLE schema_support (
        id boolean DEFAULT true CONSTRAINT pk_schema_support PRIMARY KEY,
        oldest text NOT NULL,
        CONSTRAINT ck_schema_support_one CHECK (id)
    )
    """,
    "INSERT INTO schema_support (oldest) VALUES ('0041')",
    """
    GRANT SELECT ON schema_support
       TO holotable_api, holotable_worker, holotable_project, holotable_audit
    """,
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    raise NotImplementedError("a migration does not open what an operator has closed")
