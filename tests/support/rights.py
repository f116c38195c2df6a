"""
The rights of each login in the databases, read from PostgreSQL, one line for each object.

After an intended change of rights, ``python -m tests.support.rights`` writes the declared list.
"""

from collections.abc import Iterator

import psycopg

from service.base import database, migrations
from service.base.database import BROKER, LOGINS, OWNER
from service.base.shipped import ROOT
from tests.support.databases import running_server

DECLARED = ROOT / "deploy" / "postgres" / "rights.txt"
TITLE = """\
# The rights of each login: role, object, rights.  "public" means every login of the server.
# Only holotable_migrate is a member of holotable_owner, and has all rights of an owner.
# A test compares this list with the databases.  Generate it with: python -m tests.support.rights
"""

_MEMBERS = """
    SELECT member.rolname || ' member-of:' || role.rolname FROM pg_auth_members m
      JOIN pg_roles member ON member.oid = m.member JOIN pg_roles role ON role.oid = m.roleid
     WHERE member.rolname LIKE 'holotable%%'
"""
_DATABASE = """
    SELECT privilege FROM unnest('{CONNECT,CREATE,TEMPORARY}'::text[]) privilege
     WHERE has_database_privilege(%(role)s, current_database(), privilege)
"""
_OBJECTS = """
    SELECT 'schema:' || nspname, string_agg(privilege, ',' ORDER BY privilege)
      FROM pg_namespace, unnest('{USAGE,CREATE}'::text[]) privilege
     WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
       AND has_schema_privilege(%(role)s, oid, privilege)
     GROUP BY 1
    UNION ALL
    SELECT 'relation:' || nspname || '.' || relname,
           string_agg(privilege, ',' ORDER BY privilege)
      FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace,
           unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) privilege
     WHERE relkind IN ('r', 'p', 'v', 'm', 'f')
       AND nspname !~ '^pg_' AND nspname <> 'information_schema'
       AND has_table_privilege(%(role)s, c.oid, privilege)
     GROUP BY 1
    UNION ALL
    SELECT 'columns:' || nspname || '.' || relname || '(' ||
           string_agg(DISTINCT attname, ',' ORDER BY attname) || ')', privilege
      FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
      JOIN pg_attribute a ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped,
           unnest('{SELECT,INSERT,UPDATE,REFERENCES}'::text[]) privilege
     WHERE relkind IN ('r', 'p', 'v', 'm', 'f')
       AND nspname !~ '^pg_' AND nspname <> 'information_schema'
       AND NOT has_table_privilege(%(role)s, c.oid, privilege)
       AND has_column_privilege(%(role)s, c.oid, attnum, privilege)
     GROUP BY nspname, relname, privilege
    UNION ALL
    SELECT 'sequence:' || nspname || '.' || relname,
           string_agg(privilege, ',' ORDER BY privilege)
      FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace,
           unnest('{USAGE,SELECT,UPDATE}'::text[]) privilege
     WHERE relkind = 'S' AND nspname !~ '^pg_' AND nspname <> 'information_schema'
       AND has_sequence_privilege(%(role)s, c.oid, privilege)
     GROUP BY 1
    UNION ALL
    SELECT 'function:' || nspname || '.' || proname, 'EXECUTE'
      FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace
     WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
       AND has_function_privilege(%(role)s, p.oid, 'EXECUTE')
"""


def held(log_url: str, broker_url: str) -> list[str]:
    """Return a line for the rights of each login on each object, read as a superuser."""
    with psycopg.connect(log_url) as log, psycopg.connect(broker_url) as broker:
        lines = [row[0] for row in log.execute(_MEMBERS)]
        for role in (*LOGINS, "public"):
            lines += [f"{role} database:log {right}" for right in _of_database(log, role)]
            lines += [f"{role} database:broker {right}" for right in _of_database(broker, role)]
            inherits = role != "public" and _is_owner(log, role)
            if not inherits:
                objects = log.execute(_OBJECTS, {"role": role}).fetchall()
                lines += [f"{role} {name} {rights}" for name, rights in objects]
            if role != BROKER:
                objects = broker.execute(_OBJECTS, {"role": role}).fetchall()
                lines += [f"{role} broker/{name} {rights}" for name, rights in objects]
    return sorted(set(lines))


def _of_database(connection: psycopg.Connection, role: str) -> Iterator[str]:
    yield from (row[0] for row in connection.execute(_DATABASE, {"role": role}))


def _is_owner(connection: psycopg.Connection, role: str) -> bool:
    row = connection.execute("SELECT pg_has_role(%s, %s, 'USAGE')", [role, OWNER]).fetchone()
    return row is not None and bool(row[0])


def main() -> None:
    """Write the declared list from a fresh server."""
    with running_server() as server:
        superuser = server.cluster.url()
        database.create_database(superuser, "log")
        database.create_database(superuser, "broker", owner=BROKER)
        migrations.migrate(server.url("log", "holotable_migrate"))
        lines = held(server.cluster.url("log"), server.cluster.url("broker"))
    DECLARED.write_text(TITLE + "".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
