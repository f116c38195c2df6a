"""
``python -m bench [--json] [name ...]``: run benchmarks one after the other.

Without names it runs those that have floors, and prints one table. The details go to the standard
error. The others are experiments, which answer one question each.
"""

import os
import platform
import subprocess
import sys
import sysconfig
import time
from contextlib import redirect_stdout
from importlib import import_module
from importlib.metadata import version

import msgspec

from bench.floors import Figure, table
from bench.quiet import quiet
from service.base.embedded import binaries

FLOORS = ("engine", "append", "replay", "rebuild", "audit", "http", "processes")
"""These run in less than ten minutes in all."""

EXPERIMENTS = (
    "checks",
    "streams",
    "spectators",
    "turns",
    "bots",
    "crowd",
    "overload",
    "scale",
    "structure",
    "lengths",
    "receipts",
    "partitions",
    "observing",
)
PACKAGES = ("msgspec", "asyncpg", "sqlalchemy", "litestar", "uvicorn", "eventsourcing", "pokerkit")


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """The conditions on which the figures depend."""

    python: str
    postgres: str
    packages: dict[str, str]
    cores: int
    load_before: float
    load_after: float
    seconds: float


def main(arguments: list[str]) -> int:
    """Run the benchmarks called *arguments*, or those with floors. Return 2 for an unknown name."""
    names = [each for each in arguments if each != "--json"]
    known = (*FLOORS, *EXPERIMENTS)
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    if not names:  # of several processes, only the ways that have a floor
        os.environ.setdefault("BENCH_WAYS", "1 shared,2 split")
    quiet()
    figures: list[Figure] = []
    load, begun = os.getloadavg()[0], time.monotonic()
    with redirect_stdout(sys.stderr):
        for name in names or FLOORS:
            print(f"== {name}", flush=True)
            figures += import_module(f"bench.{name}").main() or ()
    _print(figures, conditions(load, time.monotonic() - begun), as_json="--json" in arguments)
    return 0


def conditions(load: float, seconds: float) -> Conditions:
    """Return the versions and settings of this run, which is over."""
    return Conditions(
        python=interpreter(),
        postgres=f"{_postgres()}, fsync on",
        packages={name: version(name) for name in PACKAGES},
        cores=os.cpu_count() or 0,
        load_before=round(load, 1),
        load_after=round(os.getloadavg()[0], 1),
        seconds=round(seconds, 1),
    )


def interpreter() -> str:
    """Return the interpreter's version, and whether it was built with its optimisations."""
    if "--enable-optimizations" in str(sysconfig.get_config_var("CONFIG_ARGS")):
        built = "optimised"
    elif sys.base_prefix == "/usr":  # Debian optimises, and its configuration does not say so
        built = "the distribution's"
    else:
        built = "not optimised"
    return f"{platform.python_implementation()} {platform.python_version()}, {built}"


def _postgres() -> str:
    program = binaries(os.environ) / "postgres"
    shown = subprocess.run([program, "--version"], check=True, capture_output=True, text=True)
    return shown.stdout.split()[2]


def _print(figures: list[Figure], under: Conditions, *, as_json: bool) -> None:
    if as_json:
        found = msgspec.json.encode({"conditions": under, "figures": figures})
        print(msgspec.json.format(found).decode())
        return
    print(f"{under.python}; PostgreSQL {under.postgres}; {under.cores} cores")
    print(", ".join(f"{name} {number}" for name, number in under.packages.items()))
    print(f"load {under.load_before} before and {under.load_after} after; {under.seconds:.0f} s\n")
    print(table(figures))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
