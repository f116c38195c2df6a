"""
Create jobs, so that the database remembers what is due and not the broker.

A job's ``occurrence`` is unique and holds the id of the event that armed it, so any number of
tickers may insert it. ``claim`` counts claims and fences a worker that outlived its lease.
``wake_at`` keeps a wake-up that arrives while the job runs.

``ticker_checkpoint`` is the position up to which a league's log was searched for jobs.
``heartbeat`` and ``outage`` show when no process was running, because a decision's time does
not run then.
"""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_STATEMENTS = (
    """
    CREATE TABLE job (
        job_id uuid CONSTRAINT pk_job PRIMARY KEY DEFAULT gen_random_uuid(),
        occurrence text NOT NULL CONSTRAINT uq_job_occurrence UNIQUE,
        task text NOT NULL,
        args json NOT NULL,
        due_at timestamptz NOT NULL,
        state text NOT NULL DEFAULT 'ready'
            CONSTRAINT ck_job_state CHECK (state IN ('ready', 'sent', 'done', 'dead')),
        claim bigint NOT NULL DEFAULT 0 CONSTRAINT ck_job_claim CHECK (claim >= 0),
        attempts integer NOT NULL DEFAULT 0 CONSTRAINT ck_job_attempts CHECK (attempts >= 0),
        lease_until timestamptz,
        wake_at timestamptz,
        last_error text,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT ck_job_lease CHECK ((state = 'sent') = (lease_until IS NOT NULL))
    )
    """,
    "CREATE INDEX ix_job_due ON job (due_at) WHERE state = 'ready'",
    "CREATE INDEX ix_job_lease ON job (lease_until) WHERE state = 'sent'",
    """
    CREATE TABLE ticker_checkpoint (
        league uuid CONSTRAINT pk_ticker_checkpoint PRIMARY KEY,
        position bigint NOT NULL CONSTRAINT ck_ticker_checkpoint_position CHECK (position >= 0)
    )
    """,
    """
    CREATE TABLE heartbeat (
        process text CONSTRAINT pk_heartbeat PRIMARY KEY,
        at timestamptz NOT NULL
    )
    """,
    """
    CREATE TABLE outage (
        process text NOT NULL,
        since_at timestamptz NOT NULL,
        until_at timestamptz NOT NULL,
        CONSTRAINT pk_outage PRIMARY KEY (process, since_at),
        CONSTRAINT ck_outage_order CHECK (since_at < until_at)
    )
    """,
    "CREATE INDEX ix_outage_until ON outage (until_at)",
    "GRANT SELECT, INSERT ON job TO holotable_api",
    "GRANT SELECT, INSERT, UPDATE ON job, ticker_checkpoint TO holotable_worker",
    "GRANT SELECT, INSERT, UPDATE ON heartbeat TO holotable_api, holotable_worker",
    "GRANT SELECT, INSERT ON outage TO holotable_api, holotable_worker",
)


def upgrade() -> None:
    for statement in _STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    for relation in ("outage", "heartbeat", "ticker_checkpoint", "job"):
        op.execute(f"DROP TABLE {relation}")
