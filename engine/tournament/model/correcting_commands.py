"""What can be asked of a result that stands."""

from datetime import datetime

import msgspec

from engine.tournament.model.values import Award
from engine.values import EntrantId, PlayerId, TextRef


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    by: PlayerId
    """Whose decision it is."""
    reason: TextRef
    now: datetime


class CorrectResult(_Command, frozen=True, kw_only=True, tag="correct_result"):
    """Put everyone who was placed into another order; prizes follow the places."""

    order: tuple[tuple[EntrantId, ...], ...]
    """The winner first; entrants named together share their places."""


class Forfeit(_Command, frozen=True, kw_only=True, tag="forfeit"):
    """Take a result from an entrant: last place and no prize; everyone below moves up."""

    entrant: EntrantId


class Reaward(_Command, frozen=True, kw_only=True, tag="reaward"):
    """Pay out the same money in another way; the places stay."""

    awards: tuple[Award, ...]
    """Who gets how much, in any order; who is not named gets nothing."""


Command = CorrectResult | Forfeit | Reaward
