/** Adds captures to a store whose evidence is in a bucket, until it is killed; prints those that were taken. */
import { writeSync } from 'node:fs';
import { encodeText } from '../../../src/base/text.ts';
import { evidenceSettings } from '../../../src/cli/connect/store-places.ts';
import { openFolderStore } from '../../../src/cli/watch/open-store.ts';

const [folder, url, from] = process.argv.slice(2);
const store = await openFolderStore(folder, { limits: { maxBytes: 40_000 } }, evidenceSettings(url, process.env, '/'));
writeSync(1, 'ready\n');
for (let i = Number(from); ; i++) {
  const bytes = encodeText(`profile ${i} `.repeat(100));
  const files = [{ kind: 'heap', at: i, truncated: null, bytes }] as const;
  await store.addCapture({
    id: `c${i}`,
    target: 'a',
    at: i,
    trigger: 'slope',
    reason: '',
    processStartSeconds: i,
    files,
  });
  writeSync(1, `${i}\n`);
  await store.maintain(i);
}
