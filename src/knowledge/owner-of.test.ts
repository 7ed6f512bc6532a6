import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Family, LabelledCount } from '../profile/families/family.ts';
import { packageOf } from '../profile/families/normalise.ts';
import { ownerOf } from './owner-of.ts';

const KUBELET = 'k8s.io/kubernetes/pkg/kubelet';
const WAIT = 'k8s.io/apimachinery/pkg/util/wait.JitterUntil';

function family(...frames: string[]): Family {
  const ownerPackage = packageOf(frames[0] ?? '');
  return { id: 'g-0', kind: 'goroutine', frames, closures: [], title: '', ownerPackage };
}

const owner = (...frames: string[]): string => ownerOf(family(...frames)).name;

describe('ownerOf', () => {
  for (const [frame, name] of [
    [`${KUBELET}.(*podWorkers).podWorkerLoop`, 'kubelet pod workers'],
    [`${KUBELET}/cm/cpumanager.(*manager).Start`, 'kubelet cpu manager'],
    [`${KUBELET}/cm/devicemanager.(*ManagerImpl).Allocate`, 'kubelet device manager'],
    [`${KUBELET}/cm.(*qosContainerManagerImpl).Start`, 'kubelet container manager (cgroups)'],
    [`${KUBELET}/server/stats.(*volumeStatCalculator).calcAndStoreStats`, 'kubelet volume statistics'],
    [`${KUBELET}/server.(*Server).ServeHTTP`, 'kubelet server'],
    ['k8s.io/kubernetes/pkg/controller/job.(*Controller).worker', 'job controller'],
    ['k8s.io/kubernetes/pkg/scheduler/internal/queue.(*PriorityQueue).Pop', 'kube-scheduler'],
    ['github.com/kcp-dev/kcp/pkg/reconciler/cache/replication.(*Controller).Start', 'kcp replication reconciler'],
    ['github.com/kcp-dev/kcp/pkg/informer.(*T).run', 'kcp informer'],
    ['go.etcd.io/etcd/server/mvcc.(*watchableStore).syncWatchersLoop', 'etcd mvcc'],
    ['go.etcd.io/etcd/raft.(*node).run', 'etcd raft'],
    ['net/http.(*conn).serve', 'HTTP connections'],
    ['example.com/net/http.Serve', 'example.com/net/http'],
    ['example.com/operator.(*Watcher).loop', 'example.com/operator'],
  ] as const) {
    it(`${frame}: ${name}`, () => assert.equal(owner(frame), name));
  }

  it('goes by the first rule, whatever frame it matches', () => {
    assert.equal(
      owner('k8s.io/client-go/tools/cache.(*Reflector).Run', `${KUBELET}/prober.(*worker).run`),
      'kubelet prober',
    );
  });

  it('goes by the first frame within a rule', () => {
    const [memory, cpu] = [`${KUBELET}/cm/memorymanager.F`, `${KUBELET}/cm/cpumanager.F`];
    assert.equal(owner(memory, cpu), 'kubelet memory manager');
    assert.equal(owner(cpu, memory), 'kubelet cpu manager');
  });

  it('prefers code to shared packages, and its starter to those', () => {
    assert.equal(owner('google.golang.org/grpc.(*ClientConn).Invoke', 'example.com/a.F'), 'google.golang.org/grpc');
    const started = ownerOf(family(WAIT), [], new Map([[`${KUBELET}/pleg.(*GenericPLEG).Start`, 3]]));
    assert.equal(started.name, 'kubelet PLEG');
    assert.equal(owner('google.golang.org/grpc.(*ClientConn).Invoke'), 'gRPC connections');
    assert.equal(ownerOf({ ...family(), ownerPackage: '' }).name, 'unknown');
  });

  it('believes a label that most of them have', () => {
    const labels = (name: string, count: number): LabelledCount => ({ labels: [['controller', name]], count });
    const all = family(`${KUBELET}/pleg.F`);
    assert.deepEqual(ownerOf(all, [labels('quota', 3), { labels: [], count: 2 }]), { name: 'quota', inferred: false });
    assert.equal(ownerOf(all, [labels('quota', 1), labels('gc', 1)]).name, 'kubelet PLEG');
  });
});
