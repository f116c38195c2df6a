// The time zone of the reader's device, where the league or the reader has none yet. If the form shows an instant,
// its day and time are then that instant in this zone.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const hidden = document.querySelector("[data-zone]");
if (hidden) hidden.value = zone;
const inside = document.querySelector("[data-device-zone]");
const field = inside?.querySelector("select");
if (field && [...field.options].some((each) => each.value === zone)) {
  field.value = zone;
  if (inside.dataset.deviceZone) {
    const at = new Date(inside.dataset.deviceZone);
    const here = new Date(at - at.getTimezoneOffset() * 60_000).toISOString();
    inside.querySelector("[type=date]").value = here.slice(0, 10);
    inside.querySelector("[type=time]").value = here.slice(11, 16);
  }
}
