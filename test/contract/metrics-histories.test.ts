/** Prometheus fulfils the contract under any address and with any credentials. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { credentialFiles } from '../../src/live/io/credential-files.ts';
import { httpSender } from '../../src/live/io/send-request.ts';
import { openPrometheus, type PrometheusOptions } from '../../src/live/io/prometheus.ts';
import { metricsHistoryContract, type OpenedHistory } from './metrics-history-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'oakum-histories-'));
after(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'token'), 'secret\n');
writeFileSync(join(folder, 'password'), 'pass word\n');

/** Answers with the request as JSON; the queries `hang` and `refuse` do what they say. */
async function echoServer(prefix: string): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://here');
    const parameters = Object.fromEntries(url.searchParams);
    if (parameters['query'] === 'hang') return;
    if (parameters['query'] === 'refuse') return void response.writeHead(422).end('{"status":"error"}');
    if (!url.pathname.startsWith(`${prefix}/api/v1/`)) return void response.writeHead(404).end();
    const endpoint = url.pathname.slice(`${prefix}/api/v1/`.length);
    response.end(JSON.stringify({ endpoint, ...parameters, authorization: request.headers.authorization ?? 'nobody' }));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.closeAllConnections();
      return new Promise(resolve => server.close(() => resolve()));
    },
  };
}

async function open(prefix: string, options: Partial<PrometheusOptions>, pasted = ''): Promise<OpenedHistory> {
  const { port, close } = await echoServer(prefix);
  const none = { tokenFile: '', user: '', passwordFile: '', certificateAuthority: '', insecure: false };
  const url = `http://127.0.0.1:${port}${prefix}${pasted}`;
  return { history: openPrometheus({ url, ...none, ...options }, httpSender({}), credentialFiles(folder)), close };
}

metricsHistoryContract({ name: 'Prometheus', authorization: 'nobody', open: () => open('', {}) });

metricsHistoryContract({
  name: 'Prometheus under a path, with a token',
  authorization: 'Bearer secret',
  open: () => open('/thanos/query', { tokenFile: 'token' }, '/'),
});

metricsHistoryContract({
  name: 'Prometheus as pasted from curl, with a password',
  authorization: `Basic ${Buffer.from('me:pass word').toString('base64')}`,
  open: () => open('/base', { user: 'me', passwordFile: 'password' }, '/api/v1/query?query=up'),
});
