"""The announced terms of a tournament beside its game, one struct for each concern."""

from engine.tournament.model.terms.entry import EntryTerms
from engine.tournament.model.terms.fees import AddOnTerms, FeeTerms
from engine.tournament.model.terms.floor import FloorTerms
from engine.tournament.model.terms.formats import (
    FormatTerms,
    Freezeout,
    Rounds,
    SingleTable,
    one_table,
)

__all__ = [
    "AddOnTerms",
    "EntryTerms",
    "FeeTerms",
    "FloorTerms",
    "FormatTerms",
    "Freezeout",
    "Rounds",
    "SingleTable",
    "one_table",
]
