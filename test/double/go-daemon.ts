/** A small Go daemon over HTTP: metrics and the texts of goroutine profiles, no heap; /leak?count=N leaks. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface GoDaemon {
  readonly url: string;
  readonly requests: readonly string[];
  /** Goroutines stuck in main.forward. */
  stuck: number;
  close(): Promise<void>;
}

export async function startGoDaemon(stuck = 20): Promise<GoDaemon> {
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    const [, leaked] = /^\/leak\?count=(\d+)$/.exec(path) ?? [];
    daemon.stuck += Number(leaked ?? 0);
    const body = leaked === undefined ? bodyOf(path, daemon.stuck) : 'ok';
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(body ?? '404 page not found\n');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const daemon: GoDaemon = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    stuck,
    close: () => {
      server.closeAllConnections();
      return new Promise<void>(resolve => server.close(() => resolve()));
    },
  };
  return daemon;
}

const POOL = 8;

function bodyOf(path: string, stuck: number): string | undefined {
  if (path === '/metrics') return `go_goroutines ${stuck + POOL}\nprocess_start_time_seconds 1794700000\n`;
  if (path === '/debug/pprof/goroutine?debug=1') return counted(stuck);
  if (path === '/debug/pprof/goroutine?debug=2') return listed(stuck);
  return undefined;
}

function counted(stuck: number): string {
  return `goroutine profile: total ${stuck + POOL}
${stuck} @ 0x1 0x2
# labels: {"controller":"gc"}
#	0x2	main.forward+0x20	/src/app/main.go:37

${POOL} @ 0x4 0x5
#	0x5	main.worker+0x20	/src/app/main.go:59

`;
}

function listed(stuck: number): string {
  const one = (id: number, wait: string, name: string, line: number): string =>
    `goroutine ${id} [${wait}]:\nmain.${name}(0x1)\n\t/src/app/main.go:${line} +0x20\n` +
    'created by main.start in goroutine 1\n\t/src/app/main.go:9 +0x1\n\n';
  const forward = Array.from({ length: stuck }, (_, i) =>
    one(100 + i, `chan send, ${1 + (i % 12)} minutes`, 'forward', 37),
  );
  const workers = Array.from({ length: POOL }, (_, i) => one(10 + i, 'chan receive, 12 minutes', 'worker', 59));
  return forward.join('') + workers.join('');
}
