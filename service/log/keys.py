"""
A league's key, and the keys derived from it.

Each league has one random key, wrapped by the key in the settings. Opening anything in the log
needs both. Changing the settings' key wraps the leagues' keys again and touches no event. Every
other use of the settings' key has its own key, derived with a label.
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
from service.base.errors import EventUnreadable, LeagueKeyLost, LeagueKeyUnknown

_WRAP = b"holotable/wrap/1"
_STREAM = b"holotable/stream/1"
_REQUEST = b"holotable/request/1"
_LEAGUES_KEPT = 4096
_STREAMS_KEPT = 4096
_HMAC_BLOCK = 64
"""SHA-256's block size in bytes. HMAC pads its key to it."""

_SELECT = "SELECT key_id, wrapped FROM key WHERE league = $1"
# A league with events has lost its key, and a new one would open none of them.
_INSERT = """
    INSERT INTO key (league, key_id, wrapped)
    SELECT $1, $2, $3 WHERE NOT EXISTS (SELECT FROM events WHERE league = $1)
    ON CONFLICT DO NOTHING
"""


async def driver_of(connection: Connection) -> Driver:
    """Return asyncpg's connection, also from inside SQLAlchemy's."""
    if not isinstance(connection, AsyncConnection):
        return connection
    driver: Driver | None = (await connection.get_raw_connection()).driver_connection
    if driver is None:
        raise ConnectionError("the connection was closed")
    return driver


def derive(secret: bytes, info: bytes) -> bytes:
    """Derive a 32-byte key from *secret* for the use that *info* names (HKDF)."""
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=info).derive(secret)


class LeagueKeys:
    """
    The keys that seal and open the values of one league.

    Args:
      league: The league that the key belongs to.
      key_id: Identifies the key. Every box holds the identifier of the key that opens it.
      secret: 32 random bytes.
      random: Draws the IV of each box. Only vectors and generated seasons fix it.
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
        """Return the cipher that seals and opens the boxes of *stream*."""
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

        It is keyed because a bare digest of a guessable selection would betray the selection.
        """
        # HMAC, written out: the same bytes in less than half the time.
        return sha256(self._outer + sha256(self._inner + request).digest()).hexdigest()


class Keys:
    """
    The keys of all leagues. Opening them needs the settings' key and the relation ``key``.

    Args:
      secret_key: The settings' key, at least 32 characters. It wraps the leagues' keys.
      others: Earlier keys, which open the keys they wrapped while the key is being changed.
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
          EventUnreadable: If the league has no key yet, or no settings' key opens it.
        """
        found = self._known.get(league) or await self._read(connection, league)
        if found is None:
            raise EventUnreadable("the league has no key")
        return found

    async def of_or_new(self, connection: Connection, league: UUID) -> LeagueKeys:
        """
        Return a league's keys, or make them. Only roles that may append can make them.

        Raises:
          LeagueKeyLost: If the league has events, so that its key must have been lost.
          LeagueKeyUnknown: As :meth:`unwrap`.
        """
        found = self._known.get(league) or await self._read(connection, league)
        if found is not None:
            return found
        made, wrapped = self.new(league)
        driver = await driver_of(connection)
        await driver.execute(_INSERT, league, made.key_id, wrapped)
        # Another process may have inserted its key first. The stored key counts.
        found = await self._read(driver, league)
        if found is None:
            raise LeagueKeyLost
        return found

    def known(self, league: UUID) -> LeagueKeys | None:
        """Return a league's keys if this process has already read them."""
        return self._known.get(league)

    async def _read(self, connection: Connection, league: UUID) -> LeagueKeys | None:
        row = await (await driver_of(connection)).fetchrow(_SELECT, league)
        if row is None:
            return None
        found = self.unwrap(league, row["key_id"], row["wrapped"])
        if len(self._known) >= _LEAGUES_KEPT:
            self._known.clear()
        self._known[league] = found
        return found

    def wrap(self, league: UUID, key_id: UUID, secret: bytes) -> bytes:
        """Return *secret* in the form that the relation ``key`` keeps."""
        iv = os.urandom(12)
        return iv + self._ciphers[0].encrypt(iv, secret, league.bytes + key_id.bytes)

    def unwrap(self, league: UUID, key_id: UUID, wrapped: bytes) -> LeagueKeys:
        """
        Return a league's keys.

        Raises:
          LeagueKeyUnknown: If the key was not wrapped by any of the settings' keys.
        """
        _, secret = self._opened(league, key_id, wrapped)
        return LeagueKeys(league, key_id, secret)

    def opens(self, league: UUID, key_id: UUID, wrapped: bytes) -> bool:
        """Return whether one of the settings' keys wrapped this league's key."""
        try:
            self._opened(league, key_id, wrapped)
        except LeagueKeyUnknown:
            return False
        return True

    def opened(self, league: UUID, key_id: UUID, wrapped: bytes) -> bytes:
        """
        Return a league's secret itself, for a league that moves to other settings.

        Raises:
          LeagueKeyUnknown: As :meth:`unwrap`.
        """
        return self._opened(league, key_id, wrapped)[1]

    def rewrapped(self, league: UUID, key_id: UUID, wrapped: bytes) -> bytes | None:
        """
        Wrap a league's key with the first settings' key, or return None if it already is.

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
        """Return new keys for a league, and the wrapped form that the relation keeps."""
        secret = os.urandom(32)
        key_id = uuid5(league, os.urandom(16).hex())
        return LeagueKeys(league, key_id, secret), self.wrap(league, key_id, secret)
