"""Each kind of message tells of one public event, in few words and in two forms."""

import json
from datetime import UTC, datetime
from uuid import UUID

import msgspec
import pytest

from engine.kit.audiences import STAFF_ONLY
from engine.tournament.model.events import EntrantEliminated, PlayStarted
from engine.tournament.model.events.entering import StartPostponed
from service.log.catalogue import events_by_category, tag_of
from service.webhooks.discord import discord_of
from service.webhooks.facts import EventFacts
from service.webhooks.kinds import KINDS, TOLD, TRIED
from service.webhooks.messages import Named, Source, body_of, trial_of

AT = datetime(2026, 11, 27, 19, 30, tzinfo=UTC)
TOURNAMENT = Named("trn_" + "0" * 32, "Night")


def message(event: msgspec.Struct, name: str = "Night", stream: str = "tournament") -> str:
    """Return the message about an event of a tournament with this name."""
    source = Source(UUID(int=1), 0, 7, f"{stream}-{UUID(int=2).hex}", UUID(int=3), AT, event)
    return body_of(source, lambda _stream: TOURNAMENT._replace(name=name))


def test_every_kind_is_about_an_event_that_the_public_reads_and_no_event_has_two() -> None:
    assert not {tag_of(kind.event) for kind in KINDS.values()} & STAFF_ONLY
    assert len(TOLD) == len(KINDS)
    stored = {tag_of(event) for events in events_by_category().values() for event in events}
    assert set(TOLD) <= stored
    assert all(issubclass(kind.facts, EventFacts) for kind in KINDS.values())


def test_a_message_repeats_only_what_its_kind_names() -> None:
    out = EntrantEliminated(
        entrant="ent_1", player="plr_1", place=4, shared=1, rule="elimination.order"
    )
    told = json.loads(message(out))
    assert told["type"] == "entrant.eliminated"
    assert told["timestamp"] == "2026-11-27T19:30:00Z"
    names = {"event", "league", "position", "tournament", "name", "entrant", "player", "place"}
    assert set(told["data"]) == names
    assert told["data"]["place"] == 4


def test_an_event_without_a_kind_has_no_message() -> None:
    with pytest.raises(LookupError):
        message(EventFacts(event="", league="", position=""))


def test_a_message_stays_short() -> None:
    with pytest.raises(ValueError, match="longer"):
        message(PlayStarted(tables=(), entrants=2), name="x" * 20_000)


def test_discord_mentions_nobody_and_reads_no_mark_in_a_name() -> None:
    name = "@everyone **[free](http://x.example)** <@1>"
    shown = json.loads(discord_of(message(PlayStarted(tables=(), entrants=2), name)))
    assert shown["allowed_mentions"] == {"parse": []}
    assert shown["content"].endswith(": Play started.")
    assert "\\@everyone \\*\\*\\[free\\]" in shown["embeds"][0]["title"]
    assert shown["embeds"][0]["footer"]["text"] == TOURNAMENT.tournament


def test_discord_shows_the_start_in_the_readers_own_time() -> None:
    late = StartPostponed(
        until=AT, registration_closes_at=None, check_in_opens_at=None, entrants=1, number=1,
        last_hands_at=None, rounds_start_at=(), rule="start.too_few",
    )  # fmt: skip
    shown = json.loads(discord_of(message(late)))
    [field] = shown["embeds"][0]["fields"]
    assert field == {"name": "Start", "value": f"<t:{int(AT.timestamp())}:F>", "inline": True}


def test_discord_shows_a_trial() -> None:
    shown = json.loads(discord_of(trial_of(UUID(int=1), UUID(int=2), AT)))
    assert json.loads(trial_of(UUID(int=1), UUID(int=2), AT))["type"] == TRIED
    assert shown["embeds"][0]["footer"]["text"] == f"whk_{UUID(int=2).hex}"


def test_a_long_name_of_marks_fits_into_discords_title() -> None:
    shown = json.loads(discord_of(message(PlayStarted(tables=(), entrants=2), "*" * 200)))
    assert len(shown["embeds"][0]["title"]) <= 256
