import { planYaml } from './plan-file.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aFinding, aRequest } from '../../../test/double/plan-facts.ts';
import { readToAct, sha256 } from '../../../test/double/small-plan.ts';
import { actingWorld, type ActingWorld, marksOn, START_SECONDS } from '../../../test/double/world/acting-world.ts';
import { worldSender, WORLD_ENDPOINT } from '../../../test/double/world/world-sender.ts';
import { encodeText } from '../../base/text.ts';
import type { Plan } from './plan.ts';
import { type DraftRequest, draftPlan } from './draft-plan.ts';
import { endpointConnection } from '../../live/ports.ts';

/** Plans on the world that apply works on, and reads the plan back from its file. */
async function draft(acting: ActingWorld, names: readonly string[], more: Partial<DraftRequest> = {}): Promise<Plan> {
  const send = worldSender(acting.world);
  const connection = endpointConnection('the world', 'api-server', WORLD_ENDPOINT, send);
  const { nodes: _, restart, ...request } = aRequest([]);
  const made = await draftPlan(
    {
      cluster: {
        ...connection,
        context: 'world',
        namespace: 'default',
        post: (path, json, limits) => send(WORLD_ENDPOINT, { method: 'POST', path, json }, limits),
      },
      kubelet: async node => ({
        ...endpointConnection(`node/${node}`, 'api-server-proxy', WORLD_ENDPOINT, send),
        get: async () => ({
          kind: 'answer',
          status: 200,
          headers: {},
          body: encodeText(`process_start_time_seconds ${START_SECONDS}\nprocess_resident_memory_bytes 1.2e9\n`),
          cut: undefined,
          headAtSeconds: acting.clock.now(),
          dateSeconds: acting.clock.now(),
          tookSeconds: 0,
        }),
      }),
      nowSeconds: acting.clock.now(),
      deadlineSeconds: 10,
    },
    {
      ...request,
      names,
      selector: null,
      allLeaking: false,
      findings: new Map(names.map(name => [name, aFinding(name)])),
      restart: { ...restart, template: 'ssh {node} restart' },
      ...more,
    },
    sha256,
  );
  return readToAct(encodeText(planYaml(made)), 'ssh {node} restart');
}

describe('a plan that is applied', () => {
  it('restarts node after node, and leaves nothing behind but the time', async () => {
    const acting = actingWorld(['worker-1', 'worker-2', 'worker-3']);
    acting.world.addPod('worker-1', { name: 'web-1' });
    const plan = await draft(acting, ['worker-2', 'worker-1', 'worker-3']);
    assert.equal(plan.cluster.uid, 'c');
    assert.deepEqual(await acting.apply(plan), { kind: 'done', wasDone: false });
    assert.deepEqual(acting.restarts, ['worker-1', 'worker-2', 'worker-3']);
    for (const node of acting.restarts) assert.deepEqual(marksOn(acting, node), ['oakum.dev/last-restart']);
    assert.equal(acting.world.all('pods').length, 1);
    // Its own marks do not keep the next plan out, the cool-down does.
    await assert.rejects(
      draft(acting, ['worker-1']),
      /its kubelet was restarted .* ago by plan-.*; the cool-down is 1h/,
    );
  });

  it('drains first when asked, and uncordons afterwards', async () => {
    const acting = actingWorld(['worker-1', 'worker-2']);
    acting.world.addPod('worker-1', { name: 'web-1' });
    const plan = await draft(acting, ['worker-1'], { drain: { ...aRequest([]).drain, before: true } });
    assert.deepEqual(await acting.apply(plan), { kind: 'done', wasDone: false });
    assert.deepEqual(acting.world.all('pods'), []);
    assert.deepEqual(marksOn(acting, 'worker-1'), ['oakum.dev/last-restart']);
  });

  it('names the budget that refuses and what frees it, and can be aborted after a cordon', async () => {
    const acting = actingWorld(['worker-1', 'worker-2']);
    acting.world.addPod('worker-1', { name: 'web-1' });
    acting.world.add('poddisruptionbudgets', {
      metadata: { name: 'web-pdb', namespace: 'default' },
      spec: { selector: { matchLabels: { app: 'web' } } },
      status: { disruptionsAllowed: 0, desiredHealthy: 2, currentHealthy: 2, expectedPods: 3 },
    });
    const plan = await draft(acting, ['worker-1'], { action: 'drain' });
    assert.match(
      plan.warnings.join('\n'),
      /default\/web-1 is refused now.*default\/web-pdb frees when 1 more pod is Ready/,
    );
    const never = { disruptionsAllowed: 0, desiredHealthy: 3, currentHealthy: 3, expectedPods: 3 };
    acting.world.change('poddisruptionbudgets', 'web-pdb', { status: never }, 'default');
    await assert.rejects(
      draft(acting, ['worker-1'], { action: 'drain' }),
      /default\/web-1 cannot be evicted: default\/web-pdb never allows a disruption: all 3 of its pods must stay/,
    );
    const cordoned = await draft(acting, ['worker-1'], { action: 'cordon' });
    assert.deepEqual(await acting.apply(cordoned), { kind: 'done', wasDone: false });
    assert.deepEqual(marksOn(acting, 'worker-1'), ['cordoned', 'oakum.dev/cordoned-by']);
    await assert.rejects(
      draft(acting, ['worker-1']),
      /an earlier plan, plan-\S+, left it cordoned; end that with oakum plan abort --node worker-1/,
    );
    await acting.abort(cordoned);
    assert.deepEqual(marksOn(acting, 'worker-1'), []);
  });

  it('plans with a budget as a whole: what it allows at once is not allowed ten times', async () => {
    const acting = actingWorld(['worker-1', 'worker-2']);
    for (let i = 0; i < 10; i++) acting.world.addPod('worker-1', { name: `web-${i}` });
    acting.world.add('poddisruptionbudgets', {
      metadata: { name: 'web-pdb', namespace: 'default' },
      spec: { selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }] } },
      status: { disruptionsAllowed: 2, desiredHealthy: 8, currentHealthy: 10, expectedPods: 10 },
    });
    const plan = await draft(acting, ['worker-1'], { action: 'drain' });
    const dryRuns = plan.waves[0].nodes[0].pods.map(({ dryRun }) => dryRun);
    assert.deepEqual(
      [dryRuns.filter(one => one === 'allowed').length, dryRuns.filter(one => one === 'waits').length],
      [2, 8],
    );
    assert.match(
      plan.warnings.join('\n'),
      /8 pods wait for default\/web-pdb until the pods of it that are evicted before/,
    );
  });

  it('drains node after node of one zone, until a fifth of the nodes is cordoned', async () => {
    const acting = actingWorld('abcdefghij'.split(''));
    const zone = { metadata: { labels: { 'topology.kubernetes.io/zone': 'z1' } } };
    for (const name of 'abcdefghij') acting.world.change('nodes', name, zone);
    const plan = await draft(acting, ['a', 'b', 'c'], { action: 'drain' });
    const result = await acting.apply(plan);
    assert.ok(result.kind === 'stopped' && result.why === 'too-many-not-ready', JSON.stringify(result));
    assert.match(result.detail, /2 of 10 nodes are cordoned by Oakum or not Ready \(a, b\): at 20 % or more/);
    assert.deepEqual(marksOn(acting, 'a'), ['cordoned', 'oakum.dev/cordoned-by']);
    assert.deepEqual(marksOn(acting, 'b'), ['cordoned', 'oakum.dev/cordoned-by']);
    assert.deepEqual(marksOn(acting, 'c'), []);
  });

  it('deletes a Machine only if it says itself that it is that of the node', async () => {
    for (const [of, expected] of [
      ['worker-2', 'stopped'],
      ['worker-1', 'done'],
    ] as const) {
      const acting = actingWorld(['worker-1', 'worker-2']);
      const annotations = { 'cluster.x-k8s.io/machine': 'm-1', 'cluster.x-k8s.io/cluster-namespace': 'clusters' };
      acting.world.change('nodes', 'worker-1', { metadata: { annotations } });
      acting.world.fault = ({ path }) =>
        path.endsWith('/machines/m-1') ? { status: 200, body: { status: { nodeRef: { name: of } } } } : undefined;
      const result = await acting.apply(await draft(acting, ['worker-1'], { action: 'replace' }));
      assert.equal(result.kind, expected, JSON.stringify(result));
      const deleted = acting.world.requests.filter(({ method }) => method === 'DELETE');
      assert.equal(deleted.length, expected === 'done' ? 1 : 0);
      if (result.kind === 'stopped') assert.match(result.detail, /the Machine that worker-1 names is that of worker-2/);
    }
  });

  it('restarts a node on which only pods with devices that have ended are left', async () => {
    const acting = actingWorld(['worker-1']);
    const containers = [{ name: 'train', resources: { limits: { 'nvidia.com/gpu': '1' } } }];
    acting.world.addPod('worker-1', { name: 'job', spec: { containers }, status: { phase: 'Succeeded' } });
    assert.deepEqual(await acting.apply(await draft(acting, ['worker-1'])), { kind: 'done', wasDone: false });
    acting.world.addPod('worker-1', { name: 'other', spec: { containers } });
    const coolDown = { policy: { ...aRequest([]).policy, coolDownSeconds: 0 } };
    await assert.rejects(
      draft(acting, ['worker-1'], coolDown),
      /a pod uses devices \(default\/other: nvidia.com\/gpu\)/,
    );
  });
});
