-- Leases and heartbeats move with the clock, so that nothing else seems to have happened.
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
