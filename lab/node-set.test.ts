import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { LabError } from './lab-error.ts';
import { readNodeSet } from './node-set.ts';

const NODE = { name: 'leak-a', version: '1.36.0', pods: 30 };

describe('node set', () => {
  it('reads the default set: leaking and fixed nodes, a slow one, a ramp, one without handlers', () => {
    const nodes = readNodeSet(
      readFileSync(new URL('nodes.default.json', import.meta.url), 'utf8'),
      'nodes.default.json',
    );
    assert.deepEqual(new Set(nodes.map(node => node.version)), new Set(['1.36.0', '1.36.3']));
    assert.ok(nodes.some(node => node.syncFrequencySeconds > 1));
    assert.ok(nodes.some(node => node.ramp !== undefined));
    assert.ok(nodes.some(node => !node.debuggingHandlers));
  });

  it('fills in the defaults of a real kubelet', () => {
    assert.deepEqual(readNodeSet(JSON.stringify([NODE]), 'n.json'), [
      {
        ...NODE,
        version: '1.36.0',
        syncFrequencySeconds: 60,
        debuggingHandlers: true,
        contentionProfiling: false,
        servingCertificate: 'cluster',
      },
    ]);
  });

  for (const [what, text, said] of [
    ['no JSON', '[{', /^n\.json: not JSON/],
    ['no list', '{}', /wanted a list/],
    ['an empty list', '[]', /wanted a list/],
    ['a number for a node', '[1]', /node 1 is not an object/],
    ['a version that is not built', withField('version', '1.35.0'), /"version" must be one of 1\.36\.0, 1\.36\.3/],
    ['a name that leaves the folder', withField('name', '../etc'), /"name" must be/],
    ['half a pod', withField('pods', 1.5), /"pods" must be/],
    ['pods as text', withField('pods', '30'), /"pods" must be/],
    ['a field that is not there', withField('memory', 1), /"memory" is not a field/],
    ['a ramp that goes down', withField('ramp', { toPods: 5, podEverySeconds: 1 }), /more than "pods"/],
    ['a ramp without an end', withField('ramp', {}), /"ramp\.toPods" must be/],
    ['the same name twice', JSON.stringify([NODE, NODE]), /two nodes are called leak-a/],
  ] as const) {
    it(`refuses ${what}`, () => {
      assert.throws(
        () => readNodeSet(text, 'n.json'),
        error => error instanceof LabError && said.test(error.message),
      );
    });
  }
});

function withField(name: string, value: unknown): string {
  return JSON.stringify([{ ...NODE, [name]: value }]);
}
