"""
The rights of each login in the databases, read from PostgreSQL, one line for each object.

After an intended change of rights, ``python -m tests.support.rights`` writes the declared list.
"""

from collections.abc import Iterator

import psycopg

from service.base import database, migrations, rights
from service.base.database import BROKER, LOGINS, OWNER
from service.base.shipped import RIGHTS
from tests.support.databases import running_server

DECLARED = RIGHTS
TITLE = """\
# The rights of each login: role, object, rights.  "public" means every login of the server.
# Only holotable_migrate is a member of holotable_owner, and has all rights of an owner.
# A test compares this list with the databases.  Generate it with: python -m tests.support.rights
"""

_ROLE = {"role": "%(role)s"}


def held(log_url: str, broker_url: str) -> list[str]:
    """Return a line for the rights of each login on each object, read as a superuser."""
    with psycopg.connect(log_url) as log, psycopg.connect(broker_url) as broker:
        asked = rights.MEMBERS.format(roles="%s").encode()
        lines = [row[0] for row in log.execute(asked, [list(LOGINS)])]
        objects_of = rights.OBJECTS.format(**_ROLE).encode()
        for role in (*LOGINS, "public"):
            lines += [f"{role} database:log {right}" for right in _of_database(log, role)]
            lines += [f"{role} database:broker {right}" for right in _of_database(broker, role)]
            inherits = role != "public" and _is_owner(log, role)
            if not inherits:
                objects = log.execute(objects_of, {"role": role}).fetchall()
                lines += [f"{role} {name} {given}" for name, given in objects]
            if role != BROKER:
                objects = broker.execute(objects_of, {"role": role}).fetchall()
                lines += [f"{role} broker/{name} {given}" for name, given in objects]
    return sorted(set(lines))


def _of_database(connection: psycopg.Connection, role: str) -> Iterator[str]:
    yield from (
        row[0]
        for row in connection.execute(rights.DATABASE.format(**_ROLE).encode(), {"role": role})
    )


def _is_owner(connection: psycopg.Connection, role: str) -> bool:
    asked = rights.IS_OWNER.format(role="%s", owner="%s").encode()
    row = connection.execute(asked, [role, OWNER]).fetchone()
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
