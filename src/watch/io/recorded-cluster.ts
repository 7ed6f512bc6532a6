/**
 * A recorded cluster that answers as it did: each request gets the last answer recorded before the time that the clock
 * shows. Made by scripts/make-demo.mjs.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { FormatError } from '../../base/errors.ts';
import { type JsonRecord, listOf, optionalNumber, parseJson, recordOf, textOf } from '../../base/json.ts';
import { decodeText, encodeText } from '../../base/text.ts';
import type { TargetConnection } from '../../live/ports.ts';
import type { Answer, NoAnswer, Reply } from '../../live/reply.ts';
import { parseScrapeMark } from '../../evidence/formats/exposition.ts';

export interface RecordedCluster {
  readonly name: string;
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly scrapeSeconds: number;
  readonly nodes: readonly RecordedNode[];
  /** As the API server gives them. */
  readonly events: readonly unknown[];
}

export interface RecordedNode {
  readonly name: string;
  /** As the API server gives it. */
  readonly object: unknown;
  /** When it was first scraped. */
  readonly fromSeconds: number;
  connect(now: () => number): TargetConnection;
}

interface Scrape {
  readonly at: number;
  readonly failed: boolean;
  readonly body: Uint8Array;
}

interface RecordedProfile {
  readonly node: string;
  readonly kind: string;
  readonly at: number;
  readonly file: string;
}

/** recording.json */
interface Index {
  readonly name: string;
  readonly scrapeSeconds: number;
  readonly nodes: readonly { readonly name: string; readonly object: JsonRecord }[];
  readonly events: readonly unknown[];
  readonly profiles: readonly RecordedProfile[];
}

const REQUESTS: Readonly<Record<string, string>> = {
  '/debug/pprof/heap': 'heap',
  // The recording has what the last collections left: those kubelets collect every few seconds.
  '/debug/pprof/heap?gc=1': 'heap',
  '/debug/pprof/goroutine': 'goroutine',
  '/debug/pprof/goroutine?debug=1': 'goroutine-d1',
  '/debug/pprof/goroutine?debug=2': 'goroutine-d2',
};

type ReadFile = (path: string) => Promise<Uint8Array>;

/** Throws a FormatError if there is no recording. */
export async function openRecordedCluster(folder: string, read: ReadFile = readFile): Promise<RecordedCluster> {
  const index = await readIndex(folder, read);
  const nodes = await Promise.all(
    index.nodes.map(async ({ name, object }) => {
      const scrapes = splitScrapes(gunzipSync(await read(join(folder, name, 'metrics.prom.gz'))));
      const [first, last] = [scrapes[0]?.at, scrapes.at(-1)?.at];
      if (first === undefined || last === undefined) throw cannotRead(`${name} has no scrapes`);
      const profiles = index.profiles.filter(({ node }) => node === name);
      return { name, object, first, last, scrapes, profiles };
    }),
  );
  return {
    name: index.name,
    fromSeconds: Math.min(...nodes.map(({ first }) => first)),
    toSeconds: Math.max(...nodes.map(({ last }) => last)),
    scrapeSeconds: index.scrapeSeconds,
    nodes: nodes.map(({ name, object, first, scrapes, profiles }) => ({
      name,
      object,
      fromSeconds: first,
      connect: now => connect(file => read(join(folder, name, file)), name, scrapes, profiles, now),
    })),
    events: index.events,
  };
}

function cannotRead(why: string): FormatError {
  return new FormatError(`the recording of the demo cannot be read: ${why}`);
}

async function readIndex(folder: string, read: ReadFile): Promise<Index> {
  const bytes = await read(join(folder, 'recording.json')).catch((error: Error) => {
    throw cannotRead(error.message);
  });
  const root = recordOf(parseJson(decodeText(bytes)));
  const { scrapeSeconds } = root;
  const nodes = listOf(root['nodes']).map(recordOf);
  if (typeof scrapeSeconds !== 'number' || nodes.length === 0) throw cannotRead('its index is damaged');
  return {
    name: textOf(root['name']),
    scrapeSeconds,
    nodes: nodes.map(object => ({ name: textOf(recordOf(object['metadata'])['name']), object })),
    events: listOf(root['events']),
    profiles: listOf(root['profiles'])
      .map(recordOf)
      .map(({ node, kind, at, file }) => ({
        node: textOf(node),
        kind: textOf(kind),
        at: optionalNumber(at) ?? NaN,
        file: textOf(file),
      })),
  };
}

function splitScrapes(text: Uint8Array): Scrape[] {
  const scrapes: Scrape[] = [];
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.length);
  let begin = 0;
  while (begin < bytes.length) {
    const lineEnd = bytes.indexOf('\n', begin);
    const next = bytes.indexOf('\n# LAB scrape ', lineEnd);
    const end = next < 0 ? bytes.length : next + 1;
    const mark = parseScrapeMark(decodeText(bytes, begin, lineEnd));
    if (mark?.atSeconds !== undefined)
      scrapes.push({ at: mark.atSeconds, failed: mark.failed, body: bytes.subarray(lineEnd + 1, end) });
    begin = end;
  }
  return scrapes;
}

function connect(
  readProfile: (file: string) => Promise<Uint8Array>,
  name: string,
  scrapes: readonly Scrape[],
  profiles: readonly RecordedProfile[],
  now: () => number,
): TargetConnection {
  return {
    target: `node/${name}`,
    via: 'api-server-proxy',
    address: 'https://recorded.invalid:6443',
    async get(path, { maxBytes, signal }): Promise<Reply> {
      if (signal?.aborted === true) return STOPPED;
      const scrape = scrapes.findLast(({ at }) => at <= now());
      if (scrape === undefined || scrape.failed) return DEAD;
      if (path === '/metrics') return answer(200, scrape.body, scrape.at, maxBytes);
      if (profiles.length === 0 && path.startsWith('/debug/pprof/'))
        return answer(405, encodeText('Debug endpoints are disabled.\n'), scrape.at, maxBytes);
      const kind = REQUESTS[path];
      const started = startOf(scrape);
      const profile = profiles.findLast(one => one.kind === kind && one.at <= now() && one.at >= started);
      if (profile === undefined) return answer(404, encodeText('Unknown profile\n'), scrape.at, maxBytes);
      return answer(200, await readProfile(profile.file), profile.at, maxBytes);
    },
  };
}

/** A profile of the previous process must not pass for one of this. */
function startOf({ body }: Scrape): number {
  return Number(/^process_start_time_seconds (\S+)$/m.exec(decodeText(body))?.[1] ?? 0);
}

const DEAD: NoAnswer = {
  kind: 'refused',
  message: 'connect ECONNREFUSED',
  tls: undefined,
  tookSeconds: 0,
};
const STOPPED: NoAnswer = { ...DEAD, kind: 'stopped', message: 'stopped' };

function answer(status: number, body: Uint8Array, at: number, maxBytes: number): Answer {
  const headers = status === 200 ? {} : { 'content-type': 'text/plain; charset=utf-8', 'x-go-pprof': '1' };
  return {
    kind: 'answer',
    status,
    headers,
    body: body.subarray(0, maxBytes),
    cut:
      body.length > maxBytes
        ? { why: 'too-large', message: `larger than ${maxBytes} bytes, of which the first were kept` }
        : undefined,
    headAtSeconds: at,
    dateSeconds: undefined,
    tookSeconds: 0.02,
  };
}
