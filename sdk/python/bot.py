"""A bot that keeps its first cards and stays in. Set HOLOTABLE_URL and HOLOTABLE_TOKEN."""

import os
import time
from contextlib import suppress
import httpx
from holotable_client import AuthenticatedClient, models
from holotable_client.api.feeds import read_my_turns
from holotable_client.api.tables import act

ACTIONS = {"select": models.SelectCards, "improve": models.ImproveSelection, "stand": models.Stand,
           "check": models.Check, "call": models.Call, "stay": models.Stay, "fold": models.Fold}
client = AuthenticatedClient(os.environ["HOLOTABLE_URL"], os.environ["HOLOTABLE_TOKEN"], timeout=60)


def asked(call, *about, **more):  # until there is an answer that is neither 429 nor 503
    while True:
        wait = 1
        with suppress(httpx.TransportError):
            got = call(*about, client=client, **more)
            if got.status_code not in (429, 503):
                return got
            wait = int(got.headers["Retry-After"])
        time.sleep(wait)


known, state = {}, ""
while state not in ("finished", "cancelled"):
    for item in asked(read_my_turns.sync_detailed, wait=20, **known).parsed.items:
        known = {"after": item.cursor}
        state = item.state.value if isinstance(item, models.TournamentItem) else state
        if isinstance(item, models.TurnItem):
            legal = {each.verb.value: each for each in item.view.legal}
            verb = next(each for each in ACTIONS if each in legal)
            action = {"type": verb, "decision": item.decision}
            if verb == "select":
                action["cards"] = item.view.me.cards[: max(1, legal["select"].cards_min)]
            body, key = ACTIONS[verb].from_dict(action), f"{item.table} {item.decision}"
            asked(act.sync_detailed, item.table, body=body, idempotency_key=key)
