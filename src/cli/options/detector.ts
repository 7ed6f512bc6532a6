/** What the detector can be told, the same wherever it is used. */
import { type Resource, RESOURCES } from '../../model/resource.ts';
import { parseByteSize } from './option-values.ts';

export const DETECTOR_OPTIONS = {
  'memory-limit': { type: 'string' },
  'least-growth': { type: 'string', multiple: true },
  'time-scale': { type: 'string', default: '1' },
} as const;

export interface DetectorChoices {
  readonly memoryLimitBytes: number | undefined;
  readonly leastGrowth: LeastGrowth;
  readonly timeScale: number;
}

export type LeastGrowth = Readonly<Partial<Record<Resource, number>>>;

interface GivenValues {
  readonly 'memory-limit'?: string | undefined;
  readonly 'least-growth'?: string[] | undefined;
  readonly 'time-scale': string;
}

/** The choices, or what is wrong with one of them. */
export function parseDetectorOptions(values: GivenValues): DetectorChoices | string {
  const limit = values['memory-limit'];
  const memoryLimitBytes = limit === undefined ? undefined : parseByteSize(limit);
  if (limit !== undefined && memoryLimitBytes === undefined)
    return `--memory-limit takes bytes such as 512Mi, not ${limit}`;
  const timeScale = Number(values['time-scale']);
  if (!(timeScale > 0 && Number.isFinite(timeScale)))
    return `--time-scale takes a number above 0, not ${values['time-scale']}`;
  const leastGrowth = parseLeastGrowth(values['least-growth'] ?? []);
  if (typeof leastGrowth === 'string') return leastGrowth;
  return { memoryLimitBytes, leastGrowth, timeScale };
}

/** `goroutines=50`, `live heap=2Mi`; or what is wrong with one of them. */
function parseLeastGrowth(given: readonly string[]): LeastGrowth | string {
  const least: Partial<Record<Resource, number>> = {};
  for (const text of given) {
    const [name, amount = ''] = text.split('=');
    const resource = RESOURCES.find(known => known.resource === name)?.resource;
    if (resource === undefined) {
      const known = RESOURCES.map(one => one.resource).join(', ');
      return `--least-growth knows no resource "${name}": ${known}`;
    }
    const value = parseByteSize(amount);
    if (value === undefined) return `--least-growth takes RESOURCE=AMOUNT such as 'live heap=2Mi', not ${text}`;
    least[resource] = value;
  }
  return least;
}
