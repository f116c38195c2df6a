// The script of every page. Without it every page and form still works.
import { begin } from "./live.js";
import { localise } from "./times.js";

localise(document);
begin(document);

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
