"""
Store which notices people want, their browsers, and the occasions for notices.

An occasion is an event that people are told of. It is deleted when its notices are made. A notice
without an account is for the operator.
"""

from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE notice_settings (
        account uuid CONSTRAINT pk_notice_settings PRIMARY KEY
            CONSTRAINT fk_notice_settings_account REFERENCES account (id),
        language text NOT NULL,
        zone text NOT NULL,
        quiet_from integer,
        quiet_until integer,
        mail_off text[] NOT NULL,
        push_off text[] NOT NULL,
        CONSTRAINT ck_notice_settings_quiet CHECK ((quiet_from IS NULL) = (quiet_until IS NULL))
    )
    """,
    "GRANT SELECT, INSERT, UPDATE, DELETE ON notice_settings TO holotable_api",
    "GRANT SELECT ON notice_settings TO holotable_worker",
    """
    CREATE TABLE push_subscription (
        id uuid CONSTRAINT pk_push_subscription PRIMARY KEY,
        account uuid NOT NULL
            CONSTRAINT fk_push_subscription_account REFERENCES account (id),
        host text NOT NULL,
        target bytea NOT NULL,
        digest bytea NOT NULL CONSTRAINT uq_push_subscription_digest UNIQUE,
        failures integer NOT NULL,
        created_at timestamptz NOT NULL
    )
    """,
    "CREATE INDEX ix_push_subscription_account ON push_subscription (account)",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON push_subscription TO holotable_api",
    "GRANT SELECT, DELETE ON push_subscription TO holotable_worker",
    "GRANT UPDATE (failures) ON push_subscription TO holotable_worker",
    """
    CREATE TABLE notice_occasion (
        event uuid CONSTRAINT pk_notice_occasion PRIMARY KEY,
        league uuid NOT NULL,
        position bigint NOT NULL,
        facts json NOT NULL,
        ends_at timestamptz NOT NULL
    )
    """,
    "GRANT SELECT, INSERT, DELETE ON notice_occasion TO holotable_worker",
    """
    CREATE TABLE notice_checkpoint (
        league uuid CONSTRAINT pk_notice_checkpoint PRIMARY KEY,
        position bigint NOT NULL
    )
    """,
    "GRANT SELECT, INSERT, UPDATE ON notice_checkpoint TO holotable_worker",
    "ALTER TABLE notice ALTER COLUMN account DROP NOT NULL",
    """
    ALTER TABLE notice ADD COLUMN target uuid CONSTRAINT fk_notice_target
        REFERENCES push_subscription (id) ON DELETE SET NULL
    """,
    "ALTER TABLE notice DROP CONSTRAINT uq_notice_occasion",
    "CREATE INDEX ix_notice_account ON notice (account, kind, created_at)",
    "CREATE INDEX ix_notice_target ON notice (target)",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    op.execute("DELETE FROM notice WHERE account IS NULL OR channel = 'push'")
    op.execute("DROP INDEX ix_notice_account")
    op.execute("ALTER TABLE notice DROP COLUMN target")
    op.execute("ALTER TABLE notice ALTER COLUMN account SET NOT NULL")
    op.execute(
        "ALTER TABLE notice ADD CONSTRAINT uq_notice_occasion"
        " UNIQUE (account, kind, occasion, channel)"
    )
    for relation in (
        "notice_checkpoint", "notice_occasion", "push_subscription", "notice_settings",
    ):  # fmt: skip
        op.execute(f"DROP TABLE {relation}")
