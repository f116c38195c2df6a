"""A client for tests of ``holotable conformance``, which does one thing wrong on request."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import uuid4

import httpx

Fault = Literal[
    "another key", "no retry", "hasty", "stubborn", "twice", "forgetful", "fragile", "illegal",
    "malformed", "keyless", "one key", "sleepy", "confused", "strict", "restless", "endless",
    "stranger", "backwards",
]  # fmt: skip
Wire = Literal["ndjson", "sse", "poll"]

PAUSE_SECONDS = 0.05


class Ended(Exception):
    """The token has ended."""


@dataclass
class Bot:
    """Plays as the guide says, apart from its fault."""

    url: str
    token: str
    wire: Wire = "ndjson"
    fault: Fault | None = None
    cursors: list[str] = field(default_factory=list)
    items: list[dict[str, Any]] = field(default_factory=list)
    died: str | None = None
    done: set[tuple[str, str]] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)
    left: threading.Event = field(default_factory=threading.Event)

    def leave(self) -> None:
        """End the bot, whatever its fault is. Its server has gone."""
        self.left.set()
        self._thread.join(20)

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def ended(self) -> str | None:
        return self.died

    def _run(self) -> None:
        token = "wrong" if self.fault == "stranger" else self.token
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(
            base_url=self.url, headers=headers, timeout=10, trust_env=False
        ) as self.http:
            try:
                self._play()
                self.died = "it stopped"
            except Ended:
                self.died = "its token had ended"
            except (ValueError, httpx.HTTPError) as error:
                self.died = f"{type(error).__name__}: {error}"

    def _play(self) -> None:
        while not self.left.is_set():
            try:
                for item in self._poll() if self.wire == "poll" else self._stream():
                    self.items.append(item)
                    self._take(item)
                    self.cursors.append(item["cursor"])
                    over = item["type"] == "tournament" and item["state"] == "finished"
                    if over and self.fault != "endless":
                        return
            except httpx.TransportError:
                if self.fault == "fragile":
                    self.left.wait(60)
            except Ended:
                if self.fault != "endless":
                    raise
            time.sleep(0 if self.fault == "restless" else PAUSE_SECONDS)

    @property
    def cursor(self) -> str | None:
        if self.fault == "forgetful" or not self.cursors:
            return None
        return self.cursors[0 if self.fault == "backwards" and len(self.cursors) > 9 else -1]

    def _stream(self) -> Iterator[dict[str, Any]]:
        accepted = "text/event-stream" if self.wire == "sse" else "application/x-ndjson"
        headers = {"Accept": accepted}
        if self.cursor is not None:
            headers["Last-Event-ID"] = self.cursor
        with self.http.stream("GET", "/v1/me/stream", headers=headers) as stream:
            if not self._good(stream):
                return
            for line in stream.iter_lines():
                text = line.removeprefix("data: ")
                if text.startswith("{"):
                    yield json.loads(text)

    def _poll(self) -> Iterator[dict[str, Any]]:
        query: dict[str, str | int] = {} if self.fault == "restless" else {"wait": 5}
        if self.cursor is not None:
            query["after"] = self.cursor
        page = self.http.get("/v1/me/turns", params=query)
        if self._good(page):
            yield from page.json()["items"]

    def _good(self, answer: httpx.Response) -> bool:
        if answer.status_code == 401:
            raise Ended
        if answer.status_code in (429, 503):
            time.sleep(0 if self.fault == "hasty" else int(answer.headers["Retry-After"]))
            return False
        return answer.status_code == 200

    def _take(self, item: dict[str, Any]) -> None:
        kind = item["type"]
        if kind == "weather" and self.fault == "strict":
            raise ValueError("there is no such type")
        if kind == "turn_closed":
            self.closed.add(item["decision"])
            if self.fault == "confused":
                self.held = None
        if kind != "turn" or self.fault == "sleepy":
            return
        if self.fault == "confused":
            # It waits for more news first, in another thread as a slow program would.
            self.held = item
            threading.Timer(0.2, self._answer_held).start()
            return
        seen = (item["table"], item["decision"])
        if seen in self.done and self.fault != "twice":
            return
        self.done.add(seen)
        self._answer(item)

    held: dict[str, Any] | None = None

    def _answer_held(self) -> None:
        item, self.held = self.held, None
        if item is not None:
            with suppress(RuntimeError):  # the test is over
                self._answer(item)

    def _answer(self, turn: dict[str, Any]) -> None:
        body = {**choose(turn["view"]), "decision": turn["decision"]}
        if self.fault == "illegal":
            body = {"type": "junk", "card": "T+01", "decision": turn["decision"]}
        if self.fault == "malformed":
            body["why"] = "a whim"
        key = f"{turn['table']} {turn['decision']}"
        key = {"one key": "always", "twice": uuid4().hex}.get(self.fault or "", key)
        tries = 0
        while tries < 4:
            tries += 1
            if self.fault == "another key":
                key = uuid4().hex
            headers = {} if self.fault == "keyless" else {"Idempotency-Key": key}
            path = f"/v1/tables/{turn['table']}/actions"
            try:
                answer = self.http.post(path, json=body, headers=headers)
            except httpx.TransportError:
                if self.fault == "no retry":
                    return
                time.sleep(PAUSE_SECONDS)
                continue
            if answer.status_code in (429, 503):
                time.sleep(0 if self.fault == "hasty" else int(answer.headers["Retry-After"]))
            elif answer.status_code != 409 or self.fault != "stubborn":
                return


def choose(view: dict[str, Any]) -> dict[str, Any]:
    """Return the action of the guide's bot."""
    legal = {action["verb"]: action for action in view["legal"]}
    if "select" in legal:
        least = max(1, legal["select"]["cards_min"])
        return {"type": "select", "cards": view["me"]["cards"][:least]}
    for verb in ("improve", "stand", "check"):
        if verb in legal:
            return {"type": verb}
    return {"type": "fold"}
