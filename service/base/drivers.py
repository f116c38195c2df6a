"""Database connections below SQLAlchemy."""

import asyncpg
from asyncpg.pool import PoolConnectionProxy
from sqlalchemy.ext.asyncio import AsyncConnection

Driver = asyncpg.Connection | PoolConnectionProxy | asyncpg.Pool
"""Sends asyncpg's statements: a connection, or a pool that lends one for each statement."""

Connection = AsyncConnection | Driver
"""A driver, or SQLAlchemy's connection over asyncpg."""


async def leave_as_is(_connection: Driver) -> None:
    """Do not reset a connection's session between uses, because nothing ever changes it."""
