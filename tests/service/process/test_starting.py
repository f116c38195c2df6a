"""The refusals of ``up`` before it starts its processes, and its line about one that ended."""

import json
import os
import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from uuid import UUID

import psycopg
import pytest

from service.backups.manifest import BackupRefused
from service.base import database as databases
from service.base.embedded import Cluster, ClusterFailed, binaries
from service.base.ports import free_ports
from service.log.keys import Keys
from service.process import at_rest
from service.process.signer import make_key
from service.process.starting import (
    StackFailed,
    last_words,
    refuse_foreign_key,
    refuse_lost_signing_key,
    usable_port,
)
from service.process.supervisor import Stack
from tests.support.databases import SECRET_KEY, TestDatabase

OTHER = "6c" * 32


def sealed(database: TestDatabase, *secrets: str) -> str:
    """Seal a league with each secret, and return the address with the login that migrates."""
    for number, secret in enumerate(secrets, 1):
        made, wrapped = Keys(secret).new(UUID(int=number))
        with psycopg.connect(database.url("holotable_api")) as connection:
            connection.execute(
                "INSERT INTO key (league, key_id, wrapped) VALUES (%s, %s, %s)",
                [UUID(int=number), made.key_id, wrapped],
            )
    return database.url(databases.MIGRATOR)


def test_a_key_that_opens_no_league_is_refused(database: TestDatabase, tmp_path: Path) -> None:
    url, file = sealed(database, SECRET_KEY), tmp_path / "key"
    with pytest.raises(StackFailed, match="key is missing") as missing:
        refuse_foreign_key(url, file, [])
    assert missing.value.step is not None
    assert missing.value.step.startswith("put the key back")
    file.write_text(OTHER)
    with pytest.raises(StackFailed, match="does not open the leagues"):
        refuse_foreign_key(url, file, [OTHER])


def test_a_change_of_the_key_and_a_new_folder_are_no_foreign_keys(
    database: TestDatabase, tmp_path: Path
) -> None:
    file = tmp_path / "key"
    refuse_foreign_key(database.url(databases.MIGRATOR), file, [])
    url = sealed(database, SECRET_KEY, OTHER)
    refuse_foreign_key(url, file, [SECRET_KEY])
    refuse_foreign_key(url, file, ["7d" * 32, OTHER])


def test_a_lost_signing_key_is_not_made_again_where_heads_are_signed(
    database: TestDatabase, tmp_path: Path
) -> None:
    """Another key begins another signature of the same leagues, so an operator decides it."""
    url, file = database.url(databases.MIGRATOR), tmp_path / "signer"
    refuse_lost_signing_key(url, file)
    with psycopg.connect(database.url("holotable_worker")) as connection:
        connection.execute(
            "INSERT INTO checkpoint (league, epoch, size, root, note)"
            " VALUES (gen_random_uuid(), 0, 1, sha256('a root'), 'a note')"
        )
    with pytest.raises(StackFailed, match="signer is missing") as missing:
        refuse_lost_signing_key(url, file)
    assert f"`holotable signer new-key {file}" in (missing.value.step or "")
    make_key(file, "holotable", bytes(32))
    refuse_lost_signing_key(url, file)
    for content, said in ((b"", "is empty"), (b"\xff", "is damaged"), (b"key", "key is damaged")):
        file.write_bytes(content)
        with pytest.raises(StackFailed, match=f"signer.* {said}"):
            refuse_lost_signing_key(url, file)


@pytest.mark.parametrize(("content", "said"), [(b"", "is empty"), (b"\xff\xfe", "is damaged")])
def test_an_empty_or_damaged_secret_is_refused_and_not_used(
    tmp_path: Path, content: bytes, said: str
) -> None:
    """A disk that was full can leave such a file."""
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "signer-token").write_bytes(content)
    with pytest.raises(StackFailed, match=f"signer-token {said}"):
        Stack(tmp_path).signer_settings()
    (tmp_path / "secrets" / "signer-token").rename(tmp_path / "secrets" / "key")
    with pytest.raises(BackupRefused, match=f"key {said}"):
        at_rest.settings(tmp_path, "postgresql://nowhere")


def test_a_taken_port_of_the_api_is_refused_before_anything_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port, data = listener.getsockname()[1], tmp_path / "d"
        with pytest.raises(StackFailed, match=rf"port {port} is taken by process {os.getpid()} \("):
            Stack(data, port=port).start()
        with socket.create_connection(("127.0.0.1", port)) as ended:
            listener.accept()[0].close()
            ended.recv(1)
    assert not data.exists()
    assert usable_port("127.0.0.1", port) == port  # `up` is started again right after its end


@pytest.mark.parametrize("port", [0, 10_000])
@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("192.0.2.7", "Cannot assign requested address"),
        ("no such host", "Name or service not known"),
    ],
)
def test_a_host_that_is_not_of_this_machine_is_refused_before_anything_starts(
    tmp_path: Path, host: str, port: int, said: str
) -> None:
    """With port 0 it is not tried with every port, and the database is not started for it."""
    with pytest.raises(StackFailed, match=f"cannot listen on {host}:{port}: {said}") as refused:
        Stack(tmp_path / "d", host=host, port=port).start()
    assert "give `--host` an address of this machine" in (refused.value.step or "")
    assert not (tmp_path / "d").exists()


class Late(Stack):
    """A stack whose port another server takes after the look at it, while its database starts."""

    other: ThreadingHTTPServer

    def _start_database(self) -> None:
        super()._start_database()
        self.other = ThreadingHTTPServer((self.host, self.port), Ready)
        Thread(target=self.other.serve_forever, daemon=True).start()


class Ready(BaseHTTPRequestHandler):
    """Answers that it is ready, as another Holotable does."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


@pytest.mark.skipif(os.getuid() != 0, reason="only root sees the files of a process without dumps")
def test_a_server_that_takes_the_port_in_the_meantime_is_not_taken_for_this_one(
    tmp_path: Path,
) -> None:
    stack = Late(tmp_path / "d", port=free_ports(), durable=False)
    try:
        with pytest.raises(
            StackFailed, match=rf"port {stack.port} is taken by process {os.getpid()}"
        ):
            stack.start()
    finally:
        stack.stop()
        stack.other.shutdown()
        stack.other.server_close()


def test_a_second_up_on_a_folder_is_told_who_uses_it(tmp_path: Path) -> None:
    with Cluster(tmp_path, binaries(os.environ), durable=False) as first:
        again = Cluster(tmp_path, binaries(os.environ), durable=False)
        with pytest.raises(
            ClusterFailed, match=rf"runs on {tmp_path} already \(process {first.pid}"
        ):
            again.start()


def test_a_lost_password_of_the_superuser_is_named_and_a_backup_still_works(
    tmp_path: Path,
) -> None:
    """The step of the refusal is a backup, because it needs the login that migrates only."""
    (tmp_path / "secrets").mkdir()
    with at_rest.prepared(tmp_path, None):
        pass
    file = tmp_path / "cluster" / "superuser.password"
    with Cluster(tmp_path / "cluster", binaries(os.environ)) as cluster:
        for content, said in (
            (b"a" * 48, "does not hold"),
            (b"", "is empty"),
            (b"\xff", "is damaged"),
        ):
            file.write_bytes(content)
            _is_locked_out(cluster, said)
        file.unlink()
        _is_locked_out(cluster, "is missing")
    with at_rest.existing(tmp_path, None) as url, psycopg.connect(url) as connection:
        assert connection.execute("SELECT current_user").fetchone() == (databases.MIGRATOR,)


def _is_locked_out(cluster: Cluster, said: str) -> None:
    with pytest.raises(ClusterFailed, match=f"superuser.password {said}") as refused:
        at_rest.superuser(cluster)
    assert f"`holotable backup COPY --data {cluster.directory.parent}`" in (
        refused.value.step or ""
    )


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("", ""),
        ("one\ntwo\n", "two"),
        (
            "holotable: another signer uses it\n  next: make a key\n",
            "holotable: another signer uses it",
        ),
        (
            json.dumps({"event": "address already in use", "level": "error"})
            + "\n"
            + json.dumps({"event": "Application shutdown complete.", "level": "info"}),
            "address already in use",
        ),
        (json.dumps({"event": "lost", "error": "gone", "level": "error"}), "lost: gone"),
        ("7\n[]\nlast", "last"),
    ],
)
def test_the_last_words_of_a_process_are_its_error(written: str, said: str) -> None:
    assert last_words(written.encode()) == said
