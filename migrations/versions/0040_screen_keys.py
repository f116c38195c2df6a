"""
Create screen keys, which open the clock of one tournament on a television without an account.

A key is kept as SHA-256 of 256 random bits, like a token. It can be revoked, never deleted.
"""

from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE screen_key (
        id uuid CONSTRAINT pk_screen_key PRIMARY KEY,
        league uuid NOT NULL,
        tournament uuid NOT NULL,
        made_by uuid NOT NULL,
        hash bytea NOT NULL CONSTRAINT ck_screen_key_hash CHECK (length(hash) = 32),
        created_at timestamptz NOT NULL,
        revoked_at timestamptz,
        CONSTRAINT uq_screen_key_hash UNIQUE (hash)
    )
    """,
    "CREATE INDEX ix_screen_key_tournament ON screen_key (tournament)",
    "GRANT SELECT, INSERT, UPDATE (revoked_at) ON screen_key TO holotable_api",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    op.execute("DROP TABLE screen_key")
