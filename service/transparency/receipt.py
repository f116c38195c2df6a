"""
A receipt for one accepted command: what the house has promised to keep, in fixed lines.

It is the text of a signed note (C2SP signed-note) and can be taken for no checkpoint:
the second line of one is a number.

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


class Promised(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An event, and where it stands in the league's log."""

    position: int
    stream: str
    version: int
    at: datetime
    hash: bytes


class CommandReceipt(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """That a command was accepted, and the events it has appended."""

    league: str
    """A UUID with its hyphens, as in the origin of a checkpoint."""

    epoch: int
    command: str
    """32 hexadecimal digits."""

    actor: str
    """``plr_…``, or the house."""

    received_at: datetime
    request: bytes | None
    """SHA-256 of the canonical body, if whoever asks has shown that body; else it stays secret."""

    events: tuple[Promised, ...]

    def text(self) -> str:
        """Return what is signed, the closing newline included."""
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
    Return the receipt that *text*, without signatures, says.

    Raises:
        CheckpointRefused: If it is not in the one form that ``CommandReceipt.text`` writes.
    """
    head = _HEAD.match(text)
    if head is None:
        raise CheckpointRefused("this is no receipt of a command")
    events, after = [], head.end()
    while (found := _EVENT.match(text, after)) is not None:
        after = found.end()
        events.append(
            Promised(
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
        raise CheckpointRefused("a receipt's instants are RFC 3339") from error
