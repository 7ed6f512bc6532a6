import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { condition, event, HOUR, killed, life, log, sigkill, T, unit } from '../../../test/cycle/observations.ts';
import type { CycleObservation } from '../../evidence/cycle/cycle.ts';
import { cycleOf } from './cycle-of.ts';

describe('the cause of a death', () => {
  const causeOf = (...observations: CycleObservation[]): string =>
    cycleOf('w', observations).deaths.at(-1)?.cause ?? '';

  it('is an OOM kill by the kernel, by systemd-oomd, or according to systemd', () => {
    assert.equal(causeOf(killed(T), unit(T + 1, sigkill)), 'oom');
    assert.equal(causeOf(unit(T, sigkill), unit(T, { kind: 'failed', result: 'oom-kill' })), 'oom');
    assert.equal(causeOf(unit(T, { kind: 'oom' }), unit(T + 1, sigkill)), 'oom');
    assert.equal(causeOf(killed(T, { scope: 'oomd', pid: 0, limitCgroup: '' })), 'oom');
  });

  it('is not an OOM kill for a signal, an exit or a stop', () => {
    assert.equal(causeOf(unit(T, sigkill), unit(T, { kind: 'failed', result: 'signal' })), 'signal');
    assert.equal(causeOf(unit(T, { kind: 'exited', code: 'exited', status: 1, name: 'FAILURE' })), 'exit');
    assert.equal(causeOf(unit(T, { kind: 'exited', code: 'exited', status: 137, name: '' })), 'signal');
    assert.equal(
      causeOf(unit(T, { kind: 'stopping' }), unit(T + 2, { ...sigkill, status: 15, name: 'TERM' })),
      'stopped',
    );
    assert.equal(causeOf(...life(T - HOUR, T), ...life(T + 5, T + 600)), 'unknown');
  });

  it('is the Go runtime’s own fatal error', () => {
    const dying = (cause: 'go-threads' | 'go-out-of-memory', message: string): CycleObservation =>
      log(T, { kind: 'go-death', process: 'kubelet', cause, message });
    const exit = unit(T + 1, { kind: 'exited', code: 'exited', status: 2, name: '' });
    assert.equal(causeOf(dying('go-threads', 'fatal error: thread exhaustion'), exit), 'go-threads');
    assert.equal(causeOf(dying('go-out-of-memory', 'fatal error: runtime: out of memory'), exit), 'go-out-of-memory');
  });

  it('is a repairer, which is named', () => {
    const repair = log(T - 2, {
      kind: 'repair',
      component: 'kubelet',
      acts: true,
      message: 'kubelet cooldown period of 2m0s exceeded, repairing',
    });
    const cycle = cycleOf('w', [repair, unit(T, sigkill), event(T + 11, 'Starting')]);
    assert.equal(cycle.deaths[0].cause, 'repairer');
    assert.deepEqual(
      cycle.rivals.map(({ name, isActive }) => [name, isActive]),
      [["node-problem-detector's health-checker", true]],
    );
    const unhealthy = event(T - 100, 'KubeletUnhealthy', { component: 'health-checker' });
    assert.equal(causeOf(unhealthy, unit(T, sigkill)), 'repairer');
    assert.equal(causeOf(unhealthy, killed(T), unit(T, sigkill)), 'oom', 'the kernel is trusted more');
  });

  it('is not a restarter that was not seen to act', () => {
    const cycle = cycleOf('w', [
      condition(T, 'KubeletUnhealthy', 'False'),
      condition(T, 'FrequentKubeletRestart', 'True'),
      ...life(T - HOUR, T),
    ]);
    assert.deepEqual(
      cycle.rivals.map(({ isActive }) => isActive),
      [true, false],
    );
    assert.equal(cycle.stage, 'healthy');
  });

  it('ignores other units and processes', () => {
    const cycle = cycleOf('w', [unit(T, sigkill, 'kubelet-monitor.service'), killed(T, { process: 'kube-proxy' })]);
    assert.deepEqual([cycle.stage, cycle.deaths], ['unknown', []]);
    const containerd = [unit(T, sigkill, 'containerd.service'), killed(T, { process: 'containerd' })];
    assert.equal(cycleOf('w', containerd, { process: 'containerd' }).deaths[0].cause, 'oom');
  });
});
