/** Nobody acts through the server without the flag, a token for it, the plan's hash and the node's name, all together. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { errorOf, startExample, type Answer, type ExampleServer } from '../../../test/double/example-server.ts';
import { watchedWorld, type WatchedOptions, type WatchedWorld } from '../../../test/double/world/watched-world.ts';
import type { WatchPlan } from '../watch/watch-plan.ts';
import { readActionTokens } from './action-tokens.ts';

const READ_TOKEN = 'read-token-0123456789';
const KIM = 'kim-token-0123456789abcdef';
const JSON_TYPE = { 'content-type': 'application/json' };
const bearer = (token: string): Record<string, string> => ({ ...JSON_TYPE, authorization: `Bearer ${token}` });

interface Acting {
  readonly watched: WatchedWorld;
  readonly server: ExampleServer;
  readonly plan: WatchPlan;
  readonly plans: ReturnType<WatchedWorld['plans']>;
  post(how: 'apply' | 'abort', headers: Record<string, string>, body?: unknown): Promise<Answer>;
}

async function acting(
  t: TestContext,
  { token, hasTokens = true, ...options }: WatchedOptions & { token?: string; hasTokens?: boolean } = {},
): Promise<Acting> {
  const watched = watchedWorld();
  const plans = watched.plans({ mayAct: true, ...options });
  const server = await startExample(t, {
    plans,
    actionTokens: hasTokens
      ? readActionTokens(`kim ${KIM}\nrobin robin-token-0123456789\n`, 'people', token)
      : undefined,
    ...(token === undefined ? {} : { token }),
  });
  const made = await server.ask('/api/v1/incidents/i-1/plans', {
    method: 'POST',
    headers: token === undefined ? JSON_TYPE : bearer(token),
    body: JSON.stringify({ by: 'kim', action: 'restart' }),
  });
  assert.equal(made.status, 201, made.text);
  const plan = JSON.parse(made.text) as WatchPlan;
  return {
    watched,
    server,
    plan,
    plans,
    post: (how, headers, body = { hash: plan.hash, confirm: plan.node }) =>
      server.ask(`/api/v1/plans/${plan.id}/${how}`, {
        method: 'POST',
        headers,
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
}

function untouched({ watched }: Acting): void {
  assert.deepEqual([watched.restarts, watched.world.all('leases'), watched.world.all('events')], [[], [], []]);
}

describe('acting over HTTP', () => {
  it('does what a person with a token approves, and says who', async t => {
    const all = await acting(t);
    const answer = await all.post('apply', bearer(KIM));
    assert.deepEqual([answer.status, (JSON.parse(answer.text) as WatchPlan).state], [202, 'applying'], answer.text);
    const done = await all.watched.untilIdle(all.plans);
    assert.deepEqual([done.state, all.watched.restarts], ['applied', ['worker-1']]);
    assert.match(done.appliedBy ?? '', /^kim, through oakum watch/);
    const again = await all.post('apply', bearer(KIM));
    assert.deepEqual([again.status, errorOf(again).error], [409, 'The plan is applied already.']);
    assert.deepEqual(all.watched.restarts, ['worker-1']);
    const file = await all.server.ask(`/api/v1/plans/${done.id}/file`);
    assert.match(file.headers['content-disposition'] ?? '', new RegExp(`filename="${done.id}.yaml"`));
    const log = await all.server.ask(`/api/v1/plans/${done.id}/log`);
    assert.match(log.text, /"kind":"apply-ended","outcome":"done"/);
    const report = await all.server.ask('/api/v1/incidents/i-1/report?for=incident');
    assert.match(report.text, /## What was done[\s\S]*worker-1\/restart: done/);
    const upstream = await all.server.ask('/api/v1/incidents/i-1/report?for=upstream');
    assert.doesNotMatch(upstream.text, /What was done/);
  });

  it('is impossible without --allow-actions, whatever is sent', async t => {
    for (const options of [{ mayAct: false }, { hasTokens: false }]) {
      const all = await acting(t, options);
      for (const how of ['apply', 'abort'] as const) {
        const answer = await all.post(how, bearer(KIM));
        assert.deepEqual([answer.status, errorOf(answer).error], [403, 'This server does nothing to the cluster.']);
      }
      untouched(all);
    }
    const { ask } = await startExample(t);
    const none = await ask('/api/v1/plans/plan-x/apply', { method: 'POST', headers: bearer(KIM), body: '{}' });
    assert.equal(none.status, 404);
  });

  it('needs a token for actions: not the one to read, no cookie, no login, none that is guessed', async t => {
    const all = await acting(t, { token: READ_TOKEN });
    const { server } = all;
    const login = await server.ask(`/login?token=${READ_TOKEN}`);
    const cookie = (login.headers['set-cookie']?.[0] ?? '').split(';')[0];
    assert.ok(cookie.includes('='));
    const attempts: Record<string, string>[] = [
      JSON_TYPE,
      { ...JSON_TYPE, cookie },
      bearer(READ_TOKEN),
      { ...JSON_TYPE, authorization: KIM },
    ];
    for (const headers of attempts)
      assert.equal((await all.post('apply', headers)).status, 401, JSON.stringify(headers));
    // The token to act opens no page and no cookie.
    assert.equal((await server.ask(`/login?token=${KIM}`)).status, 401);
    assert.equal((await server.ask('/api/v1/fleet', { headers: bearer(KIM) })).status, 401);
    for (let i = 0; i < 2; i++) assert.equal((await all.post('apply', bearer(`${KIM}${i}`))).status, 401);
    const slowed = await all.post('apply', bearer(`${KIM}x`));
    assert.deepEqual([slowed.status, slowed.headers['retry-after']], [429, '1']);
    untouched(all);
    // A stranger behind the same proxy locks nobody out.
    assert.equal((await all.post('apply', bearer(KIM))).status, 202);
  });

  it('needs the hash of the plan that was read, and the name of the node', async t => {
    const all = await acting(t);
    const { hash, node } = all.plan;
    const bodies: readonly [unknown, number][] = [
      [{ confirm: node }, 400],
      [{ hash }, 400],
      [{ hash, confirm: '' }, 400],
      [{ hash, confirm: node, by: 'robin' }, 400],
      [{ hash, confirm: node, argv: ['sh'] }, 400],
      ['', 400],
      ['[]', 400],
      [{ hash, confirm: 'worker-2' }, 409],
      [{ hash: `sha256:${'f'.repeat(64)}`, confirm: node }, 409],
      [`{"hash":"${hash}","confirm":"${node}","x":"${'y'.repeat(5000)}"}`, 413],
    ];
    for (const [body, status] of bodies) assert.equal((await all.post('apply', bearer(KIM), body)).status, status);
    const other = await all.server.ask('/api/v1/plans/plan-other/apply', {
      method: 'POST',
      headers: bearer(KIM),
      body: JSON.stringify({ hash, confirm: node }),
    });
    assert.equal(other.status, 404);
    untouched(all);
    await all.watched.clock.runUntil(all.watched.clock.now() + 31 * 60);
    const late = await all.post('apply', bearer(KIM));
    assert.match(`${late.status} ${errorOf(late).error}`, /^409 The plan is 31m old, and only good for 30m/);
    untouched(all);
  });

  it('cannot be done by another page, as a form, or by reading', async t => {
    const all = await acting(t);
    const foreign: Record<string, string>[] = [
      { ...bearer(KIM), origin: 'https://evil.example' },
      { ...bearer(KIM), 'sec-fetch-site': 'cross-site' },
      { ...bearer(KIM), 'sec-fetch-site': 'same-site' },
      { ...bearer(KIM), origin: 'null' },
      { ...bearer(KIM), host: 'evil.example' },
    ];
    for (const headers of foreign)
      assert.equal((await all.post('apply', headers)).status, 403, JSON.stringify(headers));
    const form = { authorization: `Bearer ${KIM}`, 'content-type': 'application/x-www-form-urlencoded' };
    assert.equal((await all.post('apply', form)).status, 415);
    const path = `/api/v1/plans/${all.plan.id}/apply`;
    assert.equal((await all.server.ask(path, { headers: bearer(KIM) })).status, 405);
    assert.equal(
      (await all.server.ask(`${path}?confirm=worker-1`, { method: 'POST', headers: bearer(KIM) })).status,
      400,
    );
    untouched(all);
  });

  it('lets no client choose what is run, where, or how fast', async t => {
    const { server } = await acting(t);
    const chosen = [
      { command: 'sh' },
      { via: 'pod' },
      { image: 'x' },
      { policy: {} },
      { node: 'worker-2' },
      { by: '' },
    ];
    for (const more of chosen) {
      const body = JSON.stringify({ by: 'kim', action: 'restart', ...more });
      const answer = await server.ask('/api/v1/incidents/i-1/plans', { method: 'POST', headers: JSON_TYPE, body });
      assert.equal(answer.status, 400, answer.text);
    }
    for (const action of ['limit', 'abort', 7])
      assert.equal(
        (
          await server.ask('/api/v1/incidents/i-1/plans', {
            method: 'POST',
            headers: JSON_TYPE,
            body: JSON.stringify({ by: 'kim', action }),
          })
        ).status,
        400,
      );
    const missing = await server.ask('/api/v1/incidents/i-9/plans', {
      method: 'POST',
      headers: JSON_TYPE,
      body: '{"by":"kim"}',
    });
    assert.equal(missing.status, 404);
  });

  it('applies a plan once, of ten requests at the same moment', async t => {
    const all = await acting(t);
    const answers = await Promise.all(Array.from({ length: 10 }, () => all.post('apply', bearer(KIM))));
    assert.equal(answers.filter(({ status }) => status === 202).length, 1);
    assert.equal(answers.filter(({ status }) => status === 409).length, 9);
    await all.watched.untilIdle(all.plans);
    assert.deepEqual(all.watched.restarts, ['worker-1']);
  });

  it('aborts under the same conditions', async t => {
    const all = await acting(t);
    all.watched.world.addPod('worker-1', { name: 'slow', spec: { terminationGracePeriodSeconds: 600 } });
    assert.equal((await all.post('abort', bearer(KIM))).status, 409);
    assert.equal((await all.post('abort', JSON_TYPE)).status, 401);
    untouched(all);
  });
});

describe('the file of tokens for actions', () => {
  it('has a name and a token on each line, and is refused whole if one is wrong', () => {
    const { personOf } = readActionTokens(
      `# people\nKim Lee ${KIM}\n\nrobin robin-token-0123456789\n`,
      'people',
      undefined,
    );
    assert.equal(personOf(`Bearer ${KIM}`), 'Kim Lee');
    assert.equal(personOf('bearer robin-token-0123456789'), 'robin');
    for (const header of [undefined, '', `Basic ${KIM}`, `Bearer ${KIM} x`, 'Bearer ', `Bearer ${KIM.slice(0, -1)}`])
      assert.equal(personOf(header), undefined);
    const wrong: readonly [string, RegExp][] = [
      ['', /has no tokens/],
      [KIM, /people, line 1: expected the name of a person and their token/],
      ['kim short', /16 characters or more/],
      [`kim ${KIM}\nrobin ${KIM}`, /line 2: two people have the same token/],
      [`kim ${KIM}\nkim ${KIM}2`, /line 2: the name is there twice/],
      [`kim ${READ_TOKEN}`, /the token to read must not be one to act/],
    ];
    for (const [text, why] of wrong) {
      assert.throws(
        () => readActionTokens(text, 'people', READ_TOKEN),
        (error: Error) => why.test(error.message) && !error.message.includes(KIM),
      );
    }
  });
});
