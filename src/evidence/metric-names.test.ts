import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canonicalName, isCounted, isUsedFor, type Metric, metricOf, namesFor, spellings } from './metric-names.ts';

const metric = (name: string): Metric => metricOf(name) as Metric;

describe('metric names', () => {
  it('knows the names that guides and older releases use', () => {
    assert.equal(canonicalName('kubelet_goroutines'), 'go_goroutines');
    assert.equal(canonicalName('kubelet_evictions_total'), 'kubelet_evictions');
    assert.equal(canonicalName('something_else'), 'something_else');
    assert.deepEqual(spellings('kubelet_running_pod_count'), ['kubelet_running_pods', 'kubelet_running_pod_count']);
    assert.deepEqual(spellings('something_else'), ['something_else']);
  });

  it('says what each metric is used for, under any name', () => {
    assert.equal(isUsedFor('kubelet_goroutines', 'detection'), true);
    assert.equal(isUsedFor('go_info', 'detection', 'attributes'), true);
    assert.equal(isUsedFor('go_info', 'detection'), false);
    assert.equal(isUsedFor('something_else', 'detection', 'cycle'), false);
    assert.deepEqual(namesFor('attributes'), [
      'go_info',
      'kubernetes_build_info',
      'kubernetes_feature_enabled',
      'etcd_server_version',
    ]);
  });

  it('distinguishes metrics that are added up from those with one value per process', () => {
    assert.equal(metric('rest_client_requests_total').isSum, true);
    assert.equal(metric('process_open_fds').isSum, false);
    assert.equal(metric('scrape_samples_scraped').isSum, false);
  });

  it('counts only the series of the process itself', () => {
    const cases: readonly (readonly [name: string, labels: Record<string, string>, isCounted: boolean])[] = [
      ['go_goroutines', { anything: 'x' }, true],
      ['kubelet_running_containers', { container_state: 'running' }, true],
      ['kubelet_running_containers', { container_state: 'exited' }, false],
      ['kubelet_running_containers', {}, true],
      ['scrape_samples_scraped', { metrics_path: '/metrics' }, true],
      ['scrape_samples_scraped', { metrics_path: '/metrics/cadvisor' }, false],
      ['container_memory_working_set_bytes', { id: '/podruntime.slice/kubelet.service' }, true],
      ['container_memory_working_set_bytes', { id: '/kubelet' }, true],
      ['container_memory_working_set_bytes', { id: '/kubepods.slice/kubelet-like' }, false],
      ['container_memory_working_set_bytes', {}, true],
      ['container_memory_working_set_bytes', { pod: 'p', container: 'c' }, false],
    ];
    for (const [name, labels, expected] of cases)
      assert.equal(isCounted(metric(name), labels), expected, `${name} ${JSON.stringify(labels)}`);
  });
});
