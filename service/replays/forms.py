"""The forms in which a replay is written, by media type."""

from collections.abc import Callable, Mapping

import msgspec

from engine.table.read.replay import Replay, Step
from service.replays import phh, text

JSON = "application/json"
NDJSON = "application/x-ndjson"
TEXT = "text/plain"

_encoder = msgspec.json.Encoder(order="deterministic")


def ndjson(steps: tuple[Step, ...]) -> bytes:
    """Return each step as one line of JSON."""
    return b"".join(_encoder.encode(step) + b"\n" for step in steps)


WHOLE: Mapping[str, Callable[[Replay], bytes]] = {
    NDJSON: lambda replay: ndjson(replay.steps),
    phh.MEDIA: lambda replay: phh.document(replay).encode(),
    TEXT: lambda replay: _lined(list(text.lines(replay))),
    JSON: _encoder.encode,
}
"""The form of a whole hand by media type. The last is the default."""

SINGLE: Mapping[str, Callable[[Step], bytes]] = {
    NDJSON: lambda step: ndjson((step,)),
    TEXT: lambda step: _lined(list(text.step_lines(step))),
    JSON: _encoder.encode,
}
"""The form of a single step by media type. A PHH document always holds a whole hand."""


def _lined(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
