/**
 * Writes to a store until it is killed, and prints to stdout what the store reported as committed:
 *
 *     ready
 *     batch 17                 samples of every target at the time of 17, with the value 17
 *     capture 17               a capture of that name whose file is `contentOf(17)`
 */
import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { openKilledStore } from './killed-store.ts';
import { captureOf, LIMITS, type StoreName, TARGETS, timeOf } from './kill-store-content.ts';

const [folder, storeName, from, database] = process.argv.slice(2);
const store = await openKilledStore(folder, database, LIMITS[storeName as StoreName]);
/** Written straight to the pipe, so that a kill loses no line. */
const say = (line: string): number => writeSync(1, `${line}\n`);

say('ready');
for (let batch = Number(from); ; batch++) {
  for (const target of TARGETS) store.addSample(target, timeOf(batch), { x: batch, noise: randomOf(batch) });
  store.put({ kind: 'event', record: { target: TARGETS[0], at: timeOf(batch), kind: 'note', text: String(batch) } });
  const { committed } = await store.commit();
  if (!committed) throw new Error(store.status().degraded ?? 'not committed');
  say(`batch ${batch}`);
  if (batch % 2 === 0) {
    await store.addCapture(captureOf(batch));
    say(`capture ${batch}`);
  }
  await store.maintain(timeOf(batch));
}

function randomOf(batch: number): number {
  return createHash('sha256').update(String(batch)).digest().readUInt32LE(0) / 7;
}
