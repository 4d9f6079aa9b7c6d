import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, list, must, numbers, text } from './inputs.mjs';
import { encode } from './outputs.mjs';
import { balancedOrders, median, quantile, shuffled } from './statistics.mjs';
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

test('quantiles interpolate between order statistics', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.equal(quantile([1, 2, 3, 4, 5], 0.25), 2);
  assert.equal(quantile([10, 20], 0.75), 17.5);
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
