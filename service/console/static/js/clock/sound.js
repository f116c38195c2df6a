// The sounds of the clock. A browser plays them only after somebody has tapped.

let audio = null;
let wanted = false;

export const on = () => wanted;

export const toggle = () => {
  wanted = !wanted;
  audio ??= new AudioContext();
  if (wanted) minute();
};

// One minute left: one bell. The level is over: three, going up.
export const minute = () => ring([659.25]);
export const level = () => ring([523.25, 659.25, 783.99]);

const ring = (pitches) => {
  if (!wanted) return;
  audio.resume();
  pitches.forEach((pitch, index) => bell(pitch, audio.currentTime + index * 0.35));
};

const bell = (pitch, start) => {
  for (const [factor, loud] of [[1, 0.5], [2.76, 0.14]]) {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = pitch * factor;
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(loud, start + 0.01);
    volume.gain.exponentialRampToValueAtTime(0.001, start + 1.8);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + 1.8);
  }
};
