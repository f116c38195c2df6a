"""What is announced of a tournament beside its game: one struct for each concern."""

from engine.tournament.terms.entry import EntryTerms
from engine.tournament.terms.fees import FeeTerms
from engine.tournament.terms.floor import FloorTerms
from engine.tournament.terms.formats import FormatTerms, Freezeout, Rounds, SingleTable

__all__ = [
    "EntryTerms",
    "FeeTerms",
    "FloorTerms",
    "FormatTerms",
    "Freezeout",
    "Rounds",
    "SingleTable",
]
