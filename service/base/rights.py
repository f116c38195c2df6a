"""
The rights of each login in the databases, read from PostgreSQL and compared with the declared ones.

A right is a line: role, object, rights. ``deploy/postgres/rights.txt`` declares them. Every login
may read what any other may do.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

MEMBERS: Final = """
    SELECT member.rolname || ' member-of:' || role.rolname FROM pg_auth_members m
      JOIN pg_roles member ON member.oid = m.member JOIN pg_roles role ON role.oid = m.roleid
     WHERE member.rolname = ANY ({roles})
"""
DATABASE: Final = """
    SELECT privilege FROM unnest('{{CONNECT,CREATE,TEMPORARY}}'::text[]) privilege
     WHERE has_database_privilege({role}, current_database(), privilege)
"""
# Objects of extensions belong to the extensions.
OBJECTS: Final = """
    WITH of_extensions AS (SELECT objid FROM pg_depend WHERE deptype = 'e'),
    spaces AS (
        SELECT oid, nspname FROM pg_namespace
         WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
           AND oid NOT IN (SELECT objid FROM of_extensions)),
    relations AS (
        SELECT c.oid, nspname, relname, relkind
          FROM pg_class c JOIN spaces n ON n.oid = relnamespace
         WHERE c.oid NOT IN (SELECT objid FROM of_extensions))
    SELECT 'schema:' || nspname, string_agg(privilege, ',' ORDER BY privilege)
      FROM spaces, unnest('{{USAGE,CREATE}}'::text[]) privilege
     WHERE has_schema_privilege({role}, oid, privilege)
     GROUP BY 1
    UNION ALL
    SELECT 'relation:' || nspname || '.' || relname,
           string_agg(privilege, ',' ORDER BY privilege)
      FROM relations,
           unnest('{{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}}'::text[]) privilege
     WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND has_table_privilege({role}, oid, privilege)
     GROUP BY 1
    UNION ALL
    SELECT 'columns:' || nspname || '.' || relname || '(' ||
           string_agg(DISTINCT attname, ',' ORDER BY attname) || ')', privilege
      FROM relations
      JOIN pg_attribute a ON attrelid = relations.oid AND attnum > 0 AND NOT attisdropped,
           unnest('{{SELECT,INSERT,UPDATE,REFERENCES}}'::text[]) privilege
     WHERE relkind IN ('r', 'p', 'v', 'm', 'f')
       AND NOT has_table_privilege({role}, relations.oid, privilege)
       AND has_column_privilege({role}, relations.oid, attnum, privilege)
     GROUP BY nspname, relname, privilege
    UNION ALL
    SELECT 'sequence:' || nspname || '.' || relname,
           string_agg(privilege, ',' ORDER BY privilege)
      FROM relations, unnest('{{USAGE,SELECT,UPDATE}}'::text[]) privilege
     WHERE relkind = 'S' AND has_sequence_privilege({role}, oid, privilege)
     GROUP BY 1
    UNION ALL
    SELECT 'function:' || nspname || '.' || proname, 'EXECUTE'
      FROM pg_proc p JOIN spaces n ON n.oid = pronamespace
     WHERE p.oid NOT IN (SELECT objid FROM of_extensions)
       AND has_function_privilege({role}, p.oid, 'EXECUTE')
"""
IS_OWNER: Final = "SELECT pg_has_role({role}, {owner}, 'USAGE')"

_LINE = re.compile(
    r"(?P<role>\S+) (?P<kind>[\w-]+):(?P<name>[^( ]+)(?:\((?P<columns>.+)\))?(?: (?P<rights>\S+))?"
)
_ON: Final = {
    "schema": "SCHEMA ",
    "relation": "",
    "columns": "",
    "sequence": "SEQUENCE ",
    "function": "FUNCTION ",
    "database": "DATABASE ",
}


def of_log(declared: Iterable[str]) -> set[str]:
    """Return the lines of a declaration that concern the database of the log."""
    return {
        line
        for line in declared
        if not line.startswith("#") and " broker/" not in line and " database:broker" not in line
    }


def statements(verb: str, preposition: str, lines: Iterable[str], database: str) -> Iterator[str]:
    """
    Yield the SQL that gives or takes the rights of *lines*.

    Args:
        verb: ``GRANT`` or ``REVOKE``, with its *preposition*, ``TO`` or ``FROM``.
    """
    for line in lines:
        found = _LINE.fullmatch(line)
        if found is None:
            continue
        role, kind, name = found["role"], found["kind"], found["name"]
        if kind == "member-of":
            yield f"{verb} {name} {preposition} {role};"
            continue
        rights = found["rights"] + (f" ({found['columns']})" if kind == "columns" else "")
        on = database if kind == "database" else name
        yield f"{verb} {rights} ON {_ON[kind]}{on} {preposition} {role};"


def difference(declared: Iterable[str], held: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the missing lines and the superfluous ones, right by right."""
    wanted, found = _single(declared), _single(held)
    return sorted(wanted - found), sorted(found - wanted)


def _single(lines: Iterable[str]) -> set[str]:
    """Return a line for each right on each object, or column."""
    single: set[str] = set()
    for line in lines:
        found = _LINE.fullmatch(line)
        if found is None or found["rights"] is None:
            single.add(line)
            continue
        columns = found["columns"].split(",") if found["columns"] else [None]
        for right in found["rights"].split(","):
            for column in columns:
                part = f"({column})" if column else ""
                single.add(f"{found['role']} {found['kind']}:{found['name']}{part} {right}")
    return single
