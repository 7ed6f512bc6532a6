import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeText } from '../../base/text.ts';
import type { PileItem } from '../../evidence/pile.ts';
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import { readPile } from '../../evidence/snapshots/read-pile.ts';
import { BUNDLED_LEAKS } from '../../knowledge/bundled.ts';
import type { Analysis } from '../analysis.ts';
import { analyzePile } from '../process/analyze-pile.ts';
import { subjectOf } from './explain-pile.ts';

async function analyze(text: string): Promise<Analysis> {
  async function* items(): AsyncGenerator<PileItem> {
    await Promise.resolve();
    yield {
      kind: 'member',
      path: 'Downloads/issue.txt',
      bytes: encodeText(text),
      mtimeSeconds: undefined,
      damage: undefined,
    };
  }
  const pile = await readPile(items(), { families: familiesOf, subject: subjectOf });
  return analyzePile(pile, { catalogue: BUNDLED_LEAKS });
}

const TOP = `File: kafka-controller
Type: inuse_space
Showing nodes accounting for 3151.20MB, 96.71% of 3258.49MB total
      flat  flat%   sum%        cum   cum%
 1823.11MB 55.95% 55.95%  1823.11MB 55.95%  example.com/metrics.newSample (inline)
  302.19MB  9.27% 65.22%   500.22MB 15.35%  example.com/client.(*client).update
         0     0% 65.22%  2500.22MB 76.00%  example.com/operator.(*reconciler).Reconcile
`;

describe('a pasted table of functions', () => {
  it('names the leaf, the code above it, what is missing and the command of the program', async () => {
    const { verdict, sentence, shown } = await analyze(TOP);
    assert.equal(verdict, 'unknown');
    assert.match(
      sentence,
      /^knative-eventing-kafka, from the paste: most of the live heap is in example\.com\/metrics\.newSample \(1\.78 GiB, 56%\)/,
    );
    const [one] = shown;
    assert.match(
      one?.what ?? '',
      /^pprof -top: 3 functions by the live heap \(inuse_space\) of knative-eventing-kafka$/,
    );
    assert.match(
      one?.shows.join('\n') ?? '',
      /under example\.com\/operator\.\(\*reconciler\)\.Reconcile \(2\.44 GiB, 77%\)/,
    );
    assert.match(one?.lacks.join('\n') ?? '', /no stacks/);
    assert.match(one?.decides?.command ?? '', /8008\/debug\/pprof\/heap/);
  });

  it('says that allocations are not what is in use', async () => {
    const { shown } = await analyze(TOP.replace('inuse_space', 'alloc_space'));
    assert.match(shown[0]?.shows[0] ?? '', /freed long ago/);
  });

  it('ends the question of a heap that is too small', async () => {
    const { sentence } = await analyze(TOP.replaceAll('MB', 'kB'));
    assert.match(sentence, /only 3\.18 MiB of live heap: memory that grows is not in the Go heap/);
  });

  it('compares before and after', async () => {
    const { shown } = await analyze(
      `Before:\n\`\`\`\n${TOP.replace('1823.11MB 55', '200.00MB 55')}\`\`\`\nAfter:\n\`\`\`\n${TOP}\`\`\`\n`,
    );
    assert.match(shown[0]?.shows.join('\n') ?? '', /newSample: 200 MiB, then 1\.78 GiB/);
  });
});

describe('pasted numbers', () => {
  it('hold what is resident against the live heap', async () => {
    const { sentence, shown } = await analyze(
      'Name:\tkubelet\nVmRSS:  85699360 kB\nRssAnon:  85675400 kB\nRssFile:  23960 kB\n\npprof shows that inuse_space is 360MB.\n',
    );
    assert.match(
      sentence,
      /^kubelet, from the paste: 81\.7 GiB resident against 360 MiB of live heap: most of it is no live heap/,
    );
    assert.match(shown[0]?.shows.join('\n') ?? '', />99% of what is resident is anonymous memory/);
  });

  it('need three samples for a trend, and tell a sawtooth and a plateau', async () => {
    const sentenceOf = async (values: readonly number[]): Promise<string> =>
      (await analyze(`$ ps -o rss -C etcd\n${values.join('\n')}\n`)).sentence;
    assert.match(await sentenceOf([90_000, 180_000]), /two points are no trend/);
    assert.match(await sentenceOf([90_000, 180_000, 270_000]), /grows in each sample/);
    assert.match(await sentenceOf([90_000, 90_000, 90_001]), /stays at/);
    assert.match(await sentenceOf([90_000, 180_000, 95_000, 185_000]), /comes and goes between/);
    assert.match(
      await sentenceOf([10_000, 90_000, 180_000, 190_000, 190_000, 190_100, 190_000, 190_000]),
      /rose from .* and stays/,
    );
  });

  it('of counts are told in the plural, growth before size', async () => {
    const { sentence } = await analyze(
      '2026-11-19 10:00:00 go_goroutines 93696\n2026-11-19 10:01:00 go_goroutines 93806\n2026-11-19 10:02:00 go_goroutines 93927\n',
    );
    assert.match(sentence, /: goroutines grow in each sample: 93,696 to 93,927 in 3 samples\.$/);
  });

  it('of a few metrics without their help are told, too', async () => {
    const { sentence } = await analyze(
      'container_memory_working_set_bytes{pod="thanos-0"} 8123456789\ngo_memstats_heap_inuse_bytes{pod="thanos-0"} 3e+09\n',
    );
    assert.match(sentence, /^thanos, from the paste: 7\.57 GiB resident against 2\.79 GiB of live heap/);
  });

  it('that were logged with times are samples of the process', async () => {
    const line = (minute: number, count: number): string =>
      `2026-11-19T10:${String(minute).padStart(2, '0')}:00Z goroutines=${count}\n`;
    const { inputs } = await analyze([0, 1, 2, 3].map(minute => line(minute, 1000 + minute * 50)).join(''));
    assert.deepEqual(
      [inputs[0]?.kind, inputs[0]?.since, inputs[0]?.takenAt],
      ['metrics', '2026-11-19T10:00:00.000Z', '2026-11-19T10:03:00.000Z'],
    );
  });
});

describe('a pasted stack', () => {
  const STACK = `goroutine 833 [chan receive, 42 minutes]:
main.(*Agent).getHealthChecks.func1()
\t/src/agent.go:513 +0x30
created by main.(*Agent).getHealthChecks
\t/src/agent.go:500 +0x10
`;

  it('is explained: where it is, how long it has waited and what that means', async () => {
    const { shown } = await analyze(`> ${STACK.replaceAll('\n', '\n> ')}`);
    const says = shown[0]?.shows.join('\n') ?? '';
    assert.match(says, /main\.\(\*Agent\)\.getHealthChecks\.func1 /);
    assert.match(says, /it has waited 42m in chan receive/);
    assert.match(says, /A receive that nothing answers/);
  });

  it('is of the program that its main package lies in', async () => {
    const { sentence } = await analyze(`> ${STACK.replaceAll('/src/', '/work/consul-esm/').replaceAll('\n', '\n> ')}`);
    assert.match(sentence, /^consul-esm, from the paste: /);
  });

  it('is compared with the next one, never added to it', async () => {
    const profile = (count: number): string =>
      `goroutine profile: total ${count}\n${count} @ 0x1 0x2\n#\t0x1\tmain.leak+0x1\t/src/a.go:1\n`;
    const { findings } = await analyze(
      `Before:\n\`\`\`\n${profile(100)}\`\`\`\nAfter an hour:\n\`\`\`\n${profile(900)}\`\`\`\n`,
    );
    assert.deepEqual([findings[0]?.count, findings[0]?.growth?.from, findings[0]?.growth?.to], [900, 100, 900]);
  });

  it('counts the part of the whole that was pasted', async () => {
    const { shown } = await analyze(
      '```\ngoroutine profile: total 1005\n274 @ 0x1 0x2\n#\t0x1\tmain.leak+0x1\t/src/a.go:1\n```\n',
    );
    assert.match(shown[0]?.headline ?? '', /274 goroutines of 1,005 \(27%\)/);
  });
});

describe('text without evidence', () => {
  it('that asks about a program gets its command', async () => {
    const { sentence, shown } = await analyze('Our etcd 3.5.9 looks like a memory leak, it is restarted every day.\n');
    assert.match(sentence, /^etcd 3\.5\.9, from the paste: a description about etcd 3\.5\.9/);
    assert.match(shown[0]?.decides?.command ?? '', /2379\/debug\/pprof\/heap/);
  });

  it('that asks about nothing is not understood', async () => {
    assert.deepEqual((await analyze('Lorem ipsum dolor sit amet.\n')).shown, []);
  });
});
