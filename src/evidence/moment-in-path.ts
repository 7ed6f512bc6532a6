/** The moment that a path names without a date: `before/heap.pb.gz`, `t3/goroutine.txt`, `dump-2.txt`. */

export interface Moment {
  /** Moments of one series have an order: t0 and t3, but not t0 and before. */
  readonly series: string;
  readonly at: number;
}

const EARLY = /^(?:before|start|begin|first|base|baseline|old)$/i;
const LATE = /^(?:after|end|finish|last|new)$/i;
const NUMBERED = /^(t|round|snap|snapshot|run|step|phase|dump|sample)[-_]?(\d{1,4})$/i;

/** The file's own name first, then the folders, nearest first. */
export function momentInPath(path: string): Moment | undefined {
  for (const name of path.split('/').reverse()) {
    const found = [name, ...name.split(/[-_.]/)].map(momentOf).find(moment => moment !== undefined);
    // `dump-2` is a word and a number.
    const numbered = /(?:^|[-_.])([a-z]+[-_]?\d{1,4})(?=[-_.]|$)/i.exec(name)?.[1];
    const moment = found ?? (numbered === undefined ? undefined : momentOf(numbered));
    if (moment !== undefined) return moment;
  }
  return undefined;
}

function momentOf(word: string): Moment | undefined {
  if (EARLY.test(word)) return { series: 'before and after', at: 0 };
  if (LATE.test(word)) return { series: 'before and after', at: 1 };
  const [, series, number] = NUMBERED.exec(word) ?? [];
  return series === undefined ? undefined : { series: series.toLowerCase(), at: Number(number) };
}
