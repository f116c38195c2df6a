// The script of every page. Without it every page and form still works.
import { begin } from "./live.js";
import { localise } from "./times.js";

// Milliseconds until a page that stays may send a form again. A slow line takes seconds to bring the
// next page, and a form that is sent twice acts twice.
const SENDING = 60_000;

localise(document);
begin(document);

// A form is sent once, and its page then stays as it is: a form in a newer part would have a new key.
// Modules send the forms of the door and the table, and keep to this themselves.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.matches("[data-acts], [data-door]")) return;
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "1";
  // A page that stays, or comes back from the browser's memory, may send its forms again.
  const again = () => delete form.dataset.sent;
  setTimeout(again, SENDING);
  addEventListener("pageshow", again, { once: true });
});

// The further tabs close by Escape, and by a press anywhere else.
const more = document.querySelector(".tabs-more");
if (more) {
  document.addEventListener("click", ({ target }) => more.contains(target) || (more.open = false));
  more.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !more.open) return;
    more.open = false;
    more.firstElementChild.focus();
  });
}

document.querySelector("#errors")?.focus();
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
