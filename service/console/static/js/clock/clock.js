// The clock of the room: counts by the server's time, sounds, and keeps the screen awake.
import { refresh } from "../live.js";
import * as sound from "./sound.js";

const SOON = 60; // seconds left when the time turns amber, and the first sound
const LAST = 10;
const AGAIN = 4000; // milliseconds between requests once the time is up
const ANYWAY = 15000; // the longest time between requests: an operator's suspension is no event of the evening

let offset = 0; // milliseconds by which the server's clock is ahead of this one
let before = null; // seconds left at the last tick
let counted = ""; // the instant that the last tick counted to
let asked = Date.now();

const correct = () => {
  const now = document.querySelector("[data-now]")?.dataset.now;
  if (now) offset = Number(now) - Date.now();
};

const left = (until) => Math.max(0, Math.ceil((Date.parse(until) - Date.now() - offset) / 1000));

const two = (number) => String(number).padStart(2, "0");

const spoken = (seconds) => {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
};

const write = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

const tick = () => {
  for (const each of document.querySelectorAll("[data-in]")) write(each, spoken(left(each.dataset.in)));
  const time = document.querySelector(".tv-time[data-until]");
  if (time) count(time);
  else [before, counted] = [null, ""];
  if (Date.now() - asked > ANYWAY) ask();
};

const count = (time) => {
  const { until, total } = time.dataset;
  const seconds = left(until);
  write(time.querySelector(".countdown-text"), spoken(seconds));
  const state = seconds <= LAST ? "last" : seconds <= SOON ? "soon" : "";
  const bar = document.querySelector(".tv-bar");
  for (const each of [time, bar]) {
    each?.classList.toggle("soon", state === "soon");
    each?.classList.toggle("last", state === "last");
  }
  if (bar && total) bar.querySelector(".left").setAttribute("width", Math.min(100, (100 * seconds) / total));
  if (until === counted && before !== null) {
    if (before > SOON && seconds <= SOON && seconds > SOON - 5) sound.minute();
    if (before > 0 && seconds === 0) sound.level();
  }
  [before, counted] = [seconds, until];
  if (seconds === 0 && Date.now() - asked > AGAIN) ask();
};

const ask = () => {
  asked = Date.now();
  refresh("clock");
};

// The screen of a TV or tablet stays on for as long as the page is seen.
let lock = null;
const wake = async () => {
  if (document.visibilityState !== "visible" || !navigator.wakeLock) return;
  if (lock && !lock.released) return;
  try {
    lock = await navigator.wakeLock.request("screen");
  } catch {
    lock = null; // the battery is low, or the browser does not allow it
  }
};

const prepare = () => {
  const switches = document.querySelector("[data-kept]");
  if (!switches) return;
  switches.hidden = false;
  switches.querySelector("[name=sound]").setAttribute("aria-pressed", sound.on());
  const full = switches.querySelector("[name=full]");
  full.hidden = !document.fullscreenEnabled || Boolean(document.fullscreenElement);
};

document.addEventListener("click", (event) => {
  const name = event.target.closest("button")?.name;
  if (name === "sound") sound.toggle();
  if (name === "full") document.documentElement.requestFullscreen().catch(() => {});
  wake();
  prepare();
});
document.addEventListener("fullscreenchange", prepare);
document.addEventListener("visibilitychange", wake);
document.addEventListener("renewed", () => {
  correct();
  prepare();
  tick();
});
addEventListener("online", ask);

correct();
prepare();
wake();
tick();
setInterval(tick, 250);
