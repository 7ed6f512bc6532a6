import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { configHash } from './sample-target.ts';

describe('the hash of a configuration', () => {
  it('is the same for nodes that are configured alike, whatever names the node', () => {
    const one = {
      maxPods: 110,
      providerID: 'aws:///eu-1a/i-1',
      address: '10.0.0.1',
      featureGates: { A: true, B: false },
    };
    const other = {
      featureGates: { B: false, A: true },
      address: '10.0.0.2',
      providerID: 'aws:///eu-1a/i-2',
      maxPods: 110,
    };
    assert.equal(configHash(one), configHash(other));
    assert.match(configHash(one), /^[0-9a-f]{16}$/);
  });

  it('differs when a setting does', () => {
    assert.notEqual(configHash({ maxPods: 110 }), configHash({ maxPods: 250 }));
    assert.notEqual(configHash({ featureGates: { A: true } }), configHash({ featureGates: { A: false } }));
  });
});
