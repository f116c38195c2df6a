// The sound and the vibration of a turn. Both stay off until the player switches them on.

const KEPT = 'holotable.signal';
let audio = null;

export const wanted = () => localStorage.getItem(KEPT) === 'on';

export const want = (on) => {
  localStorage.setItem(KEPT, on ? 'on' : 'off');
  if (on) turn();
};

// Two soft notes, a fourth apart.
export const turn = () => {
  if (!wanted()) return;
  navigator.vibrate?.([90, 60, 90]);
  audio ??= new AudioContext();
  note(587.33, 0);
  note(783.99, 0.14);
};

const note = (pitch, after) => {
  const start = audio.currentTime + after;
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.type = 'triangle';
  tone.frequency.value = pitch;
  volume.gain.setValueAtTime(0, start);
  volume.gain.linearRampToValueAtTime(0.22, start + 0.015);
  volume.gain.exponentialRampToValueAtTime(0.001, start + 0.5);
  tone.connect(volume).connect(audio.destination);
  tone.start(start);
  tone.stop(start + 0.5);
};
