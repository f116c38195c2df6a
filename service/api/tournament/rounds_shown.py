"""The rounds of a tournament as a member sees them."""

from datetime import datetime

import msgspec

from engine.tournament.model.state import Finished, Running
from engine.tournament.model.state.rounds import Stage
from engine.tournament.model.values.rounds import Meetings, RoundResult, RoundTable, Score
from service.api.http.access.phases import Tournament


class RoundNow(msgspec.Struct, kw_only=True):
    """The progress of the scheduled rounds."""

    number: int
    """The round in play, or the last round played."""

    stage: Stage
    """`playing` a round, `between` two rounds, or in the `final`."""

    next_at: datetime | None
    """The time at which the next round, or the final, is seated."""


class RoundShown(msgspec.Struct, kw_only=True):
    """One round: its tables, its meetings and its results."""

    number: int
    """The number of the round, from 1."""

    rule: str
    """The rule of the rulebook by which the tables were made."""

    tables: tuple[RoundTable, ...]
    """The tables of the round, with seats and stacks at its start."""

    meetings: Meetings
    """The meetings of the seated entrants so far, this round included."""

    results: tuple[RoundResult, ...] | None
    """Null until the round has ended."""


class CutShown(msgspec.Struct, kw_only=True):
    """The entrants that go on to the final, and the tied entrants ranked by lot."""

    going: tuple[str, ...]
    """The entrants who play the final."""

    tied: tuple[str, ...]
    """The entrants with equal scores at the cut, whom a lot ranked."""


class RoundsShown(msgspec.Struct, kw_only=True):
    """All rounds so far, with the points and the cut."""

    number: int
    """The round in play, or the last round played."""

    stage: Stage | None
    """Null if there are no rounds."""

    next_at: datetime | None
    """The time at which the next round, or the final, is seated. Null if none is planned."""

    closing: bool
    """If true, no further hands open in this round."""

    rounds: tuple[RoundShown, ...]
    """The rounds so far, in order."""

    scores: tuple[Score, ...]
    """Scores of the entrants still in when the last round ended, best first."""

    cut: CutShown | None
    """The cut after the last round, or null without one."""


def round_now(state: Tournament) -> RoundNow | None:
    """Return the progress of a tournament's rounds, or None if it has no rounds."""
    rounds = state.rounds if isinstance(state, Running | Finished) else None
    if rounds is None:
        return None
    return RoundNow(number=rounds.number, stage=rounds.stage, next_at=rounds.next_at)


def rounds_shown(state: Tournament) -> RoundsShown:
    """Return all rounds, scores and the cut, or empty if the tournament has no rounds."""
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
