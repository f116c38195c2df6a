"""The opening of registration."""

from engine.kit.rng import master_commitment
from engine.tournament.model.commands import OpenRegistration
from engine.tournament.model.errors import (
    RegistrationOver,
    TournamentNotAnnounced,
)
from engine.tournament.model.events import Event, RegistrationOpened
from engine.tournament.model.state import (
    Announced,
    Cancelled,
    Drafted,
    Finished,
    State,
    Unannounced,
    phase_of,
)
from engine.values import HOUSE, Sealed, number_of


def open_registration(state: State, command: OpenRegistration) -> tuple[Event, ...]:
    if isinstance(state, Unannounced | Drafted):
        raise TournamentNotAnnounced
    if isinstance(state, Finished | Cancelled):
        raise RegistrationOver(phase=phase_of(state))
    if not isinstance(state, Announced):
        return ()
    number = number_of(state.terms.tournament)
    cards, opened = command.masters.cards, command.masters.open
    cards_salt, open_salt = (bytes.fromhex(salt) for salt in command.salts)
    return (
        RegistrationOpened(
            cards_commitment=master_commitment(number, "cards", bytes.fromhex(cards)),
            open_commitment=master_commitment(number, "open", bytes.fromhex(opened)),
            cards=Sealed(cards, cards_salt, (HOUSE,)),
            open=Sealed(opened, open_salt, (HOUSE,)),
        ),
    )
