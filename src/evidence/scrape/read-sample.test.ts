import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeText } from '../../base/text.ts';
import { cycleObservation } from './kept-cycle-metrics.ts';
import { readSample } from './read-sample.ts';

const TEXT = `# HELP go_goroutines x
go_goroutines 300
go_gc_heap_live_bytes 1.9e+07
kubelet_running_pods 50
kubelet_active_pods{static=""} 50
kubelet_pleg_last_seen_seconds 1.7e9
kubelet_pod_worker_duration_seconds_sum{operation_type="create"} 20
kubelet_pod_worker_duration_seconds_sum{operation_type="sync"} 60
kubelet_pod_worker_duration_seconds_bucket{operation_type="sync",le="1"} 7
kubelet_evictions{eviction_signal="memory.available"} 2
kubelet_evictions{eviction_signal="nodefs.available"} 5
rest_client_requests_total{code="200"} 100
rest_client_requests_total{code="503"} 7
rest_client_requests_total{code="<error>"} 3
kubernetes_build_info{git_version="v1.36.0",go_version="go1.26.7"} 1
unknown_metric{a="b"} 5
process_open_fds NaN
`;

describe('a scrape', () => {
  it('becomes the values that watch keeps', async () => {
    const sample = await readSample(encodeText(TEXT));
    assert.deepEqual(sample?.attributes, { version: 'v1.36.0', go: 'go1.26.7' });
    assert.deepEqual(sample?.values, {
      go_goroutines: 300,
      go_gc_heap_live_bytes: 1.9e7,
      kubelet_running_pods: 50,
      kubelet_active_pods: 50,
      kubelet_pleg_last_seen_seconds: 1.7e9,
      kubelet_pod_worker_duration_seconds_sum: 80,
      kubelet_evictions: 7,
      oakum_memory_evictions_total: 2,
      rest_client_requests_total: 110,
      oakum_api_errors_total: 10,
      oakum_scrape_series: 16,
    });
    assert.deepEqual(cycleObservation(5, sample?.values ?? {})?.values, {
      plegLastSeenSeconds: 1.7e9,
      workerSeconds: 80,
      apiRequests: 110,
      apiErrors: 10,
      memoryEvictions: 2,
    });
  });

  it('is read the same in pieces', async () => {
    const filler = '# a comment that takes room\n'.repeat(300_000);
    const long = await readSample(encodeText(TEXT + filler + 'go_threads 9\n'));
    assert.equal(long?.values['go_threads'], 9);
    assert.equal(long?.values['go_goroutines'], 300);
  });

  it('that is no metrics text is none', async () => {
    assert.equal(await readSample(encodeText('<html>login</html>')), undefined);
    assert.equal(await readSample(new Uint8Array(0)), undefined);
  });
});
