CREATE FUNCTION refuse_to_take_back() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        IF TG_OP = 'UPDATE' AND NEW.league = OLD.league AND NEW.relocation = 'released' THEN
            RETURN NEW;
        END IF;
        RAISE EXCEPTION 'the league was released to another cell' USING ERRCODE = 'HT005';
    END
    $$
