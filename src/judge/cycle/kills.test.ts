import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { T, HOUR, kill, killed, event } from '../../../test/cycle/observations.ts';
import type { CycleObservation } from '../../evidence/cycle/cycle.ts';
import { cycleOf } from './cycle-of.ts';

describe('old OOM events', () => {
  const oom = (at: number, pid = 4711): CycleObservation =>
    event(at, 'SystemOOM', { kill: kill({ process: 'java', pid, scope: 'global', limitCgroup: '' }) });

  it('are removed by pid after a restart, and counted', () => {
    const cycle = cycleOf('w', [oom(T), event(T + HOUR, 'Starting'), oom(T + HOUR + 2), oom(T + HOUR + 3, 4712)]);
    assert.match(cycle.reasons.join('\n'), /1 old OOM event was re-emitted/);
    assert.match(cycle.reasons.join('\n'), /1 OOM event right after a start may be old/);
    assert.equal(cycle.timeline.filter(({ text }) => /^java OOM-killed/.test(text)).length, 2);
  });

  it('are removed even if only the kernel log has the first report', () => {
    const cycle = cycleOf('w', [
      killed(T, { process: 'java', pid: 4711, scope: 'global' }),
      event(T + HOUR, 'Starting'),
      oom(T + HOUR + 2),
    ]);
    assert.match(cycle.reasons.join('\n'), /1 old OOM event was re-emitted/);
  });

  it('are kept after a reboot or long after the start, when the pid is another process', () => {
    const reboot = [oom(T), event(T + HOUR, 'Starting'), event(T + HOUR, 'Rebooted'), oom(T + HOUR + 5)];
    assert.doesNotMatch(cycleOf('w', reboot).reasons.join('\n'), /re-emitted/);
    const later = [oom(T), event(T + HOUR, 'Starting'), oom(T + 3 * HOUR)];
    assert.doesNotMatch(cycleOf('w', later).reasons.join('\n'), /re-emitted/);
  });

  it('count a repeated death once', () => {
    const again = event(T + 12, 'SystemOOM', { kill: kill({ scope: 'global' }) });
    assert.equal(cycleOf('w', [killed(T), event(T + 11, 'Starting'), again]).deaths.length, 1);
  });
});
