/**
 * The API v2 of Alertmanager, from 0.16 on.
 *
 *     POST /api/v2/alerts                                   [{ labels, annotations, startsAt, endsAt, generatorURL }]
 *     GET  /api/v2/alerts?filter=reporter="oakum"           ours, with the ids of what silences them
 *     GET  /api/v2/silences                                 who silenced what, until when, and why
 */
import { listOf, parseJsonBytes, recordOf, textOf } from '../../base/json.ts';
import type { Alert } from '../../store/notification.ts';
import type { AlertDestination, SilencedAlert } from '../notify/destination.ts';
import type { Credentials, Endpoint, SendRequest, CredentialFiles } from '../../live/ports.ts';
import { deliveryOf } from '../../live/reply.ts';

export interface AlertmanagerOptions {
  /** With the path before `/api/v2`, if there is one. */
  readonly url: string;
  /** '' for none, as for all below. */
  readonly tokenFile: string;
  readonly certificateAuthority: string;
  readonly insecure: boolean;
}

const DEADLINE_SECONDS = 10;
const MAX_BYTES = 8 * 2 ** 20;

export function openAlertmanager(
  options: AlertmanagerOptions,
  send: SendRequest,
  files: CredentialFiles,
): AlertDestination {
  // Accepts a pasted endpoint too.
  const base = new URL(options.url.replace(/\/+$/, '').replace(/\/api\/v[12](?:\/.*)?$/, ''));
  const endpoint: Endpoint = {
    base,
    tls: { insecure: options.insecure },
    credentials: () => credentialsOf(options, files),
  };
  const limits = (signal: AbortSignal) => ({
    deadlineSeconds: DEADLINE_SECONDS,
    maxBytes: MAX_BYTES,
    accept: 'application/json',
    signal,
  });
  const get = async (path: string, signal: AbortSignal): Promise<readonly unknown[]> => {
    const reply = await send(endpoint, { method: 'GET', path }, limits(signal));
    const delivery = deliveryOf(reply);
    if (delivery.kind !== 'delivered') throw new Error(delivery.why);
    return listOf(reply.kind === 'answer' ? parseJsonBytes(reply.body, MAX_BYTES) : undefined);
  };
  return {
    name: base.origin + base.pathname.replace(/\/+$/, ''),
    post: async (alerts, signal) =>
      deliveryOf(
        await send(endpoint, { method: 'POST', path: '/api/v2/alerts', json: alerts.map(postedAlert) }, limits(signal)),
      ),
    async silenced(signal) {
      const filter = new URLSearchParams({ filter: 'reporter="oakum"', active: 'false', silenced: 'true' });
      const alerts = (await get(`/api/v2/alerts?${filter}`, signal)).map(recordOf);
      const silencedBy = (alert: Readonly<Record<string, unknown>>): string[] =>
        listOf(recordOf(alert['status'])['silencedBy']).map(textOf);
      if (alerts.every(alert => silencedBy(alert).length === 0)) return [];
      const silences = new Map(
        (await get('/api/v2/silences', signal)).map(recordOf).map(silence => [textOf(silence['id']), silence]),
      );
      return alerts.flatMap(alert => {
        const lasting = silencedBy(alert).flatMap(id => silences.get(id) ?? []);
        return lasting.map(silence => silencedAlert(recordOf(alert['labels']), recordOf(silence)));
      });
    },
  };
}

function postedAlert({ labels, annotations, startsAt, endsAt, generatorUrl }: Alert): object {
  return {
    labels,
    annotations,
    startsAt: rfc3339(startsAt),
    endsAt: rfc3339(endsAt),
    ...(generatorUrl === null ? {} : { generatorURL: generatorUrl }),
  };
}

function silencedAlert(
  labels: Readonly<Record<string, unknown>>,
  silence: Readonly<Record<string, unknown>>,
): SilencedAlert {
  return {
    labels: Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, textOf(value)])),
    by: textOf(silence['createdBy']),
    comment: textOf(silence['comment']),
    until: Date.parse(textOf(silence['endsAt'])) / 1000 || 0,
  };
}

function rfc3339(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

async function credentialsOf(options: AlertmanagerOptions, files: CredentialFiles): Promise<Credentials> {
  const { tokenFile, certificateAuthority } = options;
  return {
    headers: tokenFile === '' ? {} : { Authorization: `Bearer ${await files.readToken(tokenFile)}` },
    ...(certificateAuthority === '' ? {} : { ca: await files.readBytes(certificateAuthority) }),
  };
}
