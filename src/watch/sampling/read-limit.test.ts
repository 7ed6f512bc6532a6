import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NODE, steady } from '../../../test/watch/scripted-node.ts';
import { process, watchBench } from '../../../test/watch/watch-bench.ts';
import { encodeText } from '../../base/text.ts';
import { cgroupLimitIn } from '../../evidence/scrape-facts.ts';
import { allocatableMemory } from '../../evidence/node-attributes.ts';
import type { TargetView } from '../watch-model.ts';
import type { TargetEntry } from '../state/watched-target.ts';

const GIB = 1024 ** 3;
const HOUR = 3600;

const cadvisor = (limit: number): Uint8Array =>
  encodeText(
    `# TYPE container_spec_memory_limit_bytes gauge
container_spec_memory_limit_bytes{container="",id="/system.slice/kubelet.service",image="",name="",namespace="",pod=""} ${limit}
container_spec_memory_limit_bytes{container="app",id="/kubepods/pod1/x",image="a",name="b",namespace="c",pod="d"} 1000
`,
  );

async function limitsOf(
  metrics: Readonly<Record<string, number>>,
  profiles: Readonly<Record<string, Uint8Array>>,
  more: Partial<TargetEntry> = {},
): Promise<{ limits: TargetView['limits']; asked: number }> {
  const bench = watchBench();
  const { watch, clock } = bench;
  await watch.start();
  const connection = process(NODE, clock, now => ({ ...steady(now), ...metrics }), profiles);
  watch.addTarget({ name: NODE, connection, attributes: {}, ...more });
  await bench.run(2.5 * HOUR);
  const { limits = [] } = (await watch.target(NODE, undefined, undefined)) ?? {};
  await watch.stop();
  return { limits, asked: connection.requests.filter(path => path === '/metrics/cadvisor').length };
}

describe('the memory limit of a node', () => {
  it('is that of its cgroup in the metrics of cAdvisor, read once an hour', async () => {
    const { limits, asked } = await limitsOf({}, { '/metrics/cadvisor': cadvisor(2 * GIB) });
    assert.deepEqual(limits, [{ resource: 'live heap', value: 2 * GIB, from: 'cgroup' }]);
    assert.equal(asked, 3);
  });

  it('is not asked for where the metrics have one', async () => {
    const metrics = { go_gc_gomemlimit_bytes: GIB };
    const { limits, asked } = await limitsOf(metrics, { '/metrics/cadvisor': cadvisor(2 * GIB) });
    assert.deepEqual(limits, [{ resource: 'live heap', value: GIB, from: 'GOMEMLIMIT' }]);
    assert.equal(asked, 0);
  });

  it('is what was given, else what the node has allocatable, else not known', async () => {
    const none = { '/metrics/cadvisor': cadvisor(0) };
    const both = { memoryLimitBytes: 3 * GIB, allocatableBytes: 8 * GIB };
    assert.deepEqual((await limitsOf({}, none, both)).limits, [
      { resource: 'live heap', value: 3 * GIB, from: 'given' },
    ]);
    assert.deepEqual((await limitsOf({}, none, { allocatableBytes: 8 * GIB })).limits, [
      { resource: 'live heap', value: 8 * GIB, from: 'node allocatable' },
    ]);
    assert.deepEqual((await limitsOf({}, {})).limits, []);
  });

  it('comes from nothing but the cgroup of the kubelet', () => {
    assert.equal(cgroupLimitIn(cadvisor(GIB)), GIB);
    assert.equal(cgroupLimitIn(cadvisor(0)), undefined);
    assert.equal(cgroupLimitIn(encodeText('<html>')), undefined);
    const node = (memory: unknown): number | undefined => allocatableMemory({ status: { allocatable: { memory } } });
    assert.deepEqual([node('16Gi'), node('1024Ki'), node('5'), node('many'), node(7)].map(String), [
      String(16 * GIB),
      '1048576',
      '5',
      'undefined',
      'undefined',
    ]);
  });
});
