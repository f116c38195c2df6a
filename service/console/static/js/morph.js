// Make the children of one element those of another, and touch nothing that is the same. So focus,
// open details, scrolling and what is being typed stay.

export function morph(old, fresh) {
  children(old, fresh);
}

function children(old, fresh) {
  const named = new Map();
  for (const child of old.children) if (nameOf(child)) named.set(nameOf(child), child);
  let place = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    const name = nameOf(wanted);
    let found = name ? named.get(name) : place;
    if (found && (found.parentNode !== old || !alike(found, wanted) || (!name && nameOf(found)))) found = null;
    if (!found) {
      old.insertBefore(wanted, place);
      continue;
    }
    if (found === place) place = place.nextSibling;
    else old.insertBefore(found, place);
    same(found, wanted);
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

const nameOf = (node) => (node.nodeType === 1 ? node.dataset.key || node.id || "" : "");
const alike = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName;

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
