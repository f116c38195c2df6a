CREATE OR REPLACE FUNCTION take_append_turn(p_league uuid) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
    BEGIN
        PERFORM 1 FROM append_turn t WHERE t.league = p_league FOR UPDATE;
        IF NOT FOUND THEN
            INSERT INTO append_turn (league, maintenance)
            VALUES (p_league, EXISTS (SELECT FROM maintenance)) ON CONFLICT DO NOTHING;
            PERFORM 1 FROM append_turn t WHERE t.league = p_league FOR UPDATE;
        END IF;
    END
    $$
