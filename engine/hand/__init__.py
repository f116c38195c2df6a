"""One hand of any game: a street of betting, pots, showdown, what hands are worth."""
