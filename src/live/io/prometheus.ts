/** The Prometheus HTTP API, as Prometheus, Thanos Query, Mimir and VictoriaMetrics serve it. */
import type { RequestLimits, Credentials, SendRequest, MetricsHistory, CredentialFiles } from '../ports.ts';
import type { Reply } from '../reply.ts';

export interface PrometheusOptions {
  /** With the path before `/api/v1`, if there is one. */
  readonly url: string;
  /** '' for none, as for all below. */
  readonly tokenFile: string;
  readonly user: string;
  readonly passwordFile: string;
  readonly certificateAuthority: string;
  readonly insecure: boolean;
  /** Sent with every request, such as X-Scope-OrgID for a tenant of Mimir. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** For Thanos: one answer for replicas, and an error instead of gaps that look like falls. Others ignore them. */
const WHOLE = { dedup: 'true', partial_response: 'false' } as const;

export function openPrometheus(options: PrometheusOptions, send: SendRequest, files: CredentialFiles): MetricsHistory {
  // Accepts a pasted endpoint too.
  const base = new URL(options.url.replace(/\/+$/, '').replace(/\/api\/v1(?:\/.*)?$/, ''));
  const endpoint = { base, tls: { insecure: options.insecure }, credentials: () => credentialsOf(options, files) };
  const get = (path: string, fields: Record<string, string>, limits: RequestLimits): Promise<Reply> => {
    const request = { method: 'GET', path: `${path}?${new URLSearchParams({ ...fields, ...WHOLE })}` } as const;
    return send(endpoint, request, { accept: 'application/json', ...limits });
  };
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

async function credentialsOf(options: PrometheusOptions, files: CredentialFiles): Promise<Credentials> {
  const { tokenFile, user, passwordFile, certificateAuthority } = options;
  const headers: Record<string, string> = { ...options.headers };
  if (tokenFile !== '') headers['Authorization'] = `Bearer ${await files.readToken(tokenFile)}`;
  else if (user !== '') {
    const password = await files.readPassword(passwordFile);
    headers['Authorization'] = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  }
  return {
    headers,
    ...(certificateAuthority === '' ? {} : { ca: await files.readBytes(certificateAuthority) }),
  };
}
