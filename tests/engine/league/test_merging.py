"""Two players of a league are one person: decisions of the league."""

from typing import Any

from engine.kit.house_bots import house_bot
from engine.league import decider
from engine.league.bans import BanPlayer
from engine.league.commands import AcceptInvitation, AddMember, Invite
from engine.league.errors import (
    MemberUnknown,
    MergedAlready,
    MergedPlayer,
    MergeInvalid,
    MergeOfBanned,
    MergeOfEntered,
    MergeOfOffice,
    PlayersMet,
)
from engine.league.events import LeagueCreated, MemberAdded, MemberRemoved
from engine.league.merging import MergePlayers, PlayersMerged
from engine.values import BanId, TextId, TextRef
from tests.engine.scenario import Scenario
from tests.engine.season.seasons import tournament
from tests.engine.tournament.floor import LEAGUE, NOON, player

leia, han, solo, chewie, lando = (player(number) for number in range(1, 6))
REASON = TextRef(text=TextId("txt_" + "3" * 32), digest="cd" * 32)
CODE = "ab" * 32

created = LeagueCreated(league=LEAGUE, name="Corellian Circuit", owner=leia, sandbox=False)


def league(*asked: Any) -> Scenario:
    """Return a league with three players and a director."""
    players = (han, solo, chewie)
    joined = (MemberAdded(player=each, role="player", invitation=None) for each in players)
    office = MemberAdded(player=lando, role="director", invitation=None)
    return Scenario(decider).given(created, *joined, office).asked(*asked)


def merging(**more: Any) -> MergePlayers:
    """Return the command that merges Solo into Han."""
    about = {"player": solo, "into": han, "by": leia, "reason": REASON, "known": True, "now": NOON}
    return MergePlayers(**(about | more))


def test_a_merged_player_is_a_member_no_more_and_the_log_keeps_both() -> None:
    made = PlayersMerged(player=solo, into=han, by=leia, reason=REASON)
    league().when(merging()).then(made, MemberRemoved(player=solo))
    state = league(merging()).state
    assert (state.one(solo), state.one(han), state.one(leia)) == (han, han, leia)


def test_a_merge_is_made_once_and_chains_end_at_the_last() -> None:
    league(merging()).when(merging()).then_nothing()
    merged = league(merging())
    merged.when(merging(into=chewie)).then_rejected(MergedAlready, into=han)
    merged.when(merging(player=chewie, into=solo)).then_rejected(MergedPlayer, into=han)
    chained = merged.asked(merging(player=han, into=chewie))
    assert chained.state.one(solo) == chewie
    chained.when(merging(into=chewie)).then_nothing()


def test_a_merged_player_returns_in_no_way() -> None:
    merged = league(merging(), Invite(invitation=CODE))
    merged.when(AddMember(player=solo, now=NOON)).then_rejected(MergedPlayer, into=han)
    accept = AcceptInvitation(invitation=CODE, player=solo, now=NOON)
    merged.when(accept).then_rejected(MergedPlayer, into=han)


def test_nobody_merges_themselves_and_two_are_needed() -> None:
    league().when(merging(player=han)).then_rejected(MergeInvalid)
    league().when(merging(by=han)).then_rejected(MergeInvalid)
    league().when(merging(by=solo)).then_rejected(MergeInvalid)


def test_a_former_member_with_entries_is_merged_and_a_stranger_is_not() -> None:
    stranger = player(9)
    made = PlayersMerged(player=stranger, into=han, by=leia, reason=REASON)
    league().when(merging(player=stranger)).then(made)
    league().when(merging(player=stranger, known=False)).then_rejected(MemberUnknown)
    league().when(merging(into=stranger)).then_rejected(MemberUnknown)


def test_an_office_is_taken_away_first_and_may_stay_with_the_one_who_stays() -> None:
    league().when(merging(player=lando)).then_rejected(MergeOfOffice, role="director")
    assert league(merging(into=lando)).state.role_of(lando) == "director"


def test_a_merge_neither_ends_nor_spreads_a_ban() -> None:
    ban = BanPlayer(
        ban=BanId("ban_" + "1" * 32), player=han, until=None, reason=REASON, salt=CODE, now=NOON
    )
    banned = league(ban)
    banned.when(merging()).then_rejected(MergeOfBanned, player=han)
    banned.when(merging(player=han, into=solo)).then_rejected(MergeOfBanned, player=han)


def test_a_player_who_is_entered_or_has_met_the_other_is_not_merged() -> None:
    open_, met = (tournament(1),), (tournament(2),)
    league().when(merging(entered=open_)).then_rejected(MergeOfEntered, tournaments=open_)
    league().when(merging(met=met)).then_rejected(PlayersMet, tournaments=met)


def test_house_bots_are_merged_with_nobody() -> None:
    """Their results count for nobody, so they must not become a person's, nor the reverse."""
    bot = house_bot(LEAGUE, "calm", 1)
    with_bot = league(AddMember(player=bot, role="player", now=NOON))
    with_bot.when(merging(player=bot)).then_rejected(MergeInvalid)
    with_bot.when(merging(into=bot)).then_rejected(MergeInvalid)
