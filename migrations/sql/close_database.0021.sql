-- PostgreSQL lets every login connect to a new database, even the login of the broker.
DO $$
DECLARE
    here text := current_database();
BEGIN
    IF pg_has_role(current_user, (SELECT datdba FROM pg_database WHERE datname = here), 'USAGE')
    THEN
        EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC, holotable_broker', here);
        EXECUTE format('GRANT CONNECT ON DATABASE %I TO holotable_migrate, holotable_api, '
            'holotable_worker, holotable_project, holotable_audit', here);
        EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO holotable_worker, holotable_project, '
            'holotable_audit', here);
    ELSE
        RAISE WARNING 'the database % is not holotable_owner''s: run holotable prepare, '
            'which closes it to logins that do not need it', here;
    END IF;
END
$$
