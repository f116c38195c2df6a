// The page of a proof. It holds a sentence for each check and each outcome.
import { checks } from './proof.js';

const prove = async (button) => {
  const list = document.querySelector('[data-checks]');
  const row = (name) => list.querySelector(`[data-check="${name}"]`);
  tell(null);
  button.disabled = true;
  list.hidden = false;
  for (const each of list.children) each.dataset.state = 'waiting';
  try {
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
