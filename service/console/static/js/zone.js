// The time zone of the reader's device, where the league has none yet.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const field = document.querySelector("[data-device-zone] select");
if (field && [...field.options].some((each) => each.value === zone)) field.value = zone;
