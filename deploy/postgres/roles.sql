-- The roles of Holotable.  Run this once per server, as a superuser or as a role with CREATEROLE.
-- Running it again changes nothing.
-- It makes logins without passwords.  Set the passwords afterwards (ALTER ROLE ... PASSWORD).
--
--   holotable_owner    cannot log in; owns every relation, so that no process can drop a trigger
--   holotable_migrate  runs migrations as holotable_owner
--   holotable_api, holotable_worker   append to the log, only through a function
--   holotable_project  reads the log, writes the read models
--   holotable_audit    reads the log and the keys, cannot write to the log
--   holotable_broker   owns the database of Celery's messages, cannot reach the log

DO $$
DECLARE
    login text;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = 'holotable_owner') THEN
        CREATE ROLE holotable_owner NOLOGIN;
    END IF;
    FOREACH login IN ARRAY ARRAY[
        'holotable_migrate', 'holotable_api', 'holotable_worker',
        'holotable_project', 'holotable_audit', 'holotable_broker'
    ] LOOP
        IF NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = login) THEN
            EXECUTE pg_catalog.format('CREATE ROLE %I LOGIN', login);
        END IF;
        -- Only a superuser may name these attributes, and a new role has none of them.
        IF EXISTS (
            SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = login
               AND (rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls)
        ) THEN
            EXECUTE pg_catalog.format(
                'ALTER ROLE %I NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS', login);
        END IF;
    END LOOP;
    IF EXISTS (
        SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = 'holotable_owner'
           AND (rolcanlogin OR rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication)
    ) THEN
        ALTER ROLE holotable_owner NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION;
    END IF;
    -- The role that makes the databases for their owners must be a member of both. A superuser is.
    FOREACH login IN ARRAY ARRAY['holotable_owner', 'holotable_broker'] LOOP
        IF NOT pg_catalog.pg_has_role(login, 'USAGE') THEN
            EXECUTE pg_catalog.format('GRANT %I TO CURRENT_USER', login);
        END IF;
    END LOOP;
END
$$;

GRANT holotable_owner TO holotable_migrate;

-- A process that hangs during a transaction must not hold a league's lock for ever.
ALTER ROLE holotable_api SET idle_in_transaction_session_timeout = '10s';
ALTER ROLE holotable_worker SET idle_in_transaction_session_timeout = '10s';
ALTER ROLE holotable_api SET statement_timeout = '30s';
ALTER ROLE holotable_api SET lock_timeout = '10s';
ALTER ROLE holotable_worker SET lock_timeout = '10s';
ALTER ROLE holotable_migrate SET lock_timeout = '4s';
