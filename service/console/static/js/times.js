// Times in the reader's own zone. The server writes UTC, which is right but of little use.
const STYLES = {
  full: { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" },
  day: { weekday: "short", day: "numeric", month: "short" },
  time: { hour: "2-digit", minute: "2-digit" },
};

export function localise(root) {
  for (const element of root.querySelectorAll("time[data-local]")) {
    const style = STYLES[element.dataset.local] ?? STYLES.full;
    const at = new Date(element.dateTime);
    element.textContent = new Intl.DateTimeFormat(document.documentElement.lang, style).format(at);
  }
}
