/** `oakum analyze`: turns a pile of evidence into findings per process and one sentence. */
import { exactTimeText, formatBytes, formatCount, isInCalendar, timeText } from '../../base/say.ts';
import { fileName } from '../../evidence/path-parts.ts';
import type { LoggedKill } from '../../evidence/snapshots/read-context.ts';
import { targetFacts, type GivenFacts } from './target-facts.ts';
import type { Analysis, AnalysisInput, Finding, MissingEvidence, ResourceLedger, ShownEvidence } from '../analysis.ts';
import { explainPile, toldBy } from '../explain/explain-pile.ts';
import type { TargetFacts } from '../../knowledge/preconditions.ts';
import { fetchCommand, versionCommandOf } from '../../knowledge/product.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import { isOfProcess, type Snapshot } from '../../evidence/snapshots/snapshot.ts';
import { type Verdict, worst, mayLeak } from '../verdict.ts';
import { diagnoseProcess } from './diagnose-process.ts';
import { evidenceOf, type ProcessEvidence } from '../../evidence/snapshots/process-evidence.ts';
import type { Pile } from '../../evidence/snapshots/read-pile.ts';
import { firstSampleSeconds } from '../../evidence/snapshots/process-series.ts';
import { rankFindings, isStuck } from './rank-findings.ts';
import { isMeasured } from '../growth/metric-growth.ts';
import { groupBy } from '../../base/group-by.ts';
import { resourceOf } from '../../evidence/resource.ts';
import { assert } from '../../base/errors.ts';
import type { ReferenceTable } from '../growth/growth.ts';

export interface AnalyzeOptions {
  readonly catalogue: readonly KnownLeak[];
  readonly given?: GivenFacts;
  readonly operations?: number | undefined;
  readonly references?: readonly ReferenceTable[];
}

export function analyzePile(pile: Pile, options: AnalyzeOptions): Analysis {
  const findings: Finding[] = [];
  const reasons: string[] = [];
  const verdicts: Verdict[] = [];
  const ledgers: ResourceLedger[] = [];
  const exploding = new Set<string>();
  const gaps = new Map<string, { evidence: ProcessEvidence[]; facts: TargetFacts; findings: Finding[] }>();
  const processes = evidenceOf(pile.snapshots, pile.viewGroups);
  const told = new Map((pile.pastes ?? []).map(({ target, paste }) => [target, toldBy(paste)]));
  const factsOf = (target: string, snapshots: readonly Snapshot[]): TargetFacts => {
    const facts = targetFacts(snapshots, options.given);
    const { component, version } = told.get(target) ?? {};
    return { ...facts, component: facts.component ?? component, version: facts.version ?? version };
  };
  for (const evidence of processes) {
    const { target } = evidence.process;
    const ofTarget = pile.snapshots.filter(snapshot => snapshot.process.target === target);
    const facts = factsOf(target, ofTarget);
    const diagnosis = diagnoseProcess(evidence, {
      facts,
      catalogue: options.catalogue,
      operations: options.operations ?? pile.gate?.operations,
      // With several processes, nobody knows whose total it was.
      gate: pile.gate === undefined || processes.length === 1 ? pile.gate : { ...pile.gate, totals: [] },
      references: options.references ?? [],
    });
    const name = processName(evidence, processes);
    const life = lifeOf(evidence, processes);
    findings.push(
      ...diagnosis.findings.map(finding =>
        life === null ? finding : { ...finding, life, reasons: [lifeText(life), ...finding.reasons] },
      ),
    );
    if (diagnosis.explodes) exploding.add(target);
    verdicts.push(diagnosis.verdict);
    ledgers.push(...diagnosis.ledgers);
    reasons.push(...diagnosis.reasons.map(reason => (processes.length > 1 ? `${name}: ${reason}` : reason)));
    reasons.push(...(evidence.process.conflicts ?? []).map(conflict => `${target}: ${conflict}`));
    const gap = gaps.get(target) ?? { evidence: [], facts, findings: [] };
    gap.evidence.push(evidence);
    gap.findings.push(...diagnosis.findings);
    gaps.set(target, gap);
  }
  reasons.push(...pile.snapshots.flatMap(cutText), ...(pile.kills ?? []).map(killText));
  const verdict = worst(verdicts);
  const sorted = withoutRepetition(rankFindings(findings, exploding));
  const missing: MissingEvidence[] = [];
  // One life of a target may have what another lacks.
  for (const [target, gap] of gaps)
    if (!told.has(target)) missing.push(...missingEvidence(target, gap.evidence, gap.facts, gap.findings));
  const { shown, more } = explainPile(
    pile,
    target =>
      factsOf(
        target,
        pile.snapshots.filter(({ process }) => process.target === target),
      ),
    options.catalogue,
  );
  if (more > 0) reasons.push(`${formatCount(more)} more texts say something about a process, but less`);
  return {
    schema: 'oakum.analysis/v1',
    sentence: shownSentence(shown, pile, verdict) ?? sentenceOf(verdict, verdicts, sorted, processes, pile),
    verdict,
    reasons,
    inputs: [
      ...pile.snapshots.filter(one => !isAroundStacks(one, pile.snapshots)).map(toInput),
      ...pile.unread.map(({ path, message }) => unreadInput(path, message)),
    ],
    findings: sorted,
    missing,
    shown,
    ledgers,
  };
}

/** The text around stacks of the same paste. */
function isAroundStacks({ kind, path }: Snapshot, all: readonly Snapshot[]): boolean {
  return (
    kind === 'text' && all.some(one => isOfProcess(one) && (one.path === path || one.path.startsWith(`${path}, line `)))
  );
}

/** Values that are missing look like zero to nobody, but rates over them are not known. */
function cutText({ kind, path, truncated }: Snapshot): string[] {
  return kind === 'metrics' && truncated !== undefined ? [`${fileName(path)}: ${truncated}`] : [];
}

function killText({ host, process, atSeconds, residentBytes }: LoggedKill): string {
  const where = host === '' ? '' : ` on ${host}`;
  const when = atSeconds === undefined || !isInCalendar(atSeconds) ? '' : ` at ${timeText(atSeconds)}`;
  const size = residentBytes === undefined ? '' : ` with ${formatBytes(residentBytes)} resident`;
  return `${process} was OOM-killed${where}${when}${size}: oakum cycle tells what came before and after`;
}

/** `leak-b`, or `leak-b, life 2 of 2` if the target was restarted. */
function processName(evidence: ProcessEvidence, all: readonly ProcessEvidence[]): string {
  const life = lifeOf(evidence, all);
  return life === null ? evidence.process.target : `${evidence.process.target}, ${lifeText(life)}`;
}

function lifeOf({ process }: ProcessEvidence, all: readonly ProcessEvidence[]): Finding['life'] {
  const lives = all.filter(other => other.process.target === process.target);
  if (lives.length === 1) return null;
  return { number: lives.findIndex(({ process: { key } }) => key === process.key) + 1, of: lives.length };
}

function lifeText({ number, of }: NonNullable<Finding['life']>): string {
  return `life ${number} of ${of}`;
}

/** The first family of a known leak explains it; the others refer to that one. */
function withoutRepetition(findings: readonly Finding[]): Finding[] {
  const explained = new Set<string>();
  return findings.map(finding => {
    const [match] = finding.matches;
    if (match === undefined) return finding;
    const key = `${finding.target}\0${match.id}`;
    if (!explained.has(key)) {
      explained.add(key);
      return finding;
    }
    const matches = finding.matches.map(one => ({ ...one, sideEffects: [], workaround: '', hazards: [] }));
    return { ...finding, cause: null, matches, advice: [] };
  });
}

function toInput({ path, kind, process, takenAtSeconds, takenAtFrom, truncated, series }: Snapshot): AnalysisInput {
  // The date of a file says when it was written or copied, not when the snapshot was taken.
  const told = takenAtFrom === 'content' || takenAtFrom === 'name' ? takenAtSeconds : undefined;
  const first = firstSampleSeconds(series);
  const isRecording = told !== undefined && first !== undefined && first < told;
  return {
    path,
    kind,
    target: process.target,
    takenAt: told === undefined ? null : timeOrNull(told),
    since: isRecording ? timeOrNull(first) : null,
    truncated: truncated ?? null,
    goVersion: process.goVersion === '' ? null : process.goVersion,
    error: null,
  };
}

function timeOrNull(seconds: number): string | null {
  return isInCalendar(seconds) ? exactTimeText(seconds) : null;
}

function unreadInput(path: string, error: string): AnalysisInput {
  return { path, kind: 'unknown', target: '', takenAt: null, since: null, truncated: null, goVersion: null, error };
}

/**
 * What was not measured, with one command for each gap.
 *
 * `lives` are all processes of one target.
 */
function missingEvidence(
  of: string,
  lives: readonly ProcessEvidence[],
  facts: TargetFacts,
  findings: readonly Finding[],
): MissingEvidence[] {
  const most = <T>(lists: readonly (readonly T[])[]): readonly T[] =>
    lists.reduce((best, list) => (list.length > best.length ? list : best));
  const goroutines = most(lives.map(life => life.goroutines));
  const heap = most(lives.map(life => life.heap));
  const series = lives.find(life => life.series !== undefined)?.series;
  const isProved = findings.some(({ resource, verdict }) => resource === 'goroutines' && verdict === 'leak');
  const fetch = (path: string, file: string): string => fetchCommand(facts.component, path, file);
  const missing: MissingEvidence[] = [];
  const add = (what: string, why: string, command: string): void => void missing.push({ what, why, command });
  if (goroutines.length === 0) {
    const counted = isMeasured('goroutines', series);
    const hasLeakProfile = lives.some(life => life.runtimeLeaks !== undefined);
    const why = hasLeakProfile
      ? 'the leak profile has only what nothing can reach; most leaks can still be reached'
      : counted
        ? 'metrics show how many there are, not whose'
        : 'without them only the heap can be judged';
    add(
      `${counted || hasLeakProfile ? 'goroutine profiles' : 'goroutines'} of ${of}`,
      why,
      fetch('debug/pprof/goroutine', 'goroutine-1.pb.gz'),
    );
  } else if (goroutines.length === 1 && !isProved) {
    add(
      `a second goroutine profile of ${of}`,
      'one shows what is there, not what grows; take it 5 minutes or more later',
      fetch('debug/pprof/goroutine', 'goroutine-2.pb.gz'),
    );
  }
  if (heap.length === 0) {
    const measured = isMeasured('live heap', series);
    add(
      `${measured ? 'heap profiles' : 'heap'} of ${of}`,
      measured ? 'metrics show how much there is, not whose' : 'a heap leak moves no goroutine',
      fetch('debug/pprof/heap', 'heap-1.pb.gz'),
    );
  } else if (heap.length === 1) {
    add(
      `a second heap profile of ${of}`,
      'one shows what was never freed, not whether it still grows; take it 5 minutes or more later',
      fetch('debug/pprof/heap', 'heap-2.pb.gz'),
    );
  }
  if (series === undefined) {
    add(
      `metrics of ${of}`,
      'go_gc_heap_live_bytes over time is the cleanest sign of a heap leak',
      fetch('metrics', 'metrics-1.prom'),
    );
  }
  if (facts.version === undefined && findings.length > 0) {
    add(
      `the version of ${of}`,
      'known leaks are matched by version; oakum analyze --version says which it is',
      versionCommandOf(facts.component),
    );
  }
  const cut = goroutines.find(({ truncated }) => truncated !== undefined);
  if (cut !== undefined) {
    add(
      `all goroutines of ${of}`,
      `the dump is cut (${cut.truncated}); debug=0 is complete, smaller and stops the process for less time`,
      fetch('debug/pprof/goroutine', 'goroutine.pb.gz'),
    );
  }
  return missing;
}

/**
 * The sentence at the top of an analysis.
 *
 * `verdicts` are those of `processes`, in the same order.
 */
function sentenceOf(
  verdict: Verdict,
  verdicts: readonly Verdict[],
  findings: readonly Finding[],
  processes: readonly ProcessEvidence[],
  pile: Pile,
): string {
  if (processes.length === 0) {
    if (pile.unread.length + pile.snapshots.length === 0) return 'There was nothing to read.';
    return `Nothing here is a profile, a goroutine dump, metrics, or a paste of stacks, of go tool pprof, or of numbers from ps, top, kubectl top or /proc.${elsewhereText(pile)}`;
  }
  const targets = [...new Set(processes.map(({ process }) => process.target))];
  const subject = targets.length === 1 ? targets[0] : `${targets.length} targets`;
  const stuck = stuckText(findings);
  if (verdict === 'healthy') return `${subject}: nothing grows beyond what chance and load explain.${stuck}`;
  if (verdict === 'unknown') {
    const healthyCount = verdicts.filter(one => one === 'healthy').length;
    if (healthyCount > 0) {
      const parts = targets.length === 1 ? 'lives' : 'processes';
      return `${subject}: nothing grows in ${healthyCount} of ${processes.length} ${parts}, but too little is known about the rest.${stuck}`;
    }
    const compared = processes.some(({ goroutines, heap }) => goroutines.length > 1 || heap.length > 1);
    return compared
      ? `${subject}: nothing that was compared grows, but not everything was judged.${stuck}`
      : `${subject}: too little evidence for a verdict; take the same again some minutes later.${stuck}`;
  }
  const [worst] = findings;
  assert(worst !== undefined, `${verdict} without a finding`);
  const leaking = [...new Set(findings.filter(finding => finding.verdict === verdict).map(({ target }) => target))];
  const who = leaking.length === 1 ? leaking[0] : `${leaking.length} of ${targets.length} targets`;
  const does = verdict !== 'leak' ? 'may leak' : leaking.length === 1 ? 'leaks' : 'leak';
  const what = runtimeProof(worst, findings, processes) ?? whatOf(worst);
  const also = alsoOf(worst, findings);
  return `${who} ${does} ${resourceOf(worst.resource)}: ${what}${also}.`;
}

/** The headline of a paste, unless something in it proves more. */
function shownSentence(shown: readonly ShownEvidence[], { pastes = [] }: Pile, verdict: Verdict): string | undefined {
  const [first] = shown;
  const [filed] = pastes;
  if (first === undefined || filed === undefined || verdict !== 'unknown') return undefined;
  return `${filed.target}: ${first.headline}.`;
}

/** The commands that read what this one does not. */
function elsewhereText({ snapshots, kills = [] }: Pile): string {
  const [kill] = kills;
  if (kill !== undefined) return ` ${kill.process} was OOM-killed: oakum cycle tells the rest.`;
  if (snapshots.some(({ format }) => format === 'range-query'))
    return ' oakum detect and oakum cycle read answers of Prometheus.';
  return snapshots.some(({ format }) => format === 'log') ? ' oakum cycle reads logs.' : '';
}

/** ` 8 goroutines can never run again, 4 of them in main.wait ← chan receive (nil chan).`, or ''. */
function stuckText(findings: readonly Finding[]): string {
  const stuck = findings.filter(isStuck);
  const [first] = stuck;
  if (first === undefined) return '';
  const all = stuck.reduce((sum, { count }) => sum + count, 0);
  const part = first.count === all ? 'in' : `${formatCount(first.count)} of them in`;
  return ` ${formatCount(all)} goroutines can never run again, ${part} ${first.family.title}.`;
}

/** `; and live heap: main.openSession`, the first finding of each other resource that leaks as surely, or may. */
function alsoOf(worst: Finding, findings: readonly Finding[]): string {
  const others = findings.filter(({ resource, verdict }) => resource !== worst.resource && mayLeak(verdict));
  const first = [...groupBy(others, ({ resource }) => resource).values()].flatMap(list => list.slice(0, 1));
  return first
    .map(finding => {
      const may = finding.verdict === worst.verdict ? '' : 'may leak ';
      return `; and ${may}${resourceOf(finding.resource)}: ${whatOf(finding)}`;
    })
    .join('');
}

/** What the runtime found in all; undefined where the worst finding is not among it. */
function runtimeProof(
  worst: Finding,
  findings: readonly Finding[],
  processes: readonly ProcessEvidence[],
): string | undefined {
  const isProved = ({ ledger }: Finding): boolean => ledger.entries.some(({ kind }) => kind === 'runtime-leak');
  if (!isProved(worst)) return undefined;
  const targets = new Set(findings.filter(isProved).map(({ target }) => target));
  let [all, here] = [0, 0];
  for (const { process, runtimeLeaks, goroutines } of processes) {
    if (!targets.has(process.target)) continue;
    for (const { family, leaked } of (runtimeLeaks ?? goroutines.at(-1)?.table)?.counts ?? []) {
      all += leaked;
      if (process.target === worst.target && family.id === worst.family.id) here += leaked;
    }
  }
  const goroutines = all === 1 ? '1 goroutine' : `${formatCount(all)} goroutines`;
  const part = here === all ? 'in' : `${formatCount(here)} of them in`;
  const known = knownAs(worst);
  const where = `${part} ${worst.family.title}${known === '' ? '' : `: ${known}`}`;
  return `the Go runtime found ${goroutines} that can never run again, ${where}`;
}

/** A known leak by what it is; else the family by its name. */
function whatOf(finding: Finding): string {
  const known = knownAs(finding);
  if (known !== '') return known;
  const [match] = finding.matches;
  if (match?.affected !== 'fixed') return finding.family.title;
  return `${finding.family.title} (looks like ${match.ref}, but this version has the fix)`;
}

function knownAs({ matches: [match] }: Finding): string {
  if (match === undefined || match.affected === 'fixed' || match.affected === 'not-affected') return '';
  const fix = match.fixedIn.length === 0 ? 'not fixed yet' : `fixed in ${match.fixedIn.join(', ')}`;
  return `${match.title} (${match.ref}, ${match.grade}; ${fix})`;
}
