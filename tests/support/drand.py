"""A test's own beacon: a real BLS key, and drand's API on a real loopback server."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from py_arkworks_bls12381 import G1Point, G2Point, Scalar

from engine.kit.beacon import Chain, Pulse
from service.director.beacon import DST

Answer = tuple[int, bytes]
Trick = Callable[[int, dict[str, Any]], Answer]
"""Returns a changed answer, given the number of a round and its true answer."""


class Holders:
    """The holders of a chain's key. The chain has a round every second."""

    def __init__(self, secret: int = 1977) -> None:
        self._secret = Scalar(secret)
        key = (G2Point() * self._secret).to_compressed_bytes()
        self.chain = Chain(
            hash=sha256(key).hexdigest(),
            public_key=key.hex(),
            genesis=int(time.time()) - 1000,
            period=1,
        )

    def said(self, number: int) -> Pulse:
        """Return the signed pulse of a round."""
        message = sha256(number.to_bytes(8, "big")).digest()
        point = G1Point.hash_to_curve(message, DST) * self._secret
        signature = point.to_compressed_bytes()
        return Pulse(
            round=number,
            signature=signature.hex(),
            randomness=sha256(signature).hexdigest(),
        )

    def latest(self) -> int:
        """Return the number of the latest round."""
        return 1 + (int(time.time()) - self.chain.genesis) // self.chain.period


class Relay:
    """A relay of drand's API for one chain. ``trick`` changes its answers."""

    def __init__(self, holders: Holders) -> None:
        self.holders = holders
        self.trick: Trick | None = None
        self.asked: list[int] = []
        self.url = ""

    def answer(self, path: str) -> Answer:
        """Return the answer for *path*. A round is available once its time has come."""
        head, _, last = path.rpartition("/")
        if head != f"/{self.holders.chain.hash}/public" or not last.isdecimal():
            return 404, b"not found"
        number = int(last)
        self.asked.append(number)
        pulse = self.holders.said(number)
        told = {
            "round": number,
            "signature": pulse.signature,
            "randomness": pulse.randomness,
        }
        if self.trick is not None:
            return self.trick(number, told)
        if number > self.holders.latest():
            return 425, b"too early"
        return 200, json.dumps(told).encode()


@contextmanager
def relaying(holders: Holders) -> Iterator[Relay]:
    """Serve the pulses of *holders* on a loopback port."""
    relay = Relay(holders)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, content = relay.answer(self.path)
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    relay.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield relay
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def settings_of(holders: Holders, *relays: Relay) -> dict[str, Any]:
    """Return the beacon settings of a process that asks *relays*."""
    return {
        "beacon_urls": ", ".join(relay.url for relay in relays),
        "beacon_chain": holders.chain.hash,
        "beacon_public_key": holders.chain.public_key,
        "beacon_genesis": holders.chain.genesis,
        "beacon_period": holders.chain.period,
    }
