// Amounts of a raise: inside the limits, and in whole units.

export const inside = (chips, { least, most, unit }) => {
  const whole = Math.round(chips / unit) * unit;
  return Math.max(least, Math.min(most, Number.isFinite(whole) ? whole : least));
};

// A slider of 200 steps. Small raises get most of its length, because they are most frequent.
const STEPS = 200;
const BEND = 2;

export const atStep = (step, limits) => {
  if (step >= STEPS) return limits.most;
  return inside(limits.least + (limits.most - limits.least) * (step / STEPS) ** BEND, limits);
};

export const stepOf = (chips, { least, most }) =>
  most > least ? Math.round(STEPS * ((chips - least) / (most - least)) ** (1 / BEND)) : STEPS;
