"""No byte or line of a bundle can be changed, left out or moved."""

import base64
import json
from pathlib import Path

import pytest

from tests.verifier import forging
from tests.verifier.forging import PUBLIC, Forgery, finish
from tests.verifier.loading import BUNDLES, KEYS, bundle, verifier


def fails(raw: bytes, keys: object = KEYS) -> bool:
    """Return whether the verifier cannot read *raw*, or finds a difference in it."""
    try:
        report = verifier.verify(raw, keys)
    except verifier.Unreadable:
        return True
    return not report.authentic or bool(report.differences)


def lines(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in bundle(name).splitlines()]


def main(*arguments: str) -> int:
    status: int = verifier.main(list(arguments))
    return status


def test_a_whole_season_passes_and_says_so() -> None:
    keys = str(BUNDLES / "keys.txt")
    assert main(str(BUNDLES / "season.bundle"), "--keys", keys) == verifier.PASS


@pytest.mark.parametrize(
    "name", ["public", "entrant", "tournament_public", "leaves", "leaves_hand"]
)
def test_where_nothing_differs_and_not_all_is_opened_it_is_no_pass(name: str) -> None:
    report = verifier.verify(bundle(name), KEYS)
    assert report.differences == []
    assert report.unchecked
    assert report.status() == verifier.INCOMPLETE


HANDS = ("hand", "side_pots", "carry", "raises", "killed", "blinds")
TOURNAMENTS = ("better", "formula", "recycle", "cube", "dead", "levels", "entropy", "draw_off")
SEASONS = ("moves", "rounds", "entries", "floor", "lots", "waiting", "redone", "items")
CANCELLED = ("all", "low", "deal", "rebuy", "early")


@pytest.mark.parametrize(
    "name", [*HANDS, *TOURNAMENTS, *SEASONS, *(f"cancel_{name}" for name in CANCELLED)]
)
def test_what_an_auditor_may_see_passes(name: str) -> None:
    report = verifier.verify(bundle(name), KEYS)
    assert report.differences == []
    assert report.status() == verifier.PASS


def test_without_a_key_nothing_differs_and_it_is_no_pass_either() -> None:
    assert main(str(BUNDLES / "season.bundle")) == verifier.UNREADABLE
    report = verifier.verify(bundle("season"), [])
    assert [rule for _, rule, _ in report.differences] == ["signature"]
    assert report.checked["rules: betting"] > 100


def test_every_single_byte_flipped_makes_it_fail() -> None:
    raw = bundle("killed")
    for place in range(len(raw)):
        broken = bytearray(raw)
        broken[place] ^= 1
        assert fails(bytes(broken)), place


@pytest.mark.parametrize("name", ["season", "side_pots"])
def test_bytes_of_larger_bundles_flipped_make_them_fail(name: str) -> None:
    raw = bundle(name)
    for place in range(0, len(raw), 97):
        broken = bytearray(raw)
        broken[place] ^= 1 << place % 8
        assert fails(bytes(broken)), place


def test_bytes_flipped_under_a_right_last_line_make_it_fail_too() -> None:
    raw = bundle("killed")
    end = raw.rindex(b'{"line":"end"')
    count = json.loads(raw[end:])["lines"]
    for place in range(0, end, 61):
        broken = bytearray(raw[:end])
        broken[place] ^= 1
        last = {"line": "end", "lines": count, "sha256": forging.digest(bytes(broken)).hex()}
        assert fails(bytes(broken) + forging.encode(last) + b"\n"), place


def test_a_bundle_cut_short_anywhere_fails() -> None:
    raw = bundle("killed")
    for length in range(0, len(raw), 101):
        assert fails(raw[:length])
    assert fails(raw[:-1])
    assert fails(raw + b"\n")
    assert fails(raw + raw)


def test_a_line_left_out_makes_it_fail() -> None:
    whole = lines("killed")[:-1]
    for place in range(len(whole)):
        rest = whole[:place] + whole[place + 1 :]
        if whole[place]["line"] != "opening":
            assert fails(finish(rest)), whole[place]
    dropped = [line for line in whole if line["line"] != "opening"]
    assert verifier.verify(finish(dropped), KEYS).unchecked["selections: not opened"]


def test_two_lines_exchanged_make_it_fail() -> None:
    whole = lines("killed")[:-1]
    for place in range(len(whole) - 1):
        swapped = [*whole[:place], whole[place + 1], whole[place], *whole[place + 2 :]]
        assert fails(finish(swapped)), place


def test_a_line_twice_or_one_of_another_bundle_makes_it_fail() -> None:
    whole = lines("killed")[:-1]
    for place in range(len(whole)):
        assert fails(finish([*whole[:place], whole[place], *whole[place:]])), place
    other = next(line for line in lines("blinds") if line["line"] == "node")
    assert fails(finish([*whole[:2], other, *whole[2:]]))


def test_a_bundle_signed_anew_counts_for_the_other_key_only() -> None:
    raw = Forgery(bundle("killed")).write()
    assert not fails(raw, [PUBLIC])
    assert fails(raw)


def test_a_checkpoint_of_another_league_is_refused() -> None:
    forged = Forgery(bundle("killed"))
    note = forged.lines[1]["note"]
    forged.lines[1]["note"] = ["holotable/" + "0" * 32 + "/0", *note[1:]]
    with pytest.raises(verifier.Unreadable, match="another league"):
        verifier.verify(forged.write(), [PUBLIC])


def test_a_real_checkpoint_of_another_tree_does_not_fit() -> None:
    whole = lines("killed")[:-1]
    note = list(next(line for line in lines("season") if line["line"] == "checkpoint")["note"])  # type: ignore[call-overload]
    whole[1] = {"line": "checkpoint", "note": note}
    assert fails(finish(whole))


def test_another_root_under_the_old_signature_fails() -> None:
    whole = lines("killed")[:-1]
    note = list(whole[1]["note"])  # type: ignore[call-overload]
    note[2] = base64.b64encode(bytes(32)).decode()
    whole[1] = {"line": "checkpoint", "note": note}
    assert fails(finish(whole))


@pytest.mark.parametrize(
    "line",
    [
        '{"line":"head"} ',
        '{"a":1.0,"line":"head"}',
        '{"a":1e2,"line":"head"}',
        '{"a":9007199254740993,"line":"head"}',
        '{"a":NaN,"line":"head"}',
        '{"line":"head","a":1}',
        '{"a":1,"a":1,"line":"head"}',
        '{"A":1,"line":"head"}',
        '{"a":"\\u0041","line":"head"}',
        '{"a":"\\u0000","line":"head"}',
        '{"a":"\\ud800","line":"head"}',
        '{"a":-0,"line":"head"}',
        '{"a":[1, 2],"line":"head"}',
        "[]",
        "[" * 100_000,
        "",
    ],
)
def test_a_line_in_any_other_form_is_refused(line: str) -> None:
    with pytest.raises(verifier.Unreadable):
        verifier.decode_line(line.encode(), 1)


def test_the_program_says_what_it_cannot_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.bundle"
    file.write_bytes(bundle("killed")[:-1])
    assert main(str(file), "--key", "nobody") == verifier.UNREADABLE
    assert main(str(file)) == verifier.UNREADABLE
    assert main(str(tmp_path / "none.bundle")) == verifier.UNREADABLE
    assert capsys.readouterr().out.count("UNREADABLE") == 3
