"""Proving a league: bytes, chains, commitments, decks, and every action decided again."""

from service.audit.report import Check, Fault, Report
from service.audit.run.league import audit_league

__all__ = ["Check", "Fault", "Report", "audit_league"]
