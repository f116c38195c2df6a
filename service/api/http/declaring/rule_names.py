"""Every rule of ``docs/rulebook.md``. Made by ``python -m service.log.catalogue``."""

_RULES = """
1.1:words.seat 1.2:words.live 1.3:words.unit 1.4:words.street 1.5:words.button 2.1:cards.decks
2.2:dice.target 2.3:cards.deal 2.4:selection.first 2.5:cards.discard 2.6:cards.replacement
2.7:selection.improve 2.8:cards.recycling 2.9:dice.pair 3.1:phases 3.2:phases.one_live
3.3:phases.no_skip 3.4:phases.settled 4.1:button.first 4.2:button 4.3:button.dead
4.4:forced.blinds 4.5:forced.ante 4.6:forced.short 4.7:forced.short_blind 4.8:forced.table_ante
4.9:escalation 4.10:escalation.merged 4.11:newcomers 4.12:forced.out 4.13:escalation.levels
4.14:escalation.several_tables 4.15:forced.player_ante 5.1:betting.first_actor 5.2:betting.fold
5.3:betting.free_fold 5.4:betting.turn 5.5:betting.check 5.6:betting.call
5.7:betting.opening_bet 5.8:betting.chip_unit 5.9:betting.min_bet 5.10:betting.last_raise
5.11:betting.reopening 5.12:betting.all_in 5.13:betting.lone_seat 5.14:betting.street_end
5.15:betting.fixed_continue 5.16:betting.units 5.17:betting.contested 6.1:pots.unmatched
6.2:pots.layers 6.3:odd_chips 7.1:showdown.reveal 7.2:showdown.show 7.3:showdown.key
7.4:showdown.best 7.5:ties.split 7.6:ties.draw_off 7.7:ties.cube 7.8:elimination 8.1:clock
8.2:decisions.binding 8.3:clock.selection 8.4:clock.improve 8.5:clock.bet 8.6:absence.timeouts
8.7:absence.stepped_away 8.8:absence.killed 8.9:clock.card 8.10:levels.clock 8.11:levels.paused
8.12:levels.outage 8.13:levels.break 8.14:absence.players_away 8.15:levels.set 9.1:visibility
10.1:generator.seeds 10.2:generator.stream 10.3:generator.openings 10.4:generator.piles
10.5:generator.labels 10.6:entropy.commit 10.7:entropy.open 10.8:entropy.late
10.9:entropy.counts 10.10:entropy.omission 10.11:entropy.draws 10.12:entropy.publication
10.13:beacon.named 10.14:beacon.round 10.15:beacon.value 10.16:beacon.seats 10.17:beacon.deals
10.18:beacon.lapsed 10.19:beacon.silence 10.20:generator.beacon 11.1:rulesets
11.2:rulesets.presets 11.3:denominations 11.5:rulesets.revisions 12.1:traditional
12.2:traditional.two_pots 12.3:traditional.announce 12.4:traditional.stand 12.5:traditional.draw
12.6:traditional.trade 12.7:traditional.field 12.8:traditional.shift_dice 12.9:traditional.shift
12.10:traditional.call 12.11:traditional.call_at_last 12.12:traditional.call_without_cards
12.13:traditional.reveal 12.14:traditional.rank 12.15:traditional.bomb_out
12.16:traditional.demise 12.17:traditional.nobody 12.18:traditional.sabacc_pot
13.1:registration.too_few_entrants 13.2:cancellation.by_director 13.3:seating.draw
13.4:seating.break_table 13.5:seating.final_table 13.6:seating.balance_next_big_blind
13.7:placing.bust_order 13.8:placing.stack_at_start 13.9:placing.shared
13.10:finish.last_entrant 13.11:finish.nobody_left 13.12:finish.hands_max
13.13:finish.each_dealt_once 13.14:finish.too_few_stacks 13.15:finish.ties 13.16:rebuy
13.17:rebuy.window 13.18:rebuy.declared 13.19:items.stake 13.20:items.passed
13.21:items.buy_back 13.22:casino 13.23:casino.sit_down 13.24:casino.add_on 13.25:casino.leave
13.26:casino.cash_out 13.27:casino.carry 13.28:finish.closed 13.29:points.places_from_end
13.30:points.table 13.31:standings.best_result 13.32:standings.wins 13.33:seating.balance_button
13.34:rebuy.last_hand 14.1:spike.rounds 14.2:spike.ante 14.3:spike.discard_pile 14.4:spike.stand
14.5:spike.gain 14.6:spike.swap 14.7:spike.junk 14.8:spike.fees 14.9:spike.dice
14.10:spike.redeal 14.11:spike.ranking 14.12:spike.nulrhek 14.13:spike.extra_hands
14.14:spike.strict_names 14.15:ties.blind_draw 14.16:spike.sabacc_pot 14.17:spike.galaxy_series
14.18:spike.buy 14.19:spike.trade 14.20:spike.refill 14.21:spike.galaxy_ranking
14.22:spike.one_card 15.1:voiding 15.2:voiding.mis_deal 15.3:voiding.substantial_action
15.4:voiding.fouled_deck 15.5:voiding.replay 16.1:corrections.result 16.2:corrections.forfeit
16.3:corrections.reaward 17.1:entry.draft 17.2:entry.approval 17.3:waitlist 17.4:waitlist.offer
17.5:waitlist.expired 17.6:waitlist.taken 17.7:registration.closed 17.8:registration.postponed
17.9:check_in 17.10:no_show.release 17.11:no_show.seat_absent 17.12:no_show.arrived
17.13:no_show.purge 17.14:entry.late 17.15:entry.late_closed 17.16:entry.re_entry
17.17:seating.late_entry 17.18:seating.table_added 17.19:placing.late_entry 17.20:entry.staff
17.21:entry.by_staff 17.22:check_in.undone 17.23:entry.walk_in 17.24:terms.changed
17.25:terms.start 17.26:terms.places 17.27:terms.fees 17.28:terms.late 17.29:terms.prizes
17.30:entry.house_bots 19.1:entry_fee 19.2:pool 19.3:rebuy.price 19.4:add_on
19.5:payment.on_trust 19.6:payment.recorded 19.7:payouts 19.8:payouts.table 19.9:bounty.pot
19.10:bounty.won 19.11:bounty.unclaimed 19.12:bounty.own 19.13:payout_deal
19.14:payout_deal.explicit 19.15:payout_deal.by_chips 19.16:payout_deal.equal
19.17:payout_deal.made 19.18:payout_deal.declined 19.19:payout_deal.bust 19.20:finish.deal
19.21:cancellation 19.22:cancellation.stacks 19.23:cancellation.before_play
19.24:cancellation.refund_all 19.25:cancellation.roll_forward 19.26:cancellation.lowest_unpaid
19.27:cancellation.by_chips 19.28:prizes.handed_over 19.29:prizes.returned
19.30:payment.reversed 19.31:prizes.reversed 20.1:directing.move 20.2:directing.breaking_order
20.3:directing.hold 20.4:seating.redraw 20.5:seating.halt 20.6:penalty.warning
20.7:penalty.hands 20.8:penalty.rounds 20.9:penalty.moved 20.10:disqualification
20.11:disqualification.chips 20.12:placing.disqualified 20.13:finish.last_hands
20.14:hand_for_hand 20.15:hand_for_hand.shared 20.16:hand_for_hand.stack_at_start
20.17:hand_for_hand.clock 20.18:directing.own_seat 21.1:single_table 21.2:rounds
21.3:rounds.first 21.4:rounds.heats 21.5:rounds.swiss 21.6:rounds.round_robin 21.7:rounds.hands
21.8:rounds.end 21.9:rounds.ended_early 21.10:rounds.places 21.11:rounds.points
21.12:rounds.ranking 21.13:rounds.start 21.14:rounds.no_rebuy 21.15:rounds.out 21.16:rounds.cut
21.17:rounds.placing 21.18:rounds.final 21.19:rounds.result 22.1:schedule.local_time
22.2:schedule.skipped_time 22.3:schedule.doubled_time 22.4:schedule.once 22.5:schedule.missed
22.6:schedule.refused 22.7:schedule.edit_before_entries 23.1:points.formula
23.2:points.formula_failed 23.3:points.presets 23.4:points.bonus 23.5:points.adjusted
23.6:points.voided 23.7:points.revised 23.8:points.revoked 23.9:standings.total
23.10:standings.adjustments 23.11:standings.best 23.12:standings.average
23.13:standings.drop_worst 23.14:standings.best_series 23.15:standings.overall
23.16:standings.minimum_games 23.17:standings.head_to_head 23.18:standings.most_recent
23.19:standings.lot 23.20:standings.terms_fixed 23.21:standings.final
23.22:ratings.plackett_luce 23.23:standings.uncounted 23.24:standings.left_out
23.25:standings.merged 23.26:standings.imported 23.27:points.house_bots 23.28:ratings.house_bots
24.1:disputes.claim 24.2:disputes.evidence 24.3:disputes.freeze 24.4:disputes.ruling
24.5:disputes.another_person 24.6:disputes.appeal 24.7:disputes.disclosure 24.8:disputes.window
""".split()  # noqa: SIM905 - a list would take a line for each

NUMBERS = {name: number for number, _, name in (each.partition(":") for each in _RULES)}
"""The number of each rule in the rulebook, such as ``7.3``, by its name."""

NAMES = sorted(NUMBERS)
"""The names of all rules."""
