/**
 * A continuous profiler with a few profiles, which speaks the documented protocols of Pyroscope and Parca: labels are
 * matched, steps are counted, and a window with several profiles is answered with their sum. The real servers answer
 * with one kind of value only, and so does this.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { listOf, recordOf, textOf } from '../../src/base/json.ts';
import { decodeText } from '../../src/base/text.ts';
import { decodeProfile } from '../../src/profile/formats/pprof/decode.ts';
import { encodeProfile } from '../../src/profile/formats/pprof/encode.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { merge } from '../../src/profile/pprof/transform/merge.ts';

export interface ProfiledProcess {
  readonly labels: Readonly<Record<string, string>>;
  readonly profiles: readonly ProfiledMoment[];
}

export interface ProfiledMoment {
  readonly kind: 'heap' | 'goroutine';
  readonly atSeconds: number;
  readonly profile: Profile;
}

export interface ProfilerDouble {
  readonly url: string;
  /** `SelectSeries`, `query_range`: what was asked, in order. */
  readonly requests: string[];
  readonly headers: Record<string, string | string[] | undefined>[];
}

/** Heap and goroutine profiles of a demo node at the times at which they were taken, or as much later. */
export function demoProfiles(node: string, laterSeconds = 0): ProfiledMoment[] {
  const folder = new URL(`../../demo/${node}/`, import.meta.url);
  return readdirSync(folder).flatMap(name => {
    const [, kind, seconds] = /^(heap|goroutine)-(\d+)\.pb\.gz$/.exec(name) ?? [];
    if (kind !== 'heap' && kind !== 'goroutine') return [];
    const atSeconds = Number(seconds) + laterSeconds;
    return [{ kind, atSeconds, profile: decoded(new URL(name, folder)) }];
  });
}

const known = new Map<string, Profile>();

function decoded(file: URL): Profile {
  const profile = known.get(file.href) ?? decodeProfile(gunzipSync(readFileSync(file)));
  known.set(file.href, profile);
  return profile;
}

/** With the one value that is asked for, and only the mapping that its stacks refer to. */
function asked({ profile, atSeconds }: ProfiledMoment, type: string): Profile {
  const value = type.split(':')[1];
  const column = profile.sampleTypes.findIndex(one => one.type === value);
  return {
    ...profile,
    sampleTypes: [profile.sampleTypes[column]],
    samples: { ...profile.samples, values: [profile.samples.values[column]] },
    timeNanos: BigInt(Math.round(atSeconds * 1000)) * 1_000_000n,
    mappings: profile.mappings.slice(0, 1 + Math.max(...profile.locations.mapping)),
  };
}

export async function startProfiler(t: TestContext, processes: readonly ProfiledProcess[]): Promise<ProfilerDouble> {
  const requests: string[] = [];
  const headers: ProfilerDouble['headers'] = [];
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const url = new URL(request.url ?? '', 'http://profiler');
    const method = url.pathname.replace(/^.*\//, '');
    requests.push(method);
    headers.push(request.headers);
    const body = Buffer.concat(chunks);
    const answer = url.pathname.startsWith('/querier.v1.QuerierService/')
      ? pyroscope(method, body, processes)
      : url.pathname.startsWith('/api/profiles/')
        ? parca(method, url.searchParams, processes)
        : undefined;
    if (answer === undefined) response.writeHead(404).end('{"code":"unimplemented"}');
    else response.end(answer instanceof Uint8Array ? answer : JSON.stringify(answer));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, headers };
}

function pyroscope(
  method: string,
  body: Uint8Array,
  processes: readonly ProfiledProcess[],
): object | Uint8Array | undefined {
  if (method === 'SelectMergeProfile') {
    const { texts, numbers } = fieldsOf(body);
    const [start, end] = numbers;
    const found = momentsOf(processes, texts[0], texts[1]).filter(
      ({ atSeconds }) => atSeconds * 1000 >= start && atSeconds * 1000 <= end,
    );
    return encodeProfile(merge(found.map(one => asked(one, texts[0]))));
  }
  const request = recordOf(JSON.parse(decodeText(body)));
  if (method === 'Series') {
    const [selector] = listOf(request['matchers']);
    const wanted = listOf(request['labelNames']).map(textOf);
    const sets = processes.filter(one => matches(one, textOf(selector)));
    return {
      labelsSet: sets.map(({ labels }) => ({
        labels: Object.entries(labels)
          .filter(([name]) => wanted.includes(name))
          .map(([name, value]) => ({ name, value })),
      })),
    };
  }
  if (method !== 'SelectSeries') return undefined;
  const [start, end, step] = ['start', 'end', 'step'].map(name => Number(request[name]));
  const sums = new Map<number, number>();
  for (const { atSeconds, profile } of momentsOf(
    processes,
    textOf(request['profileTypeID']),
    textOf(request['labelSelector']),
  )) {
    const at = start + Math.ceil((atSeconds * 1000 - start) / (step * 1000)) * step * 1000;
    if (at >= start && at <= end) sums.set(at, (sums.get(at) ?? 0) + totalOf(profile));
  }
  const points = [...sums].sort(([a], [b]) => a - b).map(([at, value]) => ({ timestamp: String(at), value }));
  return { series: points.length === 0 ? [] : [{ labels: [], points }] };
}

function parca(method: string, fields: URLSearchParams, processes: readonly ProfiledProcess[]): object | undefined {
  const query = fields.get('query') ?? fields.get('single.query') ?? '';
  const type = query.replace(/\{.*$/s, '');
  const selector = query.slice(type.length);
  if (method === 'query_range') {
    const [from, to] = [fields.get('start'), fields.get('end')].map(time => Date.parse(time ?? ''));
    return {
      series: processes
        .filter(one => matches(one, selector))
        .map(one => ({
          labelset: { labels: Object.entries(one.labels).map(([name, value]) => ({ name, value })) },
          samples: momentsOf([one], type, selector)
            .filter(({ atSeconds }) => atSeconds * 1000 >= from && atSeconds * 1000 <= to)
            .map(({ atSeconds, profile }) => ({
              timestamp: new Date(atSeconds * 1000).toISOString(),
              value: String(totalOf(profile)),
            })),
        })),
    };
  }
  if (method !== 'query' || fields.get('mode') !== '0' || fields.get('report_type') !== '1') return undefined;
  const at = Date.parse(fields.get('single.time') ?? '');
  const found = momentsOf(processes, type, selector).find(({ atSeconds }) => Math.round(atSeconds * 1000) === at);
  return found === undefined ? undefined : { pprof: gzipSync(encodeProfile(asked(found, type))).toString('base64') };
}

const TYPES = {
  heap: ['memory:inuse_space:bytes:space:bytes', 'memory:inuse_objects:count:space:bytes'],
  goroutine: ['goroutine:goroutine:count:goroutine:count'],
} as const;

function momentsOf(processes: readonly ProfiledProcess[], type: string, selector: string): ProfiledMoment[] {
  return processes
    .filter(one => matches(one, selector))
    .flatMap(({ profiles }) => profiles.filter(({ kind }) => TYPES[kind].some(one => one === type)));
}

/** `{service_name="kcp",instance=~"a|b"}` */
function matches({ labels }: ProfiledProcess, selector: string): boolean {
  const text = selector.replace(/^\{|\}$/g, '');
  const matchers = [...text.matchAll(/\s*(\w+)\s*(=~|!~|!=|=)\s*("(?:[^"\\]|\\.)*")\s*,?/g)];
  if (matchers.map(([all]) => all).join('') !== text) throw new Error(`not a selector: ${selector}`);
  return matchers.every(([, name, operator, quoted]) => {
    const value = labels[name] ?? '';
    const wanted = JSON.parse(quoted) as string;
    const isEqual = operator.endsWith('~') ? new RegExp(`^(?:${wanted})$`).test(value) : value === wanted;
    return isEqual !== operator.startsWith('!');
  });
}

function totalOf({ samples }: Profile): number {
  let total = 0;
  for (let i = 0; i < samples.length; i++) total += Number(samples.values[0][i]);
  return total;
}

/** The fields of a SelectMergeProfileRequest: two texts, then two numbers. */
function fieldsOf(bytes: Uint8Array): { texts: string[]; numbers: number[] } {
  const texts: string[] = [];
  const numbers: number[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++];
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const isText = (varint() & 7) === 2;
    const value = varint();
    if (!isText) numbers.push(value);
    else {
      texts.push(decodeText(bytes.subarray(at, at + value)));
      at += value;
    }
  }
  return { texts, numbers };
}
