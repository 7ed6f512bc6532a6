import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { RECORDINGS } from '../../../test/places.ts';
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import { encodeText } from '../../base/text.ts';
import { BUNDLED_LEAKS } from '../../knowledge/bundled.ts';
import { readPile } from '../../evidence/snapshots/read-pile.ts';
import type { Analysis, Finding } from '../analysis.ts';
import type { PileItem } from '../../evidence/pile.ts';
import { analyzePile } from './analyze-pile.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const LAB = join(RECORDINGS, 'lab');

function member(path: string, bytes: Uint8Array): PileItem {
  return { kind: 'member', path, bytes, mtimeSeconds: undefined, damage: undefined };
}

function file(path: string): PileItem {
  return member(path, gunzipSync(readFileSync(join(ROOT, path))));
}

async function analyze(version: string, ...items: PileItem[]): Promise<Analysis> {
  async function* all(): AsyncGenerator<PileItem> {
    yield* items;
  }
  const given = version === '' ? {} : { version };
  return analyzePile(await readPile(all(), { families: familiesOf }), { catalogue: BUNDLED_LEAKS, given });
}

const heapOf = ({ findings }: Analysis): Finding[] => findings.filter(({ resource }) => resource === 'heap');
const named = (analysis: Analysis, title: RegExp): Finding | undefined =>
  analysis.findings.find(({ family }) => title.test(family.title));

const LEAK_A = 'demo/leak-a/heap-1794774072.pb.gz';
const LEAK_B = 'demo/leak-b/heap-1794774073.pb.gz';
const FIXED = [
  'demo/fix-a/heap-1794774074.pb.gz',
  'demo/fix-b/heap-1794774075.pb.gz',
  'demo/fix-d/heap-1794774076.pb.gz',
];
const AGES = 'test/fixtures/captures/ages';

/** Scrapes that tell the start and a live heap that grows by so much an hour. */
function metrics(node: string, startSeconds: number, perHourBytes: number): PileItem {
  const scrape = (i: number): string =>
    `# LAB scrape ts=${startSeconds + 60 + i * 60} node=${node} status=200\n` +
    `process_start_time_seconds ${startSeconds}\ngo_goroutines 238\n` +
    `go_gc_heap_live_bytes ${12e6 + (i * perHourBytes) / 60}\n`;
  return member(`demo/${node}/metrics.prom`, encodeText(Array.from({ length: 34 }, (_, i) => scrape(i)).join('')));
}

describe('one heap profile', () => {
  it('confirms a known leak whose fixed version frees what this one keeps', async () => {
    for (const path of [LEAK_A, LEAK_B]) {
      const analysis = await analyze('v1.36.0', file(path));
      assert.equal(analysis.verdict, 'leak', path);
      assert.match(analysis.sentence, /kubernetes#139823, confirmed; fixed in 1\.36\.3/);
      const [culprit, finding] = analysis.findings;
      assert.equal(culprit.family.title, 'kubelet.(*podWorkers).startPodSync → context.WithCancel');
      assert.equal(finding.matches[0].grade, 'confirmed');
      assert.ok(finding.retention !== null && finding.retention.retainedShare[0] > 0.8);
      assert.ok(
        finding.ledger.entries.some(({ kind, sentence }) => kind === 'retention' && /keeps all/.test(sentence)),
      );
      assert.equal(finding.growth, null);
    }
  });

  it('adds up what all stacks of a leak keep, and shows each by its own frames', async () => {
    const { findings } = await analyze('v1.36.0', file(LEAK_B));
    const [contexts, waits] = findings;
    assert.deepEqual(
      findings.map(({ retention }) => retention?.samples),
      [5, 21],
    );
    assert.match(waits.matches[0].why.join('\n'), /WaitForAttachAndMount[\s\S]*keeps 26 of 26 sampled objects/);
    assert.match(contexts.matches[0].why[0], /startPodSync/);
  });

  it('is only worth watching where the version is not known', async () => {
    const analysis = await analyze('', file(LEAK_A));
    assert.equal(analysis.verdict, 'watch');
    assert.equal(analysis.findings[0].matches[0].grade, 'probable');
  });

  it('does not confirm in a version that has the fix, whatever is kept', async () => {
    const analysis = await analyze('v1.36.3', file(LEAK_A));
    assert.equal(analysis.verdict, 'watch');
    assert.equal(analysis.findings[0].matches[0].grade, 'possible');
  });

  it('finds no match and no leak in a fixed kubelet, even if its version is given as an affected one', async () => {
    for (const path of FIXED) {
      for (const version of ['v1.36.3', 'v1.36.0']) {
        const analysis = await analyze(version, file(path));
        assert.equal(analysis.verdict, 'unknown', path);
        assert.deepEqual(
          heapOf(analysis).flatMap(({ matches }) => matches),
          [],
        );
      }
    }
  });

  it('finds neither in any profile of the fixed kubelets of the lab', async () => {
    for (const node of ['fix-a', 'fix-b', 'fix-d', 'xctl-fl']) {
      for (const name of readdirSync(join(LAB, node, 'profiles')).filter(one => one.startsWith('heap'))) {
        const bytes = gunzipSync(readFileSync(join(LAB, node, 'profiles', name)));
        const analysis = await analyze('v1.36.3', member(`${node}/${name}`, bytes));
        assert.equal(analysis.verdict, 'unknown', `${node}/${name}`);
        assert.ok(analysis.findings.every(({ matches }) => matches.length === 0));
      }
    }
  });

  it('tells the rate over the life of the process, and where its age is from', async () => {
    const start = 1_794_771_960;
    const analysis = await analyze('v1.36.0', file(LEAK_A), metrics('leak-a', start, 44e6));
    const { retention } = analysis.findings[1];
    assert.equal(retention?.ageFrom, 'metrics');
    assert.ok(Math.abs((retention?.ageSeconds ?? 0) - 2112) < 2, `${retention?.ageSeconds}`);
    const [low, middle, high] = retention?.perHour ?? [0, 0, 0];
    assert.ok(low < middle && middle < high && middle > 30e6 && middle < 37e6, `${middle}`);
  });

  it('watches an unknown family that keeps everything and is large', async () => {
    for (const time of ['t06', 't12', 't20']) {
      const analysis = await analyze('', file(`${AGES}/leaky/${time}/heap.pb.gz`));
      assert.equal(analysis.verdict, 'watch', time);
      const sessions = named(analysis, /openSession/);
      assert.equal(sessions?.verdict, 'watch');
      assert.match(sessions?.reasons.join('\n') ?? '', /a second profile/);
    }
  });

  it('says of a cache what would decide', async () => {
    for (const path of [`${AGES}/leaky/t20/heap.pb.gz`, `${AGES}/healthy/t20/heap.pb.gz`]) {
      const cache = named(await analyze('', file(path)), /fillCache/);
      assert.equal(cache?.verdict, 'unknown');
      assert.match(cache?.retention?.undecided ?? '', /a cache, by its name.* a second profile .* would decide/);
    }
    assert.equal((await analyze('', file(`${AGES}/healthy/t12/heap.pb.gz`))).verdict, 'unknown');
    const etcd = await analyze('', file('test/fixtures/captures/programs/etcd/heap.gc1.pb.gz'));
    assert.equal(etcd.verdict, 'unknown');
    assert.match(etcd.findings[0].retention?.undecided ?? '', /the raft log of etcd/);
  });
});

describe('a heap that rises while one profile shows nothing', () => {
  it('is not called healthy because some family is large', async () => {
    const rising = metrics('fix-d', 1_794_773_000, 44e6);
    const analysis = await analyze('v1.36.3', file(FIXED[2]), rising);
    assert.ok(analysis.findings.some(({ verdict, resource }) => verdict === 'unknown' && resource === 'heap'));
    assert.equal(analysis.verdict, 'watch');
    assert.match(analysis.findings[0].family.title, /not attributed/);
  });
});

describe('two heap profiles', () => {
  it('set new allocations against what was newly kept', async () => {
    const analysis = await analyze('', file(`${AGES}/leaky/t12/heap.pb.gz`), file(`${AGES}/leaky/t20/heap.pb.gz`));
    const { since } = named(analysis, /openSession/)?.retention ?? {};
    assert.deepEqual([since?.samples, since?.retainedShare[1]], [25, 1]);
    assert.ok(Math.abs((since?.seconds ?? 0) - 480) < 1);
    assert.equal(named(analysis, /fillCache/), undefined, 'it allocates no more');
  });
});
