import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { RECORDINGS } from '../../../test/places.ts';
import fc from 'fast-check';
import { encodeText } from '../../base/text.ts';
import { readNodeEvent } from './kube-events.ts';
import { readKubeObjects, readNodeStatus } from './kube-objects.ts';

const LAB = `${RECORDINGS}lab/control-plane/end/`;

const event = {
  kind: 'Event',
  reason: 'SystemOOM',
  message: 'System OOM encountered, victim process: java, pid: 4711',
  type: 'Warning',
  firstTimestamp: '2026-11-15T07:12:25Z',
  lastTimestamp: '2026-11-15T07:12:27Z',
  count: 2,
  source: { component: 'kubelet', host: 'worker-17' },
  involvedObject: { kind: 'Node', name: 'worker-17' },
};

describe('kubectl JSON', () => {
  it('one object, a list, or one after another', () => {
    const one = JSON.stringify(event, null, 2);
    for (const text of [one, `{"items":[${one}]}`, `[${one}]`])
      assert.equal(readKubeObjects(encodeText(text)).objects.length, 1);
    const watched = readKubeObjects(encodeText(`${one}\n${one}\n`));
    assert.deepEqual([watched.objects.length, watched.isCut], [2, false]);
    const cut = readKubeObjects(encodeText(`${one}\n${one.slice(0, -20)}`));
    assert.deepEqual([cut.objects.length, cut.isCut], [1, true]);
  });

  it('braces in strings do not count', () => {
    const odd = JSON.stringify({ ...event, message: '}}{"\\' });
    assert.equal(readKubeObjects(encodeText(`${odd}${odd}`)).objects.length, 2);
  });

  it('a SystemOOM event names a victim of the whole node', () => {
    const read = readNodeEvent(event);
    assert.equal(read?.node, 'worker-17');
    assert.deepEqual([read.observation.kill?.process, read.observation.kill?.pid], ['java', 4711]);
    assert.equal(read.observation.kill?.scope, 'global');
    assert.equal((read.observation.lastSeconds ?? 0) - (read.observation.atSeconds ?? 0), 2);
  });

  it('events.k8s.io/v1, and the kernel quoted by node-problem-detector', () => {
    const read = readNodeEvent({
      reason: 'OOMKilling',
      note: 'Memory cgroup out of memory: Killed process 989 (kubelet) total-vm:9kB, anon-rss:7kB, file-rss:0kB',
      regarding: { kind: 'Node', name: 'worker-17' },
      eventTime: '2026-11-15T07:12:25.123456Z',
      reportingController: 'kernel-monitor',
      series: { count: 3, lastObservedTime: '2026-11-15T07:13:25.123456Z' },
    });
    assert.deepEqual([read?.observation.component, read?.observation.count], ['kernel-monitor', 3]);
    assert.deepEqual([read?.observation.kill?.pid, read?.observation.kill?.scope], [989, 'memcg']);
  });

  it('an eviction belongs to the node that did it; other events to nobody', () => {
    const pod = {
      ...event,
      reason: 'Evicted',
      message: 'low on resource: memory',
      involvedObject: { kind: 'Pod', name: 'p' },
    };
    assert.equal(readNodeEvent(pod)?.node, 'worker-17');
    assert.equal(readNodeEvent({ ...pod, reason: 'Pulled' }), undefined);
    assert.equal(readNodeEvent({ ...event, reason: 'MissingClusterDNS' }), undefined);
  });

  it('a node: conditions, boot id, and since when it is there', () => {
    const read = readNodeStatus({
      kind: 'Node',
      metadata: { name: 'worker-17', creationTimestamp: '2026-11-01T00:00:00Z' },
      status: {
        nodeInfo: { bootID: 'b-1' },
        conditions: [
          {
            type: 'KubeletUnhealthy',
            status: 'False',
            reason: 'KubeletIsHealthy',
            message: 'kubelet on the node is functioning properly',
            lastHeartbeatTime: '2026-11-15T07:12:25Z',
            lastTransitionTime: '2026-11-15T07:00:00Z',
          },
        ],
      },
    });
    assert.deepEqual(
      read?.conditions.map(({ type }) => type),
      ['KubeletUnhealthy', 'Registered'],
    );
    assert.deepEqual([read?.boot?.bootId, read?.boot?.atSeconds], ['b-1', Date.UTC(2026, 10, 15, 7, 12, 25) / 1000]);
  });

  it('the recorded cluster', () => {
    const objectsOf = (name: string) => readKubeObjects(gunzipSync(readFileSync(LAB + name))).objects;
    const starts = objectsOf('events.json.gz')
      .flatMap(object => readNodeEvent(object) ?? [])
      .filter(({ node, observation }) => node === 'leak-b' && observation.reason === 'Starting')
      .map(({ observation }) => observation.atSeconds);
    assert.deepEqual(starts, [1794771942, 1794772843]);
    const nodes = objectsOf('nodes.json.gz').flatMap(object => readNodeStatus(object) ?? []);
    assert.ok(nodes.length >= 8 && nodes.every(({ conditions }) => conditions.length === 5));
  });

  it('no JSON and no text makes it fail', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), text => {
        for (const object of readKubeObjects(encodeText(text)).objects) {
          assert.ok(readNodeEvent(object) === undefined && readNodeStatus(object) === undefined);
        }
      }),
    );
  });
});
