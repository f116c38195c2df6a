// The hand replayer: keys and links move through the hand without a new page.

import { localise } from '../times.js';

const stage = () => document.querySelector('[data-stage]');

const go = async (address, push = true) => {
  const url = new URL(address, location.href);
  url.searchParams.set('part', 'stage');
  const answer = await fetch(url);
  if (!answer.ok) return location.assign(address);
  stage().innerHTML = await answer.text();
  localise(stage());
  if (push) history.pushState(null, '', address);
  mark();
};

// Brings the step into view in the list, without moving the page, and says it.
const mark = () => {
  const number = stage().querySelector('[data-step]')?.dataset.step;
  const list = document.querySelector('[data-steps]');
  const here = list.querySelector('[aria-current]');
  if (here && list.scrollHeight > list.clientHeight) {
    list.scrollTop += here.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 3;
  }
  for (const each of document.querySelectorAll('[data-eyes]')) {
    const url = new URL(each.href);
    url.searchParams.set('step', number);
    each.setAttribute('href', url.search);
  }
  const news = document.querySelector('#news');
  const said = stage().querySelector('[data-said]');
  if (news && said) news.textContent = said.dataset.said;
};

const KEYS = { ArrowLeft: 'back', ArrowRight: 'on', ArrowUp: 'phase-back', ArrowDown: 'phase-on' };

// The link that a key stands for: a step of the hand, or another viewer.
const linked = (key) => {
  if (key === 'v') {
    const next = document.querySelector('[data-eyes][aria-current] + a');
    return next ?? document.querySelector('[data-eyes]');
  }
  return KEYS[key] && stage().querySelector(`a[data-way="${KEYS[key]}"]`);
};

document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="?step="]:not([data-eyes], [href*="claim="])');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const again = link.dataset.way ? `[data-way="${link.dataset.way}"]` : '[data-steps] [aria-current]';
  go(link.href).then(() => stage().querySelector(again)?.focus());
});

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, select, textarea'))
    return;
  const ends = stage().querySelector('[data-step]').dataset;
  if (event.key === 'Home' || event.key === 'End') {
    event.preventDefault();
    go(event.key === 'Home' ? ends.first : ends.last);
    return;
  }
  const link = linked(event.key);
  if (!link) return;
  event.preventDefault();
  if (event.key === 'v') link.click();
  else go(link.href);
});

addEventListener('popstate', () => go(location.href, false));

mark();
