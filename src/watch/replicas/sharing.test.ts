import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PROFILES, resource, steady } from '../../../test/watch/scripted-node.ts';
import { process, realBackground, T0 } from '../../../test/watch/watch-bench.ts';
import { ReplicaBench, type Replica } from '../../../test/watch/replica-bench.ts';
import type { TargetVerdict } from '../../judge/detect/detection.ts';
import type { Verdict } from '../../judge/verdict.ts';
import type { Background } from '../background.ts';
import { memoryStore } from '../io/memory-store.ts';

const TARGETS = Array.from({ length: 12 }, (_, i) => `node/worker-${i}`);
const INTERVAL = 60;

/** Every scrape of every target, by whom. */
class Scrapes {
  readonly at = new Map<string, { readonly at: number; readonly by: string }[]>();

  add(target: string, at: number, by: string): void {
    this.at.set(target, [...(this.at.get(target) ?? []), { at, by }]);
  }

  longestGap(target: string, from: number, to: number): number {
    const times = [from, ...(this.at.get(target) ?? []).map(({ at }) => at).filter(at => at > from && at < to), to];
    return Math.max(...times.slice(1).map((at, i) => at - (times[i] ?? at)));
  }

  /** In how many intervals several replicas asked the target. */
  doubled(target: string): number {
    const byInterval = new Map<number, Set<string>>();
    for (const { at, by } of this.at.get(target) ?? []) {
      const interval = Math.floor(at / INTERVAL);
      byInterval.set(interval, (byInterval.get(interval) ?? new Set()).add(by));
    }
    return [...byInterval.values()].filter(({ size }) => size > 1).length;
  }
}

async function fleet(bench: ReplicaBench, ids: readonly string[], scrapes: Scrapes, parts: Parts = {}) {
  const replicas: Replica[] = [];
  for (const id of ids) replicas.push(await joined(bench, id, scrapes, parts));
  return replicas;
}

interface Parts {
  readonly background?: () => Background;
  readonly capture?: boolean;
}

async function joined(bench: ReplicaBench, id: string, scrapes: Scrapes, { background, capture }: Parts = {}) {
  const replica = await bench.start(id, {
    ...(background === undefined ? {} : { background: background() }),
    options: { capturesAllowed: capture ?? false },
  });
  for (const name of TARGETS) {
    const connection = process(
      name,
      bench.clock,
      now => {
        scrapes.add(name, now, id);
        return steady(now);
      },
      PROFILES,
    );
    replica.watch.addTarget({ name, connection, attributes: { pool: 'x' } });
  }
  return replica;
}

/** Says the same about every target that it was given samples of. */
function judging(say: () => Verdict): Background & { readonly known: Set<string> } {
  const real = realBackground(1);
  const known = new Set<string>();
  let replay = new Set<string>();
  const told = (target: string): TargetVerdict => ({ target, verdict: say(), resources: [resource(say())] });
  return {
    ...real,
    known,
    observe: rows => rows.forEach(({ target }) => known.add(target)),
    forget: targets => targets.forEach(target => known.delete(target)),
    replay: {
      observe: rows => rows.forEach(({ target }) => replay.add(target)),
      evaluate: async () => {},
      join: () => {
        for (const target of replay) known.add(target);
        replay = new Set();
      },
    },
    evaluate: async () => [...known].map(told),
  };
}

const rowsOf = ({ watch }: Replica) => watch.fleetRows(TARGETS, 1);

describe('replicas of a watch', () => {
  it('sample each target once, and each of them shows all of it within seconds', async () => {
    const bench = new ReplicaBench();
    const scrapes = new Scrapes();
    const replicas = await fleet(bench, ['a', 'b', 'c'], scrapes);
    await bench.run(600);
    for (const target of TARGETS) {
      const times = scrapes.at.get(target) ?? [];
      assert.ok(times.length >= 9 && times.length <= 12, `${target}: ${times.length} scrapes`);
    }
    assert.ok(new Set([...scrapes.at.values()].flatMap(all => all.slice(-3).map(({ by }) => by))).size === 3);
    const now = bench.clock.now();
    for (const replica of replicas) {
      const rows = rowsOf(replica);
      assert.equal(rows.length, TARGETS.length);
      for (const { target, lastSampleAt } of rows)
        assert.ok(now - (lastSampleAt ?? 0) <= INTERVAL * 1.1 + 6, `${target} is ${now - (lastSampleAt ?? 0)} s old`);
      assert.equal(replica.watch.status().targetCount, TARGETS.length);
      assert.deepEqual(
        (await replica.watch.fleet(1)).rows
          .flatMap(({ target }) => (target.startsWith('oakum/') ? [target] : []))
          .sort(),
        ['oakum/a', 'oakum/b', 'oakum/c'],
      );
    }
    for (const replica of replicas) await replica.leave();
  });

  it('take over what a dead one sampled within 30 s, and leave nothing unsampled for 90 s', async () => {
    const bench = new ReplicaBench();
    const scrapes = new Scrapes();
    const [a, b, c] = await fleet(bench, ['a', 'b', 'c'], scrapes);
    await bench.run(300);
    const orphans = TARGETS.filter(target => b.session.owns(target));
    assert.ok(orphans.length > 0);
    b.kill();
    const killedAt = bench.clock.now();
    await bench.run(30);
    assert.ok(orphans.every(target => a.session.owns(target) || c.session.owns(target)));
    await bench.run(300);
    for (const target of TARGETS) {
      const gap = scrapes.longestGap(target, T0 + 120, bench.clock.now());
      assert.ok(gap <= 90, `${target}: ${gap} s without a sample`);
      assert.ok(scrapes.doubled(target) <= 2, `${target}: asked by two in ${scrapes.doubled(target)} intervals`);
    }
    for (const target of orphans)
      assert.ok((scrapes.at.get(target) ?? []).every(({ at, by }) => by !== 'b' || at <= killedAt));
    // It comes back under its name, and takes its share again without a gap.
    const again = await joined(bench, 'b', scrapes);
    await bench.run(300);
    assert.deepEqual(
      orphans.filter(target => again.session.owns(target)),
      orphans,
    );
    for (const target of TARGETS) assert.ok(scrapes.longestGap(target, killedAt + 90, bench.clock.now()) <= 90);
    for (const replica of [a, c, again]) await replica.leave();
  });

  it('one of which slept samples nothing that others have taken', async () => {
    const bench = new ReplicaBench();
    const scrapes = new Scrapes();
    const [a, b] = await fleet(bench, ['a', 'b'], scrapes);
    await bench.run(300);
    // Cut off for a while: both sample; then each target is sampled once again.
    bench.authority.unreachable.add('b');
    await bench.run(120);
    bench.authority.unreachable.delete('b');
    await bench.run(5);
    const from = bench.clock.now();
    await bench.run(300);
    for (const target of TARGETS) {
      const since = (scrapes.at.get(target) ?? []).filter(({ at }) => at > from);
      assert.equal(new Set(since.map(({ by }) => by)).size, 1, target);
    }
    assert.equal(b.session.trouble, null);
    for (const replica of [a, b]) await replica.leave();
  });

  it('judge their own targets, and show what the others found: verdicts, incidents, notes', async () => {
    const bench = new ReplicaBench();
    const replicas = await fleet(bench, ['a', 'b', 'c'], new Scrapes(), { background: () => judging(() => 'leak') });
    await bench.run(700);
    const ids = new Set<string>();
    for (const replica of replicas) {
      assert.ok(rowsOf(replica).every(({ verdict, incidentId }) => verdict === 'leak' && incidentId !== null));
      const open = replica.watch.incidents().filter(({ target }) => target.startsWith('node/'));
      assert.equal(open.length, TARGETS.length, 'one incident for each target');
      for (const { id } of open) ids.add(id);
    }
    assert.equal(ids.size, TARGETS.length, 'the same everywhere');
    // A note that reaches a replica which does not sample the target is kept by all.
    const [a, b] = replicas;
    const foreign = a.watch.incidents().find(({ target }) => b.session.owns(target));
    assert.ok(foreign !== undefined);
    a.watch.annotate(foreign.id, { by: 'kim', text: 'known', acknowledges: true });
    await bench.run(700);
    for (const replica of replicas) {
      const view = await replica.watch.incident(foreign.id);
      assert.deepEqual(
        view?.notes.map(({ by, text }) => `${by} ${text}`),
        ['kim known'],
      );
    }
    const [stored] = await memoryStore(bench.memory).records({ kind: 'incident', id: foreign.id });
    assert.equal((stored.document as { notes: unknown[] }).notes.length, 1);
    for (const replica of replicas) await replica.leave();
  });

  it('take over incidents, and close none that goes on', async () => {
    const bench = new ReplicaBench();
    const replicas = await fleet(bench, ['a', 'b'], new Scrapes(), { background: () => judging(() => 'leak') });
    await bench.run(700);
    const before = replicas[0].watch.incidents().map(({ id }) => id);
    replicas[1].kill();
    await bench.run(900);
    const after = replicas[0].watch.incidents().filter(({ target }) => target.startsWith('node/'));
    assert.deepEqual(after.map(({ id }) => id).sort(), before.filter(id => after.some(one => one.id === id)).sort());
    assert.equal(after.length, TARGETS.length);
    assert.ok(after.every(({ closedAt }) => closedAt === null));
    await replicas[0].leave();
  });

  it('tell a suspicion at once, and the numbers of healthy targets every half hour', async () => {
    const bench = new ReplicaBench();
    const scrapes = new Scrapes();
    let verdict: Verdict = 'healthy';
    let level = 0;
    const numbered = (): Background => {
      const one = judging(() => verdict);
      return {
        ...one,
        evaluate: async at =>
          (await one.evaluate(at)).map(told => ({
            ...told,
            resources: told.resources.map(known => ({ ...known, level: ++level })),
          })),
      };
    };
    const [a, b] = await fleet(bench, ['a', 'b'], scrapes, { background: numbered });
    await bench.run(200);
    const from = bench.clock.now();
    /** Evaluations every five minutes, as if time passed between them. */
    const toldIn = async (evaluations: readonly number[]): Promise<number> => {
      const before = bench.board.verdictCount;
      for (const evaluation of evaluations)
        for (const { watch } of [a, b]) {
          await watch.evaluate(from + 300 * evaluation);
          await watch.settle();
        }
      return bench.board.verdictCount - before;
    };
    await toldIn([0]);
    const quiet = await toldIn([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    // Each target twice to four times in an hour, not at each of its twelve evaluations.
    assert.ok(quiet >= TARGETS.length && quiet <= 4 * (TARGETS.length + 2), `${quiet} were told`);
    verdict = 'watch';
    assert.ok((await toldIn([13, 14, 15])) >= 3 * TARGETS.length, 'at each evaluation');
    await bench.run(10);
    for (const replica of [a, b])
      assert.ok(
        rowsOf(replica).every(row => row.verdict === 'watch'),
        'both show it',
      );
    for (const replica of [a, b]) await replica.leave();
  });

  it('the leader judges all targets, the others their own; a new one knows the verdicts at once', async () => {
    const bench = new ReplicaBench();
    const backgrounds: (Background & { readonly known: Set<string> })[] = [];
    const background = () => {
      const made = judging(() => 'watch');
      backgrounds.push(made);
      return made;
    };
    const replicas = await fleet(bench, ['a', 'b'], new Scrapes(), { background });
    await bench.run(400);
    const nodes = (one: { readonly known: Set<string> }) => [...one.known].filter(name => name.startsWith('node/'));
    assert.ok(replicas[0].session.isLeader);
    assert.equal(nodes(backgrounds[0]).length, TARGETS.length);
    assert.deepEqual(nodes(backgrounds[1]).sort(), TARGETS.filter(target => replicas[1].session.owns(target)).sort());
    const late = await joined(bench, 'c', new Scrapes(), { background });
    await bench.run(6);
    assert.ok(rowsOf(late).every(({ verdict }) => verdict === 'watch'));
    replicas[0].kill();
    await bench.run(60);
    const leader = [replicas[1], late].find(({ session }) => session.isLeader);
    assert.ok(leader !== undefined);
    assert.equal(nodes(backgrounds[leader === late ? 2 : 1]).length, TARGETS.length);
    for (const replica of [replicas[1], late]) await replica.leave();
  });

  it('pass a request for a capture on to whoever samples the target', async () => {
    const bench = new ReplicaBench();
    const replicas = await fleet(bench, ['a', 'b'], new Scrapes(), {
      background: () => judging(() => 'healthy'),
      capture: true,
    });
    await bench.run(120);
    const [a, b] = replicas;
    const foreign = TARGETS.find(target => b.session.owns(target)) ?? '';
    const asked = a.watch.captureNow(foreign, 'to see');
    await bench.run(30);
    const reply = await asked;
    assert.ok(reply !== undefined && 'captureId' in reply, JSON.stringify(reply));
    await bench.run(10);
    for (const replica of replicas) assert.equal(replica.watch.capture(reply.captureId)?.target, foreign);
    // Nobody answers for the dead.
    b.kill();
    const lost = a.watch.captureNow(foreign, 'again');
    await bench.run(200);
    const refused = await lost;
    assert.ok(refused !== undefined && 'refused' in refused);
    assert.match(refused.refused, /^b, which samples node\/worker-\d+, did not answer; try again in a minute$/);
    await a.leave();
  });

  it('catch up from the store if news were lost', async () => {
    const bench = new ReplicaBench();
    const replicas = await fleet(bench, ['a', 'b'], new Scrapes(), { background: () => judging(() => 'leak') });
    bench.board.lost = Infinity;
    await bench.run(700);
    for (const replica of replicas)
      assert.equal(replica.watch.incidents().filter(({ target }) => target.startsWith('node/')).length, TARGETS.length);
    for (const replica of replicas) await replica.leave();
  });
});
