CREATE FUNCTION erased_among(p_people uuid[]) RETURNS uuid[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
            SELECT coalesce(array_agg(a.id), '{}') FROM account a
             WHERE a.id = ANY (p_people)
               AND a.login IS NULL AND a.name IS NULL AND a.password IS NULL
        $$
