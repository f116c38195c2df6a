// The progress of an audit is not in the log, so the page asks for it while the audit runs.
import { refresh } from "./live.js";

const EVERY = 1500; // milliseconds
const timer = setInterval(() => {
  if (document.querySelector("[data-waits]")) refresh("audit");
  else clearInterval(timer);
}, EVERY);
