// Finds QR codes in pictures, for the browsers that have no BarcodeDetector. The pictures stay here.
import { text } from "./code.js";

const WIDTH = 960; // pixels: enough for a code that fills a third of the picture
const RUNS = [1, 1, 3, 1, 1]; // dark, light, dark, light, dark through the middle of a finder

const canvas = document.createElement("canvas");
const context = canvas.getContext("2d", { willReadFrequently: true });

// Returns a function that tells whether a point is darker than what surrounds it.
const inked = (source) => {
  const scale = Math.min(1, WIDTH / source.videoWidth);
  const width = (canvas.width = Math.round(source.videoWidth * scale));
  const height = (canvas.height = Math.round(source.videoHeight * scale));
  context.drawImage(source, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  const row = width + 1;
  const sums = new Uint32Array(row * (height + 1)); // of everything above and to the left
  for (let y = 0; y < height; y++) {
    for (let x = 0, line = 0; x < width; x++) {
      line += data[4 * (y * width + x) + 1]; // green is close enough to grey
      sums[(y + 1) * row + x + 1] = sums[y * row + x + 1] + line;
    }
  }
  const reach = width >> 4;
  const dark = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const top = Math.max(0, y - reach);
    const end = Math.min(height, y + reach);
    for (let x = 0; x < width; x++) {
      const left = Math.max(0, x - reach);
      const right = Math.min(width, x + reach);
      const sum = sums[end * row + right] - sums[top * row + right] - sums[end * row + left] + sums[top * row + left];
      dark[y * width + x] = data[4 * (y * width + x) + 1] * (end - top) * (right - left) < 0.9 * sum;
    }
  }
  const see = (x, y) => (x >= 0 && x < width ? dark[Math.floor(y) * width + Math.floor(x)] : undefined);
  return { width, height, see };
};

// Returns the size of a module if the runs through a point are a finder's, and how far its middle is.
const through = (see, x, y, across, down) => {
  const outward = (sign) => {
    const runs = [0, 0, 0];
    for (let run = 0, step = sign > 0 ? 0 : -1; run < 3; ) {
      if (see(x + across * step, y + down * step) === 1 - (run % 2)) {
        runs[run]++;
        step += sign;
      } else run++;
    }
    return runs;
  };
  const [before, after] = [outward(-1), outward(1)];
  const runs = [before[2], before[1], before[0] + after[0], after[1], after[2]];
  const module = runs.reduce((sum, each) => sum + each) / 7;
  if (runs.some((each, at) => Math.abs(each - RUNS[at] * module) > RUNS[at] * module * 0.6)) return;
  return { module, shift: (after[0] - before[0]) / 2 };
};

// Returns the middles of squares that look like finders, those seen most often first.
const finders = ({ width, height, see }) => {
  const found = [];
  for (let line = 0; line < height; line += 2) {
    for (let start = 0; start < width; start++) {
      if (!see(start, line)) continue;
      let end = start;
      while (see(end, line)) end++;
      let [x, y] = [(start + end) >> 1, line];
      start = end;
      if (!through(see, x, y, 1, 0)) continue;
      const down = through(see, x, y, 0, 1);
      if (!down) continue;
      y += down.shift;
      const across = through(see, x, y, 1, 0);
      if (!across) continue;
      x += across.shift;
      const module = (down.module + across.module) / 2;
      const known = found.find((each) => Math.hypot(each.x - x, each.y - y) < 3 * module);
      if (!known) found.push({ x, y, module, seen: 1 });
      else {
        const share = 1 / ++known.seen;
        for (const [name, value] of Object.entries({ x, y, module })) known[name] += (value - known[name]) * share;
      }
    }
  }
  return found.sort((a, b) => b.seen - a.seen).slice(0, 6);
};

// Returns triples of finders, those first that are most like a corner with two equal sides.
const corners = (found) => {
  const triples = [];
  for (const corner of found) for (const right of found) for (const below of found) {
    const [a, b] = [right, below].map((each) => [each.x - corner.x, each.y - corner.y]);
    const [long, wide] = [Math.hypot(...a), Math.hypot(...b)];
    if (a[0] * b[1] <= a[1] * b[0]) continue; // mirrored, or the same finder twice
    const odd = Math.abs(long - wide) / (long + wide) + Math.abs(a[0] * b[0] + a[1] * b[1]) / (long * wide);
    // Lines through a turned square are longer than its sides.
    const module = (corner.module * Math.max(...a.map(Math.abs))) / long;
    triples.push({ odd, corner, right, below, modules: (long + wide) / 2 / module });
  }
  return triples.sort((a, b) => a.odd - b.odd).slice(0, 4);
};

// Reads the symbol between three finders. The fourth corner is where the alignment mark fits best.
const symbol = (see, { corner, right, below }, version) => {
  const size = 17 + 4 * version;
  const span = size - 7; // modules between the middles of finders
  const mark = (size - 10) / span;
  // A projection that keeps three corners is three weights. Each half module of the mark is a pair.
  const projected = (i, j) => {
    const weights = [1 - (i + j) / (2 * span * (1 - 2 * mark)), 1 + i / (2 * span * mark), 1 + j / (2 * span * mark)];
    return (column, line) => {
      const [u, v] = [(column - 3) / span, (line - 3) / span];
      const [a, b, c] = [(1 - u - v) * weights[0], u * weights[1], v * weights[2]];
      const at = (name) => (a * corner[name] + b * right[name] + c * below[name]) / (a + b + c);
      return see(at("x"), at("y")) ? 1 : 0;
    };
  };
  const fit = (dark) => {
    let fits = 0;
    for (let x = -2; x < 3; x++) {
      for (let y = -2; y < 3; y++) fits += dark(size - 7 + x, size - 7 + y) === +(Math.max(Math.abs(x), Math.abs(y)) !== 1);
    }
    for (let each = 8; each < size - 8; each++) fits += (dark(each, 6) !== each % 2) + (dark(6, each) !== each % 2);
    return fits;
  };
  let best = { fits: 0 };
  for (let i = -8; i <= 8; i++) {
    for (let j = -8; j <= 8; j++) {
      const fits = fit(projected(i, j));
      if (fits > best.fits) best = { fits, i: 0, j: 0, count: 0 };
      if (fits === best.fits) best = { fits, i: best.i + i, j: best.j + j, count: best.count + 1 };
    }
  }
  return text(version, projected(best.i / best.count, best.j / best.count));
};

// Answers as BarcodeDetector.detect does, with one code at most.
export const detect = async (video) => {
  const picture = inked(video);
  for (const triple of corners(finders(picture))) {
    const guess = Math.round((triple.modules - 10) / 4);
    for (const version of [guess, guess - 1, guess + 1]) {
      const rawValue = version > 1 && version < 10 && symbol(picture.see, triple, version);
      if (rawValue) return [{ rawValue }];
    }
  }
  return [];
};
