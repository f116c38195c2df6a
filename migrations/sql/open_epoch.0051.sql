CREATE FUNCTION open_epoch(p_league uuid, p_operator text, p_reason text, p_kept bigint)
RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    raised integer;
    kept bigint;
BEGIN
    -- Behind the appends of this league, so that the size is the one it begins with.
    PERFORM take_append_turn(p_league);
    INSERT INTO league_epoch (league, epoch, raised_by) VALUES (p_league, 1, p_operator)
    ON CONFLICT (league) DO UPDATE
       SET epoch = league_epoch.epoch + 1, raised_by = excluded.raised_by,
           raised_at = clock_timestamp()
    RETURNING epoch INTO raised;
    -- Behind what the two histories share, old positions name events that are lost.
    kept := least(p_kept, coalesce((SELECT e.position + 1 FROM events e WHERE e.league = p_league
                                     ORDER BY e.position DESC LIMIT 1), 0));
    INSERT INTO epoch_opening (league, epoch, operator, reason, size)
    VALUES (p_league, raised, p_operator, p_reason, kept);
    DELETE FROM tree_node WHERE league = p_league;
    UPDATE ticker_checkpoint SET position = least(position, greatest(kept - 1, 0))
     WHERE league = p_league;
    RETURN raised;
END
$$
