// The button that prints. Without it the browser's own menu does.
const place = document.querySelector("[data-print]");
if (place) {
  place.hidden = false;
  place.addEventListener("click", () => print());
}
