// The checks of a bundle, as api-spec/bundle.md describes them, in the reader's own browser.

import {
  bytes, canonical, cardLeaf, commitment, hex, leaf, root, rootOf, sha, unbase64, unhex,
} from './hashing.js';

// Each check yields `{ name, holds, count, facts }`. `holds` is null if it could not be made.
export async function* checks(text, keys) {
  const bundle = read(text);
  yield await form(bundle);
  yield await signature(bundle, keys);
  const { known, broken } = await chain(bundle);
  yield tree(bundle, await rootSafely(bundle, known));
  yield { name: 'chain', holds: broken.length === 0, count: bundle.events.length, facts: broken };
  yield await openings(bundle);
  yield await piles(bundle);
  yield await cards(bundle);
}

const read = (text) => {
  const lines = text.split('\n').slice(0, -1);
  const values = lines.map((each) => JSON.parse(each));
  const of = (kind) => values.filter((each) => each.line === kind);
  const [head] = of('head');
  const [{ note }] = of('checkpoint');
  return {
    lines,
    values,
    note,
    league: unhex(head.league.slice(4)),
    head,
    size: Number(note[1]),
    nodes: of('node'),
    events: of('event'),
    hidden: [...of('withheld'), ...of('voided')],
    leaves: of('leaves'),
    openings: of('opening'),
    end: of('end')[0],
  };
};

const result = (name, wrong, count) => ({ name, holds: wrong.length === 0, count, facts: wrong });

const form = async ({ lines, values, end }) => {
  const wrong = [];
  values.forEach((each, at) => {
    if (canonical(each) !== lines[at]) wrong.push(at + 1);
  });
  const before = lines.slice(0, -1).map((each) => `${each}\n`).join('');
  const digest = hex(await sha(bytes(before)));
  if (digest !== end.sha256 || end.lines !== lines.length - 1) wrong.push(lines.length);
  return result('form', wrong, lines.length);
};

// A key is `name+id+key`. The first byte of the key names the algorithm.
const signature = async ({ note }, keys) => {
  const blank = note.lastIndexOf('', note.length - 2);
  const text = bytes(`${note.slice(0, blank).join('\n')}\n`);
  for (const line of note.slice(blank + 1, -1)) {
    const [, name, encoded] = line.split(' ');
    const signed = unbase64(encoded);
    for (const key of keys) {
      const [, owner, id, rest] = key.match(/^(.+?)\+([0-9a-f]{8})\+(.+)$/) ?? [];
      if (owner !== name || id !== hex(signed.slice(0, 4))) continue;
      const holds = await verified(unbase64(rest).slice(1), signed.slice(4), text);
      return { name: 'signature', holds, count: 1, facts: [key] };
    }
  }
  return { name: 'signature', holds: null, count: 0, facts: [] };
};

const verified = async (raw, signed, text) => {
  try {
    const key = await crypto.subtle.importKey('raw', raw, 'Ed25519', false, ['verify']);
    return await crypto.subtle.verify('Ed25519', key, signed, text);
  } catch {
    return null; // this browser has no Ed25519
  }
};

// The hash of every event follows from the event and the hash before it in its stream.
const chain = async ({ league, events, hidden, nodes }) => {
  const known = new Map(nodes.map((each) => [`${each.first}-${each.end}`, unhex(each.hash)]));
  const last = new Map();
  const broken = [];
  const inOrder = [...events, ...hidden].sort((one, other) => one.position - other.position);
  for (const each of inOrder) {
    const before = last.get(each.stream);
    let hash = each.hash && unhex(each.hash);
    if (!hash) {
      const previous = each.previous ? unhex(each.previous) : before?.hash;
      hash = await leaf(league, previous, each);
      const follows = each.previous || each.version === (before?.version ?? 0) + 1;
      if (!follows || (before?.at && each.at < before.at)) broken.push(each.position);
    }
    known.set(`${each.position}-${each.position + 1}`, hash);
    last.set(each.stream, { hash, version: each.version, at: each.at });
  }
  return { known, broken };
};

const rootSafely = async ({ size }, known) => {
  try {
    return hex(await root(0, size, known));
  } catch (error) {
    return error.message;
  }
};

const tree = ({ note, size }, found) => {
  const due = hex(unbase64(note[2]));
  return { name: 'tree', holds: found === due, count: size, facts: [due, found] };
};

const at = (value, pointer) =>
  pointer
    .split('/')
    .slice(1)
    .reduce((part, key) => part?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], value);

// Each value that this reader may open matches an earlier commitment.
const openings = async ({ league, events, openings: opened }) => {
  const byPosition = new Map(events.map((each) => [each.position, each]));
  const wrong = [];
  let count = 0;
  for (const { position, pointer, salt, value } of opened) {
    const event = byPosition.get(position);
    const place = event && at(event.data, pointer);
    if (!place?.commitment) continue;
    count += 1;
    const found = hex(await commitment(league, event, pointer, unhex(salt), value));
    if (found !== place.commitment) wrong.push(position);
  }
  return result('openings', wrong, count);
};

// Every pile was committed to before its first card was dealt.
const piles = async ({ events, leaves }) => {
  const committed = new Map(
    events.map((each) => [each.position, each.data.deck_root ?? each.data.root]),
  );
  const wrong = [];
  for (const { position, hashes } of leaves) {
    const found = hex(await rootOf(hashes.map(unhex)));
    if (found !== committed.get(position)) wrong.push(position);
  }
  return result('piles', wrong, leaves.length);
};

// Each card that this reader sees lay at its place in the pile that was committed to.
const cards = async ({ events, leaves, openings: opened }) => {
  const hashes = new Map(leaves.map((each) => [each.position, each.hashes]));
  const own = new Map(opened.map((each) => [`${each.position}${each.pointer}`, each]));
  const wrong = [];
  let piled = new Map();
  let count = 0;
  for (const event of events) {
    if (!event.stream.startsWith('table-')) continue;
    if (event.type === 'hand_opened') piled = new Map([[1, hashes.get(event.position)]]);
    if (event.type === 'pile_committed') piled.set(event.data.pile, hashes.get(event.position));
    for (const seen of shownIn(event, own)) {
      const due = piled.get(seen.pile)?.[seen.position];
      if (!due) continue;
      count += 1;
      const found = hex(await cardLeaf(unhex(seen.salt), seen.pile, seen.position, seen.card));
      if (found !== due) wrong.push(event.position);
    }
  }
  return result('cards', wrong, count);
};

// Cards turned over carry their salt. A card of the reader has its salt in an opening.
function* shownIn(event, own, value = event.data, pointer = '') {
  if (value === null || typeof value !== 'object') return;
  if (Number.isInteger(value.pile) && Number.isInteger(value.position)) {
    const mine = own.get(`${event.position}${pointer}`);
    if (value.card && value.salt) yield value;
    else if (mine) yield { ...value, card: mine.value, salt: mine.salt };
  }
  for (const [key, inner] of Object.entries(value)) {
    yield* shownIn(event, own, inner, `${pointer}/${key}`);
  }
}
