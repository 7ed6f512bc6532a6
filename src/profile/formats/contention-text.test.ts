import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { FormatError } from '../../base/errors.ts';
import { encodeText } from '../../base/text.ts';
import { readLegacy } from './legacy/legacy.ts';
import { readContentionText, sniffContentionText } from './heap-text.ts';

const capture = (name: string): Uint8Array =>
  readFileSync(new URL(`../../../test/fixtures/captures/contention-text/${name}`, import.meta.url));

describe('readContentionText', () => {
  for (const name of ['mutex-go1.27.txt', 'block-go1.27.txt', 'mutex-go1.19.txt']) {
    it(`reads ${name} with the values of the legacy reader and a name for every frame`, () => {
      const bytes = capture(name);
      assert.ok(sniffContentionText(bytes.subarray(0, 64)));
      const { profile } = readContentionText(bytes);
      assert.deepEqual(profile.samples.values, readLegacy(bytes).samples.values);
      const { locations } = profile;
      for (let i = 0; i < locations.length; i++) assert.ok(locations.lineStart[i] < locations.lineStart[i + 1]);
    });
  }

  it('reads the first row, whose line ended the header', () => {
    const { profile } = readContentionText(capture('block-go1.27.txt'));
    const { functions, locations, strings } = profile;
    assert.equal(strings[functions.name[locations.lines.fn[0]]], 'runtime.chanrecv1');
    assert.equal(Number(locations.lines.line[0]), 509);
    assert.deepEqual(
      profile.sampleTypes.map(({ type }) => type),
      ['contentions', 'delay'],
    );
  });

  it('scales by period and clock', () => {
    const text = '--- mutex:\ncycles/second=2000000000\nsampling period=5\n1000 3 @ 0x1\n';
    const { values } = readContentionText(encodeText(text)).profile.samples;
    assert.deepEqual(
      values.map(column => Number(column[0])),
      [15, 2500],
    );
  });

  it('refuses other text', () => {
    assert.ok(!sniffContentionText(encodeText('--- contentionz 1 ---\n')));
    assert.throws(() => readContentionText(encodeText('heap profile: 1\n')), FormatError);
    assert.throws(() => readContentionText(encodeText('--- mutex:\ncycles/second=x\n')), { line: 2 });
    assert.throws(() => readContentionText(encodeText('--- mutex:\n1 1 @ 0x1\nwhat\n')), { line: 3 });
  });
});
