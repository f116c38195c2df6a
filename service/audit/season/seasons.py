"""
Checking a season: everything in it must follow when counted a second time.

The placings are the tournament's, the points follow from them by the terms, and the ranks
from the points. The lots come from the committed master.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import asdict

from engine.kit.house_bots import is_house_bot
from engine.season import events
from engine.season.state import Opened, State
from engine.season.values import Award
from engine.tournament.model.state import Finished
from engine.tournament.model.state import State as TournamentState
from engine.values import SeasonId, TournamentId, number_of
from service.audit.play import generator
from service.audit.report import Findings
from service.audit.said import Said, said
from service.audit.season import points as plain
from service.audit.season.fates import FateAudit, WithTerms, best_places, counted_places
from service.audit.season.ranking import PlainStandings

_DRAWS_TABLE = 0
_FIRST_DEAL = 1
_NO_OPENINGS = generator.openings_digest(())


class SeasonAudit:
    """
    Follows the events of one season.

    Args:
        stream: The season's stream.
        tournament: Returns a tournament's state as far as the log has been read.
        announced: Returns the states of all tournaments that were announced for a season.
    """

    def __init__(
        self,
        stream: str,
        findings: Findings,
        tournament: Callable[[TournamentId], TournamentState | None],
        announced: Callable[[SeasonId], Mapping[str, WithTerms | None]],
    ) -> None:
        self._stream = stream
        self._findings = findings
        self._tournament = tournament
        self._announced = announced
        self._fates = FateAudit()
        self._table: PlainStandings | None = None
        self._due: dict[str, dict[tuple[str, str], str]] = {}
        """By tournament, the bonuses that the terms give each player."""

        self._draws = 0
        self._last_position = 0

    def see(self, event: events.Event, position: int, before: State) -> None:
        """Check one event. *before* is the season's state before it."""
        self._last_position = position
        match event:
            case events.SeasonOpened():
                self._table = PlainStandings(event)
                self._committed(event, position)
            case events.PointsAwarded():
                self._awarded(event, event.awards, position)
            case events.AwardRevised():
                self._awarded(event, _after(before, event), position)
            case events.AwardRevoked():
                self._due.pop(event.tournament, None)
            case events.BonusesAwarded():
                self._given(event, position)
            case events.ResultsMerged():
                self._merged(event, position)
            case events.ResultsImported():
                self._imported(event, position, before)
            case events.TournamentAdded():
                held = _opened(before).stated_own is None
                what = said("a tournament joined a season with results that an owner states alone")
                self._hold("points", held, position, what)
            case events.LotsDrawn():
                self._drawn(event, position)
            case events.SeasonClosed():
                self._closed(event, position, before)
        self._known().take(event)
        self._fates.take(event)

    def end(self, state: State) -> None:
        """Compare the table with the standings of *state*, after everything is read."""
        if self._table is None or not isinstance(state, Opened):
            return
        stands = [(each.rank, each.player, each.points) for each in state.standings()]
        held = stands == self._table.rows()
        self._hold(
            "points", held, self._last_position, said("counting again gives different standings")
        )
        given = {
            (entry.tournament, entry.player, entry.kind, entry.points)
            for entry in self._table.entries.values()
        }
        due = {
            (tournament, player, kind, points)
            for tournament, its in self._due.items()
            for (player, kind), points in its.items()
        }
        what = said("a bonus of the terms was not given")
        self._hold("points", due <= given, self._last_position, what)

    def _known(self) -> PlainStandings:
        if self._table is None:
            raise LookupError("a season without terms")
        return self._table

    def _committed(self, event: events.SeasonOpened, position: int) -> None:
        if event.master is None:
            return
        master = bytes.fromhex(event.master.value)
        due = generator.master_commitment(number_of(event.season), "lots", master)
        held = due == event.master_commitment
        self._hold("seeds", held, position, said("the master does not match its commitment"))

    def _awarded(
        self,
        event: events.PointsAwarded | events.AwardRevised,
        awards: Sequence[Award],
        position: int,
    ) -> None:
        result = self._tournament(event.tournament)
        if not isinstance(result, Finished):
            self._hold(
                "points", False, position, said("points for a tournament that is not finished")
            )
            return
        best = best_places(result)
        placed = {each.player: (each.place, each.shared) for each in awards}
        self._hold(
            "points", placed == best, position, said("the placings are not the tournament's")
        )
        terms = self._known().terms
        asked = {"entries": 0, "buy_in": 0, "pool": 0, "money_digits": 2}
        if event.field is not None:
            asked = asdict(event.field)
        asked["entrants"] = len(counted_places(result))
        held = all(_earned(award, terms, asked) for award in awards)
        self._hold("points", held, position, said("the terms give different points"))
        self._due[event.tournament] = {
            (award.player, bonus.kind): plain.rounded(
                plain.times(bonus.points, _times(bonus.kind, award)), terms.scale
            )
            for award in awards
            for bonus in terms.bonuses
            if _times(bonus.kind, award)
        }

    def _given(self, event: events.BonusesAwarded, position: int) -> None:
        due = self._due.get(event.tournament, {})
        held = all(due.get((each.player, each.kind)) == each.points for each in event.bonuses)
        self._hold("points", held, position, said("a bonus is not what the terms give"))

    def _merged(self, event: events.ResultsMerged, position: int) -> None:
        held = not self._known().met(event.player, event.into)
        self._hold("points", held, position, said("merged players have results in one tournament"))

    def _imported(self, event: events.ResultsImported, position: int, before: State) -> None:
        state = _opened(before)
        if state.added or state.counted:
            now = state.imported_of(event.author, event.tournaments)
            held = now == state.imported_of(event.author, state.imported)
            self._hold(
                "points", held, position, said("an owner's list changed the owner's own results")
            )
        scale = self._known().terms.scale
        for tournament in event.tournaments:
            results = tournament.results
            sharing = Counter(each.place for each in results)
            players = {self._known().one(each.player) for each in results}
            people = not any(is_house_bot(each.player) for each in results)
            held = (
                people
                and len(players) == len(results)
                and all(
                    each.shared == sharing[each.place]
                    and each.points == plain.rounded(plain.times(each.points, 1), scale)
                    for each in results
                )
            )
            self._hold("points", held, position, said("an imported tournament contradicts itself"))

    def _drawn(self, event: events.LotsDrawn, position: int) -> None:
        table = self._known()
        self._draws += 1
        draw = event.draw
        level = sorted(player for rank, player, _ in table.rows() if rank == event.rank)
        fair = draw.number == self._draws and list(draw.candidates) == level
        self._hold(
            "points", fair, position, said("lots were drawn among players who were not level")
        )
        if table.terms.master is None:
            raise LookupError("lots without a master")
        master = bytes.fromhex(table.terms.master.value)
        seed = generator.seed(master, "draws", _DRAWS_TABLE, draw.number, _FIRST_DEAL)
        order = generator.Draws(seed, "lot", 1, _NO_OPENINGS).order(draw.candidates)
        held = tuple(order) == draw.order
        self._hold("seeds", held, position, said("the lot gives another order"))

    def _closed(self, event: events.SeasonClosed, position: int, before: State) -> None:
        table = self._known()
        stands = [(each.rank, each.player, each.points) for each in event.standings]
        self._hold(
            "points",
            stands == table.rows(),
            position,
            said("the final standings differ from those counted again"),
        )
        master = table.terms.master
        published = event.master == (None if master is None else master.value)
        self._hold("seeds", published, position, said("a different master was published"))

        def hold(held: bool, what: Said) -> None:
            self._hold("fates", held, position, what)

        self._fates.check(event, self._announced(table.terms.season), _opened(before).frozen, hold)

    def _hold(self, name: str, held: bool, position: int, what: Said) -> None:
        self._findings.hold(name, held, position, self._stream, what)


def _earned(award: Award, terms: events.SeasonOpened, asked: Mapping[str, int]) -> bool:
    """Return whether *award* follows from its places, or is 0 with a cause if they lack a value."""
    own = {"spent": award.spent, "knockouts": award.knockouts}
    places = range(award.place, award.place + award.shared)
    due = plain.shared_worth(
        (plain.place_worth(terms.points, place, asked, own) for place in places), terms.scale
    )
    if due is None:
        return award.failure is not None and award.points == plain.rounded(
            plain.NOTHING, terms.scale
        )
    return award.failure is None and award.points == due


def _opened(state: State) -> Opened:
    if not isinstance(state, Opened):
        raise LookupError("a season that was never opened")
    return state


def _times(kind: str, award: Award) -> int:
    return award.knockouts if kind == "knockouts" else 1


def _after(before: State, event: events.AwardRevised) -> list[Award]:
    """Return the awards after a revision."""
    counted = next(each for each in _opened(before).counted if each.tournament == event.tournament)
    awards = {each.player: each for each in counted.awards}
    for change in event.changes:
        awards.pop(change.player, None)
        if change.after is not None:
            awards[change.player] = change.after
    return list(awards.values())
