/**
 * Pyroscope 1.x and 2.x, by its Connect API. Times are milliseconds.
 *
 * POST /querier.v1.QuerierService/Series               which processes there are
 *     /querier.v1.QuerierService/SelectSeries         when each was profiled, as sum and as average
 *     /querier.v1.QuerierService/SelectMergeProfile   the profile of a window, as profile.proto
 *
 * A window with several profiles is answered with their sum, which is no state that the process was ever in. The sum
 * divided by the average is their number, so only windows with one profile are used.
 */
import { listOf, recordOf, textOf } from '../../base/json.ts';
import { encodeText } from '../../base/text.ts';
import type { CredentialFiles } from '../../ports/credential-files.ts';
import type { PastKind, PastProfiles, PastQuery, ProfileHistory } from '../../ports/profile-history.ts';
import {
  answered,
  answeredJson,
  PROFILER_LIMITS,
  profilerEndpoint,
  type ProfilerOptions,
} from '../../ports/profiler-access.ts';
import type { SendRequest } from '../../ports/request-sender.ts';

const SERVICE = '/querier.v1.QuerierService/';
const TYPES: Readonly<Record<PastKind, string>> = {
  heap: 'memory:inuse_space:bytes:space:bytes',
  goroutine: 'goroutine:goroutine:count:goroutine:count',
};
const KINDS: readonly PastKind[] = ['heap', 'goroutine'];
/** The labels that tell processes apart. */
const PROCESS_LABELS = ['service_name', 'namespace', 'pod', 'node', 'hostname', 'instance', 'container'];
/** Its scrapers profile every 15 s by default. */
const STEP_SECONDS = 15;
/** Points that one request may ask for. */
const MAX_POINTS = 11_000;

export function openPyroscope(options: ProfilerOptions, send: SendRequest, files: CredentialFiles): ProfileHistory {
  const base = new URL(options.url.replace(/\/+$/, '').replace(/\/querier\.v1\..*$/, ''));
  const endpoint = profilerEndpoint(base, options, files);
  const address = base.origin;
  const ask = async (method: string, json: unknown, signal: AbortSignal): Promise<unknown> =>
    answeredJson(
      await send(endpoint, { method: 'POST', path: SERVICE + method, json }, { ...PROFILER_LIMITS, signal }),
      address,
    );
  const span = ({ fromSeconds, toSeconds }: Pick<PastQuery, 'fromSeconds' | 'toSeconds'>) => ({
    start: Math.round(fromSeconds * 1000),
    end: Math.round(toSeconds * 1000),
  });
  const points = async (query: PastQuery, type: string, labelSelector: string, aggregation: string) => {
    const step = stepFor(query);
    const request = { profileTypeID: type, labelSelector, ...span(query), step, aggregation };
    const [series] = listOf(recordOf(await ask('SelectSeries', request, query.signal))['series']);
    return new Map(
      listOf(recordOf(series)['points'])
        .map(recordOf)
        .map(({ timestamp, value }) => [Number(timestamp) / 1000, Number(value)] as const),
    );
  };
  return {
    address,
    async find(query) {
      const request = { ...span(query), matchers: [`{${query.selector}}`], labelNames: PROCESS_LABELS };
      const sets = listOf(recordOf(await ask('Series', request, query.signal))['labelsSet']).map(labelsOf);
      const found: PastProfiles[] = [];
      for (const labels of distinct(sets))
        for (const kind of KINDS) {
          const selector = selectorOf(query.selector, labels);
          const sums = await points(query, TYPES[kind], selector, 'TIME_SERIES_AGGREGATION_TYPE_SUM');
          const means = await points(query, TYPES[kind], selector, 'TIME_SERIES_AGGREGATION_TYPE_AVERAGE');
          const atSeconds = [...sums].flatMap(([at, sum]) => {
            const mean = means.get(at) ?? 0;
            return mean > 0 && Math.round(sum / mean) === 1 ? [at] : [];
          });
          if (atSeconds.length > 0) found.push({ kind, labels: { ...labels, '': selector }, atSeconds });
        }
      return found;
    },
    async read({ kind, labels }, atSeconds, signal) {
      const end = Math.round(atSeconds * 1000);
      const message = mergeRequest(TYPES[kind], labels[''] ?? '{}', end - STEP_SECONDS * 1000 + 1, end);
      const request = {
        method: 'POST',
        path: `${SERVICE}SelectMergeProfile`,
        bytes: message,
        contentType: 'application/proto',
      } as const;
      const limits = { ...PROFILER_LIMITS, accept: 'application/proto', signal };
      return answered(await send(endpoint, request, limits), address).body;
    },
  };
}

/** At least the time between two profiles; more for a long time, of which not every profile is needed. */
function stepFor({ fromSeconds, toSeconds }: PastQuery): number {
  return Math.max(STEP_SECONDS, Math.ceil((toSeconds - fromSeconds) / MAX_POINTS / STEP_SECONDS) * STEP_SECONDS);
}

function labelsOf(set: unknown): Record<string, string> {
  const pairs = listOf(recordOf(set)['labels']).map(recordOf);
  return Object.fromEntries(pairs.map(({ name, value }) => [textOf(name), textOf(value)]));
}

function distinct(sets: readonly Record<string, string>[]): Record<string, string>[] {
  return [...new Map(sets.map(set => [JSON.stringify(Object.entries(set).sort()), set])).values()];
}

function selectorOf(given: string, labels: Readonly<Record<string, string>>): string {
  const own = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `{${[given, ...own].filter(part => part !== '').join(',')}}`;
}

/** SelectMergeProfileRequest { profile_typeID = 1; label_selector = 2; int64 start = 3; int64 end = 4 } */
export function mergeRequest(type: string, selector: string, startMs: number, endMs: number): Uint8Array {
  const text = (field: number, value: string): number[] => {
    const bytes = encodeText(value);
    return [(field << 3) | 2, ...varint(bytes.length), ...bytes];
  };
  return Uint8Array.from([
    ...text(1, type),
    ...text(2, selector),
    (3 << 3) | 0,
    ...varint(startMs),
    (4 << 3) | 0,
    ...varint(endMs),
  ]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return [...bytes, rest];
}
