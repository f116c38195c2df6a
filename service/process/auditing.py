"""
A process that performs units of an audit for its parent, and ends with it.

It reads the plan and then the numbers of units, one per line, until its input ends. See
``service.audit.run.processes``. It is not a subcommand, because nobody types its input.
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
    """Perform every unit in *orders*, one after another."""
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

            # The process has no other work meanwhile, so waiting for orders may block.
            for number in orders:
                part = await perform(connection, keys, plan, plan.units[int(number)], weighed)
                say(answers, Answer(part=part))
    finally:
        await engine.dispose()


def say(answers: IO[bytes], answer: Answer) -> None:
    """Write one line and flush it."""
    answers.write(msgspec.json.encode(answer) + b"\n")
    answers.flush()


def main() -> None:
    """Work until the orders end. Report an error that the operator can act on to the parent."""
    # No other output may get between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        asyncio.run(serve(sys.stdin.buffer, answers, environment.read(os.environ)))
    except Exception as error:
        # An error that the operator can act on is reported. Any other is raised.
        if (told := explained(error)) is None:
            raise
        say(answers, Answer(stopped=Stopped(*told)))
        sys.exit(told[0])


if __name__ == "__main__":
    main()
