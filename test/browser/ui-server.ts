/**
 * Serves the built UI over a test's made-up answers, with the content policy of `oakum watch`. One server serves one
 * test after the other, so that the browser keeps the scripts it has compiled; a second one at a time has its own.
 *
 *     const ui = await startUi({ '/fleet': fleet, '/status': () => status });
 *     ui.send({ kind: 'fleet', at: 0 });
 *
 * An answer's key is the path after /api/v1, without the query; a function is called each time, with the whole URL, and
 * may promise its answer.
 */
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WatchEvent } from '../../src/watch/watch-model.ts';
import type { PlansView } from '../../src/act/watch/watch-plan.ts';
import { addSecurityHeaders } from '../../src/watch/server/app.ts';

/** Anything but a `Failure` or bytes is sent as JSON. */
export type Answer = unknown;
export type Answers = Record<string, Answer | ((url: URL) => Answer)>;

export class Failure {
  readonly status: number;
  readonly body: unknown;
  constructor(status: number, body: unknown) {
    this.status = status;
    this.body = body;
  }
}

export interface Ui {
  readonly url: string;
  /** May be changed at any time. */
  readonly answers: Answers;
  send(event: WatchEvent): void;
  /** Breaks every connection and refuses new ones until `resume`. */
  pause(): void;
  resume(): void;
  close(): void;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

let built: Promise<string> | undefined;

/** The folder of the UI, built from the current sources. */
export function builtUi(): Promise<string> {
  built ??= (async () => {
    // @ts-expect-error: plain JavaScript, without types
    const { ensureBuilt } = await import('../../scripts/build.mjs');
    if (!(await ensureBuilt())) throw new Error('the sources do not build');
    return fileURLToPath(new URL('../../dist/web', import.meta.url));
  })();
  return built;
}

interface SharedServer {
  readonly server: Server;
  handle: RequestListener;
}

/** Waits for the next test; the process ends without closing it. */
let idle: SharedServer | undefined;

const refuse: RequestListener = (_request, response) => void response.destroy();

async function takeServer(): Promise<SharedServer> {
  const free = idle;
  idle = undefined;
  if (free !== undefined) return free;
  const taken: SharedServer = {
    server: createServer((request, response) => taken.handle(request, response)),
    handle: refuse,
  };
  await new Promise<void>(done => taken.server.listen(0, '127.0.0.1', done));
  taken.server.unref();
  return taken;
}

export async function startUi(given: Answers): Promise<Ui> {
  const root = await builtUi();
  const answers: Answers = { ...given };
  const streams = new Set<ServerResponse>();
  let paused = false;
  const taken = await takeServer();
  const { server } = taken;

  taken.handle = (request, response) => {
    if (paused) return void request.socket.destroy();
    const url = new URL(request.url ?? '/', 'http://ui');
    const headers = new Headers();
    addSecurityHeaders(headers);
    response.setHeaders(headers);
    if (url.pathname === '/api/v1/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      response.write('retry: 200\n\n');
      streams.add(response);
      response.on('close', () => streams.delete(response));
    } else if (url.pathname.startsWith('/api/')) {
      void answerApi(answers, url, response);
    } else {
      sendFile(root, url.pathname, response);
    }
  };

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    send: event => {
      for (const stream of streams) stream.write(`event: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`);
    },
    pause: () => {
      paused = true;
      server.closeAllConnections();
    },
    resume: () => void (paused = false),
    close: () => {
      taken.handle = refuse;
      server.closeAllConnections();
      idle = taken;
    },
  };
}

async function answerApi(answers: Answers, url: URL, response: ServerResponse): Promise<void> {
  const path = url.pathname.slice('/api/v1'.length);
  const found = answers[path] ?? answers[decodeURIComponent(path)] ?? noPlans(path);
  const answer: unknown = typeof found === 'function' ? await (found as (url: URL) => Answer)(url) : found;
  if (answer instanceof Uint8Array) {
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(answer);
    return;
  }
  const missing = new Failure(404, { error: `There is nothing at ${path}.`, hint: '' });
  const failure = answer instanceof Failure ? answer : answer === undefined ? missing : undefined;
  response.writeHead(failure?.status ?? 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(failure === undefined ? answer : failure.body));
}

/** As a watch without a cluster answers. */
function noPlans(path: string): Answer {
  const [, incidentId] = /^\/incidents\/([^/]+)\/plans$/.exec(path) ?? [];
  if (incidentId === undefined) return undefined;
  const none: PlansView = {
    schema: 'oakum.plans/v1',
    incidentId,
    node: null,
    cannotPlan: 'only nodes can be planned for',
    cannotAct: 'nobody may act here',
    plans: [],
    elsewhere: [],
  };
  return none;
}

/** A file of assets/, else the page that serves every address. */
function sendFile(root: string, pathname: string, response: ServerResponse): void {
  const isAsset = pathname.startsWith('/assets/');
  const file = isAsset ? normalize(pathname) : '/index.html';
  try {
    const bytes = readFileSync(join(root, file));
    // The names of assets change with their content.
    const cached = isAsset ? { 'cache-control': 'public, max-age=31536000, immutable' } : {};
    response
      .writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream', ...cached })
      .end(bytes);
  } catch {
    response.writeHead(404).end();
  }
}
