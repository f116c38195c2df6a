// A faster door: the list narrows while a name is typed, a tap needs no new page, and the
// camera reads the codes of the players. Without this module all of it works by forms.
import { announce, refresh } from "../live.js";

const CODE = /\/here\/(plr_[0-9a-f]{32})/;
const PAUSE = 2500; // milliseconds before the same code counts again

const people = () => [...document.querySelectorAll(".door > [data-player]")];
const search = document.querySelector("[name=q]");

// The page may show the result of a search. Text that is typed now is searched in the whole list.
const whole = () => {
  const address = new URL(location.href);
  if (!address.searchParams.has("q")) return;
  address.searchParams.delete("q");
  history.replaceState(null, "", address);
  refresh("people");
};

const narrow = () => {
  const wanted = search.value.trim().toLowerCase();
  for (const each of people()) each.hidden = !each.dataset.name.includes(wanted);
  const walkIn = document.querySelector("#walk-in [name=name]");
  const all = !new URLSearchParams(location.search).has("only");
  if (walkIn && all) walkIn.value = people().every((each) => each.hidden) ? search.value.trim() : "";
};

const sending = new Set(); // forms on their way. A part that comes meanwhile keeps them.

// Sends a form, and renews the list. A refusal is a page, which the form then opens itself.
const send = async (form, button) => {
  if (sending.has(form)) return;
  sending.add(form);
  form.setAttribute("aria-busy", "true");
  const body = new URLSearchParams(new FormData(form, button));
  try {
    const answer = await fetch(form.action, { method: "POST", body, redirect: "manual" });
    if (answer.type === "opaqueredirect") await refresh("people");
    else open(form, button);
  } catch {
    open(form, button);
  }
  sending.delete(form);
  form.removeAttribute("aria-busy");
};

const open = (form, button) => {
  const field = document.createElement("input");
  Object.assign(field, { type: "hidden", name: button.name, value: button.value });
  form.append(field);
  form.submit();
};

document.addEventListener("submit", (event) => {
  if (!event.target.matches("form[data-door]")) return;
  event.preventDefault();
  send(event.target, event.submitter);
});
search?.addEventListener("input", () => {
  whole();
  narrow();
});
document.addEventListener("renewed", () => search?.value && narrow());

// The camera. Some browsers read codes themselves, and some have the class and read nothing.
const place = document.querySelector("[data-camera]");
const switcher = place?.querySelector("button");
const otherwise = document.querySelector("[data-no-camera]");
const video = document.querySelector("[data-scanner]");
let stream = null;
let seen = "";

const detectors = async () => {
  const formats = (await window.BarcodeDetector?.getSupportedFormats().catch(() => [])) ?? [];
  return formats.includes("qr_code") ? new BarcodeDetector({ formats: ["qr_code"] }) : import("./detector.js");
};

const offer = (scans) => {
  place.hidden = !scans;
  otherwise.hidden = scans;
};

// Browsers lend a camera only over TLS. A desk may have none.
const devices = (await navigator.mediaDevices?.enumerateDevices().catch(() => [])) ?? [];
if (place && devices.some((each) => each.kind === "videoinput")) {
  offer(true);
  switcher.addEventListener("click", () => (stream ? stop() : scan()));
}

const show = (scans) => {
  video.hidden = !scans;
  switcher.setAttribute("aria-pressed", scans);
};

const stop = () => {
  for (const each of stream?.getTracks() ?? []) each.stop();
  stream = null;
  show(false);
};

const scan = async () => {
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment", width: { ideal: 1280 } } });
  } catch {
    return offer(false); // the person said no
  }
  video.srcObject = stream;
  show(true);
  await video.play();
  let detector;
  try {
    detector = await detectors();
  } catch {
    stop(); // its reader did not come
    return offer(false);
  }
  while (stream) {
    const [code] = await detector.detect(video).catch(() => []);
    const player = code?.rawValue.match(CODE)?.[1];
    if (player && player !== seen) {
      seen = player;
      setTimeout(() => (seen = ""), PAUSE);
      arrived(player);
    }
    await new Promise((next) => setTimeout(next, 120));
  }
};

const arrived = (player) => {
  const row = people().find((each) => each.dataset.player === player);
  if (!row) return location.assign(`${location.pathname}?q=${player}`);
  navigator.vibrate?.(60);
  row.hidden = false;
  row.scrollIntoView({ block: "center" });
  announce(row.querySelector(".line-name").textContent);
  const button = row.querySelector("button[name=here][aria-pressed=false]");
  if (button) send(button.form, button);
};
