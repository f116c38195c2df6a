"""``python -m tests.chaos [--minutes n] [--seed n]``: exit with 1 if a check failed."""

import argparse
import secrets
import shutil
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

from tests.chaos.rabbit import Broker
from tests.chaos.run import run
from tests.deploy.parts import missing


def main() -> int:
    """Run once, print the summary, and keep the logs of a failure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    parser.add_argument("--keep", action="store_true", help="keep the logs in any case")
    parser.add_argument(
        "--broker",
        choices=("pgmq", "rabbitmq"),
        help="the broker  [default: by the seed, where RabbitMQ is installed]",
    )
    parser.add_argument("--plant", help="a fault of tests/simulation/faults.py in the API's code")
    given = parser.parse_args()
    broker = given.broker or ("rabbitmq" if given.seed % 2 and not missing() else "pgmq")
    print(f"seed {given.seed}, {given.minutes:g} minutes, {broker}", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    kept = True
    try:
        with Broker(folder / "rabbit") if broker == "rabbitmq" else nullcontext() as node:
            outcome = run(
                folder,
                given.minutes * 60,
                given.seed,
                lambda line: print(line, flush=True),
                given.plant,
                broker=node,
            )
        print(outcome.text())
        kept = bool(outcome.broken) or given.keep
        return 1 if outcome.broken else 0
    finally:
        if kept:
            print(f"the logs are in {folder}")
        else:
            shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
