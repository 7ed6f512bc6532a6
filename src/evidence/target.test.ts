import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  clusterName,
  clusterOf,
  inCluster,
  nameInEvidence,
  nodeName,
  parseTargetRef,
  targetKind,
  targetText,
  type TargetRef,
  withoutCluster,
} from './target.ts';

describe('target names', () => {
  it('are read as kubectl users write them', () => {
    const cases: readonly (readonly [string, TargetRef])[] = [
      ['node/worker-17', { kind: 'node', name: 'worker-17' }],
      ['no/ip-10-0-0-1.ec2.internal', { kind: 'node', name: 'ip-10-0-0-1.ec2.internal' }],
      ['apiserver', { kind: 'apiserver' }],
      ['pod/kcp/kcp-0:6443', { kind: 'pod', namespace: 'kcp', name: 'kcp-0', scheme: 'http', port: 6443 }],
      ['pod/kcp/https:kcp-0:6443', { kind: 'pod', namespace: 'kcp', name: 'kcp-0', scheme: 'https', port: 6443 }],
      ['po/kcp-0', { kind: 'pod', namespace: 'from-flag', name: 'kcp-0', scheme: 'http', port: undefined }],
      ['http://localhost:6060/debug/pprof/heap?debug=1', { kind: 'url', url: 'http://localhost:6060' }],
      ['https://[::1]:8443/kcp/metrics', { kind: 'url', url: 'https://[::1]:8443/kcp' }],
      ['unix:///run/kcp/debug.sock', { kind: 'unix', socketPath: '/run/kcp/debug.sock' }],
      ['cluster/prod-eu/node/worker-17', { kind: 'node', name: 'worker-17', cluster: 'prod-eu' }],
      ['cluster/a/kube-apiserver', { kind: 'apiserver', cluster: 'a' }],
      [
        'cluster/a/po/kcp-0:80',
        { kind: 'pod', namespace: 'from-flag', name: 'kcp-0', scheme: 'http', port: 80, cluster: 'a' },
      ],
    ];
    for (const [text, expected] of cases) assert.deepEqual(parseTargetRef(text, 'from-flag'), expected, text);
  });

  it('explain what is wrong with them', () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ['worker-17', /did you mean node\/worker-17\?/],
      ['node/', /nothing is not a valid node name/],
      ['node/../secrets', /is not a valid node name/],
      ['node/a%2f', /is not a valid node name/],
      ['pod/a/b/c', /a pod is pod\/NAMESPACE\/NAME/],
      ['pod/a/b:99999', /99999 is not a port/],
      ['unix://relative.sock', /unix:\/\/\/absolute/],
      ['https://me:secret@host', /^host: a password in a URL/],
      ['', /an empty text is not a target/],
      ['cluster/', /is cluster\/NAME\/node\/NAME/],
      ['cluster/prod eu/node/a', /is cluster\/NAME\/node\/NAME/],
      ['cluster/-a/node/a', /is cluster\/NAME\/node\/NAME/],
      ['cluster/a/cluster/b/node/c', /it is in two clusters/],
      ['cluster/a/worker-17', /did you mean node\/worker-17\?/],
      ['cluster/a/http://localhost:6060', /an address is in no cluster; give http:\/\/localhost:6060 alone/],
    ];
    for (const [text, problem] of cases) assert.match(parseTargetRef(text) as string, problem, text);
  });

  it('tell their kind, and the node of a kubelet', () => {
    const cases = [
      ['node/worker-17', 'node', 'worker-17', 'worker-17'],
      ['apiserver', 'apiserver', undefined, 'apiserver'],
      ['pod/kcp/kcp-0:6443', 'pod', undefined, 'pod/kcp/kcp-0:6443'],
      ['http://localhost:6060', 'url', undefined, 'http://localhost:6060'],
      ['unix:///run/kcp/debug.sock', 'unix', undefined, 'unix:///run/kcp/debug.sock'],
      ['worker-17/kubelet', undefined, undefined, 'worker-17/kubelet'],
      ['10.0.0.1:10250', undefined, undefined, '10.0.0.1:10250'],
      ['', undefined, undefined, ''],
      // Another cluster may have a node of this name.
      ['cluster/prod-eu/node/worker-17', 'node', 'worker-17', 'cluster/prod-eu/node/worker-17'],
      ['cluster/prod-eu/apiserver', 'apiserver', undefined, 'cluster/prod-eu/apiserver'],
    ] as const;
    for (const [target, kind, node, name] of cases) {
      assert.equal(targetKind(target), kind, target);
      assert.equal(nodeName(target), node, target);
      assert.equal(nameInEvidence(target), name, target);
    }
  });

  it('tell their cluster, where there are several', () => {
    assert.equal(clusterOf('cluster/prod-eu/node/worker-17'), 'prod-eu');
    assert.equal(clusterOf('node/worker-17'), undefined);
    assert.equal(withoutCluster('cluster/prod-eu/node/worker-17'), 'node/worker-17');
    assert.equal(withoutCluster('node/worker-17'), 'node/worker-17');
    assert.equal(inCluster('node/worker-17', 'prod-eu'), 'cluster/prod-eu/node/worker-17');
    assert.equal(inCluster('node/worker-17', undefined), 'node/worker-17');
  });

  it('take any name of a context as that of a cluster', () => {
    assert.equal(clusterName('prod-eu'), 'prod-eu');
    assert.equal(clusterName('arn:aws:eks:eu-west-1:1234:cluster/prod'), 'arn-aws-eks-eu-west-1-1234-cluster-prod');
    assert.equal(clusterName('..'), '');
    fc.assert(
      fc.property(fc.string(), text => {
        const name = clusterName(text);
        if (name !== '')
          assert.deepEqual(parseTargetRef(`cluster/${name}/node/a`), { kind: 'node', name: 'a', cluster: name });
      }),
    );
  });

  it('print and parse back', () => {
    const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$/);
    const ref: fc.Arbitrary<TargetRef> = fc.oneof(
      fc.record({ kind: fc.constant('node' as const), name }),
      fc.record({
        kind: fc.constant('pod' as const),
        namespace: fc.option(name, { nil: undefined }),
        name,
        scheme: fc.constantFrom('http' as const, 'https' as const),
        port: fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined }),
      }),
    );
    fc.assert(
      fc.property(ref, fc.option(name, { nil: undefined }), (one, cluster) => {
        const whole = cluster === undefined ? { ...one } : { ...one, cluster };
        assert.deepEqual(parseTargetRef(targetText(whole)), whole);
      }),
    );
  });
});
