// A form shows the effects of its fields in data-follows. Without this script a button requests them.
import { announce } from "./live.js";
import { leaving, morph } from "./morph.js";

const LATER = 5000; // milliseconds until the next request while the server is still computing

const main = document.querySelector("#main");
let asking = null;
let waiting = null;

const follow = async (form) => {
  clearTimeout(waiting);
  asking?.abort();
  const mine = (asking = new AbortController());
  const body = new URLSearchParams(new FormData(form));
  body.set("again", "yes");
  form.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(form.action, { method: "POST", body, signal: mine.signal });
    if (!answer.ok) return; // faults are shown when the form is sent
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!mine.signal.aborted && !leaving()) put(fresh.querySelector("#main"));
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  } finally {
    if (asking === mine) form.removeAttribute("aria-busy");
  }
};

document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-again]");
  if (form && event.target.closest("[data-follows]")) follow(form);
});

// The server returns the fields as the request sent them, so its fields are right. Only the field
// with the focus may be newer.
function put(fresh) {
  const fields = () => [...main.querySelectorAll("[data-follows] input")].filter((each) => each !== document.activeElement);
  for (const each of fields()) each.defaultValue = each.value;
  morph(main, fresh);
  for (const each of fields()) each.value = each.defaultValue;
  const told = main.querySelector("[data-said]");
  if (told) announce(told.dataset.said);
  later();
}

function later() {
  const form = main.querySelector("form[data-again]");
  if (form && main.querySelector("[data-later]")) waiting = setTimeout(() => follow(form), LATER);
}

later();
