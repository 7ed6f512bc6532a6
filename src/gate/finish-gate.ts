/** The end of a gate: idle rounds if they are needed, the goroutines that survived, and the answer. */
import type { FamilyCount, FamilyTable } from '../profile/families/family.ts';
import type { GateFamily, GateResult, GateSurvivors } from './gate.ts';
import { describeFamily } from './describe-family.ts';
import { answerOf, outcomeOf } from './gate-answer.ts';
import { factsOf, type GateChoices, type GateLog, isRestarted, roundFolder } from './gate-log.ts';
import { judgeIdle } from './idle-growth.ts';
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
): Promise<GateResult> {
  const leaks = outcomeOf(judged) === 'leaks';
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
  const told = idle.length > 1 ? answer() : undefined;
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
    idleRounds: idle.length - 1,
    memProfileRate: last?.memProfileRate,
    askedRate: choices.askedRate,
  });
  const families = result.families.map(one => withListed(one, end, log, choices));
  return { ...result, families: withSurvivors(families, { before: log.listedBefore, after, end }) };
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
  /** After the last operations. */
  readonly after: FamilyTable | undefined;
  /** After the idle rounds. */
  readonly end: FamilyTable | undefined;
}

function withSurvivors(families: readonly GateFamily[], lists: GoroutineLists): GateFamily[] {
  return families.map(one => (one.resource === 'heap' ? one : { ...one, survivors: survivorsOf(one.family, lists) }));
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
