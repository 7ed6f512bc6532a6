/**
 * What a program is known to leave behind, from an earlier run: `oakum.baseline.json`, written by `oakum gate init`.
 *
 *     { "schema": "oakum.gate.baseline/v1",
 *       "measures": [{ "resource": "goroutines", "rate": 2.04 }],
 *       "families": [{ "family": "g-1a2b3c4d5e", "resource": "goroutines", "title": "main.forward", "rate": 2.04 }] }
 *
 * Rates have room for the interval of the next run (nextInterval). A leak that moved to another stack is recognised by its rate: code is
 * renamed and moved more often than it is made to leak at the rate of another leak that ends at the same time.
 */
import { renderJson } from '../report/json.ts';
import {
  GATE_RESOURCES,
  type GateFamily,
  type GateInterval,
  type GateMeasure,
  type GateResource,
  type GateResult,
} from './gate.ts';

export interface Baseline {
  readonly measures: readonly { readonly resource: GateResource; readonly rate: number }[];
  readonly families: readonly BaselineFamily[];
}

export interface BaselineFamily {
  readonly family: string;
  readonly resource: GateFamily['resource'];
  readonly title: string;
  /** Per operation, at most. */
  readonly rate: number;
}

const SCHEMA = 'oakum.gate.baseline/v1';

export function baselineRate(baseline: Baseline | undefined, family: string): number | undefined {
  return baseline?.families.find(one => one.family === family)?.rate;
}

/**
 * The leak of the baseline that a family not in it may be: as fast, of the same resource, and not growing any more where
 * it was.
 */
export function movedFrom(
  baseline: Baseline | undefined,
  { resource, growth }: Pick<GateFamily, 'resource' | 'growth'>,
  isGrowing: (family: string) => boolean,
): BaselineFamily | undefined {
  if (growth === null) return undefined;
  const [low, middle] = growth;
  return baseline?.families.find(
    one => one.resource === resource && low <= one.rate && middle >= one.rate / 2 && !isGrowing(one.family),
  );
}

/**
 * What the interval of another run of the same length stays below: it is as wide as this one, and its middle is
 * somewhere in this one.
 */
export function nextInterval([, middle, high]: GateInterval): number {
  return 2 * high - middle;
}

export function baselineText({ measures, families }: GateResult): string {
  const upper = ({ growth }: GateMeasure | GateFamily): number =>
    growth === null ? 0 : Number(nextInterval(growth).toPrecision(4));
  const leaking = measures.filter(one => one.decision === 'leaks' && one.per === 'operation' && one.scope === null);
  const value = {
    schema: SCHEMA,
    measures: leaking.map(one => ({ resource: one.resource, rate: upper(one) })),
    families: families
      .filter(one => one.decision === 'leaks')
      .map(one => ({
        family: one.family,
        resource: one.resource,
        title: one.title,
        rate: upper(one),
      })),
  };
  return renderJson(value);
}

/** Everything that is wrong is one line. */
export function readBaseline(text: string, file: string): { readonly baseline: Baseline; readonly problems: string[] } {
  const none: Baseline = { measures: [], families: [] };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { baseline: none, problems: [`${file}: is not JSON; oakum gate init writes one`] };
  }
  const { schema, measures, families } = (value ?? {}) as Record<string, unknown>;
  if (schema !== SCHEMA) return { baseline: none, problems: [`${file}: is no baseline (${SCHEMA})`] };
  const problems: string[] = [];
  const rows = (given: unknown, at: string): Record<string, unknown>[] => {
    if (Array.isArray(given)) return given.map(one => (one ?? {}) as Record<string, unknown>);
    problems.push(`${file}: ${at}: must be a list`);
    return [];
  };
  const isRate = (rate: unknown, at: string): rate is number => {
    if (typeof rate === 'number' && rate >= 0) return true;
    problems.push(`${file}: ${at}.rate: must be a number that is not negative`);
    return false;
  };
  return {
    baseline: {
      measures: rows(measures, 'measures').flatMap(({ resource, rate }, i) => {
        const known = GATE_RESOURCES.find(one => one === resource);
        if (known === undefined) problems.push(`${file}: measures[${i}].resource: not known`);
        return isRate(rate, `measures[${i}]`) && known !== undefined ? [{ resource: known, rate }] : [];
      }),
      families: rows(families, 'families').flatMap(({ family, resource, title, rate }, i) => {
        const known = resource === 'goroutines' || resource === 'heap' ? resource : undefined;
        if (known === undefined || typeof family !== 'string')
          problems.push(`${file}: families[${i}]: needs a family and its resource, goroutines or heap`);
        return isRate(rate, `families[${i}]`) && known !== undefined && typeof family === 'string'
          ? [{ family, resource: known, title: typeof title === 'string' ? title : '', rate }]
          : [];
      }),
    },
    problems,
  };
}
