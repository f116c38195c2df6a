// The hand replayer: keys and links move through the hand without a new page.

const stage = () => document.querySelector('[data-stage]');

const go = async (address, push = true) => {
  const url = new URL(address, location.href);
  url.searchParams.set('part', 'stage');
  const answer = await fetch(url);
  if (!answer.ok) return location.assign(address);
  stage().innerHTML = await answer.text();
  if (push) history.pushState(null, '', address);
  mark();
};

// Marks the step in the list, and brings it into view without moving the page.
const mark = () => {
  const number = stage().querySelector('[data-step]')?.dataset.step;
  const list = document.querySelector('[data-steps]');
  for (const each of list.querySelectorAll('a')) {
    const here = each.firstChild.textContent === number;
    if (here) each.setAttribute('aria-current', 'step');
    else each.removeAttribute('aria-current');
    if (here && list.scrollHeight > list.clientHeight) {
      list.scrollTop += each.getBoundingClientRect().top - list.getBoundingClientRect().top - 80;
    }
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

const steps = () => [...document.querySelectorAll('[data-steps] a')];

// The link that a key stands for: a way through the hand, an end of it, or other eyes.
const linked = (key) => {
  if (key === 'Home') return steps()[0];
  if (key === 'End') return steps().at(-1);
  if (key === 'v') {
    const next = document.querySelector('[data-eyes][aria-current] + a');
    return next ?? document.querySelector('[data-eyes]');
  }
  return KEYS[key] && stage().querySelector(`a[data-way="${KEYS[key]}"]`);
};

document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="?step="]:not([data-eyes])');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const { way } = link.dataset;
  go(link.href).then(() => way && stage().querySelector(`[data-way="${way}"]`)?.focus());
});

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, select, textarea'))
    return;
  const link = linked(event.key);
  if (!link) return;
  event.preventDefault();
  if (event.key === 'v') link.click();
  else go(link.href);
});

addEventListener('popstate', () => go(location.href, false));

mark();
