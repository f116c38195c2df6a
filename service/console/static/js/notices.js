// Messages in this browser: the switch is shown only where the browser has them.
const form = document.querySelector("form[data-push]");
const able = form && "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

if (able) {
  form.hidden = false;
  document.querySelector("[data-push-less]").hidden = true;
  form.addEventListener("submit", subscribe, { capture: true });
}

// A new account has no zone of its own yet, so the browser's is proposed, until one is chosen here.
const CHOSEN = "holotable.zone";
const zone = document.querySelector("#zone");
zone?.form.addEventListener("submit", () => localStorage.setItem(CHOSEN, "yes"));
const here = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
if (zone?.value === "UTC" && !localStorage.getItem(CHOSEN)) zone.value = here;
if (form) form.elements.zone.value = here;

// The house may have another key than when this browser subscribed. Then it has to subscribe again.
async function subscribed(manager) {
  const wanted = { userVisibleOnly: true, applicationServerKey: form.dataset.push };
  try {
    return await manager.subscribe(wanted);
  } catch (error) {
    if (error.name !== "InvalidStateError") throw error;
    await (await manager.getSubscription())?.unsubscribe();
    return manager.subscribe(wanted);
  }
}

async function subscribe(event) {
  if (form.elements.endpoint.value) return; // already filled in: the browser sends the form
  event.preventDefault();
  event.stopPropagation();
  try {
    if ((await Notification.requestPermission()) !== "granted") throw new Error("denied");
    await navigator.serviceWorker.register("/service-worker.js");
    const worker = await navigator.serviceWorker.ready;
    const made = await subscribed(worker.pushManager);
    const { endpoint, keys } = made.toJSON();
    form.elements.endpoint.value = endpoint;
    form.elements["keys.p256dh"].value = keys.p256dh;
    form.elements["keys.auth"].value = keys.auth;
    form.requestSubmit();
  } catch {
    form.querySelector("[data-denied]").hidden = false;
  }
}
