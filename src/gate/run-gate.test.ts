import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GatedProgram as Program } from '../../test/double/gated-program.ts';
import { encodeText } from '../base/text.ts';
import { encodeProfile } from '../profile/formats/pprof/encode.ts';
import { readHeapText } from '../profile/formats/heap-text.ts';
import { familiesOf } from '../evidence/snapshots/families-of.ts';
import { readPile } from '../evidence/snapshots/read-pile.ts';
import type { PileItem } from '../evidence/pile.ts';
import type { Analysis } from '../judge/analysis.ts';
import { analyzePile } from '../judge/process/analyze-pile.ts';
import { renderJson } from '../report/json.ts';
import { BUNDLED_LEAKS } from '../knowledge/bundled.ts';
import type { GateResult } from './gate.ts';
import type { KnownLeak } from '../knowledge/known-leak.ts';
import { baselineText, readBaseline } from './baseline.ts';
import { type Budget, NO_BUDGET } from './budget.ts';
import { budgetText, readBudget } from './budget-file.ts';
import type { GateChoices } from './gate-log.ts';
import type { GateEnd } from './run-gate.ts';
import { countInIndex } from './take-round.ts';

function budgetOf(content: unknown): Budget {
  const { budget, problems } = readBudget(content, 'b.yaml');
  assert.deepEqual(problems, []);
  return { ...budget, baseline: undefined };
}

/** A heap profile in the small form; padding that readers skip makes it large. */
function largeHeapProfile(): Uint8Array {
  const text =
    'heap profile: 1: 8 [1: 8] @ heap/1048576\n1: 8 [1: 8] @ 0x7 0x8\n#\t0x8\tmain.open+0x20\t/src/app/main.go:71\n\n';
  const body = encodeProfile(readHeapText(encodeText(text)).profile);
  const padding = new Uint8Array(600 * 1024 + 5);
  // Field 100, a text of 600 KiB.
  padding.set([0xa2, 0x06, 0x80, 0xc0, 0x25]);
  const whole = new Uint8Array(body.length + padding.length);
  whole.set(body);
  whole.set(padding, body.length);
  return whole;
}

async function judged(program: Program, choices: Partial<GateChoices> = {}): Promise<GateResult> {
  const end = await program.run(choices);
  assert.equal(end.kind, 'judged', JSON.stringify(end));
  return (end as Extract<GateEnd, { kind: 'judged' }>).result;
}

function gateFile(result: GateResult): readonly [path: string, bytes: Uint8Array] {
  return ['gate.json', encodeText(renderJson(result))];
}

/** What `oakum analyze` says of the folder of a gate. */
async function analyzed(files: readonly (readonly [path: string, bytes: Uint8Array])[]): Promise<Analysis> {
  async function* members(): AsyncGenerator<PileItem> {
    for (const [path, bytes] of files)
      yield { kind: 'member', path: `gate/${path}`, bytes, mtimeSeconds: undefined, damage: undefined };
  }
  return analyzePile(await readPile(members(), { families: familiesOf }), { catalogue: [] });
}

describe('a gate', () => {
  it('names the family, its place and how many each operation leaves behind', async () => {
    const program = new Program();
    program.operate = () => void (program.stuck += 100);
    const result = await judged(program);
    assert.deepEqual([result.outcome, result.sentence], ['leaks', 'Each operation leaves 2 goroutines behind.']);
    const [family] = result.families;
    assert.deepEqual(
      [family?.title, family?.at, family?.resource],
      ['main.forward ← chan send', 'app/main.go:37', 'goroutines'],
    );
    assert.deepEqual([family?.createdBy, family?.cause], ['main.handle', 'A send that nobody receives']);
    assert.ok(Math.abs((family?.growth?.[1] ?? 0) - 2) < 1e-9);
    assert.equal(result.growsWhenIdle, false);
    assert.ok(
      [...program.saved.keys()].some(path => /^round-01\/heap-gc1-\d+\.txt$/.test(path)),
      [...program.saved.keys()].join(' '),
    );
  });

  it('is within the budget when nothing stays', async () => {
    const program = new Program();
    program.operate = round => void (program.stuck = round % 2);
    const result = await judged(program);
    assert.deepEqual([result.outcome, result.families], ['within budget', []]);
    assert.deepEqual(
      result.measures.map(({ resource, decision }) => `${resource}: ${decision}`),
      [
        'goroutines: within',
        'heap: within',
        'objects: within',
        'file descriptors: within',
        'threads: within',
        'metric series: within',
      ],
    );
  });

  it('waits for rest by the index, and takes one profile of goroutines per round', async () => {
    const program = new Program();
    const { rounds } = await judged(program);
    const asked = (path: string): number => program.asked.filter(one => one === path).length;
    assert.equal(asked('/debug/pprof/goroutine?debug=1'), rounds + 1);
    assert.ok(asked('/debug/pprof/') >= 5 * (rounds + 1));
    const old = '<tr><td align=right>12<td><a href="goroutine?debug=1">goroutine</a>';
    const [now, other] = ["<tr><td>9</td><td><a href='goroutine?debug=1'>", '<html>no list'];
    assert.deepEqual(
      [old, now, other].map(page => countInIndex(encodeText(page))),
      [12, 9, undefined],
    );
  });

  it('knows the heap of a busy program by the collection that left least', async () => {
    const program = new Program();
    program.floatingBytes = [3_000_000, 1_000_000, 0, 2_500_000, 500_000, 1_500_000];
    const { outcome, measures } = await judged(program);
    assert.equal(outcome, 'within budget');
    assert.deepEqual(new Set(measures.find(one => one.resource === 'heap')?.levels), new Set([4_000_000]));
    const kept = [...program.saved.keys()].filter(path => path.startsWith('round-01/heap-'));
    assert.equal(kept.length, 1, 'only that one is evidence');
    const quiet = new Program();
    const { rounds } = await judged(quiet);
    assert.equal(quiet.collections, 2 * (rounds + 1), 'two that agree are enough');
  });

  it('takes the number of operations from the command', async () => {
    const program = new Program();
    program.operate = () => {
      program.heapBytes += 500_000;
      return { kind: 'done', operations: 500 };
    };
    const result = await judged(program);
    assert.equal(result.sentence, 'Each operation leaves 1000 B of heap behind.');
    assert.match(result.notes[0] ?? '', /memprofilerate/);
  });

  it('tells growth over time from growth per operation', async () => {
    const program = new Program();
    program.pass = seconds => void (program.stuck += 10 * seconds);
    const result = await judged(program);
    assert.equal(result.outcome, 'within budget', 'nobody set a budget per hour');
    assert.equal(result.growsWhenIdle, true);
    assert.match(
      result.sentence,
      /^Nothing grows per operation beyond its budget: [\d,]+ operations\. It grows by 36,000 goroutines per hour with or without operations, for which there is no budget\.$/,
    );
    assert.deepEqual(
      result.measures.filter(one => one.resource === 'goroutines').map(({ per, decision }) => `${per}: ${decision}`),
      ['operation: over time', 'hour: over time'],
    );
    const [family] = result.families;
    assert.deepEqual([family?.per, family?.decision], ['hour', 'over time']);
    assert.match(result.notes.join('\n'), /what grows over time does not fail the gate/);
  });

  it('still finds what operations leave behind beside growth over time', async () => {
    const program = new Program();
    program.pass = seconds => void (program.heapBytes += 20_000 * seconds);
    program.operate = () => void (program.stuck += 50);
    const result = await judged(program);
    assert.deepEqual([result.outcome, result.sentence], ['leaks', 'Each operation leaves 1 goroutine behind.']);
    assert.ok(result.measures.some(({ per, decision }) => per === 'hour' && decision === 'over time'));
  });

  it('calls no leak what becomes more while the goroutines are others', async () => {
    const program = new Program();
    program.operate = round => {
      program.stuck += 50;
      // Those of a round end in the next one, and more come.
      program.firstId = 100 + 10_000 * round;
    };
    const { outcome, families, notes } = await judged(program);
    assert.equal(outcome, 'undecided');
    assert.deepEqual(
      families.map(({ decision }) => decision),
      ['undecided'],
    );
    assert.match(notes.join('\n'), /not the same ones: those that came have ended since/);
  });

  it('counts memory outside the Go heap and metric series, and fails on either', async () => {
    const native = new Program();
    native.process = '10 5';
    native.operate = () => void (native.besideHeapBytes += 50 * 8192);
    const cgo = await judged(native);
    assert.deepEqual(
      [cgo.outcome, cgo.sentence],
      ['leaks', 'Each operation leaves 8 KiB of memory outside the Go heap behind.'],
    );
    const labelled = new Program();
    labelled.operate = () => void (labelled.series += 50);
    const series = await judged(labelled);
    assert.deepEqual([series.outcome, series.sentence], ['leaks', 'Each operation leaves 1 metric series behind.']);
  });

  it('is not held up by memory outside the Go heap that only wanders', async () => {
    const wandering = (): Program => {
      const program = new Program();
      program.process = '10 5';
      const noise = [0, 1, -1, 1, 0, -1, 0, 1, 1, -1, -1];
      program.operate = round => void (program.besideHeapBytes = 40e6 + 4e6 * noise[round % 11]!);
      return program;
    };
    const { outcome, notes } = await judged(wandering());
    assert.equal(outcome, 'within budget');
    assert.match(notes.join('\n'), /memory outside the Go heap wanders too much to be decided/);
    const budget = budgetOf({ budgets: [{ resource: 'native-memory', max: '1Ki' }] });
    assert.equal((await judged(wandering(), { budget })).outcome, 'undecided', 'a budget makes it count');
  });

  it('asks a large process for the small form of the heap profile, and takes totals from its metrics', async () => {
    const program = new Program();
    program.heapProfile = largeHeapProfile();
    program.operate = () => void (program.heapBytes += 500_000);
    const { outcome, sentence } = await judged(program);
    assert.deepEqual([outcome, sentence], ['leaks', 'Each operation leaves 9.77 KiB of heap behind.']);
    assert.ok(
      !program.asked.some(path => path.includes('heap?gc=1&debug=1')),
      'the text would be thirty times as large',
    );
    assert.ok([...program.saved.keys()].some(path => /^round-01\/heap-gc1-\d+\.pb\.gz$/.test(path)));
  });

  it('leaves evidence that says the same, and how many operations there were', async () => {
    const program = new Program();
    program.operate = () => void (program.stuck += 50);
    const result = await judged(program);
    assert.deepEqual([result.outcome, result.families[0]?.title], ['leaks', 'main.forward ← chan send']);
    const saved = [...program.saved, gateFile(result)];
    const verdictOf = async (files: typeof saved): Promise<string> => {
      const { verdict, findings } = await analyzed(files);
      const each = findings.find(({ resource }) => resource === 'goroutines')?.growth?.perOperation;
      return `${verdict} ${each == null ? 'unknown' : 'known'}`;
    };
    assert.equal(await verdictOf(saved), 'leak known');
    assert.match(await verdictOf(saved.slice(0, -1)), / unknown$/, 'without what the gate decided');
  });

  it('leaves evidence that names a leak without a family, too', async () => {
    const program = new Program();
    program.operate = () => void (program.series += 50);
    const result = await judged(program);
    assert.deepEqual([result.outcome, result.families], ['leaks', []]);
    const { verdict, findings } = await analyzed([...program.saved, gateFile(result)]);
    const [first] = findings;
    assert.deepEqual([verdict, first?.resource, first?.verdict], ['leak', 'metric-series', 'leak']);
    assert.match(first?.reasons.join() ?? '', /^metric series: each operation leaves 1 behind, as the gate decided/);
  });

  it('does not call the contents of a store a leak, unless a stack shows one or a budget counts them', async () => {
    const answer = async (worker: string, budget: Budget = NO_BUDGET): Promise<GateResult> => {
      const program = new Program();
      program.worker = worker;
      program.operate = () => void (program.heapBytes += 50_000);
      return judged(program, { budget });
    };
    const etcd = 'go.etcd.io/etcd/server/etcdserver.(*raftNode).start';
    const own = await answer('main.worker');
    assert.equal(own.outcome, 'leaks');
    const stored = await answer(etcd);
    assert.equal(stored.outcome, 'undecided');
    assert.match(stored.notes.join('\n'), /^etcd keeps every revision of its keys until they are compacted: memory/m);
    const row = {
      resource: 'heap',
      max: 100,
      family: undefined,
      package: undefined,
      label: undefined,
      per: 'operation',
    } as const;
    assert.equal((await answer(etcd, { ...NO_BUDGET, rows: [row] })).outcome, 'leaks');
  });

  it('tells a limit as a limit', async () => {
    const program = new Program();
    program.cutPaths = new Set(['/debug/pprof/heap?gc=1', '/debug/pprof/heap?gc=1&debug=1']);
    const { notes } = await judged(program);
    assert.match(
      notes.join('\n'),
      /the heap was not counted: the answer is larger than the cap: only the first \d+ bytes/,
    );
  });

  it('judges a budget per hour by idle rounds', async () => {
    const budget = budgetOf({ budgets: [{ resource: 'goroutines', per: 'hour', max: '1000' }] });
    const quiet = await judged(new Program(), { budget });
    assert.equal(quiet.outcome, 'within budget');
    assert.ok(quiet.idleRounds > 3);
    const slow = new Program();
    // 1 goroutine per second and 5,000 operations in a round: within the budget per operation, not per hour.
    slow.pass = seconds => void (slow.stuck += seconds);
    const result = await judged(slow, { budget, operations: 5000 });
    assert.deepEqual(
      [result.outcome, result.sentence],
      ['leaks', 'It grows by 3,600 goroutines per hour with or without operations.'],
    );
  });

  it('does not call a leak what goes away while nothing is done', async () => {
    const program = new Program();
    let idle = 0;
    program.operate = () => {
      idle = 0;
      program.stuck += 50;
    };
    program.pass = seconds => {
      idle += seconds;
      if (idle > 20) program.stuck = 0;
    };
    const result = await judged(program);
    assert.equal(result.outcome, 'undecided');
    assert.match(result.notes[0] ?? '', /fell again in the idle rounds.*--settle/);
  });

  it('names the goroutines that survived', async () => {
    const program = new Program();
    program.stuck = 7;
    program.operate = () => void (program.stuck += 50);
    const result = await judged(program);
    const { survivors } = result.families[0] ?? {};
    assert.equal(survivors?.count, 50 * result.rounds);
    assert.deepEqual(survivors?.ids.slice(0, 3), [107, 108, 109]);
    assert.equal(survivors?.oldestMinutes, 3);
  });

  it('judges what a label owns, and says so', async () => {
    const leaking = (): Program => {
      const program = new Program();
      program.labels = '# labels: {"controller":"workspace", "tenant":"a"}\n';
      program.operate = () => void (program.stuck += 50);
      return program;
    };
    const plain = await judged(leaking(), { operation: 'workspace' });
    assert.equal(plain.sentence, 'Each workspace leaves 1 goroutine behind.');
    assert.equal(plain.families[0]?.owner, 'workspace');
    assert.deepEqual(
      plain.families[0]?.labels.map(({ label }) => label),
      ['controller=workspace', 'tenant=a'],
    );
    const allowed = budgetOf({ budgets: [{ resource: 'goroutines', label: 'controller=workspace', max: '2' }] });
    const within = await judged(leaking(), { budget: allowed });
    assert.deepEqual(
      [within.outcome, within.measures.at(-1)?.scope, within.measures.at(-1)?.decision],
      ['within budget', 'label controller=workspace', 'within'],
    );
    const tight = budgetOf({ budgets: [{ resource: 'goroutines', label: 'tenant=a', max: '0.5' }] });
    assert.equal((await judged(leaking(), { budget: tight })).measures.at(-1)?.decision, 'leaks');
  });

  it('still sees another leak beside an excepted one', async () => {
    const program = new Program();
    program.operate = () => {
      program.stuck += 50;
      program.heapBytes += 500_000;
    };
    const budget = budgetOf({ exceptions: [{ package: 'main', reason: 'known', until: '2026-12-31' }] });
    const result = await judged(program, { budget });
    assert.deepEqual([result.outcome, result.sentence], ['leaks', 'Each operation leaves 9.77 KiB of heap behind.']);
  });

  it('passes what the baseline has, fails what is faster, and follows a leak that moved', async () => {
    const leaking = (each: number): Program => {
      const program = new Program();
      program.operate = () => void (program.stuck += each);
      return program;
    };
    const first = await judged(leaking(50));
    const { baseline, problems } = readBaseline(baselineText(first), 'b.json');
    assert.deepEqual(problems, []);
    const budget = { ...NO_BUDGET, baseline };
    assert.equal((await judged(leaking(50), { budget })).outcome, 'within budget');
    assert.equal((await judged(leaking(150), { budget })).outcome, 'leaks');
    const renamed = { ...baseline, families: baseline.families.map(one => ({ ...one, family: 'g-0000000000' })) };
    const moved = await judged(leaking(50), { budget: { ...NO_BUDGET, baseline: renamed } });
    assert.equal(moved.outcome, 'within budget');
    assert.match(
      moved.families[0]?.exception ?? '',
      /^as fast as g-0000000000 \(main\.forward.*of the baseline, which is gone$/,
    );
    assert.match(readBaseline('{', 'b.json').problems[0] ?? '', /is not JSON/);
    assert.match(
      readBaseline('{"schema":"oakum.gate.baseline/v1"}', 'b.json').problems[0] ?? '',
      /measures: must be a list/,
    );
  });

  it('is undecided at the last round, and says what would decide', async () => {
    const program = new Program();
    program.operate = round => void (program.heapBytes = 4_000_000 + 400_000 * [0, 1, -1, 1, 0, -1, 0][round % 7]!);
    const result = await judged(program, { maxRounds: 8 });
    assert.equal(result.outcome, 'undecided');
    assert.ok((result.operationsNeeded ?? 0) > 50);
    assert.match(result.sentence, /^Undecided after 400 operations; about [\d,]+ more would decide\.$/);
  });

  it('gets a budget with which a noisy program passes, from what is there', async () => {
    const noisy = (from: number): Program => {
      const program = new Program();
      const noise = [0, 1, -1, 1, 0, -1, 0, 1, 1, -1, -1];
      program.operate = round => void (program.heapBytes = 4_000_000 + 400_000 * noise[(round + from) % 11]!);
      return program;
    };
    const first = await judged(noisy(0), { maxRounds: 20 });
    assert.equal(first.outcome, 'undecided');
    const text = budgetText(first, undefined);
    const [, max = ''] =
      /^ {2}- { resource: heap, max: (\S+) } # now .*; more operations in a round allow less$/m.exec(text) ?? [];
    assert.match(max, /^\d+(?:\.\d+)?Ki$/, text);
    assert.match(text, /{ resource: goroutines, max: 0\.01 } # now 0 \(/, 'what was decided keeps the usual budget');
    const budget = budgetOf({ budgets: [{ resource: 'heap', max }] });
    for (const from of [1, 4, 7])
      assert.equal((await judged(noisy(from), { maxRounds: 20, budget })).outcome, 'within budget');
  });

  it('knows every resource before it writes a budget', async () => {
    const program = new Program();
    const noise = [0, 1, -1, 1, 0, -1, 0, 1, 1, -1, -1];
    program.operate = round => {
      program.stuck += 50;
      program.heapBytes = 4_000_000 + 40_000 * noise[round % 11]!;
    };
    const soon = await judged(program);
    assert.deepEqual([soon.outcome, soon.measures[1]?.decision], ['leaks', 'undecided']);
    const whole = await judged(program, { decidesAll: true });
    assert.deepEqual([whole.outcome, whole.measures[1]?.decision], ['leaks', 'within']);
    assert.ok(whole.rounds > soon.rounds);
  });

  it('does not name descriptors of goroutines beside the goroutines', async () => {
    const program = new Program();
    program.heapFrame = 'runtime.malg';
    program.operate = () => {
      program.stuck += 50;
      program.heapBytes += 500_000;
      program.sampledBytes += 500_000;
    };
    const names = async (): Promise<string[]> => (await judged(program)).families.map(one => one.title);
    assert.deepEqual(await names(), ['main.forward ← chan send']);
    program.heapFrame = 'main.open';
    assert.deepEqual(await names(), ['main.forward ← chan send', 'main.open']);
  });

  it('passes with an exception until its last day, and fails after it', async () => {
    const leaking = (): Program => {
      const program = new Program();
      program.operate = () => void (program.stuck += 50);
      return program;
    };
    const { families } = await judged(leaking());
    const budget = budgetOf({ exceptions: [{ family: families[0]?.family, reason: 'known', until: '2026-12-31' }] });
    const excepted = await judged(leaking(), { budget });
    assert.deepEqual([excepted.outcome, excepted.families[0]?.exception], ['within budget', 'known, until 2026-12-31']);
    const late = await judged(leaking(), { budget, today: '2027-01-01' });
    assert.equal(late.outcome, 'leaks');
    assert.match(late.expired[0] ?? '', /ended on 2026-12-31: known$/);
    const fixed = await judged(new Program(), { budget, today: '2027-01-01' });
    assert.match(fixed.sentence, /^An exception of the budget is over, so the gate fails\. Nothing grows/);
  });

  it('allows excepted goroutines a little heap, and says so when they hold more', async () => {
    const holding = (bytesEach: number): Program => {
      const program = new Program();
      program.operate = () => {
        program.stuck += 50;
        program.heapBytes += 50 * bytesEach;
      };
      return program;
    };
    const budget = budgetOf({
      exceptions: [{ family: (await judged(holding(0))).families[0]?.family, reason: 'known', until: '2026-12-31' }],
    });
    const little = await judged(holding(800), { budget });
    assert.deepEqual([little.outcome, little.measures[1]?.budget], ['within budget', 512 + 1024]);
    const more = await judged(holding(8000), { budget });
    assert.equal(more.outcome, 'leaks');
    assert.match(more.notes.join('\n'), /excepted goroutines may hold this heap/);
  });

  it('fails on a known leak of this version, however wide the budget of the whole resource is', async () => {
    const [entry] = BUNDLED_LEAKS;
    assert.ok(entry?.signatures[0] !== undefined);
    const known: KnownLeak = {
      ...entry,
      refs: ['example#1'],
      preconditions: [],
      affected: [{ from: '1.36.0', fixed: '1.36.3' }],
      signatures: [
        {
          ...entry.signatures[0],
          resource: 'goroutines',
          frames: ['main.forward'],
          createdBy: [],
          states: [],
          normalPer: '',
        },
      ],
    };
    const leaking = (version: string): Program => {
      const program = new Program();
      program.version = version;
      program.operate = () => void (program.stuck += 10);
      return program;
    };
    const budget = budgetOf({ budgets: [{ resource: 'goroutines', max: '5' }] });
    const affected = await judged(leaking('v1.36.0'), { budget, catalogue: [known] });
    assert.deepEqual([affected.outcome, affected.families[0]?.knownLeak], ['leaks', 'example#1']);
    const fixed = await judged(leaking('v1.36.3'), { budget, catalogue: [known] });
    assert.equal(fixed.outcome, 'within budget', 'the budget allows it');
    const accepted = budgetOf({
      budgets: [
        { resource: 'goroutines', max: '5' },
        { resource: 'goroutines', family: affected.families[0]?.family, max: '1' },
      ],
    });
    const allowed = await judged(leaking('v1.36.0'), { budget: accepted, catalogue: [known] });
    assert.equal(allowed.outcome, 'within budget', 'a row of its own covers it');
  });

  it('gives no verdict on a command that fails, a target that dies or is restarted, and a stop', async () => {
    const failing = new Program();
    failing.operate = () => ({ kind: 'failed', message: 'make exited with 2' });
    assert.deepEqual(await failing.run(), { kind: 'command-failed', message: 'round 1: make exited with 2' });
    const gone = new Program();
    gone.operate = () => {
      gone.isDown = true;
      return { kind: 'failed', message: 'make exited with 2' };
    };
    const lost = await gone.run();
    assert.equal(lost.kind, 'target-lost', 'the command failed because the target died');
    const dying = new Program();
    dying.operate = round => void (dying.isDown = round === 3);
    assert.equal((await dying.run()).kind, 'target-lost');
    const restarting = new Program();
    restarting.operate = round => void (restarting.startSeconds += round === 4 ? 100 : 0);
    assert.deepEqual(await restarting.run(), {
      kind: 'restarted',
      message: 'the target was restarted in round 4: no verdict',
    });
    const replaced = new Program();
    replaced.operate = round => void (replaced.process = round < 3 ? '10 5' : '11 9');
    assert.equal((await replaced.run()).kind, 'restarted', 'another process of this machine');
    const stopped = new Program();
    stopped.operate = () => stopped.stop.abort();
    assert.equal((await stopped.run()).kind, 'stopped');
  });
});
