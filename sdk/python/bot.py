"""A bot that keeps its first cards and stays in. Set HOLOTABLE_URL and HOLOTABLE_TOKEN."""

import os
import time

from holotable_client import AuthenticatedClient, models
from holotable_client.api.feeds import read_my_turns
from holotable_client.api.tables import act
from holotable_client.types import UNSET

ACTIONS = {
    "select": models.SelectCards, "improve": models.ImproveSelection, "stand": models.Stand,
    "check": models.Check, "call": models.Call, "stay": models.Stay, "fold": models.Fold,
}  # fmt: skip


def answer(client, turn):
    legal = {each.verb.value: each for each in turn.view.legal}
    verb = next(each for each in ACTIONS if each in legal)
    action = {"type": verb, "decision": turn.decision}
    if verb == "select":
        action["cards"] = turn.view.me.cards[: max(1, legal[verb].cards_min)]
    body, key = ACTIONS[verb].from_dict(action), f"{turn.table} {turn.decision}"
    sent = {"client": client, "body": body, "idempotency_key": key}
    while act.sync_detailed(turn.table, **sent).status_code in (429, 503):
        time.sleep(1)


url, token = os.environ["HOLOTABLE_URL"], os.environ["HOLOTABLE_TOKEN"]
client = AuthenticatedClient(url, token, timeout=60)
cursor, over = UNSET, False
while not over:
    for item in read_my_turns.sync(client=client, after=cursor, wait=20).items:
        cursor = item.cursor
        if isinstance(item, models.TurnItem):
            answer(client, item)
        if isinstance(item, models.TournamentItem):
            over = over or item.state.value in ("finished", "cancelled")
