"""The parts around Holotable, as Debian packages them, each as a private process on loopback."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from service.base.children import dying_with
from tests.support.servers import free_port
from tests.support.waiting import until

ROOT = Path(__file__).resolve().parents[2]
RABBIT = Path("/usr/lib/rabbitmq/bin")
START_SECONDS = 120.0

Running = subprocess.Popen[bytes]


def missing() -> list[str]:
    """Return the programs that are not installed here."""
    where = f"{os.environ['PATH']}:/usr/sbin:{RABBIT}:/usr/lib/postgresql/15/bin"
    wanted = ("postgres", "rabbitmq-server", "epmd", "haproxy", "openssl")
    return [name for name in wanted if shutil.which(name, path=where) is None]


@contextmanager
def process(
    command: list[str], log: Path, told: Mapping[str, str], stop_seconds: float = 40
) -> Iterator[Running]:
    """Run *command* with the environment *told*, and end it and its children with the block."""
    with log.open("wb") as output:
        running = subprocess.Popen(
            command,
            env=dict(told),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            preexec_fn=dying_with(os.getpid(), signal.SIGTERM),  # noqa: PLW1509 - no threads yet
        )
    try:
        yield running
    finally:
        running.terminate()
        try:
            running.wait(stop_seconds)
        finally:
            if running.poll() is None:
                os.killpg(running.pid, signal.SIGKILL)


class Rabbit:
    """A RabbitMQ node of its own: names, folders, ports, and its own daemon for Erlang's names."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self._names = free_port()
        home = folder / "home"
        home.mkdir(parents=True)
        (folder / "plugins").write_text("[].\n")
        (folder / "environment.conf").touch()
        (folder / "rabbitmq.conf").write_text(
            f"listeners.tcp.1 = 127.0.0.1:{self.port}\n"
            "vm_memory_high_watermark.absolute = 512MB\ndisk_free_limit.absolute = 50MB\n"
        )
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "ERL_EPMD_PORT": str(self._names),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": f"holotable-{os.getpid()}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_SERVER_START_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
            "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(folder / "log"),
            "RABBITMQ_LOGS": "-",
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
            "RABBITMQ_CONF_ENV_FILE": str(folder / "environment.conf"),
            "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq"),
            "RABBITMQ_PID_FILE": str(folder / "pid"),
        }

    @property
    def url(self) -> str:
        """The broker's address. RabbitMQ lets its guest in from loopback only."""
        return f"amqp://guest:guest@127.0.0.1:{self.port}//"

    @contextmanager
    def running(self) -> Iterator[Running]:
        """Run the node until the end of the block."""
        with self.names(), self.node() as node:
            until(self.ready, START_SECONDS)
            yield node

    def names(self) -> AbstractContextManager[Running]:
        """Run the daemon of Erlang's names, which a node needs."""
        asked = ["epmd", "-port", str(self._names), "-address", "127.0.0.1"]
        return process(asked, self.folder / "epmd.log", self.environment)

    def node(self) -> AbstractContextManager[Running]:
        """Start the node. It is not ready yet."""
        asked = [str(RABBIT / "rabbitmq-server")]
        return process(asked, self.folder / "node.log", self.environment)

    def ready(self) -> bool:
        """Return whether the node that runs has started."""
        return b"Server startup complete" in (self.folder / "node.log").read_bytes()

    def queues(self) -> dict[str, str]:
        """Return the type of each queue of the node, by name."""
        told = self.control("list_queues", "name", "type")
        rows = (line.split() for line in told.splitlines()[1:])
        return {row[0]: row[1] for row in rows}

    def control(self, *asked: str) -> str:
        """Have the node do something by ``rabbitmqctl``, and return the answer."""
        command = [str(RABBIT / "rabbitmqctl"), "--quiet", *asked]
        told = subprocess.run(
            command, env=self.environment, check=True, capture_output=True, text=True
        )
        return told.stdout


def haproxy(folder: Path, ports: tuple[int, int]) -> tuple[list[str], str, Path]:
    """
    Return the command of HAProxy with the file of ``deploy/``, its address and its certificate.

    Only ports and the certificate's path differ from the file.
    """
    folder.mkdir()
    key, root = folder / "key.pem", folder / "root.pem"
    asked = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    asked += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(
        [*asked, "-keyout", str(key), "-out", str(root)], check=True, capture_output=True
    )
    (folder / "holotable.pem").write_text(key.read_text() + root.read_text())
    plain, encrypted = free_port(), free_port()
    text = (ROOT / "deploy" / "haproxy.cfg").read_text()
    changes = {
        r"bind :80\b": f"bind 127.0.0.1:{plain}",
        r"bind :443\b": f"bind 127.0.0.1:{encrypted}",
        "crt /etc/haproxy/holotable.pem": f"crt {folder}/holotable.pem",
        r"127\.0\.0\.1:8000\b": f"127.0.0.1:{ports[0]}",
        r"127\.0\.0\.1:8002\b": f"127.0.0.1:{ports[1]}",
    }
    for old, new in changes.items():
        text, times = re.subn(old, new, text)
        assert times == 1, old
    (folder / "haproxy.cfg").write_text(text)
    where = shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin")
    command = [str(where), "-f", str(folder / "haproxy.cfg")]
    return command, f"https://localhost:{encrypted}", root


def memory(group: int) -> int:
    """
    Return the memory of the processes of a session in bytes.

    Pages that several processes share count in parts (PSS).
    """
    total = 0
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            session = int(status.read_text().rpartition(") ")[2].split()[3])
            if session == group or _started_by(status.parent, group):
                rolled = (status.parent / "smaps_rollup").read_text()
                total += int(re.findall(r"^Pss:\s+(\d+) kB", rolled, re.M)[0]) * 1024
        except (FileNotFoundError, ProcessLookupError):
            continue  # the process has ended meanwhile
    return total


def _started_by(folder: Path, parent: int) -> bool:
    """Return whether a process has *parent*. A worker's children have sessions of their own."""
    return int((folder / "stat").read_text().rpartition(") ")[2].split()[1]) == parent
