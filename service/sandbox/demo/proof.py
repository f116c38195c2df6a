"""The season's bundle, checked by a separate verifier that shares no code with the service."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from rich.console import Console

from service.base.settings import PREFIX, environment
from service.base.shipped import ROOT
from service.process.supervisor import Stack

VERIFIER: Final = ROOT / "api-spec" / "verifier" / "verify.py"
NOT_ALL_CHECKED: Final = 3
PATIENCE_SECONDS: Final = 30.0
"""The longest wait for a signed head that covers the last event."""

_PAUSE_SECONDS = 0.3
_SHOWN = 12


def prove(console: Console, stack: Stack, season: str, keys: list[str]) -> bool:
    """
    Write the season's bundle for an auditor and verify it.

    Returns:
        True if the verifier found no difference from the rules. It prints the checks it cannot do.
    """
    console.print("\n[bold]Bundle and independent verifier[/]")
    path = stack.data / f"{season}.bundle"
    if (told := _written(stack, season, path)) is not None:
        console.print(f"  [red]no bundle:[/] {told}")
        return False
    console.print(f"  {path.name}, {path.stat().st_size // 1024} KiB; keys from /v1/signers")
    trusted = stack.data / "signers"
    trusted.write_text("\n".join(keys) + "\n", encoding="ascii")
    checked = subprocess.run(
        [sys.executable, "-I", str(VERIFIER), "--keys", str(trusted), str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    for line in checked.stdout.splitlines()[-_SHOWN:]:
        console.print(f"  {line}", markup=False)
    if checked.stderr:
        console.print(checked.stderr.strip()[-1000:], markup=False)
    return checked.returncode in (0, NOT_ALL_CHECKED)


def _written(stack: Stack, season: str, path: Path) -> str | None:
    """Write the bundle once a signed head covers it. Return the error text if that fails."""
    inherited = {name: it for name, it in os.environ.items() if not name.startswith(PREFIX)}
    asked = ["bundle", "season", season, "--viewer", "auditor", "-o", str(path)]
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        made = subprocess.run(
            [sys.executable, "-m", "service.cli.main", *asked],
            env=inherited | environment(stack.settings("audit")),
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode == 0:
            return None
        if made.returncode != 1 or time.monotonic() > until:
            return made.stderr.strip()[-1000:]
        time.sleep(_PAUSE_SECONDS)  # no event announces a new signed head
