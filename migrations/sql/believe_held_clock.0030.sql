CREATE FUNCTION believe_held_clock() RETURNS bigint LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$ SELECT public.believe_clock(NULL, 'it held for ten minutes') $$
