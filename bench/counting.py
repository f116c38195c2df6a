"""The same small aggregate for our log and for its peer, and a server for both."""

import os
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import msgspec
from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from engine.decider import Decider
from engine.values import Stream
from service.base import database, migrations
from service.base.embedded import Cluster, binaries
from service.base.sources import DatabaseClock
from service.log.store import PostgresStore
from service.log.writer import Decide, Order, States, StreamEvents, Writer

PASSWORD = "bench"
SECRET = "a key of the benchmark, and of nothing else"


class Wagered(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="wagered"):
    """A bet in the log."""

    seat: int
    amount: int
    rule: str = "betting.raise"


class Wagers(msgspec.Struct, frozen=True):
    """The sum of all wagers."""

    total: int = 0


DECIDERS: dict[str, Decider[Any, Any, Any]] = {
    "table": Decider(
        category="table",
        events=Wagered,
        initial=Wagers(),
        decide=lambda _state, amount: (Wagered(seat=1, amount=amount),),
        evolve=lambda state, happened: Wagers(state.total + happened.amount),
    )
}


def wagering(stream: Stream[Wagers], amount: int = 5) -> Decide:
    """Return a decision that wagers once."""

    async def decide(states: States) -> list[StreamEvents]:
        loaded = await states.load(stream)
        return [StreamEvents(stream, DECIDERS["table"].decide(loaded.state, amount))]

    return decide


def command(clock: DatabaseClock) -> Order:
    """Return a new command."""
    return Order(
        command_id=uuid4(),
        actor="plr_" + "1" * 32,
        received_at=clock.now(),
        request=b'{"type":"raise_to","amount":5}',
    )


class PeerTable(Aggregate):
    """The same aggregate in the library's form."""

    @event("Opened")
    def __init__(self) -> None:
        self.total = 0

    @event("Wagered")
    def wager(self, seat: int, amount: int, rule: str) -> None:
        """Wager once."""
        self.total += amount


@dataclass(frozen=True)
class Bench:
    """One server with a database for each side."""

    cluster: Cluster
    ours: str
    peers: str

    def writer(
        self, clock: DatabaseClock, deciders: Mapping[str, Decider[Any, Any, Any]] = DECIDERS
    ) -> Writer:
        """Return our writer, not started."""
        return Writer(PostgresStore(self.ours, SECRET), deciders, clock.now)

    def peer(self, connections: int) -> Application[UUID]:
        """Return the library's application on its database."""
        parts = urlsplit(self.peers)
        return Application(
            env={
                "PERSISTENCE_MODULE": "eventsourcing.postgres",
                "POSTGRES_DBNAME": parts.path.strip("/"),
                "POSTGRES_HOST": str(parts.hostname),
                "POSTGRES_PORT": str(parts.port),
                "POSTGRES_USER": str(parts.username),
                "POSTGRES_PASSWORD": str(parts.password),
                "POSTGRES_POOL_SIZE": str(connections),
                "POSTGRES_MAX_WAITING": "1000",
            }
        )


@contextmanager
def bench() -> Iterator[Bench]:
    """Start a durable server for both sides, print its version, and stop it."""
    with TemporaryDirectory(prefix="holotable-bench-") as directory:
        cluster = Cluster(Path(directory) / "cluster", binaries(os.environ), durable=True)
        with cluster:
            database.create_roles(cluster.url(), dict.fromkeys(database.LOGINS, PASSWORD))
            database.create_database(cluster.url(), "ours")
            database.create_database(cluster.url(), "peers", owner="postgres")
            migrations.migrate(cluster.url("ours", "holotable_migrate", PASSWORD))
            print(
                f"PostgreSQL {database.server_version(cluster.url())}, fsync on, "
                f"Python {platform.python_version()}, {os.cpu_count()} cores, "
                f"eventsourcing {version('eventsourcing')}, asyncpg {version('asyncpg')}"
            )
            yield Bench(
                cluster, cluster.url("ours", "holotable_api", PASSWORD), cluster.url("peers")
            )
