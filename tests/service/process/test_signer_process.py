"""The signer as a real process: killed at the worst moment, and started with various keys."""

import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import httpx
import msgspec
import pytest

from service.base.secret_files import write_secret
from service.base.settings import SettingsInvalid, SignerSettings, environment, read
from service.process.signer import make_key
from service.process.watching import answers
from service.transparency.messages import LastHead, Signed, SignRequest
from service.transparency.note import (
    SigningKey,
    open_note,
    parse_checkpoint,
    private_key,
    read_private_key,
)
from service.transparency.signer import Memory
from service.transparency.tree import root_of
from tests.support.commands import in_fork
from tests.support.databases import SIGNER_TOKEN, TestDatabase
from tests.support.proofs import consistency_proof
from tests.support.servers import free_port
from tests.support.waiting import until

ROOT = Path(__file__).resolve().parents[3]
KEY = SigningKey("holotable.example", bytes(range(32)))
ORIGIN = "holotable/5a5a5a5a-0000-4000-8000-000000000000/0"
LEAVES = [sha256(bytes([n])).digest() for n in range(40)]

PROCESS = """
import os, signal, socket, sys
from pathlib import Path
from service.transparency.note import SigningKey
from service.process.signer import serve
from service.transparency.signer import Memory, Signer

class Dying(Memory):
    def keep(self, league, head):
        super().keep(league, head)
        os.kill(os.getpid(), signal.SIGKILL)

kind = {"dying": Dying, "living": Memory}[sys.argv[1]]
listening = socket.create_server(("127.0.0.1", 0))
with kind(Path(sys.argv[2])) as memory:
    print(listening.getsockname()[1], flush=True)
    signer = Signer(SigningKey("holotable.example", bytes(range(32))), memory)
    serve(signer, sys.argv[3], listening)
"""


@contextmanager
def signer(folder: Path, kind: str = "living") -> Iterator[tuple[httpx.Client, int]]:
    """Run a signer. Yield its client and its process id."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROCESS, kind, str(folder), SIGNER_TOKEN],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        port = int(process.stdout.readline())
        known_by = {"Authorization": f"Bearer {SIGNER_TOKEN}"}
        url = f"http://127.0.0.1:{port}"
        with httpx.Client(base_url=url, headers=known_by, timeout=20) as client:
            yield client, process.pid
    finally:
        process.kill()
        process.wait(20)
        process.stdout.close()


def hash_of(start: int, end: int) -> bytes:
    return root_of(LEAVES[start:end])


def wanted(old: int, new: int) -> bytes:
    """Return the body of a request for a signature over the first *new* leaves."""
    proof = tuple(consistency_proof(old, new, hash_of)) if old else ()
    asked = SignRequest(origin=ORIGIN, size=new, root=hash_of(0, new), proof=proof)
    return msgspec.json.encode(asked)


def last(client: httpx.Client) -> LastHead:
    return msgspec.json.decode(client.get(f"/heads/{ORIGIN}").content, type=LastHead)


def test_a_signer_killed_between_keeping_and_answering_signs_the_same_head_again(
    tmp_path: Path,
) -> None:
    with signer(tmp_path / "m", "dying") as (client, _), pytest.raises(httpx.TransportError):
        client.post("/heads", content=wanted(0, 7))

    with signer(tmp_path / "m") as (client, _):
        assert (last(client).size, last(client).root) == (7, hash_of(0, 7))
        again = client.post("/heads", content=wanted(7, 7))
        shorter = client.post("/heads", content=wanted(0, 6))
        further = client.post("/heads", content=wanted(7, 20))

    note = msgspec.json.decode(again.content, type=Signed).note
    assert parse_checkpoint(open_note(note, KEY.verifier_key())).size == 7
    assert (shorter.status_code, shorter.json()["code"]) == (409, "checkpoint_refused")
    assert further.is_success


def test_a_signer_killed_at_any_moment_never_signs_two_roots_of_one_size(tmp_path: Path) -> None:
    """The signer is killed at random while it signs heads. It remembers every head it answered."""
    answered: dict[int, str] = {}
    size = 0
    for life in range(4):
        with signer(tmp_path / "m") as (client, pid):
            size = max(size, last(client).size)
            assert all(known <= last(client).size for known in answered)
            killer = threading.Timer(0.02 * (life + 1), os.kill, (pid, signal.SIGKILL))
            killer.start()
            try:
                while size < len(LEAVES):
                    answer = client.post("/heads", content=wanted(size, size + 1))
                    assert answer.is_success, answer.text
                    size += 1
                    answered[size] = msgspec.json.decode(answer.content, type=Signed).note
            except httpx.TransportError:
                pass  # killed
            finally:
                killer.join()
    assert answered
    for known, note in answered.items():
        assert parse_checkpoint(open_note(note, KEY.verifier_key())).root == hash_of(0, known)


def test_a_public_key_is_answered(tmp_path: Path) -> None:
    with signer(tmp_path / "m") as (client, _):
        assert client.get("/key").text == KEY.verifier_key()


def test_a_new_key_is_its_owners_and_is_never_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "keys" / "signer"
    public = make_key(file, "league.example/1", bytes(range(32)))

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert read_private_key(file.read_text()).verifier_key() == public
    assert file.with_name("signer.pub").read_text() == public + "\n"
    with pytest.raises(FileExistsError):
        make_key(file, "league.example/1", bytes(32))
    assert read_private_key(file.read_text()).verifier_key() == public


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-4],
        lambda text: text.replace("example", "exempel"),
        lambda text: text.replace("PRIVATE+KEY+", ""),
        lambda text: "",
        lambda text: text + "AAAA",
    ],
)
def test_a_damaged_private_key_is_refused_without_being_repeated(damage: object) -> None:
    text = private_key("holotable.example", bytes(range(32)))
    assert callable(damage)
    with pytest.raises(ValueError, match="damaged") as refused:
        read_private_key(damage(text))
    assert "AAECAw" not in str(refused.value)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"HOLOTABLE_SIGNER_KEY": "PRIVATE+KEY+x+00000000+AAAA"}, "the signer's key is damaged"),
        ({"HOLOTABLE_SIGNER_KEY": "a secret"}, "signer_key"),
        ({"HOLOTABLE_SIGNER_TOKEN": "a secret"}, "signer_token"),
        ({"HOLOTABLE_SIGNER_KEY_FILE": "/nowhere/signer"}, "cannot be read"),
        ({"HOLOTABLE_DATABASE_URL": "postgresql://a@b/c"}, "is not a setting of the signer"),
        ({"HOLOTABLE_SECRET_KEY": "5a" * 32}, "is not a setting of the signer"),
        ({"HOLOTABLE_SIGNER_MEMORY": "/dev/null/x"}, "cannot be written"),
        ({"HOLOTABLE_HOST": "192.0.2.1"}, "cannot listen on 192.0.2.1"),
        ({"HOLOTABLE_SIGNER_MEMORY": "taken"}, "another signer uses"),
    ],
)
def test_a_signer_that_cannot_start_says_why(
    tmp_path: Path, changes: dict[str, str], said: str
) -> None:
    """The answer is two lines with exit code 2, and never the key."""
    secret = private_key("holotable.example", bytes(range(32)))
    told = environment(
        SignerSettings(
            signer_key=secret, signer_memory=str(tmp_path / "m"), signer_token=SIGNER_TOKEN
        )
    )
    with Memory(tmp_path / "taken"):
        if changes.get("HOLOTABLE_SIGNER_MEMORY") == "taken":
            changes = {"HOLOTABLE_SIGNER_MEMORY": str(tmp_path / "taken")}
        ended = subprocess.run(
            [sys.executable, "-m", "service.cli.main", "signer"],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)} | told | changes,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    lines = ended.stderr.splitlines()
    assert (ended.returncode, len(lines)) == (2, 2), ended.stderr
    assert said in lines[0]
    assert "a secret" not in ended.stderr
    assert secret not in ended.stderr


STRANGER = """
import sys, urllib.error, urllib.request
from pathlib import Path

url, pid, file = sys.argv[1:]
for path, body in (("/key", None), ("/heads", None), (f"/heads/{ORIGIN}", None),
                   ("/heads", b"{}"), ("/receipts", b"{}")):
    for known_by in (None, "Bearer ", "Bearer None", "Bearer x"):
        asked = urllib.request.Request(url + path, data=body)
        if known_by is not None:
            asked.add_header("Authorization", known_by)
        try:
            print(path, urllib.request.urlopen(asked).status)
        except urllib.error.HTTPError as error:
            print(path, error.code, len(error.read()))
for place in (f"/proc/{pid}/environ", file):
    try:
        Path(place).read_bytes()
        print("read", place)
    except PermissionError:
        print("closed")
""".replace("{ORIGIN}", ORIGIN)
NOBODY = 65534


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_another_user_of_the_machine_learns_the_public_key_and_no_more(tmp_path: Path) -> None:
    """Neither the list of leagues nor a signature, without the token, which stays closed to it."""
    key, token, port = tmp_path / "signer", tmp_path / "signer_token", free_port()
    make_key(key, "holotable.example", bytes(range(32)))
    write_secret(token, SIGNER_TOKEN)
    told = {
        "HOLOTABLE_SIGNER_KEY_FILE": str(key),
        "HOLOTABLE_SIGNER_TOKEN_FILE": str(token),
        "HOLOTABLE_SIGNER_MEMORY": str(tmp_path / "m"),
        "HOLOTABLE_PORT": str(port),
    }
    running = subprocess.Popen(
        [sys.executable, "-m", "service.cli.main", "signer"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)} | told,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        until(lambda: answers(f"{url}/key"))
        seen = subprocess.run(
            [os.path.realpath(sys.executable), "-I", "-c", STRANGER, url, str(running.pid), token],
            cwd="/",
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        ).stdout.splitlines()
        with httpx.Client(base_url=url) as client:
            client.headers["Authorization"] = f"Bearer {SIGNER_TOKEN}"
            assert client.post("/heads", content=wanted(0, 7)).is_success
    finally:
        running.kill()
        running.wait(20)
    assert seen[:4] == ["/key 200"] * 4
    assert len(seen) == 22 and seen[20:] == ["closed", "closed"]
    assert all(" 401 " in each for each in seen[4:20]), seen


def test_the_doctor_names_a_signer_with_another_token(
    tmp_path: Path, database: TestDatabase
) -> None:
    with signer(tmp_path / "m") as (client, _):
        known = database.settings("holotable_migrate", signer_url=str(client.base_url))
        strange = msgspec.structs.replace(known, signer_token="x" * 32)
        seen = [in_fork(("doctor",), environment(its)) for its in (known, strange)]
    assert [each.returncode for each in seen] == [0, 1]
    said = "the signer has another HOLOTABLE_SIGNER_TOKEN than this process"
    assert [said in each.stdout for each in seen] == [False, True]


def test_an_address_of_a_signer_needs_its_token() -> None:
    told = {"HOLOTABLE_DATABASE_URL": "postgresql://a@b/c", "HOLOTABLE_SECRET_KEY": "5a" * 32}
    with pytest.raises(SettingsInvalid, match="signer_url needs signer_token"):
        read(told | {"HOLOTABLE_SIGNER_URL": "http://127.0.0.1:8001"})


def test_no_other_process_takes_the_signers_key() -> None:
    told = {"HOLOTABLE_SIGNER_KEY": private_key("holotable.example", bytes(range(32)))}
    with pytest.raises(SettingsInvalid, match="HOLOTABLE_SIGNER_KEY is not a setting"):
        read(told)


def test_an_operator_answers_for_a_league_that_only_the_signer_knows(
    tmp_path: Path, database: TestDatabase
) -> None:
    """The doctor names it, and is content once its next epoch says who answers for the loss."""
    lost = f"lge_{ORIGIN.split('/')[1].replace('-', '')}"
    opening = ("epoch", "open", lost, "--operator", "Lobot", "--reason", "a drill")
    with signer(tmp_path / "memory") as (client, _):
        wanted = SignRequest(origin=ORIGIN, size=7, root=hash_of(0, 7), proof=())
        assert client.post("/heads", content=msgspec.json.encode(wanted)).is_success
        told = environment(database.settings("holotable_migrate", signer_url=str(client.base_url)))
        ill = in_fork(("doctor",), told)
        assert (ill.returncode, f"holotable epoch open {lost}" in ill.stdout) == (1, True)
        assert "7 events were signed, and the database has no such league" in ill.stdout
        opened = in_fork(opening, told)
        assert opened.returncode == 0, opened.stderr
        assert opened.stdout == f"epoch 1 of {lost} opened by Lobot at 0 events\n"
        well = in_fork(("doctor",), told)
        assert (well.returncode, "has no such league" in well.stdout) == (0, False), well.stdout
        nobody = in_fork((*opening[:2], f"lge_{7:032x}", *opening[3:]), told)
        assert nobody.returncode == 2
