import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeText } from '../../base/text.ts';
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import { readPile } from '../../evidence/snapshots/read-pile.ts';
import type { Analysis } from '../analysis.ts';
import type { PileItem } from '../../evidence/pile.ts';
import { analyzePile } from './analyze-pile.ts';

const BEGIN = 1_794_772_000;

interface Process {
  readonly node: string;
  readonly startSeconds: number;
  /** One scrape per minute. One shows what is there; thirty show that nothing grows. */
  readonly scrapes: number;
}

const OTHERS = [
  'process_resident_memory_bytes 60e6',
  'go_memory_classes_total_bytes 50e6',
  'go_memory_classes_heap_released_bytes 2e6',
  'go_threads 12',
  'process_open_fds 30',
];

function recording({ node, startSeconds, scrapes }: Process, others = `${OTHERS.join('\n')}\n`): PileItem {
  const scrape = (i: number): string =>
    `# LAB scrape ts=${startSeconds + 60 + i * 60} node=${node} status=200\n` +
    `process_start_time_seconds ${startSeconds}\ngo_goroutines 238\ngo_gc_heap_live_bytes 12e6\n${others}`;
  const text = Array.from({ length: scrapes }, (_, i) => scrape(i)).join('');
  const path = `${node}/${startSeconds}.prom`;
  return { kind: 'member', path, bytes: encodeText(text), mtimeSeconds: undefined, damage: undefined };
}

async function analyze(...processes: Process[]): Promise<Analysis> {
  return analyzeItems(processes.map(process => recording(process)));
}

async function analyzeItems(given: readonly PileItem[]): Promise<Analysis> {
  async function* items(): AsyncGenerator<PileItem> {
    yield* given;
  }
  return analyzePile(await readPile(items()), { catalogue: [] });
}

describe('the verdict on several processes', () => {
  const calm = { node: 'calm', startSeconds: BEGIN, scrapes: 30 };
  const brief = { node: 'brief', startSeconds: BEGIN, scrapes: 1 };

  it('is healthy if all are', async () => {
    const { verdict, sentence } = await analyze(calm, { ...calm, node: 'calm-too' });
    assert.equal(verdict, 'healthy');
    assert.equal(sentence, '2 targets: nothing grows beyond what chance and load explain.');
  });

  it('is unknown if something that can leak was not looked at, and names it', async () => {
    const { verdict, reasons } = await analyzeItems([recording(calm, 'go_threads 12\n')]);
    assert.equal(verdict, 'unknown');
    assert.ok(
      reasons.includes('no metrics over time for memory outside the Go heap, file descriptors'),
      reasons.join('\n'),
    );
  });

  it('is unknown if one could not be judged, in any order, and says so', async () => {
    for (const processes of [
      [calm, brief],
      [brief, calm],
    ]) {
      const { verdict, sentence, reasons } = await analyze(...processes);
      assert.equal(verdict, 'unknown');
      assert.equal(sentence, '2 targets: nothing grows in 1 of 2 processes, but too little is known about the rest.');
      assert.ok(reasons.some(reason => reason.startsWith('brief: ')));
    }
  });

  it('counts the lives of one target', async () => {
    const { verdict, sentence } = await analyze(calm, { ...calm, startSeconds: BEGIN + 7200, scrapes: 1 });
    assert.equal(verdict, 'unknown');
    assert.equal(sentence, 'calm: nothing grows in 1 of 2 lives, but too little is known about the rest.');
  });
});

it('half a million goroutines in one stack are worth watching, even where nothing says what they wait for', async () => {
  const stack = '500000 @ 0x43e\n#\t0x43e\tmain.(*server).handle+0x1\t/a/s.go:88\n\n';
  const other = '12 @ 0x46e\n#\t0x46e\tmain.worker+0x1\t/a/w.go:10\n';
  const bytes = encodeText(`goroutine profile: total 500012\n${stack}${other}`);
  async function* items(): AsyncGenerator<PileItem> {
    yield { kind: 'member', path: 'one/g.txt', bytes, mtimeSeconds: undefined, damage: undefined };
  }
  const { verdict, sentence, findings } = await analyzePile(await readPile(items(), { families: familiesOf }), {
    catalogue: [],
  });
  assert.equal(verdict, 'watch');
  assert.equal(sentence, 'one may leak goroutines: main.(*server).handle.');
  assert.match(findings[0].reasons[0], /^500,000 of 500,012 goroutines are in this one stack; debug=2 says/);
});

describe('goroutines that nothing can wake', () => {
  const stack = (id: number, state: string, name: string): string =>
    `goroutine ${id} [${state}]:\n${name}()\n\t/m.go:7 +0x1\ncreated by main.main in goroutine 1\n\t/m.go:9 +0x1\n\n`;
  const dumpOf = async (stuck: number): Promise<Analysis> => {
    const many = Array.from({ length: 400 }, (_, i) => stack(i + 10, 'select', 'main.worker'));
    const few = Array.from({ length: stuck }, (_, i) => stack(i + 900, 'chan send (nil chan)', 'main.report'));
    async function* items(): AsyncGenerator<PileItem> {
      const bytes = encodeText([...many, ...few].join(''));
      yield { kind: 'member', path: 'g.txt', bytes, mtimeSeconds: undefined, damage: undefined };
    }
    return analyzePile(await readPile(items(), { families: familiesOf }), { catalogue: [] });
  };

  it('are listed first, however few they are', async () => {
    const { findings } = await dumpOf(4);
    assert.equal(findings[0]?.cause?.id, 'nil-channel');
    assert.equal(findings[0].count, 4);
  });

  it('are not listed if there is one, which may wait for a context that never ends', async () => {
    const { findings } = await dumpOf(1);
    assert.ok(findings.every(({ cause }) => cause?.id !== 'nil-channel'));
  });
});
