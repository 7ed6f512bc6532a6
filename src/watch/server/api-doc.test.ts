/** docs/api.md says what the server does: each route is asked as it is written there, and answers what is written there. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { readActionTokens } from '../../act/io/action-tokens.ts';
import type { NotificationsView } from '../../store/notification.ts';
import type { WatchEvent } from '../watch-model.ts';
import { EXAMPLE_APPROVAL, examplePlans } from '../../../test/double/example-plans.ts';
import { startExample, type Answer } from '../../../test/double/example-server.ts';

interface Section {
  readonly method: string;
  readonly path: string;
  /** The JSON blocks, parsed. */
  readonly examples: readonly unknown[];
}

const DOC = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
const MODEL = readFileSync(new URL('../watch-model.ts', import.meta.url), 'utf8');

const SECTIONS: readonly Section[] = DOC.split(/^### /m)
  .slice(1)
  .map(text => {
    const [, method, path] = /^`(GET|POST) (\/api\/v1\/\S+)`\n/.exec(text) ?? [];
    assert.ok(path, `a heading of docs/api.md is no route: ${text.slice(0, 60)}`);
    const blocks = text.split(/^## /m)[0].matchAll(/^```json\n([\s\S]*?)^```$/gm);
    return { method, path, examples: Array.from(blocks, ([, json]) => JSON.parse(json) as unknown) };
  });

const TOKEN = 'a-token-of-kim-0123456789';

const BODIES: Readonly<Record<string, string>> = {
  '/api/v1/incidents/i-1/notes': '{"by":"kim","text":"drained it"}',
  '/api/v1/incidents/i-1/plans': '{"by":"kim","action":"restart"}',
  '/api/v1/plans/plan-20261115t194640-1a2b3c4d/apply': EXAMPLE_APPROVAL,
  '/api/v1/plans/plan-20261115t194640-1a2b3c4d/abort': EXAMPLE_APPROVAL,
  '/api/v1/alertmanager': JSON.stringify({
    alerts: [{ status: 'firing', labels: { alertname: 'KubeletMemoryHigh', node: 'worker-1' } }],
  }),
};

const NOTIFICATIONS: NotificationsView = {
  schema: 'oakum.notifications/v1',
  destinations: [
    {
      name: 'http://alertmanager:9093',
      kind: 'alertmanager',
      delivered: 12,
      waiting: 1,
      dropped: 0,
      lastDeliveredAt: 1_794_772_000,
      trouble: null,
    },
  ],
  silences: [
    {
      incidentId: 'i-1',
      destination: 'http://alertmanager:9093',
      by: 'kim',
      comment: 'known, upgrade on Monday',
      until: 1_794_858_400,
    },
  ],
};

describe('docs/api.md', () => {
  it('has every route of the model, and no other', () => {
    const shape = (path: string): string =>
      path
        .replace(/\?.*/, '')
        .replace(/(targets|incidents|captures|profiles|plans)\/[^/]+/, '$1/:name')
        .replace(/^\/api\/v1/, '');
    const [comment] = MODEL.split('*/');
    const wanted = Array.from(
      comment.matchAll(/(GET|POST) (\/api\/v1\/\S+)/g),
      ([, method, path]) => `${method} ${shape(path)}`,
    );
    const downloads = ['GET /incidents/:name/bundle', 'GET /incidents/:name/report'];
    assert.deepEqual(
      SECTIONS.map(({ method, path }) => `${method} ${shape(path)}`).sort(),
      [...wanted, ...downloads].sort(),
    );
  });

  for (const { method, path, examples } of SECTIONS) {
    if (path === '/api/v1/events') continue;
    it(`${method} ${path}`, async t => {
      const notifier = { view: () => NOTIFICATIONS, metrics: () => '', done: Promise.resolve() };
      const actionTokens = readActionTokens(`kim ${TOKEN}`, 'people', undefined);
      const { ask } = await startExample(t, { notifier, plans: examplePlans(), actionTokens });
      const body = path in BODIES ? { body: BODIES[path] } : {};
      const answer = await ask(
        path,
        method === 'GET'
          ? {}
          : { method, headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` }, ...body },
      );
      assert.equal(
        answer.status,
        method === 'GET' ? 200 : /\/(?:alertmanager|apply|abort)$/.test(path) ? 202 : 201,
        answer.text,
      );
      if (isJson(answer)) assert.deepEqual([JSON.parse(answer.text)], examples);
      else assert.match(answer.headers['content-disposition'] ?? '', /^attachment; filename="[\w.-]+"$/);
    });
  }

  it('shows an error as it comes', async t => {
    const { ask } = await startExample(t);
    const [, example] = /^## Errors[\s\S]*?^```json\n([\s\S]*?)^```$/m.exec(DOC) ?? [];
    assert.deepEqual(JSON.parse((await ask('/api/v1/fleet?hours=x')).text), JSON.parse(example));
  });

  it('shows events that the watch may tell', () => {
    const { examples } = SECTIONS.find(({ path }) => path === '/api/v1/events') as Section;
    const events: readonly WatchEvent[] = [
      { kind: 'fleet', at: 1794772000 },
      { kind: 'target', target: 'node/worker-1', at: 1794772000 },
      { kind: 'incident', id: 'i-1', at: 1794772000 },
    ];
    assert.deepEqual(examples, events);
  });
});

function isJson({ headers }: Answer): boolean {
  return (headers['content-type'] ?? '').startsWith('application/json');
}
