"""The address of every screen. Templates have this module as ``links``."""

HOME = "/"
SIGN_IN = "/sign-in"
SIGN_UP = "/sign-up"
SIGN_OUT = "/sign-out"
ACCOUNT = "/account"
TABLES = "/tables"
EMAIL = "/account/email"
NOTICES = "/account/notices"
PROGRAMS = "/account/tokens"
FORGOTTEN = "/forgotten"
RESET = "/forgotten/code"
SCHEME = "/scheme"
LANGUAGE = "/language"
NEW_LEAGUE = "/new-league"
JOIN = "/join"


def opt_out(code: str) -> str:
    """Return the address of the page that turns off one kind of mail."""
    return f"/opt-outs/{code}"


def code_of(link: str) -> str:
    """
    Return the code in a link, as paper shows it: in groups of four, for people who type it.

    >>> code_of("https://league.example/join/abcdefghij")
    'abcd efgh ij'
    """
    code = link.rpartition("/")[2]
    return " ".join(code[at : at + 4] for at in range(0, len(code), 4))


def join(code: str) -> str:
    """Return the address of the page on which an invitation or a claim code is used."""
    return f"/join/{code}"


def league(league: str) -> str:
    """Return the address of the page of a league."""
    return f"/leagues/{league}"


def schedule(league: str) -> str:
    """Return the address of the schedule of a league."""
    return f"/leagues/{league}/schedule"


def settings(league: str) -> str:
    """Return the address of the settings of a league."""
    return f"/leagues/{league}/setup"


def people(league: str) -> str:
    """Return the address of the people of a league."""
    return f"/leagues/{league}/people"


def new_evening(league: str) -> str:
    """Return the address of the first questions about a new evening."""
    return f"/leagues/{league}/new-evening"


def new_season(league: str) -> str:
    """Return the address of the questions about a new season."""
    return f"/leagues/{league}/new-season"


def close_season(season: str) -> str:
    """Return the address of the page that asks whether to close a season."""
    return f"/seasons/{season}/close"


def fixtures(league: str) -> str:
    """Return the address of the planned evenings of a league."""
    return f"/leagues/{league}/fixtures"


def evening_plan(league: str) -> str:
    """Return the address of the proposal for a new evening."""
    return f"/leagues/{league}/new-evening/plan"


def standings(league: str) -> str:
    """Return the address of the standings of a league's season that runs."""
    return f"/leagues/{league}/standings"


def seasons(league: str) -> str:
    """Return the address of all seasons of a league."""
    return f"/leagues/{league}/seasons"


def players(league: str) -> str:
    """Return the address of the players of a league."""
    return f"/leagues/{league}/players"


def player(league: str, player: str) -> str:
    """Return the address of the record of a player in a league."""
    return f"/leagues/{league}/players/{player}"


def season(season: str) -> str:
    """Return the address of the standings of a season."""
    return f"/seasons/{season}"


def tournament(tournament: str) -> str:
    """Return the address of the poster of a tournament."""
    return f"/tournaments/{tournament}"


def change(tournament: str) -> str:
    """Return the address of the page that changes an evening."""
    return f"/tournaments/{tournament}/change"


def rules(tournament: str) -> str:
    """Return the address of the rules of a tournament in words."""
    return f"/tournaments/{tournament}/rules"


def floor(tournament: str) -> str:
    """Return the address of the floor of a tournament."""
    return f"/tournaments/{tournament}/floor"


def clock(tournament: str) -> str:
    """Return the address of the clock of the room, for a TV."""
    return f"/tournaments/{tournament}/clock"


def screens(tournament: str) -> str:
    """Return the address of the links that open the clock on a TV."""
    return f"/tournaments/{tournament}/screens"


def screen(key: str) -> str:
    """Return the address of the clock that a screen key opens."""
    return f"/screen/{key}"


def door(tournament: str) -> str:
    """Return the address of the list at the door."""
    return f"/tournaments/{tournament}/door"


def at_door(tournament: str, player: str) -> str:
    """Return the address in a player's QR code: their line at the door, or the poster."""
    return f"/tournaments/{tournament}/here/{player}"


def code_image(tournament: str, player: str) -> str:
    """Return the address of the drawing of a player's QR code."""
    return f"{at_door(tournament, player)}/code.svg"


def poster_of_code(tournament: str, player: str) -> str:
    """Return the address of the poster for a stranger with a player's code, who may sign in."""
    return f"/tournaments/{tournament}?code={player}"


def prints(tournament: str) -> str:
    """Return the address of the papers of a tournament."""
    return f"/tournaments/{tournament}/prints"


def money(tournament: str) -> str:
    """Return the address of the money of a tournament."""
    return f"/tournaments/{tournament}/money"


def deals(tournament: str) -> str:
    """Return the address of the deals of a tournament."""
    return f"/tournaments/{tournament}/deals"


def hands(tournament: str) -> str:
    """Return the address of the hands of a tournament."""
    return f"/tournaments/{tournament}/hands"


def result(tournament: str) -> str:
    """Return the address of the result of a tournament."""
    return f"/tournaments/{tournament}/result"


def table(table: str) -> str:
    """Return the address of the playing table."""
    return f"/tables/{table}"


def hand(hand: str) -> str:
    """Return the address of the replay of a hand."""
    return f"/hands/{hand}"


def proof(hand: str) -> str:
    """Return the address of the proof of a hand."""
    return f"/hands/{hand}/proof"


def disputes(league: str) -> str:
    """Return the address of the disputes of a league."""
    return f"/leagues/{league}/disputes"


def audits(league: str) -> str:
    """Return the address of the audits of a league."""
    return f"/leagues/{league}/audits"


def audit(league: str, operation: str) -> str:
    """Return the address of the report of an audit."""
    return f"/leagues/{league}/audits/{operation}"


def staff_log(league: str) -> str:
    """Return the address of the actions of a league's staff."""
    return f"/leagues/{league}/staff-log"


def dispute(dispute: str) -> str:
    """Return the address of a dispute."""
    return f"/disputes/{dispute}"
