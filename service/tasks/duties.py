"""
The duties of a worker, by task name. Every duty may be repeated without harm.

Each duty states what happens if it runs late, for an operator who investigates an outage.
``docs/guides/operating-time.md`` shows the same table, and a test compares them.

The function here, the function it calls and the engine's command have the same name. Names of
jobs are stored, and some of them are older: ``tournament.level`` is ``raise_levels``,
``tournament.break`` is ``end_due_break``, ``tournament.round`` is ``seat_round``.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from service.director import (
    breaks,
    closing_heads,
    decision_clock,
    level_clock,
    registration_clock,
    rounds,
    submitting,
)
from service.director.runtime import Runtime
from service.notices import sending
from service.schedule import closing, materialising
from service.tasks import audits, forgetting, proving, randomness, signing
from service.webhooks import delivering

PLAY = "play"
LONG = "long"
OUTSIDE = "outside"
"""
The queues: ``play`` for jobs that players wait for, ``long`` for jobs that take longer, and
``outside`` for jobs that wait for the servers of others, or for the mail server.
"""

Do = Callable[[Runtime, Mapping[str, str]], Awaitable[datetime | None]]
"""Returns the instant at which the duty should run again, or ``None`` if it is finished."""


@dataclass(frozen=True, slots=True)
class Lateness:
    """The effect of lateness on a task: its kind, and its meaning in a sentence."""

    kind: Literal["do", "skip", "extend"]
    """The task is done late, skipped with a record, or given the lost time again."""

    meaning: str


@dataclass(frozen=True, slots=True)
class Duty:
    """One kind of task: its queue, its function, and the effect of lateness."""

    queue: str
    do: Do
    late: Lateness


async def open_registration(runtime: Runtime, ids: Mapping[str, str]) -> datetime | None:
    """Open a tournament's registration when its hour has come."""
    return await submitting.open_registration(runtime, ids["league"], ids["tournament"])


async def start_tournament(runtime: Runtime, ids: Mapping[str, str]) -> datetime | None:
    """Start a scheduled tournament. With too few entrants, cancel or postpone it."""
    now = runtime.clock.now()
    return await submitting.start_tournament(
        runtime, ids["league"], ids["tournament"], now, scheduled=True
    )


async def draw_by_beacon(runtime: Runtime, ids: Mapping[str, str]) -> datetime | None:
    """Draw the seats of a tournament from the beacon's pulse, once it has arrived."""
    return await submitting.draw_by_beacon(runtime, ids["league"], ids["tournament"])


async def close_registration(runtime: Runtime, ids: Mapping[str, str]) -> datetime | None:
    """Close a tournament's registration at its announced time before the start."""
    return await registration_clock.close_registration(runtime, ids["league"], ids["tournament"])


async def open_check_in(runtime: Runtime, ids: Mapping[str, str]) -> datetime | None:
    """Open a tournament's check-in."""
    return await registration_clock.open_check_in(runtime, ids["league"], ids["tournament"])


async def expire_offer(runtime: Runtime, ids: Mapping[str, str]) -> datetime | None:
    """Offer a place to the next player if its offer was not accepted in time."""
    return await registration_clock.expire_offer(
        runtime, ids["league"], ids["tournament"], ids["entrant"]
    )


async def close_late_registration(runtime: Runtime, ids: Mapping[str, str]) -> datetime | None:
    """End the late registration of a running tournament."""
    return await registration_clock.close_late_registration(
        runtime, ids["league"], ids["tournament"]
    )


async def raise_levels(runtime: Runtime, ids: Mapping[str, str]) -> datetime | None:
    """Raise a tournament's due levels, unless its clock has changed since the job was armed."""
    return await level_clock.raise_levels(
        runtime, ids["league"], ids["tournament"], int(ids["run_by"])
    )


async def seat_round(runtime: Runtime, ids: Mapping[str, str]) -> datetime | None:
    """Seat the next round of a tournament, or its final, unless it has been seated."""
    return await rounds.seat_round(runtime, ids["league"], ids["tournament"], int(ids["after"]))


async def end_due_break(runtime: Runtime, ids: Mapping[str, str]) -> datetime | None:
    """End a break when its time is over, unless a director has ended it before."""
    return await breaks.end_due_break(
        runtime, ids["league"], ids["tournament"], int(ids["begun_by"])
    )


async def call_last_hands(runtime: Runtime, ids: Mapping[str, str]) -> datetime | None:
    """Call the last hands, because the announced hour has come."""
    return await breaks.call_last_hands(runtime, ids["league"], ids["tournament"])


async def watch_table(runtime: Runtime, ids: Mapping[str, str]) -> datetime | None:
    """Watch one live table: time out its decision, or open a hand that nobody has opened."""
    return await decision_clock.watch_table(runtime, ids["league"], ids["table"])


async def award_points(runtime: Runtime, ids: Mapping[str, str]) -> None:
    """Award the season's points for a finished tournament."""
    await submitting.award_points(runtime, ids["league"], ids["tournament"])


async def record_tables(runtime: Runtime, ids: Mapping[str, str]) -> datetime | None:
    """Record the heads of a tournament's tables once they have closed."""
    return await closing_heads.record_tables(runtime, ids["league"], ids["tournament"])


async def record_tournaments(runtime: Runtime, ids: Mapping[str, str]) -> datetime | None:
    """Record the heads of a closed season's tournaments."""
    return await closing_heads.record_tournaments(runtime, ids["league"], ids["season"])


async def materialise(runtime: Runtime, ids: Mapping[str, str]) -> datetime | None:
    """Announce the occurrences of a recurrence that are due for announcement."""
    return await materialising.materialise(runtime, ids["league"], ids["season"], ids["recurrence"])


async def close_season(runtime: Runtime, ids: Mapping[str, str]) -> datetime | None:
    """Close a season at its time, once all its tournaments are counted. A new time cancels this."""
    return await closing.close_season(runtime, ids["league"], ids["season"], ids["closes_at"])


async def run_audit(runtime: Runtime, ids: Mapping[str, str]) -> None:
    """Begin the audit of a league or of one tournament, on demand or at night."""
    await audits.run_audit(runtime, ids)


async def audit_unit(runtime: Runtime, ids: Mapping[str, str]) -> None:
    """Do one unit of an audit."""
    await audits.audit_unit(runtime, ids)


async def close_audit(runtime: Runtime, ids: Mapping[str, str]) -> datetime | None:
    """Put an audit's report together once all its units are done."""
    return await audits.close_audit(runtime, ids)


async def measure_randomness(runtime: Runtime, ids: Mapping[str, str]) -> None:
    """Measure the generator on fresh seeds."""
    await randomness.measure_randomness(runtime, ids)


async def forget(runtime: Runtime, _ids: Mapping[str, str]) -> None:
    """Delete expired digests of requests, sign-ins and reset codes."""
    await forgetting.forget(runtime)


async def sign_league_head(runtime: Runtime, ids: Mapping[str, str]) -> datetime | None:
    """Have the head of a league's tree signed."""
    return await signing.sign_league_head(runtime, ids)


async def attach_head(runtime: Runtime, ids: Mapping[str, str]) -> datetime | None:
    """Have a head signed for a dispute and attach it."""
    return await proving.attach_head(runtime, ids)


async def deliver(runtime: Runtime, _ids: Mapping[str, str]) -> None:
    """Deliver the messages of webhooks that are due."""
    await delivering.deliver(runtime)


async def send_notices(runtime: Runtime, _ids: Mapping[str, str]) -> None:
    """Send the notices to people that are due."""
    await sending.send(runtime)


DUTIES: dict[str, Duty] = {
    "tournament.open_registration": Duty(
        PLAY, open_registration, Lateness("do", "Registration opens at once; the start stays.")
    ),
    "tournament.start": Duty(
        PLAY,
        start_tournament,
        Lateness(
            "do",
            "Play starts at once. With too few entrants it is cancelled or postponed, as on time.",
        ),
    ),
    "tournament.draw": Duty(
        PLAY,
        draw_by_beacon,
        Lateness(
            "do", "The pulse named for the draw stays the same; play starts when it has come."
        ),
    ),
    "tournament.close_registration": Duty(
        PLAY,
        close_registration,
        Lateness("do", "Registration closes at once; entries after its end were refused."),
    ),
    "tournament.check_in": Duty(
        PLAY,
        open_check_in,
        Lateness("do", "Announced at once; entrants who checked in on time stay checked in."),
    ),
    "tournament.close_late": Duty(
        PLAY,
        close_late_registration,
        Lateness("extend", "Late registration that ends by time gets the lost time again."),
    ),
    "waitlist.offer": Duty(
        PLAY,
        expire_offer,
        Lateness("extend", "The offer gets the lost time again, until registration closes."),
    ),
    "tournament.level": Duty(
        PLAY,
        raise_levels,
        Lateness(
            "extend", "The clock stood still while the service was away; then levels rise in order."
        ),
    ),
    "tournament.round": Duty(
        PLAY,
        seat_round,
        Lateness("do", "The round begins at once, or at the end of a pause."),
    ),
    "tournament.break": Duty(
        PLAY, end_due_break, Lateness("extend", "The break gets the lost time again.")
    ),
    "tournament.last_hands": Duty(
        PLAY,
        call_last_hands,
        Lateness(
            "do", "The hands in play then are the last, or the drawn number of hands follows."
        ),
    ),
    "table.watch": Duty(
        PLAY,
        watch_table,
        Lateness(
            "extend",
            "Open decisions get their full time again, and idle tables continue.",
        ),
    ),
    "season.award_points": Duty(
        PLAY, award_points, Lateness("do", "The same placings give the same points at any time.")
    ),
    "tournament.record_tables": Duty(
        PLAY, record_tables, Lateness("do", "Closed tables do not change; their heads wait.")
    ),
    "season.record_tournaments": Duty(
        PLAY,
        record_tournaments,
        Lateness("do", "Corrections made in the meantime are recorded with it."),
    ),
    "season.materialise": Duty(
        PLAY,
        materialise,
        Lateness(
            "skip",
            "Future occurrences are announced; those that have begun are recorded as missed.",
        ),
    ),
    "season.close": Duty(
        PLAY,
        close_season,
        Lateness("do", "Closes as soon as every tournament announced for the season is counted."),
    ),
    "audit.run": Duty(
        LONG,
        run_audit,
        Lateness("do", "Runs at once; a nightly audit is skipped when it is an hour late."),
    ),
    "audit.unit": Duty(
        LONG, audit_unit, Lateness("do", "The audit covers what was fixed when it began.")
    ),
    "audit.close": Duty(
        LONG,
        close_audit,
        Lateness("do", "The report says what was found, at any time."),
    ),
    "dispute.attach_head": Duty(
        LONG,
        attach_head,
        Lateness("do", "The head is signed and attached at once; the claim itself has waited."),
    ),
    "randomness.measure": Duty(
        LONG,
        measure_randomness,
        Lateness("do", "Fresh seeds are as good later; a night that is an hour late is skipped."),
    ),
    "records.forget": Duty(
        LONG, forget, Lateness("do", "Expired rows have no effect, even if they are not deleted.")
    ),
    "league.sign_head": Duty(
        LONG, sign_league_head, Lateness("do", "One head signs everything that waits.")
    ),
    "webhook.deliver": Duty(
        OUTSIDE,
        deliver,
        Lateness("do", "Messages are sent at once; each tells its event's instant."),
    ),
    "notice.send": Duty(
        OUTSIDE,
        send_notices,
        Lateness("do", "Notices are sent at once, except those that no longer matter."),
    ),
}

SHORT = tuple(task for task, duty in DUTIES.items() if duty.queue == PLAY)
"""The tasks that take only a moment: those of the queue ``play``."""

GOING_ON = (
    "audit.run",
    "audit.unit",
    "audit.close",
    "league.sign_head",
    "randomness.measure",
    "records.forget",
    "webhook.deliver",
    "notice.send",
)
"""The tasks that go on in a league that takes no commands. They prove, notify or tidy up."""
