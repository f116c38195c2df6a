"""An example hand of each game. The engine decides who wins it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.hand import traditional_ranking
from engine.hand.galaxy_hands import galaxy_rank
from engine.hand.ranks import HandRank
from engine.hand.showdown import key, suit_count
from engine.hand.spike_hands import rank as spike_rank
from engine.kit.cards import total
from engine.kit.dice import Suit
from engine.rulesets import CorellianSpike, CoruscantShift, Ruleset, Traditional
from service.base.languages import N_
from service.console.rules.spike import HANDS
from service.console.rules.writing import Writer, signed

TARGET = 5
SUIT: Suit = "circle"

_NAMES = ("Ada", "Bo", "Cleo")


@dataclass(frozen=True, slots=True)
class Held:
    """The cards that one player shows."""

    player: str
    cards: tuple[str, ...]
    total: str
    worth: str
    wins: bool


@dataclass(frozen=True, slots=True)
class Example:
    """One showdown."""

    said: str
    """The faces of the dice, or nothing."""

    target: int | None
    suit: Suit | None
    hands: tuple[Held, ...]


def example_of(_: Writer, ruleset: Ruleset) -> Example:
    """Return an example of a showdown by *ruleset*."""
    match ruleset:
        case CoruscantShift():
            return _shift(_)
        case CorellianSpike():
            return _ranked(_, _SPIKE, lambda cards: _spike(ruleset, cards))
        case Traditional():
            return _ranked(
                _,
                _TRADITIONAL,
                lambda cards: traditional_ranking.rank(cards, ruleset.compare),
            )


_SHIFT = (("C+07", "T-02"), ("S+05",), ("C+04", "Z1"))
_SPIKE = (("Z1", "C+05", "T-05"), ("C+04", "T+04", "S-08"), ("S+03", "T-02"))
_TRADITIONAL = (("SA15", "FL07"), ("X00a", "CO02", "ST03"), ("ST14", "CO10"))

_WORTH = {
    "total": N_("a sum"),
    "idiots_array": N_("Idiot's Array"),
    "pure_sabacc": N_("Pure Sabacc"),
    "bombed_out": N_("bombs out"),
}


def _shift(_: Writer) -> Example:
    keys = [key(cards, TARGET, SUIT) for cards in _SHIFT]
    hands = []
    for player, cards, own in zip(_NAMES, _SHIFT, keys, strict=True):
        away = _.ngettext("%(number)s away", "%(number)s away", own[0])
        suited = _.ngettext(
            "%(number)s card for the suit",
            "%(number)s cards for the suit",
            suit_count(cards, SUIT),
        )
        worth = f"{away}, {suited}"
        hands.append(Held(player, cards, signed(total(cards)), worth, own == min(keys)))
    said = _("The dice show %(target)s and circles.", target=signed(TARGET))
    return Example(said, TARGET, SUIT, tuple(hands))


def _spike(ruleset: CorellianSpike, cards: Sequence[str]) -> HandRank:
    if ruleset.ranking == "galaxy":
        return galaxy_rank(cards)
    return spike_rank(cards, extra=ruleset.extra_named_hands, strict=ruleset.strict_named_hands)


def _ranked(
    _: Writer, shown: tuple[tuple[str, ...], ...], rank: Callable[[Sequence[str]], HandRank]
) -> Example:
    ranks = [rank(cards) for cards in shown]
    best = min(each.key for each in ranks)
    return Example(
        "",
        None,
        None,
        tuple(
            Held(player, cards, signed(own.total), _named(_, own.name), own.key == best)
            for player, cards, own in zip(_NAMES, shown, ranks, strict=True)
        ),
    )


def _named(_: Writer, name: str) -> str:
    return _(HANDS[name][0] if name in HANDS else _WORTH[name])
