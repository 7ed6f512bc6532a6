/** What the targets saw, against what the store has. */

/** Closer to each other, two scrapes are of one interval; farther from each other, there was one without. */
const MIN_APART = 0.4;
const MAX_APART = 1.5;
/** Between a profile and the metrics of the same capture. */
const CAPTURE_SECONDS = 3;

export interface Scraped {
  /** By target, in Unix seconds. */
  readonly scrapes: readonly (readonly number[])[];
  /** By target: when profiles were taken, since a capture reads the metrics, too. */
  readonly profileTimes?: readonly (readonly number[])[];
  /** What the store has in the end, and what it was seen to have before the kills. */
  readonly stored: readonly (readonly number[])[];
  readonly committed: readonly ReadonlySet<number>[];
  readonly from: number;
  readonly to: number;
  readonly intervalSeconds: number;
  readonly mostGapSeconds: number;
  /** What was done meanwhile, to tell what a gap comes from. */
  readonly events: readonly SoakEvent[];
}

export interface SoakEvent {
  readonly at: number;
  readonly text: string;
}

export interface Judged {
  readonly lines: string[];
  readonly problems: string[];
}

export function findGaps(scraped: Scraped): Judged {
  const { from, to, intervalSeconds, mostGapSeconds } = scraped;
  const problems: string[] = [];
  let [longest, longestSince, doubled, longestRun, lost, total, committed] = [0, 0, 0, 0, 0, 0, 0];
  scraped.scrapes.forEach((all, target) => {
    const times = all.filter(at => at >= from && at <= to);
    total += times.length;
    const ends = [from, ...times, to];
    ends.slice(1).forEach((at, i) => {
      const since = ends[i] ?? at;
      if (at - since > longest) [longest, longestSince] = [at - since, since];
      if (at - since <= mostGapSeconds) return;
      problems.push(
        `target ${target} was not sampled for ${(at - since).toFixed(1)} s since ${timeText(since)}: ${meanwhile(scraped, since - 1, at)}`,
      );
    });
    for (const run of doubledRuns(times, intervalSeconds, scraped.profileTimes?.[target])) {
      doubled += run.count;
      longestRun = Math.max(longestRun, run.count);
      if (run.count === 1) continue;
      const [first = 0] = run.times;
      problems.push(
        `target ${target} was sampled twice in ${run.count} intervals in a row, at ${timeText(first)} ` +
          `(${run.times.map(at => `+${(at - first).toFixed(1)}`).join(' ')}): ${meanwhile(scraped, first - 15, run.times.at(-1) ?? first)}`,
      );
    }
    const kept = new Set(scraped.stored[target] ?? []);
    for (const at of scraped.committed[target] ?? []) {
      if (kept.has(at)) continue;
      lost++;
      if (lost <= 10) problems.push(`target ${target}: its sample of ${new Date(at * 1000).toISOString()} is lost`);
    }
    committed += scraped.committed[target]?.size ?? 0;
  });
  return {
    lines: [
      `${total} scrapes in ${Math.round(to - from)} s; the longest time without one was ${longest.toFixed(1)} s, since ${timeText(longestSince)}`,
      `${doubled} intervals with two scrapes of a target, at most ${longestRun} in a row; ${lost} of ${committed} samples lost that were seen in the store before a kill`,
    ],
    problems,
  };
}

function meanwhile({ events }: Scraped, from: number, to: number): string {
  const texts = events.filter(({ at }) => at > from && at < to).map(({ text }) => text);
  return texts.join(', ');
}

export function timeText(at: number): string {
  return new Date(at * 1000).toISOString().slice(11, 19);
}

interface DoubledRun {
  /** Intervals in a row. */
  count: number;
  times: number[];
}

/** Intervals that begin with a scrape and have another one in their first 40 %, those in a row together. */
function doubledRuns(
  times: readonly number[],
  intervalSeconds: number,
  profileTimes: readonly number[] = [],
): DoubledRun[] {
  const isOfCapture = (at: number): boolean => profileTimes.some(taken => Math.abs(taken - at) < CAPTURE_SECONDS);
  const runs: DoubledRun[] = [];
  let run: DoubledRun | undefined;
  for (let i = 0; i < times.length;) {
    const begins = times[i] ?? 0;
    if (begins - (times[i - 1] ?? begins) > MAX_APART * intervalSeconds) run = undefined;
    let next = i + 1;
    while (next < times.length && (times[next] ?? 0) - begins < MIN_APART * intervalSeconds) next++;
    if (next - i === 1 || isOfCapture(begins)) run = undefined;
    else {
      if (run === undefined) runs.push((run = { count: 0, times: [] }));
      run.count++;
      run.times.push(...times.slice(i, next));
    }
    i = next;
  }
  return runs;
}
