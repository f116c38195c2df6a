CREATE FUNCTION service_time() RETURNS timestamptz LANGUAGE sql VOLATILE
SET search_path = pg_catalog, public, pg_temp AS $$
        SELECT clock_timestamp() - coalesce(
            (SELECT s.ahead_us FROM clock_step s WHERE s.settled_at IS NULL), 0)
            * interval '1 microsecond'
    $$
