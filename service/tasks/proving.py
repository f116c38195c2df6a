"""Signed heads for disputes, which prove the events that a claim refers to."""

from collections.abc import Mapping
from datetime import datetime

from engine import dispute
from engine.dispute.commands import AttachHead
from engine.values import number_of
from service.director.runtime import Runtime
from service.log.orders import on_stream
from service.log.streams import dispute_stream
from service.tasks import signing

_HEAD = """
    SELECT epoch, size, root, note FROM checkpoint
     WHERE league = $1 AND size > (
        SELECT max(position) FROM events
         WHERE league = $1 AND stream = $2 AND stream_version = 1
     ) AND epoch = coalesce((SELECT epoch FROM league_epoch WHERE league = $1), 0)
     ORDER BY size LIMIT 1
"""


async def attach_head(runtime: Runtime, ids: Mapping[str, str]) -> datetime | None:
    """
    Have a head signed that covers the claim, and attach it to the dispute once.

    Returns:
        The instant to try again, if the signer does not answer.

    Raises:
        CheckpointRefused: If the log does not continue what was signed before.
    """
    league, stream = ids["league"], dispute_stream(ids["dispute"])
    again = await signing.sign_league_head(runtime, ids)
    head = await runtime.pool.fetchrow(_HEAD, number_of(league), stream)
    if again is not None or head is None:
        return again
    command = AttachHead(
        epoch=head["epoch"],
        size=head["size"],
        root=head["root"].hex(),
        note=tuple(head["note"].split("\n")),
        now=runtime.clock.now(),
    )
    decide = on_stream(stream, dispute.decider, command)
    await runtime.writer.submit(league, runtime.order(f"attach_head/{ids['dispute']}"), decide)
    return None
