"""A removal from the league cannot take a player away from the table."""

from collections.abc import Sequence

import pytest

from engine.league.commands import RemoveMember
from engine.league.errors import MemberPlaying
from engine.values import PlayerId
from service.director import in_play
from service.director.submitting import start_tournament
from service.log.writer import States, StreamEvents
from tests.service.api.league.test_memberships import removed

pytestmark = pytest.mark.anyio

WHY = {"reason": "He threw the cards."}
LATE = {"late_registration_seconds": 3600}


async def test_nobody_removes_a_member_who_is_in_play(serving) -> None:
    """A removed player's hand would be folded, and the owner may be an opponent."""
    async with serving() as api:
        terms = {"starting_stack": 100, "entry": LATE | {"waitlist": True}, "entrants_max": 3}
        owner, league, tournament, people, table = await api.playing(3, **terms)
        path = f"/v1/tournaments/{tournament}"
        waiter = await api.join(owner, league)
        waits = await waiter.post(f"{path}/registrations")
        assert waits.json()["status"] == "waitlisted", waits.text
        for whom in (people[0], waiter):
            assert await removed(owner, league, whom) == (409, "member_playing")
        left = await people[0].post(f"/v1/leagues/{league}/leave")
        assert (left.status_code, left.json()["tournaments"]) == (409, [tournament])
        seen = await people[0].get(f"/v1/tables/{table}")
        assert seen.status_code == 200

        assert (await waiter.post(f"{path}/withdrawals")).status_code == 200
        assert await removed(owner, league, waiter) == (200, None)
        entrant = next(
            each["id"]
            for each in (await owner.get(path)).json()["entrants"]
            if each["player"] == people[0].player
        )
        out = await owner.post(f"{path}/disqualifications", WHY | {"entrant": entrant}, key="d")
        assert out.status_code == 201, out.text
        assert await removed(owner, league, people[0]) == (200, None)
        assert await removed(owner, league, people[1]) == (409, "member_playing")
        assert (await owner.post(f"{path}/cancel", {}, key="c")).is_success
        assert await removed(owner, league, people[1]) == (200, None)


async def test_a_start_between_the_look_and_the_removal_counts(serving) -> None:
    async with serving() as here, serving() as there:
        owner, league = await here.league()
        people = [await here.join(owner, league) for _ in range(2)]
        made = await owner.post(
            f"/v1/leagues/{league}/tournaments", {"name": "Night", "ruleset": "better"}
        )
        tournament = made.json()["id"]
        for each in people:
            await each.post(f"/v1/tournaments/{tournament}/registrations")
        runtime, other = (each.app.shell.runtime for each in (here, there))
        command = RemoveMember(player=PlayerId(people[0].player))
        found = await in_play.open_tournaments(runtime.pool, league)
        looks = 0

        async def decide(states: States) -> Sequence[StreamEvents]:
            nonlocal looks
            looks += 1
            entries = await in_play.removal(states, league, command, found, runtime.clock.now())
            if looks == 1:
                await start_tournament(other, league, tournament, other.clock.now())
            return entries

        with pytest.raises(MemberPlaying):
            await runtime.writer.submit(league, runtime.order("remove"), decide)
        assert looks == 2


async def test_who_is_removed_before_the_start_has_no_place(serving) -> None:
    """Removed entrants could not act, and the blinds would use up their chips."""
    async with serving() as api:
        owner, league = await api.league()
        people = [await api.join(owner, league) for _ in range(4)]
        made = await owner.post(
            f"/v1/leagues/{league}/tournaments", {"name": "Night", "ruleset": "better"}
        )
        path = f"/v1/tournaments/{made.json()['id']}"
        for person in people:
            assert (await person.post(f"{path}/registrations")).status_code == 201
        assert await removed(owner, league, people[0]) == (200, None)
        left = await people[1].post(f"/v1/leagues/{league}/leave")
        assert left.status_code == 200, left.text
        assert (await owner.post(f"{path}/start")).status_code == 202
        playing_now = {each["player"] for each in (await owner.get(path)).json()["entrants"]}
    assert playing_now == {person.player for person in people[2:]}
