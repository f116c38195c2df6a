"""Broken bundles of a season, one for each kind of defect, with a description of the defect."""

from collections.abc import Iterator

import msgspec

from service.sandbox.generating import defects_above, defects_in_hands, defects_of_pots
from service.sandbox.generating.chance import Dice
from service.sandbox.generating.forging import Forgery, finish, signed_by, with_signature_of
from service.sandbox.generating.planting import NoPlace
from service.sandbox.generating.seasons import Season
from service.transparency.note import SigningKey

DEFECTS = (*defects_in_hands.DEFECTS, *defects_of_pots.DEFECTS, *defects_above.DEFECTS)

DIFFERS, UNREADABLE = 1, 2
"""A verifier's exit codes: a rule is broken, or the bytes are not those that were signed."""


class Broken(msgspec.Struct, frozen=True, kw_only=True):
    """The defect of one bundle."""

    file: str
    defect: str
    position: int | None
    """The position of the broken event in the league's log, or null if the file is broken."""

    rule: str | None
    """The rulebook's slug of the broken rule, or a check of ``api-spec/bundle.md`` 3."""

    status: int
    """The exit code that a verifier should give."""


def broken(made: Season, seed: str) -> Iterator[tuple[Broken, bytes]]:
    """Yield bundles of *made*, each broken in one place, with descriptions of the defects."""
    raw = b"".join(made.lines)
    whole = Forgery(raw, made.key)
    for plant in DEFECTS:
        name = plant.__name__
        forged = whole.copy()
        try:
            planted = plant(forged, Dice(f"{seed}/{name}"))
        except NoPlace:
            continue
        about = Broken(
            file=f"{name}.bundle",
            defect=name,
            position=planted.position,
            rule=planted.rule,
            status=DIFFERS,
        )
        yield about, forged.write()
    for name, rule, data in _of_bytes(raw, whole, Dice(f"{seed}/bytes")):
        yield (
            Broken(file=f"{name}.bundle", defect=name, position=None, rule=rule, status=UNREADABLE),
            data,
        )


def _of_bytes(raw: bytes, whole: Forgery, dice: Dice) -> Iterator[tuple[str, str, bytes]]:
    """Yield the name of each defect of the bytes, the check that it fails, and the bytes."""
    lines = raw.splitlines(keepends=True)
    at = dice.between(len(raw) // 4, len(raw) // 2)
    flipped = bytes((raw[at] ^ 1,))
    yield "a_flipped_bit", "form", raw[:at] + flipped + raw[at + 1 :]
    yield "cut_in_the_middle_of_a_line", "form", raw[: len(raw) * 2 // 3]
    yield "without_its_last_line", "form", b"".join(lines[:-1])
    middle = len(lines) // 2
    turned = [*lines[:middle], lines[middle + 1], lines[middle], *lines[middle + 2 :]]
    yield "two_lines_exchanged", "form", b"".join(turned)
    stranger = SigningKey(whole.key.name, dice.bytes(32))
    yield "signed_by_somebody_else", "signature", signed_by(raw, stranger)
    forged = whole.copy()
    forged.events("season_opened")[0]["data"]["name"] = "Another one"
    yield (
        "a_changed_event_under_the_old_signature",
        "signature",
        with_signature_of(forged.write(), raw),
    )
    decoded = [msgspec.json.decode(line) for line in lines[:-1]]
    dropped = next(i for i, line in enumerate(decoded) if line.get("type") == "season_opened")
    yield (
        "an_event_dropped_and_counted_again",
        "form",
        finish(decoded[:dropped] + decoded[dropped + 1 :]),
    )
