// Times in the reader's own zone. The server writes UTC, which is right but of little use.
const STYLES = {
  full: { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" },
  day: { weekday: "short", day: "numeric", month: "short" },
  time: { hour: "2-digit", minute: "2-digit" },
  hour: { weekday: "short", hour: "2-digit", minute: "2-digit" },
};

// The reader's own form of the page's language: 19:00 in Britain, 7:00 PM in America.
const spoken = () =>
  navigator.languages.find((each) => each.startsWith(document.documentElement.lang)) ?? document.documentElement.lang;

export function localise(root) {
  for (const element of root.querySelectorAll("time[data-local]")) {
    const style = STYLES[element.dataset.local] ?? STYLES.full;
    const at = new Date(element.dateTime);
    element.textContent = new Intl.DateTimeFormat(spoken(), style).format(at);
  }
  // Beside a time in the league's zone stands the reader's, where the two differ.
  for (const element of root.querySelectorAll("[data-league-zone]")) {
    const at = new Date(element.querySelector("time").dateTime);
    const there = (zone) => at.toLocaleString("en", { timeZone: zone });
    element.hidden = there(element.dataset.leagueZone) === there(undefined);
  }
}
