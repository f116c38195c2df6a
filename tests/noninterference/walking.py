"""A walk over every route and page of the application, as every audience, about everything."""

from collections.abc import Iterator
from typing import Any

from service.api.http.declaring.declaration import Operation
from tests.noninterference.asking import (
    AUDIENCES,
    AUDITOR,
    NO_TOKEN,
    OWNER,
    PLAYER,
    PLAYING_DIRECTOR,
    SCORER,
    SPECTATOR,
    STRANGER,
)
from tests.noninterference.paging import walk_pages
from tests.noninterference.scene import Scene
from tests.service.api.matrix import BODIES, QUERIES, filled, routes

STREAMS = {"follow_table", "follow_tournament", "follow_league"}
MY_STREAM = "follow_me"
"""The route that always streams. ``read_my_turns`` tells how many items it has."""

FORMS = {
    "replay_hand": ("application/x-ndjson", "text/plain", "text/x-phh"),
}
"""The further media types of a route's answers."""

TAGGED = (SPECTATOR, PLAYER, PLAYING_DIRECTOR, OWNER)
"""Audiences that repeat a request with HEAD, and with the entity tag of the first answer."""

SELF = (
    "register_entrant", "join_player", "issue_claims", "revoke_calendar_key", "rotate_token",
    "remove_webhook", "revoke_screen_key",
    "revoke_token", "leave_league", "change_password", "sign_out_everywhere", "erase_me",
)  # fmt: skip
"""Routes that come last, because they end what others need or let an audience in."""

LIVE = {
    "act", "set_presence", "pause_tournament", "resume_tournament", "hold_table",
    "release_table", "warn_entrant", "give_penalty", "start_tournament", "leave_casino",
    "revoke_screen_key",
}  # fmt: skip
"""Commands to the night in play. Their effects do not depend on cards."""

COMING = {
    "approve_entry", "refuse_entry", "register_entrant", "enter_by_staff", "change_entries",
    "walk_in", "seat_house_bots", "undo_check_in", "close_registration",
}  # fmt: skip
DRAFTS = {"revise_terms", "announce_draft", "discard_draft"}

ONLY = {
    "change_password": (NO_TOKEN, SCORER),
    "sign_out_everywhere": (NO_TOKEN, AUDITOR),
    "erase_me": (NO_TOKEN, STRANGER),
}
"""Routes that end tokens. Without a token, an audience could request nothing else."""

OWN_BODIES: dict[str, Any] = {
    "make_token": {"login": "spectator", "password": "correct horse"},
    "claim_player": {"code": "{claim}", "login": "somebody", "password": "correct horse"},
    "reset_password": {"code": "{reset}", "password": "correct horse"},
    "enter_by_staff": {"player": "{member_id}"},
    "change_entries": {"changes": [{"type": "enter", "player": "{member_id}"}]},
    "join_player": {"code": "{claim_to_join}"},
    "merge_players": {"into": "{member_id}", "reason": "Entered twice"},
    "open_account": {"login": "player-in-the-hand", "password": "correct horse"},
}
UNREACHED: dict[str, str] = {"verify_my_email": "the code is in a mail"}
"""Routes that no audience reaches here, each with the reason."""

LISTS = {
    "import_members": "name,email,role,external_id\nHan Solo,han@falcon.example,player,7\n",
    "import_past_season": "tournament,player,place,points\nOpening,{member_id},1,9\n",
}


async def walk(scene: Scene) -> None:
    """Request every route: first reads, then pages, then dry runs, then commands."""
    found = routes()
    for name, (method, path, described) in found.items():
        if method == "GET":
            for audience in AUDIENCES:
                await _read(scene, audience, name, path, described)
    await walk_pages(scene)
    for name, (method, path, described) in found.items():
        if described.dry_run:
            # An audience that may not give a command here is not asked about the next.
            asking = list(AUDIENCES)
            for named in _abouts(scene, path, everywhere=True):
                for audience in asking.copy():
                    await _command(scene, audience, name, method, path, named, tried=True)
                    if scene.asker.exchanges[-1].status in (401, 403):
                        asking.remove(audience)
    commands = [each for each, (method, _, _) in found.items() if method != "GET"]
    for name in sorted(commands, key=lambda each: SELF.index(each) + 1 if each in SELF else 0):
        method, path, _ = found[name]
        named = scene.names
        named = scene.live if name in LIVE else named
        named = scene.coming if name in COMING else named
        named = scene.draft if name in DRAFTS else named
        for audience in ONLY.get(name, AUDIENCES):
            await _command(scene, audience, name, method, path, named)


def _abouts(scene: Scene, path: str, *, everywhere: bool = False) -> Iterator[dict[str, str]]:
    """Yield the path parameters of everything that *path* can be about."""
    if not any(part in path for part in ("{tournament_id}", "{table_id}", "{hand_id}")):
        yield scene.names
        return
    yield from (scene.names, scene.live, scene.selecting)
    if "{tournament_id}" in path:
        yield from (scene.coming, scene.draft, scene.cancelled)


async def _read(scene: Scene, audience: str, name: str, path: str, described: Operation) -> None:
    if name == MY_STREAM:
        await _my_stream(scene, audience, path)
        return
    for named in _abouts(scene, path):
        await _read_about(scene, audience, name, path, described, named)
    if "{player_id}" in path:  # somebody who has played, and not a spectator
        played = scene.names | {"player_id": scene.names["member_id"]}
        await _read_about(scene, audience, name, path, described, played)


async def _read_about(
    scene: Scene,
    audience: str,
    name: str,
    path: str,
    described: Operation,
    named: dict[str, str],
) -> None:
    asker = scene.asker
    for query in _queries(name, described, named):
        asked = path.format_map(named) + query
        answer = await asker.ask(audience, name, "GET", asked)
        for form in FORMS.get(name, ()) if not query else ():
            await asker.ask(audience, name, "GET", asked, headers={"Accept": form})
        tag = answer.headers.get("etag")
        if tag is not None and audience in TAGGED:
            await asker.head(audience, asked, answer)
            again = {"If-None-Match": tag}
            await asker.ask(audience, name, "GET", asked, headers=again)
        if name in STREAMS and answer.is_success:
            events = len(answer.json()["items"])
            await asker.follow(audience, name, path.format_map(named), events=events)
            history = {"Accept": "application/x-ndjson"}
            await asker.ask(audience, name, "GET", path.format_map(named), headers=history)


async def _my_stream(scene: Scene, audience: str, path: str) -> None:
    turns = await scene.asker.ask(audience, "read_my_turns", "GET", "/v1/me/turns?limit=200")
    if not turns.is_success:
        await scene.asker.ask(audience, MY_STREAM, "GET", path)
        return
    items = turns.json()["items"]
    assert not turns.json()["more"]
    # The last item says that the stream has ended.
    await scene.asker.follow(audience, MY_STREAM, path, events=len(items) + 1)
    for item in items:
        after = f"/v1/me/turns?after={item['cursor']}"
        await scene.asker.ask(audience, "read_my_turns", "GET", after)
    await scene.asker.ask(audience, MY_STREAM, "GET", f"{path}?after=x")


def _queries(name: str, described: Operation, named: dict[str, str]) -> list[str]:
    """Return the query strings for a route, each with its question mark or empty."""
    if name in QUERIES:
        return [_needed(name, named)]
    found = [""]
    if "limit" in described.query_names:
        found = ["?limit=200"]
    if name == "replay_hand":
        found += ["?as=public", "?as=auditor", f"?as={named['entrant_id']}", "?step=1"]
    return found


def _needed(name: str, named: dict[str, str]) -> str:
    """Return the query that a route needs, with its question mark, or an empty text."""
    asked = "&".join(f"{key}={it.format_map(named)}" for key, it in QUERIES.get(name, {}).items())
    return f"?{asked}" if asked else ""


async def _command(
    scene: Scene,
    audience: str,
    name: str,
    method: str,
    path: str,
    named: dict[str, str],
    *,
    tried: bool = False,
) -> None:
    asked = OWN_BODIES.get(name, BODIES.get(name, {}))
    body = filled(asked, lambda said: said.format_map(named))
    if name == "erase_me":
        body = {"player": scene.players.get(audience, ""), "password": "correct horse"}
    await scene.asker.ask(
        audience,
        name,
        method,
        path.format_map(named) + ("?dry_run=true" if tried else _needed(name, named)),
        body=None if name in LISTS or (method == "DELETE" and not body) else body,
        content=LISTS[name].format_map(named).encode() if name in LISTS else None,
        headers={"Content-Type": "text/csv"} if name in LISTS else None,
    )
