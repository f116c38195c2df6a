"""A walk over every page of the console and each of its parts, as every audience."""

import re
from collections.abc import Iterator

from service.console.app import routes
from service.console.declaring import Screen
from tests.noninterference.asking import (
    AUDIENCES,
    NO_TOKEN,
    OWNER,
    PLAYER,
    PLAYING_DIRECTOR,
    REFEREE,
    SPECTATOR,
)
from tests.noninterference.scene import Scene

FILES = ("/static/", "/favicon", "/manifest", "/live")
"""
Paths that are not pages. The stream has only versions, which the feeds have too, and the tags of
strangers' parts, which the parts have too.
"""

FEW = (NO_TOKEN, SPECTATOR, PLAYER, PLAYING_DIRECTOR, REFEREE, OWNER)
"""The audiences of pages that can hold no hidden card. The API authorises what each may read."""

CALLED = {
    "hand": "hand_id", "table": "table_id", "tournament": "tournament_id", "league": "league_id",
    "season": "season_id", "dispute": "dispute_id", "player": "member_id",
    "entrant": "entrant_id", "preset": "ruleset_id", "code": "code", "claim": "claim",
    "audit": "operation_id", "operation": "operation_id", "number": "number",
    "key": "screen_key", "screen_key": "screen_key_id", "opt_out": "opt_out",
}  # fmt: skip
"""The names of a scene for those in the console's paths."""

_PART = re.compile(r'data-part="([^"]+)"')


def screens() -> list[Screen]:
    """Return every declared page."""
    found: list[Screen] = [each.opt["screen"] for each in routes()]
    return [each for each in found if each.method == "GET" and not each.path.startswith(FILES)]


async def walk_pages(scene: Scene) -> None:
    """
    Open every page about everything it can be about, and its parts.

    A part is what the whole page has in its place. Only those of pages that may hold hidden cards
    are opened about everything; of other pages, each audience opens a part once.
    """
    for screen in screens():
        opened: set[tuple[str, str]] = set()
        for path in dict.fromkeys(_paths(scene, screen)):
            for audience in AUDIENCES if screen.hidden else FEW:
                answer = await scene.asker.open(audience, screen, path)
                if answer.status_code != 200:
                    continue
                for part in _PART.findall(answer.text):
                    if screen.hidden or (audience, part) not in opened:
                        opened.add((audience, part))
                        await scene.asker.open(audience, screen, f"{path}?part={part}")


def _paths(scene: Scene, screen: Screen) -> Iterator[str]:
    for named in (scene.names, scene.live, scene.selecting, scene.coming, scene.draft):
        path = screen.path
        for each in screen.parameters:
            path = path.replace(f"{{{each}:str}}", named[CALLED[each]])
        yield path
