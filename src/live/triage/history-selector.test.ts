import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeText } from '../../base/text.ts';
import { anchorQuery, instancesMatcher, processesIn, selectorText } from './history-selector.ts';

describe('the series of a target in a Prometheus', () => {
  it('are queried by the names in scrape configurations', () => {
    assert.equal(
      anchorQuery({ kind: 'node', name: 'w1.example' }, ['10.0.0.1'], '', ''),
      'last_over_time(kubelet_running_pods{node="w1.example"}[12h]) or ' +
        'last_over_time(kubelet_running_pods{instance=~"(w1\\\\.example|10\\\\.0\\\\.0\\\\.1)(:[0-9]+)?"}[12h])',
    );
    const pod = { kind: 'pod', namespace: undefined, name: 'etcd', scheme: 'http', port: 2381 } as const;
    assert.equal(
      anchorQuery(pod, [], 'kube-system', ''),
      'last_over_time(go_goroutines{namespace="kube-system",pod="etcd"}[12h])',
    );
    assert.equal(
      anchorQuery({ kind: 'url', url: 'https://h' }, [], '', ''),
      'last_over_time(go_goroutines{instance="h:443"}[12h])',
    );
    assert.equal(anchorQuery({ kind: 'unix', socketPath: '/s' }, [], '', ''), undefined);
    assert.equal(
      anchorQuery({ kind: 'unix', socketPath: '/s' }, [], '', 'job="kcp"'),
      'last_over_time(go_goroutines{job="kcp"}[12h])',
    );
  });

  it('are identified by cluster, job and instance alone', () => {
    const metric = (labels: Record<string, string>): object => ({
      metric: { instance: 'a:1', ...labels },
      value: [1, '1'],
    });
    const answer = (...result: object[]): Uint8Array => encodeText(JSON.stringify({ data: { result } }));
    const replicas = answer(metric({ job: 'kubelet', replica: '0' }), metric({ job: 'kubelet', replica: '1' }));
    assert.deepEqual(processesIn(replicas), [{ cluster: '', job: 'kubelet', instance: 'a:1' }]);
    assert.equal(processesIn(answer(metric({ cluster: 'x' }), metric({ cluster: 'y' }))).length, 2);
    for (const odd of ['', '[]', '{"data":{"result":7}}', '{"data":{"result":[{"metric":{"instance":7}}]}}'])
      assert.deepEqual(processesIn(encodeText(odd)), []);
  });

  it('cannot be widened by their label values', () => {
    assert.equal(selectorText({ job: 'a"} or up{', instance: 'i' }), 'job="a\\"} or up{",instance="i"');
    assert.equal(instancesMatcher(['a.b:1', 'c|d']), 'instance=~"a\\\\.b:1|c\\\\|d"');
  });
});
