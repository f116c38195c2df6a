"""Proving a league: bytes, chains, commitments, decks, every action decided again."""

from service.audit.audit import audit_league
from service.audit.report import Check, Fault, Report

__all__ = ["Check", "Fault", "Report", "audit_league"]
