"""
Keep webhooks, their deliveries, and the attempts to deliver.

The address and the secrets of a webhook are sealed with the league's key. A delivery holds only
what the public may read. It is deleted 30 days after it was made, together with its attempts.
"""

from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE webhook (
        id uuid CONSTRAINT pk_webhook PRIMARY KEY,
        league uuid NOT NULL,
        name text NOT NULL,
        kinds text[] NOT NULL,
        form text NOT NULL CONSTRAINT ck_webhook_form CHECK (form IN ('v1', 'v1a', 'discord')),
        url bytea NOT NULL,
        secret bytea,
        second_secret bytea,
        second_until timestamptz,
        since bigint NOT NULL,
        created_by uuid NOT NULL,
        created_at timestamptz NOT NULL,
        failing_since timestamptz,
        disabled_at timestamptz,
        disabled_why text
    )
    """,
    "CREATE INDEX ix_webhook_league ON webhook (league)",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON webhook TO holotable_api",
    "GRANT SELECT ON webhook TO holotable_worker",
    "GRANT UPDATE (failing_since, disabled_at, disabled_why) ON webhook TO holotable_worker",
    """
    CREATE TABLE webhook_delivery (
        id uuid CONSTRAINT pk_webhook_delivery PRIMARY KEY,
        number bigint GENERATED ALWAYS AS IDENTITY,
        webhook uuid NOT NULL CONSTRAINT fk_webhook_delivery_webhook
            REFERENCES webhook (id) ON DELETE CASCADE,
        event uuid NOT NULL,
        kind text NOT NULL,
        body text NOT NULL CONSTRAINT ck_webhook_delivery_body CHECK (length(body) < 20000),
        state text NOT NULL CONSTRAINT ck_webhook_delivery_state
            CHECK (state IN ('waiting', 'delivered', 'failed')),
        attempts integer NOT NULL,
        next_at timestamptz,
        created_at timestamptz NOT NULL,
        CONSTRAINT uq_webhook_delivery_event UNIQUE (webhook, event),
        CONSTRAINT ck_webhook_delivery_next CHECK ((state = 'waiting') = (next_at IS NOT NULL))
    )
    """,
    "CREATE INDEX ix_webhook_delivery_created_at ON webhook_delivery (created_at)",
    "CREATE INDEX ix_webhook_delivery_listed ON webhook_delivery (webhook, number)",
    """
    CREATE INDEX ix_webhook_delivery_waiting ON webhook_delivery (next_at) WHERE state = 'waiting'
    """,
    """
    CREATE INDEX ix_webhook_delivery_of ON webhook_delivery (webhook, next_at)
     WHERE state = 'waiting'
    """,
    "GRANT SELECT, INSERT ON webhook_delivery TO holotable_api",
    "GRANT UPDATE (state, attempts, next_at) ON webhook_delivery TO holotable_api",
    "GRANT SELECT, INSERT, DELETE ON webhook_delivery TO holotable_worker",
    "GRANT UPDATE (state, attempts, next_at) ON webhook_delivery TO holotable_worker",
    """
    CREATE TABLE webhook_attempt (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_webhook_attempt PRIMARY KEY,
        delivery uuid NOT NULL CONSTRAINT fk_webhook_attempt_delivery
            REFERENCES webhook_delivery (id) ON DELETE CASCADE,
        at timestamptz NOT NULL,
        millis integer NOT NULL,
        status integer,
        error text
    )
    """,
    "CREATE INDEX ix_webhook_attempt_delivery ON webhook_attempt (delivery, id)",
    "GRANT SELECT ON webhook_attempt TO holotable_api",
    "GRANT SELECT, INSERT ON webhook_attempt TO holotable_worker",
    """
    CREATE TABLE webhook_checkpoint (
        league uuid CONSTRAINT pk_webhook_checkpoint PRIMARY KEY,
        position bigint NOT NULL
    )
    """,
    "GRANT SELECT, INSERT, UPDATE ON webhook_checkpoint TO holotable_worker",
    "GRANT INSERT ON operator_deed TO holotable_worker",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    op.execute("REVOKE INSERT ON operator_deed FROM holotable_worker")
    op.execute("DELETE FROM quarantine WHERE consumer = 'webhooks'")
    op.execute("DELETE FROM job WHERE task = 'webhook.deliver'")
    for relation in ("webhook_checkpoint", "webhook_attempt", "webhook_delivery", "webhook"):
        op.execute(f"DROP TABLE {relation}")
