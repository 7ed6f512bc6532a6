import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeText } from '../../base/text.ts';
import type { PileItem } from '../pile.ts';
import { seriesOfProcess, valueAt } from './process-series.ts';
import { readPile } from './read-pile.ts';

async function* members(files: Readonly<Record<string, string>>): AsyncGenerator<PileItem> {
  for (const [path, text] of Object.entries(files)) {
    yield { kind: 'member', path, bytes: encodeText(text), mtimeSeconds: 1794775000, damage: undefined };
  }
}

const dump = (main: string): string => `goroutine 1 [running]:\nmain.main()\n\t${main}/main.go:3 +0x1\n`;
const metrics = (start: number, ...lines: string[]): string =>
  `process_start_time_seconds ${start}\ngo_goroutines 5\n${lines.join('\n')}\n`;

describe('snapshots without mappings', () => {
  it('belong to the life that their time falls into', async () => {
    const { snapshots } = await readPile(
      members({
        'n/metrics-1794770100.prom': metrics(1794770000),
        'n/metrics-1794770900.prom': metrics(
          1794770500,
          'kubernetes_build_info{git_version="v1.36.0",go_version="go1.26.7"} 1',
        ),
        'n/goroutine-d2-1794770200.txt': dump('/src/a'),
        'n/goroutine-d2-1794770800.txt': dump('/src/a'),
        'n/goroutine-d2-1794769000.txt': dump('/src/a'),
      }),
    );
    const life = (time: string): string => snapshots.find(({ path }) => path.includes(time))?.process.key ?? '';
    assert.equal(life('d2-1794770200'), life('1794770100'));
    assert.equal(life('d2-1794770800'), life('1794770900'));
    assert.equal(new Set(snapshots.map(({ process }) => process.key)).size, 3, 'one ended before the first start');
    const late = snapshots.find(({ path }) => path.includes('d2-1794770800'));
    assert.equal(late?.process.version, 'v1.36.0');
    assert.equal(late?.process.goVersion, 'go1.26.7');
    assert.equal(late?.takenAtFrom, 'name');
  });

  it('are of different processes if the program or the node differs', async () => {
    const { snapshots } = await readPile(
      members({
        'dumps/one.txt': dump('/src/a'),
        'dumps/two.txt': dump('/src/b'),
        'w-1/goroutine.txt': dump('/src/a'),
        'w-2/goroutine.txt': dump('/src/a'),
        'before/goroutine.txt': dump('/src/a'),
        'after/goroutine.txt': dump('/src/a'),
      }),
    );
    const key = (part: string): string => snapshots.find(({ path }) => path.includes(part))?.process.key ?? '';
    assert.notEqual(key('one.txt'), key('two.txt'));
    assert.notEqual(key('w-1'), key('w-2'));
    assert.equal(key('before'), key('after'));
  });

  it('get their version from a list of nodes, a version file or the caller', async () => {
    const node = { kind: 'Node', metadata: { name: 'w-1' }, status: { nodeInfo: { kubeletVersion: 'v1.35.2' } } };
    const files = {
      'w-1/goroutine.txt': dump('/src/a'),
      'nodes.json': JSON.stringify({ kind: 'List', items: [node] }),
    };
    const versions = async (more: Readonly<Record<string, string>>, version?: string): Promise<string[]> => {
      const { snapshots } = await readPile(members(more), version === undefined ? {} : { version });
      return snapshots.filter(({ kind }) => kind === 'goroutine').map(({ process }) => process.version);
    };
    assert.deepEqual(await versions(files), ['v1.35.2']);
    const server = JSON.stringify({ serverVersion: { gitVersion: 'v1.34.1', goVersion: 'go1.24.6' } });
    const waiting = 'goroutine 1 [select]:\nk8s.io/kubernetes/pkg/kubelet.run()\n\t/src/kubelet.go:3 +0x1\n';
    for (const folder of ['x/', ''])
      assert.deepEqual(
        await versions({ [`${folder}goroutine.txt`]: waiting, [`${folder}version.json`]: server }),
        ['v1.34.1'],
        `in the folder '${folder}'`,
      );
    assert.deepEqual(await versions({ 'x/goroutine.txt': dump('/src/a') }, 'v1.36.0-do.1'), ['v1.36.0-do.1']);
  });

  it('are split at a restart: the start time changes or a counter falls', async () => {
    const scrape = (at: number, ...lines: string[]): string =>
      `# LAB scrape ts=${at} node=n status=200\n${lines.join('\n')}\n`;
    const text = [
      scrape(1794770010, 'go_goroutines 5', 'process_cpu_seconds_total 100'),
      scrape(1794770020, 'go_goroutines 9', 'process_cpu_seconds_total 101'),
      scrape(1794770030, 'go_goroutines 4', 'process_cpu_seconds_total 1'),
    ].join('');
    const { snapshots } = await readPile(members({ 'metrics.prom': text }));
    assert.deepEqual(
      snapshots.map(({ series, process }) => [[...(series?.get('go_goroutines')?.values ?? [])], process.target]),
      [
        [[5, 9], 'n'],
        [[4], 'n'],
      ],
    );
  });

  it('are split at a restart even if appended scrapes have no time', async () => {
    const text = [metrics(1794770000), metrics(1794770000.4), metrics(1794770500)].join('');
    const { snapshots } = await readPile(members({ 'metrics.prom': text }));
    assert.deepEqual(
      snapshots.map(({ series }) => series?.get('go_goroutines')?.values.length),
      [2, 1],
    );
  });

  it('of single scrapes in one folder become one series', async () => {
    const { snapshots } = await readPile(
      members({
        'n/metrics-1794770200.prom': metrics(1794770000, 'kubelet_running_pods 7'),
        'n/metrics-1794770100.prom': metrics(1794770000, 'kubelet_running_pods 5'),
      }),
    );
    const series = seriesOfProcess(snapshots, snapshots[0].process.key);
    assert.deepEqual([...(series.get('kubelet_running_pods')?.times ?? [])], [1794770100, 1794770200]);
    assert.equal(valueAt(series.get('kubelet_running_pods'), 1794770190), 7);
    assert.equal(valueAt(series.get('kubelet_running_pods'), 1794780000), undefined);
  });
});
