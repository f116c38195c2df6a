"""The rules of an evening, or of a preset, on one page in a card player's words."""

import msgspec
from msgspec.structs import replace

from engine.rulesets import Ruleset
from service.api.http.shell import shell_of
from service.api.public.tournaments import PublicTournament
from service.api.rules.rulesets import RulesetShown
from service.api.tournament.tournaments import TournamentShown
from service.console.asking import Ask, seen_by
from service.console.declaring import page
from service.console.pages import Page
from service.console.rules.evening import Rules, rules_of
from service.console.screens.evening.entry import (
    NO_ENTRY_RULES,
    EntryRules,
    entry_rules,
    sells_rebuys,
)
from service.console.words import Words


class Cards(msgspec.Struct, kw_only=True):
    """A row of cards that belong together."""

    suit: str | None
    """The suit, or null for cards without one."""

    cards: tuple[str, ...]


class Evening(msgspec.Struct, kw_only=True):
    """The evening that uses the rules."""

    id: str
    name: str
    league: str
    league_name: str | None
    """The name of the league for a stranger. A member's account knows it."""


class RulesScreen(msgspec.Struct, kw_only=True):
    """The page of rules."""

    title: str
    evening: Evening | None
    """The evening, or null for the rules of a preset."""

    entry: EntryRules
    """The rules of entry that still hold. A preset has none."""

    named: str
    """The preset that the rules come from."""

    rules: Rules
    cards: tuple[Cards, ...]
    """Some cards of the deck, by suit."""

    chips: int | None
    """The starting stack, or null if the evening names none."""


_SHOWN = {
    "d62": (
        Cards(suit="circle", cards=("C+01", "C+07", "C-10")),
        Cards(suit="triangle", cards=("T+02", "T+09", "T-05")),
        Cards(suit="square", cards=("S+03", "S+10", "S-08")),
        Cards(suit=None, cards=("Z1",)),
    ),
    "d76": (
        Cards(suit="sabers", cards=("SA01", "SA12", "SA15")),
        Cards(suit="flasks", cards=("FL02", "FL13")),
        Cards(suit="coins", cards=("CO03", "CO14")),
        Cards(suit="staves", cards=("ST07", "ST15")),
        Cards(
            suit=None,
            cards=("X00a", "X02a", "X08a", "X11a", "X13a", "X14a", "X15a", "X17a"),
        ),
    ),
}


@page("/tournaments/{tournament:str}/rules", open=True)
async def rules(ask: Ask, tournament: str) -> Page:
    """Show the rules of a tournament."""
    shown = await seen_by(ask, _as_member, _as_stranger, tournament)
    title = ask.gettext("The rules of %(name)s") % {"name": shown.name}
    evening = Evening(
        id=tournament,
        name=shown.name,
        league=shown.league,
        league_name=shown.league_name if isinstance(shown, PublicTournament) else None,
    )
    return Page(
        "evening/rules.html",
        _screen(
            ask, title, evening, _played(shown), shown.ruleset_name, shown.starting_stack,
            entry_rules(ask.language, shown, shell_of(ask.request).now()),
        ),
    )  # fmt: skip


@page("/rules/{preset:str}", open=True)
async def preset_rules(ask: Ask, preset: str) -> Page:
    """Show the rules of a preset."""
    shown = await ask.api.get(f"/v1/rulesets/{preset}", RulesetShown)
    title = ask.gettext("The rules of %(name)s") % {"name": Words(ask.language).game(shown.name)}
    stack = shown.ruleset.starting_stack
    return Page("evening/rules.html", _screen(ask, title, None, shown.ruleset, shown.name, stack))


def _played(shown: TournamentShown | PublicTournament) -> Ruleset:
    """Return the ruleset, without rebuys if the evening never sells any."""
    if sells_rebuys(shown):
        return shown.ruleset
    return replace(shown.ruleset, rebuy=replace(shown.ruleset.rebuy, max=0))


async def _as_member(ask: Ask, tournament: str) -> TournamentShown:
    return await ask.api.get(f"/v1/tournaments/{tournament}", TournamentShown)


async def _as_stranger(ask: Ask, tournament: str) -> PublicTournament:
    return await ask.api.get(f"/v1/public/tournaments/{tournament}", PublicTournament)


def _screen(
    ask: Ask,
    title: str,
    evening: Evening | None,
    ruleset: Ruleset,
    named: str,
    chips: int | None,
    entry: EntryRules = NO_ENTRY_RULES,
) -> RulesScreen:
    return RulesScreen(
        title=title,
        evening=evening,
        entry=entry,
        named=named,
        rules=rules_of(ruleset, named, ask.language),
        cards=_SHOWN[ruleset.deck],
        chips=chips,
    )
