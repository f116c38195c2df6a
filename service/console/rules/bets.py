"""The rules of money at the table: forced bets, betting, pots, the end of the game."""

from collections.abc import Iterator

from engine.rulesets import CorellianSpike, CoruscantShift, Ruleset, Traditional
from engine.rulesets.parts import (
    Ante,
    AnteByPlayers,
    Blinds,
    ChanceCube,
    DoublePerOrbit,
    DrawOff,
    EachDealtOnce,
    FixedContinue,
    HandsOrLast,
    LastStanding,
    Levels,
    LevelStep,
    OpenEnd,
    PokerNoLimit,
    SingleBlindDraw,
    Split,
)
from service.console.rules.writing import Writer

_MINUTE = 60


def forced(_: Writer, game: CoruscantShift) -> Iterator[tuple[str, str]]:
    """Yield the payments before the cards."""
    small, big = _.chips(_small(game)), _.chips(_big(game))
    match game.forced:
        case Ante(amount=amount):
            yield "forced.ante", _("Everyone pays an ante of %(n)s.", n=_.chips(amount))
        case Blinds(table_ante=table, player_ante=player):
            yield (
                "forced.blinds",
                _(
                    "The player left of the button pays the small blind of %(small)s, the next "
                    "player the big blind of %(big)s. Both count as bets.",
                    small=small,
                    big=big,
                ),
            )
            yield "forced.blinds", _heads_up(_, game)
            if table:
                text = _("The big blind also pays %(n)s for the whole table.", n=_.chips(table))
                yield "forced.table_ante", text
            if player:
                text = _("Everyone pays an ante of %(n)s first.", n=_.chips(player))
                yield "forced.player_ante", text
            if game.short_blind == "as_posted":
                text = _("If the big blind cannot pay in full, the others pay no more.")
                yield "forced.short_blind", text
            else:
                text = _("If the big blind cannot pay in full, the price stays the same.")
                yield "forced.short_blind", text
        case _:
            yield "phases", _("Nobody pays before the cards.")
            return
    if game.short_forced == "not_dealt_in":
        text = _("A player who cannot pay the ante is not dealt in, and keeps the chips.")
    else:
        text = _("A player who has less pays the rest of the stack and is all-in.")
    yield "forced.short", text


def growth(_: Writer, game: CoruscantShift) -> Iterator[tuple[str, str]]:
    """Yield the growth of the forced bets."""
    match game.escalation:
        case DoublePerOrbit():
            text = _("The blinds double each time the button has gone round the table.")
            yield "escalation", text
        case AnteByPlayers(inc=steps):
            text = _("Before each new hand the ante grows, by the number of players left:")
            named = [
                _("%(n)s with %(players)s", n=_.chips(step), players=players)
                for players, step in steps.items()
                if players != "*"
            ]
            if "*" in steps:
                named.append(_("%(n)s otherwise", n=_.chips(steps["*"])))
            yield "escalation", f"{text} {', '.join(named)}."
        case Levels(by=by, levels=levels):
            if by == "clock":
                text = _("The levels go by the clock, for all tables at once:")
            else:
                text = _("The levels go by hands, at each table:")
            listed = "; ".join(level(_, each, by) for each in levels)
            yield "escalation.levels", f"{text} {listed}."
        case _:
            if game.base_amounts().big or game.base_amounts().ante:
                yield "escalation", _("These payments stay the same all evening.")


def level(_: Writer, step: LevelStep, by: str) -> str:
    """Return a level in words, such as ``5/10 for 15 minutes``."""
    bets = f"{_.chips(step.small)}/{_.chips(step.big)}" if step.big else ""
    if step.ante:
        ante = _("ante %(n)s", n=_.chips(step.ante))
        bets = f"{bets} ({ante})" if bets else ante
    if step.length is None:
        return _("%(bets)s to the end", bets=bets)
    if by == "hands":
        length = _.ngettext("%(number)s hand", "%(number)s hands", step.length)
    elif step.length % _MINUTE:
        length = _.ngettext("%(number)s second", "%(number)s seconds", step.length)
    else:
        length = _.ngettext("%(number)s minute", "%(number)s minutes", step.length // _MINUTE)
    return _("%(bets)s for %(length)s", bets=bets, length=length)


def button(_: Writer, game: Ruleset) -> Iterator[tuple[str, str]]:
    """Yield the choice of the dealer."""
    first = {
        "host_choice": _("The player in the lowest seat deals first."),
        "high_card": _(
            "Everyone gets one open card. The highest deals first; equal cards draw again."
        ),
        "random": _("The first player is drawn."),
    }
    yield "button.first", first[game.first_dealer]
    if game.button == "dead":
        text = _(
            "The big blind moves on by one player each hand. The button follows, even to an empty "
            "seat."
        )
        yield "button.dead", text
    elif game.button == "starter":
        yield "button", _("Each hand the next player to the left starts.")
    else:
        yield "button", _("After each hand the button moves to the next player on the left.")


def short_of_antes(_: Writer, game: CorellianSpike | Traditional, sits_out: str) -> tuple[str, str]:
    """Return what happens to players who cannot pay both antes. *sits_out* names the rule."""
    if game.short_forced == "out":
        text = _("A player who cannot pay both is out. The last chips go into the Sabacc pot.")
        return "forced.out", text
    return sits_out, _("A player who cannot pay both sits out.")


def betting(_: Writer, game: Ruleset) -> Iterator[tuple[str, str]]:
    """Yield the rules of betting: the possible bets and their limits."""
    match game.betting:
        case FixedContinue(cost=cost):
            if cost:
                text = _(
                    "There are no raises. Each player in turn stays in for %(n)s, or folds.",
                    n=_.chips(cost),
                )
            else:
                text = _("There are no bets. Each player in turn stays in, or folds.")
            yield "betting.fixed_continue", text
        case PokerNoLimit() as rules:
            yield "betting.turn", _("One player after the other folds, checks, calls or raises.")
            yield "betting.opening_bet", _opening(_, game, rules)
            yield _raise(_, game, rules)
            yield (
                "betting.reopening",
                _(
                    "Once you have acted, you may raise again only if the bet has grown by a full "
                    "raise since."
                ),
            )
            yield (
                "betting.units",
                _("There is no limit: you may bet all your chips at any time."),
            )
    if not game.moneyless:
        yield (
            "pots.layers",
            _(
                "If you are all-in, you win from each other player at most as much as you put in. "
                "The rest is played for in side pots."
            ),
        )
        yield "pots.unmatched", _("Chips that nobody can match go back to you.")
    if game.chip_unit > 1:
        text = _("Every amount is a multiple of %(n)s.", n=_.chips(game.chip_unit))
        yield "words.unit", text
    if game.denominations:
        listed = ", ".join(f"{each.name} {_.chips(each.credits)}" for each in game.denominations)
        yield "denominations", _("The chips: %(listed)s.", listed=listed)


def ties(_: Writer, game: CoruscantShift) -> Iterator[tuple[str, str]]:
    """Yield the rules for equal hands and for odd chips."""
    match game.tie:
        case Split():
            yield "ties.split", _("Equal hands share the pot.")
        case DrawOff(prefer_cube=True) | ChanceCube():
            yield "ties.cube", _("Between equal hands the chance cube decides.")
        case DrawOff(limit=limit):
            yield (
                "ties.draw_off",
                _(
                    "Players with equal hands get one open card each. The highest value wins; "
                    "equal cards draw again, %(n)s times in all.",
                    n=_.chips(limit),
                ),
            )
            yield "ties.cube", _("If that decides nothing, the chance cube does.")
    if not game.moneyless:
        yield odd_chips(_, game)


def blind_draw(_: Writer, tie: Split | SingleBlindDraw) -> tuple[str, str]:
    """Return the rule for equal hands of Corellian Spike."""
    if isinstance(tie, Split):
        return "ties.split", _("Equal hands share the pot.")
    return (
        "ties.blind_draw",
        _(
            "Players with equal hands get one open card each. The card nearest to zero wins, the "
            "positive one of two that are equally near."
        ),
    )


def odd_chips(_: Writer, game: Ruleset) -> tuple[str, str]:
    """Return the rule about odd chips."""
    if game.odd_chip == "carry":
        return "odd_chips", _("Chips that cannot be shared stay for the next hand.")
    return (
        "odd_chips",
        _("Chips that cannot be shared go to the winners from the left of the button."),
    )


def end(_: Writer, game: Ruleset) -> Iterator[tuple[str, str]]:
    """Yield the end of the game, and the ranking."""
    match game.end:
        case LastStanding():
            yield "finish.last_entrant", _("The game ends when one player has all the chips.")
        case EachDealtOnce():
            yield "finish.each_dealt_once", _("The game ends when everyone has dealt once.")
        case HandsOrLast(hands=None):
            text = _("The game ends when one player has all the chips.")
            yield "finish.hands_max", text
        case HandsOrLast(hands=int(hands)):
            text = _.ngettext(
                "The game ends after %(number)s hand, or when one player has all the chips.",
                "The game ends after %(number)s hands, or when one player has all the chips.",
                hands,
            )
            yield "finish.hands_max", text
        case OpenEnd():
            yield "casino", _("The game goes on until the house closes the table.")
    yield from _score(_, game)
    yield from _rebuys(_, game)


def _score(_: Writer, game: Ruleset) -> Iterator[tuple[str, str]]:
    if game.score == "hands_won":
        yield "finish.ties", _("The player who has won the most hands wins. There are no chips.")
    elif game.score == "cash_out":
        yield "casino.cash_out", _("The chips that you take away from the table count.")
    else:
        yield "elimination", _("A player without chips is out.")
    if isinstance(game.end, LastStanding | OpenEnd):
        return
    if game.final_tie == "shared":
        yield "finish.ties", _("Players who are equal at the end share the place.")
    else:
        yield (
            "finish.ties",
            _(
                "Players who are equal at the end are ranked by the pots they have won. For the "
                "first place they play one more hand if it can be played at a fixed price."
            ),
        )


def _rebuys(_: Writer, game: Ruleset) -> Iterator[tuple[str, str]]:
    most, until = game.rebuy.max, game.rebuy.until_level
    if most == 0:
        if game.score == "chips":
            yield "rebuy", _("There are no rebuys.")
    elif most is None:
        yield "rebuy", _("You may rebuy any number of times, each time a starting stack.")
    else:
        text = _.ngettext(
            "You may rebuy once: a starting stack.",
            "You may rebuy %(number)s times, each time a starting stack.",
            most,
        )
        yield "rebuy", text
    if most != 0:
        if until is not None:
            yield "rebuy", _("Rebuys end with level %(n)s.", n=_.chips(until))
        seconds = game.rebuy.seconds
        text = _.ngettext(
            "You have at least %(number)s second to rebuy after your last chip is gone.",
            "You have at least %(number)s seconds to rebuy after your last chip is gone.",
            seconds,
        )
        yield "rebuy.window", text
    if isinstance(game, CoruscantShift) and game.special_item:
        values = ", ".join(_.chips(each) for each in game.item_values)
        yield (
            "items.stake",
            _("Once broke, you may stake an item you own, for %(values)s.", values=values),
        )


def _small(game: CoruscantShift) -> int:
    return game.base_amounts().small


def _big(game: CoruscantShift) -> int:
    return game.base_amounts().big


def _heads_up(_: Writer, game: CoruscantShift) -> str:
    if game.headsup == "dealer_small_blind":
        return _("With two players left, the dealer pays the small blind.")
    return _("With two players left, the dealer pays the big blind.")


def _opening(_: Writer, game: Ruleset, rules: PokerNoLimit) -> str:
    match rules.min_open:
        case "big_blind":
            return _("The smallest bet is the big blind.")
        case "half_ante":
            return _("The smallest bet is half the ante.")
        case "table_min":
            least = game.table_min or game.chip_unit
        case int(least):
            least = max(least, game.chip_unit)
    return _("The smallest bet is %(n)s.", n=_.chips(least))


def _raise(_: Writer, game: Ruleset, rules: PokerNoLimit) -> tuple[str, str]:
    match rules.min_raise:
        case "chip_unit":
            least = _.chips(game.chip_unit)
            return "betting.chip_unit", _("A raise is at least %(n)s more.", n=least)
        case "min_bet":
            return "betting.min_bet", _("A raise is at least the smallest bet more.")
        case "last_raise":
            return "betting.last_raise", _("A raise is at least as large as the last one.")
