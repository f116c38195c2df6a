// The playing table. The server draws it; this module makes it quick to use.

import { PATIENCE, refresh } from '../live.js';
import { changed, recount, setAmount, suit } from './choosing.js';
import { ahead, left, share, spoken } from './deadline.js';
import * as keys from './keys.js';
import * as signal from './signal.js';

const TABLE = '[data-table]';
const told = new Map();
const ended = new Map();
const sending = new Set(); // tables whose form is on its way. A part that comes meanwhile keeps them.

// Milliseconds by which the server's clock is ahead of this one. This module may come seconds after
// the page, so the page's own arrival counts.
const [page] = performance.getEntriesByType('navigation');
const here = page ? performance.timeOrigin + page.responseStart : Date.now();
const offset = ahead(Number(document.querySelector('[data-now]').dataset.now), here);

const prepare = (table) => {
  for (const each of table.querySelectorAll('[data-script]')) each.hidden = false;
  for (const [name, setting] of [['signal', signal], ['keys', keys]]) {
    table.querySelector(`[data-switch="${name}"]`)?.setAttribute('aria-pressed', setting.wanted());
  }
  suit(table);
  keepEnd(table);
  if (away) offline(table);
  const { table: id, decision } = table.dataset;
  if (sending.has(id)) table.setAttribute('aria-busy', 'true');
  const turn = table.hasAttribute('data-turn') ? decision : '';
  if (turn && told.get(id) !== turn) signal.turn();
  told.set(id, turn);
};

// The end of the last hand, which the next hand would hide at once, stays below, closed.
const keepEnd = (table) => {
  const { table: id } = table.dataset;
  const shown = table.querySelector('.ended');
  if (shown) return ended.set(id, shown.cloneNode(true));
  if (!ended.has(id)) return;
  const kept = ended.get(id).cloneNode(true);
  kept.open = false;
  table.querySelector('.play-foot').before(kept);
};

const tick = (clock) => {
  const { deadline, seconds } = clock.dataset;
  const rest = left(Number(deadline), Date.now(), offset, seconds * 1000);
  clock.querySelector('[data-left]').textContent = spoken(rest);
  clock.querySelector('[data-ring]').setAttribute('stroke-dashoffset', 1 - share(rest, seconds));
  clock.toggleAttribute('data-late', rest < 10000);
};

const tickAll = () => document.querySelectorAll('[data-deadline]').forEach(tick);

// What was done before is said until the next decision. Later it would be wrong.
let first;
const forget = (tables) => {
  const now = tables.map((each) => each.dataset.decision).join();
  first ??= now;
  if (now !== first) document.querySelector('main > .done')?.remove();
};

const look = () => {
  const tables = [...document.querySelectorAll(TABLE)];
  tables.forEach(prepare);
  forget(tables);
  tickAll();
  const turns = tables.filter((each) => each.hasAttribute('data-turn')).length;
  document.title = document.title.replace(/^(\(\d+\) )?/, turns ? `(${turns}) ` : '');
  // A new seat at another table, on the page of all tables.
  const seated = document.querySelector('[data-seated]')?.dataset.seated.split(' ').filter(Boolean);
  if (seated?.some((id) => !tables.some((each) => each.dataset.table === id))) location.reload();
};

// Sends a form, and shows what it did. The key of the form makes sending it twice harmless.
const send = async (form, button) => {
  const table = form.closest(TABLE);
  const { table: id } = table.dataset;
  if (sending.has(id)) return;
  sending.add(id);
  table.setAttribute('aria-busy', 'true');
  try {
    const body = new URLSearchParams(new FormData(form, button));
    const signal = AbortSignal.timeout(PATIENCE);
    const answer = await fetch(form.action, { method: 'POST', body, redirect: 'manual', signal });
    if (answer.type === 'opaqueredirect') await refresh(table.closest('[data-part]').dataset.part);
    else if (answer.status === 429 || answer.status >= 500) offline(table);
    else await refused(table, answer);
  } catch {
    offline(table);
  }
  sending.delete(id);
  document.querySelector(`[data-table="${id}"]`)?.removeAttribute('aria-busy');
};

// The server is away, starting or too busy. The page stays, and the form can be sent again.
const offline = (table) => {
  for (const each of table.querySelectorAll('[data-offline]')) each.hidden = false;
};

let away = false; // A part that comes meanwhile, or a table that replaces another, says so too.
const connected = (event) => {
  away = event.type === 'away';
  for (const each of document.querySelectorAll('[data-offline]')) each.hidden = !away;
};

document.addEventListener('away', connected);
document.addEventListener('back', connected);

// A refusal is the same page with the reason.
const refused = async (table, answer) => {
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const fresh = page.querySelector(`[data-table="${table.dataset.table}"]`);
  if (!fresh) return location.reload();
  table.replaceWith(fresh);
  look();
  fresh.querySelector('[data-problem]')?.focus();
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
document.addEventListener('renewed', (event) => {
  look();
  event.target.querySelectorAll(TABLE).forEach(recount);
});
setInterval(tickAll, 250);
look();
