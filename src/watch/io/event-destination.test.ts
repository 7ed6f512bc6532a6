import assert from 'node:assert/strict';
import { it } from 'node:test';
import { exampleNotice } from '../../../test/double/notices.ts';
import { eventDestination, eventOf } from './event-destination.ts';

it('is an event about the node, within the limits of the API', () => {
  const event = eventOf(exampleNotice({}, { sentence: 'ä'.repeat(2000) }));
  assert.deepEqual(event?.metadata, { name: 'oakum-worker-17.i-20261115-1957-proved', namespace: 'default' });
  assert.deepEqual(event['regarding'], { kind: 'Node', apiVersion: 'v1', name: 'worker-17', uid: 'worker-17' });
  assert.deepEqual(
    [event['reason'], event['type'], event['eventTime']],
    ['LeakProved', 'Warning', '2026-11-15T20:00:00.000000Z'],
  );
  assert.ok(Buffer.byteLength(String(event['note'])) <= 1024);
});

it('is about a pod in its namespace, and about nothing else', () => {
  const pod = eventOf(exampleNotice({ kind: 'cleared' }, { target: 'pod/kcp/kcp-0:6443' }));
  assert.deepEqual([pod?.metadata.namespace, pod?.['type']], ['kcp', 'Normal']);
  assert.equal(eventOf(exampleNotice({}, { target: 'http://10.0.0.1:6060' })), undefined);
  assert.equal(eventOf(exampleNotice({}, { target: 'version v1.36.0', isCohort: true })), undefined);
});

it('is for the cluster of its target, where there are several', () => {
  const posted = { context: 'admin@eu', post: () => assert.fail('nothing is sent here') };
  const eu = eventDestination(posted, 'eu');
  assert.equal(eu.name, 'events of eu');
  const isTaken = (target: string): boolean | undefined => eu.takes?.(exampleNotice({}, { target }));
  assert.equal(isTaken('cluster/eu/node/worker-17'), true);
  assert.equal(isTaken('cluster/us/node/worker-17'), false);
  assert.equal(isTaken('version v1.36.0'), false);
  const event = eventOf(exampleNotice({}, { target: 'cluster/eu/node/worker-17' }));
  assert.deepEqual(event?.['regarding'], { kind: 'Node', apiVersion: 'v1', name: 'worker-17', uid: 'worker-17' });
  assert.equal(eventDestination(posted).takes?.(exampleNotice({}, { target: 'node/worker-17' })), true);
});
