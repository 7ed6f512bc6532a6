import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { RECORDINGS } from '../../../test/places.ts';
import type { Analysis } from '../../judge/analysis.ts';
import { memoryIo } from '../../../test/double/memory-io.ts';
import { run } from '../run.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FIXTURES = join(ROOT, 'test/fixtures/captures');
const LAB = join(RECORDINGS, 'lab');
const CAPTURES = join(RECORDINGS, 'captures');

async function analyze(...argv: string[]): Promise<Analysis> {
  const io = memoryIo({ cwd: ROOT });
  assert.equal(await run(['analyze', ...argv, '-o', 'json'], io), 0, io.err());
  return JSON.parse(io.out()) as Analysis;
}

/** A second and more for each node, so each is analyzed once. */
const analyses = new Map<string, Promise<Analysis>>();

function analyzeNode(name: string): Promise<Analysis> {
  const analysis = analyses.get(name) ?? analyze(join(LAB, name));
  analyses.set(name, analysis);
  return analysis;
}

const matchesIn = (analysis: Analysis): string[] =>
  analysis.findings.flatMap(({ matches }) =>
    matches.filter(({ affected }) => affected === 'affected').map(({ ref, grade }) => `${ref} ${grade}`),
  );

describe('oakum analyze on the recorded cluster', () => {
  for (const node of ['leak-a', 'leak-b']) {
    it(`${node}: kubernetes#139823, confirmed, with its fix and what the fix breaks`, async () => {
      const analysis = await analyzeNode(node);
      assert.equal(analysis.verdict, 'leak');
      const [finding] = analysis.findings;
      const [match] = finding.matches;
      assert.equal(finding.resource, 'heap');
      assert.equal(`${match.ref} ${match.grade}`, 'kubernetes#139823 confirmed');
      assert.ok(match.fixedIn.includes('1.36.3'));
      assert.match(match.sideEffects.join(' '), /140882/);
      assert.ok(
        analysis.reasons.some(reason => /live heap \+4[0-9]\.[0-9] MiB\/h/.test(reason)),
        analysis.reasons.join('\n'),
      );
    });
  }

  it('leak-b: two lives, never compared with each other', async () => {
    const { reasons } = await analyzeNode('leak-b');
    assert.ok(reasons.some(reason => reason.startsWith('leak-b, life 1 of 2:')));
    assert.ok(reasons.some(reason => reason.startsWith('leak-b, life 2 of 2:')));
  });

  it('leak-d: an answer as far as its few samples go, with the live heap from its scrapes', async () => {
    const analysis = await analyzeNode('leak-d');
    assert.equal(analysis.verdict, 'leak');
    const [{ matches, reasons }] = analysis.findings;
    assert.equal(`${matches[0].ref} ${matches[0].grade}`, 'kubernetes#139823 probable');
    assert.match(matches[0].why.join(' '), /too few heap samples/);
    assert.match(reasons.join(' '), /live heap \+4\.\d\d MiB\/h/);
  });

  it('leak-a in parts: a part that cannot show the leak is never called healthy', async () => {
    const profiles = join(LAB, 'leak-a/profiles');
    const files = (kind: string): string[] =>
      readdirSync(profiles)
        .filter(name => name.startsWith(`${kind}-1`) && name.endsWith('.pb.gz'))
        .map(name => join(profiles, name));
    assert.equal((await analyze(...files('heap').slice(0, 2))).verdict, 'unknown');
    assert.equal((await analyze(...files('goroutine'))).verdict, 'unknown');
    const fixed = await analyze(...files('heap'), '--version', 'v1.36.3', '--component', 'kubelet');
    assert.match(fixed.sentence, /looks like kubernetes#139823, but this version has the fix/);
    assert.doesNotMatch(fixed.findings.flatMap(({ advice }) => advice).join(' '), /[Uu]pgrade/);
  });

  it('leak-a: two profiles are enough if the scrapes prove the rise and the bug is known', async () => {
    const heap = (at: number): string => join(LAB, `leak-a/profiles/heap-${at}.pb.gz`);
    const [first, last] = [heap(1794772585), heap(1794773935)];
    const { verdict, findings } = await analyze(first, last, join(LAB, 'leak-a/metrics.prom.gz'));
    assert.equal(verdict, 'leak');
    assert.equal(findings[0].verdict, 'leak');
    assert.match(findings[0].family.title, /startPodSync/, 'the code to blame leads');
    const grewMost = findings.find(({ growth }) => (growth?.delta ?? 0) > 10 * 2 ** 20);
    assert.equal(grewMost?.matches[0].ref, 'kubernetes#139823', 'the family that grew most matches the bug');
    assert.equal(findings[0].matches[0].grade, 'confirmed');
    // Without the scrapes, what the last profile retains proves it, and the version decides.
    assert.equal((await analyze(first, last, '--version', 'v1.36.0', '--component', 'kubelet')).verdict, 'leak');
    assert.notEqual((await analyze(first, last, '--version', 'v1.36.3', '--component', 'kubelet')).verdict, 'leak');
  });

  for (const node of ['fix-a', 'fix-b', 'fix-d', 'fix-e', 'xctl-fl']) {
    it(`${node}: healthy, and no match in the catalogue`, async () => {
      const analysis = await analyzeNode(node);
      assert.equal(analysis.verdict, 'healthy', analysis.sentence);
      assert.deepEqual(analysis.findings, []);
    });
  }

  it('fix-b: growth that follows the pods is reported as such', async () => {
    const { reasons } = await analyzeNode('fix-b');
    assert.match(reasons.join('\n'), /live heap \+16\.[0-9] MiB\/h .*follows the pods: 8 -> 82/);
  });
});

describe('oakum analyze on the recording of the demo', () => {
  it('all nodes at once: three of seven leak', async () => {
    const analysis = await analyze(
      ...['leak-a', 'leak-b', 'leak-d', 'fix-a', 'fix-b', 'fix-d', 'fix-e'].map(node => join(ROOT, 'demo', node)),
    );
    const leaking = new Set(analysis.findings.filter(({ verdict }) => verdict === 'leak').map(({ target }) => target));
    assert.deepEqual([...leaking].sort(), ['leak-a', 'leak-b', 'leak-d']);
    assert.deepEqual([...new Set(matchesIn(analysis).map(text => text.split(' ')[0]))], ['kubernetes#139823']);
  });
});

describe('oakum analyze on captures', () => {
  it('the etcd pair recovered, and nothing says how its threads and files fare', async () => {
    const analysis = await analyze(join(CAPTURES, 'programs/etcd'));
    assert.equal(analysis.verdict, 'unknown');
    assert.match(analysis.reasons.join(' '), /it recovered.*no metrics over time for .*threads/);
  });

  it('leakdemo: the same families grow by the same numbers in every Go release', async () => {
    const grown = async (release: string): Promise<Record<string, string>> => {
      const rounds = ['t0', 't1', 't2', 't3'].map(round => join(CAPTURES, 'leakdemo', release, round));
      const { findings } = await analyze(...rounds);
      const goroutines = findings.filter(({ resource }) => resource === 'goroutines');
      return Object.fromEntries(
        goroutines.map(({ family, growth }) => [family.id, `${growth?.from} -> ${growth?.to}`]),
      );
    };
    const [first, ...others] = await Promise.all(['go1.19', 'go1.23', 'go1.26', 'go1.27'].map(grown));
    const growing = Object.entries(first).filter(([, text]) => text !== '1 -> 4');
    assert.equal(growing.length, 5, JSON.stringify(first)); // listener run and pop, send, receive, select
    for (const other of others) for (const [id, text] of growing) assert.equal(other[id], text);
  });
});

describe('oakum analyze', () => {
  const dump = join(FIXTURES, 'leakdemo/go1.27/t3/goroutine.debug2.txt');

  it('gives a careful answer from one file, and says what is missing', async () => {
    const analysis = await analyze(join(FIXTURES, 'leakdemo/go1.23/t3/goroutine.debug2.txt'));
    assert.equal(analysis.inputs.length, 1);
    assert.ok(analysis.missing.some(({ what }) => what.startsWith('a second goroutine profile')));
  });

  it('trusts the runtime when it marks goroutines as leaked', async () => {
    const analysis = await analyze(dump);
    assert.equal(analysis.verdict, 'leak');
    assert.match(analysis.findings[0].reasons.join(' '), /the Go runtime found/);
  });

  it('reports each file it cannot read in one line and goes on', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'oakum-analyze-'));
    try {
      await writeFile(join(folder, 'broken.pb.gz'), Uint8Array.of(0x1f, 0x8b, 1, 2, 3));
      const io = memoryIo({ cwd: ROOT });
      assert.equal(await run(['analyze', folder, dump, '-o', 'json'], io), 0);
      const { inputs, verdict } = JSON.parse(io.out()) as Analysis;
      assert.equal(verdict, 'leak');
      assert.equal(inputs.filter(({ error }) => error !== null).length, 1);
      assert.equal(io.err().trim().split('\n').length, 1);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('a recording of metrics shows when it starts, and what profiles would add', async () => {
    const scrape = (i: number): string =>
      `# LAB scrape ts=${1794772000 + i * 60} node=worker-17 status=200\ngo_goroutines 238\ngo_gc_heap_live_bytes 12e6\n`;
    const text = Array.from({ length: 30 }, (_, i) => scrape(i)).join('');
    const io = memoryIo({ cwd: ROOT, stdin: text });
    assert.equal(await run(['analyze', '-', '-o', 'json'], io), 0, io.err());
    const { verdict, reasons, inputs, missing } = JSON.parse(io.out()) as Analysis;
    assert.equal(verdict, 'unknown');
    assert.match(reasons.join(' '), /no metrics over time for memory outside the Go heap, threads, file descriptors/);
    assert.deepEqual(
      inputs.map(({ since, takenAt }) => [since, takenAt]),
      [['2026-11-15T19:46:40.000Z', '2026-11-15T20:15:40.000Z']],
    );
    assert.deepEqual(
      missing.map(({ what, why }) => `${what}: ${why}`),
      [
        'goroutine profiles of worker-17: metrics show how many there are, not whose',
        'heap profiles of worker-17: metrics show how much there is, not whose',
      ],
    );
    const shown = memoryIo({ cwd: ROOT, stdin: text });
    await run(['analyze', '-'], shown);
    assert.match(shown.out(), /2026-11-15T19:46:40\.000Z\s+to\s+2026-11-15T20:15:40\.000Z/);
  });

  it('does not ask a cluster for the version of a program outside it', async () => {
    const { missing } = await analyze(join(FIXTURES, 'leakdemo/go1.27/t3/goroutine.debug2.txt'));
    assert.deepEqual(
      missing.filter(({ what }) => what.startsWith('the version of')).map(({ command }) => command),
      [''],
    );
  });

  it('exits 3 if there is nothing to analyze, readable or not', async () => {
    for (const stdin of ['hello world\n', '{}', '', '\0\x01\x02']) {
      const io = memoryIo({ cwd: ROOT, stdin });
      assert.equal(await run(['analyze', '-'], io), 3, JSON.stringify(stdin));
      assert.match(io.out(), /^UNKNOWN {2}Nothing here is a profile/);
    }
  });

  it('compares text dumps by order, and gives no rate from file dates alone', async () => {
    const analysis = await analyze(
      join(FIXTURES, 'leakdemo/go1.27/t3/goroutine.debug2.txt'),
      join(FIXTURES, 'leakdemo/go1.27/t3/goroutine.debug1.txt'),
    );
    for (const { growth } of analysis.findings) assert.equal(growth?.perHour ?? null, null);
  });

  it('fails CI only when asked to', async () => {
    assert.equal(await run(['analyze', dump, '--fail-on', 'leak'], memoryIo({ cwd: ROOT })), 1);
    assert.equal(await run(['analyze', dump], memoryIo({ cwd: ROOT })), 0);
  });

  it('explains a wrong command line in one line', async () => {
    for (const argv of [[], ['x', '-o', 'xml'], ['x', '--top', '0'], ['x', '--fail-on', 'healthy'], ['x', '--nope']]) {
      const io = memoryIo({ cwd: ROOT });
      assert.equal(await run(['analyze', ...argv], io), 2);
      assert.equal(io.err().trim().split('\n').length, 1);
    }
  });

  it('does not call healthy what it could not judge', async () => {
    const { verdict, reasons } = await analyze(join(FIXTURES, 'leakdemo/go1.19/t3/goroutine.debug0.pb.gz'));
    assert.equal(verdict, 'unknown');
    assert.match(reasons.join(' '), /the heap: no profile/);
  });

  it('shows what one snapshot is made of, without a verdict', async () => {
    const { findings } = await analyze(join(FIXTURES, 'leakdemo/go1.19/t3/goroutine.debug0.pb.gz'));
    assert.ok(findings.length >= 3);
    assert.ok(findings.every(({ verdict }) => verdict === 'unknown'));
  });

  it('refuses an empty reference, an unknown family and an invalid version', async () => {
    for (const [code, ...argv] of [
      [3, dump, '--reference', 'no-such-file'],
      [2, dump, '--show', 'g-zzzz'],
      [2, dump, '--version', 'banana'],
    ] as const) {
      const io = memoryIo({ cwd: ROOT });
      assert.equal(await run(['analyze', ...argv], io), code);
      assert.equal(io.out(), '');
      assert.match(io.err(), /\n$/);
    }
  });

  it('exits 3 if there is nothing to read', async () => {
    assert.equal(await run(['analyze', 'no-such-file'], memoryIo({ cwd: ROOT })), 3);
  });
});
