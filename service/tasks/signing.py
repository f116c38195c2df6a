"""Signing of a league's tree head, after new events and at a tournament's end."""

from collections.abc import Mapping
from datetime import datetime, timedelta

import structlog

from engine.values import number_of
from service.base.errors import CheckpointRefused
from service.director.runtime import Runtime
from service.transparency.signing import SignerAway, asking, sign_head

AWAY_SECONDS = 5
"""The pause before asking a silent signer again. There is no limit to the retries."""

_log = structlog.get_logger(__name__)


async def sign_league_head(runtime: Runtime, ids: Mapping[str, str]) -> datetime | None:
    """
    Have a head signed that covers all events of a league's log.

    Returns:
        The instant to try again, if the signer does not answer.

    Raises:
        CheckpointRefused: If the log does not continue what was signed before.
    """
    league = ids["league"]
    try:
        async with asking(runtime.settings) as signer, runtime.pool.acquire() as connection:
            if signer is None:
                return None
            head = await sign_head(connection, signer, number_of(league))
    except SignerAway as away:
        _log.warning("a head waits for the signer", league=league, why=str(away))
        return runtime.clock.now() + timedelta(seconds=AWAY_SECONDS)
    except CheckpointRefused as refusal:
        # The log was cut, rewritten or restored. A person must look at it today.
        _log.error("no head is signed", league=league, why=refusal.detail, **refusal.facts)
        raise
    if head is not None:
        _log.info("head signed", league=league, size=head.size, root=head.root.hex())
    return None
