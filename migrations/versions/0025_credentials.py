"""
Keep credentials so that neither a copy of the database nor the settings' key shows any.

The digests of requests were SHA-256 of bodies with passwords in them, so they are deleted. A
row now holds its owner, the result of the request, and its expiry. A token knows its parent,
and existing tokens are roots. Processes of the version before cannot add old digests, because
every row needs ``account``.
"""

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

STATEMENTS = (
    "DELETE FROM idempotency",
    """
    ALTER TABLE idempotency
        ADD COLUMN account uuid NOT NULL,
        ADD COLUMN made uuid
    """,
    "CREATE INDEX ix_idempotency_account ON idempotency (account)",
    "CREATE INDEX ix_idempotency_created_at ON idempotency (created_at)",
    "GRANT UPDATE, DELETE ON idempotency TO holotable_api",
    "GRANT SELECT, DELETE ON idempotency TO holotable_worker",
    "ALTER TABLE account ADD COLUMN password_set_at timestamptz",
    """
    ALTER TABLE token
        ADD COLUMN parent uuid CONSTRAINT fk_token_parent REFERENCES token (id)
    """,
    "CREATE INDEX ix_token_parent ON token (parent)",
    """
    ALTER TABLE entered_player
        ADD COLUMN made_account boolean NOT NULL DEFAULT false
    """,
    # A player who joined with an account of their own has an older account.
    """
    UPDATE entered_player SET made_account = true FROM account
     WHERE account.id = entered_player.account
       AND account.created_at = entered_player.entered_at
    """,
    "ALTER TABLE entered_player ALTER COLUMN made_account DROP DEFAULT",
    """
    CREATE TABLE password_reset (
        account uuid CONSTRAINT pk_password_reset PRIMARY KEY
            CONSTRAINT fk_password_reset_account REFERENCES account (id),
        hash bytea NOT NULL CONSTRAINT ck_password_reset_hash CHECK (length(hash) = 32),
        league uuid,
        expires_at timestamptz NOT NULL,
        CONSTRAINT uq_password_reset_hash UNIQUE (hash)
    )
    """,
    "GRANT SELECT, INSERT, UPDATE, DELETE ON password_reset TO holotable_api",
    "GRANT SELECT, DELETE ON password_reset TO holotable_worker",
    """
    CREATE TABLE sign_in (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_sign_in PRIMARY KEY,
        account uuid NOT NULL CONSTRAINT fk_sign_in_account REFERENCES account (id),
        at timestamptz NOT NULL,
        kind text NOT NULL,
        address text,
        token uuid
    )
    """,
    "CREATE INDEX ix_sign_in_account ON sign_in (account, id)",
    "CREATE INDEX ix_sign_in_at ON sign_in (at)",
    "GRANT SELECT, INSERT, DELETE ON sign_in TO holotable_api",
    "GRANT SELECT, DELETE ON sign_in TO holotable_worker",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    for relation in ("sign_in", "password_reset"):
        op.execute(f"DROP TABLE {relation}")
    op.execute("ALTER TABLE entered_player DROP COLUMN made_account")
    op.execute("ALTER TABLE token DROP COLUMN parent")
    op.execute("ALTER TABLE account DROP COLUMN password_set_at")
    op.execute("REVOKE ALL ON idempotency FROM holotable_worker")
    op.execute("REVOKE UPDATE, DELETE ON idempotency FROM holotable_api")
    op.execute("ALTER TABLE idempotency DROP COLUMN account, DROP COLUMN made")
