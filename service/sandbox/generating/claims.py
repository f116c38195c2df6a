"""The claims of a generated evening, and the acts of rulings for them."""

from engine.dispute.values import Subject
from engine.season.commands import AdjustPoints, RevokeAward
from engine.season.values import Adjustment
from engine.table.model.state import Table
from engine.tournament.model.commands.floor import Disqualify, Penalise, Warn
from engine.tournament.model.state import Finished, Running
from engine.values import AdjustmentId, PlayerId, SeasonId, TournamentId, identifier
from service.base.documents import Document
from service.director.disputes.ruling import Acts
from service.sandbox.generating import incidents
from service.sandbox.generating.disputes import Court
from service.sandbox.generating.evening import Evening

_OF_HANDS = ("betting.reopening", "showdown.key", "pots.layers", "clock")
_OF_SEATS = ("seating.draw", "penalty.hands", "disqualification")
_OF_PAYOUTS = ("payouts", "placing.shared", "corrections.result")
_OF_STANDINGS = ("standings.best_result", "standings.final")


async def in_play(evening: Evening, state: Running) -> None:
    """Dispute the seating or a hand during play. A ruling may act on an entrant still in play."""
    court, terms = evening.court, state.terms
    seating = court.dice.one(state.tables) if state.tables else None
    if seating is None or not seating.seats:
        return
    table = await evening.state(seating.table)
    about: Document = {"tournament": terms.tournament, "season": terms.season}
    subject, rule = Subject(kind="seating", **about), court.dice.one(_OF_SEATS)
    if isinstance(table, Table) and table.last_hand is not None and court.dice.happens(0.7):
        about |= {"table": table.table, "hand": table.last_hand.hand}
        step = court.dice.between(1, 9) if court.dice.happens(0.4) else None
        subject = Subject(kind="hand" if step is None else "step", step=step, **about)
        rule = court.dice.one(_OF_HANDS)
    claimant = _player_of(state, court.dice.one(seating.seats).entrant)
    accused = court.dice.one(state.remaining())

    def acts_of(signed: Document) -> Acts:
        match court.dice.below(5):
            case 0:
                return Acts(tournament=(Disqualify(entrant=accused, **signed),))
            case 1 | 2:
                hands = court.dice.between(1, 3)
                return Acts(tournament=(Penalise(entrant=accused, hands=hands, **signed),))
            case _:
                return Acts(tournament=(Warn(entrant=accused, **signed),))

    await court.hear(subject, claimant, rule, acts_of)


async def over(evening: Evening) -> None:
    """Dispute the payouts. A ruling may change the result or revoke its points."""
    state, court = await evening.state(), evening.court
    if not isinstance(state, Finished):
        return
    terms = state.terms
    subject = Subject(kind="payout", tournament=terms.tournament, season=terms.season)

    def acts_of(signed: Document) -> Acts:
        if court.dice.happens(0.1):
            written = {"author": signed["by"], "reason": signed["reason"], "now": signed["now"]}
            revoked = TournamentId(evening.tournament)
            return Acts(season=(RevokeAward(tournament=revoked, **written),))
        act = incidents.correction(court.dice, state, signed)
        return Acts(tournament=() if act is None else (act,))

    claimant = _player_of(state, court.dice.one(state.placings).entrant)
    await court.hear(subject, claimant, court.dice.one(_OF_PAYOUTS), acts_of)


async def on_standings(court: Court, season: SeasonId, players: list[PlayerId]) -> None:
    """Dispute a season's standings before it closes. A ruling may give or take points."""
    adjusted = court.dice.one(players)

    def acts_of(signed: Document) -> Acts:
        adjustment = Adjustment(
            id=AdjustmentId(identifier("adj", court.entropy.uuid())),
            player=adjusted,
            kind="manual",
            points=court.dice.one(("-1.5", "2")),
            tournament=None,
        )
        written = {"author": signed["by"], "reason": signed["reason"], "now": signed["now"]}
        return Acts(season=(AdjustPoints(adjustment=adjustment, **written),))

    claimant, rule = court.dice.one(players), court.dice.one(_OF_STANDINGS)
    await court.hear(Subject(kind="standing", season=season), claimant, rule, acts_of)


def _player_of(state: Running | Finished, entrant: str) -> PlayerId:
    return next(each.player for each in state.entrants if each.entrant == entrant)
