import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Match } from './known-leak-match.ts';
import { BUNDLED_LEAKS } from './bundled.ts';
import { type FamilyInput, matchFamily } from './match.ts';
import type { TargetFacts } from './preconditions.ts';

const KUBELET = 'k8s.io/kubernetes/pkg/kubelet';

function match(input: Partial<FamilyInput>, facts: TargetFacts): Match[] {
  return matchFamily(
    { kind: 'goroutine', frames: [], creators: [], states: [], grows: true, ...input },
    facts,
    BUNDLED_LEAKS,
  );
}

function only(input: Partial<FamilyInput>, facts: TargetFacts): Match {
  const matches = match(input, facts);
  assert.equal(matches.length, 1, JSON.stringify(matches.map(one => one.id)));
  return matches[0];
}

const why = (found: Match): string => found.why.join('\n');

describe('the context leak of 1.36', () => {
  // As a heap profile of a 1.36.0 kubelet shows it.
  const family: Partial<FamilyInput> = {
    kind: 'heap',
    frames: [
      'context.(*cancelCtx).propagateCancel',
      'context.withCancel',
      'context.WithCancel',
      `${KUBELET}.(*podWorkers).startPodSync`,
      `${KUBELET}.(*podWorkers).podWorkerLoop`,
      `${KUBELET}.(*podWorkers).UpdatePod.func1`,
    ],
  };

  it('is confirmed on a vendor build of 1.36.1 that grows, with the fix and its side effect', () => {
    const found = only(family, { component: 'kubelet', version: 'v1.36.1-do.1' });
    assert.equal(found.grade, 'confirmed');
    assert.equal(found.ref, 'kubernetes#139823');
    assert.equal(found.affected, 'affected');
    assert.deepEqual(found.fixedIn, ['1.36.3', '1.37.0']);
    assert.match(found.sideEffects.join(), /140882/);
    assert.match(why(found), /startPodSync.*\n.*v1\.36\.1-do\.1.*affected; fixed in 1\.36\.3.*\nit grows/);
  });

  it('is told by short stacks too, as articles and flame graphs print them', () => {
    const frames = ['context.(*cancelCtx).propagateCancel', 'context.withCancel', '(*podWorkers).startPodSync'];
    assert.equal(only({ kind: 'heap', frames }, { version: 'v1.36.0' }).grade, 'confirmed');
  });

  it('is told where only the whole stack reaches the owner', () => {
    const [leaf] = family.frames ?? [];
    const input = { ...family, frames: [leaf], fullFrames: family.frames };
    assert.equal(only(input, { component: 'kubelet', version: '1.36.2' }).grade, 'confirmed');
  });

  it('is told under WaitForAttachAndMount', () => {
    const frames = [
      'context.(*cancelCtx).Done',
      'context.(*cancelCtx).propagateCancel',
      'context.WithDeadlineCause',
      `${KUBELET}/volumemanager.(*volumeManager).WaitForAttachAndMount`,
      `${KUBELET}.(*Kubelet).SyncPod`,
    ];
    assert.equal(only({ kind: 'heap', frames }, { component: 'kubelet', version: '1.36.0' }).grade, 'confirmed');
  });

  it('has the fix on 1.36.3', () => {
    const found = only(family, { component: 'kubelet', version: 'v1.36.3' });
    assert.equal(found.affected, 'fixed');
    assert.equal(found.grade, 'possible');
    assert.match(why(found), /looks like kubernetes#139823, but this version has the fix/);
  });

  it('was not there yet in 1.35', () => {
    const found = only(family, { component: 'kubelet', version: 'v1.35.4' });
    assert.equal(found.affected, 'not-affected');
    assert.equal(found.grade, 'possible');
  });

  it('is probable without a version or without growth data, possible when it does not grow', () => {
    assert.equal(only(family, {}).grade, 'probable');
    assert.equal(only({ ...family, grows: undefined }, { version: '1.36.0' }).grade, 'probable');
    assert.equal(only({ ...family, grows: false }, { version: '1.36.0' }).grade, 'possible');
  });

  it('is not seen in goroutines or in other contexts', () => {
    assert.deepEqual(match({ ...family, kind: 'goroutine' }, { version: '1.36.0' }), []);
    const frames = ['context.(*cancelCtx).propagateCancel', 'context.withCancel', 'example.com/app.Serve'];
    assert.deepEqual(match({ kind: 'heap', frames }, { version: '1.36.0' }), []);
  });
});

describe('orphaned pod cgroups', () => {
  const family: Partial<FamilyInput> = {
    frames: ['sync.(*Mutex).Lock', `${KUBELET}/cm.(*podContainerManagerImpl).Destroy`],
    creators: [`${KUBELET}.(*Kubelet).cleanupOrphanedPodCgroups`],
  };
  const facts = { component: 'kubelet', version: 'v1.26.4', kernel: '5.15.0-1034-aws', os: 'linux' };
  const runc = (more: TargetFacts): Match => {
    const found = match(family, { ...facts, ...more }).find(one => one.id === 'kubelet-runc-misc-cgroup');
    assert.ok(found);
    return found;
  };

  it('confirms runc on cgroup v1, and offers the other cause', () => {
    assert.equal(runc({ cgroupVersion: 1 }).grade, 'confirmed');
    assert.match(why(runc({ cgroupVersion: 1 })), /kernel >=5\.15.*met, kernel 5\.15\.0-1034-aws/);
    assert.ok(match(family, facts).some(one => one.ref === 'kubernetes#123766' && one.grade === 'probable'));
  });

  it('says that the precondition is not met on cgroup v2 or an old kernel', () => {
    const found = runc({ cgroupVersion: 2 });
    assert.equal(found.grade, 'possible');
    assert.match(why(found), /needs cgroup v1.*not met, cgroup v2/);
    assert.equal(runc({ cgroupVersion: 1, kernel: '5.10.226-214.879.amzn2' }).grade, 'possible');
  });

  it('names what is not known', () => assert.match(why(runc({})), /needs cgroup v1.*not known here/));

  it('does not match another creator', () => {
    assert.deepEqual(match({ ...family, creators: [`${KUBELET}.(*Kubelet).HandlePodRemoves`] }, facts), []);
  });
});

describe('kcp listeners', () => {
  for (const method of ['run', 'pop']) {
    for (const name of ['github.com/kcp-dev/apimachinery/v2/third_party/informers', 'k8s.io/client-go/tools/cache']) {
      const family = { frames: [`${name}.(*processorListener).${method}.func1`], states: ['chan receive'] };
      it(`${name} ${method}`, () => {
        assert.equal(only(family, { component: 'kcp', version: 'v0.28.1' }).grade, 'confirmed');
        assert.equal(only(family, { component: 'kcp', version: 'v0.32.0' }).affected, 'fixed');
      });
    }
  }

  it('are nothing of kcp in another program', () => {
    const family = { frames: ['k8s.io/client-go/tools/cache.(*processorListener).run'] };
    assert.deepEqual(match(family, { component: 'kubelet', version: 'v1.30.0' }), []);
    assert.deepEqual(match(family, {}), [], 'nor in one that is not known');
  });
});

describe('a stack that leaks where it waits itself', () => {
  const WATCH = 'go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc';
  const reader = [`${WATCH}.(*serverWatchStream).recvLoop`, `${WATCH}.(*watchServer).Watch.func2`];
  const etcd = { component: 'etcd', version: '3.5.9' };

  it('is told from one that waits in what it called', () => {
    assert.equal(only({ frames: reader }, etcd).id, 'etcd-watch-recv-loop');
    assert.equal(only({ frames: ['runtime.gopark', 'runtime.chansend1', ...reader] }, etcd).grade, 'confirmed');
    assert.deepEqual(match({ frames: ['google.golang.org/grpc.(*parser).recvMsg', ...reader] }, etcd), []);
  });

  it('is no longer confirmed in a release that has the fix', () => {
    assert.equal(only({ frames: reader }, { ...etcd, version: '3.5.17' }).grade, 'possible');
  });
});

describe('grades', () => {
  it('one per healthy object never confirms', () => {
    const frames = ['time.Sleep', 'github.com/google/cadvisor/lib/manager.(*containerData).housekeeping'];
    const found = only({ frames }, { component: 'kubelet', version: 'v1.37.0' });
    assert.equal(found.grade, 'probable');
    assert.match(why(found), /one per tracked cgroup/);
  });

  it('one per healthy object is nothing in a version that has the fix', () => {
    const frames = ['k8s.io/apimachinery/pkg/util/wait.WaitForWithContext'];
    assert.deepEqual(match({ frames }, { component: 'kubelet', version: 'v1.36.0' }), []);
    assert.equal(only({ frames }, { component: 'kubelet', version: 'v1.12.0' }).grade, 'probable');
  });

  it('frames from the fix never confirm', () => {
    const frames = [`${KUBELET}/podcertificate.(*IssuingManager).handleProjection`];
    const found = only({ kind: 'heap', frames }, { component: 'kubelet', version: 'v1.34.2' });
    assert.equal(found.grade, 'probable');
    const off = { featureGates: new Map([['PodCertificateRequest', false]]) };
    assert.equal(
      only({ kind: 'heap', frames }, { component: 'kubelet', version: 'v1.34.2', ...off }).grade,
      'possible',
    );
  });

  it('another state is only possible', () => {
    const frames = ['syscall.Statfs', 'github.com/google/cadvisor/fs.getVfsStats'];
    const facts = { component: 'kubelet', version: 'v1.33.1' };
    const found = only({ frames, states: ['syscall'] }, facts);
    assert.equal(found.grade, 'confirmed');
    assert.match(found.hazards.join(), /Never restart/);
    assert.equal(only({ frames, states: ['runnable'] }, facts).grade, 'possible');
  });

  it('unconfirmed reports are never causes', () => {
    const frames = [`${KUBELET}/pleg.(*EventedPLEG).watchEventsChannel`];
    assert.deepEqual(match({ frames }, { component: 'kubelet', version: 'v1.33.0' }), []);
  });

  it('a library leak is judged by the Kubernetes release, k3s is one, an operator is not', () => {
    const frames = ['sync.(*Mutex).Lock', 'k8s.io/client-go/tools/events.(*eventBroadcasterImpl).recordToSink.func1'];
    assert.equal(only({ frames }, { component: 'kube-scheduler', version: 'v1.34.0' }).grade, 'confirmed');
    assert.equal(only({ frames }, { component: 'k3s', version: 'v1.34.0+k3s1' }).grade, 'confirmed');
    assert.equal(only({ frames }, { component: 'our-operator', version: 'v0.9.1' }).grade, 'possible');
    const transport = ['k8s.io/client-go/transport.(*dynamicClientCert).Run'];
    assert.deepEqual(match({ frames: transport }, { component: 'client-go', version: 'v0.36.0' }), []);
    assert.equal(only({ frames: transport }, { component: 'client-go', version: 'v0.35.1' }).affected, 'affected');
  });

  it('does not name its program by a creator that the dump does not show', () => {
    const informer = ['k8s.io/client-go/tools/cache.handleAnyWatch', 'k8s.io/client-go/tools/cache.(*Reflector).Run'];
    const creators = ['k8s.io/kube-state-metrics/v2/internal/store.(*Builder).startReflector'];
    const ids = (shown: string[]): string[] => match({ frames: informer, creators: shown }, {}).map(({ id }) => id);
    assert.ok(ids(creators).includes('ksm-custom-resource-reflectors'));
    assert.ok(!ids([]).includes('ksm-custom-resource-reflectors'));
  });

  it('the surest come first', () => {
    const frames = [
      'k8s.io/client-go/transport.(*tlsTransportCache).get',
      'k8s.io/kube-aggregator/pkg/apiserver.(*proxyHandler).updateAPIService',
    ];
    const found = match({ kind: 'heap', frames }, { component: 'kube-apiserver', version: 'v1.26.1' });
    assert.deepEqual(
      found.map(one => [one.ref, one.grade]),
      [
        ['kubernetes#117250', 'confirmed'],
        ['kubernetes#109289', 'probable'],
      ],
    );
  });
});
