"""
The whole stack under one process: database, signer, API, projections, worker.

Every child logs in with its own role and ends with this process: the kernel ends it even if this
process is killed. Start the stack from the main thread (see ``embedded``).
"""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from service.base import addresses, database, migrations
from service.base.children import dying_with
from service.base.embedded import Cluster, ClusterFailed, binaries
from service.base.ports import free_ports
from service.base.secret_files import write_secret
from service.base.settings import PREFIX, Settings, SignerSettings, environment
from service.base.shipped import ROOT
from service.base.sources import SystemEntropy
from service.process import at_rest, starting
from service.process.signer import make_key
from service.process.starting import StackFailed, kept_secret, last_words
from service.process.watching import ProcessWatch, answers, serves
from service.tasks import broker
from service.tasks.worker import READY

DATABASE = database.DATABASE

_READY_SECONDS = 180.0
_STOP_SECONDS = 15.0
_CHILDREN = ("signer", "api", "project", "worker")
"""The children that every stack has, in the order of their start."""

_BOTS, _POSTGRES = "bots", "postgres"
_LOGINS = {_BOTS: "worker"}
"""The children that use the login of another process."""

_ASKING_SIGNER = ("api", "worker", "audit", "migrate")
_AGAIN_SECONDS = 1.0
"""The pause before an ended child is started again. It doubles with each further end."""

_AGAIN_TIMES = 5
"""If a child ends more often than this, each time soon after its start, the whole stack ends."""

_SOUND_SECONDS = 60.0
"""A child that has run for this long counts as sound again."""

_OF_LOGS = ("log_level", "log_format")
_SIGNER = "holotable.local"
"""The name of the signer of a stack on one machine."""


@dataclass
class Stack:
    """
    The whole stack, as a context manager.

    Args:
      data: Directory of the cluster, the secrets and the logs.
      host: The host on which the API listens.
      port: The API's port. 0 takes a free one.
      keep: True if *data* outlives the stack.
      durable: False for data that need not survive the machine.
      options: Further settings of the children, by field name.
      server: Address of a PostgreSQL to use instead of an embedded one, with a
        superuser's login.
      name: The name of the log's database. The broker's name is derived from it.
      bots: True to play house bots too, in a child of their own.
      watch: The addresses at which the children show metrics and health. None for no addresses.
    """

    data: Path
    host: str = "127.0.0.1"
    port: int = 0
    keep: bool = True
    durable: bool = True
    options: Mapping[str, object] = field(default_factory=dict)
    server: str | None = None
    name: str = DATABASE
    bots: bool = False
    watch: ProcessWatch | None = None
    cluster: Cluster | None = None
    signer_port: int = 0
    _children: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    _log_began: dict[str, int] = field(default_factory=dict)
    _started: dict[str, float] = field(default_factory=dict)
    _ends: Counter[str] = field(default_factory=Counter)
    """The number of times that each child has ended soon after its start, in a row."""

    _due: dict[str, float] = field(default_factory=dict)
    """The time at which each ended child is started again."""

    _refused: str = ""
    """Why the last start of PostgreSQL failed, or nothing."""

    roles_found: bool | None = None

    @property
    def children(self) -> tuple[str, ...]:
        """The children, in the order of their start."""
        return (*_CHILDREN, _BOTS) if self.bots else _CHILDREN

    @property
    def url(self) -> str:
        """The address of the API."""
        return f"http://{self.host}:{self.port}"

    def settings(self, process: str) -> Settings:
        """Return the settings of a process: ``api``, ``worker``, ``bots``, ``audit``, …"""
        needs_broker = process == "worker"
        return Settings(
            database_url=self._url(f"holotable_{_LOGINS.get(process, process)}", self.name),
            secret_key=self._secret("key"),
            second_secret_key=self._kept("second-key"),
            broker_url=self._url(database.BROKER, self._broker) if needs_broker else None,
            signer_url=self.signer_url if process in _ASKING_SIGNER else None,
            signer_token=self._secret("signer-token") if process in _ASKING_SIGNER else None,
            host=self.host,
            port=self.port,
            metrics_address=self._metrics(process),
            **self.options,  # type: ignore[arg-type]
        )

    def signer_settings(self) -> SignerSettings:
        """Return the settings of the signer. Its key and memory are made once and kept."""
        return SignerSettings(
            signer_key=self._signing_key(),
            signer_memory=str(self.data / "signer"),
            signer_token=self._secret("signer-token"),
            port=self.signer_port,
            metrics_address=self._metrics("signer"),
            **{name: it for name, it in self.options.items() if name in _OF_LOGS},  # type: ignore[arg-type]
        )

    def _metrics(self, process: str) -> str | None:
        return None if self.watch is None else self.watch.addresses.get(process)

    @property
    def signer_url(self) -> str:
        """The signer's address: always on loopback, for any host of the API."""
        return f"http://127.0.0.1:{self.signer_port}"

    def command(self, process: str) -> list[str]:
        """Return the command line of a child."""
        return [sys.executable, "-m", "service.cli.main", process]

    def start(self) -> None:
        """
        Start everything and wait until it answers.

        Raises:
          StackFailed: If a child does not start, or the API cannot listen. Nothing runs then.
          ClusterFailed: If the database does not start, or its superuser is locked out.
        """
        if at_rest.unfinished(self.data):
            raise StackFailed("a restore into it did not end", "run `holotable restore` again")
        self.port = starting.usable_port(self.host, self.port)
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.signer_port = free_ports()
        try:
            self._start_database()
            for process in self.children:
                self._spawn(process)
            self._await("signer", lambda: answers(f"{self.signer_url}/key"))
            self._await("api", lambda: serves(f"{self.url}/readyz", self._children["api"].pid))
            self._await_worker()
        except BaseException:  # Ctrl-C during the start must leave no child behind either
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the children in reverse order, then the database. Remove data that is not kept."""
        for process in reversed(tuple(self._children)):
            child = self._children.pop(process)
            child.terminate()
            try:
                child.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        if self.cluster is not None:
            self.cluster.stop()
            self.cluster = None
        if not self.keep:
            self.discard()

    def discard(self) -> None:
        """Remove the data of a stopped stack, and restore a given server to its earlier state."""
        if self.server is not None and self.roles_found is not None:
            for name in (self.name, self._broker):
                database.drop_database(self.server, name)
            if self.roles_found:
                database.forget_passwords(self.server)
            else:
                database.drop_roles(self.server)
            self.roles_found = None
        shutil.rmtree(self.data, ignore_errors=True)

    @property
    def where(self) -> str:
        """The place of the data, for people to read."""
        return f"{self.data}{f', and {self.name} on the given server' if self.server else ''}"

    def check(self) -> None:
        """
        Check that everything still runs.

        Raises:
          StackFailed: If a child or the embedded database has ended by itself.
        """
        if (ended := self.failed()) is not None:
            raise StackFailed(self._why(ended))

    def mend(self, told: Callable[[str], None]) -> None:
        """
        Restart children that have ended, after a growing pause, and end those that hang.

        Args:
          told: Called with one line about each child.

        Raises:
          StackFailed: If a child or the embedded database ends again and again.
        """
        now = time.monotonic()
        for process in (_POSTGRES, *self.children):
            if process in self._due:
                if self._due[process] <= now:
                    del self._due[process]
                    self._begin_again(process)
            elif self._has_ended(process):
                soon = now - self._started.get(process, 0.0) < _SOUND_SECONDS
                self._ends[process] = self._ends[process] + 1 if soon else 1
                if self._ends[process] > _AGAIN_TIMES:
                    why = f"{self._why(process)} ({_AGAIN_TIMES} restarts did not help)"
                    raise StackFailed(why)
                pause = _AGAIN_SECONDS * 2.0 ** (self._ends[process] - 1)
                self._due[process] = now + pause
                told(f"{self._why(process)}; it is started again in {pause:.0f} s")
            elif self.watch is not None and self.watch.hangs(process):
                self._children[process].kill()
                told(f"{process} has not answered for a minute, and was ended")

    def _has_ended(self, process: str) -> bool:
        if process == _POSTGRES:
            return self.cluster is not None and self.cluster.ended()
        return self._children[process].poll() is not None

    def _begin_again(self, process: str) -> None:
        if process != _POSTGRES:
            self._spawn(process)
        elif self.cluster is not None:
            self._started[process] = time.monotonic()
            self._refused = ""
            try:
                self.cluster.start()
            except ClusterFailed as error:  # then it has ended again: its disk may be full
                self._refused = f"; {error}"

    def failed(self) -> str | None:
        """Return the name of a child, or ``postgres``, that has ended by itself, or None."""
        return next(filter(self._has_ended, (*self._children, _POSTGRES)), None)

    def log(self, process: str) -> Path:
        """Return the log file of a child."""
        return self.data / f"{process}.log"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def _start_database(self) -> None:
        superuser = self._own_server() if self.server is None else self._given_server(self.server)
        passwords = {login: self._secret(login) for login in database.LOGINS}
        database.refuse_unfinished(superuser, self.name)
        database.create_roles(superuser, passwords)
        database.create_database(superuser, self.name)
        database.create_database(superuser, self._broker, owner=database.BROKER)
        migrator = self._url(database.MIGRATOR, self.name)
        migrations.migrate(migrator)
        keys = [it for name in ("key", "second-key") if (it := self._kept(name))]
        starting.refuse_lost_secrets(migrator, self.data / "secrets", keys)
        broker.install(self._url(database.BROKER, self._broker))

    def _own_server(self) -> str:
        self.cluster = Cluster(self.data / "cluster", binaries(os.environ), durable=self.durable)
        self.cluster.start()
        return at_rest.superuser(self.cluster)

    def _given_server(self, url: str) -> str:
        ours = all((self.data / "secrets" / login).exists() for login in database.LOGINS)
        self.roles_found = database.inspect_server(url, ours)
        return url

    @property
    def _broker(self) -> str:
        return f"{self.name}_broker"

    def _url(self, role: str, name: str) -> str:
        if self.server is not None:
            given = addresses.with_database(self.server, name)
            return addresses.with_login(given, role, self._secret(role))
        if self.cluster is None:
            raise StackFailed("the database is not running")
        return self.cluster.url(name, role, self._secret(role))

    def _secret(self, name: str) -> str:
        """Return a secret of this stack, made on the first call and kept in its directory."""
        file = self.data / "secrets" / name
        if not file.exists():
            file.parent.mkdir(mode=0o700, exist_ok=True)
            write_secret(file, SystemEntropy().bytes(24).hex())
        return kept_secret(file)

    def _kept(self, name: str) -> str | None:
        """Return a secret that the operator has put in the directory, or None."""
        file = self.data / "secrets" / name
        return kept_secret(file) if file.exists() else None

    def write_environments(self) -> Path:
        """Write the environment of each login for an operator's shell, and return the folder."""
        folder = self.data / "env"
        folder.mkdir(mode=0o700, exist_ok=True)
        for process in ("api", "project", "worker", "audit", "migrate"):
            told = environment(self.settings(process))
            lines = (f"export {name}={shlex.quote(value)}\n" for name, value in told.items())
            write_secret(folder / process, "".join(lines))
        return folder

    def _signing_key(self) -> str:
        file = self.data / "secrets" / "signer"
        if not file.exists():
            make_key(file, _SIGNER, SystemEntropy().bytes(32))
        return kept_secret(file)

    def _spawn(self, process: str) -> None:
        told = self.signer_settings() if process == "signer" else self.settings(process)
        inherited = {name: it for name, it in os.environ.items() if not name.startswith(PREFIX)}
        self._started[process] = time.monotonic()
        with self.log(process).open("ab") as log:
            self._log_began[process] = log.tell()
            self._children[process] = subprocess.Popen(
                self.command(process),
                env=inherited | environment(told),
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C reaches us, and we stop the child in order
                preexec_fn=dying_with(os.getpid(), signal.SIGTERM),
            )

    def _await_worker(self) -> None:
        # The earlier part of the log is from another run.
        began, ready = self._log_began["worker"], READY.encode()
        self._await("worker", lambda: ready in self.log("worker").read_bytes()[began:])

    def _await(self, process: str, ready: Callable[[], bool]) -> None:
        until = time.monotonic() + _READY_SECONDS
        while time.monotonic() < until:
            if (ended := self.failed()) is not None:
                raise StackFailed(self._why(ended))
            if ready():
                return
            time.sleep(0.05)  # a child reports by its port or its log that it is ready: ask again
        raise StackFailed(f"{process} did not start: {self._tail(process)}")

    def _why(self, process: str) -> str:
        """Return one line with how a child ended, and its last output in this run."""
        if process == _POSTGRES:
            return f"PostgreSQL ended; its log is server.log in the cluster's folder{self._refused}"
        code = self._children[process].poll() or 0
        how = (
            f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
        )
        # A child killed from outside wrote nothing about it.
        said = "" if code < 0 else self._tail(process)
        return f"{process} {how}{': ' if said else ''}{said}"

    def _tail(self, process: str) -> str:
        """Return the last error, or line, that a child has written since its start."""
        return last_words(self.log(process).read_bytes()[self._log_began[process] :])
