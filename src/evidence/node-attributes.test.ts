import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nodeAttributes } from './node-attributes.ts';

const poolOf = (labels: Readonly<Record<string, string>>): string | undefined =>
  nodeAttributes({ kind: 'Node', metadata: { name: 'n', labels } })['pool'];

describe('attributes of a node', () => {
  it('have the pool of the usual providers', () => {
    for (const label of [
      'cloud.google.com/gke-nodepool',
      'eks.amazonaws.com/nodegroup',
      'karpenter.sh/nodepool',
      'kubernetes.azure.com/agentpool',
      'agentpool',
      'alpha.eksctl.io/nodegroup-name',
      'hypershift.openshift.io/nodePool',
      'doks.digitalocean.com/node-pool',
      'kops.k8s.io/instancegroup',
    ])
      assert.equal(poolOf({ [label]: 'blue' }), 'blue', label);
    assert.equal(poolOf({ 'example.com/pool': 'blue' }), undefined);
  });
});
