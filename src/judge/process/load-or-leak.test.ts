/** What comes and goes holds more under more load; a rise of it is no proof of a leak. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import { encodeText } from '../../base/text.ts';
import { readPile } from '../../evidence/snapshots/read-pile.ts';
import type { Analysis } from '../analysis.ts';
import type { PileItem } from '../../evidence/pile.ts';
import { analyzePile } from './analyze-pile.ts';

const T = 1_794_770_000;
const MIB = 1024 * 1024;

async function analyze(files: Readonly<Record<string, string>>): Promise<Analysis> {
  async function* items(): AsyncGenerator<PileItem> {
    for (const [path, text] of Object.entries(files))
      yield { kind: 'member', path, bytes: encodeText(text), mtimeSeconds: undefined, damage: undefined };
  }
  return analyzePile(await readPile(items(), { families: familiesOf }), { catalogue: [] });
}

/** Requests that hold a mebibyte each: how many are there, and how many there ever were. */
function heap(live: number, ever: number): string {
  const counts = `${live}: ${live * MIB} [${ever}: ${ever * MIB}]`;
  const stack = '@ 0x43e 0x44e\n#\t0x43e\tmain.handle+0x1\t/a/m.go:7\n#\t0x44e\tmain.serve+0x2\t/a/m.go:9\n';
  return `heap profile: ${counts} @ heap/1048576\n${counts} ${stack}`;
}

/** With `minutes`, the first has waited for so long, and the others ever less. */
function dump(from: number, to: number, minutes = 0): string {
  const wait = (id: number): string => {
    const waited = Math.floor((minutes * (to - id)) / (to - from));
    return waited > 0 ? `, ${waited} minutes` : '';
  };
  const one = (id: number): string =>
    `goroutine ${id} [chan receive${wait(id)}]:\nmain.handle(0x1)\n\t/a/m.go:7 +0x1\n`;
  return `${Array.from({ length: to - from }, (_, i) => one(from + i)).join('\n')}\n`;
}

it('heap that is freed and allocated again', async () => {
  const rising = (ever: readonly number[]): Promise<Analysis> =>
    analyze(
      Object.fromEntries(ever.map((total, i) => [`x/heap-${T + i * 300}.txt`, heap(100 + 60 * i, total)] as const)),
    );
  const busy = await rising([500, 1500, 2700]);
  assert.equal(busy.verdict, 'unknown');
  const sentences = busy.findings.flatMap(({ ledger }) => ledger.entries.map(({ sentence }) => sentence));
  assert.match(sentences.join('\n'), /^keeps only .*: it frees$/m);
  // It keeps all; but in a process of which nothing else is known, a cache that fills does so, too.
  const keeping = await rising([100, 160, 220]);
  assert.equal(keeping.verdict, 'watch');
});

it('goroutines that leave and others that come', async () => {
  const rising = (ranges: readonly (readonly [from: number, to: number])[]): Promise<Analysis> =>
    analyze(
      Object.fromEntries(ranges.map(([from, to], i) => [`x/goroutine-d2-${T + i * 300}.txt`, dump(from, to)] as const)),
    );
  const busy = await rising([
    [100, 200],
    [500, 700],
    [1000, 1400],
  ]);
  assert.equal(busy.verdict, 'unknown');
  assert.match(
    busy.findings[0].ledger.entries[0].sentence,
    /^300 of 300 goroutines of 2 dumps have ended 5m later: they leave$/,
  );
  // All that rose comes and goes, so goroutines were judged; only the heap was not.
  assert.ok(!busy.reasons.some(reason => reason.startsWith('goroutines: ')), busy.reasons.join('\n'));
  const staying = await rising([
    [100, 200],
    [100, 300],
    [100, 500],
  ]);
  assert.equal(staying.verdict, 'watch');
  assert.ok(staying.findings[0].ledger.claims.stays > 0.95);
});

it('goroutines that look as if they stay, and are gone in the next dump', async () => {
  const at = (minute: number, from: number, to: number): Record<string, string> => ({
    [`x/goroutine-d2-${T + minute * 60}.txt`]: dump(from, to, 20),
  });
  const [alone, again, timeout] = [
    await analyze(at(0, 100, 220)),
    await analyze({ ...at(0, 100, 220), ...at(60, 400, 520) }),
    await analyze({ ...at(0, 100, 220), ...at(10, 160, 280) }),
  ];
  assert.equal(alone.findings[0].ages?.shape, 'steady');
  assert.ok(alone.verdict === 'leak' || alone.verdict === 'watch');
  const sentences = again.findings.flatMap(({ ledger }) => ledger.entries.map(({ sentence }) => sentence));
  assert.ok(sentences.includes('120 of 120 goroutines have ended 1h later: they leave'), sentences.join('\n'));
  assert.ok(again.verdict !== 'leak' && again.findings[0].ledger.probability < alone.findings[0].ledger.probability);
  // What ends after twenty minutes looks as if it stays, until those of the first dump are gone.
  assert.equal(timeout.findings[0].ledger.entries[0].sentence, '60 of 120 goroutines have ended 10m later: they leave');
  assert.equal(timeout.verdict, 'unknown');
});

it('a batch that came long after the start and stays, and one that may belong to the start', async () => {
  const start = (seconds: number): string => `process_start_time_seconds ${T - seconds}\n# EOF\n`;
  /** 60 more, `afterSeconds` after the first of four dumps. */
  const batch = (processAgeSeconds: number, afterSeconds: number): Promise<Analysis> =>
    analyze({
      [`x/metrics-${T}.prom`]: start(processAgeSeconds),
      ...Object.fromEntries(
        [0, 300, 600, 900].map(at => [`x/goroutine-d2-${T + at}.txt`, dump(100, at < afterSeconds ? 220 : 280)]),
      ),
    });
  assert.equal((await batch(1200, 600)).verdict, 'watch');
  // Ten minutes after the start, nothing had come for six.
  assert.equal((await batch(60, 600)).verdict, 'watch');
  assert.equal((await batch(60, 300)).verdict, 'unknown');
});

describe('what only metrics show, in line since a start hours ago', () => {
  const scrapes = (valuesAt: (hours: number) => Readonly<Record<string, number>>): Promise<Analysis> =>
    analyze(
      Object.fromEntries(
        Array.from({ length: 21 }, (_, i) => {
          const values = { process_start_time_seconds: T, ...valuesAt(4 + i / 60) };
          const lines = Object.entries(values).map(([name, value]) => `${name} ${value}`);
          return [`x/metrics-${T + 4 * 3600 + i * 60}.prom`, `${lines.join('\n')}\n# EOF\n`] as const;
        }),
      ),
    );

  it('is a leak of descriptors', async () => {
    const { verdict, findings } = await scrapes(hours => ({ process_open_fds: Math.round(20 + 1200 * hours) }));
    assert.equal(verdict, 'leak');
    assert.equal(findings[0].resource, 'file-descriptors');
  });

  it('may be mapped files, and series that were asked for', async () => {
    const native = await scrapes(hours => ({
      process_resident_memory_bytes: Math.round((40 + 100 * hours) * MIB),
      go_memstats_sys_bytes: 30 * MIB,
      go_memstats_heap_released_bytes: 0,
    }));
    assert.equal(native.verdict, 'watch');
    assert.match(native.findings[0].ledger.entries.map(({ sentence }) => sentence).join('\n'), /RssAnon/);
    const series = await scrapes(hours => ({ oakum_scrape_series: Math.round(3000 * hours) }));
    assert.equal(series.verdict, 'watch');
  });
});
