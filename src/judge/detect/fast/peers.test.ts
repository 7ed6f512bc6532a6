import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TargetState } from '../target-state.ts';
import { Peers, programOf } from './peers.ts';

const HOUR = 3600;
const FIRST = 500_000;
const NOW = FIRST + 40;

/** A target that is seen for so many hours up to now, and began so many hours ago. */
function target(name: string, goroutines: number, hours = 40, ageHours = 1000): TargetState {
  const state = new TargetState(name, HOUR);
  for (let hour = NOW - hours; hour < NOW; hour++) {
    for (let minute = 0; minute < 60; minute += 10) {
      state.observe(hour * HOUR + minute * 60, {
        go_goroutines: goroutines,
        process_start_time_seconds: (NOW - ageHours) * HOUR,
      });
    }
  }
  state.advance(NOW);
  return state;
}

function usualFor(one: TargetState, others: readonly TargetState[], programs: Record<string, string> = {}): number {
  const peers = new Peers(
    () => [one, ...others],
    ({ name }) => programs[name] ?? 'indexer',
  );
  return peers.usualOf(one, one.resources[0], NOW);
}

describe('peers', () => {
  const young = target('young', 900, 2, 2);

  it('show what a program usually has: the median of the others', () => {
    assert.equal(usualFor(young, [target('a', 100), target('b', 300), target('c', 310)]), 300);
  });

  it('are none of another program, none that are young, none that leak, and never the target itself', () => {
    const leaks = target('leaks', 5000);
    leaks.resources[0].leakyEpochs.add(leaks.epoch);
    const others = [target('a', 100), leaks, target('b', 700), target('c', 800, 30, 6)];
    assert.equal(usualFor(young, others, { b: 'another' }), 100);
    assert.ok(Number.isNaN(usualFor(target('old', 300), [leaks])));
  });
});

describe('the program of a target', () => {
  const described = (values: Record<string, string>) =>
    new Map(Object.entries(values).map(([name, value]) => [name, { value }]));
  const daemon = { pods: undefined };
  const kubelet = { pods: target('k', 1).resources[0].column };

  it('is its job in its pool', () => {
    const [a, b, c] = [{ job: 'etcd' }, { job: 'etcd', pool: 'x' }, { job: 'etcd', pool: 'x' }].map(described);
    assert.notEqual(programOf(daemon, a), programOf(daemon, b));
    assert.equal(programOf(daemon, b), programOf(daemon, c));
  });

  it('is the kubelet if it has pods and no job, and unknown if nothing says so', () => {
    assert.equal(programOf(kubelet, undefined), programOf(daemon, described({ job: 'kubelet' })));
    assert.equal(programOf(daemon, described({ version: 'v1' })), undefined);
  });
});
