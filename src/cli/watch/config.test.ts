import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FormatError } from '../../base/errors.ts';
import { readWatchConfig } from './config.ts';

describe('the file of --config', () => {
  it('names targets and settings', () => {
    const text = `
nodes: true
targets:
  - apiserver
  - target: pod/kcp/kcp-0:6443
    memory-limit: 2Gi
clusters:
  - clusters/
  - kubeconfig: eu.yaml
    context: admin@eu
    name: prod-eu
    memory-limit: 1Gi
    capture: false
interval: 30s
retention: 30d
capture: true
grafana: https://grafana.example.com/d/k?var-node={node}
`;
    assert.deepEqual(readWatchConfig(text, 'oakum.yaml'), {
      nodes: true,
      targets: [
        { ref: { kind: 'apiserver' }, memoryLimitBytes: undefined },
        {
          ref: { kind: 'pod', namespace: 'kcp', name: 'kcp-0', scheme: 'http', port: 6443 },
          memoryLimitBytes: 2 * 1024 ** 3,
        },
      ],
      clusters: {
        given: ['clusters/'],
        configured: [
          {
            name: 'prod-eu',
            kubeconfig: 'eu.yaml',
            context: 'admin@eu',
            direct: undefined,
            tokenFile: undefined,
            memoryLimitBytes: 1024 ** 3,
            capture: false,
            actions: undefined,
          },
        ],
      },
      intervalSeconds: 30,
      retentionSeconds: 30 * 86_400,
      capture: true,
      grafana: 'https://grafana.example.com/d/k?var-node={node}',
      notify: undefined,
    });
    assert.deepEqual(readWatchConfig('', 'x').targets, []);
  });

  it('names the wrong setting and says what it takes', () => {
    for (const [text, problem] of [
      ['grafana: javascript:alert(1)', /grafana takes the http or https address of a dashboard/],
      ['target: [a]', /^oakum\.yaml: unknown setting target; the settings are nodes, targets/],
      ['targets: [worker-1]', /targets\[0\]: worker-1 is not a target; did you mean node\/worker-1/],
      ['targets: [{target: apiserver, memory: 1Gi}]', /targets\[0\]: unknown setting memory/],
      ['targets: [{target: apiserver, memory-limit: lots}]', /memory-limit takes a size such as 512Mi, not lots/],
      ['interval: often', /interval takes a time such as 30s/],
      ['clusters: prod', /clusters takes a list/],
      ['clusters: [{name: a}]', /clusters\[0\] needs a kubeconfig, a context or both/],
      ['clusters: [{context: a, name: "prod eu"}]', /clusters\[0\]: name takes letters.* not prod eu/],
      ['clusters: [{context: a, server: b}]', /clusters\[0\]: unknown setting server; a cluster has name, kubeconfig/],
      ['clusters: [{context: a, actions: 1}]', /clusters\[0\]: actions takes true or false/],
      ['capture: please', /capture takes true or false/],
      ['- a', /expected settings: nodes, targets/],
      ['a: [', /oakum\.yaml: /],
    ] as const) {
      assert.throws(
        () => readWatchConfig(text, 'oakum.yaml'),
        (error: unknown) => {
          assert.ok(error instanceof FormatError);
          assert.match(error.describe(), problem);
          return true;
        },
      );
    }
  });

  it('fails on no text in any other way', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), text => {
        try {
          readWatchConfig(text, 'x');
        } catch (error) {
          assert.ok(error instanceof FormatError, String(error));
        }
      }),
    );
  });
});
