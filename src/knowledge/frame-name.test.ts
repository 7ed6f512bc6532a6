import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isFrame, parseFrameName } from './frame-pattern.ts';

const same = (wanted: string, frame: string): boolean => isFrame(parseFrameName(wanted), parseFrameName(frame));

const SERVE = 'github.com/moby/spdystream.(*Connection).Serve';
const SYNC = 'k8s.io/kubernetes/pkg/kubelet.(*podWorkers).startPodSync';
const WAIT = 'k8s.io/kubernetes/pkg/kubelet/volumemanager.(*volumeManager).WaitForAttachAndMount';
const PROVIDER = 'k8s.io/kubernetes/pkg/kubelet/stats.(*criStatsProvider).*';

for (const [wanted, frame] of [
  [SYNC, SYNC],
  [SYNC, `${SYNC}(0xc000a2000, {0x1, 0x2})`],
  [SYNC, `${SYNC}(...)`],
  [SYNC, `${SYNC}+0x1a4`],
  [SYNC, `${SYNC}.func1.2`],
  [SYNC, `${SYNC}.gowrap1`],
  [SYNC, `${SYNC}-fm`],
  [SYNC, `${SYNC}.func2-range1`],
  [SYNC, `${SYNC} /src/k8s.io/kubernetes/pkg/kubelet/pod_workers.go:1213`],
  [SYNC, 'kubelet.(*podWorkers).startPodSync'],
  [SYNC, '(*podWorkers).startPodSync'],
  [SERVE, 'k8s.io/kubernetes/vendor/github.com/docker/spdystream.(*Connection).Serve.func1'],
  [SERVE, 'k8s.io/kubernetes/Godeps/_workspace/src/github.com/docker/spdystream.(*Connection).Serve'],
  [WAIT, `${WAIT}.(*volumeManager).verifyVolumesMountedFunc.func1`],
  ['k8s.io/client-go/util/workqueue.(*Type).Get', 'k8s.io/client-go/util/workqueue.(*Typed[go.shape.interface{}]).Get'],
  ['k8s.io/client-go/util/workqueue.(*Type).Get', 'k8s.io/client-go/util/workqueue.(*Typed[...]).Get'],
  [
    'github.com/godbus/dbus/v5.(*signalChannelData).deferredDeliver',
    'github.com/godbus/dbus.(*signalChannelData).deferredDeliver',
  ],
  [
    'github.com/google/cadvisor/manager.(*containerData).Start',
    'github.com/google/cadvisor/lib/manager.(*containerData).Start',
  ],
  ['k8s.io/mount-utils.(*Mounter).List', 'k8s.io/kubernetes/vendor/k8s.io/utils/mount.(*Mounter).List'],
  ['k8s.io/client-go/transport.(*dynamicClientCert).Run', 'k8s.io/client-go/transport.(*dynamicClientCert).run.func1'],
  ['k8s.io/client-go/tools/cache.(*Reflector).ListAndWatch', 'cache.(*Reflector).ListAndWatch'],
  ['k8s.io/client-go/tools/cache.(*Reflector).ListAndWatch', '(*Reflector).ListAndWatch.func2'],
  ['golang.org/x/net/http2.(*ClientConn).readLoop', 'net/http.(*http2ClientConn).readLoop'],
  ['example.com/a.Set.Insert', 'example.com/a.Set.Insert.func1'],
  [PROVIDER, 'k8s.io/kubernetes/pkg/kubelet/stats.(*criStatsProvider).listPodStats'],
  ['example.com/a/b.*', 'example.com/a/b.Do'],
]) {
  it(`${frame} is ${wanted}`, () => assert.ok(same(wanted, frame)));
}

for (const [wanted, frame] of [
  [SYNC, 'k8s.io/kubernetes/pkg/kubelet.(*podWorkers).startPodSyncOther'],
  [SYNC, 'k8s.io/kubernetes/pkg/kubelet.(*podWorkers).podWorkerLoop'],
  [SYNC, 'example.com/kubelet.(*podWorkers).startPodSync'],
  [SYNC, 'other.(*podWorkers).startPodSync'],
  ['context.withCancel', 'context.WithCancel'],
  ['context.withCancel', 'context.withCancelCause'],
  ['example.com/a.ReadLogs', 'example.com/a.(*T).ReadLogs'],
  [PROVIDER, 'k8s.io/kubernetes/pkg/kubelet/stats.(*cadvisorStatsProvider).listPodStats'],
  ['example.com/a/b.*', 'example.com/a/bc.Do'],
  ['example.com/a/b.*', '(*T).Do'],
  ['example.com/a/b.(*T).*', '(*T).Do'],
  ['syscall.Statfs', 'Statfs'],
]) {
  it(`${frame} is not ${wanted}`, () => assert.ok(!same(wanted, frame)));
}

it('does not fall over on odd names', () => {
  for (const name of ['', '.', '/', '(', 'a/', '.func1', 'func1', '[', ']]', '(*T)', 'a.b.c.d', '+0x1', ' x ']) {
    assert.doesNotThrow(() => isFrame(parseFrameName(SYNC), parseFrameName(name)), name);
  }
});
