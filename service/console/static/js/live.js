// Live parts: the server says what has changed, and the page asks for the parts that show it.
import { leaving, morph } from "./morph.js";
import { localise } from "./times.js";

const JITTER = 300; // milliseconds, so that many readers do not ask at once
const AGAIN = 3000;
const AGAIN_MAX = 30_000;
export const PATIENCE = 30_000; // A connection may be dead and never say so: then it is asked anew
const AWAY = 4000; // milliseconds without a stream after which the page says so. Most breaks are shorter

let source = null;
let lost = null; // timer until the page says that it has no connection
let failures = 0; // streams in a row that the server did not open
const waiting = new Map(); // timer by part
const pauses = new Map(); // timer of a failed part, which news ends
const misses = new Map(); // failed requests in a row, by part
const tags = new Map(); // ETag by part
const asked = new Map(); // number of the last request, by part
const shown = new Map(); // number of the request whose answer is shown, by part

const parts = () => [...document.querySelectorAll("[data-part]")];
const topicsOf = (part) => part.dataset.topics.split(" ").filter(Boolean);

// A page of several tables has each of them from the table's own page.
function addressOf(part) {
  const { from, block = part.dataset.part } = part.dataset;
  const address = new URL(from ?? here ?? location.href, location.href);
  address.searchParams.set("part", block);
  return address.pathname + address.search;
}

export function begin() {
  if (!parts().some((part) => topicsOf(part).length)) return;
  connect();
  // These tables are not drawn yet, and the stream may be refused.
  for (const part of parts()) if (part.querySelector(".later")) soon(part.dataset.part);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") refreshAll();
  });
}

function connect() {
  const topics = [...new Set(parts().flatMap(topicsOf))];
  source?.close();
  if (!topics.length) return;
  const asking = new URLSearchParams({ topics: topics.join(",") });
  for (const part of parts()) asking.append("shown", addressOf(part));
  const mine = (source = new EventSource(`/live?${asking}`));
  source.addEventListener("begun", begun);
  source.addEventListener("changed", (event) => {
    const { topic, part: told, tag } = JSON.parse(event.data);
    for (const part of parts()) {
      if (topicsOf(part).includes(topic)) heard(part.dataset.part, addressOf(part) === told ? tag : null);
    }
  });
  source.addEventListener("error", () => {
    lost ??= setTimeout(() => document.dispatchEvent(new Event("away")), AWAY);
    // The browser connects again by itself, unless the server refused.
    if (mine.readyState !== EventSource.CLOSED) return;
    const pause = Math.min(AGAIN * 2 ** failures++, AGAIN_MAX) * (1 + Math.random());
    setTimeout(() => mine === source && connect(), pause);
  });
}

// The stream opens a moment before the server watches. It does not report earlier changes.
// A refused form is shown once only, so its page keeps it until something changes.
const { here } = document.body.dataset; // only of a page that answers a form: its own address
let refused = here !== undefined;
function begun() {
  failures = 0;
  clearTimeout(lost);
  lost = null;
  document.dispatchEvent(new Event("back"));
  for (const name of pauses.keys()) soon(name);
  misses.clear();
  if (!refused) refreshAll();
  refused = false;
}

// A stranger hears which tag the part has now, and asks for it only if the page shows another one.
function heard(name, tag) {
  if (!tag || tag !== tags.get(name)) return soon(name);
  shown.set(name, next(name)); // an answer that is under way may be older
}

function next(name) {
  const number = (asked.get(name) ?? 0) + 1;
  asked.set(name, number);
  return number;
}

function soon(name) {
  if (waiting.has(name)) return;
  resume(name);
  waiting.set(name, setTimeout(() => refresh(name), Math.random() * JITTER));
}

// A part may fail although the stream stays: another process has answered, or has not.
function again(name) {
  if (waiting.has(name) || pauses.has(name)) return;
  const before = misses.get(name) ?? 0;
  misses.set(name, before + 1);
  const undrawn = document.querySelector(`[data-part="${name}"] .later`);
  const pause = Math.min(AGAIN * 2 ** before, undrawn ? AGAIN : AGAIN_MAX) * (1 + Math.random());
  pauses.set(name, setTimeout(() => refresh(name), pause));
}

function resume(name) {
  clearTimeout(pauses.get(name));
  pauses.delete(name);
}

function refreshAll() {
  for (const part of parts()) soon(part.dataset.part);
}

// Ask for one part, and replace what differs. Other modules may call this after a change.
export async function refresh(name) {
  clearTimeout(waiting.get(name));
  waiting.delete(name);
  resume(name);
  const part = document.querySelector(`[data-part="${name}"]`);
  if (!part || (document.visibilityState === "hidden" && part.dataset.awake === undefined)) return;
  const known = tags.get(name);
  const number = next(name);
  const headers = known ? { "If-None-Match": known } : {};
  let answer, text;
  try {
    answer = await fetch(addressOf(part), { headers, cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
    if (answer.status === 200) text = await answer.text();
  } catch {
    return again(name);
  }
  if (answer.status === 401) return location.reload(); // the session has ended
  if (answer.status === 429 || answer.status >= 500) return again(name);
  misses.delete(name);
  if (answer.status === 304 && tags.get(name) !== known) return refresh(name); // an older answer arrived meanwhile
  if (answer.status !== 200) return; // 304: nothing differs
  if (leaving()) {
    waiting.set(name, setTimeout(() => refresh(name), AGAIN));
    return;
  }
  if (number < (shown.get(name) ?? 0)) return; // a newer answer was faster
  shown.set(name, number);
  tags.set(name, answer.headers.get("ETag"));
  const before = said(part);
  const fresh = document.createElement(part.tagName);
  fresh.innerHTML = text;
  localise(fresh);
  morph(part, fresh);
  const after = said(part);
  if (after && after !== before) announce(after);
  part.dispatchEvent(new CustomEvent("renewed", { bubbles: true }));
}

const said = (part) => [...part.querySelectorAll("[data-said]")].map((each) => each.dataset.said).join(" ");

export function announce(text) {
  const news = document.querySelector("#news");
  if (news) news.textContent = text;
}
