/** What single requests cost the server. */
import { brotliDecompressSync } from 'node:zlib';
import { request } from 'node:http';
import { spreadOf } from '../statistics.ts';
import type { MeasuredServer } from './measured-server.ts';

export interface RequestFigures {
  readonly name: string;
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Uncompressed, and as they were sent. */
  readonly bytes: number;
  readonly sentBytes: number;
  /** The longest in any run. */
  readonly blockedMs: number;
}

interface Kind {
  readonly name: string;
  /** A different one in each run, as different people ask; the server shares answers to the same request. */
  readonly path: (run: number) => string;
  /** Judges the fleet before each run, so that everything has to be read again. */
  readonly isCold?: boolean;
}

/** As many rows as the page asks for. */
const PAGE = 200;

function kindsFor(targets: number): Kind[] {
  const rows = (query: string) => (run: number) => `/api/v1/fleet?limit=${PAGE}&hours=${168 + run / 100}${query}`;
  return [
    { name: 'first rows after a judgement', path: rows(''), isCold: true },
    { name: 'rows in the middle', path: rows(`&offset=${Math.floor(targets / 2)}`) },
    { name: 'a new search', path: run => rows(`&search=worker-0${run + 1}`)(run) },
    { name: 'sorted by name', path: rows('&sort=name&offset=100') },
    { name: '5,000 rows', path: run => `/api/v1/fleet?hours=${100 + run}` },
    { name: 'status', path: () => '/api/v1/status' },
    { name: 'rollout', path: run => `/api/v1/rollout?by=version&hours=${168 + run / 100}` },
    { name: 'metrics', path: () => '/metrics' },
  ];
}

export async function measureRequests(
  server: MeasuredServer,
  targets: number,
  runs: number,
): Promise<RequestFigures[]> {
  const figures: RequestFigures[] = [];
  for (const { name, path, isCold } of kindsFor(targets)) {
    const all: Omit<RequestFigures, 'name'>[] = [];
    for (let run = 0; run < runs; run++) {
      if (isCold === true) await server.ask('judge');
      await new Promise(resolve => setTimeout(resolve, 1100));
      const before = await server.ask('use');
      const beganMs = performance.now();
      const { bytes, sentBytes } = await get(new URL(path(run), server.url));
      const wallMs = performance.now() - beganMs;
      // The delay of a turn is known after the next one.
      await new Promise(resolve => setTimeout(resolve, 50));
      const { cpuMs, blockedMs } = await server.ask('use');
      all.push({ wallMs, cpuMs: cpuMs - before.cpuMs, bytes, sentBytes, blockedMs });
    }
    const median = (of: (one: (typeof all)[number]) => number): number => spreadOf(all.map(of)).median;
    figures.push({
      name,
      wallMs: median(one => one.wallMs),
      cpuMs: median(one => one.cpuMs),
      bytes: median(one => one.bytes),
      sentBytes: median(one => one.sentBytes),
      blockedMs: median(one => one.blockedMs),
    });
  }
  return figures;
}

function get(url: URL): Promise<{ readonly bytes: number; readonly sentBytes: number }> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { 'accept-encoding': 'br' } }, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const sent = Buffer.concat(chunks);
        if (response.statusCode !== 200)
          return reject(new Error(`${url.href}: ${response.statusCode} ${String(sent)}`));
        const isBrotli = response.headers['content-encoding'] === 'br';
        resolve({ sentBytes: sent.length, bytes: isBrotli ? brotliDecompressSync(sent).length : sent.length });
      });
    })
      .on('error', reject)
      .end();
  });
}
