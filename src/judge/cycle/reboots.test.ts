import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { T, HOUR, unit, event, condition, scrape, life } from '../../../test/cycle/observations.ts';
import type { CycleObservation } from '../../evidence/cycle/cycle.ts';
import { cycleOf } from './cycle-of.ts';

describe('restart or reboot', () => {
  const restarted = [...life(T - HOUR, T), ...life(T + 60, T + 600)];
  const rebootOf = (...more: CycleObservation[]): string => {
    const { reasons } = cycleOf('w', [...restarted, ...more]);
    const reason = reasons.find(text => /^1 restart/.test(text)) ?? '';
    return /with a reboot/.test(reason)
      ? 'reboot'
      : /did not reboot/.test(reason)
        ? 'restart'
        : reason === ''
          ? 'none'
          : 'unknown';
  };
  const boot = (atSeconds: number, bootId: string): CycleObservation => ({
    kind: 'boot',
    atSeconds,
    source: 'x',
    bootId,
  });

  it('is decided by events, boot ids, kernel lines and the boot time', () => {
    assert.equal(rebootOf(), 'unknown');
    assert.equal(rebootOf(event(T + 61, 'Starting')), 'restart');
    assert.equal(rebootOf(event(T + 61, 'Starting'), event(T + 62, 'Rebooted')), 'reboot');
    assert.equal(rebootOf(boot(T, 'a'), boot(T + 300, 'b')), 'reboot');
    assert.equal(rebootOf(boot(T, 'a'), boot(T + 300, 'a')), 'restart');
    assert.equal(rebootOf(boot(T + 40, '')), 'reboot');
    assert.equal(rebootOf(scrape(T + 305, { bootSeconds: T + 30 })), 'reboot');
    assert.equal(rebootOf(scrape(T + 305, { bootSeconds: T - 900 * HOUR })), 'restart');
    assert.equal(rebootOf(unit(T + 59, { kind: 'restart-scheduled', counter: 1 })), 'restart');
  });

  it('is neither at the first start of a node', () => {
    const first = [condition(T, 'Registered', 'True'), event(T + 1, 'Starting'), event(T + 5, 'NodeReady')];
    assert.deepEqual([cycleOf('w', first).stage, cycleOf('w', first).deaths], ['healthy', []]);
    const later = [
      condition(T - 900 * HOUR, 'Registered', 'True'),
      event(T + 1, 'Starting'),
      event(T + 5, 'NodeReady'),
    ];
    assert.equal(cycleOf('w', later).stage, 'recovered');
  });
});
