// Clocks of levels count down by the server's time. Without this script they show the time of the page.
const clocks = () => document.querySelectorAll("[data-until]");
const offsets = new Map(); // milliseconds by which the server's clock is ahead, by the time on the page

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
