"""The type of a database connection below SQLAlchemy."""

import asyncpg
from asyncpg.pool import PoolConnectionProxy
from sqlalchemy.ext.asyncio import AsyncConnection

Driver = asyncpg.Connection | PoolConnectionProxy | asyncpg.Pool
"""What sends asyncpg's statements: a connection, or a pool that lends one for each statement."""

Connection = AsyncConnection | Driver
"""The same, or SQLAlchemy's over asyncpg."""
