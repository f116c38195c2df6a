"""
A client for a public beacon. It asks over HTTP and trusts only the beacon's signature.

Each answer of ``drand`` is checked for the round number, the signature under the chain's key,
and the randomness derived from the signature. An answer that fails a check counts as no answer.
Source: rulebook ``beacon.value`` and ``beacon.silence``.
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from importlib import import_module
from typing import Any, Protocol

import httpx
import msgspec
import structlog

from engine.kit.beacon import Chain, Pulse, time_of
from service.base.errors import BadRequest
from service.base.settings import Settings, SettingsInvalid

DST = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
"""Domain separation tag with which drand hashes a round's message to the curve (RFC 9380)."""

PATIENCE = timedelta(seconds=20)
"""The time after a round's instant for which a wait keeps asking. Then callers must ask again."""

RETRY_SECONDS = 0.5
_TIMEOUT = httpx.Timeout(3.0)
_RELAY_SECONDS = 5.0
"""Limit for one relay's whole answer, so that a slow relay does not hold up the others."""

_ANSWER_BYTES = 10_000
_KEPT = 1000
_INFINITY = 0x40
"""Flag of the point at infinity in the first byte of a compressed point."""

_log = structlog.get_logger(__name__)


class BeaconSilent(Exception):
    """No valid pulse: no relay answered, the round is not out yet, or the answer was wrong."""


class Beacon(Protocol):
    """A source of pulses from one chain."""

    @property
    def chain(self) -> Chain:
        """The chain that the pulses belong to."""
        ...

    async def fetch(self, number: int) -> Pulse:
        """
        Return the pulse of a round, verified.

        Raises:
            BeaconSilent: If no valid pulse of the round is available now.
        """
        ...

    async def aclose(self) -> None:
        """Close all connections."""
        ...


class Clocked(Protocol):
    """The one method that this module needs of a clock."""

    def now(self) -> datetime:
        """Return the database's time."""
        ...


def signed(chain: Chain, pulse: Pulse) -> bool:
    """
    Return whether *pulse* carries a valid signature under the chain's key.

    Raises:
        SettingsInvalid: If the extra ``beacon`` is not installed.
    """
    if sha256(bytes.fromhex(pulse.signature)).hexdigest() != pulse.randomness:
        return False
    curve = _curve()
    signature, key = bytes.fromhex(pulse.signature), bytes.fromhex(chain.public_key)
    if signature[0] & _INFINITY or key[0] & _INFINITY:
        return False
    message = sha256(pulse.round.to_bytes(8, "big")).digest()
    try:
        # These calls also check that both points lie in the subgroup.
        point = curve.G1Point.from_compressed_bytes(signature)
        holder = curve.G2Point.from_compressed_bytes(key)
    except ValueError:
        return False
    hashed = curve.G1Point.hash_to_curve(message, DST)
    fits: bool = curve.GT.pairing_check([hashed, -point], [holder, curve.G2Point()])
    return fits


def _curve() -> Any:  # a module of an optional dependency without types
    try:
        return import_module("py_arkworks_bls12381")
    except ImportError as error:
        raise SettingsInvalid(
            "a beacon's signatures cannot be checked: install holotable[beacon]"
        ) from error


class _Answered(msgspec.Struct):
    """The members of drand's answer that this scheme uses."""

    round: int
    signature: str
    randomness: str


class Drand:
    """
    A chain's pulses, fetched through drand's HTTP API.

    Args:
        urls: Relays, asked in this order until one returns a validly signed pulse.
    """

    def __init__(self, chain: Chain, urls: Sequence[str]) -> None:
        self._chain = chain
        self._urls = tuple(url.rstrip("/") for url in urls)
        self._client = httpx.AsyncClient(timeout=_TIMEOUT, follow_redirects=False)

    @property
    def chain(self) -> Chain:
        """The chain that the pulses belong to."""
        return self._chain

    async def fetch(self, number: int) -> Pulse:
        """Ask the relays one after the other. See :meth:`Beacon.fetch`."""
        said = []
        for url in self._urls:
            try:
                return await self._ask(url, number)
            except BeaconSilent as error:
                said.append(f"{url}: {error}")
        raise BeaconSilent("; ".join(said))

    async def _ask(self, url: str, number: int) -> Pulse:
        try:
            async with asyncio.timeout(_RELAY_SECONDS):
                content = await self._read(f"{url}/{self._chain.hash}/public/{number}")
            told = msgspec.json.decode(content, type=_Answered)
            pulse = msgspec.convert(msgspec.to_builtins(told), Pulse)
        except (httpx.HTTPError, TimeoutError) as error:
            raise BeaconSilent(type(error).__name__) from error
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise BeaconSilent("the answer is not a pulse") from error
        if pulse.round != number:
            raise BeaconSilent(f"answered with pulse {pulse.round}")
        # The pattern lets a line feed at the end pass, and the log would keep it.
        if bytes.fromhex(pulse.signature).hex() != pulse.signature:
            raise BeaconSilent("the signature is not in canonical form")
        if not signed(self._chain, pulse):
            raise BeaconSilent("the pulse is not signed by the chain")
        return pulse

    async def _read(self, url: str) -> bytes:
        """Return a relay's answer. Refuse one that is longer than any round's."""
        content = b""
        async with self._client.stream("GET", url) as answer:
            if answer.status_code != httpx.codes.OK:
                raise BeaconSilent(f"answered {answer.status_code}")
            async for part in answer.aiter_bytes():
                content += part
                if len(content) > _ANSWER_BYTES:
                    raise BeaconSilent("the answer is too long")
        return content

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()


def beacon_of(settings: Settings) -> Beacon | None:
    """
    Return the beacon that the settings name, or None if they name none.

    Raises:
        SettingsInvalid: If this installation cannot check the beacon's signatures.
    """
    if settings.beacon_urls is None:
        return None
    _curve()
    chain = Chain(
        hash=settings.beacon_chain,
        public_key=settings.beacon_public_key,
        genesis=settings.beacon_genesis,
        period=settings.beacon_period,
    )
    return Drand(chain, [url.strip() for url in settings.beacon_urls.split(",")])


class Pulses:
    """
    The pulses that a process waits for. Each is fetched once for all tables.

    Args:
        beacon: None if no beacon is set up. Then no pulse ever arrives.
    """

    def __init__(self, beacon: Beacon | None, clock: Clocked) -> None:
        self._beacon = beacon
        self._clock = clock
        self._known: dict[int, Pulse] = {}
        self._asking: dict[int, asyncio.Task[Pulse | None]] = {}

    def named(self, chain: str | None) -> Chain | None:
        """
        Return the chain with the hash *chain*, for a tournament's terms.

        Raises:
            BadRequest: ``beacon_unknown``, if this service does not use that beacon chain.
        """
        if chain is None:
            return None
        if self._beacon is None or self._beacon.chain.hash != chain:
            raise BadRequest("beacon_unknown", "this service does not use this beacon chain")
        return self._beacon.chain

    async def pulse(self, chain: Chain, number: int) -> Pulse | None:
        """
        Return a round's pulse once its time has come, or None if it does not arrive soon after.

        A tournament on a chain that this service does not use waits, because nothing else may
        take the beacon's place.
        """
        if self._beacon is None or self._beacon.chain != chain:
            _log.warning("a table waits for a beacon that is not set up here", chain=chain.hash)
            return None
        known = self._known.get(number)
        if known is not None:
            return known
        asking = self._asking.get(number)
        if asking is None:
            asking = asyncio.create_task(self._await(self._beacon, number))
            self._asking[number] = asking
            asking.add_done_callback(lambda _: self._asking.pop(number, None))
        # A caller that is cancelled must not cancel the fetch for the other callers.
        return await asyncio.shield(asking)

    async def _await(self, beacon: Beacon, number: int) -> Pulse | None:
        due = time_of(beacon.chain, number)
        early = (due - self._clock.now()).total_seconds()
        until = max(due, self._clock.now()) + PATIENCE
        await asyncio.sleep(max(0.0, early))
        while True:
            try:
                pulse = await beacon.fetch(number)
            except BeaconSilent as error:
                if self._clock.now() >= until:
                    _log.warning("the beacon is silent", round=number, error=str(error))
                    return None
                await asyncio.sleep(RETRY_SECONDS)
            else:
                self._known[number] = pulse
                while len(self._known) > _KEPT:
                    del self._known[next(iter(self._known))]
                return pulse

    async def aclose(self) -> None:
        """Cancel the running fetches and close the connections."""
        for task in tuple(self._asking.values()):
            task.cancel()
        if self._beacon is not None:
            await self._beacon.aclose()
