"""The type of a database connection below SQLAlchemy."""

import asyncpg
from asyncpg.pool import PoolConnectionProxy

Driver = asyncpg.Connection | PoolConnectionProxy | asyncpg.Pool
"""What sends asyncpg's statements: a connection, or a pool that lends one for each statement."""
