"""
Measure several API processes on one league, by how its players are spread over them.

``BENCH_WAYS`` names ways instead of all: a number of processes, and ``shared`` (the players of a
table use one process), ``split`` (they use one each in turn), ``apart`` (as split, by processes
that do not hand each other requests) or ``proxy`` (HAProxy gives each request to the next process).
The ways take turns, so that other load on the machine meets all.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from contextlib import ExitStack
from typing import Any

import uvloop

from bench.floors import Figure, figure
from bench.http import cpu_seconds
from bench.installation import Api, apis, proxy, server, server_seconds
from bench.playing import Game, Measured, sit_down
from service.base.embedded import Cluster
from service.base.shipped import ROOT

TABLES = 48
"""Tables of one league that are played at once. Each way has a league of its own."""

ROUNDS = 5
SECONDS = 3.0
WARM_SECONDS = 1.0
WAYS = ("1 shared", "1 proxy", "2 shared", "2 split", "2 proxy", "4 shared", "4 split", "4 proxy")
CONFLICTS = "holotable_command_conflicts_total"
APPENDS = "holotable_batch_commands_count"


async def load(told: dict[str, list[str]]) -> None:
    """
    Play one way for each line that names it, and print its players' figures.

    Args:
      told: By way, the addresses of the processes or of the proxy.
    """
    games = {name: await _tables(name, urls) for name, urls in told.items()}
    print("ready", flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps(await _round(games[line.strip()])), flush=True)


async def _tables(name: str, urls: list[str]) -> list[Game]:
    if name.endswith(("split", "apart")):
        return await sit_down(urls[0], TABLES, lambda _, seat: urls[seat % len(urls)])
    return await sit_down(urls[0], TABLES, lambda table, _: urls[table % len(urls)])


async def _round(games: list[Game]) -> dict[str, Any]:
    begun = time.perf_counter() + WARM_SECONDS
    measured = Measured(begun, begun + SECONDS)
    cpu = time.process_time()
    await asyncio.gather(*(game.play(measured) for game in games))
    spent = sorted(measured.spent)
    return {
        "rate": len(spent) / SECONDS,
        "p50": statistics.median(spent) * 1e3,
        "p99": spent[len(spent) * 99 // 100] * 1e3,
        "load": (time.process_time() - cpu) / (WARM_SECONDS + SECONDS),
    }


def _watch(cluster: Cluster, running: list[Api], proxies: dict[int, int]) -> dict[str, float]:
    return {
        "api": sum(cpu_seconds(each.pid) for each in running),
        "database": server_seconds(cluster),
        "proxy": sum(map(cpu_seconds, proxies.values())),
        "conflicts": sum(each.counted(CONFLICTS) for each in running),
        "appends": sum(each.counted(APPENDS) for each in running),
    }


def main() -> list[Figure]:
    """Print the rate of each way, its cost, and its ratio to one process."""
    ways = [way for way in os.environ.get("BENCH_WAYS", "").split(",") if way] or list(WAYS)
    with ExitStack() as stack:
        cluster = stack.enter_context(server())
        running = {
            apart: stack.enter_context(apis(cluster, _most(ways, apart=apart), meet=not apart))
            for apart in (False, True)
        }
        every = [*running[False], *running[True]]
        proxies, told = {}, {}
        for way in ways:
            count, kind = int(way.split()[0]), way.split()[1]
            asked = running[kind == "apart"][:count]
            told[way] = [each.url for each in asked]
            if kind == "proxy":
                proxies[count], url = stack.enter_context(proxy(asked))
                told[way] = [url]
        child = subprocess.Popen(
            [sys.executable, "-m", "bench.processes", json.dumps(told)],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        stack.callback(child.wait)
        assert child.stdin is not None
        assert child.stdout is not None
        stack.callback(child.stdin.close)
        if child.stdout.readline() != b"ready\n":
            raise RuntimeError("the load did not get ready")
        seen = defaultdict(list)
        for _ in range(ROUNDS):
            for way in ways:
                before = _watch(cluster, every, proxies)
                child.stdin.write(f"{way}\n".encode())
                child.stdin.flush()
                found = json.loads(child.stdout.readline())
                after = _watch(cluster, every, proxies)
                seen[way].append(found | {name: after[name] - it for name, it in before.items()})
            ways.reverse()
    _report(seen)
    if not {"1 shared", "2 split"} <= seen.keys():
        return []
    split, one = ([each["rate"] for each in seen[way]] for way in ("2 split", "1 shared"))
    return [figure("two processes", "actions/s", split, one, "one process of ours")]


def _most(ways: list[str], *, apart: bool) -> int:
    """Return the greatest number of processes of the ways that are apart, or of the others."""
    return max((int(way.split()[0]) for way in ways if way.endswith("apart") == apart), default=0)


def _report(seen: dict[str, list[dict[str, float]]]) -> None:
    print(
        f"{TABLES} tables of six in one league, {ROUNDS} rounds of {SECONDS:.0f} s a way, "
        f"{os.cpu_count()} cores; medians"
    )
    print(
        "| processes | actions/s | ratio | p50 ms | p99 ms | µs of the API | of PostgreSQL | "
        "conflicts an action | commands an append | cores: API, PostgreSQL, proxy, load |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    length = WARM_SECONDS + SECONDS
    for way, rounds in sorted(seen.items()):
        least = seen.get("1 shared", rounds)

        def middle(name: str, per: str = "", rounds: list[dict[str, float]] = rounds) -> float:
            return statistics.median(
                each[name] / (each[per] if per != "rate" else each["rate"] * length)
                if per else each[name] for each in rounds
            )  # fmt: skip

        ratio = statistics.median(
            each["rate"] / one["rate"] for each, one in zip(rounds, least, strict=True)
        )
        actions = statistics.median(each["rate"] * length / each["appends"] for each in rounds)
        cores = [middle(name) / length for name in ("api", "database", "proxy")] + [middle("load")]
        print(
            f"| {way} | {middle('rate'):,.0f} | {ratio:.2f} | {middle('p50'):.1f} | "
            f"{middle('p99'):.1f} | {middle('api', 'rate') * 1e6:.0f} | "
            f"{middle('database', 'rate') * 1e6:.0f} | {middle('conflicts', 'rate'):.2f} | "
            f"{actions:.1f} | {', '.join(f'{each:.2f}' for each in cores)} |"
        )


if __name__ == "__main__":
    uvloop.run(load(json.loads(sys.argv[1])))
