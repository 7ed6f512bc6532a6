/** A store with a past: real bytes, the same for every target, since only their size matters. */
import zlib from 'node:zlib';
import { chunkOfRows, type Row, FIVE_MINUTES, RAW } from '../../src/store/codec/chunk.ts';
import { sealTarget } from '../../src/store/codec/sealing.ts';
import type { StoreRows } from '../../src/store/ports.ts';
import { STORE_TABLES, type StoreRow } from '../../src/store/tables.ts';
import { MadeTarget } from './samples.ts';

export interface MadePast {
  readonly targets: number;
  readonly days: number;
  /** When it ends. */
  readonly midnight: number;
  readonly nameOf?: (index: number) => string;
}

const PAGE_ROWS = 500;

/** In steps of five minutes and of an hour, written as a copy writes them. */
export async function fillPast(
  rows: StoreRows,
  { targets, days, midnight, nameOf = nodeName }: MadePast,
): Promise<void> {
  const [ofTargets, ofMetrics, ofChunks] = ['targets', 'metrics', 'chunks'].map(name =>
    STORE_TABLES.find(one => one.name === name),
  );
  const write = async (into: typeof ofTargets, all: Iterable<StoreRow>): Promise<void> => {
    let page: StoreRow[] = [];
    for (const row of all) {
      page.push(row);
      if (page.length < PAGE_ROWS) continue;
      await rows.write(into, page, {});
      page = [];
    }
    await rows.write(into, page, {});
  };
  const from = midnight - 86_400 * days;
  const ids = Array.from({ length: targets }, (_, i) => i + 1);
  await write(
    ofTargets,
    ids.map(id => [id, nameOf(id - 1), '{}', from, midnight]),
  );
  const metrics = Object.keys(new MadeTarget(0, 0).next());
  await write(
    ofMetrics,
    metrics.map((name, i) => [i + 1, name]),
  );
  const chunks = madeChunks(from, midnight);
  await write(
    ofChunks,
    (function* () {
      for (const [step, slot, body] of chunks) for (const id of ids) yield [id, step, slot, body];
    })(),
  );
  await rows.finish();
  await rows.close();
}

/** The chunks of one target. */
function madeChunks(from: number, to: number): (readonly [step: number, slot: number, body: Uint8Array])[] {
  const made = new MadeTarget(0, from);
  const known = new Map<string, readonly [step: number, slot: number, body: Uint8Array]>();
  for (let begin = from; begin < to; begin += FIVE_MINUTES.slotSeconds) {
    const samples: Row[] = [];
    for (let at = begin; at < begin + FIVE_MINUTES.slotSeconds; at += 60) {
      const values = Object.values(made.next());
      samples.push({ at, metrics: values.map((_, i) => i + 1), values });
    }
    const sealed = sealTarget(
      zlib,
      chunkOfRows(samples),
      ({ stepSeconds }, slot) => known.get(`${stepSeconds} ${slot}`)?.[2],
      () => {},
    );
    for (const { level, slot, body } of sealed)
      if (level !== RAW) known.set(`${level.stepSeconds} ${slot}`, [level.stepSeconds, slot, body]);
  }
  return [...known.values()];
}

export function nodeName(index: number): string {
  return `node/worker-${index}`;
}
