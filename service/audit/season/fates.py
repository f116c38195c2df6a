"""Checking the end of a season: every tournament announced for it has its fate."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from engine.kit.house_bots import is_house_bot
from engine.season import events
from engine.season.values import Award, Fate
from engine.tournament.model.state import (
    Announced,
    Cancelled,
    Closed,
    Finished,
    Registering,
    Running,
)
from engine.values import TextRef
from service.audit.said import NO_FAULT, Said, said

WithTerms = Announced | Registering | Closed | Running | Finished | Cancelled
"""The states of a tournament that has announced its terms."""

Hold = Callable[[bool, Said], None]
"""Takes whether a check holds, and a description of the fault."""


@dataclass(slots=True)
class FateAudit:
    """Follows the events of one season about its tournaments."""

    added: set[str] = field(default_factory=set)
    awarded: dict[str, dict[str, Award]] = field(default_factory=dict)
    """By tournament, the award of each player."""

    revoked: dict[str, events.AwardRevoked] = field(default_factory=dict)
    """By tournament that no longer counts, the event that revoked its award."""

    def take(self, event: events.Event) -> None:
        """Note the facts of *event* about a tournament."""
        match event:
            case events.TournamentAdded():
                self.added.add(event.tournament)
            case events.PointsAwarded():
                self.awarded[event.tournament] = {each.player: each for each in event.awards}
            case events.AwardRevised():
                self.revoked.pop(event.tournament, None)
                awards = self.awarded.setdefault(event.tournament, {})
                for change in event.changes:
                    awards.pop(change.player, None)
                    if change.after is not None:
                        awards[change.player] = change.after
            case events.AwardRevoked():
                self.revoked[event.tournament] = event
                self.awarded[event.tournament] = {}

    def check(
        self,
        closed: events.SeasonClosed,
        announced: Mapping[str, WithTerms | None],
        frozen: Iterable[str],
        hold: Hold,
    ) -> None:
        """
        Check the fates of a season that closes.

        Args:
            announced: By tournament announced for the season so far, its state, or None if its log
                cannot be followed.
            frozen: The disputes that held the season.
        """
        if closed.fates is None:
            hold(not self.added, said("the season was closed without the fates of its tournaments"))
            return
        named = [each.tournament for each in closed.fates]
        hold(named == sorted(set(named)), said("fates must be one for each tournament, ascending"))
        excused: set[str] = set()
        due = self.added | self.awarded.keys() | announced.keys()
        for missing in sorted(due.difference(named)):
            hold(
                False,
                said("%(missing)s was announced for the season and has no fate", missing=missing),
            )
        for fate in closed.fates:
            if fate.tournament not in announced:
                hold(
                    False,
                    said(
                        "%(tournament)s has a fate and was not announced for the season",
                        tournament=fate.tournament,
                    ),
                )
                continue
            state = announced[fate.tournament]
            if state is not None:
                wrong = self._wrong(fate, state)
                hold(wrong is None, wrong or NO_FAULT)
                if fate.fate == "left_out":
                    excused.update(state.frozen)
        hold(excused.issuperset(frozen), said("the season was closed while a dispute held it"))

    def _wrong(self, fate: Fate, state: WithTerms) -> Said | None:
        """Return the fault of *fate*, or None if it is right."""
        due: tuple[str, str | None, TextRef | None]
        revoked = self.revoked.get(fate.tournament)
        if revoked is not None:
            due = ("left_out", revoked.author, revoked.reason)
        elif fate.tournament in self.awarded:
            due = ("counted", None, None)
        elif isinstance(state, Cancelled):
            due = ("cancelled", None, None)
        elif fate.fate == "left_out" and fate.by is not None and fate.reason is not None:
            due = ("left_out", fate.by, fate.reason)
        elif not _played_by_people(state):
            due = ("not_played", None, None)
        else:
            return said(
                "%(tournament)s has the fate %(fate)s, but nobody left it out",
                tournament=fate.tournament,
                fate=fate.fate,
            )
        if (fate.fate, fate.by, fate.reason) != due:
            return said(
                "%(tournament)s is %(due)s, but has the fate %(fate)s, or another author or reason",
                tournament=fate.tournament,
                due=due[0],
                fate=fate.fate,
            )
        if due[0] == "counted":
            return self._uncounted(fate.tournament, state)
        return None

    def _uncounted(self, tournament: str, state: WithTerms) -> Said | None:
        """Return why a tournament marked as counted does not count as it is, or None if it does."""
        if not isinstance(state, Finished):
            return said("%(tournament)s is counted, but was not finished", tournament=tournament)
        if state.frozen:
            return said(
                "%(tournament)s is counted, but was frozen by a dispute", tournament=tournament
            )
        placed = {
            each.player: (each.place, each.shared) for each in self.awarded[tournament].values()
        }
        if placed != best_places(state):
            return said(
                "%(tournament)s is not counted by its current result",
                tournament=tournament,
            )
        return None


def _played_by_people(state: WithTerms) -> bool:
    """Return False if nobody is entered, or only house bots played a finished tournament."""
    match state:
        case Announced():
            return False
        case Registering():
            return bool(state.entrants)
        case Finished():
            return not all(is_house_bot(each.player) for each in state.placings)
    return True


def counted_places(result: Finished) -> list[tuple[str, int, int]]:
    """
    Return each entry that counts: the player, the place, and the number of entries that share it.

    House bots are left out, and the others move up.
    """
    people = [each for each in result.placings if not is_house_bot(each.player)]
    sharing = Counter(each.place for each in people)
    moved, ahead = {}, 0
    for place in sorted(sharing):
        moved[place] = ahead + 1
        ahead += sharing[place]
    return [(each.player, moved[each.place], sharing[each.place]) for each in people]


def best_places(result: Finished) -> dict[str, tuple[int, int]]:
    """Return the best place of each player, and the number of entrants who share it."""
    best: dict[str, tuple[int, int]] = {}
    for player, place, shared in sorted(counted_places(result), key=lambda it: it[1]):
        best.setdefault(player, (place, shared))
    return best
