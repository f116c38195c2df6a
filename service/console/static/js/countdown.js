// Clocks of levels count down by the server's time. Without this they show the time of the page.
const clocks = () => document.querySelectorAll("[data-until]");
const offsets = new Map(); // how far the server is ahead, by the time that it told

function ahead(now) {
  if (!offsets.has(now)) offsets.set(now, Date.parse(now) - Date.now());
  return offsets.get(now);
}

export const written = (seconds) => {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = String(seconds % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
};

function tick() {
  for (const each of clocks()) {
    const now = Date.now() + ahead(each.dataset.now);
    const left = Math.max(0, Math.ceil((Date.parse(each.dataset.until) - now) / 1000));
    const text = written(left);
    if (each.textContent !== text) each.textContent = text;
  }
}

tick();
setInterval(tick, 250);
