// The time left for a decision, by the server's clock.

// Milliseconds by which the server's clock is ahead of this one. The page was made at `now`.
export const ahead = (now, here) => now - here;

// A page that took its time to come would show up to a second more than the whole time.
export const left = (deadline, here, offset, whole) => {
  const rest = Math.max(0, deadline - here - offset);
  return rest < whole + 1000 ? Math.min(rest, whole) : rest;
};

// The share of the ring that is still drawn.
export const share = (milliseconds, seconds) =>
  seconds > 0 ? Math.min(1, milliseconds / (seconds * 1000)) : 0;

export const spoken = (milliseconds) => {
  const whole = Math.ceil(milliseconds / 1000);
  if (whole < 100) return String(whole);
  const minutes = Math.floor(whole / 60);
  if (minutes < 10) return `${minutes}:${String(whole % 60).padStart(2, '0')}`;
  if (minutes < 100) return `${minutes}′`;
  return `${Math.floor(minutes / 60)} h`;
};
