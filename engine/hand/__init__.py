"""The parts of a hand: streets of betting, pots, the showdown and the rankings."""
