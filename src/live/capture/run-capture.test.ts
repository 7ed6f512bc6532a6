import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { encodeText } from '../../base/text.ts';
import type { TargetConnection } from '../ports.ts';
import type { Reply } from '../reply.ts';
import { kubeletAnswer } from '../../../test/double/kubelet-answers.ts';
import { smallFolder, type SmallFolder } from '../../../test/double/small-folder.ts';
import type { RecordedSet } from '../../../test/double/recording.ts';
import { captureGate, GATE_LIMITS } from './capture-gate.ts';
import { type CaptureChoices, captureSteps, DEFAULT_CHOICES } from './capture-steps.ts';
import { type CaptureEvent, type CaptureOutcome, runCapture } from './run-capture.ts';

interface FakeOptions {
  readonly folder?: SmallFolder;
  readonly choices?: Partial<CaptureChoices>;
  /** Instead of the recorded answer. */
  readonly answer?: (path: string, moment: RecordedSet) => Reply | undefined;
  /** Called with each path before the request. */
  readonly onAsk?: (path: string, stop: () => void) => void;
  readonly onSleep?: (stop: () => void) => void;
}

interface Ran extends CaptureOutcome {
  readonly requests: readonly string[];
  readonly events: readonly CaptureEvent[];
  readonly sleptSeconds: number;
  readonly folder: SmallFolder;
}

async function run(options: FakeOptions = {}): Promise<Ran> {
  const folder = options.folder ?? smallFolder();
  const controller = new AbortController();
  const requests: string[] = [];
  const events: CaptureEvent[] = [];
  let [now, sleptSeconds] = [1_794_772_400, 0];
  let moment: RecordedSet = 'first';
  const connection: TargetConnection = {
    target: 'node/worker-17',
    via: 'api-server-proxy',
    address: 'https://10.0.0.1:6443',
    get: async (path, { signal }) => {
      options.onAsk?.(path, () => controller.abort());
      if (signal?.aborted === true) return { kind: 'stopped', message: 'stopped', tls: undefined, tookSeconds: 0 };
      requests.push(path);
      now += 1;
      const planned = kubeletAnswer(new URL(path, 'https://kubelet'), moment, false);
      const { status, headers, body } = planned;
      const common = { cut: undefined, headAtSeconds: now, dateSeconds: now, tookSeconds: 0.1 };
      return options.answer?.(path, moment) ?? { kind: 'answer', status, headers, body, ...common };
    },
  };
  const outcome = await runCapture(
    {
      connection,
      folder,
      gate: captureGate({ ...GATE_LIMITS, random: () => 0, sleep: async () => {} }),
      oakumVersion: '0.0.0',
      now: () => now,
      sleep: async seconds => {
        now += seconds;
        sleptSeconds += seconds;
        moment = 'second';
        options.onSleep?.(() => controller.abort());
      },
      signal: controller.signal,
      onEvent: event => events.push(event),
    },
    { ...DEFAULT_CHOICES, ...options.choices },
  );
  return { ...outcome, requests, events, sleptSeconds, folder };
}

const refused: Reply = { kind: 'refused', message: 'refused', tls: undefined, tookSeconds: 0 };

function answered(body: Uint8Array): Reply {
  const common = { cut: undefined, headAtSeconds: 1_794_772_400, dateSeconds: undefined, tookSeconds: 0 };
  return { kind: 'answer', status: 200, headers: {}, body, ...common };
}

/** Metrics that tell this live heap, or none. */
function metricsWith(path: string, liveHeapBytes: number | undefined): Reply | undefined {
  if (path !== '/metrics') return undefined;
  const live = liveHeapBytes === undefined ? '' : `go_gc_heap_live_bytes ${liveHeapBytes}\n`;
  return answered(encodeText(`process_start_time_seconds 1e9\n${live}`));
}

describe('a capture', () => {
  it('takes cheap profiles first, then the second set, a gap after the first heap profile', async () => {
    const { end, manifest, requests, sleptSeconds } = await run();
    assert.equal(end, 'whole');
    assert.deepEqual(requests, [
      '/metrics',
      '/debug/pprof/goroutine',
      '/debug/pprof/goroutine?debug=1',
      '/debug/pprof/heap?gc=1',
      '/debug/pprof/goroutine?debug=2',
      '/debug/pprof/goroutineleak',
      '/debug/pprof/block',
      '/debug/pprof/mutex',
      '/metrics',
      '/debug/pprof/goroutine',
      '/debug/pprof/goroutine?debug=1',
      '/debug/pprof/heap?gc=1',
    ]);
    assert.equal(sleptSeconds, 300 - 4, 'the four requests after the heap profile are part of the gap');
    assert.deepEqual(
      [manifest?.version, manifest?.goVersion, manifest?.goroutines],
      ['v1.36.0', 'go1.26.7', [304, 301]],
    );
    assert.match(manifest?.buildId ?? '', /^[0-9a-f]+/);
    assert.equal(manifest?.processStartSeconds.length, 2);
    assert.notEqual(manifest?.endedAtSeconds, undefined);
    for (const { file, sha256 } of manifest?.entries ?? []) assert.ok(file !== undefined && sha256 !== undefined);
  });

  it('writes down which garbage collection each file is from', async () => {
    const { manifest } = await run({ choices: { gapSeconds: 0 } });
    const of = (kind: string): unknown => manifest?.entries.find(entry => entry.kind === kind)?.collection;
    const scraped = of('metrics') as { number: number; atSeconds: number };
    assert.ok(scraped.number > 10 && Math.abs(scraped.atSeconds - 1_794_772_315) < 300, JSON.stringify(scraped));
    const forced = of('heap') as { number: undefined; atSeconds: number };
    assert.equal(forced.number, undefined);
    assert.ok(Math.abs(forced.atSeconds - 1_794_772_315) < 300, 'when the profile was made, by its own clock');
    assert.equal(of('goroutine'), undefined);
  });

  it('forces no garbage collection where that was asked for, or where the heap is very large', async () => {
    const heapRequests = ({ requests }: Ran): string[] => requests.filter(path => path.startsWith('/debug/pprof/heap'));
    const without = await run({ choices: { gapSeconds: 0, gc: false } });
    assert.deepEqual(heapRequests(without), ['/debug/pprof/heap']);
    assert.deepEqual(without.manifest?.notes, []);
    const large = await run({ choices: { gapSeconds: 0 }, answer: path => metricsWith(path, 3 * 1024 ** 3) });
    assert.deepEqual(heapRequests(large), ['/debug/pprof/heap']);
    assert.match(large.manifest?.notes.join() ?? '', /the heap is 3 GiB, above 2 GiB: no collection was forced/);
    const small = await run({ choices: { gapSeconds: 0 }, answer: path => metricsWith(path, 1024 ** 3) });
    assert.deepEqual(heapRequests(small), ['/debug/pprof/heap?gc=1']);
  });

  it('takes MemStats where the metrics do not tell the live heap, and goes on where there is none', async () => {
    const text = readFileSync(new URL('../../../test/fixtures/captures/heap-text/leaker.txt', import.meta.url));
    const { requests, manifest, end } = await run({
      choices: { gapSeconds: 0 },
      answer: path => {
        if (path === '/metrics') return metricsWith(path, undefined);
        return path === '/debug/pprof/heap?debug=1' ? answered(text) : undefined;
      },
    });
    assert.equal(end, 'whole');
    assert.ok(requests.indexOf('/debug/pprof/heap?debug=1') === requests.indexOf('/debug/pprof/heap?gc=1') + 1);
    const taken = manifest?.entries.find(({ kind }) => kind === 'heap-d1');
    assert.match(taken?.file ?? '', /^heap-d1-\d+\.txt\.gz$/);
    assert.ok((taken?.collection?.number ?? 0) > 0 && (taken?.collection?.atSeconds ?? 0) > 1.7e9);
    const none = await run({ choices: { gapSeconds: 0 }, answer: path => metricsWith(path, undefined) });
    assert.equal(none.end, 'whole');
    assert.deepEqual(none.manifest?.notes, []);
  });

  it('never asks for the command line, whatever is chosen', () => {
    const everything = { ...DEFAULT_CHOICES, cpuSeconds: 30, also: ['configz', 'allocs'] as const, force: true };
    assert.ok(captureSteps(everything).every(({ request }) => !request.includes('cmdline')));
    const kinds = captureSteps(everything).map(({ kind }) => kind);
    assert.ok(kinds.indexOf('goroutine-d2') < kinds.indexOf('goroutineleak'));
  });

  it('keeps what it took when the disk is full', async () => {
    const { end, message, folder } = await run({ folder: smallFolder(3) });
    assert.equal(end, 'cannot-write');
    assert.match(message ?? '', /the disk is full/);
    assert.deepEqual(
      (await folder.readManifest())?.entries.map(({ kind }) => kind),
      ['metrics', 'goroutine', 'goroutine-d1'],
    );
  });

  it('resumes where it was stopped', async () => {
    const stopped = await run({ onAsk: (path, stop) => (path === '/debug/pprof/heap?gc=1' ? stop() : undefined) });
    assert.equal(stopped.end, 'stopped');
    assert.equal((await stopped.folder.readManifest())?.endedAtSeconds, undefined);
    const again = await run({ folder: stopped.folder, choices: { gapSeconds: 0 } });
    assert.equal(again.end, 'whole');
    assert.deepEqual(again.events[0], { kind: 'resumed', fileCount: 3 });
    assert.equal(again.requests[0], '/debug/pprof/heap?gc=1', 'what exists is not requested again');
    assert.ok(again.requests.includes('/debug/pprof/goroutine?debug=2'), 'the number of goroutines is remembered');
    assert.deepEqual(again.manifest?.notes, []);
  });

  it('resumes after a login that expired on the way', async () => {
    const expired: Reply = { kind: 'credentials', message: 'token holds no token', tls: undefined, tookSeconds: 0 };
    const part = await run({ answer: path => (path.includes('heap') ? expired : undefined) });
    assert.equal(part.end, 'part');
    assert.equal((await part.folder.readManifest())?.endedAtSeconds, undefined);
    const again = await run({ folder: part.folder, choices: { gapSeconds: 0 } });
    assert.equal(again.end, 'whole');
    assert.equal(again.requests[0], '/debug/pprof/heap?gc=1');
  });

  it('ends at once when it is stopped in the gap, and keeps the first set', async () => {
    const { end, manifest, requests } = await run({ onSleep: stop => stop() });
    assert.equal(end, 'stopped');
    assert.equal(requests.length, 8);
    assert.match(manifest?.notes[0] ?? '', /the same command resumes here/);
  });

  it('takes a deleted file again', async () => {
    const stopped = await run({ onSleep: stop => stop() });
    stopped.folder.delete(stopped.manifest?.entries.find(({ kind }) => kind === 'heap')?.file ?? '');
    const again = await run({ folder: stopped.folder });
    assert.equal(again.requests[0], '/debug/pprof/heap?gc=1');
  });

  it('refuses the folder of another target or of a complete capture', async () => {
    const done = await run({ choices: { gapSeconds: 0 } });
    const complete = await run({ folder: done.folder });
    assert.deepEqual([complete.end, complete.requests], ['refused', []]);
    assert.match(complete.message ?? '', /holds a complete capture of node\/worker-17; choose another folder/);
    assert.ok(done.manifest !== undefined);
    await done.folder.writeManifest({ ...done.manifest, target: 'node/other' });
    assert.match((await run({ folder: done.folder })).message ?? '', /holds a capture of node\/other/);
  });

  it('asks a silent target only twice, and once more after the gap', async () => {
    const { end, requests, manifest } = await run({
      answer: (path, moment) => (moment === 'first' && path.startsWith('/debug') ? refused : undefined),
    });
    assert.equal(end, 'part');
    assert.deepEqual(requests.slice(0, 4), [
      '/metrics',
      '/debug/pprof/goroutine',
      '/debug/pprof/goroutine?debug=1',
      '/metrics',
    ]);
    assert.equal(manifest?.endedAtSeconds, undefined, 'the rest can still be taken');
  });

  it('takes as many sets as requested, a gap apart, and scrapes within the gaps', async () => {
    const { end, requests, sleptSeconds, manifest } = await run({
      choices: { sets: 3, gapSeconds: 100, scrapeEverySeconds: 30 },
    });
    assert.equal(end, 'whole');
    assert.equal(requests.filter(path => path === '/debug/pprof/heap?gc=1').length, 3);
    const scrapes = manifest?.entries.filter(({ kind }) => kind === 'metrics') ?? [];
    assert.deepEqual(
      scrapes.map(({ set }) => set),
      [1, 1, 1, 2, 2, 2, 3],
    );
    assert.equal(new Set(scrapes.map(({ file }) => file)).size, scrapes.length);
    assert.ok(sleptSeconds > 180 && sleptSeconds < 200, `${sleptSeconds}`);
  });

  it('scrapes a slow target less often, and stops after a failure', async () => {
    const scrapesWith = async (tookSeconds: number, answer: boolean): Promise<number> => {
      let requests = 0;
      const { manifest } = await run({
        choices: { gapSeconds: 600, scrapeEverySeconds: 10 },
        answer: (path, moment) => {
          if (path !== '/metrics' || (++requests > 1 && !answer)) return path === '/metrics' ? refused : undefined;
          const { status, headers, body } = kubeletAnswer(new URL(path, 'https://kubelet'), moment, false);
          const common = {
            cut: undefined,
            headAtSeconds: 1_794_772_400 + requests,
            dateSeconds: undefined,
            tookSeconds,
          };
          return { kind: 'answer', status, headers, body, ...common };
        },
      });
      return manifest?.entries.filter(({ kind, file }) => kind === 'metrics' && file !== undefined).length ?? 0;
    };
    assert.equal(await scrapesWith(0.1, true), 55);
    assert.equal(await scrapesWith(5, true), 8);
    assert.equal(await scrapesWith(0.1, false), 1);
  });

  it('does not wait for a second set if nothing could be taken', async () => {
    const { end, requests, sleptSeconds, message } = await run({ answer: () => refused });
    assert.deepEqual([end, requests.length, sleptSeconds], ['nothing', 2, 0]);
    assert.match(message ?? '', /refuses the connection/);
  });

  it('says that the process was restarted between the sets', async () => {
    const { manifest } = await run({
      answer: (path, moment) => {
        if (path !== '/metrics') return undefined;
        const text = `# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds ${moment === 'first' ? 1e9 : 2e9}\n`;
        const common = { cut: undefined, headAtSeconds: 1_794_772_400, dateSeconds: undefined, tookSeconds: 0 };
        return { kind: 'answer', status: 200, headers: {}, body: encodeText(text), ...common };
      },
    });
    assert.deepEqual(manifest?.notes, [
      'node/worker-17 was restarted between the sets: they are of different processes',
    ]);
    assert.equal(manifest.goroutines?.[0], 295, 'without a metric, the goroutine profile counts');
  });
});

describe('the gate', () => {
  it('lets one capture through per target and five per cluster', async () => {
    const gate = captureGate({ perCluster: 5, maxJitterSeconds: 2, random: () => 0.5, sleep: async () => {} });
    const running = new Map<string, number>();
    let [most, mostOfOne] = [0, 0];
    const work = (target: string) => async (): Promise<void> => {
      running.set(target, (running.get(target) ?? 0) + 1);
      mostOfOne = Math.max(mostOfOne, running.get(target) ?? 0);
      most = Math.max(
        most,
        [...running.values()].reduce((a, b) => a + b),
      );
      await new Promise(resolve => setTimeout(resolve, 1));
      running.set(target, (running.get(target) ?? 0) - 1);
    };
    const targets = Array.from({ length: 40 }, (_, i) => `node/${i % 13}`);
    await Promise.all(targets.map(target => gate.pass(target, 'cluster', work(target))));
    assert.deepEqual([most, mostOfOne], [5, 1]);
  });

  it('makes room after a failure, and lets those that waited start at different times', async () => {
    const slept: number[] = [];
    const sleep = async (seconds: number): Promise<void> => void slept.push(seconds);
    const gate = captureGate({ perCluster: 1, maxJitterSeconds: 2, random: () => 0.25, sleep });
    const failing = gate.pass('a', 'c', async () => Promise.reject(new Error('boom')));
    const next = gate.pass('b', 'c', async () => 'done');
    await assert.rejects(failing, /boom/);
    assert.equal(await next, 'done');
    assert.deepEqual(slept, [0.5]);
  });
});
