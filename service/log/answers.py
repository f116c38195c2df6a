"""Receipts for commands: new appends, and commands that the log already holds."""

from uuid import UUID

from service.base.errors import IdempotencyKeyReused, ServiceError
from service.log.batch import Attempt, Receipt, RecordedEvent
from service.log.codec import Codec
from service.log.record import Recorded
from service.log.store import Store
from service.log.waiting import League, Waiting, accept, refuse


class Answers:
    """
    Answers waiting commands with receipts or refusals.

    Args:
      store: The log, read for commands that it already holds.
      codec: The codec of the same log.
    """

    def __init__(self, store: Store, codec: Codec) -> None:
        self._store = store
        self._codec = codec

    def kept(
        self, league: League, item: Waiting, attempt: Attempt, first: int, duplicate: bool
    ) -> None:
        """Answer with the events appended from position *first* on, or with the refusal."""
        if item.answer.done():
            return
        if attempt.refusal is not None:
            refuse(item, attempt.refusal)
            return
        count = len(attempt.events)
        recorded = tuple(
            RecordedEvent(Recorded._make((first + offset, *new, league.number)), event)
            for offset, (new, event) in enumerate(
                zip(attempt.append.events, attempt.events, strict=True)
            )
        )
        accept(
            item,
            Receipt(
                league=league.name,
                epoch=league.epoch or 0,
                command_id=item.order.command_id,
                first_position=first if count else None,
                last_position=first + count - 1 if count else None,
                duplicate=duplicate,
                recorded=recorded,
            ),
        )

    async def again(self, league: League, item: Waiting, attempt: Attempt, position: int) -> None:
        """Answer a command that the log already holds with its stored events."""
        rows = await self._rows_of(league, item.order.command_id, position)
        about = rows[0].about()
        keys = await self._store.keys(league.number)
        if about.request_digest != keys.request_digest(item.order.request):
            refuse(item, IdempotencyKeyReused("this key was used for another request"))
            return
        if item.answer.done():
            return
        # After a lost connection, our own first call may turn out to have been committed.
        ours = bool(attempt.append.events) and rows[0].hash == attempt.append.events[0].hash
        try:
            recorded = tuple(RecordedEvent(row, self._codec.decode(row, keys)) for row in rows)
        except ServiceError as error:
            refuse(item, error)
            return
        accept(
            item,
            Receipt(
                league=league.name,
                epoch=league.epoch or 0,
                command_id=item.order.command_id,
                first_position=position,
                last_position=rows[-1].position,
                duplicate=not ours,
                recorded=recorded,
            ),
        )
        self._store.wake(league.number, rows[-1].position)

    async def _rows_of(self, league: League, command_id: UUID, position: int) -> list[Recorded]:
        """Return a command's events, which stand side by side from *position* on."""
        found: list[Recorded] = []
        while True:
            after = position - 1 + len(found)
            rows = await self._store.league(league.number, after, 64)
            for row in rows:
                if row.about().command_id != command_id:
                    return found
                found.append(row)
            if len(rows) < 64:
                return found
