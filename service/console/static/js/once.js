// A form is sent once, and its page then stays as it is: a form in a newer part would have a new key.
// This is no module: it is there before the first form. Each further press would end the request of
// the one before, so on a slow server somebody who presses again and again would never see an answer.
{
  // Milliseconds until a page that stays may send a form again. A slow line takes seconds to bring the
  // next page, and a form that is sent twice acts twice.
  const SENDING = 60_000;

  // On the window, after the modules that send forms themselves: what they prevented is theirs.
  addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    const form = event.target;
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
}
