"""A bot that keeps its first cards and stays in. Set HOLOTABLE_URL and HOLOTABLE_TOKEN."""

import os
import time
from contextlib import suppress
from httpx import TransportError
from holotable_client import AuthenticatedClient, models
from holotable_client.api.tables import act

ACTIONS = {"select": models.SelectCards, "improve": models.ImproveSelection, "stand": models.Stand,
           "check": models.Check, "call": models.Call, "stay": models.Stay, "fold": models.Fold}
client = AuthenticatedClient(os.environ["HOLOTABLE_URL"], os.environ["HOLOTABLE_TOKEN"], timeout=60)
http, known, state = client.get_httpx_client(), {}, ""


def asked(call, *about, **more):  # until there is an answer that is neither 429 nor 503
    while True:
        wait = 1
        with suppress(TransportError):
            got = call(*about, **more)
            if got.status_code not in (429, 503):
                return got
            wait = int(got.headers["Retry-After"])
        time.sleep(wait)


while state not in ("finished", "cancelled"):
    for item in asked(http.get, "/v1/me/turns", params={"wait": 20, **known}).json()["items"]:
        known = {"after": item["cursor"]}
        state = item["state"] if item["type"] == "tournament" else state
        if item["type"] == "turn":  # only known types are parsed, because there will be more
            turn = models.TurnItem.from_dict(item)
            legal = {each.verb.value: each for each in turn.view.legal}
            verb = next(each for each in ACTIONS if each in legal)
            action = {"type": verb, "decision": turn.decision}
            if verb == "select":
                action["cards"] = turn.view.me.cards[: max(1, legal[verb].cards_min)]
            sent = {"body": ACTIONS[verb].from_dict(action), "client": client}
            asked(act.sync_detailed, turn.table, **sent, idempotency_key=f"{turn.table} {turn.decision}")
