"""
The money of one tournament, added up again from its events.

This is plain arithmetic without the engine. The terms give the charge for each entry, and
every unit of it must be won, given back or kept by the house. Source: rulebook ``pool``,
``payouts``, ``bounty.won``, ``payout_deal`` and ``cancellation``.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from engine.rulesets import OpenEnd
from engine.tournament.model import events
from engine.tournament.model.events import entering
from engine.tournament.model.events import money as of_money
from engine.tournament.model.terms.announced import Terms
from service.audit.report import Findings
from service.audit.said import Said, said


class MoneyAudit:
    """Follows the money of one tournament."""

    def __init__(self, stream: str, findings: Findings) -> None:
        self._stream = stream
        self._findings = findings
        self._announced: Terms | None = None
        self._entered: dict[str, int] = {}
        self._charged: Counter[str] = Counter()
        """Charges of each entrant beyond the entry: here to the pool, below to the house."""
        self._house: Counter[str] = Counter()
        self._paid: Counter[str] = Counter()
        """Recorded payments of each entrant, minus refunds."""
        self._kinds: Counter[tuple[str, str]] = Counter()
        """Recorded payments of each entrant for each purpose."""
        self._killers: dict[str, tuple[str, ...]] = {}
        self._heads: Counter[str] = Counter()
        """The amount of each entrant's bounty that was won or joined the pool."""
        self._joined: set[str] = set()
        self._placed: dict[str, int] = {}
        self._playing = False
        self._offer: of_money.PayoutDealProposed | None = None
        self._agreed: set[str] = set()
        self._outlived = False
        """True if an entrant busted since the open deal was proposed."""
        self._deal: of_money.PayoutDealProposed | None = None

    def see(self, event: events.Event, position: int) -> None:
        """Check *event*."""
        match event:
            case events.TournamentAnnounced():
                self._announced = event
            case entering.TermsChanged():
                self._change(event, position)
            case events.EntrantRegistered():
                self._entered[event.entrant] = event.number
            case events.EntrantWithdrawn() | entering.NoShowReleased():
                self._entered.pop(event.entrant, None)
            case events.PlayStarted():
                self._playing = True
            case events.ItemStaked():
                self._killers.pop(event.entrant, None)
            case events.RebuyTaken():
                self._killers.pop(event.entrant, None)
                again = self._terms.fees.rebuy
                self._charged[event.entrant] += self._buy_in if again is None else again.price
                self._house[event.entrant] += self._fee if again is None else again.fee
            case of_money.AddOnTaken():
                more = self._terms.fees.add_on
                if more is None:
                    raise LookupError(said("an add-on that the terms do not sell"))
                self._charged[event.entrant] += more.price
                self._house[event.entrant] += more.fee
            case events.EntrantEliminated():
                self._placed[event.entrant] = event.place
            case entering.PlacesLowered():
                self._placed |= {each: self._placed[each] + event.by for each in event.entrants}
            case entering.NoShowPurged(struck=True):
                self._entered.pop(event.entrant)
                self._placed |= {each: self._placed[each] - 1 for each in event.raised}
            case of_money.PaymentRecorded():
                self._recorded(event, position)
            case of_money.PaymentReversed():
                self._reversed(event, position)
            case of_money.EntrantKnockedOut():
                self._killers[event.entrant] = event.by
            case of_money.BountyWon() | of_money.BountyUnclaimed():
                self._won(event, position)
            case events.TournamentFinished():
                self._finished(event, position)
            case of_money.RefundsAwarded():
                self._refunded(event, position)
            case _:
                self._dealt(event, position)

    def _change(self, event: entering.TermsChanged, position: int) -> None:
        """Check that no entry was charged another price than the ones before, and follow on."""
        old = self._terms
        prices = ("buy_in", "fee", "bounty", "rebuy", "add_on", "payment")
        same = all(getattr(event.fees, name) == getattr(old.fees, name) for name in prices)
        what = said("fees changed after the first entry")
        self._hold(same or not self._entered, position, what)
        self._announced = event

    @property
    def _terms(self) -> Terms:
        if self._announced is None:
            raise LookupError("money of a tournament without terms")
        return self._announced

    @property
    def _buy_in(self) -> int:
        return self._terms.fees.buy_in

    @property
    def _fee(self) -> int:
        return self._terms.fees.fee

    def _hold(self, held: bool, position: int, what: Said) -> None:
        self._findings.hold("money", held, position, self._stream, what)

    def _recorded(self, event: of_money.PaymentRecorded, position: int) -> None:
        self._paid[event.entrant] += -event.amount if event.kind == "refund" else event.amount
        self._kinds[event.entrant, event.kind] += event.amount
        most = self._whole(event.entrant) if event.entrant in self._entered else 0
        paid = self._paid[event.entrant]
        sound = paid >= most if event.kind == "refund" else paid <= most
        self._hold(sound, position, said("more was paid or refunded than was due"))

    def _reversed(self, event: of_money.PaymentReversed, position: int) -> None:
        known = self._kinds[event.entrant, event.kind]
        self._hold(
            0 < event.amount <= known, position, said("more was taken back than was recorded")
        )
        self._kinds[event.entrant, event.kind] -= event.amount
        self._paid[event.entrant] -= -event.amount if event.kind == "refund" else event.amount
        given = self._paid[event.entrant] < 0
        self._hold(not given, position, said("a payment was reversed after it had been refunded"))

    def _won(self, event: of_money.BountyWon | of_money.BountyUnclaimed, position: int) -> None:
        self._heads[event.entrant] += event.amount
        killers = self._killers.get(event.entrant, ())
        if isinstance(event, of_money.BountyUnclaimed):
            self._joined.add(event.entrant)
            sound = not killers or event.entrant not in self._placed
        elif event.rule == "bounty.own":
            sound = event.by == event.entrant and event.entrant not in self._placed
        else:
            index = killers.index(event.by) if event.by in killers else 0
            whole, odd = divmod(self._terms.fees.bounty, max(1, len(killers)))
            sound = event.by in killers and event.amount == whole + (index < odd)
        sound = sound and self._heads[event.entrant] <= self._terms.fees.bounty
        self._hold(sound, position, said("a bounty has the wrong winner or the wrong amount"))

    def _dealt(self, event: events.Event, position: int) -> None:
        match event:
            case of_money.PayoutDealProposed():
                self._standing(position)
                self._offer, self._agreed = event, set()
                self._proposed(event, position)
            case events.EntrantBusted():
                self._outlived = self._offer is not None
            case of_money.PayoutDealAccepted():
                self._standing(position)
                self._accepted(event, position)
            case of_money.PayoutDealVoided():
                self._offer, self._outlived = None, False
            case of_money.PayoutDealMade():
                offer, self._offer = self._offer, None
                parties = set() if offer is None else {each.entrant for each in offer.shares}
                number = None if offer is None else offer.number
                sound = number == event.number and self._agreed == parties
                self._hold(sound, position, said("not every party agreed to a payout deal"))
                still = self._entered.keys() - self._placed.keys()
                self._hold(
                    parties == still,
                    position,
                    said("a payout deal was not made by exactly the remaining entrants"),
                )
                self._deal = offer

    def _accepted(self, event: of_money.PayoutDealAccepted, position: int) -> None:
        number = None if self._offer is None else self._offer.number
        self._hold(
            number == event.number, position, said("a payout deal was accepted that was not open")
        )
        still = event.entrant in self._entered and event.entrant not in self._placed
        self._hold(still, position, said("somebody who was out accepted a deal"))
        self._agreed.add(event.entrant)

    def _standing(self, position: int) -> None:
        sound = not self._outlived
        self._hold(
            sound, position, said("a payout deal stayed open after one of its entrants had busted")
        )

    def _proposed(self, event: of_money.PayoutDealProposed, position: int) -> None:
        amounts = [each.amount for each in event.shares]
        at_stake = sum(self._amounts()[: len(amounts)])
        sound = sum(amounts) + event.play_for == at_stake and min(amounts) >= 0
        if event.method == "equal":
            sound = sound and max(amounts) - min(amounts) <= 1
        if event.method == "by_chips":
            stacks = {each.entrant: each.stack for each in event.stacks}
            parts = [stacks[each.entrant] for each in event.shares]
            sound = sound and amounts == divided(sum(amounts), parts)
        self._hold(sound, position, said("the shares of a payout deal do not add up"))

    def _finished(self, event: events.TournamentFinished, position: int) -> None:
        places: dict[str, int] = {each.entrant: each.place for each in event.placings}
        won = {each.entrant: each.amount for each in event.payouts}
        due = self._due(places, self._amounts(len(places)))
        self._hold(won == due, position, said("the payouts do not follow from the places"))
        heads = sum(self._heads[entrant] for entrant in self._entered)
        settled = heads == self._terms.fees.bounty * len(self._entered)
        self._hold(settled, position, said("not every bounty was won or joined the pool"))

    def _refunded(self, event: of_money.RefundsAwarded, position: int) -> None:
        given = {each.entrant: each.amount for each in event.refunds}
        due = self._before_play() if not self._playing else self._in_play(event)
        due = {entrant: amount for entrant, amount in due.items() if amount}
        self._hold(given == due, position, said("the refunds do not follow from the policy"))

    def _before_play(self) -> dict[str, int]:
        if self._terms.fees.payment == "recorded":
            return {entrant: self._paid[entrant] for entrant in self._entered}
        return {entrant: self._whole(entrant) for entrant in self._entered}

    def _in_play(self, event: of_money.RefundsAwarded) -> dict[str, int]:
        fees, entered = self._terms.fees, self._entered
        left = [entrant for entrant in self._in_order() if entrant not in self._placed]
        chips: dict[str, int] = {each.entrant: each.stack for each in event.stacks}
        stacks = [chips.get(entrant, 0) for entrant in left]
        amounts = self._amounts()
        due = Counter({each: fees.bounty for each in left if each not in self._joined})
        agreed = self._agreed_shares()
        if agreed or len(left) <= sum(amount > 0 for amount in amounts):
            out = {who: place for who, place in self._placed.items() if who not in agreed}
            due.update(self._due(out, amounts))
            due.update(agreed)
            rest = sum(amounts[: len(agreed) or len(left)]) - sum(agreed.values())
            if not agreed and fees.cancellation_in_money == "lowest_unpaid_then_chips":
                due.update(dict.fromkeys(left, amounts[len(left) - 1]))
                rest -= amounts[len(left) - 1] * len(left)
            due.update(dict(zip(left, divided(rest, stacks), strict=True)))
        elif fees.cancellation == "roll_forward":
            half = self._pool() // 2
            due.update(dict(zip(left, divided(half, [1] * len(left)), strict=True)))
            due.update(dict(zip(left, divided(self._pool() - half, stacks), strict=True)))
            due.update({each: self._fee + self._house[each] for each in left})
        else:
            due.update({each: self._whole(each) - fees.bounty for each in entered})
            due.update(dict.fromkeys(self._joined & set(entered), fees.bounty))
        return dict(due)

    def _whole(self, entrant: str) -> int:
        once = self._buy_in + self._fee + self._terms.fees.bounty
        return once + self._charged[entrant] + self._house[entrant]

    def _pool(self) -> int:
        fees, field = self._terms.fees, len(self._entered)
        pool = self._terms.prize_pool + self._buy_in * field
        pool += sum(self._charged[entrant] for entrant in self._entered)
        pool += fees.bounty * len(self._joined)
        return max(pool, fees.guaranteed, sum(fees.amounts[:field]))

    def _amounts(self, field: int | None = None) -> list[int]:
        """Return the payout of each place, with zeros for places that pay nothing."""
        fees, pool = self._terms.fees, self._pool()
        if isinstance(self._terms.ruleset.end, OpenEnd) and field is None:
            return []
        field = len(self._entered) if field is None else field
        if fees.amounts:
            amounts = list(fees.amounts[:field])
            amounts[0] += pool - sum(amounts)
            return amounts + [0] * (field - len(amounts))
        fitting = [row for row in fees.table if row.entrants_from <= field]
        shares = list(self._terms.payouts)
        if fitting:
            shares = list(sorted(fitting, key=lambda row: row.entrants_from)[-1].shares)
        if fees.paid_percent is not None and shares:
            places = max(1, (field * fees.paid_percent + 99) // 100)
            shares = [shares[min(place, len(shares) - 1)] for place in range(places)]
        shares = shares[:field]
        units = pool // fees.unit
        whole = [int(Fraction(units * share, sum(shares))) for share in shares]
        short = units - sum(whole)
        amounts = [(each + (place < short)) * fees.unit for place, each in enumerate(whole)]
        if amounts:
            amounts[0] += pool - sum(amounts)
        return amounts + [0] * (field - len(amounts))

    def _due(self, places: Mapping[str, int], amounts: Sequence[int]) -> dict[str, int]:
        """Return the payouts for *places*. A winner who made a payout deal also gets its rest."""
        agreed = self._agreed_shares()
        due = Counter({entrant: agreed[entrant] for entrant in places if entrant in agreed})
        for place in set(places.values()):
            sharers = [each for each in self._in_order() if places.get(each) == place]
            together = sum(amounts[place - 1 : place - 1 + len(sharers)])
            if agreed and sharers[0] in agreed:
                rest = sum(amounts[: len(agreed)]) - sum(agreed.values())
                together = rest if place == 1 else 0
            due.update(dict(zip(sharers, divided(together, [1] * len(sharers)), strict=True)))
        return {entrant: amount for entrant, amount in due.items() if amount}

    def _agreed_shares(self) -> dict[str, int]:
        return {} if self._deal is None else {e.entrant: e.amount for e in self._deal.shares}

    def _in_order(self) -> list[str]:
        return sorted(self._entered, key=self._entered.__getitem__)


def divided(amount: int, parts: Sequence[int]) -> list[int]:
    """Divide *amount* in proportion to *parts*. Odd units go to the largest parts first."""
    if not any(parts):
        parts = [1] * len(parts)
    shares = [int(Fraction(amount * part, sum(parts))) for part in parts]
    largest = sorted(enumerate(parts), key=lambda each: (-each[1], each[0]))
    for index, _ in largest[: amount - sum(shares)]:
        shares[index] += 1
    return shares
