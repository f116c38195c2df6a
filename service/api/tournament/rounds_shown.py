"""The rounds of a tournament as a member sees them."""

from datetime import datetime

import msgspec

from engine.tournament.model.rounds_state import Stage
from engine.tournament.model.rounds_values import Meetings, RoundResult, RoundTable, Score
from engine.tournament.model.state import Finished, Running
from service.api.http.phases import Tournament


class RoundNow(msgspec.Struct, kw_only=True):
    """How far the rounds have come."""

    number: int
    """Of the round that is played, or was played last."""

    stage: Stage
    next_at: datetime | None
    """When the next one, or the final, is seated."""


class RoundShown(msgspec.Struct, kw_only=True):
    """A round: who met whom, and how it ended."""

    number: int
    rule: str
    tables: tuple[RoundTable, ...]
    meetings: Meetings
    """How often those seated have met, this round included."""

    results: tuple[RoundResult, ...] | None
    """Null while it is played."""


class CutShown(msgspec.Struct, kw_only=True):
    """Who goes on to the final, and between whom the lot decided."""

    going: tuple[str, ...]
    tied: tuple[str, ...]


class RoundsShown(msgspec.Struct, kw_only=True):
    """All rounds so far, and the points."""

    number: int
    """Of the round that is played, or was played last."""

    stage: Stage | None
    """Null where there are no rounds."""

    next_at: datetime | None
    closing: bool
    """Whether no further hand is opened in this round."""

    rounds: tuple[RoundShown, ...]
    scores: tuple[Score, ...]
    """Of all who were still in when the last round ended, the best first."""

    cut: CutShown | None


def round_now(state: Tournament) -> RoundNow | None:
    """Return how far the rounds of a tournament have come; None where there are none."""
    rounds = state.rounds if isinstance(state, Running | Finished) else None
    if rounds is None:
        return None
    return RoundNow(number=rounds.number, stage=rounds.stage, next_at=rounds.next_at)


def rounds_shown(state: Tournament) -> RoundsShown:
    """Return everything of a tournament's rounds."""
    rounds = state.rounds if isinstance(state, Running | Finished) else None
    if rounds is None:
        return RoundsShown(
            number=0, stage=None, next_at=None, closing=False, rounds=(), scores=(), cut=None
        )
    results = {each.round: each.results for each in rounds.ended}
    cut = rounds.cut
    return RoundsShown(
        number=rounds.number,
        stage=rounds.stage,
        next_at=rounds.next_at,
        closing=rounds.closing,
        rounds=tuple(
            RoundShown(
                number=each.round,
                rule=each.rule,
                tables=each.tables,
                meetings=each.meetings,
                results=results.get(each.round),
            )
            for each in rounds.seated
        ),
        scores=rounds.scores,
        cut=None if cut is None else CutShown(going=cut.going, tied=cut.tied),
    )
