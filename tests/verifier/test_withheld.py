"""Format 3: withheld events, the list of openings, disputes, and facts that are stated twice."""

import asyncio
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import pytest

from service.bundles.log import HeldLog
from service.bundles.writing import Wanted, bundle_of
from service.sandbox.generating.seasons import Season, made
from tests.verifier.forging import PUBLIC, Forgery, finish
from tests.verifier.loading import KEYS, verifier
from tests.verifier.loading import bundle as sample

Line = dict[str, Any]


@cache
def season() -> Season:
    """Return a season with players who apply for entry."""
    return made(1, 5, 0.6)


@cache
def bundle(viewer: str) -> bytes:
    """Return the bundle of that season for *viewer*."""
    it = season()
    wanted = Wanted(kind="season", subject=it.subject, viewer=viewer)
    signed = "\n".join(json.loads(it.lines[1])["note"]), len(it.rows)

    async def written() -> bytes:
        found = await bundle_of(HeldLog(it.rows), it.keys, wanted, signed)
        return b"".join([line async for line in found])

    return asyncio.run(written())


def entrant() -> str:
    """Return an entrant who has played a hand."""
    return str(Forgery(bundle("public")).data("selection_committed")["entrant"])


def verified(forged: Forgery) -> Any:
    report = verifier.verify(forged.write(), [PUBLIC])
    assert report.authentic
    return report


def rules(forged: Forgery) -> set[str]:
    return {rule for _, rule, _ in verified(forged).differences}


def withheld(forged: Forgery) -> list[Line]:
    return [line for line in forged.lines if line["line"] == "withheld"]


def withhold(forged: Forgery, event: Line) -> None:
    """Replace *event* with its hash."""
    heads = {place: leaf for leaf, place in forged.old.items()}
    kept = {name: event[name] for name in ("position", "stream", "version")}
    kept |= {"line": "withheld", "hash": heads[event["stream"], event["version"]]}
    forged.lines.remove(event)
    last = max(at for at, each in enumerate(forged.lines) if each["line"] == "event")
    rest = sorted([*withheld(forged), kept], key=lambda line: int(line["position"]))
    others = [line for line in forged.lines[last + 1 :] if line["line"] != "withheld"]
    forged.lines[last + 1 :] = [*rest, *others]


def test_nothing_differs_in_a_bundle_from_which_something_is_withheld() -> None:
    kept = {
        each.position
        for each in season().rows
        if each.type in ("entry_requested", "entry_request_withdrawn", "entry_refused")
    }
    for viewer in ("public", entrant()):
        forged = Forgery(bundle(viewer))
        assert kept <= {line["position"] for line in withheld(forged)}
        report = verified(forged)
        assert report.differences == []
        assert report.status() == verifier.INCOMPLETE
        assert report.unchecked["events that the viewer may not read"] == len(withheld(forged))


SAMPLES = {"withheld_nothing": 0, "withheld": 3, "withheld_entrant": 3}
SAMPLES |= {"withheld_tournament": 3, "withheld_hand": 3, "hand_arrivals": 3}
SAMPLES |= {"hand_payment": 3, "too_few": 0}


@pytest.mark.parametrize(("name", "status"), SAMPLES.items())
def test_nothing_differs_in_the_samples_of_format_3(name: str, status: int) -> None:
    """The sample bundles date from the format's first version, which must stay readable."""
    report = verifier.verify(sample(name), KEYS)
    assert report.differences == []
    assert report.status() == status


@pytest.mark.parametrize("line", ["withheld", "signature"])
def test_an_older_format_has_no_such_lines(line: str) -> None:
    forged = Forgery(bundle("public" if line == "withheld" else "auditor"))
    forged.lines[0]["format"] = "holotable/bundle/2"
    if line == "signature":
        forged.lines.insert(-1, signature(forged))
    with pytest.raises(verifier.Unreadable, match="no such lines"):
        verifier.verify(forged.write(), [PUBLIC])


def signature(forged: Forgery) -> Line:
    at = forged.events("hand_opened")[0]["position"]
    said = {"key": "a key", "signature": "of a player"}
    return {"line": "signature", "position": at, "by": entrant(), **said}


def test_a_players_signature_is_read_and_not_checked() -> None:
    forged = Forgery(bundle("public"))
    forged.lines.insert(-1, signature(forged))
    report = verified(forged)
    assert report.differences == []
    assert report.unchecked["signatures of players"] == 1


def test_nothing_is_withheld_from_an_auditor() -> None:
    forged = Forgery(bundle("auditor"))
    assert withheld(forged) == []
    withhold(forged, forged.events("entry_requested")[0])
    with pytest.raises(verifier.Unreadable, match="withheld from an auditor"):
        verifier.verify(forged.write(), [PUBLIC])


def test_what_is_withheld_is_in_the_signed_tree() -> None:
    forged = Forgery(bundle("public"))
    withheld(forged)[0]["hash"] = "0" * 64
    raw = forged.write()
    note = json.loads(raw.splitlines()[1])["note"]
    honest = json.loads(bundle("public").splitlines()[1])["note"]
    assert note[2] != honest[2]


@pytest.mark.parametrize("kind", ["tournament_finished", "entrant_registered", "points_awarded"])
def test_an_event_that_everybody_may_read_is_missed(kind: str) -> None:
    forged = Forgery(bundle("public"))
    withhold(forged, forged.events(kind)[-1])
    assert rules(forged)


@pytest.mark.parametrize("paid", [True, False])
def test_only_prizes_are_withheld_after_a_tournaments_end(paid: bool) -> None:
    """Prizes may be handed over, and taken back. The events are for staff."""
    forged = Forgery(bundle("public"))
    recorded = forged.events("tables_recorded")[-1]
    ends = forged.events("tournament_finished")
    (end,) = (each for each in ends if each["stream"] == recorded["stream"])
    assert end["data"]["payouts"]
    if not paid:
        end["data"]["payouts"] = []
    withhold(forged, recorded)
    assert ("completeness" in rules(forged)) is not paid


def opening(forged: Forgery) -> Line:
    return next(line for line in forged.lines if line["line"] == "opening")


@pytest.mark.parametrize("viewer", ["entrant", "auditor"])
def test_an_opening_that_is_left_out_is_missed(viewer: str) -> None:
    forged = Forgery(bundle(entrant() if viewer == "entrant" else viewer))
    left_out = opening(forged)
    forged.lines.remove(left_out)
    found = verified(forged).differences
    assert (left_out["position"], "openings") in {difference[:2] for difference in found}


def test_a_card_of_somebody_else_that_is_opened_is_found() -> None:
    forged, whole = Forgery(bundle(entrant())), Forgery(bundle("auditor"))
    mine = [line for line in forged.lines if line["line"] == "opening"]
    dealt = {line["position"] for line in forged.events("cards_dealt")}
    foreign = next(
        line
        for line in whole.lines
        if line["line"] == "opening" and line["position"] in dealt and line not in mine
    )
    place = forged.lines.index(mine[0])
    ordered = sorted([*mine, foreign], key=lambda line: (line["position"], line["pointer"]))
    forged.lines[place : place + len(mine)] = ordered
    found = {difference[:2] for difference in verified(forged).differences}
    assert found == {(foreign["position"], "openings")}


Change = Callable[[Forgery], None]


def an_instant_later_than_the_event(forged: Forgery) -> None:
    acted = forged.events("seat_acted")[0]
    acted["data"]["at"] = "2100-01-01T00:00:00Z"


def an_action_dated_back(forged: Forgery) -> None:
    events = forged.events()
    before = {event["position"]: datetime.fromisoformat(event["at"]) for event in events}
    second = timedelta(seconds=1)
    acted = next(
        event
        for event in forged.events("selection_committed", lambda data: not data["timed_out"])
        if before[event["position"]] - before[event["position"] - 1] > second
    )
    acted["data"]["at"] = "2000-01-01T00:00:00Z"


def a_table_that_calls_itself_another(forged: Forgery) -> None:
    forged.data("table_opened")["table"] = f"tbl_{'0' * 32}"


def a_tournament_of_another_league(forged: Forgery) -> None:
    forged.data("tournament_announced")["league"] = f"lge_{'0' * 32}"


def an_entrant_who_is_somebody_else_at_the_end(forged: Forgery) -> None:
    forged.data("tournament_finished")["placings"][0]["player"] = f"plr_{'0' * 32}"


def a_hand_settled_as_another(forged: Forgery) -> None:
    forged.data("hand_settled")["hand"] = f"hnd_{'0' * 32}"


def a_choice_in_the_name_of_somebody_elses_entry(forged: Forgery) -> None:
    forged.data("selection_committed")["entrant"] = f"ent_{'0' * 32}"


def prizes_in_other_money(forged: Forgery) -> None:
    forged.data("tournament_finished")["currency"] = "XTS"


COPIES = [
    a_hand_settled_as_another,
    a_choice_in_the_name_of_somebody_elses_entry,
    prizes_in_other_money,
    an_instant_later_than_the_event,
    an_action_dated_back,
    a_table_that_calls_itself_another,
    a_tournament_of_another_league,
    an_entrant_who_is_somebody_else_at_the_end,
]


@pytest.mark.parametrize("change", COPIES)
def test_a_fact_that_stands_twice_is_compared(change: Change) -> None:
    forged = Forgery(bundle("auditor"))
    change(forged)
    assert "copies" in rules(forged)


def test_extension_lines_of_the_checkpoint_are_signed_and_passed_over() -> None:
    forged = Forgery(bundle("public"))
    raw = forged.write()
    lines = [json.loads(line) for line in raw.splitlines()]
    text = "\n".join([*lines[1]["note"][:3], "a word of the log"]) + "\n"
    lines[1]["note"] = forged.key.sign(text).split("\n")
    report = verifier.verify(finish(lines[:-1]), [PUBLIC])
    assert report.authentic and report.differences == []
    lines[1]["note"][3] = "another word"
    assert not verifier.verify(finish(lines[:-1]), [PUBLIC]).authentic
