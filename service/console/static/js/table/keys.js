// Keys of the playing table. Each control names its own key in `data-hotkey`.

const KEPT = 'holotable.keys';

export const wanted = () => localStorage.getItem(KEPT) !== 'off';

export const want = (on) => localStorage.setItem(KEPT, on ? 'on' : 'off');

const typing = (target) =>
  target.closest('input:not([type=checkbox]):not([type=range]), select, textarea');

// The table with the focus, or one that waits for the player, or the first.
const table = (target) =>
  target.closest('[data-table]') ??
  document.querySelector('[data-table][data-turn]') ??
  document.querySelector('[data-table]');

const next = () => {
  const waiting = [...document.querySelectorAll('[data-table][data-turn]')];
  const here = waiting.indexOf(document.activeElement.closest('[data-table]'));
  const found = waiting[(here + 1) % waiting.length];
  found?.querySelector('.acts button, .mine input')?.focus();
};

export const pressed = (event) => {
  // Enter in the amount raises to it. The form's first button only counts.
  if (event.key === 'Enter' && event.target.matches('input[name=amount]')) {
    event.preventDefault();
    return event.target.form.querySelector('[value=raise_to]').click();
  }
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  // Enter on a card must not press the form's first button.
  if (event.key === 'Enter' && event.target.matches('[type=checkbox]')) event.preventDefault();
  if (!wanted()) return;
  const here = table(event.target);
  if (!here) return;
  if (event.key === 'n') return next();
  const found = /^[0-9]$/.test(event.key)
    ? here.querySelectorAll('input[name="cards"]')[(Number(event.key) + 9) % 10]
    : here.querySelector(`[data-hotkey="${CSS.escape(event.key)}"]`);
  // Enter on a focused control does what the control does.
  if (!found || (event.key === 'Enter' && event.target.matches('a, button, summary'))) return;
  event.preventDefault();
  if (found.matches('input:not([type=checkbox])')) found.focus();
  else found.click();
};
