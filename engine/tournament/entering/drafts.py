"""Drafts of terms, which only the staff see."""

from msgspec.structs import asdict

from engine.errors import Wording
from engine.rulesets import ruleset_hash
from engine.tournament.entering.announcing import check_terms, named
from engine.tournament.model.commands.entering import AnnounceDraft, Draft
from engine.tournament.model.errors import TermsInvalid, TournamentNotAnnounced
from engine.tournament.model.errors.entering import NotADraft
from engine.tournament.model.events import Event, TournamentAnnounced
from engine.tournament.model.events.entering import DraftDiscarded, TermsRevised, TournamentDrafted
from engine.tournament.model.state import Drafted, State, Unannounced, phase_of


def draft(state: State, command: Draft) -> tuple[Event, ...]:
    """
    Save or replace a draft of the terms.

    Raises:
        NotADraft: If the tournament was announced, or its draft was discarded.
        TermsInvalid: If a term is not sound.
        TermsContradict: If two terms contradict each other.

    Source: rulebook ``entry.draft``.
    """
    check_terms(command.terms)
    members = asdict(command.terms)
    if isinstance(state, Unannounced):
        return (TournamentDrafted(**members), *named(None, command.beacon))
    if not isinstance(state, Drafted) or state.discarded:
        raise NotADraft(phase=phase_of(state))
    revised = () if asdict(state.terms) == members else (TermsRevised(**members),)
    return (*revised, *named(state.fairness.chain, command.beacon))


def announce(state: State, command: AnnounceDraft) -> tuple[TournamentAnnounced, ...]:
    """
    Announce the terms of a draft.

    Raises:
        TournamentNotAnnounced: If there is no draft.
        NotADraft: If the draft was discarded.
        TermsInvalid: If the time to start has passed.
    """
    if isinstance(state, Unannounced):
        raise TournamentNotAnnounced
    if not isinstance(state, Drafted):
        return ()
    if state.discarded:
        raise NotADraft(phase=phase_of(state))
    if state.terms.starts_at <= command.now:
        raise TermsInvalid(field="starts_at", problem=Wording("must lie in the future"))
    # A draft may be older than a member of its ruleset, so the hash is computed again.
    digest = ruleset_hash(state.terms.ruleset)
    return (TournamentAnnounced(**asdict(state.terms) | {"ruleset_hash": digest}),)


def discard(state: State) -> tuple[DraftDiscarded, ...]:
    """
    Discard a draft.

    Raises:
        TournamentNotAnnounced: If there is no draft.
        NotADraft: If the tournament has been announced.
    """
    if isinstance(state, Unannounced):
        raise TournamentNotAnnounced
    if not isinstance(state, Drafted):
        raise NotADraft(phase=phase_of(state))
    return () if state.discarded else (DraftDiscarded(rule="entry.draft"),)
