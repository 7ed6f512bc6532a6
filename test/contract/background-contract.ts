/** The contract of every Background. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Background, DetectorRow } from '../../src/watch/background.ts';
import type { TargetEvidence } from '../../src/evidence/capture.ts';

export interface BackgroundImplementation {
  readonly name: string;
  /** With the bundled catalogue and the detector's defaults. */
  make(): Background;
}

const T0 = 1_794_700_800;
const HOURS = 96;

/** Two kubelets: one whose goroutines grow by 40 an hour at a constant number of pods, and one that does not grow. */
function rows(): DetectorRow[] {
  return Array.from({ length: HOURS * 6 }, (_, i) => T0 + 600 * i).flatMap((at, i) =>
    ['leaking', 'steady'].map(target => ({
      target,
      at,
      values: {
        go_goroutines: 300 + (i % 7) + (target === 'leaking' ? Math.round(40 * (i / 6)) : 0),
        kubelet_running_pods: 30,
        process_start_time_seconds: T0 - 3600,
      },
    })),
  );
}

function recorded(set: 'first' | 'second', at: number): TargetEvidence['captures'][number] {
  const file = new URL(`../double/recordings/leak-a/${set}/heap.pb.gz`, import.meta.url);
  const bytes = readFileSync(file);
  const name = `heap-${at}.pb.gz`;
  const entry = {
    kind: 'heap',
    set: 1,
    file: name,
    request: '/debug/pprof/heap',
    takenAtSeconds: at,
    tookSeconds: 0,
    skewSeconds: undefined,
    status: 200,
    bytes: bytes.length,
    sha256: undefined,
    truncated: undefined,
    error: undefined,
  } as const;
  return {
    manifest: {
      schema: 'oakum.capture/v1',
      target: 'node/worker-17',
      oakumVersion: '0.0.0',
      startedAtSeconds: at,
      endedAtSeconds: at,
      version: 'v1.36.0',
      goVersion: undefined,
      buildId: undefined,
      processStartSeconds: [T0 - 3600],
      entries: [entry],
      notes: [],
    },
    files: [{ name, bytes: new Uint8Array(bytes) }],
  };
}

const EVIDENCE: TargetEvidence = {
  target: 'node/worker-17',
  captures: [recorded('first', 1_794_772_310), recorded('second', 1_794_774_110)],
  samples: [],
};

export function backgroundContract({ name, make }: BackgroundImplementation): void {
  describe(`Background: ${name}`, () => {
    let background: Background;
    before(() => void (background = make()));
    after(() => background.close());

    it('judges the samples it was given, and forgets them on request', async () => {
      assert.deepEqual(await background.evaluate(T0), []);
      for (const row of rows()) background.observe([row]);
      await background.settle();
      const verdicts = await background.evaluate(T0 + HOURS * 3600);
      const found = Object.fromEntries(verdicts.map(({ target, verdict }) => [target, verdict]));
      assert.deepEqual(found, { leaking: 'leak', steady: 'healthy' });
      background.forget(['leaking', 'steady']);
      assert.deepEqual(await background.evaluate(T0 + HOURS * 3600), []);
    });

    it('judges a fleet, each target once', async () => {
      const names = Array.from({ length: 600 }, (_, i) => `node/${i}`);
      background.observe(names.map(target => ({ target, at: T0, values: { go_goroutines: 300 } })));
      const verdicts = await background.evaluate(T0 + 60);
      assert.deepEqual(verdicts.map(({ target }) => target).sort(), [...names].sort());
      background.forget(names);
    });

    it('analyses captures', async () => {
      const { findings } = await background.analyze(EVIDENCE);
      const matches = findings.flatMap(({ matches: found }) => found.map(({ ref }) => ref));
      assert.ok(matches.includes('kubernetes#139823'), matches.join(' '));
    });

    it('makes a bundle and a report without names', async () => {
      const bundle = await background.bundle(EVIDENCE);
      assert.deepEqual([...bundle.subarray(0, 2)], [0x1f, 0x8b]);
      const report = await background.report(EVIDENCE, 'upstream');
      assert.match(report, /kubernetes#139823/);
      assert.doesNotMatch(report, /worker-17/);
      assert.match(await background.report(EVIDENCE, 'incident'), /worker-17/);
    });

    it('says why there is no bundle, and goes on', async () => {
      await assert.rejects(background.bundle({ ...EVIDENCE, captures: [] }), /./);
      assert.deepEqual(await background.evaluate(T0), []);
    });
  });
}
