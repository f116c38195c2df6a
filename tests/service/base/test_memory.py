"""Memory that a process gives back, or never takes."""

import os
import platform
import subprocess
import sys

import pytest

_HASHING = """
import sys
from pathlib import Path
from argon2 import PasswordHasher
from service.base.memory import give_back_large

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

if sys.argv[1] == "given back":
    give_back_large()
hasher = PasswordHasher(time_cost=1, memory_cost=24 * 1024, parallelism=1)
before = resident()
for _ in range(3):
    hasher.hash("correct horse")
print(resident() - before)
"""


_LOADING = """
import sys
import service.process.app
from service.base.schema_range import of_code

of_code()
print(*{name.partition(".")[0] for name in sys.modules}, "service.audit.run" in sys.modules)
"""


def kept(how: str) -> int:
    plain = {key: value for key, value in os.environ.items() if "MALLOC" not in key}
    found = subprocess.run(
        [sys.executable, "-c", _HASHING, how],
        check=True,
        capture_output=True,
        text=True,
        env=plain,
    )
    return int(found.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the setting is of glibc")
def test_the_memory_of_a_password_is_given_back() -> None:
    """Without the call the process keeps all of it, which shows that the test can fail."""
    assert kept("given back") < 4 * 1024 * 1024
    assert kept("as usual") > 16 * 1024 * 1024


def test_an_api_process_loads_nothing_that_only_others_need() -> None:
    """Tasks, migrations and audits took 15 MB of each process, and a fifth of its start."""
    found = subprocess.run(
        [sys.executable, "-c", _LOADING], check=True, capture_output=True, text=True
    ).stdout.split()

    assert "service" in found
    assert not {"celery", "kombu", "pgmq", "alembic", "smtplib"} & {*found}
    assert found[-1] == "False"
