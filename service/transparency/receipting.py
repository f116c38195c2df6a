"""Getting receipts signed. Requests that arrive during a call to the signer share the next call."""

import asyncio
from collections import deque
from typing import Final

import asyncpg
import httpx
import msgspec

from service.base.errors import CheckpointRefused, SignerUnavailable
from service.transparency.messages import ReceiptsRequest, SignedReceipts
from service.transparency.note import open_note
from service.transparency.receipt import CommandReceipt
from service.transparency.signing import SignerAway, ask

TOGETHER_MAX: Final = 100
EVENTS_MAX: Final = 4_000
"""The size is about a megabyte, far below the signer's limit, so no large receipt fails others."""

_GOOD = """
    SELECT count(*) FILTER (WHERE event = 'published') = 1 AND count(*) = 1
      FROM signer_key WHERE verifier_key = $1
"""


class ReceiptIssuer:
    """
    Asks the signer for receipts, with one call under way at a time.

    Args:
        signer: A client for the signer, closed by :meth:`aclose`. Without one, every request is
            refused.
        pool: The database that knows which keys are published.
    """

    def __init__(self, signer: httpx.AsyncClient | None, pool: asyncpg.Pool) -> None:
        self._pool = pool
        self._signer = signer
        self._waiting: deque[tuple[CommandReceipt, asyncio.Future[str]]] = deque()
        self._serving: asyncio.Task[None] | None = None

    async def signed(self, receipt: CommandReceipt) -> str:
        """
        Return *receipt* as a signed note.

        Raises:
            SignerUnavailable: If the signer does not answer, or its key is not published or is
                revoked. The same request may be made again.
            CheckpointRefused: If the signer has signed something else.
        """
        if self._signer is None:
            raise SignerUnavailable("this server has no signer")
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting.append((receipt, answer))
        if self._serving is None or self._serving.done():
            self._serving = asyncio.create_task(self._serve(self._signer), name="receipts")
        return await answer

    async def aclose(self) -> None:
        """Stop, and answer all waiting requests with ``SignerUnavailable``."""
        if self._serving is not None:
            self._serving.cancel()
            await asyncio.gather(self._serving, return_exceptions=True)
        self._refuse(list(self._waiting), SignerUnavailable("the service is stopping"))
        if self._signer is not None:
            await self._signer.aclose()

    async def _serve(self, signer: httpx.AsyncClient) -> None:
        while self._waiting:
            taken = self._together()
            try:
                notes = await self._ask(signer, tuple(receipt for receipt, _ in taken))
            except asyncio.CancelledError:
                self._refuse(taken, SignerUnavailable("the service is stopping"))
                raise
            except SignerAway:
                self._refuse(taken, SignerUnavailable("the signer does not answer"))
            except Exception as error:  # noqa: BLE001
                # The error is raised to each caller who waits for a receipt.
                self._refuse(taken, error)
            else:
                for (_, answer), note in zip(taken, notes, strict=True):
                    if not answer.done():
                        answer.set_result(note)

    def _together(self) -> list[tuple[CommandReceipt, asyncio.Future[str]]]:
        """Take the waiting requests that fit into one call. The first may have any size."""
        first = self._waiting.popleft()
        taken, events = [first], len(first[0].events)
        while self._waiting and len(taken) < TOGETHER_MAX:
            events += len(self._waiting[0][0].events)
            if events > EVENTS_MAX:
                break
            taken.append(self._waiting.popleft())
        return taken

    @staticmethod
    def _refuse(taken: list[tuple[CommandReceipt, asyncio.Future[str]]], error: Exception) -> None:
        for _, answer in taken:
            if not answer.done():
                answer.set_exception(error)

    async def _ask(
        self, signer: httpx.AsyncClient, receipts: tuple[CommandReceipt, ...]
    ) -> tuple[str, ...]:
        content = msgspec.json.encode(ReceiptsRequest(receipts=receipts))
        answer = await ask(signer, "POST", "/receipts", content=content)
        signed = msgspec.json.decode(answer, type=SignedReceipts)
        if not await self._pool.fetchval(_GOOD, signed.verifier_key):
            # Nobody could check the note: a key is published with the first head it signs.
            raise SignerUnavailable("the signer's key is not published yet, or is revoked")
        for receipt, note in zip(receipts, signed.notes, strict=True):
            if open_note(note, signed.verifier_key) != receipt.text():
                raise CheckpointRefused("the signer's note does not match the request")
        return signed.notes
