/** Puts a frame together: every family of the newest snapshot, how it changes, and what is known about it. */
import { agesByFamily } from '../../judge/ages/finding-ages.ts';
import { ownerOf } from '../../knowledge/owner-of.ts';
import { retentionOf } from '../../judge/process/retention-of.ts';
import { causeOfCount, findingFamily } from '../../judge/process/finding.ts';
import type { ProcessEvidence } from '../../evidence/snapshots/process-evidence.ts';
import type { Analysis, Finding } from '../../judge/analysis.ts';
import type { FamilyCount, FamilyTable, LabelSet } from '../../profile/families/family.ts';
import type { TopAges, TopFrame, TopGoroutines, TopHeap, TopLabel, TopProcess } from './top.ts';
import { mayLeak } from '../../judge/verdict.ts';
import { exactTimeText } from '../../base/say.ts';
import { histogramOf } from '../../judge/ages/ages.ts';

export interface FrameParts {
  readonly target: string;
  readonly atSeconds: number;
  readonly samples: number;
  readonly seconds: number;
  readonly analysis: Analysis;
  /** That of the present life. */
  readonly evidence: ProcessEvidence | undefined;
  readonly process: Omit<TopProcess, 'goroutinesPerMinute' | 'liveBytesPerMinute' | 'liveBytes'>;
  /** By family id, of the last list of all goroutines. */
  readonly listed: ReadonlyMap<string, Listed>;
  readonly recent: RecentCounts;
  readonly notes: readonly string[];
}

/** What only a list of all goroutines shows; it is taken less often than the rest. */
export interface Listed {
  /** With what it waits for. */
  readonly title: string;
  readonly ages: TopAges | null;
  readonly longestWaitMinutes: number | null;
  readonly wait: string | null;
  readonly createdBy: string | null;
  readonly createdAt: string | null;
}

/** Keys of `RecentCounts` that are not families. */
const TOTALS = { goroutines: 'all goroutines', live: 'all of the live heap' } as const;

export function frameOf(parts: FrameParts): TopFrame {
  const { analysis, evidence, recent } = parts;
  const goroutines = evidence?.goroutines.at(-1)?.table;
  const heap = evidence?.heap.at(-1)?.table;
  const findings = new Map(analysis.findings.map(finding => [finding.family.id, finding]));
  return {
    schema: 'oakum.top/v1',
    target: parts.target,
    at: exactTimeText(parts.atSeconds),
    samples: parts.samples,
    seconds: parts.seconds,
    verdict: analysis.verdict,
    sentence: analysis.sentence,
    process: {
      ...parts.process,
      goroutines: parts.process.goroutines ?? goroutines?.total ?? null,
      goroutinesPerMinute: recent.perMinute(TOTALS.goroutines),
      liveBytes: heap?.total ?? null,
      liveBytesPerMinute: heap === undefined ? null : recent.perMinute(TOTALS.live),
    },
    goroutines: (goroutines?.counts ?? []).map(count =>
      goroutineRow(count, findings.get(count.family.id), parts.listed.get(count.family.id), recent),
    ),
    heap: (heap?.counts ?? []).map(count => heapRow(count, findings.get(count.family.id), recent)),
    labels: goroutines === undefined ? [] : labelRows(goroutines, recent),
    notes: parts.notes,
  };
}

function goroutineRow(
  count: FamilyCount,
  finding: Finding | undefined,
  listed: Listed | undefined,
  recent: RecentCounts,
): TopGoroutines {
  const { title, frames, places, createdBy, createdAt, state, labels } = findingFamily(count);
  const owner = ownerOf(count.family, count.labelSets, count.creators);
  return {
    family: count.family.id,
    title: listed?.title ?? title,
    frames,
    places,
    perMinute: recent.perMinute(count.family.id),
    verdict: verdictOf(finding),
    cause: causeText(count, finding),
    count: count.count,
    wait: state ?? listed?.wait ?? null,
    longestWaitMinutes: count.waitMinutes?.max ?? listed?.longestWaitMinutes ?? null,
    ages: listed?.ages ?? null,
    createdBy: createdBy ?? listed?.createdBy ?? null,
    createdAt: createdAt ?? listed?.createdAt ?? null,
    owner: owner.name === 'unknown' ? null : owner.name,
    labels,
  };
}

function heapRow(count: FamilyCount, finding: Finding | undefined, recent: RecentCounts): TopHeap {
  const { title, frames, places } = findingFamily(count);
  return {
    family: count.family.id,
    title,
    frames,
    places,
    perMinute: recent.perMinute(count.family.id),
    verdict: verdictOf(finding),
    cause: causeText(count, finding),
    bytes: count.bytes,
    objects: count.count,
    retainedShare: retentionOf(count, undefined)?.retainedShare[1] ?? null,
  };
}

function verdictOf(finding: Finding | undefined): TopGoroutines['verdict'] {
  return finding !== undefined && mayLeak(finding.verdict) ? finding.verdict : null;
}

/** A known leak before what the stack means in general. */
function causeText(count: FamilyCount, finding: Finding | undefined): string | null {
  const [match] = finding?.matches ?? [];
  return match === undefined ? (causeOfCount(count)?.title ?? null) : `${match.title} (${match.ref}, ${match.grade})`;
}

function labelRows({ counts }: FamilyTable, recent: RecentCounts): TopLabel[] {
  const rows = new Map<string, { labels: LabelSet; count: number; families: number }>();
  for (const { labelSets } of counts) {
    for (const { labels, count } of labelSets) {
      if (labels.length === 0) continue;
      const key = labelKey(labels);
      const row = rows.get(key) ?? { labels, count: 0, families: 0 };
      rows.set(key, { labels, count: row.count + count, families: row.families + 1 });
    }
  }
  return [...rows]
    .sort(([, a], [, b]) => b.count - a.count)
    .map(([key, { labels, count, families }]) => ({
      labels: Object.fromEntries(labels),
      count,
      perMinute: recent.perMinute(key),
      families,
    }));
}

function labelKey(labels: LabelSet): string {
  return `labels ${JSON.stringify(labels)}`;
}

/** What each family, each set of labels and both totals amount to. */
export function countsOf({ goroutines, heap }: ProcessEvidence): Map<string, number> {
  const counts = new Map<string, number>();
  const table = goroutines.at(-1)?.table;
  if (table !== undefined) counts.set(TOTALS.goroutines, table.total);
  for (const { family, count, labelSets } of table?.counts ?? []) {
    counts.set(family.id, count);
    for (const { labels, count: labelled } of labelSets) {
      if (labels.length > 0) counts.set(labelKey(labels), (counts.get(labelKey(labels)) ?? 0) + labelled);
    }
  }
  const live = heap.at(-1)?.table;
  if (live !== undefined) counts.set(TOTALS.live, live.total);
  for (const { family, bytes } of live?.counts ?? []) counts.set(family.id, bytes);
  return counts;
}

/** Undefined unless the newest goroutines were listed one by one. */
export function listedIn({ goroutines }: ProcessEvidence): Map<string, Listed> | undefined {
  const table = goroutines.at(-1)?.table;
  if (table === undefined || !table.counts.some(({ waits }) => waits !== undefined)) return undefined;
  const ages = agesByFamily(table);
  return new Map(
    table.counts.map(count => {
      const { id, title, state, createdBy, createdAt } = findingFamily(count);
      const longestWaitMinutes = count.waitMinutes?.max ?? null;
      return [
        id,
        { title, ages: ages.get(id) ?? plainAges(count), longestWaitMinutes, wait: state, createdBy, createdAt },
      ];
    }),
  );
}

/** Null while none has waited for a minute. */
function plainAges({ waits, waitMinutes }: FamilyCount): TopAges | null {
  if (waits === undefined || !(waitMinutes !== undefined && waitMinutes.max > 0)) return null;
  const { bins, binMinutes } = histogramOf(waits.minutes);
  return { shape: null, binMinutes, bins };
}

interface Sample {
  readonly atSeconds: number;
  readonly counts: ReadonlyMap<string, number>;
}

const WINDOW_SECONDS = 60;
/** Shorter spans show noise. */
const MIN_SECONDS = 1;

/** How counts change: what each had in the last minutes, by a key. */
export class RecentCounts {
  #samples: Sample[] = [];

  add(atSeconds: number, counts: ReadonlyMap<string, number>): void {
    this.#samples.push({ atSeconds, counts });
    // One sample at the far end of the window or beyond it stays, to compare with.
    while (atSeconds - (this.#samples[1]?.atSeconds ?? Infinity) >= WINDOW_SECONDS) this.#samples.shift();
  }

  /** Null before the second sample. A key that was not there had 0. */
  perMinute(key: string): number | null {
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined) return null;
    const seconds = last.atSeconds - first.atSeconds;
    if (seconds < MIN_SECONDS) return null;
    return (((last.counts.get(key) ?? 0) - (first.counts.get(key) ?? 0)) * 60) / seconds;
  }

  clear(): void {
    this.#samples = [];
  }
}
