import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeText } from '../../base/text.ts';
import type { PileItem } from '../pile.ts';
import { redactedItems } from '../redaction/redact-pile.ts';
import { plainRedactor } from '../../../test/redaction/plain-redactor.ts';
import { readPile } from './read-pile.ts';

const dump = (handler: number, waiting: number): string =>
  [`goroutine ${handler} [running]:`, 'main.quit()', '\t/m.go:1 +0x1', '']
    .concat(
      Array.from({ length: waiting }, (_, id) => [
        `goroutine ${id + 1} [select]:`,
        'main.f()',
        '\t/m.go:7 +0x1',
        '',
      ]).flat(),
    )
    .join('\n');

async function* file(text: string, mtimeSeconds?: number): AsyncIterable<PileItem> {
  yield { kind: 'member', path: 'kubelet.log', bytes: encodeText(text), mtimeSeconds, damage: undefined };
}

describe('a file with several dumps', () => {
  it('is as many snapshots, each dated by its log', async () => {
    const log = [dump(901, 2), dump(902, 3), dump(903, 4)]
      .map((text, i) => text.replace(/^(?=.)/gm, `2026-11-16T06:${String(5 * i).padStart(2, '0')}:00Z stderr F `))
      .join('\n');
    const { snapshots, viewGroups } = await readPile(file(log));
    assert.deepEqual(
      snapshots.map(({ dump: one, takenAtSeconds }) => [one?.goroutines.length, takenAtSeconds]),
      [0, 300, 600].map((later, i) => [3 + i, Date.UTC(2026, 10, 16, 6) / 1000 + later]),
    );
    assert.equal(viewGroups.length, 3);
    assert.match(snapshots[1]?.notes.join() ?? '', /dump 2 of 3 in this file/);
  });

  it('gets the year of a journal from the time of the file', async () => {
    const log = [dump(901, 2), dump(902, 3)]
      .map((text, i) => text.replace(/^(?=.)/gm, `Nov 16 06:0${5 * i}:00 worker-17 kubelet[123]: `))
      .join('\n');
    const { snapshots } = await readPile(file(log, Date.UTC(2026, 10, 16, 7) / 1000));
    assert.deepEqual(
      snapshots.map(({ takenAtSeconds }) => takenAtSeconds),
      [0, 300].map(later => Date.UTC(2026, 10, 16, 6) / 1000 + later),
    );
  });

  it('is in the order of the file if nothing dates it, never one moment', async () => {
    const { snapshots, viewGroups } = await readPile(file(`${dump(901, 2)}\n${dump(902, 3)}`, 1_794_800_000));
    assert.deepEqual(
      snapshots.map(({ dump: one, takenAtFrom }) => [one?.goroutines.length, takenAtFrom]),
      [
        [3, 'unknown'],
        [4, 'unknown'],
      ],
    );
    assert.equal(viewGroups.length, 2);
  });

  it('is of the host that logged it, and of as many targets as hosts', async () => {
    const journal = (host: string, handler: number): string =>
      dump(handler, 2).replace(/^(?=.)/gm, `2026-11-16T06:0${handler % 10}:00Z ${host} kubelet[123]: `);
    const { snapshots } = await readPile(file(`${journal('worker-1', 901)}\n${journal('worker-2', 902)}`));
    assert.deepEqual(
      snapshots.map(({ process }) => process.target),
      ['worker-1', 'worker-2'],
    );
  });
});

describe('journals of two nodes in one folder', () => {
  it('are two targets, also after redaction', async () => {
    async function* journals(): AsyncIterable<PileItem> {
      for (const node of ['worker-1', 'worker-2']) {
        const text = dump(901, 2).replace(/^(?=.)/gm, `2026-11-16T06:00:00Z ${node} kubelet[123]: `);
        const path = `logs-of-today/journal-${node.at(-1)}.txt`;
        yield { kind: 'member', path, bytes: encodeText(text), mtimeSeconds: undefined, damage: undefined };
      }
    }
    const targets = async (items: AsyncIterable<PileItem>): Promise<string[]> =>
      (await readPile(items)).snapshots.map(({ process }) => process.target);
    assert.deepEqual(await targets(journals()), ['worker-1', 'worker-2']);
    const redactor = plainRedactor();
    const hidden = ['worker-1', 'worker-2'].map(node => redactor.hide('name', node));
    assert.deepEqual(await targets(redactedItems(journals(), [], redactor)), hidden);
  });
});
