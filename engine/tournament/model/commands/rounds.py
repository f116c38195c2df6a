"""The commands of the clock, of tables and of directors in scheduled rounds."""

from datetime import datetime

import msgspec

from engine.tournament.model.values.rounds import RoundPenalty, TableEnd
from engine.values import EntrantId, PlayerId, TableId, TextRef


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class SeatRound(_Command, frozen=True, kw_only=True, tag="seat_round"):
    """Seat the next round, or the final, if its time has come."""

    table_ids: tuple[TableId, ...]
    """At least as many as tables are needed. The first ones are used, in order."""

    now: datetime


class EndRound(_Command, frozen=True, kw_only=True, tag="end_round"):
    """End a round in which every table has played its hands."""

    round: int
    tables: tuple[TableEnd, ...]
    away: tuple[EntrantId, ...]
    penalties: tuple[RoundPenalty, ...] = ()
    now: datetime


class EndRoundEarly(_Command, frozen=True, kw_only=True, tag="end_round_early"):
    """Make the hands in play the last of this round."""

    by: PlayerId
    reason: TextRef
    now: datetime


Command = SeatRound | EndRound | EndRoundEarly
