// Messages in this browser: the switch is shown only where the browser has them.
const form = document.querySelector("form[data-push]");
const able = form && "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

if (able) {
  form.hidden = false;
  document.querySelector("[data-push-less]").hidden = true;
  form.addEventListener("submit", subscribe, { capture: true });
}

// A new account has no zone of its own yet, so the browser's is proposed.
const zone = document.querySelector("#zone");
if (zone?.value === "UTC") zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

async function subscribe(event) {
  if (form.elements.endpoint.value) return; // filled in: the form goes its way
  event.preventDefault();
  event.stopPropagation();
  try {
    if ((await Notification.requestPermission()) !== "granted") throw new Error("denied");
    await navigator.serviceWorker.register("/service-worker.js");
    const worker = await navigator.serviceWorker.ready;
    const made = await worker.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: form.dataset.push,
    });
    const { endpoint, keys } = made.toJSON();
    form.elements.endpoint.value = endpoint;
    form.elements["keys.p256dh"].value = keys.p256dh;
    form.elements["keys.auth"].value = keys.auth;
    form.requestSubmit();
  } catch {
    form.querySelector("[data-denied]").hidden = false;
  }
}
