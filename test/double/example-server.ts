/** A server for the example watch on its own port, and a client that sends requests unchanged. */
import { planRoutes } from '../../src/act/io/plan-routes.ts';
import type { ActionTokens } from '../../src/act/io/action-tokens.ts';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { WatchService } from '../../src/watch/watch-service.ts';
import { exampleService, type ExampleService } from './example-service.ts';
import { startServer, type RunningServer, type ServerOptions } from '../../src/watch/server/start.ts';
import type { WatchPlans } from '../../src/act/watch/watch-plan.ts';

export interface Question {
  readonly method?: string;
  /** `host` may be any. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
}

export interface ExampleServer extends RunningServer {
  readonly service: ExampleService;
  readonly logged: readonly string[];
  ask(path: string, question?: Question): Promise<Answer>;
}

export interface ExampleOptions extends Partial<Omit<ServerOptions, 'service' | 'log'>> {
  readonly changes?: Partial<WatchService>;
  readonly plans?: WatchPlans | undefined;
  readonly actionTokens?: ActionTokens | undefined;
}

export const EXAMPLE_PAGE = '<!doctype html><title>Oakum</title><script type="module" src="/assets/main-4QX7ZJ2K.js">';

/** Ends with the test. */
export async function startExample(
  t: Pick<TestContext, 'after'>,
  options: ExampleOptions = {},
): Promise<ExampleServer> {
  const { changes, plans, actionTokens, ...rest } = options;
  const service = exampleService(changes);
  const logged: string[] = [];
  const webFolder = exampleWebFolder(t);
  const server = await startServer({
    service,
    host: '127.0.0.1',
    port: 0,
    webFolder,
    more: planRoutes({ service, plans, actionTokens }),
    log: line => void logged.push(line),
    ...rest,
  });
  t.after(() => server.stop());
  return { ...server, service, logged, ask: (path, question) => ask(server.port, path, question) };
}

export function exampleWebFolder(t: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'oakum-server-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), EXAMPLE_PAGE);
  writeFileSync(join(folder, 'assets/main-4QX7ZJ2K.js'), `export const long = '${'oakum '.repeat(1000)}';\n`);
  return folder;
}

/** Nothing is normalised: `/../x` is sent as it is. */
export function ask(port: number, path: string, question: Question = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = question;
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, answer => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const bytes = Buffer.concat(chunks);
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes, text: bytes.toString() });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

export function errorOf(answer: Answer): { readonly error: string; readonly hint: string } {
  return JSON.parse(answer.text) as { error: string; hint: string };
}
