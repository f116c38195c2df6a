"""
A receipt for one accepted command: the events that the house promises to keep.

It is the text of a signed note (C2SP signed-note). It cannot be mistaken for a
checkpoint, because the second line of a checkpoint is a number.

Source: ``docs/guides/signed-heads.md``, "Receipts".
"""

import re
from datetime import datetime

import msgspec

from service.base.errors import CheckpointRefused

FIRST_LINE = "holotable/receipt/1"

_INSTANT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{6})?Z"
_NUMBER = r"0|[1-9]\d{0,17}"
_HEAD = re.compile(
    rf"{FIRST_LINE}\n"
    r"league (?P<league>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\n"
    rf"epoch (?P<epoch>{_NUMBER})\n"
    r"command (?P<command>[0-9a-f]{32})\n"
    r"actor (?P<actor>[a-z0-9_]+)\n"
    rf"received (?P<received>{_INSTANT})\n"
    r"request (?P<request>[0-9a-f]{64}|-)\n"
)
_EVENT = re.compile(
    rf"event (?P<position>{_NUMBER}) (?P<stream>[a-z]+-[0-9a-f]{{32}}) (?P<version>{_NUMBER})"
    rf" (?P<at>{_INSTANT}) (?P<hash>[0-9a-f]{{64}})\n"
)


class PromisedEvent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An event and its place in the league's log."""

    position: int
    stream: str
    version: int
    at: datetime
    hash: bytes


class CommandReceipt(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Proof that a command was accepted, with the events it appended."""

    league: str
    """A UUID with its hyphens, as in the origin of a checkpoint."""

    epoch: int
    command: str
    """32 hexadecimal digits."""

    actor: str
    """``plr_…``, or the house."""

    received_at: datetime
    request: bytes | None
    """SHA-256 of the canonical body, given only to a client that has shown the same body."""

    events: tuple[PromisedEvent, ...]

    def text(self) -> str:
        """Return the text to be signed, including the final newline."""
        lines = [
            FIRST_LINE,
            f"league {self.league}",
            f"epoch {self.epoch}",
            f"command {self.command}",
            f"actor {self.actor}",
            f"received {_instant(self.received_at)}",
            f"request {'-' if self.request is None else self.request.hex()}",
            *(
                f"event {each.position} {each.stream} {each.version} {_instant(each.at)}"
                f" {each.hash.hex()}"
                for each in self.events
            ),
        ]
        return "\n".join(lines) + "\n"


def parse_receipt(text: str) -> CommandReceipt:
    """
    Return the receipt in *text*, which has no signatures.

    Raises:
        CheckpointRefused: If the text is not in the one form that ``CommandReceipt.text`` writes.
    """
    head = _HEAD.match(text)
    if head is None:
        raise CheckpointRefused("this is not a receipt of a command")
    events, after = [], head.end()
    while (found := _EVENT.match(text, after)) is not None:
        after = found.end()
        events.append(
            PromisedEvent(
                position=int(found["position"]),
                stream=found["stream"],
                version=int(found["version"]),
                at=_read(found["at"]),
                hash=bytes.fromhex(found["hash"]),
            )
        )
    receipt = CommandReceipt(
        league=head["league"],
        epoch=int(head["epoch"]),
        command=head["command"],
        actor=head["actor"],
        received_at=_read(head["received"]),
        request=None if head["request"] == "-" else bytes.fromhex(head["request"]),
        events=tuple(events),
    )
    if not events or receipt.text() != text:
        raise CheckpointRefused("the receipt is not in canonical form")
    return receipt


def _instant(at: datetime) -> str:
    return msgspec.json.encode(at).decode().strip('"')


def _read(text: str) -> datetime:
    try:
        return msgspec.convert(text, datetime)
    except msgspec.ValidationError as error:
        raise CheckpointRefused("a receipt's instants must be RFC 3339") from error
