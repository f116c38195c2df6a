"""Results of tournaments that were not played here. Source: rulebook ``standings.imported``."""

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal

from engine.errors import Wording
from engine.kit.house_bots import is_house_bot
from engine.season.commands import ImportResults, StatedTournament
from engine.season.errors import ImportInvalid, OwnPoints
from engine.season.events import ResultsImported
from engine.season.points import POINTS_MAX, written
from engine.season.state import Opened
from engine.season.values import ImportedResult, ImportedTournament
from engine.values import PlayerId

NAME_LENGTH_MAX = 120


def import_results(state: Opened, command: ImportResults) -> tuple[ResultsImported, ...]:
    """
    Return the import, or no event if the same results count already.

    The same list of another owner is an event if its results were their player's own statement.

    Raises:
        ImportInvalid: If the list contradicts itself or the season's terms, or names a house bot.
            The refusal names the tournament.
        OwnPoints: If the list changes results of its author, in a season of this server's
            tournaments.
    """
    names: set[str] = set()
    for each in command.tournaments:
        for problem in _problems(state, each):
            raise ImportInvalid(tournament=each.name, problem=problem)
        if each.name in names:
            raise ImportInvalid(
                tournament=each.name, problem=Wording("the list has this name twice")
            )
        names.add(each.name)
    imported = tuple(_imported(each, state.terms.scale) for each in command.tournaments)
    if imported == state.imported and state.stated_own in (None, command.author):
        return ()
    _demand_others(state, imported, command.author)
    made = ResultsImported(
        tournaments=imported,
        digest=command.digest,
        author=command.author,
        rule="standings.imported",
    )
    return (made,)


def _demand_others(
    state: Opened, imported: tuple[ImportedTournament, ...], author: PlayerId
) -> None:
    """
    Check that *imported* leaves the results of *author* as they are.

    Before the season has a tournament of this server, an organiser who played can bring a past
    season alone. Then the season takes no tournament of this server until another owner has brought
    the list: see :func:`demand_stated_by_others`.
    """
    if not state.added and not state.counted:
        return
    if state.imported_of(author, imported) != state.imported_of(author, state.imported):
        raise OwnPoints(problem=Wording("another owner has to decide on your results"))


def demand_stated_by_others(state: Opened) -> None:
    """
    Check that no imported results are their player's own statement.

    Raises:
        OwnPoints: If the owner who brought the list stated own results in it.
    """
    if state.stated_own is not None:
        problem = Wording(
            "an owner imported results of their own; let another owner bring the list first"
        )
        raise OwnPoints(problem=problem)


def _problems(state: Opened, stated: StatedTournament) -> Iterator[Wording]:
    if not 0 < len(stated.name.strip()) <= NAME_LENGTH_MAX:
        yield Wording(f"a tournament's name has 1 to {NAME_LENGTH_MAX} characters")
    if not stated.results:
        yield Wording("it has no results")
    places: dict[PlayerId, int] = {}
    for each in stated.results:
        player = state.one(each.player)
        if player in places:
            yield Wording(
                f"the results at place {places[player]} and place {each.place} are one player's"
            )
        if is_house_bot(player):
            yield Wording(
                f"the result at place {each.place} is a house bot's, which gets no points"
            )
        places[player] = each.place
    scale = state.terms.scale
    for each in stated.results:
        # A list may leave players out, so places may be missing.
        if each.place < 1:
            yield Wording("places are counted from 1")
        points = Decimal(each.points)
        if abs(points) > POINTS_MAX:
            yield Wording(f"points must not be beyond {POINTS_MAX:f}")
        if Decimal(written(points, scale=scale)) != points:
            yield Wording(f"this season counts {scale} fraction digits")


def _imported(stated: StatedTournament, scale: int) -> ImportedTournament:
    sharing = Counter(each.place for each in stated.results)
    results = (
        ImportedResult(
            player=each.player,
            place=each.place,
            shared=sharing[each.place],
            points=written(Decimal(each.points), scale=scale),
        )
        for each in stated.results
    )
    ordered = tuple(sorted(results, key=lambda each: (each.place, each.player)))
    return ImportedTournament(name=stated.name, played_on=stated.played_on, results=ordered)
