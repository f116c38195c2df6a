// Times in the reader's own zone. The server writes UTC, which is right but of little use.
const STYLES = {
  full: { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" },
  day: { weekday: "short", day: "numeric", month: "short" },
  time: { hour: "2-digit", minute: "2-digit" },
  bare: { hour: "2-digit", minute: "2-digit" },
  hour: { weekday: "short", hour: "2-digit", minute: "2-digit" },
};

// The reader's own form of the page's language: 19:00 in Britain, 7:00 PM in America.
const spoken = () =>
  navigator.languages.find((each) => each.startsWith(document.documentElement.lang)) ?? document.documentElement.lang;

const midnight = (at) => new Date(at).setHours(0, 0, 0, 0);

const daysTo = (at) => Math.round((midnight(at) - midnight(Date.now())) / 864e5);

// A time of another day says the day: "tomorrow 10:08", "Mon 10:08", or the date beyond six days.
const dayed = (at) => {
  const days = daysTo(at);
  const away = Math.abs(days);
  const style = away > 6 ? STYLES.full : away > 1 ? STYLES.hour : STYLES.time;
  const time = new Intl.DateTimeFormat(spoken(), style).format(at);
  if (!days || away > 1) return time;
  return `${new Intl.RelativeTimeFormat(spoken(), { numeric: "auto" }).format(days, "day")} ${time}`;
};

export function localise(root) {
  for (const element of root.querySelectorAll("time[data-local]")) {
    const style = STYLES[element.dataset.local] ?? STYLES.full;
    const at = new Date(element.dateTime);
    element.textContent = style === STYLES.time ? dayed(at) : new Intl.DateTimeFormat(spoken(), style).format(at);
  }
  // Beside a time in the league's zone stands the reader's, where the two differ.
  for (const element of root.querySelectorAll("[data-league-zone]")) {
    const at = new Date(element.querySelector("time").dateTime);
    const there = (zone) => at.toLocaleString("en", { timeZone: zone });
    element.hidden = there(element.dataset.leagueZone) === there(undefined);
  }
}
