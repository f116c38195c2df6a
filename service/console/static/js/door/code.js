// The text of a QR code, by its modules. It knows bytes in versions 2 to 9, at the levels M, Q
// and H: all that the house draws for the door.

const list = (count, make) => Array.from({ length: count }, (_, each) => make(each));

// Arithmetic in the field of 256 elements. Polynomials begin with the constant.
const POWER = [];
const LOG = [];
for (let each = 0, value = 1; each < 255; each++) {
  POWER[each] = value;
  LOG[value] = each;
  value = (value << 1) ^ (value > 127 ? 285 : 0);
}
const times = (a, b) => (a && b ? POWER[(LOG[a] + LOG[b]) % 255] : 0);
const over = (a, b) => (a ? POWER[(LOG[a] + 255 - LOG[b]) % 255] : 0);
const at = (terms, x) => terms.reduceRight((sum, each) => times(sum, x) ^ each, 0);
const product = (a, b, count) =>
  list(count, (power) => list(power + 1, (each) => times(a[each], b[power - each])).reduce((sum, each) => sum ^ each, 0));

// Corrects a block by its last bytes, as Berlekamp, Massey and Forney do. False if too much is wrong.
const correct = (block, extra) => {
  const word = block.reverse();
  const signs = list(extra, (each) => at(word, POWER[each]));
  let locator = [1];
  let before = [1];
  let count = 0;
  for (let step = 0; step < extra; step++) {
    before = [0, ...before];
    const off = product(locator, signs, step + 1)[step];
    if (!off) continue;
    const next = list(Math.max(locator.length, before.length), (each) => locator[each] ^ times(before[each], off));
    if (2 * count <= step) {
      before = locator.map((each) => over(each, off));
      count = step + 1 - count;
    }
    locator = next;
  }
  const wrong = [...word.keys()].filter((place) => !at(locator, POWER[(255 - place) % 255]));
  const sizes = product(locator, signs, extra);
  const slopes = locator.slice(1).map((each, power) => (power % 2 ? 0 : each));
  for (const place of wrong) {
    const x = POWER[(255 - place) % 255];
    word[place] ^= over(at(sizes, x), times(x, at(slopes, x)));
  }
  block.reverse();
  return wrong.length === count;
};

// By level M, H, Q (0, 2, 3): the blocks of versions 2 to 9, and the bytes that correct each.
const BLOCKS = { 0: "11224445", 2: "12444568", 3: "12244668" };
const EXTRA = {
  0: [16, 26, 18, 24, 16, 18, 22, 22], 2: [28, 22, 16, 22, 28, 26, 26, 24], 3: [22, 18, 26, 18, 24, 18, 22, 20],
};
const MASKS = [
  (x, y) => (x + y) % 2, (x, y) => y % 2, (x) => x % 3, (x, y) => (x + y) % 3,
  (x, y) => (((x / 3) | 0) + (y >> 1)) % 2, (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2, (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
];
const FORMATS = list(32, (each) => {
  let rest = each << 10;
  for (let bit = 4; bit >= 0; bit--) if ((rest >> (bit + 10)) & 1) rest ^= 0x537 << bit;
  return ((each << 10) | rest) ^ 0x5412;
});
const differing = (a, b) => (a ^ b).toString(2).replaceAll("0", "").length;

// Returns the text, or nothing if it cannot be read. `dark(x, y)` is 1 for a dark module, else 0.
export const text = (version, dark) => {
  const size = 17 + 4 * version;
  const seen = list(15, (bit) =>
    (bit < 8 ? dark(8, bit + (bit > 5)) : dark(bit === 8 ? 7 : 14 - bit, 8)) << bit,
  ).reduce((sum, each) => sum | each);
  const format = FORMATS.findIndex((each) => differing(each, seen) < 4);
  const extra = EXTRA[format >> 3]?.[version - 2];
  if (!extra) return;
  const marks = version < 7 ? [6, size - 7] : [6, (size - 1) / 2, size - 7];
  const corner = (x, y) => (x < 9 && y < 9) || (x < 9 && y > size - 9) || (x > size - 9 && y < 9);
  const fixed = (x, y) =>
    corner(x, y) || x === 6 || y === 6 || (version > 6 && Math.min(x, y) < 6 && Math.max(x, y) > size - 12) ||
    marks.some((across) => marks.some((down) =>
      !corner(across, down) && Math.abs(x - across) < 3 && Math.abs(y - down) < 3));
  const bits = [];
  for (let right = size - 1; right > 0; right -= right === 8 ? 3 : 2) {
    for (let step = 0; step < 2 * size; step++) {
      const x = right - (step % 2);
      const y = (right + 1) & 2 ? step >> 1 : size - 1 - (step >> 1);
      if (!fixed(x, y)) bits.push(dark(x, y) ^ !MASKS[format & 7](x, y));
    }
  }
  const total = bits.length >> 3;
  const blocks = list(BLOCKS[format >> 3][version - 2], () => []);
  const long = total % blocks.length; // so many of the last blocks have a byte more
  const short = Math.floor(total / blocks.length) - extra;
  let next = 0;
  for (let row = 0; row <= short + extra; row++) {
    blocks.forEach((block, each) => {
      if (row === short && each < blocks.length - long) return;
      block.push(bits.slice(next, (next += 8)).reduce((sum, bit) => 2 * sum + bit));
    });
  }
  if (!blocks.every((block) => correct(block, extra))) return;
  const bytes = blocks.flatMap((block) => block.slice(0, -extra));
  const byte = (each) => ((bytes[each] & 15) << 4) | (bytes[each + 1] >> 4);
  if (bytes[0] >> 4 === 4) return String.fromCharCode(...list(byte(0), (each) => byte(each + 1)));
};
