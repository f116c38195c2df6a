"""Who enters before play, and who withdraws."""

from engine.rng import master_commitment
from engine.rulesets import OpenEnd
from engine.tournament.commands import OpenRegistration, Register, Withdraw
from engine.tournament.errors import (
    AlreadyEntered,
    BotsForbidden,
    BotsOnly,
    EntrantUnknown,
    RegistrationNotOpen,
    RegistrationOver,
    TournamentFull,
    TournamentNotAnnounced,
)
from engine.tournament.events import EntrantRegistered, EntrantWithdrawn, Event, RegistrationOpened
from engine.tournament.state import (
    Announced,
    Cancelled,
    Finished,
    Registering,
    State,
    Unannounced,
    entry_of,
    phase_of,
)
from engine.tournament.terms import SingleTable
from engine.values import HOUSE, Sealed, number_of


def open_registration(state: State, command: OpenRegistration) -> tuple[Event, ...]:
    if isinstance(state, Unannounced):
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


def registering_of(state: State) -> Registering:
    match state:
        case Registering():
            return state
        case Unannounced():
            raise TournamentNotAnnounced
        case Announced():
            raise RegistrationNotOpen
        case _:
            raise RegistrationOver(phase=phase_of(state))


def register(state: State, command: Register) -> tuple[Event, ...]:
    registering = registering_of(state)
    known = entry_of(registering, command.entrant)
    if known is not None and known.player == command.player:
        return ()
    if known is not None or any(each.player == command.player for each in registering.entrants):
        raise AlreadyEntered
    terms = registering.terms
    if command.bot and terms.bots == "forbidden":
        raise BotsForbidden
    if not command.bot and terms.bots == "only":
        raise BotsOnly
    single = isinstance(terms.format, SingleTable)
    one_table = single or isinstance(terms.ruleset.end, OpenEnd)
    most = min(terms.entrants_max, terms.table_seats) if one_table else terms.entrants_max
    if len(registering.entrants) >= most:
        raise TournamentFull(entrants_max=terms.entrants_max)
    return (
        EntrantRegistered(
            entrant=command.entrant,
            player=command.player,
            bot=command.bot,
            number=registering.registered + 1,
        ),
    )


def withdraw(state: State, command: Withdraw) -> tuple[Event, ...]:
    registering = registering_of(state)
    if entry_of(registering, command.entrant) is None:
        raise EntrantUnknown
    return (EntrantWithdrawn(entrant=command.entrant),)
