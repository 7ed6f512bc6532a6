/**
 * Parca, by the HTTP gateway of its gRPC API. Times are RFC 3339.
 *
 *     GET /api/profiles/query_range?query=TYPE{...}&start=&end=      when each process was profiled
 *     GET /api/profiles/query?mode=0&single.query=&single.time=&report_type=1    one profile: { "pprof": BASE64 }
 */
import { gunzipSync } from 'node:zlib';
import { isGzip } from '../../base/sniff.ts';
import { listOf, recordOf, textOf } from '../../base/json.ts';
import { quotedText } from '../../base/matcher-text.ts';
import { joinValues } from '../../profile/formats/pprof/join-values.ts';
import { answeredJson, PROFILER_LIMITS, profilerEndpoint, type ProfilerOptions } from '../profiler-access.ts';
import type { SendRequest, PastKind, PastProfiles, PastQuery, ProfileHistory, CredentialFiles } from '../ports.ts';
import { Failure } from '../../base/errors.ts';

const TYPES: Readonly<Record<PastKind, string>> = {
  heap: 'memory:inuse_space:bytes:space:bytes',
  goroutine: 'goroutine:goroutine:count:goroutine:count',
};
const OBJECTS = 'memory:inuse_objects:count:space:bytes';
const KINDS: readonly PastKind[] = ['heap', 'goroutine'];
/** Values of Parca's enumerations. */
const MODE_SINGLE = '0';
const REPORT_PPROF = '1';

export function openParca(options: ProfilerOptions, send: SendRequest, files: CredentialFiles): ProfileHistory {
  const base = new URL(options.url.replace(/\/+$/, '').replace(/\/api(?:\/.*)?$/, ''));
  const endpoint = profilerEndpoint(base, options, files);
  const address = base.origin;
  const ask = async (path: string, fields: Record<string, string>, signal: AbortSignal): Promise<unknown> =>
    recordOf(
      answeredJson(
        await send(
          endpoint,
          { method: 'GET', path: `/api/profiles/${path}?${new URLSearchParams(fields)}` },
          { ...PROFILER_LIMITS, accept: 'application/json', signal },
        ),
        address,
      ),
    );
  return {
    address,
    async find(query) {
      const { accepts = () => true } = query;
      const found: PastProfiles[] = [];
      for (const kind of KINDS) {
        const reply = await ask('query_range', rangeOf(query, `${TYPES[kind]}{${query.selector}}`), query.signal);
        for (const series of listOf(recordOf(reply)['series']).map(recordOf)) {
          const pairs = listOf(recordOf(series['labelset'])['labels']).map(recordOf);
          const labels = Object.fromEntries(pairs.map(({ name, value }) => [textOf(name), textOf(value)]));
          const times = listOf(series['samples']).map(sample => Date.parse(textOf(recordOf(sample)['timestamp'])));
          const atSeconds = times.filter(Number.isFinite).map(ms => ms / 1000);
          if (atSeconds.length === 0 || !accepts(labels)) continue;
          const selector = Object.entries(labels).map(([name, value]) => `${name}=${quotedText(value)}`);
          found.push({ kind, labels, selector: selector.join(','), atSeconds, withinSeconds: 0 });
        }
      }
      return found;
    },
    async read({ kind, selector }, atSeconds, signal) {
      const single = async (type: string): Promise<Uint8Array> => {
        const fields = {
          mode: MODE_SINGLE,
          'single.query': `${type}{${selector}}`,
          'single.time': rfc3339(atSeconds),
          report_type: REPORT_PPROF,
        };
        const text = textOf(recordOf(await ask('query', fields, signal))['pprof']);
        if (text === '') throw new Failure('no-answer', `${address}: its answer has no profile`);
        const bytes = new Uint8Array(Buffer.from(text, 'base64'));
        return isGzip(bytes) ? inflate(bytes, address) : bytes;
      };
      const bytes = await single(TYPES[kind]);
      return { atSeconds, bytes: kind === 'heap' ? joinValues(await single(OBJECTS), bytes) : bytes };
    },
  };
}

function inflate(bytes: Uint8Array, address: string): Uint8Array {
  try {
    return new Uint8Array(gunzipSync(bytes, { maxOutputLength: PROFILER_LIMITS.maxBytes }));
  } catch (error) {
    throw new Failure('no-answer', `${address}: its profile cannot be decompressed: ${(error as Error).message}`);
  }
}

function rangeOf({ fromSeconds, toSeconds }: PastQuery, query: string): Record<string, string> {
  return { query, start: rfc3339(fromSeconds), end: rfc3339(toSeconds) };
}

function rfc3339(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
