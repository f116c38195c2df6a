// Make the children of one element those of another, and touch nothing that is the same. So focus,
// open details, scrolling and what is being typed stay.

// Whether a form is on its way, so that another page follows. Until then this one stays as it is.
export const leaving = () => document.querySelector("form[data-sent]") !== null;

export function morph(old, fresh) {
  children(old, fresh);
}

function children(old, fresh) {
  const have = [...old.childNodes];
  const want = [...fresh.childNodes];
  const kept = common(have.map(keyOf), want.map(keyOf));
  const stays = new Set(kept.values());
  have.forEach((node, index) => stays.has(index) || node.remove());
  let next = old.firstChild;
  want.forEach((node, index) => {
    if (!kept.has(index)) return old.insertBefore(node, next);
    const mine = have[kept.get(index)];
    next = mine.nextSibling;
    same(mine, node);
  });
}

// Two nodes are the same if their id or data-key is equal, or else their name, class and address.
function keyOf(node) {
  if (node.nodeType !== 1) return "";
  const name = node.dataset.key || node.id;
  if (name) return `${node.nodeName}#${name}`;
  const leads = node.getAttribute("action") ?? node.getAttribute("href") ?? node.getAttribute("name") ?? "";
  return `${node.nodeName}.${node.getAttribute("class") ?? ""} ${leads}`;
}

// The heaviest common subsequence: index in `want` to index in `have`. What it keeps is never moved,
// because moving an element takes the focus away from it. Elements outweigh the space between them.
function common(have, want) {
  const best = Array.from({ length: have.length + 1 }, () => new Uint32Array(want.length + 1));
  const weight = (key) => (key ? 100 : 1);
  for (let i = have.length - 1; i >= 0; i--) {
    for (let j = want.length - 1; j >= 0; j--) {
      const here = have[i] === want[j] ? best[i + 1][j + 1] + weight(have[i]) : 0;
      best[i][j] = Math.max(here, best[i + 1][j], best[i][j + 1]);
    }
  }
  const kept = new Map();
  for (let i = 0, j = 0; i < have.length && j < want.length; ) {
    if (have[i] === want[j] && best[i][j] === best[i + 1][j + 1] + weight(have[i])) kept.set(j++, i++);
    else if (best[i + 1][j] >= best[i][j + 1]) i++;
    else j++;
  }
  return kept;
}

function same(old, fresh) {
  if (old.nodeType !== 1) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  if (old.dataset.kept !== undefined) return; // a module draws this one itself
  const typed = isTyped(old);
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !(name === "open" && old.nodeName === "DETAILS")) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) === value) continue;
    if (typed && (name === "value" || name === "checked")) continue;
    old.setAttribute(name, value);
  }
  if (old.nodeName === "TEXTAREA" || old.nodeName === "SELECT") {
    if (!typed) children(old, fresh);
    return;
  }
  children(old, fresh);
}

// Whether the reader has changed this field since it was rendered.
function isTyped(element) {
  switch (element.nodeName) {
    case "INPUT":
      return element.type === "checkbox" || element.type === "radio"
        ? element.checked !== element.defaultChecked
        : element.type !== "hidden" && element.value !== element.defaultValue;
    case "TEXTAREA":
      return element.value !== element.defaultValue;
    case "SELECT":
      return element === document.activeElement || [...element.options].some((o) => o.selected !== o.defaultSelected);
    default:
      return false;
  }
}
