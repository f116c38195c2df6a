"""
Create calendar keys, for programs that read a schedule and send no headers.

A key is kept as SHA-256 of 256 random bits, like a token. It can be revoked, never deleted.
"""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE calendar_key (
        id uuid CONSTRAINT pk_calendar_key PRIMARY KEY,
        account uuid NOT NULL CONSTRAINT fk_calendar_key_account REFERENCES account (id),
        hash bytea NOT NULL CONSTRAINT ck_calendar_key_hash CHECK (length(hash) = 32),
        created_at timestamptz NOT NULL,
        revoked_at timestamptz,
        CONSTRAINT uq_calendar_key_hash UNIQUE (hash)
    )
    """,
    "CREATE INDEX ix_calendar_key_account ON calendar_key (account)",
    "GRANT SELECT, INSERT, UPDATE (revoked_at) ON calendar_key TO holotable_api",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    op.execute("DROP TABLE calendar_key")
