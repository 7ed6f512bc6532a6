/** Targets on loopback that remember when they were scraped; some of them leak. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface FleetOptions {
  readonly targets: number;
  /** So many of them leak. */
  readonly leaking: number;
  /** How many times faster than real time they grow. */
  readonly timeScale: number;
}

const profile = (name: string): Buffer => readFileSync(new URL(`../../../demo/leak-a/${name}`, import.meta.url));
const PROFILES: Readonly<Record<string, Buffer>> = {
  heap: profile('heap-1794772045.pb.gz'),
  goroutine: profile('goroutine-1794772045.pb.gz'),
};

/** It only grows, and takes no part in verdicts of so short a run. */
export const NUMBERING_METRIC = 'process_cpu_seconds_total';

export class WatchedFleet {
  readonly #options: FleetOptions;
  readonly #began = Date.now() / 1000;
  readonly #busy = new Map<number, number>();
  /** Unix seconds at which each target answered. */
  readonly scrapes: number[][];
  /** By target: each answer has a number of its own, in this metric. */
  readonly answers: { readonly at: number; readonly number: number }[][];
  /** By target: when profiles were taken. */
  readonly profileTimes: number[][];
  /** The most profiles that were taken of one target at the same time. */
  mostProfilesAtOnce = 0;
  profiles = 0;
  port = 0;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.scrapes = Array.from({ length: options.targets }, () => []);
    this.answers = this.scrapes.map(() => []);
    this.profileTimes = this.scrapes.map(() => []);
  }

  listen(): Promise<this> {
    const server = createServer((request, response) => this.#answer(request, response));
    return new Promise(resolve => {
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        this.port = typeof address === 'object' && address !== null ? address.port : 0;
        server.unref();
        resolve(this);
      });
    });
  }

  urls(): string[] {
    return this.scrapes.map((_, i) => `http://127.0.0.1:${this.port}/t/${i}`);
  }

  isLeaking(target: number): boolean {
    return target < this.#options.leaking;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const [, number = '', rest = ''] = /^\/t\/(\d+)\/([^?]*)/.exec(request.url ?? '') ?? [];
    const target = Number(number);
    if (rest === 'metrics' && this.scrapes[target] !== undefined) {
      const now = Date.now() / 1000;
      const cpuSeconds = Math.round((now - this.#began + 86_400) * 5e4) / 1e6;
      this.scrapes[target].push(now);
      // Not if nobody waited for it any more.
      response.once('finish', () => this.answers[target]?.push({ at: now, number: cpuSeconds }));
      response.setHeader('content-type', 'text/plain; version=0.0.4');
      response.end(this.#metrics(target, now, cpuSeconds));
      return;
    }
    const found = PROFILES[rest.replace('debug/pprof/', '')];
    if (found === undefined) {
      response.statusCode = 404;
      response.setHeader('x-go-pprof', '1');
      response.end('Unknown profile\n');
      return;
    }
    this.profiles++;
    this.profileTimes[target]?.push(Date.now() / 1000);
    const busy = (this.#busy.get(target) ?? 0) + 1;
    this.#busy.set(target, busy);
    this.mostProfilesAtOnce = Math.max(this.mostProfilesAtOnce, busy);
    setTimeout(() => {
      this.#busy.set(target, (this.#busy.get(target) ?? 1) - 1);
      response.end(found);
    }, 300);
  }

  #metrics(target: number, now: number, cpuSeconds: number): string {
    const hours = ((now - this.#began) * this.#options.timeScale) / 3600;
    const wave = Math.sin(hours + target);
    const grown = this.isLeaking(target) ? 400 * hours : 0;
    return `go_goroutines ${Math.round(300 + 3 * wave + grown)}
go_gc_heap_live_bytes ${Math.round(4e7 + 1e5 * wave + 1e5 * grown)}
process_resident_memory_bytes ${Math.round(1.2e8 + 2e5 * wave + 1e5 * grown)}
process_open_fds 31
process_start_time_seconds ${this.#began - 86_400}
${NUMBERING_METRIC} ${cpuSeconds}
`;
  }
}
