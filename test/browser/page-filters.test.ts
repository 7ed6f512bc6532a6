/** The pages filter and report as `oakum pprof` does: both are asked for the same, and must agree. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { memoryIo } from '../double/memory-io.ts';
import { run } from '../../src/cli/run.ts';
import { compileGoRegexp } from '../../src/profile/pprof/go-regexp.ts';
import { functionTotals } from '../../web/profiles/function-totals.ts';
import { frameName } from '../../web/profiles/call-tree.ts';
import { FILTER_WORDS, NO_FILTERS, type Filters } from '../../web/reader/filters.ts';
import { ProfileService } from '../../web/reader/profile-service.ts';

const CAPTURES = new URL('../fixtures/captures/leakdemo/go1.26/', import.meta.url);
const [BEFORE, AFTER, GOROUTINES] = ['t0/heap.debug0.pb.gz', 't3/heap.debug0.pb.gz', 't3/goroutine.debug0.pb.gz'];

async function service(): Promise<ProfileService> {
  const made = new ProfileService(compileGoRegexp);
  for (const name of [BEFORE, AFTER, GOROUTINES]) {
    const bytes = new Uint8Array(readFileSync(new URL(name, CAPTURES)));
    await made.handle('open', { key: name, name, bytes });
  }
  return made;
}

async function printed(...argv: string[]): Promise<string[]> {
  const io = memoryIo({ cwd: CAPTURES.pathname });
  await run(['pprof', ...argv], io);
  return io.out().trimEnd().split('\n');
}

/** The rows of -top in its smallest unit: name -> flat, cum. */
async function topRows(...argv: string[]): Promise<Map<string, readonly [number, number]>> {
  const lines = await printed('-top', '-unit=B', '-nodefraction=0', ...argv);
  const rows = lines.slice(lines.findIndex(line => line.includes('flat%')) + 1);
  const byName = new Map<string, readonly [number, number]>();
  for (const line of rows) {
    const [, flat = '', cum = '', text = ''] = /^ *(\S+) +\S+ +\S+ +(\S+) +\S+ {2}(.*)$/.exec(line) ?? [];
    const name = text.replace(/ \((?:partial-)?inline\)$/, '');
    const [sum, most] = byName.get(name) ?? [0, 0];
    byName.set(name, [sum + parseFloat(flat), Math.max(most, parseFloat(cum))]);
  }
  return byName;
}

const options = (sampleType: string, filters: Partial<Filters> = {}) =>
  ({ sampleType, filters: { ...NO_FILTERS, ...filters }, labels: [], roots: [], widthOf: 'after' }) as const;

describe('the filters of the page', () => {
  const cases: readonly (readonly [source: string, sampleType: string, filters: Partial<Filters>])[] = [
    [AFTER, 'inuse_space', {}],
    [AFTER, 'alloc_space', { focus: 'main\\.', ignore: 'http' }],
    [AFTER, 'alloc_space', { hide: '^runtime\\.', show_from: 'main\\.' }],
    [AFTER, 'alloc_space', { show: 'main|runtime' }],
    [AFTER, 'inuse_space', { granularity: 'lines', focus: 'main' }],
    [AFTER, 'inuse_space', { granularity: 'filefunctions' }],
    [AFTER, 'inuse_space', { granularity: 'files' }],
    [AFTER, 'alloc_space', { tagfocus: '1kb:64kb' }],
    [AFTER, 'alloc_space', { tagignore: 'bytes=1kb:' }],
    [GOROUTINES, 'goroutine', { ignore: 'net/http', focus: 'main' }],
  ];
  for (const [source, sampleType, filters] of cases) {
    const { granularity } = filters;
    const flags = [
      `-sample_index=${sampleType}`,
      ...FILTER_WORDS.filter(word => filters[word] !== undefined).map(word => `-${word}=${filters[word]}`),
      ...(filters.granularity === undefined ? [] : [`-${filters.granularity}`]),
    ];
    it(`give what oakum pprof ${flags.join(' ')} prints`, async () => {
      const { tree } = await (
        await service()
      ).handle('view', { after: source, before: undefined, options: options(sampleType, filters) });
      const wanted = await topRows(...flags, source);
      assert.ok(wanted.size > 0);
      const shown = new Map(
        functionTotals(tree).map(({ frame, flat, cum }) => [frameName(tree, frame), [flat, cum]] as const),
      );
      // pprof prints a file once for each function in it, so its cum cannot be compared.
      const compared = (rows: ReadonlyMap<string, readonly [number, number]>): unknown =>
        new Map([...rows].sort().map(([name, [flat, cum]]) => [name, granularity === 'files' ? flat : [flat, cum]]));
      assert.deepEqual(compared(shown), compared(wanted));
    });
  }

  it('say which of them match nothing, as pprof does', async () => {
    const worker = await service();
    const look = async (before: string | undefined, filters: Partial<Filters>): Promise<readonly string[]> =>
      (await worker.handle('view', { after: AFTER, before, options: options('inuse_space', filters) })).warnings;
    assert.deepEqual(await look(undefined, { focus: 'nosuch' }), ['Focus expression matched no samples']);
    assert.deepEqual(await look(BEFORE, { focus: 'nosuch' }), ['Focus expression matched no samples']);
    assert.deepEqual(await look(BEFORE, { focus: 'main' }), []);
    assert.deepEqual(await look(undefined, {}), []);
  });

  it('keep shares of everything, unless they are relative', async () => {
    const worker = await service();
    const whole = async (relative: boolean): Promise<readonly [number, number]> => {
      const chosen = options('inuse_space', { focus: 'main\\.', relative });
      const { tree } = await worker.handle('view', { after: AFTER, before: undefined, options: chosen });
      return [tree.whole.after, tree.total[0] ?? 0];
    };
    const [all, left] = await whole(false);
    assert.ok(all > left);
    assert.deepEqual(await whole(true), [left, left]);
  });
});

describe('peek, graph and source', () => {
  const request = (symbol: string, before?: string) =>
    ({ after: AFTER, before, options: options('inuse_space'), symbol }) as const;

  it('peek has the callers and callees that -peek prints', async () => {
    for (const before of [undefined, BEFORE]) {
      const view = await (await service()).handle('peek', request('main\\.main$', before));
      const base = before === undefined ? [] : [`-diff_base=${before}`];
      const lines = await printed('-peek=main\\.main$', '-unit=B', '-inuse_space', ...base, AFTER);
      const [node] = view.nodes;
      assert.ok(node !== undefined);
      const edges = lines.flatMap(line => {
        const [, value, name] = /^ {20,}(\S+) +\S+ \| {3}(.*?)(?: \(inline\))?$/.exec(line) ?? [];
        return value === undefined ? [] : [[name, parseFloat(value)]];
      });
      assert.deepEqual(
        [...node.callers, ...node.callees].map(({ name, value }) => [name, value]),
        edges,
      );
      assert.ok(edges.length > 1);
    }
  });

  it('the graph has the nodes and edges that -dot draws', async () => {
    const view = await (await service()).handle('graph', { ...request(''), nodeCount: 12 });
    const lines = await printed('-dot', '-nodecount=12', '-inuse_space', AFTER);
    assert.equal(view.nodes.length, lines.filter(line => /^N\d+ \[label/.test(line)).length);
    const drawn = lines.flatMap(line => {
      const [, from, to] = /^N(\d+) -> N(\d+) /.exec(line) ?? [];
      return from === undefined ? [] : [`${Number(from) - 1} ${Number(to) - 1}`];
    });
    assert.deepEqual(view.edges.map(({ from, to }) => `${from} ${to}`).sort(), drawn.sort());
  });

  it('source has the lines with values', async () => {
    const view = await (await service()).handle('source', request('^main\\.'));
    const [first] = view.functions;
    assert.ok(first !== undefined && first.file.endsWith('.go'));
    assert.ok(
      first.lines.length > 0 && first.lines.every(({ line }) => line >= first.firstLine && line <= first.lastLine),
    );
    await assert.rejects((await service()).handle('source', request('nosuch')), /no matches found for regexp: nosuch/);
  });
});
