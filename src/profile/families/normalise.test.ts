import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { functionsIn, NAME_ALIASES, normaliseFrame, PACKAGE_ALIASES, packageOf, packageOfFile } from './normalise.ts';

const cases: readonly (readonly [raw: string, normalised: string, file?: string])[] = [
  ['main.main', 'main.main'],
  ['main.(*T).Run(0xc000123456, {0x1, 0x2}, ...)', 'main.(*T).Run'],
  ['main.leak+0x1a', 'main.leak'],
  ['main.main.func1', 'main.main'],
  ['main.main.func1.2.3', 'main.main'],
  ['main.main.gowrap1', 'main.main'],
  ['main.(*T).Close.deferwrap2', 'main.(*T).Close'],
  ['main.main·dwrap·3', 'main.main'],
  ['main.(*T).Run-fm', 'main.(*T).Run'],
  ['main.walk-range1', 'main.walk'],
  ['main.walk-range1.func2', 'main.walk'],
  ['main.(*box[...]).wait', 'main.(*box).wait'],
  ['main.(*box[go.shape.struct { a/b.C[int]; n int }]).wait.func1', 'main.(*box).wait'],
  ['main.glob..func1', 'main.init'],
  ['main.init.0', 'main.init'],
  ['main.init.0.func1', 'main.init'],
  ['main.init.func3', 'main.init'],
  ['net/http.HandlerFunc.ServeHTTP', 'net/http.HandlerFunc.ServeHTTP'],
  [
    'k8s.io/apimachinery/pkg/util/wait.ConditionFunc.WithContext.func1',
    'k8s.io/apimachinery/pkg/util/wait.ConditionFunc.WithContext',
  ],
  ['k8s.io/kubernetes/vendor/k8s.io/klog/v2.(*flushDaemon).run.func1', 'k8s.io/klog.(*flushDaemon).run'],
  ['vendor/golang.org/x/net/idna.ToASCII', 'golang.org/x/net/idna.ToASCII'],
  [
    'k8s.io/api/autoscaling/v2.(*HorizontalPodAutoscaler).Unmarshal',
    'k8s.io/api/autoscaling/v2.(*HorizontalPodAutoscaler).Unmarshal',
  ],
  [
    'github.com/godbus/dbus/v5.(*signalChannelData).deferredDeliver',
    'github.com/godbus/dbus.(*signalChannelData).deferredDeliver',
  ],
  ['gopkg.in/yaml%2ev2.unmarshal', 'gopkg.in/yaml.unmarshal'],
  // Packages that moved, and types that were renamed.
  ['github.com/docker/spdystream.(*Connection).Serve.func1', 'github.com/moby/spdystream.(*Connection).Serve'],
  [
    'github.com/google/cadvisor/manager.(*containerData).housekeeping',
    'github.com/google/cadvisor/lib/manager.(*containerData).housekeeping',
  ],
  [
    'github.com/opencontainers/runc/libcontainer/cgroups/fs.(*Manager).Destroy',
    'github.com/opencontainers/cgroups/fs.(*Manager).Destroy',
  ],
  [
    'k8s.io/kubernetes/pkg/kubelet/cm.(*cgroupManagerImpl).Destroy',
    'k8s.io/kubernetes/pkg/kubelet/cm.(*cgroupCommon).Destroy',
  ],
  [
    'k8s.io/kubernetes/pkg/kubelet/cri/remote.(*remoteRuntimeService).ExecSync',
    'k8s.io/cri-client/pkg.(*remoteRuntimeService).ExecSync',
  ],
  [
    'k8s.io/kubernetes/pkg/kubelet/server/portforward.(*httpStreamHandler).run',
    'k8s.io/cri-streaming/pkg/streaming/portforward.(*httpStreamHandler).run',
  ],
  [
    'k8s.io/kubernetes/pkg/kubelet/cri/streaming/portforward.(*httpStreamHandler).run',
    'k8s.io/cri-streaming/pkg/streaming/portforward.(*httpStreamHandler).run',
  ],
  [
    'k8s.io/kubernetes/pkg/kubelet/pleg.(*GenericPLEG).relist',
    'k8s.io/kubernetes/pkg/kubelet/pleg.(*GenericPLEG).Relist',
  ],
  [
    'k8s.io/client-go/tools/cache.(*Reflector).ListAndWatch.func1',
    'k8s.io/client-go/tools/cache.(*Reflector).ListAndWatchWithContext',
  ],
  [
    'k8s.io/client-go/util/workqueue.(*Type).updateUnfinishedWorkLoop',
    'k8s.io/client-go/util/workqueue.(*Typed).updateUnfinishedWorkLoop',
  ],
  ['k8s.io/client-go/util/workqueue.(*Typed[...]).Get', 'k8s.io/client-go/util/workqueue.(*Typed).Get'],
  ['net/http.(*http2ClientConn).readLoop', 'golang.org/x/net/http2.(*ClientConn).readLoop'],
  ['net/http/internal/http2.(*ClientConn).readLoop', 'golang.org/x/net/http2.(*ClientConn).readLoop'],
  ['context.propagateCancel.func1', 'context.(*cancelCtx).propagateCancel'],
  // Closures of inlined functions: the long names of Go 1.26 and what Go 1.27 calls them.
  ['main.F1.adder.func1', 'main.adder'],
  ['main.adder.func1', 'main.adder'],
  ['k8s.io/apimachinery/pkg/util/wait.PollUntilWithContext.poller.func1.1', 'k8s.io/apimachinery/pkg/util/wait.poller'],
  ['k8s.io/apimachinery/pkg/util/wait.poller.func1.1', 'k8s.io/apimachinery/pkg/util/wait.poller'],
  [
    'k8s.io/client-go/tools/cache.(*controller).RunWithContext.(*Group).StartWithContext.func3',
    'k8s.io/apimachinery/pkg/util/wait.(*Group).StartWithContext',
    'k8s.io/apimachinery@v0.36.0/pkg/util/wait/wait.go',
  ],
  [
    'k8s.io/apimachinery/pkg/util/wait.(*Group).StartWithContext.func1',
    'k8s.io/apimachinery/pkg/util/wait.(*Group).StartWithContext',
  ],
  ['main.A.func1.B.func2', 'main.B'],
  ['main.(*S).ServeHTTP.WithLogging.withLogging.func3', 'main.withLogging'],
  ['', ''],
  ['_cgo_thread_start', '_cgo_thread_start'],
];

test('every spelling of a function gives the same name', () => {
  for (const [raw, normalised, file] of cases) assert.equal(normaliseFrame(raw, file), normalised, raw);
});

test('normalising twice changes nothing more', () => {
  const targets = [...NAME_ALIASES.values(), ...PACKAGE_ALIASES.map(([, to]) => `${to}.F`)];
  for (const name of [...cases.map(([raw]) => raw), ...NAME_ALIASES.keys(), ...targets]) {
    const once = normaliseFrame(name);
    assert.equal(normaliseFrame(once), once, name);
  }
  for (const target of targets) assert.equal(normaliseFrame(target), target, 'an alias points at a final name');
  const part = fc.constantFrom(
    'main',
    'F',
    'f',
    '(*T)',
    'T',
    'func1',
    '2',
    'gowrap1',
    'init',
    'glob.',
    'M-fm',
    'x-range1',
  );
  const path = fc.constantFrom(
    'main',
    'net/http',
    'a.b/c/v2',
    'k8s.io/kubernetes/vendor/a.b/v3/c',
    'github.com/docker/spdystream',
  );
  const name = fc
    .tuple(path, fc.array(part, { minLength: 1, maxLength: 6 }))
    .map(([p, parts]) => `${p}.${parts.join('.')}`);
  fc.assert(
    fc.property(fc.oneof(name, fc.string()), raw => {
      const once = normaliseFrame(raw);
      assert.equal(normaliseFrame(once), once);
    }),
    { numRuns: 2000 },
  );
});

test('the package of a file', () => {
  assert.equal(packageOfFile('/root/go/pkg/mod/github.com/!azure/go-x@v1.2.3/az/a.go'), 'github.com/Azure/go-x/az');
  assert.equal(packageOfFile('k8s.io/kubernetes/vendor/k8s.io/klog/v2/klog.go'), 'k8s.io/klog/v2');
  assert.equal(packageOfFile('/usr/local/go/src/net/http/server.go'), 'net/http');
  assert.equal(packageOfFile('/home/me/leak/main.go'), '');
  assert.equal(packageOfFile(''), '');
  assert.equal(packageOf('k8s.io/kubernetes/pkg/kubelet.(*podWorkers).startPodSync'), 'k8s.io/kubernetes/pkg/kubelet');
});

test('a closure names the function it is written in and those it was inlined into', () => {
  const serve = 'github.com/docker/spdystream.(*Connection).Serve';
  for (const [raw, ...functions] of [
    ['main.main', 'main.main'],
    ['main.(*T).Run.func1.2', 'main.(*T).Run'],
    ['main.A.func1.B.func2', 'main.B', 'main.A', 'main.A.B'],
    [
      `${serve}.(*box[...]).wait.func1(0xc000)`,
      'github.com/moby/spdystream.(*box).wait',
      'github.com/moby/spdystream.(*Connection).Serve',
      'github.com/moby/spdystream.(*Connection).Serve.(*box).wait',
    ],
    ['a.b/sets.Set.Insert.func1', 'a.b/sets.Insert', 'a.b/sets.Set', 'a.b/sets.Set.Insert'],
    ['', ''],
    ['a.func1', 'a.func1'],
  ])
    assert.deepEqual(functionsIn(raw), functions, raw);
});
