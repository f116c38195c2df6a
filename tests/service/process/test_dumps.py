"""A process that crashes leaves no dump of its memory, which holds keys, cards and seeds."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ALLOWED = "import resource, time; resource.setrlimit(resource.RLIMIT_CORE, (1 << 30, 1 << 30))"
WAITING = "print(flush=True); time.sleep(60)"
PLAIN = f"{ALLOWED}; {WAITING}"
OURS = f"""
{ALLOWED}
import service.cli.main as main
def cli(**_): {WAITING}
main.cli = cli
main.main()
"""
"""Any command. It does not matter which one."""


def dumped(code: str, folder: Path) -> bool:
    """Let a Python crash that would leave a dump, and return whether it has left one."""
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.getcwd()},
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGSEGV)
    _, status = os.waitpid(process.pid, 0)
    process.returncode = -signal.SIGSEGV
    process.stdout.close()
    return os.WCOREDUMP(status)


def test_no_command_leaves_a_dump(tmp_path: Path) -> None:
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    if hard != resource.RLIM_INFINITY or not dumped(PLAIN, tmp_path):
        pytest.skip("this machine makes no dumps")
    assert not dumped(OURS, tmp_path)
