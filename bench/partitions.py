"""
Measure the log's relation in three layouts: one relation, partitions by hash, one for each league.

Each layout has the columns, constraints, indexes and trigger of ``events``. All hold the same
events in ``LEAGUES`` leagues, of which the first has a tenth. Reads begin cold: after a restart of
the server, with nothing in its buffers. The file cache of the machine stays.
"""

import os
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from hashlib import md5
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

import psycopg

from service.base.embedded import Cluster, binaries

LEAGUES = 200
STREAM = 300
"""Events of a stream."""

BATCH = 64
APPENDS = 300
READS = 200
PAGE = 500
SIZES = (100_000, 1_000_000)

COLUMNS = """
    league uuid NOT NULL, position bigint NOT NULL CHECK (position >= 0), stream text NOT NULL,
    stream_version bigint NOT NULL CHECK (stream_version >= 1), event_id uuid NOT NULL,
    type text NOT NULL, schema_version smallint NOT NULL, at timestamptz NOT NULL,
    data json NOT NULL, sealed bytea, metadata json NOT NULL,
    hash bytea NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (league, position), UNIQUE (league, stream, stream_version),
    UNIQUE (league, event_id)
"""
TRIGGER = """
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'append-only'; END $$;
    CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse();
"""
ROWS = f"""
    INSERT INTO events
    SELECT lpad(to_hex(l), 32, '0')::uuid, p, 'table-' || md5(l || '-' || p / {STREAM}),
           p %% {STREAM} + 1, md5(l || ':' || p)::uuid, 'seat_acted', 1, now(),
           ('{{"amount":5,"note":"' || repeat(md5(p::text), 12) || '"}}')::json, NULL,
           ('{{"actor":"' || repeat(md5(l::text), 9) || '"}}')::json, sha256((l || ':' || p)::bytea)
      FROM generate_series(%(first)s::int, %(last)s::int) l,
           generate_series(%(start)s::int, %(end)s::int) p
"""
APPEND = """
    INSERT INTO events
    SELECT %(league)s::uuid, %(start)s::bigint + n,
           'table-' || md5(%(run)s::text || ':' || n::text),
           %(version)s, gen_random_uuid(), 'seat_acted', 1, now(), %(data)s::json, NULL,
           %(metadata)s::json,
           sha256(n::text::bytea)
      FROM generate_series(0, %(last)s::int) n
"""
KNOWN = """
    WITH RECURSIVE known AS (
        (SELECT league FROM events ORDER BY league LIMIT 1)
        UNION ALL
        SELECT (SELECT e.league FROM events e WHERE e.league > k.league ORDER BY e.league LIMIT 1)
          FROM known k WHERE k.league IS NOT NULL)
    SELECT count(*) FROM known
"""
FOLD = "SELECT * FROM events WHERE league = %s AND stream = %s AND stream_version > 0 LIMIT 2000"
FEED = "SELECT * FROM events WHERE league = %s AND position > %s ORDER BY position LIMIT 500"
FIND = "SELECT league FROM events WHERE stream = %s AND stream_version = 1"

Layout = Callable[[psycopg.Connection], None]


def league(number: int) -> UUID:
    """Return the identifier of a league by its number, from 1."""
    return UUID(int=number)


def first_stream(number: int) -> str:
    """Return the first stream of a league."""
    return f"table-{md5(f'{number}-0'.encode(), usedforsecurity=False).hexdigest()}"


def plain(connection: psycopg.Connection) -> None:
    """Make one relation, as it is today."""
    connection.execute(f"CREATE TABLE events ({COLUMNS})")


def by_hash(connection: psycopg.Connection) -> None:
    """Make 16 partitions, each with the leagues of one remainder."""
    connection.execute(f"CREATE TABLE events ({COLUMNS}) PARTITION BY HASH (league)")
    for number in range(16):
        connection.execute(
            f"CREATE TABLE events_{number} PARTITION OF events "
            f"FOR VALUES WITH (MODULUS 16, REMAINDER {number})"
        )


def by_league(connection: psycopg.Connection) -> None:
    """Make one partition for each league."""
    connection.execute(f"CREATE TABLE events ({COLUMNS}) PARTITION BY LIST (league)")
    for number in range(1, LEAGUES + 1):
        connection.execute(
            f"CREATE TABLE events_{number} PARTITION OF events FOR VALUES IN ('{league(number)}')"
        )


LAYOUTS: dict[str, Layout] = {"one": plain, "hash 16": by_hash, f"{LEAGUES} leagues": by_league}


def fill(connection: psycopg.Connection, size: int) -> tuple[int, int]:
    """Fill the log. Return the events of the first league, and of each other one."""
    large, small = size // 10, size * 9 // 10 // (LEAGUES - 1)
    # The leagues grow side by side, so that their rows lie mixed as they do in a house in use.
    step = 50
    for start in range(0, small, step):
        last = min(start + step, small) - 1
        connection.execute(ROWS, {"first": 2, "last": LEAGUES, "start": start, "end": last})
        share = range(start * large // small, (last + 1) * large // small)
        if share:
            connection.execute(ROWS, {"first": 1, "last": 1, "start": share[0], "end": share[-1]})
    return large, small


def quick(took: list[float]) -> float:
    """
    Return the time within which a tenth of the tries ended. Other load on the machine delays the
    slower ones.
    """
    return sorted(took)[len(took) // 10]


def timed(connection: psycopg.Connection, statement: str, *values: object) -> float:
    """Return the milliseconds that a statement and its rows take."""
    begun = time.perf_counter()
    connection.execute(statement, values).fetchall()
    return (time.perf_counter() - begun) * 1000


def appends(connection: psycopg.Connection, large: int, count: int) -> float:
    """Return the milliseconds of one append of *count* events to the first league."""
    position, took = large, []
    data, metadata = '{"note":"' + "x" * 400 + '"}', '{"actor":"' + "y" * 300 + '"}'
    last = connection.execute("SELECT max(position) FROM events WHERE league = %s", [league(1)])
    position = (last.fetchone() or (0,))[0] + 1
    for run in range(APPENDS):
        begun = time.perf_counter()
        connection.execute(
            APPEND,
            {"league": league(1), "start": position, "run": f"{count} {run}", "version": 1,
             "data": data, "metadata": metadata, "last": count - 1},
        )  # fmt: skip
        took.append((time.perf_counter() - begun) * 1000)
        position += count
    return quick(took)


SPACE = """
    SELECT coalesce(sum(pg_total_relation_size(relid)), pg_total_relation_size('events'))
      FROM pg_partition_tree('events')
"""


def build(url: str, layout: Layout, size: int) -> tuple[int, int]:
    """Fill a database with *size* events. Return the events of the large and of a small league."""
    with psycopg.connect(url, autocommit=True) as connection:
        layout(connection)
        connection.execute("CREATE INDEX ON events (stream) WHERE stream_version = 1")
        connection.execute(TRIGGER)
        return fill(connection, size)


def vacuumed(connection: psycopg.Connection) -> float:
    """Return the seconds that a VACUUM took."""
    begun = time.perf_counter()
    connection.execute("VACUUM (ANALYZE) events")
    return time.perf_counter() - begun


def measure(cluster: Cluster, name: str, layout: Layout, size: int) -> dict[str, str]:
    """Return the figures of one layout."""
    cluster.start()
    with psycopg.connect(cluster.url(), autocommit=True) as server:
        server.execute("DROP DATABASE IF EXISTS layout WITH (FORCE)")
        server.execute("CREATE DATABASE layout")
    begun = time.perf_counter()
    large, small = build(cluster.url("layout"), layout, size)
    filled = time.perf_counter() - begun
    with psycopg.connect(cluster.url("layout"), autocommit=True) as connection:
        vacuum = vacuumed(connection)
        space = connection.execute(SPACE).fetchone() or (0,)
        connection.execute("CHECKPOINT")
    cold, first = [], []
    for number in range(5):
        cluster.stop()
        cluster.start()
        with psycopg.connect(cluster.url("layout"), autocommit=True) as connection:
            it = 17 + number
            first.append(timed(connection, FOLD, league(it), first_stream(it)))
            cold.append(timed(connection, FEED, league(1), large // 2))
    with psycopg.connect(cluster.url("layout"), autocommit=True) as connection:
        feed = [timed(connection, FEED, league(2 + n % 190), small // 3) for n in range(READS)]
        some = [2 + n % 190 for n in range(READS)]
        fold = [timed(connection, FOLD, league(n), first_stream(n)) for n in some]
        find = [timed(connection, FIND, first_stream(2 + n % 190)) for n in range(READS)]
        known = [timed(connection, KNOWN) for _ in range(5)]
        one, many = appends(connection, large, 1), appends(connection, large, BATCH)
        again = vacuumed(connection)
        detach = "-"
        if name.endswith("leagues"):
            begun = time.perf_counter()
            connection.execute("ALTER TABLE events DETACH PARTITION events_2")
            detach = f"{(time.perf_counter() - begun) * 1000:.0f} ms"
    cluster.stop()
    return {
        "filled in": f"{filled:.0f} s",
        "size": f"{float(space[0]) / 1e6:.0f} MB",
        "append of 1": f"{one:.2f} ms",
        f"append of {BATCH}": f"{many:.2f} ms",
        "stream, cold": f"{quick(first):.1f} ms",
        "feed page, cold": f"{quick(cold):.1f} ms",
        "feed page, warm": f"{quick(feed):.2f} ms",
        "stream, warm": f"{quick(fold):.2f} ms",
        "league of a stream": f"{quick(find):.2f} ms",
        "list of leagues": f"{quick(known):.1f} ms",
        "vacuum, first": f"{vacuum:.1f} s",
        "vacuum, again": f"{again:.1f} s",
        "detach a league": detach,
    }


def main() -> None:
    """Print a table for each number of events."""
    sizes = [int(each) for each in os.environ.get("BENCH_EVENTS", "").split(",") if each] or SIZES
    for size in sizes:
        found = {}
        for name, layout in LAYOUTS.items():
            with ExitStack() as stack:
                folder = stack.enter_context(TemporaryDirectory(prefix="holotable-bench-"))
                cluster = Cluster(Path(folder) / "cluster", binaries(os.environ))
                stack.callback(cluster.stop)
                found[name] = measure(cluster, name, layout, size)
        print(f"{size:,} events in {LEAGUES} leagues")
        print(f"| | {' | '.join(found)} |")
        print(f"|---|{'---:|' * len(found)}")
        for figure in next(iter(found.values())):
            print(f"| {figure} | {' | '.join(each[figure] for each in found.values())} |")
        sys.stdout.flush()
