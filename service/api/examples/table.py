"""Requests about tables and hands."""

from service.base.documents import Document

REQUESTS: dict[str, Document] = {
    "enter_sandbox": {"ruleset": "traditional", "bot": True},
    "act": {"type": "fold", "decision": "none"},
    "set_presence": {"away": False},
    "void_deal": {"cause": "mis_deal", "reason": "card_shown"},
    "open_hand": {"reason": "A claim"},
}
