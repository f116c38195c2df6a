"""The printed story of a night: a progress bar on a terminal, plain lines elsewhere."""

from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from service.base.documents import Document

SUIT_SIGNS: Final = {"circle": "●", "triangle": "▲", "square": "■"}
CARD_SIGNS: Final = {"C": "●", "T": "▲", "S": "■"}


def card_text(card: str) -> str:
    """
    Return a card as text for people.

    >>> card_text("C+07"), card_text("T-10"), card_text("Z1")
    ('+7●', '-10▲', 'sylop')
    """
    return "sylop" if card.startswith("Z") else f"{int(card[1:]):+d}{CARD_SIGNS[card[0]]}"


def amounts_text(amounts: Document) -> str:
    """Return the forced bets of a level as text."""
    ante = f"ante {amounts['ante']}" if amounts.get("ante") else ""
    blinds = f"blinds {amounts['small']}/{amounts['big']}" if amounts.get("big") else ""
    return ", ".join(filter(None, (blinds, ante))) or "nothing forced"


class Teller:
    """
    The printer of a night's story.

    Args:
        console: The console to print on. It shows the progress bar only if it is a terminal.
        steps: The number of eliminations and tournaments to come, for the bar.
    """

    def __init__(self, console: Console, steps: int) -> None:
        self.console = console
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
            transient=True,
        )
        self._task = self._progress.add_task("the night", total=steps)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def heading(self, text: str) -> None:
        """Print the heading of a part of the night."""
        self.console.print(f"\n[bold]{text}[/]")
        self._progress.update(self._task, description=text)

    def say(self, text: str) -> None:
        """Print one line of the story."""
        self.console.print(f"  {text}", highlight=False)

    def advance(self) -> None:
        """Advance the bar by one elimination or tournament."""
        self._progress.advance(self._task)


class Story:
    """
    The story of one tournament, told from its feed and its tables' feeds.

    ``tables`` holds the tables' numbers by id, filled from the seat draw.

    Args:
        teller: The printer of the lines.
        names: The players' names by entrant.
    """

    def __init__(self, teller: Teller, names: dict[str, str]) -> None:
        self._teller = teller
        self._names = names
        self.tables: dict[str, int] = {}
        self._levels: dict[str, str] = {}

    def name(self, entrant: str) -> str:
        """Return the name of the player behind *entrant*."""
        return self._names.get(entrant, entrant)

    def tournament(self, item: Document) -> None:
        """Tell an event of the tournament."""
        data = item["data"]
        match item["type"]:
            case "seats_drawn":
                self._seats(data["assignments"])
            case "entrant_eliminated":
                self._teller.advance()
                shared = " (shared)" if data["shared"] > 1 else ""
                self._teller.say(
                    f"[red]out[/] {self.name(data['entrant'])}, place {data['place']}{shared}"
                )
            case "entrants_moved":
                for move in data["moves"]:
                    self._teller.say(f"[cyan]move[/] {self._move(move)}")
            case "table_broken":
                final = "; the rest is the final table" if data["final"] else ""
                moved = ", ".join(self.name(move["entrant"]) for move in data["moves"])
                self._teller.say(
                    f"[cyan]table {self._table(data['table'])} breaks[/]: {moved} move{final}"
                )
            case _:
                return

    def table(self, table: str, item: Document) -> None:
        """Tell an event of a table. Most events have no line in the story."""
        data = item["data"]
        match item["type"]:
            case "hand_opened":
                amounts = amounts_text(data["level"]["amounts"])
                before = self._levels.get(table)
                self._levels[table] = amounts
                if before is not None and before != amounts and "blinds" in amounts:
                    self._teller.say(
                        f"table {self._table(table)}, hand {data['number']}: {amounts}"
                    )
            case "selection_committed" | "improvement_committed" | "seat_acted" if data[
                "timed_out"
            ]:
                self._teller.say(
                    f"[yellow]too late[/] {self.name(data['entrant'])} sleeps at "
                    f"table {self._table(table)}; the house plays on"
                )
            case "seat_went_away":
                self._teller.say(f"[yellow]away[/] {self.name(data['entrant'])}")
            case "hand_killed":
                self._teller.say(
                    f"[yellow]killed[/] {self.name(data['entrant'])} is dealt in, pays and loses "
                    f"the hand at table {self._table(table)}"
                )
            case "seat_came_back":
                self._teller.say(f"[yellow]back[/] {self.name(data['entrant'])}")
            case _:
                return

    def final_hand(self, feed: list[Document]) -> None:
        """Tell the last hand in a table's feed: bets, dice, cards, pots and winners."""
        opened = max(i for i, item in enumerate(feed) if item["type"] == "hand_opened")
        hand = feed[opened:]
        at = {seat["seat"]: self.name(seat["entrant"]) for seat in hand[0]["data"]["seats"]}
        data = hand[0]["data"]
        self._teller.say(
            f"[bold]final hand[/] {data['number']}, {amounts_text(data['level']['amounts'])}, "
            + " against ".join(f"{at[s['seat']]} ({s['stack']})" for s in data["seats"])
        )
        for item in hand:
            data = item["data"]
            match item["type"]:
                case "forced_bets_posted":
                    posts = (f"{at[post['seat']]} {post_text(post)}" for post in data["posts"])
                    self._teller.say(f"  posted: {', '.join(posts)}")
                case "dice_rolled":
                    self._teller.say(f"  dice: {data['target']:+d} {SUIT_SIGNS[data['suit']]}")
                case "seat_acted":
                    self._teller.say(f"  {at[data['seat']]} {act_text(data)}")
                case "hands_revealed":
                    for shown in data["hands"]:
                        cards = " ".join(card_text(card["card"]) for card in shown["cards"])
                        self._teller.say(
                            f"  {at[shown['seat']]} shows {cards} = {shown['total']:+d}, "
                            f"{shown['suit_count']} of the suit"
                        )
                case "pot_awarded":
                    winners = " and ".join(
                        f"{at[share['seat']]} {share['chips']}" for share in data["shares"]
                    )
                    self._teller.say(f"  pot {data['pot']} of {data['chips']}: {winners}")
                case _:
                    continue

    def _seats(self, assignments: list[Document]) -> None:
        for place in assignments:
            self.tables[place["table"]] = place["table_number"]
        for table, number in sorted(self.tables.items(), key=lambda entry: entry[1]):
            row = sorted(
                (place["seat"], self.name(place["entrant"]))
                for place in assignments
                if place["table"] == table
            )
            seats = "  ".join(f"{seat} {name}" for seat, name in row)
            self._teller.say(f"table {number}: {seats}")

    def _table(self, table: str) -> int | str:
        return self.tables.get(table, table)

    def _move(self, move: Document) -> str:
        return (
            f"{self.name(move['entrant'])} from table {self._table(move['from_table'])} "
            f"to table {self._table(move['to_table'])}, seat {move['to_seat']}"
        )


def post_text(post: Document) -> str:
    """
    Return a forced bet as text.

    >>> post_text({"chips": 315, "owed": 640})
    '315, all-in'
    """
    return f"{post['chips']}{', all-in' if post['chips'] < post['owed'] else ''}"


def act_text(data: Document) -> str:
    """Return a seat's betting action as text."""
    all_in = ", all-in" if data["all_in"] else ""
    match data["verb"]:
        case "raise_to":
            return f"raises to {data['amount']}{all_in}"
        case "call":
            return f"calls {data['paid']}{all_in}"
        case verb:
            return f"{verb}s"
