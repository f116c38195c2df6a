"""
``python -m tests.golden.generate``: write the golden games that are missing.

There is one game of each preset by the first revision of the rules, and some games by later
revisions (``better.2``).  An existing game is written again only if it is named, as in
``python -m tests.golden.generate better``.  This changes a recorded game, so the commit says
why.  Masters, entrants and choices are fixed, and no clock is read.
"""

import sys
from datetime import datetime
from pathlib import Path
from random import Random

from msgspec.structs import replace

from engine.hand.betting import LegalAction
from engine.hand.showdown import best_selection
from engine.rulesets import PRESETS, preset
from engine.table.model.commands import Command
from engine.table.model.events import Event
from engine.table.model.state import Table
from engine.table.read.view_parts import TableView
from tests.golden.lines import written
from tests.properties.chooser import Chooser, answer_with_cards
from tests.properties.croupier import small_stack
from tests.properties.game import Game

FOLDER = Path(__file__).parent
GAMES = (*sorted(PRESETS), "better.2")
"""Names of presets. A game in a later revision adds the number of the revision."""

SEEDS = {
    "better": 43,
    "better.2": 5,
    "cantina": 5,
    "casino": 27,
    "halcyon_10": 26,
    "halcyon_100": 26,
    "official": 11,
    "spike": 8,
    "traditional": 19,
}
"""Seeds of eventful games. All other games use the seed 1."""

ENTRANTS = 4
HANDS_MAX = 8
"""The limit on hands, for games that would last very long."""


class Sensible(Chooser):
    """A chooser that bets at random but keeps the best cards for the dice, so ties are common."""

    def command(self, table: Table, view: TableView, action: LegalAction, now: datetime) -> Command:
        """Return a command for *action*. A selection keeps the best cards."""
        if action.verb == "select" and view.me is not None:
            assert view.target is not None and view.suit is not None
            kept = best_selection(view.me.cards, view.target, view.suit)
            return answer_with_cards(table, view.me.seat, kept, now)
        return super().command(table, view, action, now)


def path_of(name: str) -> Path:
    """Return the path of the game called *name*."""
    return FOLDER / f"{name}.jsonl"


def events_of(name: str) -> tuple[Event, ...]:
    """Play the whole game called *name*, and return the events of its table."""
    of, _, revision = name.partition(".")
    ruleset = replace(preset(of), revision=int(revision or 1))
    game = Game(
        ruleset,
        ENTRANTS,
        Sensible(Random(SEEDS.get(name, 1))),
        ruleset_name=of,
        table_seats=ruleset.max_players,
        starting_stack=small_stack(ruleset, 1),
        hands_max=HANDS_MAX,
    )
    game.play()
    (log,) = game.logs.values()
    return tuple(log)


def main(names: list[str]) -> int:
    """Write the games called *names*, or the missing games if there are no names."""
    missing = [name for name in GAMES if not path_of(name).exists()]
    for name in names or missing:
        text = "".join(f"{line}\n" for line in written(events_of(name)))
        path_of(name).write_text(text, encoding="utf-8")
        print(f"{path_of(name).name}: {text.count(chr(10))} events, {len(text)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
