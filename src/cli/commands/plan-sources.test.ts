/** What says that a node leaks: a running watch over its API, or a triage as JSON. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { type ClusterDouble, startCluster } from '../../../test/double/cluster-double.ts';
import { startExample, type ExampleServer } from '../../../test/double/example-server.ts';
import { EXAMPLE_SHA256, exampleService } from '../../../test/double/example-service.ts';
import { memoryIo } from '../../../test/double/memory-io.ts';
import { readToAct } from '../../../test/double/small-plan.ts';
import type { WatchService } from '../../watch/watch-service.ts';
import type { Plan } from '../../act/plan/plan.ts';
import type { FleetRow } from '../../watch/views/fleet.ts';
import { servedFleet } from '../../../test/double/served-fleet.ts';
import { run } from '../run.ts';

const folder = mkdtempSync(join(tmpdir(), 'oakum-plan-sources-'));
let cluster: ClusterDouble;
before(async () => (cluster = await startCluster({ clock: 'ours' })));
after(async () => {
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
});

async function oakum(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const io = memoryIo({ cwd: folder });
  const code = await run([...argv, '--kubeconfig', cluster.kubeconfig('admin')], io);
  return { code, out: io.out(), err: io.err() };
}

/** The plan that was written, or the failure. */
async function planOf(...argv: string[]): Promise<Plan> {
  const file = join(folder, 'plan.yaml');
  rmSync(file, { force: true });
  const { code, err } = await oakum('plan', ...argv, '-o', 'plan.yaml');
  assert.equal(code, 0, err);
  return readToAct(readFileSync(file));
}

async function refusal(...argv: string[]): Promise<string> {
  const file = join(folder, 'refused.yaml');
  const { code, err } = await oakum('plan', ...argv, '-o', 'refused.yaml');
  assert.notEqual(code, 0);
  assert.equal(existsSync(file), false, 'a plan was written all the same');
  return err;
}

const TAKEN_AT = Date.parse('2026-11-15T20:36:40Z') / 1000;

/** The example watch, whose worker-1 is called worker-17 as in the cluster. */
async function watch(
  t: TestContext,
  row: Partial<FleetRow> = {},
  changes: Partial<WatchService> = {},
  { token, takenAt = TAKEN_AT }: { readonly token?: string; readonly takenAt?: number } = {},
): Promise<ExampleServer> {
  const example = exampleService();
  const renamed = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('worker-1', 'worker-17')) as T;
  const view = renamed(await example.fleet(1));
  const rows = view.rows.map(one => (one.target === 'node/worker-17' ? { ...one, ...row } : one));
  // The kubelet of the cluster was started at 19:45:22.
  const incident: WatchService['incident'] = async id => {
    const found = await example.incident(id);
    return found && renamed({ ...found, captures: found.captures.map(one => ({ ...one, at: takenAt })) });
  };
  return startExample(t, {
    changes: { ...servedFleet({ ...view, rows }), incident, ...changes },
    ...(token === undefined ? {} : { token }),
  });
}

describe('oakum plan --from a running watch', () => {
  it('takes verdict, incident, evidence, cause and time to the limit from its API', async t => {
    const { url, logged } = await watch(t);
    const plan = await planOf('restart', 'node/worker-17', '--from', url);
    const [why] = plan.why;
    assert.deepEqual(
      [why.verdict, why.incident, why.resource, why.timeToLimitHours, why.slopePerHour, why.forcedBecause],
      ['leak', 'i-1', 'live heap', [15, 26], 796_918, null],
    );
    assert.equal(why.sentence, 'Known leak kubernetes#139823, fixed in v1.36.3. Evidence saved.');
    assert.deepEqual([why.knownLeak?.ref, why.knownLeak?.fixedIn], ['kubernetes#139823', ['1.36.3']]);
    assert.deepEqual(why.evidence, {
      where: `${url}/api/v1/incidents/i-1/bundle`,
      fileCount: 1,
      bytes: 212_440,
      takenAt: '2026-11-15T20:36:40Z',
      isReadable: true,
    });
    assert.match(plan.first.join(), /Upgrade first \(worker-17\): kubernetes#139823 is fixed in 1\.36\.3/);
    assert.equal(plan.waves[0].nodes[0].verification.before.slopePerHour, 796_918);
    const all = await planOf('restart', '--all-leaking', '--from', url);
    assert.deepEqual(
      all.waves.flatMap(({ nodes }) => nodes.map(({ node }) => node)),
      ['worker-17'],
    );
    assert.deepEqual(logged, []);
  });

  it('leaves a node out that is only suspected, or whose evidence does not come back', async t => {
    const suspected = await watch(t, { verdict: 'watch' });
    assert.match(await refusal('restart', 'node/worker-17', '--from', suspected.url), /worker-17.*watch/);
    const lost = await watch(t, {}, { profile: async () => undefined });
    assert.match(await refusal('restart', 'node/worker-17', '--from', lost.url), /evidence/);
    const old = await watch(t, {}, {}, { takenAt: TAKEN_AT - 3600 });
    assert.match(await refusal('restart', 'node/worker-17', '--from', old.url), /of an earlier process/);
    const none = await watch(t, { incidentId: null });
    assert.match(await refusal('restart', 'node/worker-17', '--from', none.url), /evidence/);
    assert.match(await refusal('restart', 'node/worker-18', '--from', none.url), /worker-18/);
    const healthy = await watch(t, { verdict: 'healthy' });
    assert.match(await refusal('restart', '--all-leaking', '--from', healthy.url), /no node|leak/i);
    const forced = await planOf('restart', 'node/worker-17', '--from', lost.url, '--force', 'the disk is gone');
    assert.deepEqual([forced.why[0].forcedBecause, forced.why[0].incident], ['the disk is gone', 'i-1']);
  });

  it('presents a token, and says what is wrong with an address', async t => {
    const token = 'a-token-to-read-0123456789';
    writeFileSync(join(folder, 'token'), token);
    const { url } = await watch(t, {}, {}, { token });
    assert.match(await refusal('restart', 'node/worker-17', '--from', url), /401|token|not logged in/i);
    const plan = await planOf('restart', 'node/worker-17', '--from', url, '--from-token-file', 'token');
    assert.equal(plan.why[0].incident, 'i-1');
    const odd = await watch(t, {}, { fleet: () => ({ schema: 'other' }) as never });
    assert.match(await refusal('restart', 'node/worker-17', '--from', odd.url), /does not answer as oakum watch does/);
    assert.match(await refusal('restart', 'node/worker-17', '--from', 'http://127.0.0.1:9'), /127\.0\.0\.1:9/);
  });

  it('believes no more of what comes than a plan can hold', async t => {
    const evil = `\u001b[31m${'x'.repeat(5000)}\nnode: other`;
    const { url } = await watch(
      t,
      { reason: evil },
      {
        incident: async id => {
          const view = await exampleService().incident(id);
          return view === undefined
            ? undefined
            : {
                ...view,
                target: 'node/worker-17',
                sentence: evil,
                id: '../../etc',
                captures: view.captures.map(one => ({ ...one, at: TAKEN_AT })),
              };
        },
      },
    );
    const { code, out, err } = await oakum('plan', 'restart', 'node/worker-17', '--from', url, '-o', 'evil.yaml');
    assert.doesNotMatch(out + err, /\u001b/);
    assert.equal(code, 0, err);
    const plan = readToAct(readFileSync(join(folder, 'evil.yaml')));
    assert.deepEqual(
      plan.waves.flatMap(({ nodes }) => nodes.map(({ node }) => node)),
      ['worker-17'],
    );
  });

  it('reads one stored file of the incident, to know that the evidence is there', async t => {
    const asked: string[] = [];
    const { url } = await watch(
      t,
      {},
      {
        profile: async hash => {
          asked.push(hash);
          return new Uint8Array([1]);
        },
      },
    );
    await planOf('restart', 'node/worker-17', '--from', url);
    assert.deepEqual(asked, [EXAMPLE_SHA256]);
  });
});

describe('oakum plan --from a triage as JSON', () => {
  it('takes the verdict from it and analyses its folder again', async () => {
    const triage = await oakum('triage', 'node/worker-17', '--gap', '1s', '--evidence', 'saved', '-o', 'json');
    assert.equal(triage.code, 0, triage.err);
    writeFileSync(join(folder, 'triage.json'), triage.out);
    const plan = await planOf('restart', 'node/worker-17', '--from', 'triage.json');
    const [why] = plan.why;
    assert.deepEqual([why.verdict, why.knownLeak?.ref, why.evidence?.isReadable], ['leak', 'kubernetes#139823', true]);
    assert.deepEqual([why.evidence?.where, why.incident], ['saved', null]);
    assert.ok((why.evidence?.fileCount ?? 0) >= 5 && (why.evidence?.bytes ?? 0) > 10_000);
    assert.equal(why.sentence, (JSON.parse(triage.out) as { sentence: string }).sentence);

    // Of another node, without its folder, or not proved: no plan.
    assert.match(await refusal('restart', 'node/worker-18', '--from', 'triage.json'), /worker-18/);
    const changed = (more: object): void =>
      writeFileSync(join(folder, 'changed.json'), JSON.stringify({ ...(JSON.parse(triage.out) as object), ...more }));
    changed({ evidence: { folder: 'gone' } });
    assert.match(await refusal('restart', 'node/worker-17', '--from', 'changed.json'), /evidence/);
    changed({ verdict: 'watch' });
    assert.match(await refusal('restart', 'node/worker-17', '--from', 'changed.json'), /watch/);
    changed({ schema: 'oakum.triage/v9' });
    assert.notEqual(await refusal('restart', 'node/worker-17', '--from', 'changed.json'), '');
  });
});
