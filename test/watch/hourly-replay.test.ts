/** What a detector says does not depend on whether it reads the old past by the hour or by five minutes. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createFleetDetector } from '../../src/judge/detect/fleet-detector.ts';
import { openFolderStore } from '../../src/cli/watch/open-store.ts';
import { replayStored } from '../../src/watch/state/replay-stored.ts';
import type { TargetVerdict } from '../../src/judge/detect/detection.ts';
import type { SampleStore } from '../../src/store/ports.ts';

const NOW = 1_794_700_800;
const DAYS = 14;
const STEP_SECONDS = 600;
const TARGETS = 12;

/** The first three leak, one of them since a restart; the others do not, and some restart, too. */
function valuesOf(target: number, at: number): Record<string, number> {
  const hours = (at - NOW) / 3600 + DAYS * 24;
  const restartHours = target % 3 === 2 ? 100 + 7 * target : 0;
  const since = hours < restartHours ? hours : hours - restartHours;
  const noise = (k: number): number => Math.sin(hours * k + target) + Math.sin(hours * 1.7 * k);
  const leaked = target < 3 ? since : 0;
  return {
    process_start_time_seconds: NOW - 30 * 86_400 + (hours < restartHours ? 0 : 3600 * (DAYS * 24 + restartHours)),
    process_cpu_seconds_total: since * 180,
    kubelet_running_pods: Math.round(40 + 6 * Math.sin((hours / 24) * 2 * Math.PI)),
    go_goroutines: Math.round(300 + 8 * noise(3) + 6 * leaked),
    go_gc_heap_live_bytes: 4e7 + 8e5 * noise(5) + 4e5 * leaked,
    process_resident_memory_bytes: 1.2e8 + 1e6 * noise(2) + 4e5 * leaked,
    process_open_fds: Math.round(31 + noise(1)),
    go_threads: Math.round(14 + noise(4)),
  };
}

describe('the past by the hour', () => {
  it('gives the verdicts of the past by five minutes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'oakum-hourly-'));
    try {
      const store = await openFolderStore(folder);
      const names = Array.from({ length: TARGETS }, (_, i) => `node/${i}`);
      for (let at = NOW - DAYS * 86_400, round = 0; at < NOW; at += STEP_SECONDS, round++) {
        names.forEach((name, i) => store.addSample(name, at, valuesOf(i, at)));
        if (round % 60 !== 59) continue;
        await store.commit();
        await store.maintain(at);
      }
      await store.commit();
      const judge = async (samples: Pick<SampleStore, 'replay'>): Promise<readonly TargetVerdict[]> => {
        const detector = createFleetDetector({});
        const observe: Parameters<typeof replayStored>[0]['observe'] = async rows => {
          for (const { target, at, values } of rows) detector.observe(target, at, values);
        };
        const evaluate = async (at: number): Promise<void> => void detector.evaluate(at);
        await replayStored({ samples, now: NOW, hourSeconds: 3600, targets: names, observe, evaluate });
        return detector.evaluate(NOW);
      };
      const byHour = await judge(store);
      const finely = await judge({
        replay: ({ from, targets }) => store.replay({ from, ...(targets === undefined ? {} : { targets }) }),
      });
      const said = (all: readonly TargetVerdict[]): string[] =>
        all.flatMap(({ target, resources }) => resources.map(one => `${target} ${one.resource} ${one.verdict}`)).sort();
      assert.deepEqual(said(byHour), said(finely));
      assert.equal(said(byHour).filter(text => text.endsWith('goroutines leak')).length, 3);
      for (const { target, resources } of byHour) {
        const fine = finely.find(one => one.target === target);
        for (const { resource, verdict, slopePerHour } of resources) {
          if (verdict !== 'leak') continue;
          const other = fine?.resources.find(one => one.resource === resource)?.slopePerHour ?? NaN;
          assert.ok(Math.abs(slopePerHour / other - 1) < 0.02, `${target} ${resource}: ${slopePerHour} and ${other}`);
        }
      }
      await store.close();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
