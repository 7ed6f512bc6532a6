/** A triage with a continuous profiler: what the past adds to one set, and what it says alone. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { kubeletAnswer } from '../../../test/double/kubelet-answers.ts';
import { RECORDED_SET_SECONDS } from '../../../test/double/recording.ts';
import { demoProfiles, type ProfilerDouble, startProfiler } from '../../../test/double/profiler.ts';
import { scratchFolder } from '../io/capture-folder.ts';
import { credentialFiles } from '../io/credential-files.ts';
import { httpSender } from '../io/send-request.ts';
import { openPyroscope } from '../io/pyroscope.ts';
import { encodeText } from '../../base/text.ts';
import { BUNDLED_LEAKS } from '../../knowledge/bundled.ts';
import type { PileItem } from '../../evidence/pile.ts';
import type { Triage, TriagePast } from './triage.ts';
import type { ScratchFolder, TargetConnection, ProfileHistory } from '../ports.ts';
import { captureGate, GATE_LIMITS } from '../capture/capture-gate.ts';
import { DEFAULT_CHOICES } from '../capture/capture-steps.ts';
import { savePast } from '../save-past.ts';
import { runTriage } from './run-triage.ts';
import { printMarkdown } from '../../report/markdown.ts';
import { triageDocument } from './triage-document.ts';

const NOW = RECORDED_SET_SECONDS.second;
const KUBELET = { service_name: 'kubelet', node: 'worker-17' };
const SOME = new Set([1_794_772_045, 1_794_773_125, 1_794_773_935]);
const BEFORE = demoProfiles('leak-a').filter(({ atSeconds }) => SOME.has(atSeconds));

async function* filesIn(name: string, folder: ScratchFolder): AsyncGenerator<PileItem> {
  const manifest = await folder.readManifest();
  if (manifest === undefined) return;
  const member = (path: string, bytes: Uint8Array): PileItem => {
    return { kind: 'member', path: `${name}/${path}`, bytes, mtimeSeconds: undefined, damage: undefined };
  };
  for (const { file = '' } of manifest.entries) {
    const bytes = await folder.inflate(folder.content(file) ?? new Uint8Array(), 1e9);
    if (bytes !== undefined) yield member(file, bytes);
  }
  yield member('MANIFEST.json', encodeText(JSON.stringify(manifest)));
}

function historyOf({ url }: ProfilerDouble): ProfileHistory {
  return openPyroscope({ url, tokenFile: '', headers: {} }, httpSender({}), credentialFiles('/'));
}

function save(profiler: ProfilerDouble, folder = scratchFolder('out/past'), match = ''): Promise<TriagePast> {
  return savePast({
    history: historyOf(profiler),
    target: { name: 'node/worker-17', addresses: [], namespace: '', match, also: '' },
    sinceSeconds: 6 * 3600,
    folder,
    oakumVersion: '0.0.0',
    now: () => NOW,
    signal: new AbortController().signal,
  });
}

async function triage(profiler: ProfilerDouble, isOpen: boolean) {
  const folder = scratchFolder('out');
  const past = scratchFolder('out/past');
  const connection: TargetConnection = {
    target: 'node/worker-17',
    via: 'api-server-proxy',
    address: 'https://10.0.0.1:6443',
    get: async path => {
      const common = { cut: undefined, headAtSeconds: NOW, dateSeconds: NOW, tookSeconds: 0.1 };
      if (!isOpen && path.startsWith('/debug/'))
        return { kind: 'answer', status: 403, headers: {}, body: encodeText('Forbidden'), ...common };
      return { kind: 'answer', ...kubeletAnswer(new URL(path, 'https://kubelet'), 'second', false), ...common };
    },
  };
  const { triage: found } = await runTriage(
    {
      ref: { kind: 'node', name: 'worker-17' },
      capture: {
        connection,
        folder,
        gate: captureGate({ ...GATE_LIMITS, random: () => 0, sleep: async () => {} }),
        oakumVersion: '0.0.0',
        now: () => NOW,
        sleep: async () => {},
        signal: new AbortController().signal,
      },
      cluster: undefined,
      history: undefined,
      past: {
        history: historyOf(profiler),
        folder: past,
        sinceSeconds: 6 * 3600,
        match: '',
      },
      async *readFolder() {
        yield* filesIn('out', folder);
        yield* filesIn('out/past', past);
      },
      catalogue: BUNDLED_LEAKS,
      program: 'oakum',
      onEvent: () => {},
    },
    {
      capture: { ...DEFAULT_CHOICES, sets: 1, listsEachSet: true },
      untilProved: true,
      requestTimeoutSeconds: 60,
      prometheusMatch: '',
      memoryLimitBytes: undefined,
    },
  );
  return { found, past };
}

function evidenceKinds({ ledgers }: Triage): string[] {
  return ledgers.flatMap(({ entries }) => entries.map(({ kind }) => kind));
}

const kubelet = (t: TestContext): Promise<ProfilerDouble> =>
  startProfiler(t, [
    { labels: KUBELET, profiles: BEFORE },
    // What else runs on the node has its label, too.
    { labels: { service_name: 'web', node: 'worker-17', pod: 'web-0' }, profiles: demoProfiles('fix-a') },
  ]);

describe('a triage with a continuous profiler', () => {
  it('judges growth over the past and retention in one set, and saves both', async t => {
    const { found, past } = await triage(await kubelet(t), true);
    assert.equal(found.verdict, 'leak');
    assert.equal(found.evidence?.setCount, 1);
    const kinds = evidenceKinds(found);
    assert.ok(kinds.includes('retention') && kinds.includes('profile-growth'), kinds.join());
    assert.equal(found.past?.profileCount, 6);
    assert.match(found.past.selector, /service_name="kubelet"/);
    assert.match(printMarkdown(triageDocument(found)), /\*\*past\*\*: .*6 profiles from 2026-11-15T19:4/);
    const manifest = await past.readManifest();
    assert.equal(manifest?.target, 'node/worker-17');
    assert.match(manifest.notes[0], /^from http:\/\/127\.0\.0\.1:\d+: \{node="worker-17",service_name="kubelet"/);
  });

  it('proves a leak from the past alone where the kubelet gives no profiles', async t => {
    const { found } = await triage(await kubelet(t), false);
    assert.equal(found.verdict, 'leak');
    assert.ok(evidenceKinds(found).includes('profile-growth'));
  });

  it('fetches nothing that the folder has', async t => {
    const profiler = await kubelet(t);
    const past = scratchFolder('out/past');
    const first = await save(profiler, past);
    const count = profiler.requests.length;
    assert.deepEqual(await save(profiler, past), first);
    assert.equal(profiler.requests.length, count);
  });

  it('takes no process for another, and says how to name the right one', async t => {
    const profiles = BEFORE.slice(0, 1);
    const pods = await startProfiler(t, [{ labels: { service_name: 'web', node: 'worker-17' }, profiles }]);
    const none = await save(pods);
    assert.equal(none.profileCount, 0);
    assert.match(none.problem ?? '', /^it has no heap or goroutine profile of node\/worker-17 \(.*--profiles$/);
    const two = await startProfiler(t, [
      { labels: KUBELET, profiles },
      { labels: { ...KUBELET, hostname: 'b' }, profiles },
    ]);
    const unsure = await save(two);
    assert.match(unsure.problem ?? '', /^2 of its processes may be node\/worker-17: .*--profiles$/);
    assert.equal((await save(two, scratchFolder('out/past'), 'hostname="b"')).profileCount, 1);
  });
});
