"""A season closes only when no result is lost, no matter who closes it or when."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from engine.season.errors import SeasonUncounted
from engine.values import number_of, stream_of
from service.director import season_ends
from service.director.runtime import Runtime, open_runtime
from service.log.writer import States, StreamEvents
from service.schedule.closing import close_season as close_by_timetable
from tests.service.api.conftest import ANY
from tests.service.api.proof.test_disputes import RULES, ask, claim, with_office
from tests.service.api.tournament.test_casino import play_out
from tests.service.api.tournament.test_corrections import WHY, a_night, award, entrants, standings
from tests.service.audit.test_audit import audited, faults
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.anyio

CLOSES_AT = datetime(2099, 12, 31, 23, tzinfo=UTC)
TERMS = {"name": "Night", "ruleset": "better", "hands_between_seconds": 0, "hands_max": 1}


async def announced(owner: Any, league: str, season: str, **more: Any) -> str:
    asked = TERMS | {"season": season} | more
    made = await owner.post(f"/v1/leagues/{league}/tournaments", asked)
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


async def enter(person: Any, tournament: str) -> None:
    entered = await person.post(f"/v1/tournaments/{tournament}/registrations")
    assert entered.status_code == 201, entered.text


class Evening:
    """A season with its tournament, and the owner and runtime that try to close it."""

    def __init__(
        self, owner: Any, season: str, tournament: str, runtime: Runtime, league: str
    ) -> None:
        self.owner = owner
        self.league = league
        self.season = season
        self.tournament = tournament
        self.runtime = runtime

    async def waits(self, reason: str, dispute: str | None = None) -> None:
        """Check that neither a person nor the timetable closes the season, for the given reason."""
        named = {"tournament": self.tournament, "reason": reason, "dispute": dispute}
        for query in ("?dry_run=true", ""):
            refused = await ask(self.owner, f"/v1/seasons/{self.season}/close{query}")
            assert refused.status_code == 409, refused.text
            assert refused.json()["code"] == "season_uncounted"
            assert refused.json()["tournaments"] == [named]
        assert await self.at_its_time() is not None
        shown = (await self.owner.get(f"/v1/seasons/{self.season}")).json()
        assert (shown["state"], shown["master"]) == ("open", None)

    async def would_be(self, fate: str) -> None:
        """Check the fate that a close would give the tournament."""
        tried = await ask(self.owner, f"/v1/seasons/{self.season}/close?dry_run=true")
        assert tried.status_code == 200, tried.text
        found = [(each["tournament"], each["fate"]) for each in tried.json()["fates"]]
        assert found == [(self.tournament, fate)]

    async def at_its_time(self) -> datetime | None:
        return await close_by_timetable(
            self.runtime, self.league, self.season, CLOSES_AT.isoformat().replace("+00:00", "Z")
        )


async def test_a_season_that_is_closed_at_any_moment_of_an_evening_loses_nothing(
    serving: Any, database: TestDatabase
) -> None:
    """The owner and the timetable try at each moment. The season closes once all is counted."""
    async with serving() as api, open_runtime(database.settings("holotable_worker")) as runtime:
        owner, league = await api.league()
        terms = {"name": "Spring", "closes_at": CLOSES_AT.isoformat()}
        season = (await owner.post(f"/v1/leagues/{league}/seasons", terms)).json()["id"]
        people = [await api.join(owner, league) for _ in range(3)]
        referee = await with_office(api, owner, league)
        opens = {
            "registration_opens_at": "2099-01-01T00:00:00Z",
            "starts_at": "2099-02-01T00:00:00Z",
        }
        later = await announced(owner, league, season, **opens)
        await Evening(owner, season, later, runtime, league).would_be("not_played")
        cancelled = await ask(owner, f"/v1/tournaments/{later}/cancel")
        assert cancelled.is_success, cancelled.text
        await Evening(owner, season, later, runtime, league).would_be("cancelled")

        tournament = await announced(owner, league, season)
        it = Evening(owner, season, tournament, runtime, league)
        for person in people:
            await enter(person, tournament)
        await it.waits("entered")
        assert (await owner.post(f"/v1/tournaments/{tournament}/start")).is_success
        await it.waits("running")
        table = (await owner.get(f"/v1/tournaments/{tournament}")).json()["tables"][0]["id"]

        await play_out(owner, tournament, people, table)
        await it.waits("finished")
        await award(database, league, tournament)
        assert len(await standings(owner, season)) == 3

        order = [[each["id"]] for each in reversed(await entrants(owner, tournament))]
        path = f"/v1/tournaments/{tournament}"
        assert (
            await owner.post(f"{path}/corrections", {"order": order, **WHY}, headers=ANY)
        ).is_success
        await it.waits("corrected")
        await award(database, league, tournament)

        dispute = await claim(people[0], tournament=tournament)
        assert (await ask(referee, f"/v1/disputes/{dispute}/freeze", WHY)).is_success
        await it.waits("frozen", dispute)
        winner = (await entrants(owner, tournament))[0]
        acts = [{"act": "forfeit", "entrant": winner["id"]}]
        ruling = {"outcome": "for", "rules": RULES, **WHY, "acts": acts}
        rulings = f"/v1/disputes/{dispute}/rulings"
        tried = await ask(referee, f"{rulings}?dry_run=true", ruling)
        ruled = await ask(referee, rulings, ruling | {"dry_run": tried.json()["digest"]})
        assert ruled.status_code == 201, ruled.text
        await it.waits("corrected")
        await award(database, league, tournament)

        assert await it.at_its_time() is None
        shown = (await owner.get(f"/v1/seasons/{season}")).json()
        assert shown["state"] == "closed"
        placed = {each["player"]: each["placing"] for each in await entrants(owner, tournament)}
        assert placed[winner["player"]] == 3
        assert await standings(owner, season) == placed
    report = await audited(database, league)
    assert faults(report) == {}, report.text()
    assert {check.name: check.checked for check in report.checks}["fates"]


async def close_while(
    runtime: Runtime, league: str, season: str, meddle: Callable[[], Awaitable[Any]]
) -> None:
    """Close a season, and run *meddle* between its first decision and the append."""
    before = await season_ends.announced_before(runtime, league, season)
    waiting = [meddle]

    async def decide(states: States) -> Sequence[StreamEvents]:
        entries = await season_ends.decided(
            states, season, before, leave_out=None, now=runtime.clock.now()
        )
        while waiting:
            await waiting.pop()()
        return entries

    await runtime.writer.submit(league, runtime.order(f"close/{season}/{id(meddle)}"), decide)
    assert not waiting


async def test_what_is_accepted_while_a_season_is_being_closed_is_not_lost(
    serving: Any, database: TestDatabase
) -> None:
    """A correction, an entry or an announcement makes the season decide again."""
    async with serving() as api, open_runtime(database.settings("holotable_worker")) as runtime:
        owner, league, season, tournament, people = await a_night(api, database)
        empty = await announced(owner, league, season)
        order = [[each["id"]] for each in reversed(await entrants(owner, tournament))]
        later: list[str] = []

        async def correct() -> None:
            path = f"/v1/tournaments/{tournament}/corrections"
            assert (await owner.post(path, {"order": order, **WHY}, headers=ANY)).is_success

        async def come() -> None:
            await enter(people[0], empty)

        async def announce() -> None:
            later.append(await announced(owner, league, season))

        with pytest.raises(SeasonUncounted) as refused:
            await close_while(runtime, league, season, correct)
        assert [each["reason"] for each in refused.value.facts["tournaments"]] == ["corrected"]
        await award(database, league, tournament)
        with pytest.raises(SeasonUncounted) as refused:
            await close_while(runtime, league, season, come)
        assert [each["reason"] for each in refused.value.facts["tournaments"]] == ["entered"]
        assert (await ask(owner, f"/v1/tournaments/{empty}/cancel")).is_success
        await close_while(runtime, league, season, announce)

        [closed] = await ends(runtime, league, season)
        due = {tournament: "counted", empty: "cancelled", later[0]: "not_played"}
        assert {each.tournament: each.fate for each in closed.fates} == due
        late = await owner.post(f"/v1/leagues/{league}/tournaments", TERMS | {"season": season})
        assert (late.status_code, late.json()["code"]) == (409, "season_closed")
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def ends(runtime: Runtime, league: str, season: str) -> list[Any]:
    rows = await runtime.writer.store.stream(number_of(league), stream_of(season))
    return [runtime.writer.codec.decode(row, None) for row in rows if row.type == "season_closed"]


async def test_an_owner_leaves_out_a_tournament_with_a_reason(
    serving: Any, database: TestDatabase
) -> None:
    """
    Only an owner may do so, and only with a reason. The tournament may still be corrected later.
    """
    async with serving() as api, open_runtime(database.settings("holotable_worker")) as runtime:
        owner, league, season, tournament, people = await a_night(api, database)
        director = await with_office(api, owner, league, "director")
        stuck = await announced(owner, league, season)
        await enter(people[0], stuck)
        path = f"/v1/seasons/{season}/close"
        out = {"leave_out": [stuck], **WHY}
        forbidden = await ask(director, path, out)
        assert (forbidden.status_code, forbidden.json()["code"]) == (403, "forbidden")
        assert (await ask(owner, path, {"leave_out": [stuck]})).status_code == 400
        assert (await ask(owner, path, WHY)).status_code == 400
        counted = await ask(owner, path, {"leave_out": [stuck, tournament], **WHY})
        assert (counted.status_code, counted.json()["code"]) == (409, "leave_out_invalid")

        await enter(owner, stuck)
        playing = await ask(owner, path, out)
        assert (playing.status_code, playing.json()["code"]) == (403, "forbidden")
        await ask(owner, f"/v1/tournaments/{stuck}/withdrawals", {})

        closed = await ask(owner, path, out)
        assert closed.status_code == 200, closed.text
        [end] = await ends(runtime, league, season)
        fates = {each.tournament: each for each in end.fates}
        assert (fates[stuck].fate, fates[stuck].by) == ("left_out", owner.player)
        assert fates[tournament].fate == "counted"
        shown = (await people[0].get(f"/v1/seasons/{season}")).json()["fates"]
        assert shown == list(msgspec.to_builtins(end.fates))
        said = (await people[0].get(f"/v1/texts/{fates[stuck].reason.text}")).json()
        assert said["text"] == WHY["reason"]
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_a_disputed_tournament_is_left_out_and_may_be_corrected_ever_after(
    serving: Any, database: TestDatabase
) -> None:
    """
    Corrections no longer change the season's points, but can change the result and its prizes.
    """
    async with serving() as api:
        owner, league, season, tournament, people = await a_night(api, database)
        referee = await with_office(api, owner, league)
        dispute = await claim(people[0], tournament=tournament)
        assert (await ask(referee, f"/v1/disputes/{dispute}/freeze", WHY)).is_success
        path = f"/v1/seasons/{season}/close"
        closed = await ask(owner, path, {"leave_out": [tournament], **WHY})
        assert closed.status_code == 200, closed.text
        winner = (await entrants(owner, tournament))[0]
        acts = [{"act": "forfeit", "entrant": winner["id"]}]
        ruling = {"outcome": "for", "rules": RULES, **WHY, "acts": acts}
        rulings = f"/v1/disputes/{dispute}/rulings"
        tried = await ask(referee, f"{rulings}?dry_run=true", ruling)
        assert tried.json()["seasons"] == {}, tried.text
        ruled = await ask(referee, rulings, ruling | {"dry_run": tried.json()["digest"]})
        assert ruled.status_code == 201, ruled.text
    report = await audited(database, league)
    assert faults(report) == {}, report.text()


async def test_a_dry_run_of_the_close_does_not_tell_how_lots_will_fall(
    serving: Any, database: TestDatabase
) -> None:
    async with serving() as api:
        level = {"points": {"type": "points_formula", "text": "5"}, "tie_breaks": ["standings.lot"]}
        owner, _, season, tournament, _ = await a_night(api, database, **level)

        tried = (await ask(owner, f"/v1/seasons/{season}/close?dry_run=true")).json()

        assert (tried["events"], tried["seasons"]) == (["season_closed"], {})
        assert [each["on"] for each in tried["depends_on"]] == ["hidden_value"]
        assert [each["tournament"] for each in tried["fates"]] == [tournament]
        assert (await ask(owner, f"/v1/seasons/{season}/close")).is_success
        assert len((await owner.get(f"/v1/seasons/{season}")).json()["lots"]) == 1


async def test_a_closed_season_is_not_closed_again_and_a_retry_is_answered(serving: Any) -> None:
    async with serving() as api:
        owner, league = await api.league()
        opened = await owner.post(f"/v1/leagues/{league}/seasons", {"name": "Spring"})
        path = f"/v1/seasons/{opened.json()['id']}/close"
        closed, retried = [await owner.post(path, key="once") for _ in range(2)]
        assert (closed.status_code, retried.json()) == (200, closed.json())
        for query in ("", "?dry_run=true"):
            again = await owner.post(path + query)
            assert (again.status_code, again.json()["code"]) == (409, "season_closed")


async def test_a_draft_is_not_announced_for_a_season_that_is_closed(serving: Any) -> None:
    async with serving() as api:
        owner, league = await api.league()
        made = await owner.post(f"/v1/leagues/{league}/seasons", {"name": "Spring"})
        season = made.json()["id"]
        draft = await announced(owner, league, season, draft=True)
        assert (await ask(owner, f"/v1/seasons/{season}/close")).is_success

        refused = await ask(owner, f"/v1/tournaments/{draft}/announce")

        assert (refused.status_code, refused.json()["code"]) == (409, "season_closed")
