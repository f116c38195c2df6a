"""Pulses of a public beacon, checked from the events: the number due, and the signature."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from engine.kit.beacon import Chain, Pulse, time_of
from engine.table.model.events import TableBeaconAwaited
from engine.tournament.model.events import Event
from engine.tournament.model.events import fairness as fairness_events
from engine.tournament.model.state import Announced, Drafted, State
from service.audit.report import Findings
from service.audit.said import NO_FAULT, Said, said
from service.base.settings import SettingsInvalid
from service.director.beacon import signed
from service.log.record import Recorded

Hold = Callable[[bool, int, Said], None]

_MICROSECOND = timedelta(microseconds=1)
_MARGIN = 3_000_000
"""Microseconds. See rulebook ``beacon.round``."""

_BEHIND_MAX = timedelta(seconds=60)
"""The longest time that an append naming a pulse may take. See rulebook ``beacon.round``."""


def due(chain: Chain, at: datetime) -> int:
    """Return the number of the first pulse that comes three seconds after *at* or later."""
    earliest = (at - datetime(1970, 1, 1, tzinfo=UTC)) // _MICROSECOND + _MARGIN
    since, period = earliest - chain.genesis * 10**6, chain.period * 10**6
    return 1 if since <= 0 else 1 + (since + period - 1) // period


def added(chain: Chain, pulse: Pulse) -> bytes:
    """Return the bytes of a pulse that go into a digest."""
    number = pulse.round.to_bytes(8, "big")
    return bytes.fromhex(chain.hash) + number + bytes.fromhex(pulse.randomness)


def fault_of(chain: Chain, pulse: Pulse) -> Said | None:
    """Return the fault in a pulse's signature or randomness, or None if both are right."""
    if sha256(bytes.fromhex(pulse.signature)).hexdigest() != pulse.randomness:
        return said("the randomness does not follow from the signature")
    try:
        return None if signed(chain, pulse) else said("the signature of this pulse is invalid")
    except SettingsInvalid as error:
        return said("the pulse cannot be checked: %(reason)s", reason=error)


def named_late(
    event: TableBeaconAwaited | fairness_events.BeaconAwaited,
    chain: Chain | None,
    recorded: Recorded,
    findings: Findings,
) -> bool:
    """
    Return whether *event* names a pulse that was already public when it entered the log.

    It is a fault to date the event far back, because the pulse could then be known already.

    Args:
        chain: The beacon of the pulse.
    """
    behind = recorded.at - event.at
    findings.hold(
        "entropy",
        behind <= _BEHIND_MAX,
        recorded.position,
        recorded.stream,
        said("a pulse was named by an instant %(behind)s before the log's", behind=behind),
    )
    return chain is not None and recorded.at >= time_of(chain, event.round)


class BeaconAudit:
    """Follows the beacon of one tournament."""

    def __init__(self, hold: Hold) -> None:
        self._hold = hold
        self.chain: Chain | None = None
        self._awaited: int | None = None
        self.added = b""
        """The beacon's part of the digest for draws at table 0."""

    def see(self, event: Event, position: int, before: State) -> None:
        """Check *event* of a tournament with the state *before*."""
        match event:
            case fairness_events.BeaconNamed():
                early = isinstance(before, Drafted | Announced)
                self._hold(early, position, said("a beacon was named after the announcement"))
                self.chain = event.chain
            case fairness_events.BeaconAwaited():
                once = self.chain is not None and self._awaited is None
                self._hold(once, position, said("a pulse was named twice, or without a beacon"))
                right = self.chain is not None and event.round == due(self.chain, event.at)
                self._hold(right, position, said("another pulse was due for the seats"))
                self._awaited = event.round
            case fairness_events.BeaconRecorded():
                named = event.pulse.round == self._awaited
                self._hold(named, position, said("this pulse was not named for the seats"))
                if self.chain is not None:
                    fault = fault_of(self.chain, event.pulse)
                    self._hold(fault is None, position, fault or NO_FAULT)
                    self.added = added(self.chain, event.pulse)

    def drawn(self, position: int) -> None:
        """Check that the seats, drawn now, waited for the beacon if there is one."""
        waited = self.chain is None or self.added != b""
        self._hold(waited, position, said("the seats were drawn without the beacon"))
