import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changeText, readChangeText } from '../incidents/phrases.ts';
import type { DescribedRow } from '../background.ts';
import { describeTarget, storedDescriptions } from './describe-target.ts';
import { ALONE } from '../replicas/ports.ts';
import type { WatchState } from './watch-state.ts';
import { WatchedTarget } from './watched-target.ts';
import type { TargetEvent, WatchedEvent } from '../../store/records.ts';

function bench() {
  const events: WatchedEvent[] = [];
  const described: DescribedRow[] = [];
  const stored: Record<string, string>[] = [];
  const state = {
    described,
    share: ALONE,
    ports: {
      store: {
        putTarget: (_: string, attributes: Record<string, string>) => void stored.push(attributes),
        put: ({ record: { target: _, ...event } }: { record: TargetEvent }) => events.push(event) > 0,
      },
    },
  } as unknown as WatchState;
  const target = new WatchedTarget({ name: 'node/a', connection: undefined, attributes: {} });
  return { state, target, described, stored, events };
}

describe('what targets are', () => {
  it('is stored, and a difference is an event on the timeline and a change for the detector', () => {
    const { state, target, described, stored, events } = bench();
    describeTarget(state, target, { version: 'v1.35.7', 'gate/X': 'off' }, 100);
    describeTarget(state, target, { version: 'v1.35.7', 'gate/X': 'off' }, 200);
    assert.deepEqual(events, [], 'what is seen first was there before');
    describeTarget(state, target, { version: 'v1.36.0', 'gate/X': 'on' }, 300);
    assert.deepEqual(events, [
      { at: 300, kind: 'change', text: 'gate/X: off -> on' },
      { at: 300, kind: 'change', text: 'version: v1.35.7 -> v1.36.0' },
    ]);
    assert.deepEqual(described, [
      { target: 'node/a', at: -Infinity, attributes: { 'gate/X': 'off' } },
      { target: 'node/a', at: -Infinity, attributes: { version: 'v1.35.7' } },
      { target: 'node/a', at: 300, attributes: { 'gate/X': 'on' } },
      { target: 'node/a', at: 300, attributes: { version: 'v1.36.0' } },
    ]);
    assert.deepEqual(stored, [{ version: 'v1.35.7' }, { version: 'v1.36.0' }], 'gates are not stored');
  });

  it('is recalled from the store with its history', () => {
    const events: WatchedEvent[] = [
      { at: 100, kind: 'change', text: 'version: v1.34.1 -> v1.35.7' },
      { at: 200, kind: 'restart', text: 'restarted' },
      { at: 300, kind: 'change', text: 'version: v1.35.7 -> v1.36.0' },
    ];
    assert.deepEqual(storedDescriptions({ version: 'v1.36.0', pool: 'a' }, events), [
      { at: -Infinity, attributes: { version: 'v1.34.1', pool: 'a' } },
      { at: 100, attributes: { version: 'v1.35.7' } },
      { at: 300, attributes: { version: 'v1.36.0' } },
    ]);
  });

  it('is written as text that can be read back', () => {
    for (const change of [
      { attribute: 'version', from: 'v1.35.7', to: 'v1.36.0' },
      { attribute: 'os', from: 'Debian 12: x', to: '' },
    ])
      assert.deepEqual(readChangeText(changeText(change)), change);
    assert.equal(readChangeText('restarted'), undefined);
  });
});
