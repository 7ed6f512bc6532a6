import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AnyFile, readToAct, resealed, sha256, smallPlan } from '../../../test/double/small-plan.ts';
import { stepsOf } from './derive-plan.ts';
import { planYaml, canonicalJson, planFile, readPlan } from './plan-file.ts';
import { Failure } from '../../base/errors.ts';

const read = (text: string) => readToAct(Buffer.from(text));

function refusal(text: string, what: RegExp, code = 'unreadable'): void {
  assert.throws(
    () => read(text),
    (error: unknown) => {
      assert.ok(error instanceof Failure, String(error));
      assert.match(error.message, what);
      assert.equal(error.code, code);
      assert.ok(error.message.length < 700 && !error.message.includes('\n'), error.message);
      return true;
    },
  );
}

describe('a plan file', () => {
  it('is read as it was written', () => {
    const plan = smallPlan(['worker-17', 'worker-18']);
    assert.deepEqual(read(planYaml(plan)), plan);
    assert.match(plan.id, /^plan-20261117t015630-[0-9a-f]{8}$/);
    assert.equal(stepsOf(plan).length, 12);
  });

  it('keeps its hash when keys are in another order or the YAML is JSON', () => {
    const plan = smallPlan();
    const turned = Object.fromEntries(Object.entries(planFile(plan)).reverse());
    assert.deepEqual(read(JSON.stringify(turned)), plan);
    assert.equal(canonicalJson({ b: [{ d: 1, c: -0 }], a: undefined }), '{"b":[{"c":0,"d":1}]}');
  });

  it('is refused when any value was changed', () => {
    const text = planYaml(smallPlan());
    for (const [from, to] of [
      ['maxConcurrent: 1\n', 'maxConcurrent: 9\n'],
      ['run ssh worker-17', 'run ssh worker-18'],
      ['isReady: true', 'isReady: false'],
      ['sentence: memory back to about 110 MiB', 'sentence: memory back to about 10 MiB'],
      [/id: plan-\S*/.exec(text)?.[0] ?? '', 'id: plan-20261117t015630-00000000'],
    ] as const) {
      assert.ok(text.includes(from), from);
      refusal(text.replace(from, to), /plan\.yaml: the plan was changed after it was written/, 'plan-refused');
    }
  });

  it('is refused with the field when it has another shape', () => {
    const text = planYaml(smallPlan());
    refusal(text.replace('maxPerHour: 10\n', 'maxPerHour: many\n'), /policy\.maxPerHour must be a number/);
    refusal(text.replace('  maxPerHour: 10\n', ''), /policy\.maxPerHour is missing/);
    refusal(
      text.replace('maxPerHour: 10\n', 'maxPerHour: 10\n  shell: rm\n'),
      /policy\.shell is not a field of a plan/,
    );
    refusal(text.replace('- node: worker-17\n', '- node: ../namespaces/prod\n'), /must be a name of Kubernetes/);
    refusal(text.replace('action: restart', 'action: exec'), /action/);
    refusal(text.slice(0, text.length / 2), /plan\.yaml: /);
  });

  it('may be anything: one line says what is wrong', () => {
    for (const text of ['', '7', '[]', 'a: b', 'null', '---\n---\n', '\0', '%', 'schema: oakum.analysis/v1']) {
      refusal(text, /^plan\.yaml: not a plan/);
    }
    refusal(`schema: oakum.plan/v1\nwhy: ${'['.repeat(20_000)}`, /^plan\.yaml: /);
    refusal('a: &a [x, x]\nb: &b [*a, *a]\nschema: *b', /^plan\.yaml: not a plan/);
    refusal('schema: oakum.plan/v1\n__proto__: {id: 7}\n', /^plan\.yaml: /);
    assert.throws(() => readToAct(new Uint8Array(9 * 1024 * 1024)), /larger than 8 MiB/);
  });

  it('cannot be cut at any place', () => {
    const bytes = Buffer.from(planYaml(smallPlan()));
    for (let end = 0; end < bytes.length - 1; end += 997)
      assert.throws(() => readToAct(bytes.subarray(0, end)), Failure);
  });
});

function forged(change: (file: AnyFile) => void): string {
  return JSON.stringify(resealed(planFile(smallPlan()), change));
}

describe('a plan that was changed and sealed again', () => {
  const NODE = '/api/v1/nodes/worker-17';
  const SHELL = { kind: 'command', argv: ['sh', '-c', 'id > pwned'] };
  const STEP = { id: 'plan/announce', kind: 'announce', node: null, sentence: 'annotate worker-17', call: SHELL };

  it('has no place for a program, a path, a body, a lock or a condition of its own', () => {
    const cases: readonly [(file: AnyFile) => void, RegExp][] = [
      [file => (file.before = [STEP]), /before is not a field of a plan/],
      [file => (file.after = [STEP]), /after is not a field of a plan/],
      [file => (file.waves = []), /waves is not a field of a plan/],
      [file => (file.rights = []), /rights is not a field of a plan/],
      [file => (file.command = 'sh -c id'), /command is not a field of a plan/],
      [file => (file.template = 'sh -c id {node}'), /template is not a field of a plan/],
      [file => (file.nodes[0].steps = [STEP]), /nodes\.0\.steps is not a field of a plan/],
      [file => (file.nodes[0].argv = SHELL.argv), /nodes\.0\.argv is not a field of a plan/],
      [file => (file.nodes[0].node = '../namespaces/prod'), /nodes\.0\.node must be a name of Kubernetes/],
      [file => (file.nodes[0].node = '-oProxyCommand=id'), /must be a name of Kubernetes/],
      [file => (file.policy.lock.name = 'mine'), /policy\.lock\.name/],
      [file => (file.policy.lock.namespace = 'oakum/leases/x?'), /must be a name of Kubernetes/],
      [file => (file.policy.stopAtFirstFailure = false), /policy\.stopAtFirstFailure/],
      [file => (file.policy.maxAgeSeconds = 86_400), /is more than 30 minutes/],
      [file => (file.cluster.uid = null), /cluster\.uid/],
      [file => (file.nodes = []), /nodes is empty/],
      [file => file.nodes.push(file.nodes[0]), /worker-17 is there twice/],
      [file => (file.nodes[0].isReady = false), /was not Ready, and nobody says why/],
      [file => (file.via = 'pod'), /worker-17 has an image, or none, against the way of the restart/],
      [file => (file.nodes[0].image = { name: 'evil.example/root:1', isOnNode: true }), /has an image, or none/],
      [file => (file.action = 'replace'), /a plan to replace is not done by command/],
      [file => Object.assign(file, { action: 'drain', via: null }), /it does not say how pods are evicted/],
      [
        file => (file.nodes[0].replacer = { kind: 'machine', version: 'v1/../..', namespace: 'a', name: 'b' }),
        /must be a version such as v1beta2/,
      ],
    ];
    for (const [change, why] of cases) refusal(forged(change), why);
  });

  it('is refused with the difference if it shows other calls than those that follow', () => {
    const harmless = `worker-17/announce: PATCH ${NODE} {"metadata":{"annotations":{"x":"y"}}}`;
    const cases: readonly [(file: AnyFile) => void, RegExp][] = [
      [
        file => (file.calls[1] = harmless),
        /the file says ".*"x":"y".*", and what would be done is "worker-17\/announce: PATCH/,
      ],
      [
        file => (file.calls[2] = "worker-17/restart: run sh -c 'id > pwned'"),
        /the file says ".*id > pwned.*", and what would be done is "worker-17\/restart: run ssh worker-17 sudo systemctl restart kubelet"/,
      ],
      [
        file => (file.calls[2] = 'worker-17/restart: DELETE /api/v1/namespaces/prod'),
        /DELETE \/api\/v1\/namespaces\/prod/,
      ],
      [file => (file.calls = []), /the file says nothing more, and what would be done is "plan\/lock: POST or PUT/],
      [
        file => file.calls.push('plan/unlock: PUT x'),
        /the file says "plan\/unlock: PUT x", and what would be done is nothing more/,
      ],
      [file => (file.summary = 'Annotates worker-17.'), /its summary is not that of what would be done/],
      [file => (file.callsHash = `sha256:${'0'.repeat(64)}`), /not their conditions or their order/],
      // Each changes what is done, under a list of calls that a reader has approved before.
      [file => (file.nodes[0].distribution = 'bottlerocket'), /apiclient/],
      [file => ((file.action = 'cordon'), (file.via = null)), /the file says "worker-17\/restart/],
      [file => (file.nodes[0].uid = 'other'), /not their conditions or their order/],
      [file => (file.nodes[0].bootId = ''), /not their conditions or their order/],
      [file => (file.policy.maxNotReadyPercent = 100), /not their conditions or their order/],
      [file => (file.policy.lock.namespace = 'mine'), /namespaces\/mine\/leases/],
      [file => (file.nodes[0].verification.before.processStartSeconds = null), /not their conditions or their order/],
    ];
    for (const [change, why] of cases) refusal(forged(change), why, 'plan-refused');
  });

  it('runs the command of who applies it, never one of the file', () => {
    refusal(
      forged(file => (file.calls[2] = 'worker-17/restart: run ssh worker-17 reboot')),
      /With --command, give apply the one that it was planned with/,
      'plan-refused',
    );
    const planned = JSON.stringify(planFile(smallPlan()));
    assert.throws(
      () => readToAct(Buffer.from(planned), 'ssh {node} reboot'),
      /what would be done is "worker-17\/restart: run ssh worker-17 reboot"/,
    );
  });

  it('is refused with the versions if another Oakum derives other calls', () => {
    const text = forged(file => {
      file.oakumVersion = '0.0.9';
      file.callsHash = `sha256:${'1'.repeat(64)}`;
    });
    refusal(text, /It was written by Oakum 0\.0\.9; this is 0\.1\.0\./, 'plan-refused');
    assert.equal(readPlan(Buffer.from(text), 'p', sha256, { to: 'look' }).oakumVersion, '0.0.9');
  });
});
