CREATE FUNCTION refuse_to_forget() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'refused commands are append-only: % refused', TG_OP
            USING ERRCODE = 'restrict_violation';
    END
    $$
