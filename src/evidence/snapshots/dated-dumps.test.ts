import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeText, encodeText } from '../../base/text.ts';
import { splitDumps } from './dated-dumps.ts';

const goroutine = (id: number, state: string): string => `goroutine ${id} [${state}]:\nmain.f()\n\t/m.go:7 +0x1\n\n`;
const dump = (handler: number, ids: readonly number[]): string =>
  goroutine(handler, 'running') + ids.map(id => goroutine(id, 'select')).join('');
const split = (text: string): string[] => splitDumps(encodeText(text)).map(part => decodeText(part));

describe('several dumps in one file', () => {
  it('leaves a single dump alone, threads with goroutine 0 included', () => {
    const text = dump(9, [1, 2, 3]) + goroutine(0, 'idle') + goroutine(0, 'idle');
    assert.deepEqual(split(text), [text]);
  });

  it('begins each at the goroutine that was running', () => {
    const dumps = [dump(9, [1, 2]), dump(77, [1, 2, 3]), dump(99, [1, 3])];
    assert.deepEqual(split(dumps.join('')), dumps);
  });

  it('keeps the prefixes of a log, by which each is dated', () => {
    const prefixed = (time: string, text: string): string =>
      text.replace(/^(?=.)/gm, `Nov 16 ${time} worker-17 kubelet[123]: `);
    const dumps = [prefixed('06:00:00', dump(9, [1, 2])), prefixed('06:05:00', dump(8, [1, 2, 3]))];
    assert.deepEqual(split(dumps.join('')), dumps);
  });

  it('is not misled by ids in other lines', () => {
    const text = `${goroutine(1, 'select').trimEnd()}\ncreated by main.g in goroutine 1\n\t/m.go:9 +0x1\n\n${goroutine(2, 'select')}`;
    assert.deepEqual(split(text), [text]);
  });
});
