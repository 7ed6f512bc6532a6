/**
 * Pyroscope 1.x and 2.x, by its Connect API. Times are milliseconds.
 *
 *     POST /querier.v1.QuerierService/Series               which processes there are
 *          /querier.v1.QuerierService/SelectSeries         when each was profiled: a point for each step that has profiles
 *          /querier.v1.QuerierService/SelectMergeProfile   the profile of a window, as profile.proto
 *
 * A window with several profiles is answered with their sum, which is no state that the process was ever in. So a
 * profile is found in wide steps, then in steps of a second, and read from a window of that second.
 */
import { listOf, recordOf, textOf } from '../../base/json.ts';
import { quotedText } from '../../base/matcher-text.ts';
import { encodeText } from '../../base/text.ts';
import { joinValues } from '../../profile/formats/pprof/join-values.ts';
import { answered, answeredJson, PROFILER_LIMITS, profilerEndpoint, type ProfilerOptions } from '../profiler-access.ts';
import type { SendRequest, PastKind, PastLabels, PastProfiles, ProfileHistory, CredentialFiles } from '../ports.ts';
import { Failure } from '../../base/errors.ts';

const SERVICE = '/querier.v1.QuerierService/';
/** What a profile has to be there for; its objects, where it has some, come in a second answer. */
const TYPES: Readonly<Record<PastKind, string>> = {
  heap: 'memory:inuse_space:bytes:space:bytes',
  goroutine: 'goroutine:goroutine:count:goroutine:count',
};
const OBJECTS = 'memory:inuse_objects:count:space:bytes';
const KINDS: readonly PastKind[] = ['heap', 'goroutine'];
/** The labels that tell processes apart. */
const PROCESS_LABELS = ['service_name', 'namespace', 'pod', 'node', 'hostname', 'instance', 'container', 'job'];
/** Its scrapers profile every 15 s by default. */
const MIN_STEP_SECONDS = 15;
/** The steps that a time is divided into to find profiles. */
const STEPS = 96;
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
  const points = async (kind: PastKind, selector: string, span: Span, signal: AbortSignal): Promise<number[]> => {
    const { fromSeconds, toSeconds, stepSeconds: step } = span;
    const request = {
      profileTypeID: TYPES[kind],
      labelSelector: `{${selector}}`,
      start: Math.round(fromSeconds * 1000),
      end: Math.round(toSeconds * 1000),
      step,
    };
    const [series] = listOf(recordOf(await ask('SelectSeries', request, signal))['series']);
    return listOf(recordOf(series)['points'])
      .map(recordOf)
      .filter(({ value }) => Number(value) > 0)
      .map(({ timestamp }) => Number(timestamp) / 1000);
  };
  return {
    address,
    async find({ selector, accepts = () => true, fromSeconds, toSeconds, signal }) {
      const request = {
        start: Math.round(fromSeconds * 1000),
        end: Math.round(toSeconds * 1000),
        matchers: [`{${selector}}`],
        labelNames: PROCESS_LABELS,
      };
      const sets = listOf(recordOf(await ask('Series', request, signal))['labelsSet']).map(labelsOf);
      const stepSeconds = Math.max(MIN_STEP_SECONDS, Math.ceil((toSeconds - fromSeconds) / STEPS));
      const found: PastProfiles[] = [];
      for (const labels of distinct(sets).filter(accepts))
        for (const kind of KINDS) {
          const own = selectorOf(selector, labels);
          const atSeconds = await points(kind, own, { fromSeconds, toSeconds, stepSeconds }, signal);
          if (atSeconds.length > 0) found.push({ kind, labels, selector: own, atSeconds, withinSeconds: stepSeconds });
        }
      return found;
    },
    async read({ kind, selector, withinSeconds }, atSeconds, signal) {
      const stepSeconds = Math.max(1, Math.ceil(withinSeconds / MAX_POINTS));
      const span = { fromSeconds: atSeconds - withinSeconds, toSeconds: atSeconds, stepSeconds };
      const last = (await points(kind, selector, span, signal)).at(-1);
      if (last === undefined) throw new Failure('no-answer', `${address}: the profile is gone`);
      const end = Math.round(last * 1000);
      const merged = async (type: string): Promise<Uint8Array> => {
        const request = {
          method: 'POST',
          path: `${SERVICE}SelectMergeProfile`,
          bytes: mergeRequest(type, `{${selector}}`, end - stepSeconds * 1000 + 1, end),
          contentType: 'application/proto',
        } as const;
        const limits = { ...PROFILER_LIMITS, accept: 'application/proto', signal };
        return answered(await send(endpoint, request, limits), address).body;
      };
      const bytes = await merged(TYPES[kind]);
      return { atSeconds: last, bytes: kind === 'heap' ? joinValues(await merged(OBJECTS), bytes) : bytes };
    },
  };
}

interface Span {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly stepSeconds: number;
}

function labelsOf(set: unknown): Record<string, string> {
  const pairs = listOf(recordOf(set)['labels']).map(recordOf);
  return Object.fromEntries(pairs.map(({ name, value }) => [textOf(name), textOf(value)]));
}

function distinct(sets: readonly Record<string, string>[]): Record<string, string>[] {
  return [...new Map(sets.map(set => [JSON.stringify(Object.entries(set).sort()), set])).values()];
}

function selectorOf(given: string, labels: PastLabels): string {
  const own = Object.entries(labels).map(([name, value]) => `${name}=${quotedText(value)}`);
  return [given, ...own].filter(part => part !== '').join(',');
}

/** SelectMergeProfileRequest { profile_typeID = 1; label_selector = 2; int64 start = 3; int64 end = 4 } */
function mergeRequest(type: string, selector: string, startMs: number, endMs: number): Uint8Array {
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
