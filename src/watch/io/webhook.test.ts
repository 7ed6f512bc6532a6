import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { exampleNotice } from '../../../test/double/notices.ts';
import { encodeText } from '../../base/text.ts';
import type { Answer } from '../../live/reply.ts';
import { openWebhook, type WebhookOptions, grafanaAnnotation, otlpLogs } from './webhook.ts';
import type { OutgoingRequest, SendRequest, CredentialFiles } from '../../live/ports.ts';

const FILES: CredentialFiles = {
  readToken: async path => `token of ${path}`,
  readPassword: async path => `secret of ${path}`,
  readBytes: async path => encodeText(path),
};
const NONE: WebhookOptions = {
  url: 'https://hooks.example.com/services/T0/secret?x=1',
  format: 'json',
  secretFile: '',
  tokenFile: '',
  certificateAuthority: '',
  insecure: false,
};

function answer(status: number, headers: Record<string, string> = {}): Answer {
  const body = encodeText('no\nroom');
  return { kind: 'answer', status, headers, body, cut: undefined, headAtSeconds: 0, dateSeconds: 0, tookSeconds: 0 };
}

/** What was sent, and the headers it was sent with. */
function recorder(reply: Answer) {
  const sent: { request: OutgoingRequest; headers: Readonly<Record<string, unknown>> }[] = [];
  const send: SendRequest = async (endpoint, request) => {
    const credentials = await endpoint.credentials?.(new AbortController().signal);
    sent.push({ request, headers: credentials?.headers ?? {} });
    return reply;
  };
  return { sent, send };
}

const deliver = (options: Partial<WebhookOptions>, send: SendRequest) =>
  openWebhook({ ...NONE, ...options }, send, FILES, () => 1_794_772_800.7).deliver(
    exampleNotice(),
    new AbortController().signal,
  );

describe('webhook', () => {
  it('posts the notice, signed as Standard Webhooks are', async () => {
    const { sent, send } = recorder(answer(204));
    assert.deepEqual(await deliver({ secretFile: 'key', tokenFile: 'token' }, send), { kind: 'delivered' });
    const [{ request, headers }] = sent;
    assert.deepEqual([request.method, request.path], ['POST', '/services/T0/secret?x=1']);
    assert.deepEqual(request.json, exampleNotice());
    assert.equal(headers['authorization'], 'Bearer token of token');
    const signed = `i-20261115-1957-proved.1794772800.${JSON.stringify(request.json)}`;
    const mac = createHmac('sha256', 'secret of key').update(signed).digest('base64');
    assert.equal(headers['webhook-signature'], `v1,${mac}`);
    assert.equal(headers['webhook-timestamp'], '1794772800');
  });

  it('has no path in its name: it may hold a secret', () => {
    const { name } = openWebhook(NONE, recorder(answer(200)).send, FILES, () => 0);
    assert.match(name, /^hooks\.example\.com [0-9a-f]{6}$/);
  });

  it('posts CloudEvents', async () => {
    const { sent, send } = recorder(answer(200));
    await deliver({ format: 'cloudevents' }, send);
    const [{ request, headers }] = sent;
    assert.equal(headers['content-type'], 'application/cloudevents+json; charset=utf-8');
    assert.deepEqual(request.json, {
      specversion: '1.0',
      id: 'i-20261115-1957-proved',
      source: 'oakum/prod',
      type: 'dev.oakum.incident.proved.v1',
      subject: 'node/worker-17',
      time: '2026-11-15T20:00:00.000Z',
      datacontenttype: 'application/json',
      data: exampleNotice(),
    });
  });

  it('posts OTLP logs, and hears what the collector rejects', async () => {
    const { sent, send } = recorder({ ...answer(200), body: encodeText('{"partialSuccess":{}}') });
    assert.deepEqual(await deliver({ format: 'otlp-logs' }, send), { kind: 'delivered' });
    const [{ request, headers }] = sent;
    assert.equal(headers['content-type'], 'application/json');
    const text = (key: string, stringValue: string): object => ({ key, value: { stringValue } });
    assert.deepEqual(request.json, {
      resourceLogs: [
        {
          resource: { attributes: [text('service.name', 'oakum'), text('k8s.cluster.name', 'prod')] },
          scopeLogs: [
            {
              scope: { name: 'oakum.watch' },
              logRecords: [
                {
                  timeUnixNano: '1794772800000000000',
                  observedTimeUnixNano: '1794772800700000000',
                  severityNumber: 17,
                  severityText: 'ERROR',
                  eventName: 'oakum.incident.proved',
                  body: { stringValue: 'node/worker-17: Live heap grows 41.8 MiB/h.' },
                  attributes: [
                    text('oakum.notice.id', 'i-20261115-1957-proved'),
                    text('oakum.incident.id', 'i-20261115-1957'),
                    text('oakum.incident.kind', 'proved'),
                    text('oakum.target', 'node/worker-17'),
                    text('oakum.resource', 'live heap'),
                    text('oakum.verdict', 'leak'),
                    { key: 'oakum.slope_per_hour', value: { doubleValue: 43_830_476 } },
                    text('k8s.node.name', 'worker-17'),
                    text('url.full', 'https://oakum.example.com/i/i-20261115-1957'),
                  ],
                },
              ],
            },
          ],
        },
      ],
    });
    const notice = exampleNotice({ cluster: 'eu' }, { target: 'cluster/eu/node/worker-17' });
    assert.match(JSON.stringify(otlpLogs(notice, 0)), /"k8s.node.name","value":{"stringValue":"worker-17"}/);
    const rejected = encodeText('{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"too\\nold"}}');
    assert.deepEqual(await deliver({ format: 'otlp-logs' }, recorder({ ...answer(200), body: rejected }).send), {
      kind: 'refused',
      why: 'it rejected the record: too old',
    });
  });

  it('posts annotations to Grafana: a mark, and at the end a region', async () => {
    const { sent, send } = recorder(answer(200));
    await deliver({ format: 'grafana', tokenFile: 'token' }, send);
    assert.equal(sent[0]?.headers['authorization'], 'Bearer token of token');
    assert.deepEqual(sent[0]?.request.json, {
      time: 1_794_772_800_000,
      tags: ['oakum', 'oakum:proved', 'cluster:prod', 'target:node/worker-17', 'resource:live heap'],
      text: 'node/worker-17: live heap proved\nnode/worker-17: Live heap grows 41.8 MiB/h.\n<a href="https://oakum.example.com/i/i-20261115-1957">i-20261115-1957</a>',
    });
    const end = exampleNotice({ kind: 'cleared' }, { url: null, cause: '<b>&' });
    assert.deepEqual(grafanaAnnotation(end), {
      time: 1_794_769_200_000,
      timeEnd: 1_794_772_800_000,
      tags: ['oakum', 'oakum:cleared', 'cluster:prod', 'target:node/worker-17', 'resource:live heap'],
      text: 'node/worker-17: live heap cleared\nnode/worker-17: Live heap grows 41.8 MiB/h.\n&lt;b&gt;&amp;',
    });
  });

  it('tells what may work later from what never will', async () => {
    const of = async (reply: Answer) => deliver({}, recorder(reply).send);
    assert.deepEqual(await of(answer(422)), { kind: 'refused', why: 'it answered 422: no room' });
    assert.deepEqual(await of(answer(503, { 'retry-after': '7' })), {
      kind: 'failed',
      why: 'it answered 503: no room',
      retryAfterSeconds: 7,
    });
    assert.equal((await of(answer(429))).kind, 'failed');
    // A token that has just expired is replaced soon.
    assert.equal((await of(answer(401))).kind, 'failed');
  });
});
