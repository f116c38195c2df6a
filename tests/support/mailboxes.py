"""A mail server on loopback, which keeps every mail that it takes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

HANGS_UP = "hangs up"
"""The answer that closes the connection instead."""


@dataclass
class Mail:
    """A mail that the server took."""

    recipient: str
    message: EmailMessage
    raw: bytes
    """The mail as it was sent."""

    @property
    def text(self) -> str:
        """The text of the mail."""
        return str(self.message.get_content())

    @property
    def code(self) -> str:
        """The code in the mail, which stands alone in an indented line."""
        [found] = [line.strip() for line in self.text.splitlines() if line.startswith("    ")]
        return found


@dataclass
class MailServer:
    """A mail server that answers as a test tells it to."""

    port: int = 0
    got: list[Mail] = field(default_factory=list)
    answers: dict[str, list[str]] = field(default_factory=dict)
    """The next answers to a verb or to the ``content``. An empty one stands for no answer."""

    stalled: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a client waits for an answer that does not come."""

    let_go: asyncio.Event = field(default_factory=asyncio.Event)
    """Set to end the conversations without an answer."""

    @property
    def url(self) -> str:
        """The address of the server, for ``HOLOTABLE_SMTP_URL``."""
        return f"smtp+plain://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Hold one conversation."""
        recipient = ""
        await self._say(writer, "greeting", "220 ready")
        while line := (await reader.readline()).decode().strip():
            verb = line.partition(" ")[0].upper()
            if verb == "RCPT":
                recipient = line.partition("<")[2].partition(">")[0]
            if verb == "DATA" and await self._say(writer, verb, "354 go on"):
                content = (await reader.readuntil(b"\r\n.\r\n"))[:-3].replace(b"\r\n..", b"\r\n.")
                self.got.append(Mail(recipient, _message(content), content))
                await self._say(writer, "content", "250 taken")
            elif verb != "DATA":
                await self._say(writer, verb, "221 bye" if verb == "QUIT" else "250 fine")
        writer.close()

    async def _say(self, writer: asyncio.StreamWriter, to: str, usual: str) -> bool:
        """Answer, and return whether this was the usual answer."""
        answers = self.answers.get(to)
        said = answers.pop(0) if answers else usual
        if not said:
            self.stalled.set()
            await self.let_go.wait()
        if said == HANGS_UP:
            writer.close()
            return False
        writer.write(f"{said}\r\n".encode())
        await writer.drain()
        return said == usual


def _message(content: bytes) -> EmailMessage:
    found = message_from_bytes(content, policy=default)
    assert isinstance(found, EmailMessage)
    return found


@asynccontextmanager
async def mail_server() -> AsyncIterator[MailServer]:
    """Yield a mail server that listens on loopback."""
    serving = MailServer()
    server = await asyncio.start_server(serving.serve, "127.0.0.1", 0)
    serving.port = server.sockets[0].getsockname()[1]
    try:
        yield serving
    finally:
        serving.let_go.set()
        server.close()
