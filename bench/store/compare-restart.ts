/**
 * What two weeks of the past cost when a watch starts, and when a replica takes over targets: read from the store, and
 * given to the pages and to a detector that is judged on the way.
 */
import { join } from 'node:path';
import { createFleetDetector } from '../../src/judge/detect/fleet-detector.ts';
import { openSqliteRows } from '../../src/store/io/sqlite/store-rows.ts';
import { openFolderStore } from '../../src/cli/watch/open-store.ts';
import { replayStored, type StoredReplay } from '../../src/watch/state/replay-stored.ts';
import { WatchedTarget } from '../../src/watch/state/watched-target.ts';
import { packRows, unpackRows } from '../../src/store/codec/packed-rows.ts';
import { table } from '../table.ts';
import { fillPast, type MadePast, nodeName } from './made-past.ts';
import type { SampleStore } from '../../src/store/ports.ts';

type Use = Pick<StoredReplay, 'observe' | 'evaluate'>;

export async function compareRestart(folder: string, past: MadePast): Promise<string> {
  const path = join(folder, 'restart');
  await fillPast(await openSqliteRows(path, path, false), past);
  const store = await openFolderStore(path);
  const names = Array.from({ length: past.targets }, (_, i) => nodeName(i));
  // All of it in steps of five minutes, as a comparison.
  const finely: Pick<SampleStore, 'replay'> = {
    replay: ({ from, targets }) => store.replay({ from, ...(targets === undefined ? {} : { targets }) }),
  };
  const shown = (): Use => {
    const entry = { connection: undefined, attributes: {} };
    const targets = new Map(names.map(name => [name, new WatchedTarget({ name, ...entry }, 1)]));
    return {
      observe: async rows => {
        for (const { target, at, values } of rows) targets.get(target)?.observe(at, values);
      },
      evaluate: async () => {},
    };
  };
  const judged = (): Use => {
    const detector = createFleetDetector({});
    return {
      // As to its thread.
      observe: async rows => {
        for (const { target, at, values } of unpackRows(packRows(rows))) detector.observe(target, at, values);
      },
      evaluate: async at => void detector.evaluate(at),
    };
  };
  const rows: string[][] = [];
  const ways: readonly (readonly [what: string, samples: Pick<SampleStore, 'replay'>, use: () => Use])[] = [
    ['the pages of a replica that starts', store, shown],
    ['a detector that takes over', store, judged],
    ['the same, in steps of five minutes', finely, judged],
  ];
  for (const [what, samples, use] of ways) {
    const before = process.cpuUsage();
    await replayStored({ samples, now: past.midnight, hourSeconds: 3600, targets: names, ...use() });
    const { user, system } = process.cpuUsage(before);
    rows.push([what, `${((user + system) / 1000 / past.targets).toFixed(1)} ms`]);
  }
  await store.close();
  return table(['for', 'CPU per target'], rows);
}
