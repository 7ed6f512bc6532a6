import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sha256, smallPlan } from '../../../test/double/small-plan.ts';
import { readPlan, stepsOf, canonicalJson } from './plan-file.ts';
import { planYaml } from './plan-text.ts';
import { Failure } from '../../base/errors.ts';

const read = (text: string) => readPlan(Buffer.from(text), 'plan.yaml', sha256);

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
    assert.equal(stepsOf(plan).length, 10);
  });

  it('keeps its hash when keys are in another order or the YAML is JSON', () => {
    const plan = smallPlan();
    const turned = Object.fromEntries(Object.entries(plan).reverse());
    assert.deepEqual(read(JSON.stringify(turned)), plan);
    assert.equal(canonicalJson({ b: [{ d: 1, c: -0 }], a: undefined }), '{"b":[{"c":0,"d":1}]}');
  });

  it('is refused when any value was changed', () => {
    const text = planYaml(smallPlan());
    for (const [from, to] of [
      ['maxConcurrent: 1\n', 'maxConcurrent: 9\n'],
      ['- kubelet\n', '- kube-proxy\n'],
      ['isFinal: true', 'isFinal: false'],
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
    refusal(text.replace('path: /api/v1/nodes/worker-17', 'path: /api/../x'), /must be a path of the API server/);
    refusal(text.replace('kind: node-ready', 'kind: node-happy'), /kind/);
    refusal(text.slice(0, text.length / 2), /plan\.yaml: /);
  });

  it('is refused when a step or node is there twice', () => {
    const { before } = smallPlan();
    refusal(planYaml(smallPlan(['a'], { before: [...before, ...before] })), /the step plan\/lock is there twice/);
    const { waves } = smallPlan(['a', 'b']);
    const astray = waves.map(wave => ({ ...wave, nodes: wave.nodes.map(node => ({ ...node, node: 'c' })) }));
    refusal(planYaml(smallPlan(['a'], { waves: astray })), /is not about c/);
  });

  it('may be anything: one line says what is wrong', () => {
    for (const text of ['', '7', '[]', 'a: b', 'null', '---\n---\n', '\0', '%', 'schema: oakum.analysis/v1']) {
      refusal(text, /^plan\.yaml: not a plan/);
    }
    refusal(`schema: oakum.plan/v1\nwhy: ${'['.repeat(20_000)}`, /^plan\.yaml: /);
    refusal('a: &a [x, x]\nb: &b [*a, *a]\nschema: *b', /^plan\.yaml: not a plan/);
    refusal('schema: oakum.plan/v1\n__proto__: {id: 7}\n', /^plan\.yaml: /);
    assert.throws(() => readPlan(new Uint8Array(9 * 1024 * 1024), 'big', sha256), /larger than 8 MiB/);
  });

  it('cannot be cut at any place', () => {
    const bytes = Buffer.from(planYaml(smallPlan()));
    for (let end = 0; end < bytes.length - 1; end += 997)
      assert.throws(() => readPlan(bytes.subarray(0, end), 'cut', sha256), Failure);
  });
});
