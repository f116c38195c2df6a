-- The first process to notice a step writes it down.  For the others the clock is as it was.
-- p_counted_us is how long that process has counted.  The one that has counted longest is right.
CREATE FUNCTION record_clock_step(
    p_ahead_us bigint, p_step_us bigint, p_counted_us bigint
) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
    DECLARE
        known bigint;
        total bigint := p_ahead_us + p_step_us;
        noticed timestamptz := clock_timestamp() - total * interval '1 microsecond';
    BEGIN
        SELECT s.ahead_us INTO known FROM clock_step s WHERE s.settled_at IS NULL FOR UPDATE;
        IF coalesce(known, 0) <> p_ahead_us THEN
            RETURN false;
        END IF;
        UPDATE clock_step SET settled_at = clock_timestamp(),
               settled = CASE WHEN abs(total) <= 5000000 THEN 'returned' ELSE 'changed' END
         WHERE settled_at IS NULL;
        IF abs(total) > 5000000 THEN
            INSERT INTO clock_step (noticed_at, ahead_us, counted_since)
            VALUES (noticed, total, noticed - p_counted_us * interval '1 microsecond');
        END IF;
        RETURN true;
    EXCEPTION WHEN unique_violation THEN
        RETURN false;
    END
    $$
