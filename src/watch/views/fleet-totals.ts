/** What the fleet as a whole is like: how many leak, and which of its attributes group targets. */
import type { FleetCohort, FleetCohorts } from './fleet.ts';
import { mayLeak, type Verdict } from '../../judge/verdict.ts';
import { isSelf } from '../state/watched-target.ts';
import { type FleetEntry, valueOf } from './fleet-entry.ts';

/** People look at these first. */
const USUAL = ['version', 'cluster', 'pool', 'kernel', 'zone'];

/** The headline and the counts are about what is watched, not about Oakum itself. */
export class FleetTotals {
  readonly counts: Record<Verdict, number> = noVerdicts();
  watched = 0;
  /** How many have answered at least once. */
  seen = 0;
  /** How many are not judged yet because their past is being read. */
  awaitingHistory = 0;
  readonly leaking: FleetEntry[] = [];
  readonly withIncident: FleetEntry[] = [];
  /** The versions of those that are not suspected. */
  readonly calmVersions: Set<string> = new Set();
  #rows = 0;
  readonly #attributes = new Map<string, AttributeUse>();

  add(entry: FleetEntry): void {
    this.#rows++;
    for (const key in entry.attributes) this.#use(key).add(entry.attributes[key] ?? '');
    if (isSelf(entry.target)) return;
    this.watched++;
    this.counts[entry.verdict]++;
    if (entry.lastSampleAt !== null) this.seen++;
    if (entry.awaitsHistory === true) this.awaitingHistory++;
    if (entry.verdict === 'leak') this.leaking.push(entry);
    if (!mayLeak(entry.verdict)) this.calmVersions.add(entry.attributes['version'] ?? '');
    if (entry.incidentId !== null) this.withIncident.push(entry);
  }

  /** Attributes whose values group targets, the most useful first. */
  attributes(): string[] {
    const rank = (key: string): number => (USUAL.includes(key) ? USUAL.indexOf(key) : USUAL.length);
    return [...this.#attributes]
      .filter(([key, use]) => USUAL.includes(key) || use.groups(this.#rows))
      .map(([key]) => key)
      .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  }

  #use(key: string): AttributeUse {
    let use = this.#attributes.get(key);
    if (use === undefined) this.#attributes.set(key, (use = new AttributeUse()));
    return use;
  }
}

/** Whether an attribute differs on every row, as a name does. */
class AttributeUse {
  #rows = 0;
  /** Undefined once a value came twice. */
  #values: Set<string> | undefined = new Set();

  add(value: string): void {
    this.#rows++;
    if (this.#values === undefined) return;
    if (this.#values.has(value)) this.#values = undefined;
    else this.#values.add(value);
  }

  groups(allRows: number): boolean {
    return this.#values === undefined || this.#rows < allRows;
  }
}

/** Counts the values of one attribute. */
export class CohortCounts {
  readonly #attribute: string;
  readonly #found = new Map<string, { total: number; counts: Record<Verdict, number> }>();

  constructor(attribute: string) {
    this.#attribute = attribute;
  }

  add(entry: FleetEntry): void {
    const value = valueOf(entry, this.#attribute);
    if (value === undefined) return;
    let cohort = this.#found.get(value);
    if (cohort === undefined) this.#found.set(value, (cohort = { total: 0, counts: noVerdicts() }));
    cohort.total++;
    cohort.counts[entry.verdict]++;
  }

  /** The most leaks first; `wanted` values even if they are not among the `most`. */
  view(most: number, wanted: ReadonlySet<string>): FleetCohorts {
    const all: FleetCohort[] = [...this.#found]
      .map(([value, cohort]) => ({ value, ...cohort }))
      .sort((a, b) => b.counts.leak - a.counts.leak || b.total - a.total || a.value.localeCompare(b.value));
    const values = all.filter(({ value }, i) => i < most || wanted.has(value));
    return { attribute: this.#attribute, values, moreValues: all.length - values.length };
  }
}

function noVerdicts(): Record<Verdict, number> {
  return { leak: 0, watch: 0, healthy: 0, unknown: 0 };
}
