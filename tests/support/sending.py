"""``python -m tests.support.sending``: send the notices that are due, in a process to be killed."""

import asyncio
import os

from service.base.settings import read
from service.director.runtime import open_runtime
from service.notices.sending import send


async def main() -> None:
    """Send once, with the settings of the environment."""
    async with open_runtime(read(os.environ)) as runtime:
        await send(runtime)


if __name__ == "__main__":
    asyncio.run(main())
