/**
 * A recorded cluster that answers as it did: each request gets what was recorded last before the moment that the clock
 * shows. Made by scripts/make-demo.mjs.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { FormatError } from '../../base/errors.ts';
import { decodeText, encodeText } from '../../base/text.ts';
import { parseScrapeMark } from '../../formats/exposition/scrape-mark.ts';
import type { TargetConnection } from '../../ports/target-connection.ts';
import type { Answer, NoAnswer, Reply } from '../../model/reply.ts';

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

interface Index {
  readonly name: string;
  readonly scrapeSeconds: number;
  readonly nodes: readonly { readonly metadata: { readonly name: string } }[];
  readonly events: readonly unknown[];
  readonly profiles: readonly RecordedProfile[];
}

const REQUESTS: Readonly<Record<string, string>> = {
  '/debug/pprof/heap': 'heap',
  '/debug/pprof/goroutine': 'goroutine',
  '/debug/pprof/goroutine?debug=1': 'goroutine-d1',
  '/debug/pprof/goroutine?debug=2': 'goroutine-d2',
};

/** Throws a FormatError where there is no recording. */
export async function openRecordedCluster(folder: string): Promise<RecordedCluster> {
  const index = await readIndex(folder);
  const nodes = await Promise.all(
    index.nodes.map(async object => {
      const { name } = object.metadata;
      const scrapes = splitScrapes(gunzipSync(await readFile(join(folder, name, 'metrics.prom.gz'))));
      const profiles = index.profiles.filter(({ node }) => node === name);
      return { name, object, scrapes, profiles };
    }),
  );
  const times = nodes.flatMap(({ scrapes }) => [scrapes[0].at, scrapes[scrapes.length - 1].at]);
  return {
    name: index.name,
    fromSeconds: Math.min(...times),
    toSeconds: Math.max(...times),
    scrapeSeconds: index.scrapeSeconds,
    nodes: nodes.map(({ name, object, scrapes, profiles }) => ({
      name,
      object,
      fromSeconds: scrapes[0].at,
      connect: now => connect(folder, name, scrapes, profiles, now),
    })),
    events: index.events,
  };
}

async function readIndex(folder: string): Promise<Index> {
  try {
    return JSON.parse(await readFile(join(folder, 'recording.json'), 'utf8')) as Index;
  } catch (error) {
    throw new FormatError(`the recording of the demo cannot be read: ${(error as Error).message}`);
  }
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
  folder: string,
  name: string,
  scrapes: readonly Scrape[],
  profiles: readonly RecordedProfile[],
  now: () => number,
): TargetConnection {
  return {
    target: `node/${name}`,
    via: 'api-server-proxy',
    address: 'https://recorded.invalid:6443',
    async get(path): Promise<Reply> {
      const scrape = scrapes.findLast(({ at }) => at <= now());
      if (scrape === undefined || scrape.failed) return DEAD;
      if (path === '/metrics') return answer(200, scrape.body, scrape.at);
      if (profiles.length === 0 && path.startsWith('/debug/pprof/'))
        return answer(405, encodeText('Debug endpoints are disabled.\n'), scrape.at);
      const kind = REQUESTS[path];
      const started = startOf(scrape);
      const profile = profiles.findLast(one => one.kind === kind && one.at <= now() && one.at >= started);
      if (profile === undefined) return answer(404, encodeText('Unknown profile\n'), scrape.at);
      return answer(200, await readFile(join(folder, name, profile.file)), profile.at);
    },
  };
}

/** A profile of the process before must not pass for one of this. */
function startOf({ body }: Scrape): number {
  return Number(/^process_start_time_seconds (\S+)$/m.exec(decodeText(body))?.[1] ?? 0);
}

const DEAD: NoAnswer = {
  kind: 'refused',
  message: 'connect ECONNREFUSED',
  tls: undefined,
  tookSeconds: 0,
};

function answer(status: number, body: Uint8Array, at: number): Answer {
  const headers = status === 200 ? {} : { 'content-type': 'text/plain; charset=utf-8', 'x-go-pprof': '1' };
  return {
    kind: 'answer',
    status,
    headers,
    body,
    cut: undefined,
    headAtSeconds: at,
    dateSeconds: undefined,
    tookSeconds: 0.02,
  };
}
