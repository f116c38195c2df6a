"""Every rule of ``docs/rulebook.md``. Made by ``python -m service.log.catalogue``."""

NAMES = """
absence.killed absence.players_away absence.stepped_away absence.timeouts add_on beacon.deals
beacon.lapsed beacon.named beacon.round beacon.seats beacon.silence beacon.value betting.all_in
betting.call betting.check betting.chip_unit betting.contested betting.first_actor
betting.fixed_continue betting.fold betting.free_fold betting.last_raise betting.lone_seat
betting.min_bet betting.opening_bet betting.reopening betting.street_end betting.turn
betting.units bounty.own bounty.pot bounty.unclaimed bounty.won button button.dead button.first
cancellation cancellation.before_play cancellation.by_chips cancellation.by_director
cancellation.lowest_unpaid cancellation.refund_all cancellation.roll_forward cancellation.stacks
cards.deal cards.decks cards.discard cards.recycling cards.replacement casino casino.add_on
casino.carry casino.cash_out casino.leave casino.sit_down check_in check_in.undone clock
clock.bet clock.card clock.improve clock.selection corrections.forfeit corrections.reaward
corrections.result decisions.binding denominations dice.pair dice.target
directing.breaking_order directing.hold directing.move directing.own_seat
disputes.another_person disputes.appeal disputes.claim disputes.disclosure disputes.evidence
disputes.freeze disputes.ruling disputes.window disqualification disqualification.chips
elimination entropy.commit entropy.counts entropy.draws entropy.late entropy.omission
entropy.open entropy.publication entry.approval entry.by_staff entry.draft entry.house_bots
entry.late entry.late_closed entry.re_entry entry.staff entry.walk_in entry_fee escalation
escalation.levels escalation.merged escalation.several_tables finish.closed finish.deal
finish.each_dealt_once finish.hands_max finish.last_entrant finish.last_hands finish.nobody_left
finish.ties finish.too_few_stacks forced.ante forced.blinds forced.out forced.player_ante
forced.short forced.short_blind forced.table_ante generator.beacon generator.labels
generator.openings generator.piles generator.seeds generator.stream hand_for_hand
hand_for_hand.clock hand_for_hand.shared hand_for_hand.stack_at_start items.buy_back
items.passed items.stake levels.break levels.clock levels.outage levels.paused levels.set
newcomers no_show.arrived no_show.purge no_show.release no_show.seat_absent odd_chips
payment.on_trust payment.recorded payout_deal payout_deal.bust payout_deal.by_chips
payout_deal.declined payout_deal.equal payout_deal.explicit payout_deal.made payouts
payouts.table penalty.hands penalty.moved penalty.rounds penalty.warning phases phases.no_skip
phases.one_live phases.settled placing.bust_order placing.disqualified placing.late_entry
placing.shared placing.stack_at_start points.adjusted points.bonus points.formula
points.formula_failed points.house_bots points.places_from_end points.presets points.revised
points.revoked points.table points.voided pool pots.layers pots.unmatched prizes.handed_over
prizes.returned ratings.house_bots ratings.plackett_luce rebuy rebuy.declared rebuy.price
rebuy.window registration.closed registration.postponed registration.too_few_entrants rounds
rounds.cut rounds.end rounds.ended_early rounds.final rounds.first rounds.hands rounds.heats
rounds.no_rebuy rounds.out rounds.places rounds.placing rounds.points rounds.ranking
rounds.result rounds.round_robin rounds.start rounds.swiss rulesets rulesets.presets
rulesets.revisions schedule.doubled_time schedule.edit_before_entries schedule.local_time
schedule.missed schedule.once schedule.refused schedule.skipped_time seating.balance_button
seating.balance_next_big_blind seating.break_table seating.draw seating.final_table seating.halt
seating.late_entry seating.redraw seating.table_added selection.first selection.improve
showdown.best showdown.key showdown.reveal showdown.show single_table spike.ante spike.buy
spike.dice spike.discard_pile spike.extra_hands spike.fees spike.gain spike.galaxy_ranking
spike.galaxy_series spike.junk spike.nulrhek spike.one_card spike.ranking spike.redeal
spike.refill spike.rounds spike.sabacc_pot spike.stand spike.strict_names spike.swap spike.trade
standings.adjustments standings.average standings.best standings.best_result
standings.best_series standings.drop_worst standings.final standings.head_to_head
standings.imported standings.left_out standings.lot standings.merged standings.minimum_games
standings.most_recent standings.overall standings.terms_fixed standings.total
standings.uncounted standings.wins terms.changed terms.fees terms.late terms.places terms.prizes
terms.start ties.blind_draw ties.cube ties.draw_off ties.split traditional traditional.announce
traditional.bomb_out traditional.call traditional.call_at_last traditional.call_without_cards
traditional.demise traditional.draw traditional.field traditional.nobody traditional.rank
traditional.reveal traditional.sabacc_pot traditional.shift traditional.shift_dice
traditional.stand traditional.trade traditional.two_pots visibility voiding voiding.fouled_deck
voiding.mis_deal voiding.replay voiding.substantial_action waitlist waitlist.expired
waitlist.offer waitlist.taken words.button words.live words.seat words.street words.unit
""".split()  # noqa: SIM905 - a list would take a line for each
