// A form shows what follows from the fields in data-follows. Without this, a button asks for it.
import { announce } from "./live.js";
import { morph } from "./morph.js";

const LATER = 5000; // milliseconds until what the server is still working out is asked for again

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
    if (!answer.ok) return; // what is wrong is told when the form is sent
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!mine.signal.aborted) put(fresh.querySelector("#main"));
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

// The server has read what was typed until now, and gives it back, so its fields are the right ones.
// Only the field that is being typed into may be ahead of it.
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
