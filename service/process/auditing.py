"""
A process that does units of an audit for the one that began it, and dies with it.

It reads the plan and then numbers of units, a line each, until its input ends; see
``service.audit.run.processes``.  It is no subcommand: nobody types its input.
"""

import asyncio
import os
import sys
from typing import IO

import msgspec

from engine.values import number_of
from service.audit.run.plan import Plan
from service.audit.run.processes import Answer, Stopped
from service.audit.run.units import perform
from service.base import settings as environment
from service.base.database import async_engine
from service.director.runtime import settle
from service.log.keys import Keys, driver_of
from service.process.failures import explained


async def serve(orders: IO[bytes], answers: IO[bytes], settings: environment.Settings) -> None:
    """Do every unit that *orders* name, one after another."""
    settle()
    plan = msgspec.json.decode(orders.readline(), type=Plan)
    engine = async_engine(settings.database_url, 1)
    try:
        async with engine.connect() as connection:
            driver = await driver_of(connection)
            keys = await Keys(*settings.secret_keys).of(driver, number_of(plan.league))
            await connection.rollback()

            async def weighed(weight: int) -> None:
                say(answers, Answer(weight=weight))

            # Nothing else is to be done here meanwhile, so that waiting for orders may block.
            for number in orders:
                part = await perform(connection, keys, plan, plan.units[int(number)], weighed)
                say(answers, Answer(part=part))
    finally:
        await engine.dispose()


def say(answers: IO[bytes], answer: Answer) -> None:
    """Write one line, and let it go at once."""
    answers.write(msgspec.json.encode(answer) + b"\n")
    answers.flush()


def main() -> None:
    """Work until the orders end; what the keeper can act on is told to who began us."""
    # Whatever else is printed must not stand among the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        asyncio.run(serve(sys.stdin.buffer, answers, environment.read(os.environ)))
    except Exception as error:
        # The last frame of a process: what its keeper can act on is told, all else is raised.
        if (told := explained(error)) is None:
            raise
        say(answers, Answer(stopped=Stopped(*told)))
        sys.exit(told[0])


if __name__ == "__main__":
    main()
