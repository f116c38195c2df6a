CREATE FUNCTION reads_swap(relations text[], projection text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE relation text;
BEGIN
    PERFORM 1 FROM reads.checkpoint WHERE name = projection FOR UPDATE;
    IF EXISTS (
        SELECT 1 FROM reads.checkpoint l FULL JOIN
            (SELECT * FROM reads_next.checkpoint WHERE name = projection) n USING (name, league)
        WHERE name = projection AND l.position > coalesce(n.position, -1)
    ) THEN
        RAISE EXCEPTION 'projection % moved on during its rebuild', projection
            USING ERRCODE = 'serialization_failure';
    END IF;
    FOREACH relation IN ARRAY relations LOOP
        EXECUTE format('DROP TABLE reads.%I', relation);
        EXECUTE format('ALTER TABLE reads_next.%I SET SCHEMA reads', relation);
    END LOOP;
    DELETE FROM reads.checkpoint WHERE name = projection;
    INSERT INTO reads.checkpoint (name, league, version, position)
        SELECT name, league, version, position FROM reads_next.checkpoint WHERE name = projection;
    DELETE FROM reads_next.checkpoint WHERE name = projection;
END
$$
