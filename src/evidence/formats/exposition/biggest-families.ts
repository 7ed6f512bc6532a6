/** The metric families with the most series: what grows when series leak. */
import type { FamilySize } from './exposition.ts';
import type { MetricName } from './name-table.ts';

const SHOWN = 20;
const PARTS = ['_bucket', '_sum', '_count', '_gsum', '_gcount'];
/** OpenMetrics has a series beside each counter and histogram that says since when it counts. */
const CREATED = '_created';

/** `lastScrape` is the number of the last scrape that had series. */
export function biggestFamilies(names: readonly MetricName[], lastScrape: number): FamilySize[] {
  const compounds = new Set(names.filter(name => name.compound).map(name => name.text));
  const all = new Set(names.map(name => name.text));
  const sizes = new Map<string, { seriesCount: number; firstSeriesCount: number }>();
  for (const name of names) {
    const count = name.scrape === lastScrape ? name.count : 0;
    if (count === 0 && name.firstCount === 0) continue;
    const family = familyOf(name.text, compounds, all);
    const size = sizes.get(family) ?? { seriesCount: 0, firstSeriesCount: 0 };
    size.seriesCount += count;
    size.firstSeriesCount += name.firstCount;
    sizes.set(family, size);
  }
  const sorted = [...sizes].sort(([a, x], [b, y]) => y.seriesCount - x.seriesCount || (a < b ? -1 : 1));
  return sorted.slice(0, SHOWN).map(([name, size]) => ({ name, ...size }));
}

function familyOf(name: string, compounds: ReadonlySet<string>, all: ReadonlySet<string>): string {
  if (name.endsWith(CREATED)) {
    const base = name.slice(0, -CREATED.length);
    return compounds.has(base) ? base : all.has(`${base}_total`) ? `${base}_total` : name;
  }
  const part = PARTS.find(suffix => name.endsWith(suffix));
  if (part === undefined) return name;
  const base = name.slice(0, -part.length);
  return compounds.has(base) ? base : name;
}
