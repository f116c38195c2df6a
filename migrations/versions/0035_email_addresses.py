"""
Keep e-mail addresses of accounts, requests for new passwords, and notices to people.

Addresses are sealed with a key of the settings, and found by a keyed digest. A notice is a message
to one person by one channel. Its row is the record of what was sent, and is deleted after 30 days.
"""

from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE account_email (
        account uuid CONSTRAINT pk_account_email PRIMARY KEY
            CONSTRAINT fk_account_email_account REFERENCES account (id),
        address bytea,
        digest bytea,
        verified_at timestamptz,
        wanted bytea,
        code bytea,
        code_until timestamptz,
        CONSTRAINT ck_account_email_verified CHECK (
            (address IS NULL) = (digest IS NULL) AND (address IS NULL) = (verified_at IS NULL)
        ),
        CONSTRAINT ck_account_email_wanted CHECK ((wanted IS NULL) = (code_until IS NULL))
    )
    """,
    "CREATE INDEX ix_account_email_digest ON account_email (digest)",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON account_email TO holotable_api",
    "GRANT SELECT ON account_email TO holotable_worker",
    "GRANT UPDATE (code, code_until) ON account_email TO holotable_worker",
    """
    CREATE TABLE reset_request (
        id uuid CONSTRAINT pk_reset_request PRIMARY KEY,
        asked bytea NOT NULL,
        language text NOT NULL,
        asked_at timestamptz NOT NULL
    )
    """,
    "GRANT INSERT ON reset_request TO holotable_api",
    "GRANT SELECT, DELETE ON reset_request TO holotable_worker",
    """
    CREATE TABLE notice (
        id uuid CONSTRAINT pk_notice PRIMARY KEY,
        account uuid NOT NULL CONSTRAINT fk_notice_account REFERENCES account (id),
        channel text NOT NULL CONSTRAINT ck_notice_channel CHECK (channel IN ('mail', 'push')),
        kind text NOT NULL,
        occasion uuid NOT NULL,
        league uuid,
        facts json NOT NULL,
        state text NOT NULL CONSTRAINT ck_notice_state CHECK (
            state IN ('waiting', 'begun', 'sent', 'failed', 'dropped', 'unknown')
        ),
        attempts integer NOT NULL,
        next_at timestamptz,
        ends_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL,
        told_at timestamptz,
        error text,
        CONSTRAINT uq_notice_occasion UNIQUE (account, kind, occasion, channel),
        CONSTRAINT ck_notice_next CHECK ((state = 'waiting') = (next_at IS NOT NULL))
    )
    """,
    "CREATE INDEX ix_notice_created_at ON notice (created_at)",
    "CREATE INDEX ix_notice_waiting ON notice (next_at) WHERE state = 'waiting'",
    "GRANT SELECT, INSERT, DELETE ON notice TO holotable_api",
    "GRANT UPDATE (state, next_at) ON notice TO holotable_api",
    "GRANT SELECT, INSERT, DELETE ON notice TO holotable_worker",
    "GRANT UPDATE (state, attempts, next_at, told_at, error) ON notice TO holotable_worker",
    "GRANT SELECT, INSERT, UPDATE ON password_reset TO holotable_worker",
    "GRANT SELECT (id, login, name) ON account TO holotable_worker",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    op.execute("REVOKE INSERT, UPDATE ON password_reset FROM holotable_worker")
    op.execute("REVOKE SELECT (id, login, name) ON account FROM holotable_worker")
    op.execute("DELETE FROM job WHERE task = 'notice.send'")
    for relation in ("notice", "reset_request", "account_email"):
        op.execute(f"DROP TABLE {relation}")
