import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { event, T } from '../../../test/cycle/observations.ts';
import type { ConditionObservation } from '../../evidence/cycle/cycle.ts';
import { cycleOf } from './cycle-of.ts';

const ready = (status: string): ConditionObservation => ({
  kind: 'condition',
  type: 'Ready',
  status,
  atSeconds: T,
  source: 'nodes.json',
  reason: 'NodeStatusUnknown',
  message: 'Kubelet stopped posting node status.',
  sinceSeconds: T,
});

describe('a list of nodes', () => {
  it('shows neither restarts nor kills, so nothing is called healthy', () => {
    const { stage, sentence } = cycleOf('worker-17', [ready('True')]);
    assert.equal(stage, 'unknown');
    assert.match(sentence, /^the node is Ready since 2026-11-15T07:00:00Z; that tells neither OOM kills nor restarts$/);
  });

  it('says why a node is not Ready', () => {
    for (const status of ['Unknown', 'False']) {
      const { sentence } = cycleOf('worker-17', [ready(status)]);
      assert.equal(
        sentence,
        `Ready is ${status} since 2026-11-15T07:00:00Z: NodeStatusUnknown, Kubelet stopped posting node status.`,
      );
    }
  });

  it('says no more than it has', () => {
    const sentence = cycleOf('worker-17', [{ ...ready('False'), message: '' }]).sentence;
    assert.equal(sentence, 'Ready is False since 2026-11-15T07:00:00Z: NodeStatusUnknown');
    assert.match(cycleOf('worker-17', [{ ...ready('False'), reason: '', message: '' }]).sentence, /07:00:00Z$/);
  });

  it('is healthy with events that tell of no death', () => {
    assert.equal(cycleOf('worker-17', [ready('True'), event(T, 'NodeHasSufficientMemory')]).stage, 'healthy');
  });
});
