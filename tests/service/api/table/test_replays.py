"""Replays over HTTP: the contents of each step by viewer, their formats, and their traces."""

import json
import tomllib
from typing import Any

import pytest

from service.base.settings import environment
from service.cli.replay import show
from service.replays.forms import WHOLE
from tests.service.api.conftest import Person
from tests.service.api.proof.test_evidence import project
from tests.service.api.table.test_commands import answer_to, turn
from tests.service.api.table.test_leaks import Watch, cards_in
from tests.service.api.table.test_voiding import WANTED, dealt
from tests.service.api.tournament.test_casino import play_out
from tests.support.commands import in_fork, in_own_python
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

WHY = {"reason": "A claim about this hand"}


async def a_hand(api: Any, database: TestDatabase) -> tuple[Any, ...]:
    """Play one hand of three. Return owner, league, people and the hand."""
    owner, league, tournament, people, table = await api.playing(3, hands_max=1)

    await play_out(owner, tournament, people, table)
    await project(database)
    hands = (await owner.get(f"/v1/tables/{table}/hands")).json()["items"]
    return owner, league, people, hands[0]["hand"]


async def replayed(person: Person, hand: str, **query: Any) -> Any:
    found = await person.get(f"/v1/hands/{hand}/replay", params=query)
    assert found.status_code == 200, found.text
    return found.json()


def own_cards(replay: dict[str, Any]) -> set[str]:
    return {card for step in replay["steps"] for card in cards_in(step["view"]["me"])}


async def test_each_perspective_has_the_same_steps_and_its_own_cards(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, _, people, hand = await a_hand(api, database)
        public = await replayed(owner, hand)
        mine = [await replayed(person, hand) for person in people]
        addresses = [
            [(step["number"], step["version"], step["event"]) for step in replay["steps"]]
            for replay in (public, *mine)
        ]
        assert all(each == addresses[0] for each in addresses)
        assert [number for number, _, _ in addresses[0]] == list(range(1, len(addresses[0]) + 1))
        assert addresses[0][0][2] == "hand_opened" and addresses[0][-1][2] == "hand_settled"
        assert public["perspective"] == "public" and public["over"]
        assert own_cards(public) == set()
        held = [own_cards(replay) for replay in mine]
        assert all(held) and sum(map(len, held)) == len(set.union(*held))
        assert await replayed(people[0], hand, **{"as": "public"}) == public


async def test_a_step_names_actor_rule_chips_and_pot(serving, database: TestDatabase) -> None:
    async with serving() as api:
        owner, _, _, hand = await a_hand(api, database)
        whole = await replayed(owner, hand)
        chips = {
            step["pot"] + sum(seat["stack"] for seat in step["view"]["seats"])
            for step in whole["steps"]
        }
        assert len(chips) == 1
        for step in whole["steps"]:
            assert step["rule"], step
            if step["event"] == "seat_acted":
                assert step["actor"]["entrant"] == step["data"]["entrant"]
                paid = -step["data"]["paid"]
                moved = [each["chips"] for each in step["moved"]]
                assert moved == ([paid] if paid else [])
        assert await replayed(owner, hand, step=3) == whole["steps"][2]


async def test_a_players_cards_are_nobody_elses_before_and_after(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        _, league, people, hand = await a_hand(api, database)
        theirs = (await replayed(people[1], hand))["perspective"]
        for asked in (theirs, "auditor"):
            refused = await people[0].get(f"/v1/hands/{hand}/replay", params={"as": asked})
            assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
        refused = await people[0].post(f"/v1/hands/{hand}/openings", WHY)
        assert refused.status_code == 403
        stranger = await api.person()
        assert (await stranger.get(f"/v1/hands/{hand}/replay")).status_code == 404
        unknown = await people[0].get(f"/v1/hands/{hand}/replay", params={"as": "ent_1"})
        assert unknown.json()["code"] == "validation_failed"
        events = (await people[0].get(f"/v1/leagues/{league}/events?limit=200")).json()["items"]
        assert not [each for each in events if each["type"] == "values_opened"]


async def test_an_auditor_sees_all_of_a_hand_only_after_saying_so_in_the_log(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, people, hand = await a_hand(api, database)
        path = f"/v1/hands/{hand}/replay"
        unsaid = await owner.get(path, params={"as": "auditor"})
        assert (unsaid.status_code, unsaid.json()["code"]) == (403, "opening_needed")
        made = await owner.post(f"/v1/hands/{hand}/openings", WHY, key="o")
        again = await owner.post(f"/v1/hands/{hand}/openings", WHY, key="o")
        assert made.status_code == 201, made.text
        assert again.json() == made.json()
        events = (await owner.get(f"/v1/leagues/{league}/events?limit=200")).json()["items"]
        [opened] = [each["data"] for each in events if each["type"] == "values_opened"]
        assert (opened["subject"], opened["by"]) == (hand, owner.player)
        whole = await replayed(owner, hand, **{"as": "auditor"})
        seen = {card for step in whole["steps"] for own in step["hands"] for card in cards_in(own)}
        for person in people:
            mine = await replayed(person, hand)
            assert own_cards(mine) and own_cards(mine) <= seen
            as_theirs = await replayed(owner, hand, **{"as": mine["perspective"]})
            assert as_theirs == mine


async def test_a_hand_in_play_is_replayed_as_far_as_it_has_come_and_opened_to_nobody(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, _, _, people, table = await api.playing(3)
        hand = (await dealt(owner, table, 1))["hand"]
        await project(database)
        first = await replayed(people[0], hand)
        assert not first["over"] and own_cards(first)
        for asked in ("auditor", (await replayed(people[1], hand))["perspective"]):
            early = await owner.get(f"/v1/hands/{hand}/replay", params={"as": asked})
            assert (early.status_code, early.json()["code"]) == (409, "not_over")
        early = await owner.post(f"/v1/hands/{hand}/openings", WHY)
        assert (early.status_code, early.json()["code"]) == (409, "not_over")
        person, view = await turn(people, table)
        await person.post(f"/v1/tables/{table}/actions", answer_to(view), key="first")
        later = await replayed(people[0], hand)
        assert later["steps"][: len(first["steps"])] == first["steps"]
        assert len(later["steps"]) > len(first["steps"])


async def test_a_hand_dealt_anew_is_replayed_deal_after_deal(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, _, _, _, table = await api.playing(3)
        hand = (await dealt(owner, table, 1))["hand"]
        await owner.post(f"/v1/tables/{table}/void", WANTED, key="v")
        await dealt(owner, table, 2)
        await project(database)
        steps = (await replayed(owner, hand))["steps"]
        voided = next(at for at, step in enumerate(steps) if step["event"] == "deal_voided")
        assert {step["deal"] for step in steps[: voided + 1]} == {1}
        assert steps[voided + 1]["event"] == "hand_opened"
        assert {step["deal"] for step in steps[voided + 1 :]} == {2}
        # The void opened the cards of the first deal, and nobody had seen one before.
        draws = cards_in(steps[0]["data"]["first_dealer_draws"])
        assert cards_in([step["data"] for step in steps[1:voided]]) - draws == set()
        assert len(cards_in(steps[voided]["data"]["cards"])) == 62


async def test_a_replay_is_written_in_four_forms_of_the_same_steps(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        _, _, people, hand = await a_hand(api, database)
        path, whole = f"/v1/hands/{hand}/replay", await replayed(people[0], hand)

        async def form(media: str, **query: Any) -> Any:
            headers = {**people[0].headers, "Accept": media}
            return await api.http.get(path, params=query, headers=headers)

        lines = await form("application/x-ndjson")
        assert lines.headers["content-type"].startswith("application/x-ndjson")
        assert [json.loads(line) for line in lines.text.splitlines()] == whole["steps"]
        assert json.loads((await form("application/x-ndjson", step=2)).text) == whole["steps"][1]

        text = await form("text/plain")
        assert text.headers["content-type"].startswith("text/plain")
        assert max(map(len, text.text.splitlines())) <= 100
        assert text.content == (await form("text/plain")).content

        phh = await form("text/x-phh")
        document = tomllib.loads(phh.text)
        assert document["_hand"] == hand and document["_perspective"] == whole["perspective"]
        assert sum(document["starting_stacks"]) == sum(document["finishing_stacks"])
        mine = {face for each in document["actions"] for face in cards_in(each)}
        shown = set().union(*(cards_in(step["data"]) for step in whole["steps"][1:]))
        assert mine and mine <= shown
        refused = await form("text/x-phh", step=1)
        assert (refused.status_code, refused.json()["code"]) == (400, "bad_request")


@pytest.mark.parametrize(("step", "status"), [("9999", 404), ("0", 400), ("x", 400), ("-1", 400)])
async def test_a_step_that_is_not_there_is_refused(
    serving, database: TestDatabase, step: str, status: int
) -> None:
    async with serving() as api:
        owner, _, _, hand = await a_hand(api, database)
        answered = await owner.get(f"/v1/hands/{hand}/replay", params={"step": step})
        assert answered.status_code == status, answered.text


async def test_the_command_line_prints_what_the_api_answers(
    serving, database: TestDatabase, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    async with serving() as api:
        owner, _, people, hand = await a_hand(api, database)
        settings = database.settings("holotable_audit")
        for media in WHOLE:
            answered = await owner.get(f"/v1/hands/{hand}/replay", headers={"Accept": media})
            assert await show(settings, hand, "public", None, media) == 0
            printed = capsysbinary.readouterr().out
            if media == "application/json":  # the command looks up no names
                assert json.loads(printed) == {
                    k: v for k, v in answered.json().items() if k != "names"
                }
            else:
                assert printed.strip() == answered.content.strip()
        mine = await replayed(people[0], hand)
        assert await show(settings, hand, mine["perspective"], 4, "application/json") == 0
        assert json.loads(capsysbinary.readouterr().out) == mine["steps"][3]
        assert await show(settings, "hnd_" + "0" * 32, "public", None, "text/plain") == 2
        assert await show(settings, hand, "somebody", None, "text/plain") == 2
        assert await show(settings, hand, "public", 9999, "text/plain") == 2
        assert b"next:" in capsysbinary.readouterr().err


async def test_the_command_line_opens_nothing_of_a_hand_in_play(
    serving, database: TestDatabase, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    async with serving() as api:
        owner, _, _, people, table = await api.playing(3)
        hand = (await dealt(owner, table, 1))["hand"]
        await project(database)
        settings = database.settings("holotable_audit")
        theirs = (await replayed(people[0], hand))["perspective"]
        for perspective in ("auditor", theirs):
            assert await show(settings, hand, perspective, None, "text/plain") == 1
            assert capsysbinary.readouterr().out == b""
        assert await show(settings, hand, "public", None, "text/plain") == 0


async def test_the_command_is_given_its_options_as_the_guide_says_them(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, _, _, hand = await a_hand(api, database)
        whole = await replayed(owner, hand)
    settings = environment(database.settings("holotable_audit"))
    plain = in_own_python(("replay", hand), settings)
    line = in_fork(("replay", hand, "--as", "public", "--step", "2", "--ndjson"), settings)
    document = in_fork(("replay", hand, "--phh"), settings)
    assert plain.returncode == 0
    assert plain.stdout.startswith("Hand 1 (coruscant_shift), as public\n")
    assert "\x1b" not in plain.stdout and plain.stdout.endswith("-- over\n")
    assert line.returncode == 0 and json.loads(line.stdout) == whole["steps"][1]
    assert document.returncode == 0 and tomllib.loads(document.stdout)["_hand"] == hand


async def test_no_replay_of_a_hand_in_play_or_over_names_a_card_of_others(
    serving, database: TestDatabase
) -> None:
    async with serving() as api:
        owner, league, tournament, people, table = await api.playing(3)
        _, view = await turn(people, table)
        hand = view["hand"]
        assert (await owner.post(f"/v1/tournaments/{tournament}/pause")).status_code == 200
        watch = Watch([owner, *people], league, tournament, table)
        folded, over, number = None, False, 0
        while not over:
            await watch.look()
            await project(database)
            for person in watch.people:
                watch.check(person, await replayed(person, hand), watch.shown)
            person, view = await turn(people, table)
            action, number = answer_to(view), number + 1
            if folded is None and any(each["verb"] == "fold" for each in view["legal"]):
                folded, action["type"] = person, "fold"
            done = await person.post(f"{watch.table}/actions", action, key=f"n{number}")
            assert done.status_code == 200, done.text
            await watch.see(person)
            over = any(each["type"] == "hand_settled" for each in done.json()["events"])
        await watch.look()
        replays = [(person, await replayed(person, hand)) for person in watch.people]
        for person, replay in replays:
            watch.check(person, replay, watch.shown)
            others = watch.own[folded.player] - watch.shown
            assert others and (person is folded or not others & cards_in(replay))
        assert folded is not None and all(replay["over"] for _, replay in replays)
