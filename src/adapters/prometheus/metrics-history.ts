/** The Prometheus HTTP API, as Prometheus, Thanos Query, Mimir and VictoriaMetrics serve it. */
import type { MetricsHistory } from '../../ports/metrics-history.ts';
import type { RequestLimits } from '../../ports/target-connection.ts';
import type { Reply } from '../../model/reply.ts';
import { readCredentialFile, readToken } from '../http/credential-files.ts';
import { proxyFromEnvironment } from '../http/proxy-tunnel.ts';
import { type Credentials, type Endpoint, sendRequest } from '../http/send-request.ts';

export interface PrometheusOptions {
  /** With whatever path stands before `/api/v1`. */
  readonly url: string;
  /** '' for none, as for all below. */
  readonly tokenFile: string;
  readonly user: string;
  readonly passwordFile: string;
  readonly certificateAuthority: string;
  readonly insecure: boolean;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function openPrometheus(options: PrometheusOptions): MetricsHistory {
  // People paste what they curl.
  const base = new URL(options.url.replace(/\/+$/, '').replace(/\/api\/v1(?:\/.*)?$/, ''));
  const endpoint: Endpoint = {
    base,
    proxy: proxyFromEnvironment(base, options.env),
    tls: { insecure: options.insecure },
    credentials: () => credentialsOf(options),
  };
  const get = (path: string, fields: Record<string, string>, limits: RequestLimits): Promise<Reply> =>
    sendRequest(
      endpoint,
      { method: 'GET', path: `${path}?${new URLSearchParams(fields)}` },
      {
        accept: 'application/json',
        ...limits,
      },
    );
  return {
    address: base.origin,
    instant: (query, limits, atSeconds) =>
      get('/api/v1/query', { query, ...(atSeconds === undefined ? {} : { time: String(atSeconds) }) }, limits),
    range: ({ query, fromSeconds, toSeconds, stepSeconds }, limits) =>
      get(
        '/api/v1/query_range',
        { query, start: String(fromSeconds), end: String(toSeconds), step: String(stepSeconds) },
        limits,
      ),
  };
}

async function credentialsOf(options: PrometheusOptions): Promise<Credentials> {
  const { tokenFile, user, passwordFile, certificateAuthority, cwd } = options;
  const headers: Record<string, string> = {};
  if (tokenFile !== '') headers['Authorization'] = `Bearer ${await readToken(tokenFile, cwd)}`;
  else if (user !== '') {
    const password = (await readCredentialFile(passwordFile, cwd)).toString('utf8').replace(/\r?\n$/, '');
    headers['Authorization'] = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  }
  return {
    headers,
    ...(certificateAuthority === '' ? {} : { ca: await readCredentialFile(certificateAuthority, cwd) }),
  };
}
