import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { SimulatedClock } from '../../../test/double/simulated-clock.ts';
import { memoryStore } from '../io/memory-store.ts';
import type { Alert, Notice } from '../../store/notification.ts';
import type { IncidentSummary, WatchEvent } from '../watch-model.ts';
import { type AlertDestination, type SilencedAlert, NOTIFY_DEFAULTS, type NotifyOptions } from './destination.ts';
import type { WatchStore } from '../../store/ports.ts';
import { startNotifier, type Notifier } from './start-notifier.ts';
import type { Delivery } from '../../live/reply.ts';

const T0 = 1_794_772_800;

function incident(id: string, parts: Partial<IncidentSummary> = {}): IncidentSummary {
  return {
    id,
    target: 'node/worker-17',
    resource: 'live heap',
    verdict: 'leak',
    openedAt: T0,
    closedAt: null,
    sentence: 'Live heap grows 1 MiB/h.',
    acknowledged: null,
    cohort: null,
    partOf: null,
    ...parts,
  };
}

class Bench {
  readonly clock: SimulatedClock = new SimulatedClock(T0);
  readonly log: string[] = [];
  /** What each Alertmanager was sent, by its name. */
  readonly posted: Alert[][] = [];
  readonly noticed: Notice[] = [];
  incidents: IncidentSummary[] = [];
  hoursToLimit: readonly [number, number | null] | null = null;
  silenced: SilencedAlert[] = [];
  answer: Delivery = { kind: 'delivered' };
  #listener: (event: WatchEvent) => void = () => {};
  #stop = new AbortController();
  readonly store: WatchStore;

  constructor(store: WatchStore = memoryStore()) {
    this.store = store;
  }

  async start(t: TestContext, options: Partial<NotifyOptions> = {}, names = ['am']): Promise<Notifier> {
    this.#stop = new AbortController();
    t.after(() => this.#stop.abort());
    const alertmanagers = names.map((name): AlertDestination => ({
      name,
      post: async alerts => {
        this.posted.push([...alerts]);
        return this.answer;
      },
      silenced: async () => this.silenced,
    }));
    const deliver = async (notice: Notice): Promise<Delivery> => {
      if (this.answer.kind === 'delivered') this.noticed.push(notice);
      return this.answer;
    };
    return startNotifier(
      {
        source: {
          incidents: () => this.incidents,
          figures: () => ({ cause: null, unit: 'bytes', slopePerHour: 1e6, timeToLimitHours: this.hoursToLimit }),
          subscribe: listener => {
            this.#listener = listener;
            return () => {};
          },
        },
        store: this.store,
        clock: this.clock,
        random: () => 0.5,
        log: line => void this.log.push(line),
        alertmanagers,
        destinations: [{ name: 'hook', kind: 'webhook', deliver }],
      },
      { ...NOTIFY_DEFAULTS, cluster: 'prod', ...options },
      this.#stop.signal,
    );
  }

  async run(seconds: number): Promise<void> {
    await this.clock.runUntil(this.clock.now() + seconds);
    await this.store.commit();
  }

  async change(incidents: IncidentSummary[]): Promise<void> {
    this.incidents = incidents;
    this.#listener({ kind: 'incident', id: incidents[0]?.id ?? '', at: this.clock.now() });
    await this.run(1);
  }

  /** As kill -9: what is not committed is gone. */
  kill(): void {
    this.#stop.abort();
  }

  get kinds(): string[] {
    return this.noticed.map(({ id }) => id);
  }
}

describe('notifier', () => {
  it('raises an alert at once, sends it again each minute to every member, and resolves it', async t => {
    const bench = new Bench();
    await bench.start(t, { labels: { team: 'a' }, runbook: 'https://r/{resource}/{node}' }, ['am-0', 'am-1']);
    await bench.change([incident('i-1')]);
    assert.equal(bench.posted.length, 2);
    const [[alert]] = bench.posted;
    assert.deepEqual(alert.labels, {
      team: 'a',
      alertname: 'OakumLeak',
      reporter: 'oakum',
      cluster: 'prod',
      severity: 'warning',
      resource: 'live heap',
      target: 'node/worker-17',
      node: 'worker-17',
    });
    assert.equal(alert.annotations['summary'], 'node/worker-17: Live heap grows 1 MiB/h.');
    assert.equal(alert.annotations['runbook_url'], 'https://r/live%20heap/worker-17');
    assert.ok(alert.endsAt > bench.clock.now());
    await bench.run(180);
    assert.equal(bench.posted.length, 8, 'each minute, to two');
    await bench.change([incident('i-1', { sentence: 'Live heap grows 2 MiB/h.' })]);
    const [later] = bench.posted.at(-1) ?? [];
    assert.deepEqual(later?.labels, alert.labels, 'the same alert, whatever the numbers are');
    const closedAt = bench.clock.now();
    await bench.change([incident('i-1', { closedAt })]);
    const [resolved] = bench.posted.at(-1) ?? [];
    assert.deepEqual([resolved?.labels, (resolved?.endsAt ?? Infinity) <= bench.clock.now()], [alert.labels, true]);
    await bench.run(1200);
    const sent = bench.posted.length;
    await bench.run(600);
    assert.equal(bench.posted.length, sent, 'it is over');
    assert.deepEqual(bench.kinds, ['i-1-opened', 'i-1-cleared']);
  });

  it('makes suspicions known only if asked, and critical stays critical', async t => {
    const quiet = new Bench();
    await quiet.start(t);
    await quiet.change([incident('i-1', { verdict: 'watch' })]);
    assert.deepEqual([quiet.posted, quiet.noticed], [[], []]);

    const bench = new Bench();
    await bench.start(t, { leastVerdict: 'watch' });
    await bench.change([incident('i-1', { verdict: 'watch' })]);
    assert.equal(bench.posted[0][0].labels['alertname'], 'OakumSuspectedLeak');
    bench.hoursToLimit = [5, null];
    await bench.change([incident('i-1')]);
    const severities = (alerts: readonly Alert[] = []): string[] =>
      alerts.map(({ labels, endsAt }) => `${labels['severity']} ${endsAt > bench.clock.now() ? 'open' : 'resolved'}`);
    assert.deepEqual(severities(bench.posted.at(-1)), ['critical open', 'info resolved']);
    bench.hoursToLimit = [50, null];
    await bench.change([incident('i-1', { verdict: 'watch' })]);
    assert.deepEqual(severities(bench.posted.at(-1)), ['critical open', 'info resolved']);
    assert.deepEqual(bench.kinds, ['i-1-opened', 'i-1-proved']);
  });

  it('says nothing twice after kill -9, and forgets nothing', async t => {
    const bench = new Bench();
    await bench.start(t);
    bench.answer = { kind: 'failed', why: 'connection refused' };
    await bench.change([incident('i-1')]);
    await bench.run(5);
    bench.kill();
    assert.equal(bench.log.filter(line => line.startsWith('hook: connection refused')).length, 1);

    const again = new Bench(bench.store);
    again.incidents = [incident('i-1'), incident('i-2', { target: 'node/b' })];
    await again.start(t);
    await again.run(5);
    assert.deepEqual(again.kinds, ['i-1-opened', 'i-2-opened']);
    assert.equal(again.posted.at(-1)?.length, 2);
    again.kill();

    const third = new Bench(bench.store);
    third.incidents = [incident('i-1', { closedAt: T0 + 1 }), incident('i-3', { closedAt: T0 + 2 })];
    await third.start(t);
    await third.run(5);
    assert.deepEqual(third.kinds, ['i-1-cleared'], 'i-3 was over before anybody was told');
    assert.equal(third.posted[0]?.length, 2, 'i-1 and i-2 are resolved');
    assert.ok(third.posted[0].every(({ endsAt }) => endsAt <= third.clock.now()));
    assert.deepEqual(await bench.store.records({ kind: 'notice' }), []);
  });

  it('folds incidents of a cohort into one', async t => {
    const bench = new Bench();
    await bench.start(t);
    await bench.change([incident('i-1')]);
    const folded = (one: IncidentSummary): IncidentSummary => ({ ...one, partOf: 'c-1' });
    const cohort = {
      ...incident('c-1', { target: 'version v1.36.0' }),
      cohort: { attribute: 'version', value: 'v1.36.0', folded: 2, open: 2 },
    };
    await bench.change([cohort, folded(incident('i-1')), folded(incident('i-2'))]);
    assert.deepEqual(bench.kinds, ['i-1-opened', 'c-1-opened', 'i-1-folded']);
    const open = bench.posted.at(-1)?.filter(({ endsAt }) => endsAt > bench.clock.now()) ?? [];
    assert.deepEqual(
      open.map(({ labels }) => labels['cohort']),
      ['version v1.36.0'],
    );
    await bench.change([cohort, folded(incident('i-1', { closedAt: T0 + 9 }))]);
    assert.equal(bench.kinds.length, 3);
  });

  it('waits longer and longer, honours Retry-After, drops what is refused, and says what it does', async t => {
    const bench = new Bench();
    const notifier = await bench.start(t, {}, []);
    const hook = () => notifier.view().destinations[0];
    bench.answer = { kind: 'failed', why: 'it answered 503', retryAfterSeconds: 100 };
    await bench.change([incident('i-1')]);
    bench.answer = { kind: 'delivered' };
    await bench.run(90);
    assert.deepEqual([bench.kinds, hook()?.waiting, hook()?.trouble], [[], 1, 'it answered 503']);
    await bench.run(20);
    assert.deepEqual([bench.kinds, hook()?.waiting, hook()?.trouble], [['i-1-opened'], 0, null]);
    bench.answer = { kind: 'refused', why: 'it answered 400' };
    await bench.change([incident('i-1'), incident('i-2')]);
    assert.equal(hook()?.dropped, 1);
    assert.match(bench.log.at(-1) ?? '', /^hook: the notice i-2-opened was dropped: it answered 400$/);
    assert.match(notifier.metrics(), /^oakum_notifications_dropped_total\{destination="hook",kind="webhook"\} 1$/m);
  });

  it('shows which incidents are silenced', async t => {
    const bench = new Bench();
    const notifier = await bench.start(t, {}, ['am-0', 'am-1']);
    await bench.change([incident('i-1')]);
    const [[{ labels }]] = bench.posted;
    bench.silenced = [{ labels, by: 'kim', comment: 'known', until: T0 + 9000 }];
    await bench.run(60);
    const { silences } = notifier.view();
    assert.deepEqual(silences, [
      { incidentId: 'i-1', destination: 'am-0', by: 'kim', comment: 'known', until: T0 + 9000 },
    ]);
  });
});
