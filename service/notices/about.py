"""The facts of one person's notice. Its row keeps these public facts, and no words."""

from datetime import datetime

import msgspec


class About(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The facts of a notice. The words are made when it is sent, in the person's language."""

    league: str
    league_name: str
    tournament: str | None = None
    name: str = ""
    """The name of the tournament."""

    entrant: str | None = None
    table: str | None = None
    number: int | None = None
    """The number of the table."""

    seat: int | None = None
    place: int | None = None
    until: datetime | None = None
    decision: str | None = None
    dispute: str | None = None
    variant: bool = False
    """True for a correction of a result, the ruling of a dispute, and a cancelled tournament."""

    @property
    def path(self) -> str:
        """The path of the page where the person can act."""
        if self.dispute is not None:
            return f"/disputes/{self.dispute}"
        if self.decision is not None:
            return f"/tables/{self.table}"
        if self.tournament is not None:
            return f"/tournaments/{self.tournament}"
        return f"/leagues/{self.league}/audits"
