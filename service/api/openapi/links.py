"""Links from the result of a command to the route that reads it."""

from service.base.documents import Document

_ID = "$response.body#/id"

_LINKS: dict[str, tuple[str, dict[str, str]]] = {
    "create_league": ("read_league", {"league_id": _ID}),
    "save_template": (
        "read_template",
        {"league_id": "$request.path.league_id", "template_id": _ID},
    ),
    "open_season": ("read_season", {"season_id": _ID}),
    "announce_tournament": ("read_tournament", {"tournament_id": _ID}),
    "register_entrant": ("list_registrations", {"tournament_id": "$request.path.tournament_id"}),
    "record_payment": ("read_tournament_ledger", {"tournament_id": "$request.path.tournament_id"}),
    "correct_result": ("list_corrections", {"tournament_id": "$request.path.tournament_id"}),
    "act": ("read_table", {"table_id": "$request.path.table_id"}),
    "open_dispute": ("read_dispute", {"dispute_id": _ID}),
    "open_confidential_claim": ("read_dispute", {"dispute_id": _ID}),
    "start_audit": ("read_operation", {"operation_id": "$response.body#/operation"}),
    "open_hand": ("replay_hand", {"hand_id": "$request.path.hand_id"}),
}
"""The route that reads the result of a command, and the sources of its parameters."""


def links_of(operation: str) -> Document:
    """Return the member ``links`` of an operation's answer, or no member."""
    if operation not in _LINKS:
        return {}
    target, parameters = _LINKS[operation]
    return {"links": {target: {"operationId": target, "parameters": parameters}}}
