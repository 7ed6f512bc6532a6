/** Same evidence, same verdict: every command and page says what the judge says, in the same sentence. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { run } from '../../src/cli/run.ts';
import type { CapturedEvidence, CaptureEntry, CaptureKind } from '../../src/evidence/capture.ts';
import { filePile } from '../../src/evidence/io/pile.ts';
import { readCaptureManifest } from '../../src/evidence/formats/capture-manifest.ts';
import { familiesOf } from '../../src/evidence/snapshots/families-of.ts';
import { readTargetEvidence } from '../../src/evidence/snapshots/read-target-evidence.ts';
import { isGzip } from '../../src/base/sniff.ts';
import type { Analysis } from '../../src/judge/analysis.ts';
import { createFleetDetector } from '../../src/judge/detect/fleet-detector.ts';
import { detectionOf } from '../../src/judge/detect/detect-recording.ts';
import type { Detection } from '../../src/judge/detect/recorded-detection.ts';
import type { TargetVerdict } from '../../src/judge/detect/detection.ts';
import { mayLeak } from '../../src/judge/verdict.ts';
import { analyzePile } from '../../src/judge/process/analyze-pile.ts';
import { BUNDLED_LEAKS } from '../../src/knowledge/bundled.ts';
import { captureGate, GATE_LIMITS } from '../../src/live/capture/capture-gate.ts';
import { DEFAULT_CHOICES, KINDS } from '../../src/live/capture/capture-steps.ts';
import { captureFolder, inflateBody } from '../../src/live/io/capture-folder.ts';
import type { TargetConnection } from '../../src/live/ports.ts';
import { createTop } from '../../src/live/top/create-top.ts';
import { runTriage } from '../../src/live/triage/run-triage.ts';
import { memoryIo } from '../double/memory-io.ts';
import { replayedProcess } from '../double/replayed-process.ts';
import { ZOO_RECORDINGS } from '../places.ts';

/** One of each verdict, and of each resource that they are about. */
const RECORDED = {
  errgroup: 'leak',
  sessions: 'watch',
  series: 'watch',
  cgoblock: 'watch',
  'sessions-ok': 'healthy',
  'etcd-34': 'unknown',
} as const;

interface Answer {
  readonly verdict: string;
  readonly sentence: string;
}

function answerOf({ verdict, sentence }: Answer): Answer {
  return { verdict, sentence };
}

async function analyze(folder: string): Promise<Analysis> {
  const io = memoryIo();
  await run(['analyze', folder, '-o', 'json'], io);
  return JSON.parse(io.out()) as Analysis;
}

/** Three sets in ten minutes, saved in `folder`. */
async function triage(name: string, folder: string): Promise<Answer> {
  const process = replayedProcess(name);
  let now = process.startSeconds;
  const { triage: found } = await runTriage(
    {
      ref: { kind: 'url', url: process.target },
      capture: {
        connection: connectionTo(process, () => now),
        folder: captureFolder(folder, folder),
        gate: captureGate({ ...GATE_LIMITS, random: () => 0, sleep: async () => {} }),
        oakumVersion: '0.0.0',
        now: () => now,
        sleep: async seconds => void (now += seconds),
        signal: new AbortController().signal,
      },
      ...{ cluster: undefined, history: undefined, catalogue: BUNDLED_LEAKS, program: 'oakum' },
      readFolder: () => filePile().read([folder]),
      onEvent: () => {},
    },
    {
      capture: { ...DEFAULT_CHOICES, sets: 3, listsEachSet: true, scrapeEverySeconds: 15 },
      ...{ untilProved: false, requestTimeoutSeconds: 5, prometheusMatch: '', memoryLimitBytes: undefined },
    },
  );
  return answerOf(found);
}

function connectionTo(process: ReturnType<typeof replayedProcess>, now: () => number): TargetConnection {
  const { target } = process;
  return { target, via: 'http', address: target, get: async path => process.get(path, now()) };
}

/** What the page of a target says about a capture. */
function watched(folder: string): Answer {
  const bytesOf = (name: string): Uint8Array => readFileSync(join(folder, name));
  const manifest = readCaptureManifest(JSON.parse(readFileSync(join(folder, 'MANIFEST.json'), 'utf8')));
  assert.ok(manifest !== undefined);
  const names = readdirSync(folder).filter(name => name !== 'MANIFEST.json');
  const capture: CapturedEvidence = { manifest, files: names.map(name => ({ name, bytes: bytesOf(name) })) };
  const inflate = (bytes: Uint8Array): Uint8Array => (isGzip(bytes) ? gunzipSync(bytes) : bytes);
  const evidence = { target: manifest.target, captures: [capture], samples: [] };
  const pile = readTargetEvidence(evidence, inflate, { families: familiesOf, keepStacks: false });
  return answerOf(analyzePile(pile, { catalogue: BUNDLED_LEAKS }));
}

/** The last frame of samples at these seconds; what it was made from is in `folder`, as a capture leaves it. */
async function top(name: string, moments: readonly number[], folder: string): Promise<Answer> {
  const process = replayedProcess(name);
  const entries: CaptureEntry[] = [];
  let set = 0;
  let now = process.startSeconds;
  const sample = createTop({
    connection: {
      ...connectionTo(process, () => now),
      get: async path => {
        const reply = process.get(path, now);
        const kind = CAPTURE_KINDS.find(one => KINDS[one].request === path);
        assert.ok(kind !== undefined && reply.kind === 'answer', path);
        const file = `${kind}-${Math.floor(now)}`;
        writeFileSync(join(folder, file), reply.body);
        entries.push({ ...taken(path, now), kind, set, file, bytes: reply.body.length });
        return reply;
      },
    },
    ...{ catalogue: BUNDLED_LEAKS, now: () => now, inflate: inflateBody, requestTimeoutSeconds: 5 },
    signal: new AbortController().signal,
  });
  let answer: Answer | undefined;
  for (const moment of moments) {
    now = process.startSeconds + moment;
    set += 1;
    answer = (await sample()).frame;
  }
  assert.ok(answer !== undefined);
  const manifest = { ...process.manifest, entries };
  writeFileSync(join(folder, 'MANIFEST.json'), JSON.stringify(manifest));
  return answerOf(answer);
}

const CAPTURE_KINDS = Object.keys(KINDS) as CaptureKind[];

function taken(request: string, takenAtSeconds: number): Omit<CaptureEntry, 'kind' | 'set' | 'file' | 'bytes'> {
  const unknown = { skewSeconds: undefined, truncated: undefined, error: undefined };
  return { request, takenAtSeconds, tookSeconds: 0, status: 200, sha256: '', ...unknown };
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'oakum-agreement-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('the same evidence leads to the same sentence', () => {
  for (const [name, verdict] of Object.entries(RECORDED)) {
    it(`${name}: analyze, triage and the page of a watch`, async () => {
      const recorded = await analyze(join(ZOO_RECORDINGS, name));
      assert.equal(recorded.verdict, verdict, recorded.sentence);
      assert.deepEqual(watched(join(ZOO_RECORDINGS, name)), answerOf(recorded));
      await inFolder(async folder => {
        const live = await triage(name, folder);
        assert.deepEqual(live, answerOf(await analyze(folder)));
        assert.deepEqual(live, answerOf(recorded));
      });
    });

    it(`${name}: top once and after ten minutes, as analyze`, async () => {
      for (const moments of [[0], [0, 300, 600]]) {
        await inFolder(async folder => {
          const live = await top(name, moments, folder);
          assert.deepEqual(live, answerOf(await analyze(folder)), `after ${moments.at(-1)} s`);
        });
      }
    });
  }
});

const START = 1_790_000_000 - (1_790_000_000 % 3600);
const ROLLOUT_HOURS = 48;
const MIB = 2 ** 20;

/** What `oakum detect` and the pages of a watch say of 40 kubelets: 9 of the 10 with v1.36.0 leak. */
function rollout(leakPerHour: number, hours: number): Detection {
  const detector = createFleetDetector();
  const endSeconds = START + (ROLLOUT_HOURS + hours) * 3600;
  const nodes = Array.from({ length: 40 }, (_, node) => `node-${node}`);
  const attributesOf = (node: number): Record<string, string> => ({ version: node < 10 ? 'v1.36.0' : 'v1.35.7' });
  const wave = (node: number, hour: number): number =>
    0.6 * Math.sin(hour / 7 + node * 1.7) + 0.3 * Math.sin(hour / 1.3 + node * 2.9);
  for (const name of nodes) detector.describe(name, { version: 'v1.35.7' }, START);
  let verdicts: readonly TargetVerdict[] = [];
  for (let minute = 0; minute <= (ROLLOUT_HOURS + hours) * 60; minute += 30) {
    const [hour, at] = [minute / 60, START + minute * 60];
    for (const [node, name] of nodes.entries()) {
      const isNew = node < 10 && hour >= ROLLOUT_HOURS;
      if (isNew && hour === ROLLOUT_HOURS) detector.describe(name, attributesOf(node), at);
      const born = isNew ? ROLLOUT_HOURS : -100;
      const leaked = isNew && node < 9 ? leakPerHour * (hour - ROLLOUT_HOURS) : 0;
      detector.observe(name, at, {
        go_gc_heap_live_bytes: (80 * (1 - 0.4 * Math.exp(-(hour - born) / 0.7)) + leaked + wave(node, hour)) * MIB,
        kubelet_running_pods: 30,
        process_start_time_seconds: START + born * 3600,
      });
    }
    if (minute % 360 === 0) verdicts = detector.evaluate(at);
  }
  const targets = nodes.map((name, node) => ({
    ...{ name, attributes: attributesOf(node), fromSeconds: START, toSeconds: endSeconds, sampleCount: 0 },
    ...{ limitSource: 'given' as const, histories: new Map() },
  }));
  return detectionOf(
    { targets, verdicts, verdictChanges: [], attributeChanges: [], hasKubelets: true, inputs: NO_INPUTS },
    { detector, endSeconds },
  );
}

const NO_INPUTS: Detection['inputs'] = { readCount: 0, otherCount: 0, unread: [], notes: [] };

describe('a cohort and its targets', () => {
  for (const hours of [12, 30]) {
    it(`agree about a version that leaks for ${hours} hours`, () => {
      const { targets, cohorts, verdict } = rollout(2.4, hours);
      const [cohort] = cohorts;
      assert.ok(cohort !== undefined && cohorts.length === 1);
      assert.deepEqual([cohort.value, cohort.verdict, verdict], ['v1.36.0', 'leak', 'leak'], cohort.sentence);
      for (const { target, resources, attributes } of targets) {
        const heap = resources.find(({ resource }) => resource === 'live heap');
        assert.ok(heap !== undefined, target);
        const said = `${target}: ${heap.verdict} ${heap.reasons[0]}; ${cohort.sentence}`;
        assert.equal(heap.verdict, heap.ledger.verdict, said);
        if (cohort.leaking.includes(target)) assert.match(heap.verdict, /leak|watch/, said);
        else assert.notEqual(heap.verdict, 'leak', said);
        assert.equal(attributes['version'] === 'v1.36.0' && target !== 'node-9', cohort.leaking.includes(target), said);
        // The headline of a suspicion is not that of health.
        if (mayLeak(heap.verdict)) assert.match(heap.reasons[0] ?? '', /rises|grows/, said);
      }
    });
  }
});
