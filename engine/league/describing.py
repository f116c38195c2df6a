"""The face of a league: its name and description, and the people who may see it."""

import msgspec
from msgspec.structs import replace

from engine.errors import Wording
from engine.kit.structs import copied
from engine.league.errors import LeagueDescriptionInvalid, LeagueNameInvalid
from engine.values import HexDigest, PlayerId, Visibility

NAME_LENGTH_MAX = 200
DESCRIPTION_LENGTH_MAX = 4000
PLACE_LENGTH_MAX = 200
URL_LENGTH_MAX = 500
LENGTH_MIN, LENGTH_MAX = 60, 31 * 86_400


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Face(_Part, frozen=True, kw_only=True):
    """The description of a league. Every reader of the league may see it."""

    description: str | None = None
    """A description of the league, for people to read."""

    place: str | None = None
    """The place where the league usually plays."""

    length_seconds: int | None = None
    """The usual length of an evening."""

    url: str | None = None
    """The league's own page."""


class DescribeLeague(_Part, frozen=True, kw_only=True, tag="describe_league"):
    """Give a league its name and its description. Parts that are left out become empty."""

    name: str
    face: Face
    by: PlayerId


class LeagueDescribed(_Part, frozen=True, kw_only=True, tag="league_described"):
    """The league has this name and description from now on."""

    name: str
    """The name. It replaces that of ``league_created``."""

    description: str | None
    """A description of the league, for people to read."""

    place: str | None
    """The place where the league usually plays."""

    length_seconds: int | None
    """The usual length of an evening."""

    url: str | None
    """The league's own page."""

    by: PlayerId
    """The owner who wrote it."""


class SetVisibility(_Part, frozen=True, kw_only=True, tag="set_visibility"):
    """Set who may see the league and the tournaments that it announces from now on."""

    visibility: Visibility
    link: HexDigest | None = None
    """SHA-256 of a key that becomes the link key if there is none."""

    new_link: bool = False
    """True if the key also replaces the one there is."""

    by: PlayerId


class VisibilitySet(_Part, frozen=True, kw_only=True, tag="visibility_set"):
    """Other people may see the league from now on. Announced tournaments keep their own terms."""

    visibility: Visibility
    """The people who may see the league."""

    link: HexDigest | None
    """SHA-256 of the link key in force. The log never holds the key itself. Null if none is."""

    by: PlayerId
    """The owner who set it."""


Command = DescribeLeague | SetVisibility
Event = LeagueDescribed | VisibilitySet


class Publicity(_Part, frozen=True, kw_only=True):
    """The people who may see a league, apart from its members."""

    visibility: Visibility = "members"
    link: HexDigest | None = None
    """SHA-256 of the link key in force, or null."""


def describe(name: str, face: Face, command: DescribeLeague) -> tuple[LeagueDescribed, ...]:
    """
    Return the new description, or no event if nothing would change.

    Raises:
        LeagueNameInvalid: If the name is empty or too long.
        LeagueDescriptionInvalid: If another part is empty, too long or out of range.
    """
    if not 0 < len(command.name.strip()) <= NAME_LENGTH_MAX:
        raise LeagueNameInvalid(length=len(command.name.strip()), length_max=NAME_LENGTH_MAX)
    wanted = command.face
    for field, text, most in (
        ("description", wanted.description, DESCRIPTION_LENGTH_MAX),
        ("place", wanted.place, PLACE_LENGTH_MAX),
        ("url", wanted.url, URL_LENGTH_MAX),
    ):
        if text is not None and not 0 < len(text.strip()) <= len(text) <= most:
            raise LeagueDescriptionInvalid(
                field=field, problem=Wording(f"must have 1 to {most} characters")
            )
    length = wanted.length_seconds
    if length is not None and not LENGTH_MIN <= length <= LENGTH_MAX:
        problem = Wording(f"must be between {LENGTH_MIN} and {LENGTH_MAX}")
        raise LeagueDescriptionInvalid(field="length_seconds", problem=problem)
    if (name, face) == (command.name, wanted):
        return ()
    told = msgspec.structs.asdict(wanted)
    return (LeagueDescribed(name=command.name, by=command.by, **told),)


def described(event: LeagueDescribed) -> Face:
    """Return the description that *event* gives."""
    return copied(Face, event)


def set_visibility(known: Publicity, command: SetVisibility) -> tuple[VisibilitySet, ...]:
    """
    Return the new visibility, or no event if nothing would change.

    A league for its members alone has no link key. So an old key never opens a league again.
    """
    first, then = (command.link, known.link) if command.new_link else (known.link, command.link)
    link = None if command.visibility == "members" else first or then
    wanted = replace(known, visibility=command.visibility, link=link)
    if wanted == known:
        return ()
    return (VisibilitySet(visibility=wanted.visibility, link=wanted.link, by=command.by),)
