"""
Keep the steps of the database's clock that are not believed.

``service_time()`` is the database's clock less the step that is in doubt.  All
processes read it, so that they doubt and believe the same.  A step is settled when the
clock returns, when it has held for ten minutes, or when an operator says so.  One that
is believed is an outage: open decisions get their time anew, and level clocks stood still.
"""

from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_LOGINS = "holotable_api, holotable_worker, holotable_project, holotable_audit"
_WRITERS = "holotable_api, holotable_worker"

STATEMENTS = (
    """
    CREATE TABLE clock_step (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_clock_step PRIMARY KEY,
        noticed_at timestamptz NOT NULL,
        ahead_us bigint NOT NULL,
        settled_at timestamptz,
        settled text CONSTRAINT ck_clock_step_settled
            CHECK (settled IN ('returned', 'changed', 'believed')),
        settled_by text,
        reason text,
        CONSTRAINT ck_clock_step_open CHECK ((settled_at IS NULL) = (settled IS NULL))
    )
    """,
    "CREATE UNIQUE INDEX uq_clock_step_open ON clock_step ((true)) WHERE settled_at IS NULL",
    f"GRANT SELECT ON clock_step TO {_LOGINS}",
    """
    CREATE FUNCTION service_time() RETURNS timestamptz LANGUAGE sql VOLATILE
    SET search_path = pg_catalog, public, pg_temp AS $$
        SELECT clock_timestamp() - coalesce(
            (SELECT s.ahead_us FROM clock_step s WHERE s.settled_at IS NULL), 0)
            * interval '1 microsecond'
    $$
    """,
    """
    CREATE FUNCTION read_clock(
        OUT read_at timestamptz, OUT ahead_us bigint, OUT noticed_at timestamptz,
        OUT believed bigint
    ) LANGUAGE sql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
        SELECT clock_timestamp(), coalesce(s.ahead_us, 0), s.noticed_at,
               coalesce((SELECT max(b.id) FROM clock_step b WHERE b.settled = 'believed'), 0)
          FROM (VALUES (true)) AS one (row)
          LEFT JOIN clock_step s ON s.settled_at IS NULL
    $$
    """,
    # Whoever notices a step first writes it down; the others find the clock as it was.
    """
    CREATE FUNCTION doubt_clock(p_ahead_us bigint, p_step_us bigint) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp AS $$
    DECLARE
        known bigint;
        total bigint := p_ahead_us + p_step_us;
    BEGIN
        SELECT s.ahead_us INTO known FROM clock_step s WHERE s.settled_at IS NULL FOR UPDATE;
        IF coalesce(known, 0) <> p_ahead_us THEN
            RETURN false;
        END IF;
        UPDATE clock_step SET settled_at = clock_timestamp(),
               settled = CASE WHEN abs(total) <= 5000000 THEN 'returned' ELSE 'changed' END
         WHERE settled_at IS NULL;
        IF abs(total) > 5000000 THEN
            INSERT INTO clock_step (noticed_at, ahead_us)
            VALUES (clock_timestamp() - total * interval '1 microsecond', total);
        END IF;
        RETURN true;
    EXCEPTION WHEN unique_violation THEN
        RETURN false;
    END
    $$
    """,
    # Leases and heartbeats move with the clock, so that nothing else seems to have happened.
    """
    CREATE FUNCTION believe_clock(p_by text, p_reason text) RETURNS bigint
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp AS $$
    DECLARE
        ahead bigint;
        step interval;
    BEGIN
        UPDATE clock_step SET settled_at = clock_timestamp(), settled = 'believed',
               settled_by = p_by, reason = p_reason
         WHERE settled_at IS NULL AND (p_by IS NOT NULL OR clock_timestamp()
               - clock_step.ahead_us * interval '1 microsecond'
               - noticed_at >= interval '10 minutes')
        RETURNING clock_step.ahead_us INTO ahead;
        IF ahead IS NULL THEN
            RETURN NULL;
        END IF;
        step := ahead * interval '1 microsecond';
        UPDATE heartbeat SET at = at + step;
        UPDATE job SET lease_until = lease_until + step WHERE state = 'sent';
        IF ahead > 0 THEN
            INSERT INTO outage (process, since_at, until_at)
            VALUES ('clock', clock_timestamp() - step, clock_timestamp());
        END IF;
        RETURN ahead;
    END
    $$
    """,
    "REVOKE ALL ON FUNCTION service_time, read_clock, doubt_clock, believe_clock FROM PUBLIC",
    f"GRANT EXECUTE ON FUNCTION service_time, read_clock TO {_LOGINS}",
    f"GRANT EXECUTE ON FUNCTION doubt_clock, believe_clock TO {_WRITERS}",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    raise NotImplementedError("what was believed of the clock is not forgotten by a migration")
