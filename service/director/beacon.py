"""
A public beacon, asked over HTTP and believed only by its signature.

``drand``'s answers are checked here: the round that was asked for, the signature under
the chain's key, the randomness that follows from it.  What does not fit is as good as
no answer.  Source: rulebook ``beacon.value`` and ``beacon.silence``.
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
"""Under which a round's message is hashed to the curve: RFC 9380, as drand has it."""

PATIENCE = timedelta(seconds=20)
"""So long after a round's time it is asked for at one go; whoever needs it comes again."""

RETRY_SECONDS = 0.5
_TIMEOUT = httpx.Timeout(3.0)
_RELAY_SECONDS = 5.0
"""For one relay's whole answer: one that only drips must not keep the others from being asked."""

_ANSWER_BYTES = 10_000
_KEPT = 1000
_INFINITY = 0x40
"""Flag of the point at infinity in the first byte of a compressed point."""

_log = structlog.get_logger(__name__)


class BeaconSilent(Exception):
    """A round could not be had: nobody answered, it is not there yet, or what came is not it."""


class Beacon(Protocol):
    """Where rounds of one chain come from."""

    @property
    def chain(self) -> Chain:
        """The chain whose rounds these are."""
        ...

    async def fetch(self, number: int) -> Pulse:
        """
        Return what the beacon said in a round, verified.

        Raises:
            BeaconSilent: If it cannot be had now.
        """
        ...

    async def aclose(self) -> None:
        """Let go of connections."""
        ...


class Clocked(Protocol):
    """What of a clock is asked here."""

    def now(self) -> datetime:
        """Return the database's time."""
        ...


def signed(chain: Chain, pulse: Pulse) -> bool:
    """
    Return whether *pulse* is what the holders of the chain's key have signed.

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
        # Both are checked to lie in the subgroup.
        point = curve.G1Point.from_compressed_bytes(signature)
        holder = curve.G2Point.from_compressed_bytes(key)
    except ValueError:
        return False
    hashed = curve.G1Point.hash_to_curve(message, DST)
    fits: bool = curve.GT.pairing_check([hashed, -point], [holder, curve.G2Point()])
    return fits


def _curve() -> Any:
    try:
        return import_module("py_arkworks_bls12381")
    except ImportError as error:
        raise SettingsInvalid(
            "a beacon's signatures cannot be checked: install holotable[beacon]"
        ) from error


class _Answered(msgspec.Struct):
    """What drand's API says of a round; other members are of other schemes."""

    round: int
    signature: str
    randomness: str


class Drand:
    """
    Rounds of a chain over drand's HTTP API.

    Args:
        urls: Of relays; each is asked in turn until one gives the round, signed.
    """

    def __init__(self, chain: Chain, urls: Sequence[str]) -> None:
        self._chain = chain
        self._urls = tuple(url.rstrip("/") for url in urls)
        self._client = httpx.AsyncClient(timeout=_TIMEOUT, follow_redirects=False)

    @property
    def chain(self) -> Chain:
        """The chain whose rounds these are."""
        return self._chain

    async def fetch(self, number: int) -> Pulse:
        """Ask one relay after the other; see :meth:`Beacon.fetch`."""
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
            raise BeaconSilent("what it answered is not a round") from error
        if pulse.round != number:
            raise BeaconSilent(f"answered with round {pulse.round}")
        # A pattern's end lets a line feed pass, and the log would keep it.
        if bytes.fromhex(pulse.signature).hex() != pulse.signature:
            raise BeaconSilent("the signature is not in its one form")
        if not signed(self._chain, pulse):
            raise BeaconSilent("the round is not signed by the chain")
        return pulse

    async def _read(self, url: str) -> bytes:
        """Return what a relay answers, no more of it than a round can be."""
        content = b""
        async with self._client.stream("GET", url) as answer:
            if answer.status_code != httpx.codes.OK:
                raise BeaconSilent(f"answered {answer.status_code}")
            async for part in answer.aiter_bytes():
                content += part
                if len(content) > _ANSWER_BYTES:
                    raise BeaconSilent("answered at too great length")
        return content

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()


def beacon_of(settings: Settings) -> Beacon | None:
    """
    Return the beacon that this process may ask, or None without one.

    Raises:
        SettingsInvalid: If its signatures could not be checked.
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
    The rounds that a process waits for: each is fetched once for all tables.

    Args:
        beacon: None where none is set up: then every round stays away.
    """

    def __init__(self, beacon: Beacon | None, clock: Clocked) -> None:
        self._beacon = beacon
        self._clock = clock
        self._known: dict[int, Pulse] = {}
        self._asking: dict[int, asyncio.Task[Pulse | None]] = {}

    def named(self, chain: str | None) -> Chain | None:
        """
        Return the chain whose hash is *chain*, for a tournament's terms.

        Raises:
            BadRequest: ``beacon_unknown``, if this service asks no such beacon.
        """
        if chain is None:
            return None
        if self._beacon is None or self._beacon.chain.hash != chain:
            raise BadRequest("beacon_unknown", "this service does not use this beacon chain")
        return self._beacon.chain

    async def pulse(self, chain: Chain, number: int) -> Pulse | None:
        """
        Return a round once its time has come; None if it still is not there a while later.

        A tournament whose chain this service does not ask waits: nothing else may take
        the beacon's place.
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
        # Whoever gives up must not give up for all who wait for the same.
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
        """Give up what is asked for, and the connections."""
        for task in tuple(self._asking.values()):
            task.cancel()
        if self._beacon is not None:
            await self._beacon.aclose()
