"""
A league's key and what is derived from it.

One random key per league, wrapped by the key in the settings; nothing in the
log can be opened without both.  Changing the settings' key rewraps and touches
no event.  Every other use of the settings' key has a key of its own, derived with a label.
"""

import contextlib
import os
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from uuid import UUID, uuid5

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from sqlalchemy.ext.asyncio import AsyncConnection

from service.base.drivers import Connection, Driver
from service.base.errors import EventUnreadable, LeagueKeyUnknown

_WRAP = b"holotable/wrap/1"
_STREAM = b"holotable/stream/1"
_REQUEST = b"holotable/request/1"
_STREAMS_KEPT = 4096
_HMAC_BLOCK = 64
"""Bytes of SHA-256's block, to which HMAC pads its key."""

_SELECT = "SELECT key_id, wrapped FROM key WHERE league = $1"
_INSERT = "INSERT INTO key (league, key_id, wrapped) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"


async def driver_of(connection: Connection) -> Driver:
    """Return asyncpg's connection, also when it is asked for inside SQLAlchemy's."""
    if not isinstance(connection, AsyncConnection):
        return connection
    driver: Driver | None = (await connection.get_raw_connection()).driver_connection
    if driver is None:
        raise ConnectionError("the connection was closed")
    return driver


def derive(secret: bytes, info: bytes) -> bytes:
    """Return the key of 32 bytes that *secret* gives for the use that *info* names (HKDF)."""
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=info).derive(secret)


class LeagueKeys:
    """
    What seals and opens the values of one league.

    Args:
        league: Whose key this is.
        key_id: Stands in every box, so that a box names the key that opens it.
        secret: 32 random bytes.
        random: Draws the IV of each box; only vectors and made-up seasons fix it.
    """

    __slots__ = ("_inner", "_outer", "_secret", "_streams", "key_id", "league", "random")

    def __init__(
        self,
        league: UUID,
        key_id: UUID,
        secret: bytes,
        random: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self.random = random
        self.league = league
        self.key_id = key_id
        self._secret = secret
        padded = derive(secret, _REQUEST).ljust(_HMAC_BLOCK, b"\x00")
        self._inner = bytes(each ^ 0x36 for each in padded)
        self._outer = bytes(each ^ 0x5C for each in padded)
        self._streams: OrderedDict[str, AESGCM] = OrderedDict()

    def __repr__(self) -> str:
        return f"LeagueKeys({self.league}, {self.key_id})"

    def cipher(self, stream: str) -> AESGCM:
        """Return what seals and opens the boxes of *stream*."""
        found = self._streams.get(stream)
        if found is None:
            found = AESGCM(derive(self._secret, _STREAM + stream.encode()))
            self._streams[stream] = found
            if len(self._streams) > _STREAMS_KEPT:
                self._streams.popitem(last=False)
        return found

    def request_digest(self, request: bytes) -> str:
        """
        Return the keyed digest of a request's body, in hexadecimal.

        Keyed, because a bare digest of a body with a guessable selection betrays it.
        """
        # HMAC, written out: the same bytes in less than half the time.
        return sha256(self._outer + sha256(self._inner + request).digest()).hexdigest()


class Keys:
    """
    Every league's keys, for whoever has the settings' key and may read the relation ``key``.

    Args:
        secret_key: At least 32 characters of the settings; it wraps.
        others: Keys that open what they wrapped, while the key is being changed.
    """

    def __init__(self, secret_key: str, *others: str) -> None:
        self._ciphers = [AESGCM(derive(each.encode(), _WRAP)) for each in (secret_key, *others)]
        self._known: dict[UUID, LeagueKeys] = {}

    async def of(self, connection: Connection, league: UUID) -> LeagueKeys:
        """
        Return a league's keys.

        Args:
            connection: asyncpg's, or SQLAlchemy's over asyncpg.

        Raises:
            EventUnreadable: If it has none yet, or not under this secret key.
        """
        found = self._known.get(league) or await self._read(connection, league)
        if found is None:
            raise EventUnreadable("the league has no key")
        return found

    async def of_or_new(self, connection: Connection, league: UUID) -> LeagueKeys:
        """Return a league's keys, made now if it has none; for roles that may append."""
        found = self._known.get(league) or await self._read(connection, league)
        if found is not None:
            return found
        made, wrapped = self.new(league)
        driver = await driver_of(connection)
        await driver.execute(_INSERT, league, made.key_id, wrapped)
        # Another process may have been first: what stands there counts.
        return await self.of(driver, league)

    def known(self, league: UUID) -> LeagueKeys | None:
        """Return a league's keys if they were asked for before."""
        return self._known.get(league)

    async def _read(self, connection: Connection, league: UUID) -> LeagueKeys | None:
        row = await (await driver_of(connection)).fetchrow(_SELECT, league)
        if row is None:
            return None
        self._known[league] = self.unwrap(league, row["key_id"], row["wrapped"])
        return self._known[league]

    def wrap(self, league: UUID, key_id: UUID, secret: bytes) -> bytes:
        """Return *secret* as the relation ``key`` keeps it."""
        iv = os.urandom(12)
        return iv + self._ciphers[0].encrypt(iv, secret, league.bytes + key_id.bytes)

    def unwrap(self, league: UUID, key_id: UUID, wrapped: bytes) -> LeagueKeys:
        """
        Return a league's keys.

        Raises:
            LeagueKeyUnknown: If none of the settings' keys is the one that wrapped it.
        """
        _, secret = self._opened(league, key_id, wrapped)
        return LeagueKeys(league, key_id, secret)

    def rewrapped(self, league: UUID, key_id: UUID, wrapped: bytes) -> bytes | None:
        """
        Return what the first key makes of what another one wrapped; None if it is its own.

        Raises:
            EventUnreadable: As :meth:`unwrap`.
        """
        number, secret = self._opened(league, key_id, wrapped)
        return None if number == 0 else self.wrap(league, key_id, secret)

    def _opened(self, league: UUID, key_id: UUID, wrapped: bytes) -> tuple[int, bytes]:
        for number, cipher in enumerate(self._ciphers):
            with contextlib.suppress(InvalidTag):
                return number, cipher.decrypt(
                    wrapped[:12], wrapped[12:], league.bytes + key_id.bytes
                )
        raise LeagueKeyUnknown

    def new(self, league: UUID) -> tuple[LeagueKeys, bytes]:
        """Return fresh keys for a league, and how the relation keeps them."""
        secret = os.urandom(32)
        key_id = uuid5(league, os.urandom(16).hex())
        return LeagueKeys(league, key_id, secret), self.wrap(league, key_id, secret)
