/** What lies around the profiles: logs, lists of nodes, answers of Prometheus, metrics that were cut. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import { encodeText } from '../../base/text.ts';
import { readPile } from '../../evidence/snapshots/read-pile.ts';
import type { Analysis } from '../analysis.ts';
import type { PileItem } from '../../evidence/pile.ts';
import { analyzePile } from './analyze-pile.ts';

const NOW = Date.UTC(2026, 10, 16) / 1000;

async function analyze(files: Readonly<Record<string, string>>): Promise<Analysis> {
  async function* items(): AsyncGenerator<PileItem> {
    for (const [path, text] of Object.entries(files)) {
      yield { kind: 'member', path, bytes: encodeText(text), mtimeSeconds: NOW, damage: undefined };
    }
  }
  return analyzePile(await readPile(items(), { families: familiesOf }), { catalogue: [] });
}

const METRICS =
  'go_goroutines 300\nprocess_start_time_seconds 1794000000\nkubernetes_build_info{git_version="v1.36.0"} 1\n';
const KILL =
  'Nov 15 07:12:25 worker-17 kernel: Memory cgroup out of memory: Killed process 989 (kubelet) total-vm:9kB, anon-rss:1000000kB, file-rss:0kB, shmem-rss:0kB\n';
const node = (name: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    status: { nodeInfo: { kubeletVersion: 'v1.36.3' } },
  });
const RANGE =
  '{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"go_goroutines","instance":"a"},"values":[[1794772040,"294"]]}]}}';

describe('analyze', () => {
  it('tells of an OOM kill in a log, with the command that knows more', async () => {
    const { reasons, inputs } = await analyze({ 'case/metrics-1794772000.prom': METRICS, 'case/kern.log': KILL });
    assert.match(
      reasons.join('\n'),
      /kubelet was OOM-killed on worker-17 at 2026-11-15T07:12:25Z with 977 MiB resident: oakum cycle/,
    );
    assert.equal(inputs[0]?.target, 'worker-17', 'named by the host that logs');
    assert.match((await analyze({ 'kern.log': KILL })).sentence, /kubelet was OOM-killed: oakum cycle tells the rest/);
  });

  it('names the commands that read answers of Prometheus', async () => {
    assert.match((await analyze({ 'range.json': RANGE })).sentence, /oakum detect and oakum cycle read answers/);
  });

  it('says which metrics were cut', async () => {
    const name = 'x/metrics-1794772000.prom';
    const cut = await analyze({ [name]: `${METRICS}process_resident_mem` });
    assert.match(cut.reasons.join('\n'), /metrics-1794772000\.prom: cut in line 4/);
    assert.match(cut.inputs[0]?.truncated ?? '', /cut in line 4/);
    for (const whole of [METRICS, METRICS.trimEnd()]) {
      assert.equal((await analyze({ [name]: whole })).inputs[0]?.truncated, null, 'a missing line break is no cut');
    }
  });

  it('names a kubelet by the only node beside it, and tells versions that differ', async () => {
    const one = await analyze({ 'case/m-1794772000.prom': METRICS, 'case/nodes.json': node('worker-17') });
    assert.equal(one.inputs[0]?.target, 'worker-17');
    assert.match(
      one.reasons.join('\n'),
      /worker-17: its metrics say v1\.36\.0, the list of nodes v1\.36\.3: the metrics count/,
    );
    const two = await analyze({
      'case/m-1794772000.prom': METRICS,
      'case/a.json': node('worker-17'),
      'case/b.json': node('worker-18'),
    });
    assert.equal(two.inputs[0]?.target, 'case', 'which of the two is not known');
    const daemon = await analyze({
      'case/m-1794772000.prom': 'go_goroutines 5\n',
      'case/nodes.json': node('worker-17'),
    });
    assert.equal(daemon.inputs[0]?.target, 'case', 'not a kubelet');
  });
});
