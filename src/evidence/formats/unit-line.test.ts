import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseOomdLine, parseUnitLine } from './node-log.ts';

describe('lines of systemd', () => {
  const cases: readonly (readonly [string, string, object])[] = [
    [
      'kubelet.service: Main process exited, code=killed, status=9/KILL',
      'kubelet.service',
      { kind: 'exited', code: 'killed', status: 9, name: 'KILL' },
    ],
    [
      'kubelet.service: main process exited, code=exited, status=255/n/a',
      'kubelet.service',
      { kind: 'exited', code: 'exited', status: 255, name: '' },
    ],
    [
      'kubelet.service: Main process exited, code=dumped, status=6/ABRT',
      'kubelet.service',
      { kind: 'exited', code: 'dumped', status: 6, name: 'ABRT' },
    ],
    ["kubelet.service: Failed with result 'oom-kill'.", 'kubelet.service', { kind: 'failed', result: 'oom-kill' }],
    [
      "kubelet.service: Unit entered failed state. Result 'oom-kill'",
      'kubelet.service',
      { kind: 'failed', result: 'oom-kill' },
    ],
    ['kubelet.service: A process of this unit has been killed by the OOM killer.', 'kubelet.service', { kind: 'oom' }],
    ['kubelet.service: systemd-oomd killed 12 process(es) in this unit.', 'kubelet.service', { kind: 'oom' }],
    [
      'kubelet.service: Scheduled restart job, restart counter is at 3.',
      'kubelet.service',
      { kind: 'restart-scheduled', counter: 3 },
    ],
    [
      'kubelet.service holdoff time over, scheduling restart.',
      'kubelet.service',
      { kind: 'restart-scheduled', counter: undefined },
    ],
    [
      'kubelet.service: Service hold-off time over, scheduling restart.',
      'kubelet.service',
      { kind: 'restart-scheduled', counter: undefined },
    ],
    [
      'kubelet.service: Service RestartSec=10s expired, scheduling restart.',
      'kubelet.service',
      { kind: 'restart-scheduled', counter: undefined },
    ],
    ['Started kubelet.service - kubelet: The Kubernetes Node Agent.', 'kubelet.service', { kind: 'started' }],
    ['Started kubelet: The Kubernetes Node Agent.', 'kubelet: The Kubernetes Node Agent', { kind: 'started' }],
    ['Stopping Kubernetes kubelet...', 'Kubernetes kubelet', { kind: 'stopping' }],
  ];
  for (const [text, unit, change] of cases) {
    it(text, () => assert.deepEqual(parseUnitLine(text), { unit, change }));
  }

  it('others are nothing', () => {
    for (const text of [
      '',
      'Reached target Multi-User System.',
      'kubelet.service: Consumed 3min CPU time.',
      'x: Failed',
    ])
      assert.equal(parseUnitLine(text), undefined);
  });

  it('systemd-oomd names the cgroup', () => {
    const line =
      'Killed /system.slice/kubelet.service due to memory pressure for /system.slice being 82.31% > 60.00% for > 30s';
    assert.equal(parseOomdLine(line), '/system.slice/kubelet.service');
    assert.equal(parseOomdLine('Killed process 1 (a)'), undefined);
  });
});
