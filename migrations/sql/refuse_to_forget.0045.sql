CREATE OR REPLACE FUNCTION refuse_to_forget() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        -- Only prune() sets this. No login but the owner may delete rows, with it or without.
        IF TG_OP = 'DELETE' AND current_setting('holotable.pruning', true) = 'on' THEN
            RETURN NULL;
        END IF;
        RAISE EXCEPTION 'refused commands are append-only: % refused', TG_OP
            USING ERRCODE = 'restrict_violation';
    END
    $$
