/** The end of a gate: idle rounds if they are needed, the goroutines that survived, and the answer. */
import type { FamilyCount, FamilyTable } from '../profile/families/family.ts';
import { type GateFamily, type GateMeasure, type GateResult, type GateSurvivors, isLeak } from './gate.ts';
import { describeFamily } from './describe-family.ts';
import { answerOf, outcomeOf } from './gate-answer.ts';
import { factsOf, type GateChoices, type GateLog, isRestarted, roundFolder } from './gate-log.ts';
import { type IdleAnswer, judgeIdle } from './idle-growth.ts';
import type { JudgedRounds } from './judge-rounds.ts';
import { listGoroutines, type RoundPorts, type RoundState, takeRound, TargetLost } from './take-round.ts';

const MAX_IDS = 10;

/** Usually enough to tell growth over time from growth per operation; if not, there are as many as rounds before. */
const IDLE_ROUNDS = 3;
/** An idle round lasts as long as a round of operations, but not longer than this. */
const MAX_IDLE_SECONDS = 30;

export async function finishGate(
  ports: RoundPorts,
  log: GateLog,
  choices: GateChoices,
  judged: JudgedRounds,
  earlierIdleRounds = 0,
): Promise<GateResult> {
  const leaks = outcomeOf(judged, choices.budget) === 'leaks';
  const hasHourly = choices.budget.rows.some(({ per }) => per === 'hour');
  const idle: RoundState[] = log.last === undefined ? [] : [log.last];
  const after = leaks && log.last !== undefined ? await listed(ports, log, log.rounds, log.last) : undefined;
  const answer = () => judgeIdle(judged, { idle, operations: log.total, seconds: log.seconds, budget: choices.budget });
  const most = hasHourly ? choices.maxRounds : Math.max(IDLE_ROUNDS, log.rounds);
  const isOpen = (): boolean => idle.length <= IDLE_ROUNDS || (idle.length <= most && !answer().isClear);
  while ((leaks || hasHourly) && isOpen() && !ports.signal.aborted) {
    await ports.sleep(Math.min(MAX_IDLE_SECONDS, log.roundSeconds));
    const state = await takeRound(ports, roundFolder(log.rounds + idle.length));
    if (isRestarted(idle.at(-1), state)) throw new TargetLost('the target was restarted while it was idle');
    idle.push(state);
  }
  const last = idle.at(-1);
  const end = leaks && last !== undefined ? await listed(ports, log, log.rounds + idle.length - 1, last) : undefined;
  log.afterIdle = last;
  const lists = { before: log.listedBefore, early: log.listedEarly, after, end };
  const told = idle.length > 1 ? withSurvival(answer(), lists) : undefined;
  const result = answerOf({
    target: ports.connection.target,
    comparedWith: undefined,
    operation: choices.operation,
    budget: choices.budget,
    today: choices.today,
    evidence: choices.evidence,
    operations: log.operations,
    judged,
    idle: told,
    idleRounds: earlierIdleRounds + idle.length - 1,
    heapProblem: [...log.states, ...idle].find(state => state.heapProblem !== undefined)?.heapProblem,
    memProfileRate: last?.memProfileRate,
    askedRate: choices.askedRate,
  });
  const families = result.families.map(one => withListed(one, end, log, choices));
  return { ...result, families: withSurvivors(families, lists) };
}

/** The list of all goroutines says who created them and what they wait for; only the profile has their labels. */
function withListed(family: GateFamily, list: FamilyTable | undefined, log: GateLog, choices: GateChoices): GateFamily {
  const named = ({ counts }: FamilyTable): FamilyCount | undefined =>
    counts.find(one => one.family.id === family.family);
  const listedCount = list === undefined ? undefined : named(list);
  const profiled = log.last?.goroutines === undefined ? undefined : named(log.last.goroutines);
  if (family.resource === 'heap' || listedCount === undefined || profiled === undefined) return family;
  const whole = { ...listedCount, labelSets: profiled.labelSets };
  const { catalogue } = choices;
  return { ...family, ...describeFamily(whole, family.resource, { catalogue, facts: factsOf(log) }) };
}

async function listed(
  ports: RoundPorts,
  { listedBefore }: GateLog,
  round: number,
  state: RoundState,
): ReturnType<typeof listGoroutines> {
  return listedBefore === undefined ? undefined : listGoroutines(ports, roundFolder(round), state);
}

/** Goroutines of a leaking family, by id: those that came during the run and did not go away without operations. */
interface GoroutineLists {
  /** Before the first round. */
  readonly before: FamilyTable | undefined;
  /** After the first rounds. */
  readonly early: FamilyTable | undefined;
  /** After the last operations. */
  readonly after: FamilyTable | undefined;
  /** After the idle rounds. */
  readonly end: FamilyTable | undefined;
}

function withSurvivors(families: readonly GateFamily[], lists: GoroutineLists): GateFamily[] {
  return families.map(one => (one.resource === 'heap' ? one : { ...one, survivors: survivorsOf(one.family, lists) }));
}

/** Of those that a family gained, so many must be the same goroutines at the end. */
const SURVIVING_SHARE = 0.5;
/** Fewer say nothing. */
const MIN_GAINED = 4;

/**
 * A slope shows that there are more; only survivors show that what comes stays. A family whose goroutines are others at
 * the end than after the rounds that brought them does not leak them, and neither does the whole if no other family does.
 */
function withSurvival(answer: IdleAnswer, lists: GoroutineLists): IdleAnswer & { readonly leaving: readonly string[] } {
  const gone = answer.families.filter(one => one.resource === 'goroutines' && isLeak(one) && leave(one.family, lists));
  if (gone.length === 0) return { ...answer, leaving: [] };
  const families = answer.families.map((one): GateFamily =>
    gone.includes(one) ? { ...one, decision: 'undecided' } : one,
  );
  const stay = families.some(one => one.resource === 'goroutines' && isLeak(one));
  const measures = answer.measures.map((one): GateMeasure => {
    const isTotal = one.resource === 'goroutines' && one.decision === 'leaks';
    return isTotal && !stay ? { ...one, decision: 'undecided' } : one;
  });
  const leaving = gone.map(
    ({ title }) => `there are more goroutines in ${title}, but not the same ones: those that came have ended since`,
  );
  return { ...answer, families, measures, leaving };
}

function leave(family: string, { before, early, after, end }: GoroutineLists): boolean {
  if (before === undefined || end === undefined || isCut(end, family)) return false;
  const [old, last] = [idsOf(before, family), idsOf(end, family)];
  return [early, after].some(list => {
    if (list === undefined || isCut(list, family)) return false;
    const then = idsOf(list, family);
    const gained = then.size - old.size;
    const surviving = [...then].filter(id => !old.has(id) && last.has(id)).length;
    return gained >= MIN_GAINED && surviving < SURVIVING_SHARE * gained;
  });
}

/** Not every goroutine of it is known by its id. */
function isCut({ counts }: FamilyTable, family: string): boolean {
  return counts.find(one => one.family.id === family)?.waits?.isCut === true;
}

function survivorsOf(family: string, { before, after, end }: GoroutineLists): GateSurvivors | null {
  const listed = end?.counts.find(one => one.family.id === family)?.waits;
  if (before === undefined || after === undefined || listed === undefined || listed.isCut) return null;
  const old = idsOf(before, family);
  const grown = idsOf(after, family);
  const ids: number[] = [];
  let oldestMinutes = 0;
  listed.id.forEach((id, i) => {
    if (old.has(id) || !grown.has(id)) return;
    ids.push(id);
    oldestMinutes = Math.max(oldestMinutes, listed.minutes[i] ?? 0);
  });
  if (ids.length === 0) return null;
  ids.sort((a, b) => a - b);
  return {
    count: ids.length,
    ids: ids.slice(0, MAX_IDS),
    oldestMinutes: oldestMinutes === 0 ? null : oldestMinutes,
  };
}

function idsOf({ counts }: FamilyTable, family: string): Set<number> {
  return new Set(counts.find(one => one.family.id === family)?.waits?.id ?? []);
}
