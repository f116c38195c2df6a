"""The pages that are looked at and measured, each with its reader."""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.browser.gallery import Gallery
from tests.browser.house import Person


@dataclass(frozen=True)
class View:
    """A page to photograph."""

    name: str
    path: str
    person: Person | None
    press: tuple[str, ...] = ()
    """Selectors to press one after the other before the photograph."""

    paper: bool = False
    """True to print it too."""


def views(gallery: Gallery) -> Iterator[View]:
    """Yield every page, as its reader sees it."""
    owner, member, names = gallery.owner, gallery.member, gallery.names
    league, season = f"/leagues/{names['league']}", f"/seasons/{names['season']}"
    live, over, coming = (f"/tournaments/{names[each]}" for each in ("live", "over", "coming"))

    def seen(person: Person | None, *pages: tuple[str, str]) -> Iterator[View]:
        for name, path in pages:
            yield View(name, path, person)

    yield from seen(
        None,
        ("start", "/"), ("sign-in", "/sign-in"), ("sign-up", "/sign-up"),
        ("forgotten", "/forgotten"), ("reset", "/forgotten/code"), ("link", "/sign-in/wrong"),
        ("join-by-code", "/join"), ("join", f"/join/{names['code']}"),
        ("claim", f"/join/{names['claim']}"),
        ("opt-out", f"/opt-outs/{names['opt_out']}"), ("missing", "/nothing-here"),
        ("public-league", league), ("public-seasons", f"{league}/seasons"),
        ("screen-key", f"/screen/{names['key']}"),
    )  # fmt: skip
    yield View("sign-in-error", "/sign-in", None, ("main form:last-of-type button",))
    yield from seen(
        member,
        ("home", "/"), ("account", "/account"), ("email", "/account/email"),
        ("confirm-email", "/account/email/confirm/wrong"),
        ("notices", "/account/notices"), ("programs", "/account/tokens"), ("league", league),
        ("schedule", f"{league}/schedule"), ("month", f"{league}/schedule?month=now"),
        ("standings", season), ("standings-ties", f"/seasons/{names['ties']}"),
        ("players", f"{league}/players"),
        ("player", f"{league}/players/{names['player']}"), ("poster", coming),
        ("poster-over", over), ("rules", f"{coming}/rules"), ("result", f"{over}/result"),
        ("hands", f"{over}/hands"), ("hand", f"/hands/{names['hand']}"),
        ("hand-end", f"/hands/{names['hand']}?step=999"),
        ("proof", f"/hands/{names['hand']}/proof"),
        ("tables", "/tables"), ("refused", f"{league}/people"), ("money-mine", f"{coming}/money"),
        ("floor-member", f"{live}/floor"), ("clock", f"{live}/clock"),
        ("rules-traditional", "/rules/traditional"), ("rules-spike", "/rules/spike"),
    )  # fmt: skip
    yield from (
        View(f"table {name}", f"/tables/{table}", person)
        for name, (person, table) in gallery.seats.items()
    )
    yield from seen(
        owner,
        ("home-owner", "/"), ("new-league", "/new-league"), ("league-owner", league),
        ("setup", f"{league}/setup"), ("people", f"{league}/people"),
        ("new-season", f"{league}/new-season"), ("close-season", f"{season}/close"),
        ("fixtures", f"{league}/fixtures"), ("new-evening", f"{league}/new-evening"),
        ("plan", f"{league}/new-evening/plan"), ("change", f"{coming}/change"),
        ("door", f"{coming}/door"),
        ("money", f"{coming}/money"), ("deals", f"{live}/deals"), ("floor", f"{live}/floor"),
        ("screens", f"{live}/screens"), ("disputes", f"{league}/disputes"),
        ("dispute", f"/disputes/{names['dispute']}"), ("audits", f"{league}/audits"),
        ("audit", f"{league}/audits/{names['audit']}"), ("staff-log", f"{league}/staff-log"),
        ("clock-coming", f"{coming}/clock"),
    )  # fmt: skip
    yield View("people-open", f"{league}/people", owner, (".line-fold > summary >> nth=1",))
    fresh, unknown = f"/leagues/{names['fresh']}", f"/tournaments/{names['unknown']}"
    yield from seen(
        owner,
        ("fresh-league", fresh), ("fresh-schedule", f"{fresh}/schedule"),
        ("fresh-people", f"{fresh}/people"), ("fresh-poster", unknown),
        ("fresh-door", f"{unknown}/door"), ("fresh-floor", f"{unknown}/floor"),
        ("fresh-clock", f"{unknown}/clock"), ("fresh-prints", f"{unknown}/prints"),
    )  # fmt: skip
    yield View("prints", f"{live}/prints", owner, paper=True)
    yield View("table-sheets", f"{live}/prints?what=tables", owner, paper=True)
    yield View("standings-paper", season, owner, paper=True)
    yield View("floor-seat", f"{live}/floor", owner, (".seat-line > summary",))
    yield View("floor-confirm", f"{live}/floor", owner, (
        ".seat-line > summary", ".seat-line[open] form button >> nth=-1",
    ))  # fmt: skip
