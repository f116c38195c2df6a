"""
Conversations with the operator's mail server.

A mail is handed over in two steps. Until the end of :meth:`Post.address` nothing has been sent.
:meth:`Post.hand_over` sends the mail. If its answer does not come, nobody can know whether the
server took it.
"""

import smtplib
import ssl
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import parseaddr
from typing import Final
from urllib.parse import unquote, urlsplit

SECONDS: Final = 10.0
"""The longest wait for the server's answer to one step."""

_PORTS: Final = {"smtps": 465, "smtp": 587, "smtp+plain": 25}
_PERMANENT: Final = 500
_TAKEN: Final = (250, 251)


class _Whole(EmailPolicy):
    """
    Writes a mail, and leaves the address of ``List-Unsubscribe`` in one piece.

    A line of more than 78 characters without a space would become an encoded word, and no mail
    program finds an address in that (RFC 8058, RFC 2047).
    """

    def fold_binary(self, name: str, value: str) -> bytes:
        """Return a header as it is sent."""
        if name.lower() == "list-unsubscribe":
            return f"{name}: {value}{self.linesep}".encode("ascii")
        folded: bytes = super().fold_binary(name, value)
        return folded


_POLICY: Final = _Whole(linesep="\r\n")


class NotTaken(Exception):
    """The server has not taken the mail, and says so."""


class Away(NotTaken):
    """No conversation with the server is possible, for this mail or any other."""


class NeverTaken(NotTaken):
    """The server will never take this mail."""


class NotKnown(Exception):
    """The connection ended before the server said whether it had taken the mail."""


class SmtpSession:
    """
    A conversation with a mail server. All methods block.

    Args:
        url: The server, as ``HOLOTABLE_SMTP_URL`` has it.
        sender: The sender, as ``HOLOTABLE_MAIL_FROM`` has it.
    """

    def __init__(self, url: str, sender: str) -> None:
        self._url = urlsplit(url)
        self._sender = parseaddr(sender)[1]
        self._server: smtplib.SMTP | None = None
        self._silent = False
        """True if the server had no answer about the last recipient."""

    def address(self, recipient: str) -> None:
        """
        Connect if needed, and name sender and recipient. Nothing is sent yet.

        Raises:
            Away: If the server does not answer, or does not take mail from this sender. Also if it
                has no answer about two recipients in a row.
            NeverTaken: If it refuses the recipient for good.
            NotTaken: If it refuses the recipient for now, or has no answer about the recipient.
        """
        try:
            server = self._server or self._connected()
            server.rset()
            said, _ = server.mail(self._sender)
        except (OSError, smtplib.SMTPException) as error:
            self.close()
            raise Away(_told(error)) from error
        if said not in _TAKEN:
            raise Away(f"the mail server answered {said} to the sender")
        try:
            answer, _ = server.rcpt(recipient)
        except (OSError, smtplib.SMTPException) as error:
            # It took the sender. One recipient may be the cause, two in a row are not.
            self.close()
            again, self._silent = self._silent, True
            raise (Away if again else NotTaken)(_told(error)) from error
        self._silent = False
        _demand(answer)

    def greet(self) -> None:
        """
        Connect and sign in, and send nothing.

        Raises:
            Away: If the server does not answer, or does not let this installation in.
        """
        try:
            self._connected()
        except (OSError, smtplib.SMTPException) as error:
            raise Away(_told(error)) from error
        finally:
            self.close()

    def hand_over(self, message: EmailMessage) -> None:
        """
        Send the mail to the recipient who was named.

        Raises:
            NotTaken: If the server refuses it, for now or for good.
            NotKnown: If the answer does not come.
        """
        if self._server is None:
            raise Away("there is no connection")
        try:
            code, _ = self._server.data(message.as_bytes(policy=_POLICY))
        except smtplib.SMTPDataError as error:
            code = error.smtp_code
        except (OSError, smtplib.SMTPException) as error:
            self.close()
            raise NotKnown(_told(error)) from error
        _demand(code)

    def close(self) -> None:
        """End the conversation."""
        server, self._server = self._server, None
        if server is not None:
            server.close()

    def _connected(self) -> smtplib.SMTP:
        """Return a new conversation, encrypted and signed in as the address says."""
        scheme, host = self._url.scheme, self._url.hostname or ""
        port = self._url.port or _PORTS[scheme]
        secure = ssl.create_default_context()
        if scheme == "smtps":
            server: smtplib.SMTP = smtplib.SMTP_SSL(host, port, timeout=SECONDS, context=secure)
        else:
            server = smtplib.SMTP(host, port, timeout=SECONDS)
        self._server = server
        if scheme == "smtp":
            server.starttls(context=secure)
        server.ehlo_or_helo_if_needed()
        if self._url.username is not None:
            server.login(unquote(self._url.username), unquote(self._url.password or ""))
        return server


def _demand(code: int) -> None:
    """
    Check an answer of the server. Its words are not kept: they may name the recipient.

    Raises:
        NeverTaken: If the server refuses for good.
        NotTaken: If it refuses for now.
    """
    if code in _TAKEN:
        return
    refusal = NeverTaken if code >= _PERMANENT else NotTaken
    raise refusal(f"the mail server answered {code}")


def _told(error: Exception) -> str:
    return f"the conversation with the mail server failed: {type(error).__name__}"
