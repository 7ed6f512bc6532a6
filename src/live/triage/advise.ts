/** What is safe to do now, what is not, and the next commands. Nothing is done here. */
import type { Analysis } from '../../judge/analysis.ts';
import type { Unproved } from '../doctor/doctor.ts';
import type { NextCommand, TimeToLimit, TriageEvidence, TriageHistory, TriageScrape } from './triage.ts';
import { type Verdict, mayLeak } from '../../judge/verdict.ts';
import { targetKind } from '../../evidence/target.ts';

export interface Situation {
  /** `node/worker-17` */
  readonly target: string;
  readonly verdict: Verdict;
  readonly scrape: TriageScrape | undefined;
  readonly history: TriageHistory | undefined;
  readonly evidence: TriageEvidence | undefined;
  readonly analysis: Analysis | undefined;
  readonly limit: TimeToLimit | undefined;
  /** Whether a longer capture would prove more. */
  readonly isShort: boolean;
  /** The command that the user typed: `oakum` or `kubectl oakum`. */
  readonly program: string;
}

export interface Advice {
  readonly safe: readonly string[];
  readonly unsafe: readonly string[];
  readonly next: readonly NextCommand[];
  readonly cannotProve: readonly Unproved[];
}

export function advise(situation: Situation): Advice {
  return {
    safe: safeNow(situation),
    unsafe: unsafeNow(situation),
    next: nextCommands(situation),
    cannotProve: cannotProve(situation),
  };
}

const WAIT_HOURS = 12;

function safeNow({ verdict, evidence, limit, scrape, target }: Situation): string[] {
  const safe: string[] = [];
  const stage = scrape?.cycle.stage;
  const leaks = mayLeak(verdict);
  const isSaved = evidence !== undefined && !evidence.isOpen;
  if (verdict === 'healthy') safe.push('nothing needs to be done');
  if (limit !== undefined && limit.hours[0] >= WAIT_HOURS) safe.push('to wait until people are awake');
  if (leaks && isSaved && stage !== 'storm' && stage !== 're-oom') safe.push(restart(target));
  if (verdict === 'unknown' && evidence !== undefined) safe.push('to wait and take the same again later');
  const advice = scrape?.cycle.advice ?? [];
  safe.push(...(isSaved ? advice.filter(text => !text.startsWith('Take the evidence')) : advice));
  return safe;
}

function restart(target: string): string {
  if (targetKind(target) === 'node') {
    return (
      'to restart this kubelet (systemctl restart kubelet): containers keep running, the evidence is saved, and it starts ' +
      'empty; exec, logs and port-forward sessions end'
    );
  }
  const where =
    targetKind(target) === 'apiserver' ? 'if others take over' : 'if its users can do without it for a moment';
  return `to restart it ${where}: the evidence is saved, and it starts empty`;
}

function unsafeNow({ target, verdict, evidence, scrape }: Situation): string[] {
  const unsafe: string[] = [];
  const leaks = mayLeak(verdict);
  if (evidence === undefined) unsafe.push('to restart it before evidence is saved: a restart destroys it');
  else if (evidence.isOpen) unsafe.push('to restart it before the rest is taken: the same command resumes');
  if (leaks && targetKind(target) === 'node') {
    unsafe.push('to restart the kubelets of many nodes at once: each reconciles all its pods against the API server');
    unsafe.push('to drain or delete the node for this alone: a restart of the kubelet clears it and leaves the pods');
  }
  if (scrape?.cycle.stage === 'storm') unsafe.push('to restart it once more: the storm would start again');
  if ((scrape?.goroutines ?? 0) > 10_000)
    unsafe.push('to ask for goroutine?debug=2 by hand: it stops the process for seconds and is cut at 64 MiB');
  return unsafe;
}

function nextCommands({ target, verdict, evidence, analysis, isShort, program }: Situation): NextCommand[] {
  const next: NextCommand[] = [];
  const add = (command: string, why: string): void => void next.push({ command: `${program} ${command}`, why });
  if (evidence === undefined) {
    add(`triage ${target}`, 'with profiles: which code it is');
    return next;
  }
  const { folder } = evidence;
  if (isShort && verdict !== 'leak') {
    if (hasLongProfiles(analysis)) add(`triage ${target} --gap 30m --sets 3`, 'the same over an hour, for slow leaks');
    else add(`triage ${target}`, 'until growth or health is proved: at most 15 minutes');
  }
  const isKnown = analysis?.findings.some(({ matches }) => matches[0]?.grade === 'confirmed') === true;
  if (mayLeak(verdict)) {
    if (isKnown) add(`report ${folder} --for incident`, 'for the team: what it is and which version has the fix');
    else add(`report ${folder} --for upstream`, 'for the maintainers, ready to paste');
  }
  add(`bundle ${folder} -o ${folder}.tar.gz`, 'the evidence, redacted, to share');
  if (analysis !== undefined) add(`analyze ${folder} -o wide`, 'all findings with their stacks');
  return next;
}

/** More of the same would prove nothing new. */
const LONG_SECONDS = 600;

function hasLongProfiles(analysis: Analysis | undefined): boolean {
  const times = (analysis?.inputs ?? []).flatMap(({ kind, takenAt }) =>
    takenAt !== null && (kind === 'heap' || kind === 'goroutine') ? [Date.parse(takenAt) / 1000] : [],
  );
  return times.length > 0 && Math.max(...times) - Math.min(...times) >= LONG_SECONDS;
}

function cannotProve({ history, evidence, analysis, isShort, verdict }: Situation): Unproved[] {
  const unproved: Unproved[] = [];
  const add = (what: string, because: string): void => void unproved.push({ what, because });
  if (evidence === undefined) add('which code it is', 'no profile was taken');
  else {
    const refusal = evidence.notes.find(note => /^(?:goroutine|heap)\b.*could not be taken/.test(note));
    const profiles = analysis?.inputs.filter(({ kind }) => kind === 'heap' || kind === 'goroutine') ?? [];
    if (refusal !== undefined && profiles.length === 0) {
      add('which code it is', refusal.replace(/^.*?could not be taken: /, ''));
    }
  }
  if (evidence !== undefined && isShort && verdict !== 'leak') {
    add(
      'whether it continues',
      hasLongProfiles(analysis)
        ? 'without metrics, profiles over some minutes show no slow leak: use a longer --gap, or oakum watch'
        : 'scrapes over less than ten minutes show no trend: leave out --sets, or use a longer --gap',
    );
  }
  if (history === undefined) add('since when, and how steadily', 'no history was given: --prometheus URL');
  else if (history.problem !== null) add('since when, and how steadily', history.problem);
  return unproved;
}
