import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BUNDLED_PRODUCTS } from './bundled.ts';
import {
  fetchCommand,
  productIn,
  productOfFrames,
  productOfProcess,
  productWithMetric,
  versionCommandOf,
  versionIn,
} from './product.ts';

describe('products', () => {
  it('are known by the name of their process, whole or cut', () => {
    assert.equal(productOfProcess('/usr/bin/containerd')?.name, 'containerd');
    assert.equal(productOfProcess('pilot-discovery')?.name, 'istiod');
    assert.equal(productOfProcess('kube-controller')?.name, 'kube-controller-manager');
    assert.equal(productOfProcess('kube'), undefined);
    assert.equal(productOfProcess('bash'), undefined);
  });

  it('are known by a metric that only they expose', () => {
    assert.equal(productWithMetric(new Set(['go_goroutines', 'kubelet_running_pods']))?.name, 'kubelet');
    assert.equal(productWithMetric(new Set(['go_goroutines'])), undefined);
  });

  it('are known by the code that only they run, programs before libraries', () => {
    const frames = ['sigs.k8s.io/controller-runtime/pkg/manager.New', 'sigs.k8s.io/karpenter/pkg/operator.NewOperator'];
    assert.equal(productOfFrames(frames)?.name, 'karpenter');
    assert.equal(productOfFrames(frames.slice(0, 1))?.name, 'controller-runtime');
    // A client of etcd is no etcd.
    assert.equal(productOfFrames(['go.etcd.io/etcd/client/v3.(*watchGrpcStream).run']), undefined);
    assert.equal(productOfFrames(['istio.io/istio/pilotless.main']), undefined);
  });

  it('are fetched from where they serve their profiles', () => {
    assert.equal(
      fetchCommand('dockerd', 'debug/pprof/heap', 'heap.pb.gz'),
      'curl -s --unix-socket /var/run/docker.sock "http://localhost/debug/pprof/heap" > heap.pb.gz',
    );
    assert.match(
      fetchCommand('vault', 'debug/pprof/goroutine?debug=2', 'g.txt'),
      /sys\/pprof\/goroutine\?debug=2" > g\.txt$/,
    );
    assert.equal(fetchCommand(undefined, 'metrics', 'm.prom'), 'curl -s "http://$HOST:$PORT/metrics" > m.prom');
    assert.equal(versionCommandOf('consul'), 'consul version');
    assert.equal(versionCommandOf(undefined), '');
  });

  it('are known by their names in a sentence, and of the version that they were upgraded to', () => {
    assert.equal(productIn('Vault 1.12.2 leaks')?.name, 'vault');
    assert.equal(versionIn('Vault 1.12.2 leaks', 'vault'), '1.12.2');
    assert.equal(versionIn('after upgrading kubelet from v1.24.3 to v1.25.1', 'kubelet'), '1.25.1');
    assert.equal(versionIn('1a2b3c  cilium-agent   1.20   3.9GB', 'cilium-agent'), '', 'a share of a CPU');
    assert.equal(versionIn('etcd    3.5.9', 'etcd'), '3.5.9', 'a table of versions');
    assert.equal(versionIn('kube-proxy 1.27', 'kube-proxy'), '1.27');
  });

  it('have names that nothing else has', () => {
    const names = BUNDLED_PRODUCTS.flatMap(({ name, aliases }) => [name, ...aliases]);
    assert.deepEqual(
      names.filter((name, at) => names.indexOf(name) !== at),
      [],
    );
  });
});
