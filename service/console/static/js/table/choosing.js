// Chosen cards and amounts.

import { atStep, inside, stepOf } from './amounts.js';

const boxes = (table) => [...table.querySelectorAll('input[name="cards"]')];
const chosen = (table) => boxes(table).filter((each) => each.checked).map((each) => each.value);
const amountOf = (table) => table.querySelector('input[name="amount"]');

const limitsOf = (field) => ({
  least: Number(field.min),
  most: Number(field.max),
  unit: Number(field.dataset.unit),
});

// Shows in the buttons what the chosen cards allow.
export const suit = (table) => {
  const count = chosen(table).length;
  for (const button of table.querySelectorAll('button[data-takes]')) {
    const { takes, least } = button.dataset;
    const fits = takes === 'one' ? count === 1 : count >= Number(least);
    button.setAttribute('aria-disabled', String(!fits));
    const number = button.querySelector('[data-count]');
    if (number) number.textContent = count;
  }
  const field = amountOf(table);
  if (field) show(table, Number(field.value));
};

const show = (table, chips) => {
  const field = amountOf(table);
  const slider = table.querySelector('[data-slider]');
  if (slider && document.activeElement !== slider) slider.value = stepOf(chips, limitsOf(field));
  const said = table.querySelector('[data-amount]');
  if (said) said.textContent = chips.toLocaleString(document.documentElement.lang);
};

export const setAmount = (table, chips) => {
  const field = amountOf(table);
  field.value = inside(chips, limitsOf(field));
  show(table, Number(field.value));
};

export const changed = (table, input) => {
  if (input.matches('[data-slider]')) {
    setAmount(table, atStep(Number(input.value), limitsOf(amountOf(table))));
  } else if (input.name === 'amount') {
    show(table, Number(input.value));
  } else if (input.name === 'cards') {
    suit(table);
    count(table);
  }
};

// A new page from the server does not know the chosen cards, so their total is asked for again.
export const recount = (table) => {
  if (chosen(table).length) count(table);
};

// Asks the server for the total of the chosen cards.
const asking = new Map(); // by table

const count = async (table) => {
  const place = table.querySelector('[data-worth]');
  if (!place) return;
  const { table: id } = table.dataset;
  asking.get(id)?.abort();
  const mine = new AbortController();
  asking.set(id, mine);
  // No address holds hidden cards.
  const form = table.querySelector('form[data-acts]');
  const body = new URLSearchParams(new FormData(form));
  body.set('do', 'count');
  try {
    const answer = await fetch(`${form.action}?part=worth`, { method: 'POST', body, signal: mine.signal });
    if (answer.ok) place.innerHTML = await answer.text();
  } catch (error) {
    // A TypeError says that there is no connection. The page tells that by itself.
    if (error.name !== 'AbortError' && !(error instanceof TypeError)) throw error;
  }
};
