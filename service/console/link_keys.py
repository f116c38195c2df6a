"""
Link keys: a league that is shared by a link, for browsers that have followed the link.

Following a link (``?link=…``) leaves the key in a cookie for its league, and leads on to the same
page without the key. So the key stands in no address that is shown, kept or sent on, and every
further page of the league opens too.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

PUBLIC = "/v1/public/"
_LEAGUES = f"{PUBLIC}leagues/"

PARAMETER = "link"
COOKIE = "holotable-link-"
"""The beginning of a cookie's name. The league follows."""

KEPT_SECONDS = 60 * 24 * 60 * 60
HELD_MAX = 8
"""The most keys of one browser that are used."""

_LEAGUE = re.compile(r"lge_[0-9a-f]{32}")
_KEY = re.compile(r"lnk_[0-9a-f]{48}")


@dataclass(frozen=True, slots=True)
class LinkKeys:
    """The link keys that a browser holds."""

    held: tuple[tuple[str, str], ...] = ()
    """Each key with its league."""

    def tried(self, path: str) -> tuple[str | None, ...]:
        """
        Return the keys to try for *path*, one after the other.

        A league is asked for with its own key. The path of a tournament does not name its league,
        so every key is tried. The API compares a key only with that of the league in question.
        """
        if not path.startswith(PUBLIC):
            return (None,)
        if path.startswith(_LEAGUES):
            league = path.removeprefix(_LEAGUES).partition("/")[0]
            return (next((key for name, key in self.held if name == league), None),)
        return (None, *(key for _, key in self.held))


def held_in(cookies: Mapping[str, str]) -> LinkKeys:
    """Return the keys in a request's cookies."""
    found = (
        (name.removeprefix(COOKIE), value)
        for name, value in sorted(cookies.items())
        if name.startswith(COOKIE)
    )
    good = [each for each in found if _LEAGUE.fullmatch(each[0]) and _KEY.fullmatch(each[1])]
    return LinkKeys(tuple(good[:HELD_MAX]))


def is_key(text: str) -> bool:
    """Return whether *text* has the form of a link key."""
    return _KEY.fullmatch(text) is not None


def opened_by(path: Mapping[str, str]) -> str | None:
    """Return the API path that shows whether a key opens the page at *path*."""
    if "league" in path:
        return f"{_LEAGUES}{path['league']}"
    if "tournament" in path:
        return f"{PUBLIC}tournaments/{path['tournament']}"
    if "season" in path:
        return f"{PUBLIC}seasons/{path['season']}"
    return None
