CREATE FUNCTION refuse_to_rewrite() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        RAISE EXCEPTION 'the log is append-only: % refused', TG_OP
            USING ERRCODE = 'restrict_violation';
    END
    $$
