import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, list, must, numbers, text } from './inputs.mjs';
import { jwk, openssh } from './keys.mjs';
import { decode, encode } from './outputs.mjs';
import { csv, read } from './lab.mjs';
import { balancedOrders, shuffled } from './orders.mjs';
import { table } from './table.mjs';

test('the same seed gives the same inputs, another seed others', () => {
  const draw = (seed) => {
    const next = numbers(seed);
    return [text(next, 20), bytes(next, 20).toString('hex')];
  };
  assert.deepEqual(draw(1), draw(1));
  assert.notDeepEqual(draw(1), draw(2));
});

test('what must hold and does not is an error', () => {
  must(true, 'fine');
  assert.throws(() => must(false, 'one is two'), /wrong result: one is two/);
});

test('outputs differ in their bytes whenever they differ at all', () => {
  const outputs = [
    [],
    [''],
    ['', ''],
    ['ab'],
    ['a', 'b'],
    ['b', 'a'],
    [Buffer.from('ab')],
    [new Uint8Array([97, 98])],
    ['\ud800'],
    ['\ufffd'],
    [true],
    ['true'],
    [1],
    [null],
  ];
  const encoded = new Set(outputs.map((list) => encode(list).toString('hex')));
  assert.equal(encoded.size, outputs.length);
  assert.deepEqual(encode(['ab', true]), encode(['ab', true]));
});

test('outputs come back as they were', () => {
  const outputs = ['', '\ud800', Buffer.from('ab'), new Uint8Array([1, 2]), { a: [1, null] }, true, Buffer.alloc(0)];
  assert.deepEqual(decode(encode(outputs)), outputs);
  assert.deepEqual(decode(encode([])), []);
});

test('an OpenSSH key is the key that it was made of', () => {
  const lines = openssh('ed25519').split('\n');
  const body = Buffer.from(lines.slice(1, -2).join(''), 'base64');
  const { d, x } = jwk('ed25519');
  const pair = Buffer.concat([d, x].map((part) => Buffer.from(part, 'base64url')));
  assert.equal(body.toString('latin1', 0, 15), 'openssh-key-v1\0');
  assert.ok(body.includes(pair));
  // The private part is padded to blocks of 8 bytes by 1, 2, 3, …
  const privateLength = body.length - body.lastIndexOf(Buffer.alloc(8, 7));
  assert.equal(privateLength % 8, 0);
  assert.equal(body.readUInt32BE(body.length - privateLength - 4), privateLength);
  assert.ok(lines.every((line) => line.length <= 70));
});

test('in each block of rounds every arm stands once in every place', () => {
  const arms = ['a', 'b', 'c'];
  for (let seed = 0; seed < 20; seed++) {
    const orders = balancedOrders(arms, 9, numbers(seed));
    assert.equal(orders.length, 9);
    for (let block = 0; block < 9; block += 3) {
      for (const place of [0, 1, 2]) {
        const there = orders.slice(block, block + 3).map((order) => order[place]);
        assert.deepEqual(there.sort(), arms);
      }
    }
  }
  assert.equal(balancedOrders(arms, 4, numbers(1)).length, 4);
});

test('every order comes up', () => {
  const next = numbers(3);
  const seen = new Set(list(200, () => shuffled([1, 2, 3], next).join('')));
  assert.equal(seen.size, 6);
});

test('columns line up', () => {
  const columns = [{ title: 'name' }, { title: 'ms', right: true }];
  const lines = table(columns, [['a', '1.0'], ['longer', '10.0']]).split('\n');
  assert.deepEqual(lines, ['name      ms', '────────────', 'a        1.0', 'longer  10.0']);
});

const RUNS = [
  { arm: 'stock', name: 'etag', what: 'text, "quoted"', calls: 100, seconds: 0.5 },
  { arm: 'alacrypt', name: 'etag', what: 'text, "quoted"', calls: 100, seconds: 0.2 },
];

test('runs become lines that the lab reads', () => {
  assert.deepEqual(csv(RUNS).split('\n'), [
    '"binary","filename","configuration","rate","time"',
    '"stock","etag","text, ""quoted""",200,0.5',
    '"alacrypt","etag","text, ""quoted""",500,0.2',
    '',
  ]);
});

test('rows of the report are found by package', () => {
  const row = {
    name: 'etag text, "quoted"',
    old: { median: 200 },
    new: { median: 500 },
    effect: { ratio: 2.5, interval95: [2, 3] },
    verdict: { word: 'faster' },
  };
  const { rows, sentences } = read({ report: { rows: [row] }, sentences: ['A/A'] }, RUNS);
  assert.deepEqual(sentences, ['A/A']);
  assert.deepEqual(rows.get('etag').rates, { old: 200, new: 500 });
  assert.deepEqual(rows.get('etag').interval, [2, 3]);
  const untested = { ...row, effect: null };
  assert.equal(read({ report: { rows: [untested] } }, RUNS).rows.get('etag').ratio, undefined);
  assert.throws(() => read({ report: { rows: [] } }, RUNS), /no row for etag/);
});
