CREATE FUNCTION measure_clock(
    OUT read_at timestamptz, OUT ahead_us bigint, OUT noticed_at timestamptz,
    OUT counted_since timestamptz
) LANGUAGE sql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
        SELECT clock_timestamp(), coalesce(s.ahead_us, 0), s.noticed_at, s.counted_since
          FROM (VALUES (true)) AS one (row)
          LEFT JOIN clock_step s ON s.settled_at IS NULL
    $$
