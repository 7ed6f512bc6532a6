import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encodeText } from '../base/text.ts';
import { cycleObservation } from './cycle/metrics-evidence.ts';
import { readSample, SampleReader } from './read-sample.ts';

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
container_memory_working_set_bytes{id="/podruntime.slice/kubelet.service"} 1e8
container_memory_working_set_bytes{id="/kubepods.slice/pod1"} 5e8
container_memory_working_set_bytes{container="c",namespace="n",pod="p"} 7e8
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
      oakum_memory_evictions_total: 2,
      rest_client_requests_total: 110,
      oakum_api_errors_total: 10,
      container_memory_working_set_bytes: 1e8,
      oakum_scrape_series: 19,
    });
    assert.deepEqual(cycleObservation(5, sample?.values ?? {})?.values, {
      plegLastSeenSeconds: 1.7e9,
      workingSetBytes: 1e8,
      workerSeconds: 80,
      apiRequests: 110,
      apiErrors: 10,
      memoryEvictions: 2,
    });
  });

  it('of an older kubelet counts the evictions under their older name', async () => {
    const sample = await readSample(encodeText('kubelet_evictions_total{eviction_signal="memory.available"} 3\n'));
    assert.deepEqual(sample?.values, { oakum_memory_evictions_total: 3, oakum_scrape_series: 1 });
  });

  it('is read the same in pieces', async () => {
    const filler = '# a comment that takes room\n'.repeat(300_000);
    const long = await readSample(encodeText(TEXT + filler + 'go_threads 9\n'));
    assert.equal(long?.values['go_threads'], 9);
    assert.equal(long?.values['go_goroutines'], 300);
  });

  it('is read the same as it arrives, however it is cut', () => {
    const bytes = encodeText(TEXT + '# a comment that takes room\n'.repeat(400) + 'go_threads 9\n');
    const whole = new SampleReader();
    whole.push(bytes);
    const expected = whole.finish();
    assert.equal(expected?.values['go_threads'], 9);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1 }), sizes => {
        const reader = new SampleReader();
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          reader.push(bytes.slice(at, at + size));
          at += size;
        }
        assert.deepEqual(reader.finish(), expected);
      }),
      { numRuns: 30 },
    );
  });

  it('is refused if it is not metrics text', async () => {
    assert.equal(await readSample(encodeText('<html>login</html>')), undefined);
    assert.equal(await readSample(new Uint8Array(0)), undefined);
  });
});
