"""The commands that correct a finished result."""

from datetime import datetime

import msgspec

from engine.tournament.model.values import Award
from engine.values import EntrantId, PlayerId, TextRef


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    by: PlayerId
    """The player who decided the correction."""
    reason: TextRef
    now: datetime


class CorrectResult(_Command, frozen=True, kw_only=True, tag="correct_result"):
    """Put the placed entrants into another order. Prizes follow the places."""

    order: tuple[tuple[EntrantId, ...], ...]
    """The winner first. Entrants named together share their places."""


class Forfeit(_Command, frozen=True, kw_only=True, tag="forfeit"):
    """Take a result from an entrant: last place and no prize. Everyone below moves up."""

    entrant: EntrantId


class Reaward(_Command, frozen=True, kw_only=True, tag="reaward"):
    """Pay out the same money differently. The places stay."""

    awards: tuple[Award, ...]
    """The payouts in any order. An entrant who is not named gets nothing."""


Command = CorrectResult | Forfeit | Reaward
