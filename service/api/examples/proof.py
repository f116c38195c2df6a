"""Requests about audits, receipts, disputes and confidential claims."""

from service.api.examples import ids
from service.base.documents import Document

REQUESTS: dict[str, Document] = {
    "sign_receipt": {"command": ids.COMMAND},
    "start_audit": {"tournament": ids.TOURNAMENT},
    "open_dispute": {
        "kind": "payout",
        "tournament": ids.TOURNAMENT,
        "claim": "The winner folded.",
    },
    "file_confidential_claim": {
        "kind": "payout",
        "tournament": ids.TOURNAMENT,
        "claim": "They play together.",
    },
    "open_confidential_claim": {"claim": "Two entrants may have played together."},
    "dismiss_confidential_claim": {"reason": "They did not."},
    "freeze_disputed": {"reason": "Until we know"},
    "unfreeze_disputed": {"reason": "We know"},
    "rule_dispute": {
        "outcome": "against",
        "rules": ["betting.reopening"],
        "reason": "It was not so",
    },
    "appeal_ruling": {"reason": "It was"},
    "grant_disclosure": {
        "auditor": ids.PLAYER,
        "until": "2099-01-05T19:00:00Z",
        "reason": "A dispute",
    },
    "open_disclosed": {"what": "hand"},
}
