"""The rank of hands in one tournament. Its rules may differ from its preset's."""

from litestar import Response

from service.api.http.access.rights import TournamentPlace
from service.api.http.operations import operation
from service.api.http.writing.submitting import encoded
from service.api.rules.evaluating import HandsWanted, HandsWorth, compared


@operation(
    "POST", "/v1/tournaments/{tournament_id:str}/evaluate", "evaluate_tournament_hands",
    "Rank hands by the rules of a tournament, and name the best. Changes nothing.",
    asks=True, needs="read_league", scope="leagues:read", answer=HandsWorth,
)  # fmt: skip
async def evaluate_tournament_hands(place: TournamentPlace, body: HandsWanted) -> Response[bytes]:
    """Rank the hands as a showdown of this tournament does, with all its overrides."""
    terms = place.state.terms
    return encoded(compared(terms.ruleset_name, terms.ruleset, body))
