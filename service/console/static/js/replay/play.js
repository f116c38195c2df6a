// The hand replayer: arrows move through the hand, and the proof is checked here.

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
  const news = document.querySelector('#news');
  const said = stage().querySelector('[data-said]');
  if (news && said) news.textContent = said.dataset.said;
};

const KEYS = { ArrowLeft: 'back', ArrowRight: 'on', ArrowUp: 'phase-back', ArrowDown: 'phase-on',
  Home: 'first', End: 'last' };

document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="?step="]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const { way } = link.dataset;
  go(link.href).then(() => way && stage().querySelector(`[data-way="${way}"]`)?.focus());
});

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, select, textarea'))
    return;
  const link = KEYS[event.key] && stage().querySelector(`a[data-way="${KEYS[event.key]}"]`);
  if (!link) return;
  event.preventDefault();
  go(link.href);
});

addEventListener('popstate', () => go(location.href, false));

// The proof. The page holds a sentence for each check and each outcome.
const prove = async (button) => {
  const list = document.querySelector('[data-checks]');
  const row = (name) => list.querySelector(`[data-check="${name}"]`);
  tell(null);
  button.disabled = true;
  list.hidden = false;
  for (const each of list.children) each.dataset.state = 'waiting';
  try {
    const { checks } = await import('./proof.js');
    const answer = await fetch(button.dataset.bundle);
    if (!answer.ok) return tell(answer.status === 409 ? 'early' : 'failed', answer.status);
    const keys = document.querySelector('[data-keys]').value.split('\n').filter(Boolean);
    for await (const check of checks(await answer.text(), keys.map((each) => each.trim()))) {
      const { name, holds, count, facts } = check;
      row(name).dataset.state = holds === null ? 'open' : holds ? 'holds' : 'fails';
      row(name).querySelector('[data-count]').textContent = count;
      row(name).querySelector('[data-facts]').textContent = holds ? '' : facts.join(', ');
    }
    const states = [...list.children].map((each) => each.dataset.state);
    const holds = states.every((each) => each === 'holds');
    tell(states.includes('fails') ? 'fails' : holds ? 'holds' : 'open');
  } catch (error) {
    tell('failed', error.message);
  } finally {
    button.disabled = false;
  }
};

// Shows one of the page's verdicts, with a reason, or none of them.
const tell = (verdict, reason = '') => {
  for (const each of document.querySelectorAll('[data-verdict]')) {
    each.hidden = each.dataset.verdict !== verdict;
    const facts = each.querySelector('[data-facts]');
    if (facts) facts.textContent = reason;
  }
};

for (const button of document.querySelectorAll('button[data-bundle]')) {
  const ready = Boolean(globalThis.crypto?.subtle);
  button.hidden = !ready;
  document.querySelector('[data-insecure]').hidden = ready;
  button.addEventListener('click', () => prove(button));
}
mark();
