import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RECORD_START_SECONDS } from '../simulate/simulated-node.ts';
import { carrierMember, hashOf } from './carrier-member.ts';
import { haveDatasets, readCarriers } from './datasets.ts';

const CARRIER = {
  dataset: 'test',
  name: 'm_1',
  hours: Float64Array.from({ length: 200 }, (_, hour) => hour),
  bytes: new Float64Array(200).fill(5e8),
};

function bytesOf(injected: boolean): number[] {
  const seen: number[] = [];
  const member = carrierMember(CARRIER, 'go_gc_heap_live_bytes', 1, injected);
  for (const until of [50, 120, 500]) {
    member.advance(until, (target, atSeconds, values) => {
      assert.equal(target, 'm_1');
      assert.equal(atSeconds, RECORD_START_SECONDS + seen.length * 3600);
      seen.push(values.go_gc_heap_live_bytes);
    });
  }
  return seen;
}

describe('a carrier', () => {
  it('is exposed unchanged', () => {
    assert.deepEqual(bytesOf(false), Array.from(CARRIER.bytes));
  });

  it('with a leak rises from the onset by 1 to 4 % of its level a day', () => {
    const { truth } = carrierMember(CARRIER, 'go_gc_heap_live_bytes', 1, true);
    const { leak, level } = truth;
    assert.ok(leak !== undefined);
    assert.equal(level, 5e8);
    assert.ok(leak.onsetHours >= 0 && leak.onsetHours <= 60);
    const perDay = (leak.unitsPerHour * 24) / level;
    assert.ok(perDay >= 0.01 && perDay <= 0.04);
    const bytes = bytesOf(true);
    assert.equal(bytes[Math.floor(leak.onsetHours)], 5e8);
    assert.ok(Math.abs(bytes[199] - 5e8 - (199 - leak.onsetHours) * leak.unitsPerHour) <= 1);
  });

  it('is in the same half on every machine', () => {
    assert.equal(hashOf(''), 0x811c9dc5);
    assert.equal(hashOf('a'), 0xe40c292c);
  });
});

describe('the datasets', () => {
  it('are read completely', { skip: haveDatasets() ? false : 'no datasets here' }, () => {
    const carriers = readCarriers();
    for (const { name, hours, bytes } of carriers) {
      assert.ok(hours.length > 500 && hours.length === bytes.length, name);
      assert.ok(
        hours.every((hour, i) => i === 0 || hour >= hours[i - 1]),
        `${name} in order`,
      );
      assert.ok(
        bytes.every(value => value > 0 && Number.isFinite(value)),
        `${name} has bytes`,
      );
    }
    assert.deepEqual([...new Set(carriers.map(({ dataset }) => dataset))], ['alibaba', 'nab real', 'nab artificial']);
  });
});
