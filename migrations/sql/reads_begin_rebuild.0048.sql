CREATE OR REPLACE FUNCTION reads_begin_rebuild(relations text[], projection text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE relation text;
BEGIN
    FOREACH relation IN ARRAY relations LOOP
        EXECUTE format('DROP TABLE IF EXISTS reads_next.%I', relation);
        EXECUTE format(
            'CREATE TABLE reads_next.%I (LIKE reads.%I INCLUDING ALL)', relation, relation);
        EXECUTE format(
            'GRANT SELECT, INSERT, UPDATE, DELETE ON reads_next.%I TO holotable_project',
            relation);
        EXECUTE format(
            'GRANT SELECT ON reads_next.%I TO holotable_api, holotable_worker, holotable_audit',
            relation);
    END LOOP;
    DELETE FROM reads_next.checkpoint WHERE name = projection;
END
$$
