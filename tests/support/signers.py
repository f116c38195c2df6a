"""A signer that serves over a real socket."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from service.process.signer import signing_app
from service.transparency.note import SigningKey
from service.transparency.signer import Memory, Signer
from tests.support.databases import SIGNER_TOKEN


@contextmanager
def running_signer(key: SigningKey, folder: Path) -> Iterator[str]:
    """Serve a signer, and yield its address."""
    with Memory(folder) as memory, socket.create_server(("127.0.0.1", 0)) as listening:
        app = signing_app(Signer(key, memory), SIGNER_TOKEN)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        thread = threading.Thread(
            target=lambda: asyncio.run(server.serve(sockets=[listening])), daemon=True
        )
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        thread.join(10)
