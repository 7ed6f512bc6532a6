import { planYaml } from './plan-file.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { A_KUBELET, aFinding, aNode, aPod, aRequest, AT, planFor } from '../../../test/double/plan-facts.ts';
import { readToAct } from '../../../test/double/small-plan.ts';
import { recordOf } from '../../base/json.ts';
import { encodeText } from '../../base/text.ts';
import type { Plan } from './plan.ts';
import { stepsOf } from './derive-plan.ts';
import { rightKey } from './rights.ts';
import { Failure } from '../../base/errors.ts';

const W1 = aNode('worker-1');

function kinds(plan: Plan): string {
  return stepsOf(plan)
    .map(({ kind }) => kind)
    .join(' ');
}

function refusal(make: () => Plan): string {
  try {
    make();
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    return error.message;
  }
  return assert.fail('there is a plan');
}

const DRAIN = { ...aRequest([W1]).drain, before: true };

describe('a plan', () => {
  it('restarts in place, with everything that a reader needs', () => {
    const plan = planFor([W1]);
    assert.equal(kinds(plan), 'lock announce restart wait-ready withdraw verify unlock');
    const [node] = plan.waves[0]?.nodes ?? [];
    assert.match(
      node?.expected.sentence ?? '',
      /^memory is back to about .*; if the leak is intrinsic it is at the limit again in /,
    );
    assert.deepEqual(node?.expected.blinkingPods, []);
    assert.match(
      plan.first[0] ?? '',
      /^Upgrade first \(worker-1\): kubernetes#139823 is fixed in 1\.36\.3: an upgrade cures it/,
    );
    assert.deepEqual(plan.why[0]?.evidence?.where, './w');
    assert.equal(plan.expiresAt, '2026-11-17T02:26:30Z');
    assert.deepEqual(readToAct(encodeText(planYaml(plan))), plan);
    assert.deepEqual(planFor([W1]), plan);
  });

  it('says when the restart will have proved itself', () => {
    const { verification } = planFor([W1]).waves[0]?.nodes[0] ?? assert.fail();
    // Facts: one node needs 4 to 5 hours at 2.4 MB/h; the formula without exact variances says 5.2.
    assert.ok(verification.decidedAfterHours !== null && Math.abs(verification.decidedAfterHours - 5.2) < 0.3);
    assert.equal(verification.before.processStartSeconds, A_KUBELET.processStartSeconds);
  });

  it('has other steps for other acts', () => {
    for (const [action, more, expected] of [
      ['restart', { drain: DRAIN }, 'lock announce cordon drain restart wait-ready uncordon withdraw verify unlock'],
      ['cordon', {}, 'lock announce cordon withdraw unlock'],
      ['drain', {}, 'lock announce cordon drain withdraw unlock'],
      ['replace', {}, 'lock announce cordon drain withdraw unlock'],
    ] as const)
      assert.equal(kinds(planFor([W1], { action, ...more })), expected);
    const machine = { 'cluster.x-k8s.io/machine': 'm-1', 'cluster.x-k8s.io/cluster-namespace': 'clusters' };
    const replaced = planFor([aNode('worker-1', { annotations: machine })], { action: 'replace' });
    const [step] = stepsOf(replaced).filter(({ kind }) => kind === 'delete-node');
    assert.ok(step?.isFinal === true && step.call.kind === 'request');
    assert.equal(step.call.path, '/apis/cluster.x-k8s.io/v1beta1/namespaces/clusters/machines/m-1');
    for (const verb of ['get', 'delete'])
      assert.ok(step.rights.some(right => rightKey(right) === `${verb} machines.cluster.x-k8s.io in clusters`));
    const karpenter = planFor([aNode('worker-1', { labels: { 'karpenter.sh/nodepool': 'a' } })], { action: 'replace' });
    const [deletion] = stepsOf(karpenter).filter(({ kind }) => kind === 'delete-node');
    assert.ok(deletion?.call.kind === 'request');
    assert.deepEqual(recordOf(deletion.call.body)['preconditions'], { uid: W1.uid });
  });

  it('lists who blinks before 1.35, and nobody from then on', () => {
    const pods = new Map([
      ['worker-1', [aPod('b'), aPod('a'), aPod('no-probe', { hasProbe: false }), aPod('sick', { isReady: false })]],
    ]);
    const blinks = (kubeletVersion: string): readonly string[] =>
      planFor([aNode('worker-1', { kubeletVersion })], {}, { pods }).waves[0]?.nodes[0]?.expected.blinkingPods ?? [];
    assert.deepEqual(blinks('v1.34.9'), ['shop/a', 'shop/b']);
    assert.deepEqual(blinks('v1.35.0'), []);
    assert.deepEqual(blinks('v1.36.2+k3s1'), []);
    assert.deepEqual(blinks('unknown'), ['shop/a', 'shop/b']);
  });

  it('restarts what the distribution runs', () => {
    const argv = (more: object): string => {
      const step = stepsOf(planFor([aNode('worker-1', more)])).find(({ kind }) => kind === 'restart');
      return step?.call.kind === 'command' ? step.call.argv.join(' ') : '';
    };
    assert.equal(argv({}), 'ssh worker-1 sudo systemctl restart kubelet');
    assert.equal(argv({ kubeletVersion: 'v1.36.0+k3s1' }), 'ssh worker-1 sudo systemctl restart k3s-agent');
    assert.equal(
      argv({ kubeletVersion: 'v1.36.0+rke2r1', isControlPlane: true }),
      'ssh worker-1 sudo systemctl restart rke2-server',
    );
    const onK0s = { kubeletVersion: 'v1.36.0+k0s', isControlPlane: true };
    assert.equal(argv(onK0s), 'ssh worker-1 sudo systemctl restart k0scontroller');
    assert.equal(
      argv({ labels: { 'microk8s.io/cluster': 'true' } }),
      'ssh worker-1 sudo systemctl restart snap.microk8s.daemon-kubelite',
    );
    assert.equal(argv({ osImage: 'Talos (v1.12.0)' }), 'talosctl -n 10.0.0.17 service kubelet restart');
    assert.match(
      argv({ osImage: 'Bottlerocket OS 1.50.0 (aws-k8s-1.36)' }),
      /apiclient exec admin sheltie systemctl restart kubelet/,
    );
  });

  it('fills a template without a shell', () => {
    const restart = {
      ...aRequest([W1]).restart,
      template: `ssh -o "User=root" {node} 'systemctl restart kubelet; id' {instance}`,
    };
    const plan = planFor([aNode('worker-1', { providerId: 'aws:///eu-1a/i-0abc' })], { restart });
    const step = stepsOf(plan).find(({ kind }) => kind === 'restart');
    assert.ok(step?.call.kind === 'command');
    assert.deepEqual(step.call.argv, ['ssh', '-o', 'User=root', 'worker-1', 'systemctl restart kubelet; id', 'i-0abc']);
  });

  it('leaves out a node whose address would be an option of the command', () => {
    const restart = { ...aRequest([W1]).restart, template: 'ssh {address} systemctl restart kubelet' };
    const hostile = aNode('worker-1', { address: '-oProxyCommand=id' });
    assert.match(
      refusal(() => planFor([hostile], { restart })),
      /worker-1 is left out: its address is not fit/,
    );
  });

  it('asks for less where kubelets are read at their own port', () => {
    const rights = (isDirect: boolean): string[] => planFor([W1], { isDirect }).rights.map(rightKey);
    assert.ok(rights(false).includes('get nodes/proxy') && !rights(false).includes('get nodes/metrics'));
    assert.ok(rights(true).includes('get nodes/metrics') && !rights(true).includes('get nodes/proxy'));
  });

  it('makes one privileged pod with an image that the node has', () => {
    const restart = { ...aRequest([W1]).restart, via: 'pod' as const };
    const plan = planFor([aNode(`${'n'.repeat(100)}.example.com`)], { restart });
    const step = stepsOf(plan).find(({ kind }) => kind === 'restart');
    assert.ok(step?.call.kind === 'pod');
    const pod = step.call.manifest as unknown as { metadata: { name: string }; spec: Record<string, unknown> };
    assert.ok(pod.metadata.name.length <= 63 && /^[a-z0-9-]+$/.test(pod.metadata.name), pod.metadata.name);
    assert.equal(pod.spec['hostPID'], true);
    assert.deepEqual(
      (pod.spec['containers'] as { image: string; imagePullPolicy: string }[]).map(one => [
        one.image,
        one.imagePullPolicy,
      ]),
      [['docker.io/library/busybox:1.36', 'Never']],
    );
    // Whoever can start a pod on a node brings an image of any name to it.
    for (const image of ['registry.k8s.io/pause:3.10', 'evil.example/library/busybox:1', 'docker.io/evil/alpine:3'])
      assert.match(
        refusal(() => planFor([aNode('n', { images: [image] })], { restart })),
        /no image with nsenter/,
      );
    assert.match(
      refusal(() => planFor([aNode('n', { osImage: 'Talos (v1.12.0)' })], { restart })),
      /use --via command or --via print/,
    );
  });
});

describe('what keeps a node out', () => {
  for (const [what, node, request, facts, why] of [
    [
      'verdict watch',
      {},
      { findings: new Map([['worker-1', aFinding('worker-1', { verdict: 'watch' })]]) },
      {},
      /verdict is watch, not leak/,
    ],
    ['no verdict', {}, { findings: new Map() }, {}, /nothing says that it leaks; run oakum triage node\/worker-1/],
    [
      'no evidence',
      {},
      { findings: new Map([['worker-1', aFinding('worker-1', { evidence: null })]]) },
      {},
      /no evidence was saved/,
    ],
    [
      'evidence of an earlier process',
      {},
      {
        findings: new Map([
          [
            'worker-1',
            aFinding('worker-1', {
              evidence: { where: './w', fileCount: 1, bytes: 9, takenAt: '2026-10-20T00:00:00Z', isReadable: true },
            }),
          ],
        ]),
      },
      {},
      /taken at 2026-10-20T00:00:00Z, of an earlier process than the one that runs since 2026-10-\d\d.*; run oakum capture/,
    ],
    [
      'not Ready',
      { isReady: false },
      {},
      { nodes: [aNode('worker-1', { isReady: false }), ...'abcdefgh'.split('').map(name => aNode(name))] },
      /it is not Ready/,
    ],
  ] as const)
    it(`${what}, unless forced with a reason`, () => {
      const nodes = [aNode('worker-1', node)];
      assert.match(
        refusal(() => planFor(nodes, request, facts)),
        why,
      );
      const forced = planFor(nodes, { ...request, force: 'the pager said so' }, facts);
      assert.equal(forced.why[0]?.forcedBecause, 'the pager said so');
      assert.equal(planFor([W1], { force: 'just in case' }).why[0]?.forcedBecause, null);
    });

  for (const [what, node, facts, why] of [
    ['a cordon that is not ours', { isCordoned: true }, {}, /cordoned, and not by Oakum/],
    [
      'a plan that left it cordoned',
      { isCordoned: true, annotations: { 'oakum.dev/cordoned-by': 'plan-1' } },
      {},
      /oakum plan abort/,
    ],
    [
      "kured's reboot",
      { annotations: { 'weave.works/kured-reboot-in-progress': 'x' } },
      {},
      /kured is rebooting worker-1/,
    ],
    [
      "kured's lock",
      {},
      { kuredLock: 'kured is rebooting worker-9 and holds its lock' },
      /worker-9 and holds its lock/,
    ],
    ['maintenance', { taints: ['medik8s.io/drain'] }, {}, /taint medik8s\.io\/drain/],
    ['a repair', { trueConditions: ['Ready', 'KubeletUnhealthy'] }, {}, /condition KubeletUnhealthy/],
    ['another plan', { annotations: { 'oakum.dev/plan': 'plan-2' } }, {}, /plan-2 is at work/],
    ['deletion', { isLeaving: true }, {}, /being deleted/],
    [
      'devices',
      {},
      { pods: new Map([['worker-1', [aPod('gpu', { devices: ['nvidia.com/gpu'] })]]]) },
      /shop\/gpu: nvidia\.com\/gpu.*kubernetes#133382.*--drain/,
    ],
    [
      'an expired certificate',
      {},
      { kubelets: new Map([['worker-1', { ...A_KUBELET, certificateSeconds: -5 }]]) },
      /certificate has expired/,
    ],
    [
      'the cool-down',
      { annotations: { 'oakum.dev/last-restart': `${new Date((AT - 600) * 1000).toISOString()} plan-3` } },
      {},
      /restarted 10m ago by plan-3; the cool-down is 1h/,
    ],
  ] as const)
    it(`${what}, even with --force`, () => {
      const nodes = [aNode('worker-1', node)];
      assert.match(
        refusal(() => planFor(nodes, { force: 'now' }, facts)),
        why,
      );
    });

  it('a leak that came back after the last restart, without --again', () => {
    const annotations = { 'oakum.dev/last-restart': `${new Date((AT - 48 * 3600) * 1000).toISOString()} plan-3` };
    const nodes = [aNode('worker-1', { annotations })];
    assert.match(
      refusal(() => planFor(nodes)),
      /restarted 2d ago and leaks again: a restart does not cure it/,
    );
    const again = planFor(nodes, { policy: { ...aRequest([W1]).policy, restartAgain: true } });
    assert.equal(again.policy.restartAgain, true);
    const late = { 'oakum.dev/last-restart': `${new Date((AT - 9000 * 3600) * 1000).toISOString()} plan-3` };
    assert.equal(planFor([aNode('worker-1', { annotations: late })]).waves.length, 1);
  });

  it('pods with devices are evicted first when asked', () => {
    const pods = new Map([['worker-1', [aPod('gpu', { devices: ['nvidia.com/gpu'] })]]]);
    assert.match(kinds(planFor([W1], { drain: DRAIN }, { pods })), /cordon drain restart/);
    const drain = { act: 'leave' as const, note: 'of the DaemonSet dcgm: it would come back' };
    const left = new Map([['worker-1', [aPod('dcgm', { devices: ['nvidia.com/gpu'], drain })]]]);
    assert.match(
      refusal(() => planFor([W1], { drain: DRAIN }, { pods: left })),
      /a drain leaves it: of the DaemonSet dcgm/,
    );
  });

  it('a pod that may not be evicted stops a drain', () => {
    const pods = new Map([
      ['worker-1', [aPod('db', { drain: { act: 'refuse', note: 'no controller brings it back' } })]],
    ]);
    assert.match(
      refusal(() => planFor([W1], { action: 'drain' }, { pods })),
      /shop\/db may not be evicted: no controller/,
    );
    assert.equal(planFor([W1], {}, { pods }).waves.length, 1);
  });

  it('too many nodes that are not Ready stop everything', () => {
    const nodes = [W1, aNode('b', { isReady: false }), aNode('c'), aNode('d'), aNode('e')];
    assert.match(
      refusal(() => planFor(nodes, { nodes: ['worker-1'] })),
      /1 of 5 nodes are not Ready, and acting stops at 20 %/,
    );
    assert.equal(planFor([...nodes, aNode('f')], { nodes: ['worker-1'] }).waves.length, 1);
  });

  it('one node does not keep the others out', () => {
    const plan = planFor([W1, aNode('worker-2', { isCordoned: true })], { nodes: ['worker-1', 'worker-2', 'ghost'] });
    assert.deepEqual(
      plan.leftOut.map(({ node }) => node),
      ['worker-2', 'ghost'],
    );
  });
});

describe('warnings', () => {
  const warnings = (node: object, request = {}, facts = {}): string =>
    planFor([aNode('worker-1', node)], request, facts).warnings.join('\n');

  it('name providers that repair what is cordoned, only when something is', () => {
    assert.equal(warnings({ providerId: 'gce://p/z/n' }), '');
    assert.match(
      warnings({ providerId: 'gce://p/z/n' }, { action: 'drain' }),
      /Autopilot repairs a node that stays cordoned/,
    );
    assert.match(warnings({ labels: { 'karpenter.sh/nodepool': 'x' } }, { action: 'cordon' }), /Karpenter may remove/);
  });

  it('name the budget that refuses, and what frees it', () => {
    const evictions = new Map([
      [
        'shop/web-worker-1',
        { outcome: 'refused' as const, budget: 'web', message: 'web needs 2. shop/web frees when 1 more pod is Ready' },
      ],
    ]);
    assert.match(
      warnings({}, { action: 'drain' }, { evictions }),
      /eviction of shop\/web-worker-1 is refused now: web needs 2\. shop\/web frees/,
    );
  });

  it('say where a plan that leaves nodes cordoned will stop', () => {
    const nodes = 'abcdefghij'.split('').map(name => aNode(name));
    const warned = (count: number, action: 'drain' | 'restart'): string => {
      const asked = nodes.slice(0, count);
      return planFor(nodes, { ...aRequest(asked), action }).warnings.join('\n');
    };
    assert.match(warned(3, 'drain'), /leaves 3 of 10 nodes cordoned, and apply stops after 2: at 20 %/);
    assert.doesNotMatch(warned(2, 'drain'), /leaves/);
    assert.doesNotMatch(warned(3, 'restart'), /leaves/);
  });

  it('name rivals, certificates and control planes', () => {
    assert.match(warnings({ conditionTypes: ['Ready', 'KubeletUnhealthy'] }), /node-problem-detector/);
    assert.match(
      warnings({}, {}, { kubelets: new Map([['worker-1', { ...A_KUBELET, certificateSeconds: 7200 }]]) }),
      /certificate expires in 2h/,
    );
    assert.match(warnings({ isControlPlane: true }), /control-plane node: check etcd/);
    assert.match(warnings({}, {}, { namespace: { exists: false, enforces: null } }), /namespace oakum does not exist/);
  });
});
