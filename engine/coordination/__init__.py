"""Where aggregates meet: what one asks of another, and views of several."""
