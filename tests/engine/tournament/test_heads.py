"""Heads are recorded once, and only of closed tables."""

from engine import season, tournament
from engine.season.commands import RecordTournaments
from engine.season.errors import SeasonNotClosed
from engine.season.events import TournamentHead, TournamentsRecorded
from engine.tournament.model.commands import Cancel
from engine.tournament.model.commands.correcting import Forfeit
from engine.tournament.model.commands.heads import RecordTables
from engine.tournament.model.errors.correcting import TournamentNotFinished
from engine.tournament.model.events.heads import TableHead, TablesRecorded
from engine.values import TableId
from tests.engine.scenario import Scenario
from tests.engine.season.seasons import award, closing, opening
from tests.engine.season.seasons import tournament as named
from tests.engine.tournament.floor import NOON, entrant, to_start
from tests.engine.tournament.test_correcting import SIGNED, finished

TABLES = (TableHead(table=TableId("tbl_" + "1" * 32), version=90, hash="ab" * 32, hands=7),)
RECORD = RecordTables(tables=TABLES, now=NOON)


def test_a_finished_tournament_records_its_tables_once() -> None:
    given = finished(1_500, 800)
    given.when(RECORD).then(TablesRecorded(tables=TABLES, at=NOON)).when(RECORD).then_nothing()


def test_a_result_is_still_set_right_after_the_tables_were_recorded() -> None:
    given = finished(1_500, 1_200, 800, payouts=(50, 30, 20)).asked(RECORD)
    given = given.asked(Forfeit(entrant=entrant(1), **SIGNED))
    assert given.state.recorded
    given.when(RECORD).then_nothing()


def test_a_cancelled_tournament_records_its_tables() -> None:
    given = Scenario(tournament.decider).asked(*to_start(2), Cancel(reason="a fire", now=NOON))
    given.when(RECORD).then(TablesRecorded(tables=TABLES, at=NOON)).when(RECORD).then_nothing()


def test_a_tournament_in_play_records_nothing() -> None:
    given = Scenario(tournament.decider).asked(*to_start(2))
    given.when(RECORD).then_rejected(TournamentNotFinished, phase="running")


def test_a_season_records_its_tournaments_once_and_after_its_close() -> None:
    heads = (TournamentHead(tournament=named(1), version=40, hash="cd" * 32),)
    record = RecordTournaments(tournaments=heads, now=NOON)
    given = Scenario(season.decider).asked(opening(), award(1, (1, 1, 1)))
    given.when(record).then_rejected(SeasonNotClosed)
    given = given.asked(closing(given.state))
    given.when(record).then(TournamentsRecorded(tournaments=heads, at=NOON))
    given.when(record).then_nothing()
