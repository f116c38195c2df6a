"""The checks of a client, its answers to them, and the report."""

from collections import Counter
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, get_args

import msgspec

Check = Literal[
    "connects", "legal", "in_time", "once", "key", "retries", "waits", "gives_up", "reconnects",
    "resumes", "order", "unknown", "stops", "patient",
]  # fmt: skip
CHECKS: Final[tuple[Check, ...]] = get_args(Check)

FAULTS_SHOWN: Final = 3
"""The faults of one check that a report shows in full."""


class Expected(NamedTuple):
    """The behaviour that a check expects."""

    title: str
    guide: str
    """The sentence about it in ``docs/guides/write-a-bot.md``."""


EXPECTED: Final[Mapping[Check, Expected]] = {
    "connects": Expected(
        "reads its turns with its token",
        "Open GET /v1/me/stream, or read GET /v1/me/turns, with the token as bearer.",
    ),
    "legal": Expected(
        "sends only legal actions",
        "`view.legal` has every action that you may take. Send only the members of its type.",
    ),
    "in_time": Expected(
        "answers each decision before its deadline",
        "`deadline` is the last instant for the answer. Later the clock answers.",
    ),
    "once": Expected(
        "answers each decision once, even if its turn is told twice",
        "An open turn comes again on a new connection. A decision is answered once.",
    ),
    "key": Expected(
        "sends an Idempotency-Key, another one for each decision",
        "Send the action with an Idempotency-Key made of the table and the decision.",
    ),
    "retries": Expected(
        "repeats a request without an answer, with the same key",
        "If no answer came, send the request again with the same Idempotency-Key.",
    ),
    "waits": Expected(
        "waits for Retry-After after 429 and 503, then tries again",
        "429 and 503 mean: wait for Retry-After seconds and try again.",
    ),
    "gives_up": Expected(
        "does not repeat an action on a closed decision",
        "Every other refusal of an action is final. Do not repeat it.",
    ),
    "reconnects": Expected(
        "connects again after its connection has ended",
        "A stream lives for five minutes at most, and may break at any time.",
    ),
    "resumes": Expected(
        "continues after the last item that it got",
        "Connect again with the `cursor` of the last item as Last-Event-ID, or as `after`.",
    ),
    "order": Expected(
        "plays on if `turn_closed` of an old decision comes after a new turn",
        "`turn_closed` names its decision. It says nothing about any other.",
    ),
    "unknown": Expected(
        "ignores items and members that it does not know",
        "Ignore types that you do not know: there will be more.",
    ),
    "stops": Expected(
        "stops after the end of the tournament, and after 401",
        "The `tournament` that is `finished` is the last item about it. 401 means: stop.",
    ),
    "patient": Expected(
        "does not ask again and again",
        "Wait for news with a stream, or with `wait`. More requests are refused (429).",
    ),
}


class CheckResult(msgspec.Struct, kw_only=True):
    """The result of one check."""

    check: Check
    title: str
    passed: bool | None
    """Null if the situation never arose."""

    seen: int
    """The number of times that the client behaved as expected."""

    faults: int
    examples: tuple[str, ...]
    """The first faults."""

    guide: str


class Report(msgspec.Struct, kw_only=True):
    """The whole report on a client."""

    verdicts: tuple[CheckResult, ...]
    rulesets: dict[str, int]
    """The decisions that the client answered legally, by ruleset."""

    unplayed: tuple[str, ...]
    """The rulesets in which the client answered no decision."""

    requests: int
    """The actions that the client has sent, repetitions included."""

    decisions: int
    """The number of turns sent."""

    asked_elsewhere: dict[str, int]
    """Requests to routes that the test does not have, by method and path. They are no faults."""

    ended: str | None
    """The reason why the test ended early, or null."""

    @property
    def passed(self) -> bool:
        """Return whether the client made no mistake."""
        failed = any(each.passed is False for each in self.verdicts)
        return not failed and not self.unplayed and self.ended is None


class Judge:
    """Notes the client's right and wrong behaviour. One thread uses it at a time."""

    def __init__(self) -> None:
        self._right: Counter[Check] = Counter()
        self._wrong: dict[Check, list[str]] = {each: [] for each in CHECKS}

    def right(self, check: Check) -> None:
        """Note that the client behaved as expected."""
        self._right[check] += 1

    def wrong(self, check: Check, said: str) -> None:
        """Note a fault, in a sentence without a full stop."""
        self._wrong[check].append(said)

    def verdicts(self) -> tuple[CheckResult, ...]:
        """Return the result of every check."""
        return tuple(self._result(each) for each in CHECKS)

    def _result(self, check: Check) -> CheckResult:
        faults, seen = self._wrong[check], self._right[check]
        return CheckResult(
            check=check,
            title=EXPECTED[check].title,
            passed=False if faults else (True if seen else None),
            seen=seen,
            faults=len(faults),
            examples=tuple(faults[:FAULTS_SHOWN]),
            guide=EXPECTED[check].guide,
        )
