"""The ends of streams as the log records them, compared with the streams themselves."""

from collections.abc import Set as AbstractSet

from engine.season.events import TournamentHead
from engine.tournament.model.events.heads import TableHead
from service.audit.report import Findings
from service.audit.said import Said, said
from service.log.record import Recorded


class EndsAudit:
    """Compares recorded ends of streams with the streams."""

    def __init__(self, findings: Findings, recorded: Recorded) -> None:
        self._findings, self._recorded = findings, recorded

    def compare(
        self, stream: str, head: TableHead | TournamentHead, found: tuple[int, bytes]
    ) -> None:
        """Compare a stream's recorded end with the version and the hash *found*."""
        version, hash_ = found
        what = said(
            "%(recorded)s events of %(stream)s are recorded, it has %(version)s or another end",
            stream=stream,
            recorded=head.version,
            version=version,
        )
        self._hold((version, hash_.hex()) == (head.version, head.hash), what)

    def count(self, table: str, head: TableHead, hands: int) -> None:
        """Compare the number of hands recorded for a table with those settled."""
        what = said(
            "%(recorded)s hands are recorded for %(name)s, but its log has %(hands)s",
            recorded=head.hands,
            name=table,
            hands=hands,
        )
        self._hold(hands == head.hands, what)

    def missing(self, tables: AbstractSet[str]) -> None:
        """Report *tables* of the tournament that are not among those recorded."""
        count = len(tables)
        what = said("%(count)s tables of this tournament are not among those recorded", count=count)
        self._hold(not tables, what)

    def _hold(self, held: bool, what: Said) -> None:
        at = self._recorded
        self._findings.hold("heads", held, at.position, at.stream, what)
