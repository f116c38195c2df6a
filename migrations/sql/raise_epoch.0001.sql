CREATE FUNCTION raise_epoch(p_league uuid, p_operator text) RETURNS integer
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    INSERT INTO league_epoch (league, epoch, raised_by) VALUES (p_league, 1, p_operator)
    ON CONFLICT (league) DO UPDATE
       SET epoch = league_epoch.epoch + 1, raised_by = excluded.raised_by,
           raised_at = clock_timestamp()
    RETURNING epoch
$$
