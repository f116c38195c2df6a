"""The games: each is an order of phases made from the parameters of a ruleset."""
