/**
 * Sends bytes to a server, as any client may. It must answer with a status other than 500, or end the connection, and
 * still answer the next client.
 */
import { connect } from 'node:net';
import { ask, startExample, type ExampleServer } from '../double/example-server.ts';
import { crash, type Outcome } from './outcome.ts';

let running: Promise<ExampleServer> | undefined;
const endings: (() => unknown)[] = [];

/** One for each thread. */
function server(): Promise<ExampleServer> {
  return (running ??= startExample(
    { after: end => void endings.push(end as () => unknown) },
    { connectionLimits: { maxPerAddress: 64 } },
  ));
}

export async function stopServer(): Promise<void> {
  for (const end of endings.splice(0)) await end();
  running = undefined;
}

/** How often the server is asked whether it is well. */
const CHECK_EVERY = 50;
let sent = 0;

export async function exerciseRequest(bytes: Uint8Array): Promise<Outcome> {
  try {
    const { port, logged } = await server();
    const before = logged.length;
    const status = await statusOf(port, bytes);
    if (status === 500) throw new Error(`bug: status 500: ${logged.slice(before).join('|')}`);
    if (++sent % CHECK_EVERY === 0) {
      const { status: health } = await ask(port, '/healthz');
      if (health !== 200) throw new Error(`bug: /healthz answers ${health}`);
    }
    return status === undefined || status === 400 ? { kind: 'refused' } : { kind: 'read', format: 'request' };
  } catch (error) {
    return crash('request', error);
  }
}

/** Undefined if the connection ended without an answer. */
function statusOf(port: number, bytes: Uint8Array): Promise<number | undefined> {
  return new Promise(resolve => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes));
    const done = (): void => {
      socket.destroy();
      const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(text) ?? [];
      resolve(status === undefined ? undefined : Number(status));
    };
    socket.setEncoding('latin1').on('data', part => {
      text += String(part);
      // Events never end.
      if (text.length >= 12) done();
    });
    socket.on('error', done).on('close', done);
  });
}
