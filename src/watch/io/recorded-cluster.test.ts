import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { decodeText } from '../../base/text.ts';
import { openRecordedCluster } from './recorded-cluster.ts';

const LIMITS = { deadlineSeconds: 5, maxBytes: 10_000_000 };
const DEMO = fileURLToPath(new URL('../../../demo', import.meta.url));

describe('a recorded cluster', () => {
  it('answers as it did at that time, within the limits of the request', async () => {
    const { nodes, fromSeconds, toSeconds } = await openRecordedCluster(DEMO);
    const node = nodes.find(({ name }) => name === 'leak-a');
    assert.ok(node !== undefined && fromSeconds <= node.fromSeconds && node.fromSeconds < toSeconds);
    const { get } = node.connect(() => node.fromSeconds + 60);
    const metrics = await get('/metrics', LIMITS);
    assert.ok(metrics.kind === 'answer' && metrics.cut === undefined);
    assert.match(decodeText(metrics.body), /^process_start_time_seconds /m);
    const cut = await get('/metrics', { ...LIMITS, maxBytes: 100 });
    assert.ok(cut.kind === 'answer');
    assert.deepEqual([cut.body.length, cut.cut?.why], [100, 'too-large']);
    assert.equal((await get('/metrics', { ...LIMITS, signal: AbortSignal.abort() })).kind, 'stopped');
    const unknown = await get('/debug/pprof/none', LIMITS);
    assert.equal(unknown.kind === 'answer' && unknown.status, 404);
    const early = await node.connect(() => node.fromSeconds - 1).get('/metrics', LIMITS);
    assert.equal(early.kind, 'refused');
  });

  it('that is damaged says so', async t => {
    const folder = mkdtempSync(join(tmpdir(), 'oakum-recorded-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    for (const text of ['', '{}', '{"name":"x","scrapeSeconds":10,"nodes":[],"events":[],"profiles":[]}']) {
      writeFileSync(join(folder, 'recording.json'), text);
      await assert.rejects(openRecordedCluster(folder), {
        name: 'FormatError',
        message: /^the recording of the demo cannot be read: ./,
      });
    }
  });
});
