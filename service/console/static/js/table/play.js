// The playing table. The server draws it; this module makes it quick to use.

import { changed, restore, setAmount, suit } from './choosing.js';
import { ahead, left, share, spoken } from './deadline.js';
import * as keys from './keys.js';
import * as signal from './signal.js';

const TABLE = '[data-table]';
const offsets = new Map();
const told = new Map();

const prepare = (table) => {
  const { table: id, now, decision = '' } = table.dataset;
  if (offsets.get(id)?.now !== now) offsets.set(id, { now, by: ahead(Number(now), Date.now()) });
  for (const each of table.querySelectorAll('[data-script]')) each.hidden = false;
  for (const [name, setting] of [['signal', signal], ['keys', keys]]) {
    table.querySelector(`[data-switch="${name}"]`)?.setAttribute('aria-pressed', setting.wanted());
  }
  restore(table);
  suit(table);
  const turn = table.hasAttribute('data-turn') ? decision : '';
  if (turn && told.get(id) !== turn) signal.turn();
  told.set(id, turn);
  tick(table);
};

const tick = (table) => {
  const clock = table.querySelector('[data-deadline]');
  if (!clock) return;
  const { deadline, seconds } = clock.dataset;
  const rest = left(Number(deadline), Date.now(), offsets.get(table.dataset.table).by);
  clock.querySelector('[data-left]').textContent = spoken(rest);
  clock.querySelector('[data-ring]').setAttribute('stroke-dashoffset', 1 - share(rest, seconds));
  clock.toggleAttribute('data-late', rest < 10000);
};

// What is new since the last look. A part that is replaced has other elements.
const seen = new WeakSet();

const look = () => {
  for (const table of document.querySelectorAll(TABLE)) {
    if (seen.has(table)) continue;
    seen.add(table);
    prepare(table);
  }
  const turns = document.querySelectorAll(`${TABLE}[data-turn]`).length;
  document.title = document.title.replace(/^(\(\d+\) )?/, turns ? `(${turns}) ` : '');
};

const send = async (form, button) => {
  const table = form.closest(TABLE);
  if (table.hasAttribute('aria-busy')) return;
  table.setAttribute('aria-busy', 'true');
  try {
    const body = new URLSearchParams(new FormData(form, button));
    const answer = await fetch(form.action, { method: 'POST', body });
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const fresh = page.querySelector(`[data-table="${table.dataset.table}"]`);
    if (!fresh) return location.assign(form.action);
    table.replaceWith(fresh);
    fresh.querySelector('[data-problem]')?.focus();
  } catch {
    // No connection. The key of the form makes sending it twice harmless.
    table.removeAttribute('aria-busy');
    table.querySelector('[data-offline]').hidden = false;
  }
};

document.addEventListener('submit', (event) => {
  if (!event.target.matches('form[data-acts]')) return;
  event.preventDefault();
  if (event.submitter?.getAttribute('aria-disabled') !== 'true') send(event.target, event.submitter);
});

document.addEventListener('input', (event) => {
  const table = event.target.closest(TABLE);
  if (table) changed(table, event.target);
});

document.addEventListener('click', (event) => {
  const button = event.target.closest('button[data-to], button[data-switch]');
  if (!button) return;
  const table = button.closest(TABLE);
  if (button.dataset.to) return setAmount(table, Number(button.dataset.to));
  const setting = button.dataset.switch === 'keys' ? keys : signal;
  setting.want(!setting.wanted());
  button.setAttribute('aria-pressed', setting.wanted());
});

document.addEventListener('keydown', keys.pressed);
new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
setInterval(() => document.querySelectorAll(TABLE).forEach(tick), 250);
look();
