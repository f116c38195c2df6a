"""The embedded server starts anywhere, keeps its data, and never outlives its parent."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from threading import Timer

import psycopg
import pytest

from service.base.embedded import Cluster, ClusterFailed, binaries
from tests.support.waiting import until

PARENT = """
import os, signal, sys
from pathlib import Path
from service.base.embedded import Cluster, binaries
cluster = Cluster(Path(sys.argv[1]), binaries(os.environ), durable=False)
cluster.start()
print(cluster.pid, flush=True)
signal.pause()
"""
"""A process with a server, in the folder that its argument names."""


def _is_alive(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def test_a_cluster_answers_and_keeps_its_data_over_a_restart(tmp_path: Path) -> None:
    directory = tmp_path / "cluster"
    with (
        Cluster(directory, binaries(os.environ), durable=False) as cluster,
        psycopg.connect(cluster.url()) as connection,
    ):
        connection.execute("CREATE TABLE kept (number int)")
    with (
        Cluster(directory, binaries(os.environ), durable=False) as cluster,
        psycopg.connect(cluster.url()) as connection,
    ):
        assert connection.execute("SELECT count(*) FROM kept").fetchone() == (0,)


def test_a_server_that_crashed_comes_back_at_its_address(tmp_path: Path) -> None:
    with Cluster(tmp_path / "cluster", binaries(os.environ), durable=False) as cluster:
        address = cluster.url()
        with psycopg.connect(address) as connection:
            connection.execute("CREATE TABLE kept (number int)")
        assert cluster.pid is not None
        os.kill(cluster.pid, signal.SIGQUIT)
        until(cluster.ended)
        settings = tmp_path / "cluster" / "data" / "postgresql.auto.conf"
        before = settings.read_text(encoding="utf-8")
        settings.write_text("nonsense", encoding="utf-8")
        with pytest.raises(ClusterFailed):
            cluster.start()
        assert cluster.ended()  # it should run this long, and does not
        settings.write_text(before, encoding="utf-8")
        cluster.start()
        assert not cluster.ended()
        assert cluster.url() == address
        with psycopg.connect(address) as connection:
            assert connection.execute("SELECT count(*) FROM kept").fetchone() == (0,)


def test_a_server_whose_port_was_taken_while_it_was_down_says_by_whom(tmp_path: Path) -> None:
    of_connections = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii")
    with Cluster(tmp_path, binaries(os.environ), durable=False) as cluster:
        assert cluster.port < int(of_connections.split()[0])
        assert cluster.pid is not None
        os.kill(cluster.pid, signal.SIGQUIT)
        until(cluster.ended)
        said = rf"did not start: port {cluster.port} is taken by process {os.getpid()} \("
        with (
            socket.create_server(("127.0.0.1", cluster.port)),
            pytest.raises(ClusterFailed, match=said),
        ):
            cluster.start()
        cluster.start()
        assert not cluster.ended()


def test_a_cluster_that_lost_its_version_is_not_made_again_and_can_be_put_right(
    tmp_path: Path,
) -> None:
    """Another `initdb` would replace the password, and nobody could enter the old data."""
    with Cluster(tmp_path, binaries(os.environ), durable=False) as cluster:
        before = cluster.url()
    version = tmp_path / "data" / "PG_VERSION"
    version.unlink()
    again = Cluster(tmp_path, binaries(os.environ), durable=False)
    with pytest.raises(ClusterFailed, match="data/PG_VERSION is missing") as refused:
        again.start()
    assert f"`cp {tmp_path}/data/base/1/PG_VERSION {tmp_path}/data`" in (refused.value.step or "")
    assert not (tmp_path / "data.part").exists()
    shutil.copy(tmp_path / "data" / "base" / "1" / "PG_VERSION", version)
    with again, psycopg.connect(again.url()):
        assert again.url().rpartition(":")[0] == before.rpartition(":")[0]


def test_a_wrong_password_is_refused(tmp_path: Path) -> None:
    with (
        Cluster(tmp_path / "cluster", binaries(os.environ), durable=False) as cluster,
        pytest.raises(psycopg.OperationalError, match="password authentication failed"),
    ):
        psycopg.connect(cluster.url(password="guessed"))


def test_the_directory_is_for_its_owner_only(tmp_path: Path) -> None:
    directory = tmp_path / "cluster"
    mode = tmp_path.stat().st_mode
    with Cluster(directory, binaries(os.environ), durable=False):
        assert directory.stat().st_mode & 0o777 == 0o700
        assert tmp_path.stat().st_mode == mode
        assert (directory / "superuser.password").stat().st_mode & 0o777 == 0o600


def test_the_server_ends_when_its_parent_is_killed_and_leaves_nothing_elsewhere(
    tmp_path: Path,
) -> None:
    elsewhere = tmp_path / "t"
    elsewhere.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path / "cluster")],
        stdout=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(elsewhere)},
    ) as parent:
        assert parent.stdout is not None
        server = int(parent.stdout.readline())
        assert _is_alive(server)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    until(lambda: not _is_alive(server))
    assert list(elsewhere.iterdir()) == []


def test_a_server_that_is_ending_is_waited_for(tmp_path: Path) -> None:
    """Its process was killed, and a command that is repeated at once finds it ending."""
    server, slow = _orphan(tmp_path)
    Timer(1.5, os.kill, (slow, signal.SIGCONT)).start()
    with Cluster(tmp_path, binaries(os.environ), durable=False) as again:
        assert again.pid != server


def test_a_server_that_was_told_to_stop_and_never_does_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that loses its parent while it restarts after a crash may wait for ever."""
    # PostgreSQL kills a child that hangs five seconds after SIGQUIT.
    monkeypatch.setattr("service.base.embedded._STOP_SECONDS", 8.0)
    server, _ = _orphan(tmp_path)
    with Cluster(tmp_path, binaries(os.environ), durable=False) as again:
        assert not _is_alive(server)
        assert again.pid != server


def _orphan(folder: Path) -> tuple[int, int]:
    """Return a server that must stop without its parent, and its child that does not stop."""
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(folder)], stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        server = int(parent.stdout.readline())
        children = Path(f"/proc/{server}/task/{server}/children").read_text(encoding="ascii")
        (slow,) = [int(each) for each in children.split() if _is_checkpointer(each)]
        os.kill(slow, signal.SIGSTOP)  # its last checkpoint takes long
        parent.kill()
    file = folder / "data" / "postmaster.pid"
    until(lambda: "stopping" in file.read_text())
    return server, slow


def _is_checkpointer(pid: str) -> bool:
    return b"checkpointer" in Path(f"/proc/{pid}/cmdline").read_bytes()


def test_a_pid_file_of_a_dead_machine_names_no_running_server(tmp_path: Path) -> None:
    """After a reboot, another program may have the number of the server that died."""
    (tmp_path / "data").mkdir()
    lines = [str(os.getpid()), str(tmp_path), "1", "5432", "", "127.0.0.1", "", "ready", ""]
    (tmp_path / "data" / "postmaster.pid").write_text("\n".join(lines))
    assert Cluster(tmp_path, binaries(os.environ)).running_port() is None


def test_missing_binaries_are_named(tmp_path: Path) -> None:
    with pytest.raises(ClusterFailed, match="no initdb and postgres"):
        binaries({"HOLOTABLE_PG_BIN": str(tmp_path)})
