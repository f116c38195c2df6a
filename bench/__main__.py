"""``python -m bench [name ...]``: run the benchmarks one after the other."""

import os
import sys
from importlib import import_module

NAMES = (
    "engine",
    "http",
    "append",
    "checks",
    "replay",
    "rebuild",
    "streams",
    "spectators",
    "turns",
    "bots",
    "crowd",
    "structure",
    "lengths",
    "audit",
    "receipts",
    "partitions",
)


def main(arguments: list[str]) -> int:
    """Run the benchmarks called *arguments*, or all. Return 2 for an unknown name."""
    unknown = [name for name in arguments if name not in NAMES]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    print(f"load average {os.getloadavg()[0]:.1f}; figures vary with what else this machine does")
    for name in arguments or NAMES:
        print(f"== {name}", flush=True)
        import_module(f"bench.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
