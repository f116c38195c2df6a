"""
Measure the cost of a signed receipt, and its cost for the command.

The signer is a process of its own, as in production. Its database lookups and the API's go to a
durable server. The first part measures the signature alone. The second part requests receipts
over HTTP, one client after the other and many at once.
"""

import asyncio
import os
import statistics
import time
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from service.process.supervisor import Stack
from service.transparency.note import SigningKey
from service.transparency.receipt import CommandReceipt, PromisedEvent

SIGNED = 2000
ASKED = 400
TOGETHER = 32
_PATIENCE = 30.0


def main() -> None:
    """Print milliseconds and rates."""
    print(f"{os.cpu_count()} cores; {SIGNED} signatures, {ASKED} receipts over HTTP")
    print("milliseconds of a processor do not depend on what else this machine does; the others do")
    _alone()
    with TemporaryDirectory(prefix="holotable-bench-") as directory:
        options = {"sign_seconds": 1, "tick_milliseconds": 50}
        with Stack(Path(directory) / "d", keep=False, options=options) as stack:
            asyncio.run(_over_http(stack))


def _alone() -> None:
    key = SigningKey("bench", bytes(range(32)))
    at = datetime.now(UTC)
    place = PromisedEvent(
        position=4, stream="table-" + "2b" * 16, version=3, at=at, hash=sha256().digest()
    )
    receipt = CommandReceipt(
        league="5a5a5a5a-0000-4000-8000-000000000000",
        epoch=0,
        command="0f" * 16,
        actor="plr_" + "1a" * 16,
        received_at=at,
        request=sha256().digest(),
        events=(place,),
    )
    began = time.perf_counter()
    for _ in range(SIGNED):
        key.sign(receipt.text())
    print(f"text and signature: {(time.perf_counter() - began) / SIGNED * 1e6:.0f} µs")


async def _over_http(stack: Stack) -> None:
    async with httpx.AsyncClient(base_url=stack.url, timeout=30) as http:
        body = {"login": "bench", "password": "a long night ahead"}
        await http.post("/v1/accounts", json=body)
        token = (await http.post("/v1/tokens", json=body)).json()["token"]
        http.headers["Authorization"] = f"Bearer {token}"
        keyed = {"Idempotency-Key": "bench"}
        made = await http.post("/v1/leagues", json={"name": "Bench"}, headers=keyed)
        league, asked = made.json()["id"], {"command": made.headers["command-id"]}
        path = f"/v1/leagues/{league}/receipts"
        until = time.monotonic() + _PATIENCE
        while (await http.post(path, json=asked)).status_code != httpx.codes.OK:
            if time.monotonic() > until:
                raise TimeoutError("no receipt came")
            await asyncio.sleep(0.2)
        before = _used(stack)
        took = [await _timed(http, path, asked) for _ in range(ASKED)]
        alone = {name: each - before[name] for name, each in _used(stack).items()}
        _spent("one after the other", alone, len(took))
        # Connections open before anything is counted.
        await asyncio.gather(*(_timed(http, path, asked) for _ in range(TOGETHER)))
        before = _used(stack)
        print(f"one after the other: p50 {statistics.median(took):.1f} ms, {_p99(took):.1f} ms p99")
        began = time.perf_counter()
        took = [
            each
            for part in await asyncio.gather(*(_many(http, path, asked) for _ in range(TOGETHER)))
            for each in part
        ]
        rate = len(took) / (time.perf_counter() - began)
        spent = {name: each - before[name] for name, each in _used(stack).items()}
        _spent(f"{TOGETHER} at once", spent, len(took))
        print(
            f"{TOGETHER} at once: {rate:.0f} receipts/s, "
            f"p50 {statistics.median(took):.1f} ms, {_p99(took):.1f} ms p99"
        )


def _used(stack: Stack) -> dict[str, float]:
    """Return the processor time of the API and the signer."""
    return {name: _cpu_seconds(stack._children[name].pid) for name in ("api", "signer")}


def _cpu_seconds(pid: int) -> float:
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _spent(what: str, seconds: dict[str, float], receipts: int) -> None:
    told = ", ".join(f"{name} {each / receipts * 1000:.2f} ms" for name, each in seconds.items())
    print(f"{what}: of a processor for each receipt: {told}")


async def _many(http: httpx.AsyncClient, path: str, asked: dict[str, Any]) -> list[float]:
    return [await _timed(http, path, asked) for _ in range(ASKED // 4)]


async def _timed(http: httpx.AsyncClient, path: str, asked: dict[str, Any]) -> float:
    began = time.perf_counter()
    answer = await http.post(path, json=asked)
    answer.raise_for_status()
    return (time.perf_counter() - began) * 1000


def _p99(took: list[float]) -> float:
    return statistics.quantiles(took, n=100)[98]
