// The bytes and hashes of api-spec/bundle.md, with the browser's own cryptography.

const encoder = new TextEncoder();

export const bytes = (text) => encoder.encode(text);
export const hex = (data) => Array.from(data, (each) => each.toString(16).padStart(2, '0')).join('');
export const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (each) => parseInt(each, 16));
export const unbase64 = (text) => Uint8Array.from(atob(text), (each) => each.charCodeAt(0));

export const joined = (...parts) => {
  const whole = new Uint8Array(parts.reduce((sum, each) => sum + each.length, 0));
  let at = 0;
  for (const each of parts) {
    whole.set(each, at);
    at += each.length;
  }
  return whole;
};

export const sha = async (...parts) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', joined(...parts)));

export const number = (value, size) => {
  const data = new Uint8Array(size);
  let rest = BigInt.asUintN(8 * size, BigInt(value));
  for (let place = size - 1; place >= 0; place -= 1) {
    data[place] = Number(rest & 255n);
    rest >>= 8n;
  }
  return data;
};

// RFC 8785, as far as bundles need it: keys in order, no spaces.
export const canonical = (value) => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
};

// The microseconds since 1970 of an instant with up to six decimal places.
const instant = (text) => {
  const [, whole, digits = ''] = text.match(/^(.*?)(?:\.(\d+))?Z$/);
  return BigInt(Date.parse(`${whole}Z`)) * 1000n + BigInt(digits.padEnd(6, '0'));
};

const ZEROS = new Uint8Array(32);

// An event's leaf: a hash over 253 bytes, of which 32 are the hash of the event before.
export const leaf = async (league, previous, event) => {
  const entry = joined(
    bytes('holotable/1'),
    league,
    previous ?? ZEROS,
    await sha(bytes(event.stream)),
    number(event.version, 8),
    unhex(event.id),
    number(instant(event.at), 8),
    await sha(bytes(event.type)),
    number(event.schema_version, 2),
    await sha(bytes(canonical(event.data))),
    unhex(event.metadata),
    event.sealed === null ? ZEROS : unhex(event.sealed),
  );
  return sha(Uint8Array.of(0), entry);
};

// The root of RFC 6962 over the leaves from `first` to below `end`. `known` holds hashes by range.
export const root = async (first, end, known) => {
  const found = known.get(`${first}-${end}`);
  if (found) return found;
  if (end - first <= 1) throw new Error(`leaf ${first} is missing`);
  let half = 1;
  while (half * 2 < end - first) half *= 2;
  const left = await root(first, first + half, known);
  return sha(Uint8Array.of(1), left, await root(first + half, end, known));
};

export const rootOf = (leaves) =>
  root(0, leaves.length, new Map(leaves.map((each, at) => [`${at}-${at + 1}`, each])));

export const commitment = async (league, event, pointer, salt, value) =>
  sha(
    bytes('holotable/commit/1'),
    league,
    await sha(bytes(event.stream)),
    number(event.version, 8),
    await sha(bytes(pointer)),
    salt,
    bytes(canonical(value)),
  );

export const cardLeaf = (salt, pile, position, card) =>
  sha(
    Uint8Array.of(0),
    bytes('holotable/card/1'),
    salt,
    number(pile, 2),
    number(position, 2),
    bytes(card),
  );
